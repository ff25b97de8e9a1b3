//! `trace`: how many calls of the source a cache saves, by replaying who asked for what.
//!
//! Counts, not times: they are the same on every machine, but for the caches' seeds of hashing. A hit
//! ratio alone hides that half a percent more is half as many calls where nearly all hit, so both
//! are shown.

mod replay;
mod workload;

use larder_report::{Plot, Report, Scale, Table, Verdict, count};

use crate::progress;
use replay::{LARDER, POLICIES, Policy};
use workload::Workload;

/// Room for so many percent of the different keys.
const PERCENT: [f64; 6] = [1.0, 2.5, 5.0, 10.0, 25.0, 50.0];
/// The one that verdicts are about.
const JUDGED: usize = 3;

/// Replays every workload through every cache at every size.
///
/// # Errors
/// When a load fails.
pub(crate) fn run(scale: Scale) -> anyhow::Result<Report> {
    let requests = match scale {
        Scale::Quick => 300_000,
        _ => 2_000_000,
    };
    let about = "how many calls of the source a cache of some size saves, beside its peers";
    let mut report = Report::new("trace", about, scale);
    report.notes.push(
        "One task asks for one key after the other; a miss calls the source and keeps its answer. \
         Capacity is in entries, as a part of the different keys that are asked for. What a scan asks \
         for is among the requests, and never hits."
            .to_owned(),
    );
    let workloads = [
        workload::orders(),
        workload::zipf(requests),
        workload::zipf_with_scans(requests),
    ];
    let bar = progress::bar("trace", workloads.len() * PERCENT.len() * POLICIES.len());
    for workload in workloads {
        let calls = PERCENT.map(|percent| {
            let capacity = workload.capacity(percent);
            let replayed = POLICIES.each_ref().map(|policy| {
                let calls = (policy.replay)(&workload.keys, capacity);
                bar.inc(1);
                calls
            });
            replayed.into_iter().collect::<anyhow::Result<Vec<_>>>()
        });
        let calls: Vec<_> = calls.into_iter().collect::<anyhow::Result<_>>()?;
        let found = Found { workload, calls };
        report.tables.push(found.table());
        report.plots.push(found.plot());
        report.verdicts.extend(found.verdicts());
    }
    Ok(report)
}

/// What one workload showed.
struct Found {
    workload: Workload,
    /// Calls of the source: for each size, of each policy.
    calls: Vec<Vec<usize>>,
}

impl Found {
    /// The part of the requests that did not call the source, in percent.
    fn hits(&self, size: usize, policy: usize) -> f64 {
        let requests = self.workload.keys.len() as f64;
        100.0 * (1.0 - self.calls[size][policy] as f64 / requests)
    }

    fn table(&self) -> Table {
        let Workload {
            name,
            keys,
            different,
        } = &self.workload;
        let (requests, different) = (count(keys.len()), count(*different));
        let title = format!("{name}: {requests} requests for {different} keys, hits in percent");
        let names = POLICIES.iter().map(|policy| policy.name);
        let columns = ["capacity"]
            .into_iter()
            .chain(names)
            .chain(["calls by larder"]);
        let mut table = Table::new(title, columns);
        for (size, percent) in PERCENT.iter().enumerate() {
            let capacity = count(self.workload.capacity(*percent));
            let hits = (0..POLICIES.len()).map(|policy| format!("{:.2}", self.hits(size, policy)));
            let calls = count(self.calls[size][LARDER]);
            table.row([capacity].into_iter().chain(hits).chain([calls]));
        }
        table
    }

    fn plot(&self) -> Plot {
        let name = self.workload.name;
        let at = PERCENT.map(|percent| self.workload.capacity(percent) as f64);
        let plot = Plot::lines(
            name,
            "capacity, entries",
            "hits, percent of the requests",
            at,
        );
        POLICIES
            .iter()
            .enumerate()
            .fold(plot, |plot, (at, policy)| {
                let hits = (0..PERCENT.len()).map(|size| self.hits(size, at));
                let hits: Vec<_> = hits.collect();
                plot.subject(policy.name, hits, at == LARDER)
            })
    }

    /// Ours against each peer, at the size that is judged.
    fn verdicts(&self) -> Vec<Verdict> {
        let row = format!(
            "hits, {}, room for {}% of the keys",
            self.workload.name, PERCENT[JUDGED]
        );
        let ours = self.hits(JUDGED, LARDER);
        let peer = |(at, policy): (usize, &Policy)| {
            let theirs = self.hits(JUDGED, at);
            let note = format!("{ours:.2}% against {theirs:.2}%");
            Verdict::higher(row.clone(), policy.name, ours / theirs).note(note)
        };
        let all = POLICIES.iter().enumerate();
        all.filter(|(at, _)| *at != LARDER).map(peer).collect()
    }
}
