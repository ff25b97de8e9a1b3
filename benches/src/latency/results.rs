//! What a run found, as a report.

use larder_report::{Plot, Report, Scale, Seed, Table, Verdict, number};

use super::figure::{Figure, Times};
use super::form::Form;
use super::{Found, Link, VARIANTS, rounds};
use crate::turns::{self, median};

const SHARED: &str = VARIANTS[0].0;
const POOL: &str = VARIANTS[1].0;
const EACH: &str = VARIANTS[2].0;
const OURS: &str = VARIANTS[3].0;

/// Tables, plots, and how they stand to the goals.
pub(super) fn report(scale: Scale, redis: &str, all: &[Found]) -> Report {
    let about = "a hundred callers with two questions each, all at once: how long an answer takes";
    let mut report = Report::new("latency", about, scale);
    report.version("server", redis);
    report.notes = notes(rounds(scale));
    let found = Of(all);
    for link in Link::ALL {
        report.tables.push(found.table(link));
        report.plots.push(found.plot(link));
    }
    report.verdicts = found.verdicts();
    report.seeds = found.seeds();
    report
}

fn notes(rounds: usize) -> Vec<String> {
    let figures = format!(
        "Medians of {rounds} turns, the variants one after another in every turn, each in a process of its own; a ratio is the \
         median of those of each turn. In a turn the callers ask three times, after once that does not count."
    );
    let times = "Latency is from a caller's question to the bytes of its answer, with all waiting for a connection; sample time is \
         to its value. Connections are made before the callers are let go; connect time is that of one.";
    let callers = "Callers that block have a thread each; those of larder are tasks of one thread, and ask a cache that lies in the \
         server alone. Every question is for another user.";
    let way = "The way of 1 ms is a proxy on this machine that holds what passes for half a millisecond each way and keeps order.";
    [&figures, times, callers, way].map(str::to_owned).into()
}

struct Of<'a>(&'a [Found]);

impl Of<'_> {
    fn figures(&self, link: Link, form: Form, word: &str) -> &[Figure] {
        let mut all = self.0.iter();
        let found = all.find(|found| (found.link, found.form, found.word) == (link, form, word));
        found.map_or(&[], |found| &found.figures)
    }

    fn middle(&self, link: Link, form: Form, word: &str, of: impl Fn(&Figure) -> f64) -> f64 {
        median(self.figures(link, form, word).iter().map(of))
    }

    /// How many times longer the mean answer of a baseline takes than ours.
    fn ratio(&self, link: Link, form: Form, baseline: &str) -> f64 {
        let [theirs, ours] = [baseline, OURS].map(|word| self.figures(link, form, word));
        turns::ratio(theirs, ours, |figure| figure.latency.mean)
    }

    fn table(&self, link: Link) -> Table {
        let trip = self.middle(link, Form::Protobuf, SHARED, |figure| figure.trip);
        let title = format!(
            "{}: one trip takes {} ms; all in ms",
            link.name(),
            number(trip)
        );
        let columns = [
            "values",
            "variant",
            "sample mean",
            "p50",
            "p99",
            "max",
            "latency mean",
            "p50 of it",
            "p99 of it",
            "max of it",
            "connect mean",
            "connections",
            "× shared",
            "× pool",
            "× per thread",
        ];
        let mut table = Table::new(title, columns);
        for form in Form::ALL {
            for (word, name, _) in VARIANTS {
                table.row(self.row(link, form, word, name));
            }
        }
        table
    }

    fn row(&self, link: Link, form: Form, word: &str, name: &str) -> Vec<String> {
        let middle = |of: &dyn Fn(&Figure) -> f64| number(self.middle(link, form, word, of));
        let times = |of: fn(&Figure) -> Times| {
            let parts: [fn(Times) -> f64; 4] =
                [|one| one.mean, |one| one.p50, |one| one.p99, |one| one.max];
            parts.map(|part| middle(&|figure| part(of(figure))))
        };
        let mut row = vec![form.word().to_owned(), name.to_owned()];
        row.extend(times(|figure| figure.sample));
        row.extend(times(|figure| figure.latency));
        row.push(middle(&|figure| figure.connect.mean));
        row.push(middle(&|figure| figure.connections as f64));
        let to = |baseline| {
            let ours = self.ratio(link, form, baseline);
            number(if word == OURS {
                ours
            } else {
                ours / self.ratio(link, form, word)
            })
        };
        row.extend([SHARED, POOL, EACH].map(to));
        row
    }

    fn plot(&self, link: Link) -> Plot {
        let title = format!("A hundred callers at once, {}", link.name());
        let plot = Plot::bars(title, "mean latency, ms", Form::ALL.map(Form::word));
        VARIANTS.iter().fold(plot, |plot, (word, name, _)| {
            let mean = |form| self.middle(link, form, word, |figure| figure.latency.mean);
            plot.subject(*name, Form::ALL.map(mean), name.starts_with("larder"))
        })
    }

    /// The lesser ratio of both forms counts.
    fn verdicts(&self) -> Vec<Verdict> {
        let names = |word| {
            VARIANTS
                .iter()
                .find(|one| one.0 == word)
                .map_or("", |one| one.1)
        };
        let bounds = |link, baseline| match (link, baseline) {
            (Link::Delayed, SHARED) => Some((30.0, 60.0)),
            (Link::Delayed, POOL) => Some((4.0, 6.5)),
            _ => None,
        };
        let mut verdicts = Vec::new();
        for link in [Link::Delayed, Link::Loopback] {
            for baseline in [SHARED, POOL, EACH] {
                let ratios = Form::ALL.map(|form| self.ratio(link, form, baseline));
                let row = format!(
                    "seed S2, 100 × 2, {}: answers of larder are sooner",
                    link.name()
                );
                let least = ratios.into_iter().fold(f64::INFINITY, f64::min);
                let verdict = Verdict::higher(row, names(baseline), least);
                verdicts.push(match bounds(link, baseline) {
                    Some((floor, goal)) => verdict.floor(floor).goal(goal),
                    None => verdict,
                });
            }
        }
        verdicts
    }

    fn seeds(&self) -> Vec<Seed> {
        let (before, after) = (150.695, 24.865);
        let mean =
            |link, word| self.middle(link, Form::Protobuf, word, |figure| figure.latency.mean);
        let mut seeds = Vec::new();
        for link in Link::ALL {
            let [shared, ours] = [SHARED, OURS].map(|word| mean(link, word));
            let what = |what: &str| format!("100 × 2, protobuf, {}, {what}", link.name());
            seeds.extend([
                Seed::new(
                    what("before (ours: one shared connection)"),
                    "ms",
                    before,
                    shared,
                ),
                Seed::new(what("after (ours: larder)"), "ms", after, ours),
                Seed::new(
                    what("before over after"),
                    "×",
                    before / after,
                    shared / ours,
                ),
            ]);
        }
        seeds
    }
}
