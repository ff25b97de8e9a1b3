//! What a run found, as a report.

use larder_report::{Plot, Report, Scale, Table, Verdict, number};

use super::variant::Variant;
use super::{Found, TASKS, rounds, times};
use crate::seeds::figure::Figure;
use crate::turns::{self, median};

/// Of a row whose commands are not those that it is laid beside.
const MORE: &str = "asks for the time left and two guards as well";

/// Tables, plots, and how they stand to the goals.
pub(super) fn report(scale: Scale, redis: &str, all: &[Found]) -> Report {
    let about = "tasks that read from Redis again at once, beside what the server's own tool reads";
    let mut report = Report::new("redis", about, scale);
    report.version("server", redis);
    report.notes = notes(scale);
    report.notes.extend(failures(all));
    let found = Of(all);
    report.tables.push(found.table());
    report.plots.push(found.plot());
    report.verdicts = found.verdicts();
    report
}

fn notes(scale: Scale) -> Vec<String> {
    let (rounds, time) = (rounds(scale), times(scale).measured.as_secs_f64());
    let figures = format!(
        "Medians of {rounds} turns of {time} s each, the variants one after another in every turn, each in a process of its own; \
         a ratio is the median of those of each turn."
    );
    let tasks = "The tasks are on one thread, and share one connection; values are 200 bytes. redis-benchmark has as many commands \
         under way: 16 on each of its connections, or one.";
    let far = "A far hit asks for the time left, and for the entry with the two tokens that guard it, in one trip. \
         redis-benchmark sends each of these two commands for itself; what it reads by both is reckoned from the two rates.";
    [&figures, tasks, far].map(str::to_owned).into()
}

fn failures(all: &[Found]) -> impl Iterator<Item = String> {
    all.iter().filter_map(|found| {
        let mut failures = found
            .figures
            .iter()
            .filter_map(|figure| figure.failure.as_ref());
        let why = failures.next()?;
        let (tasks, variant) = (found.tasks, found.variant.name());
        Some(format!("Requests failed ({variant}, {tasks} tasks): {why}"))
    })
}

struct Of<'a>(&'a [Found]);

impl Of<'_> {
    fn rates(&self, variant: Variant, tasks: u64) -> &[f64] {
        let mut all = self.0.iter();
        let found = all.find(|found| (found.variant, found.tasks) == (variant, tasks));
        found.map_or(&[], |found| &found.rates)
    }

    fn rate(&self, variant: Variant, tasks: u64) -> f64 {
        median(self.rates(variant, tasks).iter().copied())
    }

    fn ratio(&self, variant: Variant, to: Variant, tasks: u64) -> f64 {
        turns::ratio(self.rates(variant, tasks), self.rates(to, tasks), |&rate| {
            rate
        })
    }

    fn table(&self) -> Table {
        let columns = [
            "tasks",
            "variant",
            "reads a second",
            "p50, µs",
            "p99, µs",
            "CPU a read, µs",
            "of the server, µs",
            "× redis-benchmark, GET",
            "× its PTTL and MGET",
            "× redis crate",
        ];
        let mut table = Table::new("Reads over one connection", columns);
        for found in self.0 {
            let &Found { variant, tasks, .. } = found;
            let middle = |of: fn(&Figure) -> f64| {
                let all: Vec<_> = found.figures.iter().map(of).collect();
                if all.is_empty() {
                    return String::new();
                }
                number(median(all))
            };
            table.row([
                tasks.to_string(),
                variant.name().to_owned(),
                number(self.rate(variant, tasks)),
                middle(|figure| figure.p50),
                middle(|figure| figure.p99),
                middle(|figure| figure.ours),
                middle(|figure| figure.server),
                number(self.ratio(variant, Variant::Tool, tasks)),
                number(self.ratio(variant, Variant::Both, tasks)),
                number(self.ratio(variant, Variant::Crate, tasks)),
            ]);
        }
        table
    }

    fn plot(&self) -> Plot {
        let groups = TASKS.map(|tasks| format!("{tasks} tasks"));
        let plot = Plot::bars("Reads over one connection", "reads a second", groups);
        Variant::ALL.iter().fold(plot, |plot, &variant| {
            plot.series(variant.name(), TASKS.map(|tasks| self.rate(variant, tasks)))
        })
    }

    fn verdicts(&self) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        let gets = "redis-benchmark -P 16, GET";
        let both = "redis-benchmark -P 16, PTTL and MGET";
        for (tasks, floor, goal) in [(64, 0.45, 0.75), (256, 0.70, 1.40)] {
            let row = |variant: Variant| format!("{}, {tasks} tasks", variant.name());
            let ratio = |variant, to| self.ratio(variant, to, tasks);
            let wire = ratio(Variant::Wire, Variant::Tool);
            let wire = Verdict::higher(row(Variant::Wire), gets, wire);
            verdicts.push(wire.floor(floor).goal(goal));
            for far in [Variant::Get, Variant::Far] {
                let same = Verdict::higher(row(far), both, ratio(far, Variant::Both));
                verdicts.push(same.floor(floor).goal(goal));
                let plain = ratio(far, Variant::Tool);
                verdicts.push(Verdict::higher(row(far), gets, plain).note(MORE));
            }
        }
        let many = self.ratio(Variant::Wire, Variant::Crate, 256);
        let verdict = Verdict::higher("larder-redis, GET, 256 tasks", "redis crate on smol", many);
        verdicts.push(verdict.floor(1.0).goal(3.5));
        let one = 1.0 / self.ratio(Variant::Far, Variant::Tool, 1);
        let verdict = Verdict::lower(
            "larder, far hit by get_or_load, one task: time",
            "redis-benchmark -c 1, GET",
            one,
        );
        verdicts.push(verdict.floor(1.3).goal(1.1));
        verdicts
    }
}
