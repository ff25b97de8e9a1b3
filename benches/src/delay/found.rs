//! What the delays have shown, as a report.

use super::LONG;
use super::crowd::Crowd;
use crate::daemon::Threads;
use crate::turns::median;
use larder_report::{Plot, Report, Seed, Table, Verdict, number};

/// The three times of the article, in milliseconds, as it lists them: two threads, ten seconds.
const ARTICLE_BLOCKING: [f64; 3] = [11_689.0, 10_453.0, 18_964.0];
const ARTICLE_AWAITED: [f64; 3] = [10_484.0, 10_437.0, 10_427.0];

/// Three requests at once, of both kinds; medians in milliseconds.
pub(super) struct Servers {
    /// In seconds.
    pub(super) delay: u64,
    pub(super) blocking: [f64; 3],
    pub(super) awaited: [f64; 3],
    pub(super) threads: Threads,
}

impl Servers {
    pub(super) fn fill(&self, report: &mut Report) {
        report.tables.push(self.table());
        report.plots.push(self.plot());
        report.verdicts.push(self.verdict());
        report.seeds.extend(self.seeds());
    }

    fn times(&self, times: [f64; 3]) -> [f64; 3] {
        times.map(|time| time / (self.delay * 1000) as f64)
    }

    fn table(&self) -> Table {
        let columns = [
            "server",
            "delay, s",
            "first, ms",
            "second, ms",
            "third, ms",
            "third / delay",
            "threads",
        ];
        let mut table = Table::new("Three requests at once, two threads", columns);
        let mut row = |server: &str, delay: u64, times: [f64; 3], threads: String| {
            let ratio = times[2] / (delay * 1000) as f64;
            let [first, second, third] = times.map(number);
            let delay = delay.to_string();
            table.row([
                server.to_owned(),
                delay,
                first,
                second,
                third,
                format!("{ratio:.3}"),
                threads,
            ]);
        };
        let names = |names: &std::collections::BTreeSet<String>| {
            names
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        };
        row(
            "the article's, blocking",
            LONG,
            sorted(ARTICLE_BLOCKING),
            String::new(),
        );
        row(
            "larderd, blocking",
            self.delay,
            self.blocking,
            names(&self.threads.blocked),
        );
        row(
            "the article's, non-blocking",
            LONG,
            sorted(ARTICLE_AWAITED),
            String::new(),
        );
        row(
            "larderd, awaited",
            self.delay,
            self.awaited,
            names(&self.threads.awaited),
        );
        table
    }

    fn plot(&self) -> Plot {
        let long = |times| sorted(times).map(|time| time / (LONG * 1000) as f64);
        Plot::bars(
            "Three requests at once on two threads",
            "times the delay",
            ["first", "second", "third"],
        )
        .series("the article's, blocking", long(ARTICLE_BLOCKING))
        .series("larderd, blocking", self.times(self.blocking))
        .series("the article's, non-blocking", long(ARTICLE_AWAITED))
        .series("larderd, awaited", self.times(self.awaited))
    }

    fn verdict(&self) -> Verdict {
        let slowest = self.times(self.awaited)[2];
        let note = format!("blocking: {:.3}×", self.times(self.blocking)[2]);
        Verdict::lower(
            "seed S3: slowest of three that are awaited",
            "the single delay",
            slowest,
        )
        .floor(1.05)
        .goal(1.005)
        .note(note)
    }

    fn seeds(&self) -> Vec<Seed> {
        let mut seeds = Vec::new();
        for (kind, article, ours) in [
            ("blocking", ARTICLE_BLOCKING, self.blocking),
            ("not blocking", ARTICLE_AWAITED, self.awaited),
        ] {
            let article = sorted(article).map(|time| time / (LONG * 1000) as f64);
            let ours = self.times(ours);
            for (at, which) in ["first", "second", "third"].into_iter().enumerate() {
                let what = format!("{which} of three on two threads, {kind}, over the delay");
                seeds.push(Seed::new(what, "×", article[at], ours[at]));
            }
        }
        seeds
    }
}

fn sorted(mut times: [f64; 3]) -> [f64; 3] {
    times.sort_by(f64::total_cmp);
    times
}

/// The crowd: a table of its runs and the verdict on their median.
pub(super) fn crowd(report: &mut Report, crowds: &[Crowd]) {
    let size = crowds.first().map_or(0, |crowd| crowd.summary.users);
    let size = number(size as f64);
    let columns = [
        "run",
        "answered",
        "p50, ms",
        "p99, ms",
        "slowest, ms",
        "all, ms",
        "all / delay",
        "threads",
        "memory, MiB",
        "load busy, %",
    ];
    let mut table = Table::new(
        format!("{size} requests at once, one thread, {LONG} s"),
        columns,
    );
    for (run, crowd) in crowds.iter().enumerate() {
        let (summary, times) = (&crowd.summary, &crowd.summary.sample_time);
        table.row([
            (run + 1).to_string(),
            number(summary.successful as f64),
            number(times.p50_ms),
            number(times.p99_ms),
            number(times.max_ms),
            number(summary.run_time_s * 1000.0),
            format!("{:.3}", crowd.ratio()),
            crowd.threads.to_string(),
            number(crowd.memory),
            number(summary.busy.unwrap_or_default() * 100.0),
        ]);
    }
    report.tables.push(table);
    // The time of a run in which some were sent away says nothing.
    for crowd in crowds.iter().filter(|crowd| !crowd.is_whole()) {
        let (good, errors) = (crowd.summary.successful, &crowd.summary.errors);
        let note = format!(
            "Of {size} at once {good} had an answer in a run: {errors:?}. No verdict counts it."
        );
        report.notes.push(note);
    }
    let whole = crowds.iter().filter(|crowd| crowd.is_whole());
    let ratios: Vec<_> = whole.map(Crowd::ratio).collect();
    if !ratios.is_empty() {
        let row = format!("seed S3: {size} delays at once on one thread");
        let verdict = Verdict::lower(row, "the single delay", median(ratios));
        report.verdicts.push(verdict.goal(1.05));
    }
}
