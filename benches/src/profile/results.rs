//! What was counted, as a report.

use larder_report::{Plot, Report, Scale, Table, number};

use super::counts::{FIRST, LAST};
use super::{Found, PASSES, hits};

pub(super) fn report(scale: Scale, valgrind: &str, all: &[Found]) -> Report {
    let about = "what a hit takes, counted: instructions, and reads past the caches of a core";
    let mut report = Report::new("profile", about, scale);
    report.version("counted by", valgrind);
    report.notes = notes(scale);
    let mut sizes: Vec<_> = all.iter().map(|found| found.size).collect();
    sizes.dedup();
    for size in sizes {
        let of_size: Vec<_> = all.iter().filter(|found| found.size == size).collect();
        report.tables.push(table(size, &of_size));
        report.plots.push(plot(size, &of_size));
    }
    report
}

fn notes(scale: Scale) -> Vec<String> {
    let (hits, [few, many]) = (hits(scale), PASSES);
    let counted = format!(
        "Cachegrind counts a program that asks for {hits} random keys {few} times and one that does so {many} times; a \
         hit is the difference, laid on the hits. The clock is read by a call of the system there, which is not counted."
    );
    let caches = format!(
        "The caches that are simulated (bytes, ways, bytes of a line): {FIRST} and behind it {LAST}, as a core \
         has them; what lies in neither comes from further away."
    );
    vec![counted, caches]
}

fn table(size: usize, all: &[&Found]) -> Table {
    let columns = [
        "hit through",
        "instructions",
        "of the first",
        "reads and writes",
        "past the first cache",
        "past both",
    ];
    let title = format!("What a hit takes among {} entries", number(size as f64));
    let mut table = Table::new(title, columns);
    let base = all[0].hit.instructions;
    for found in all {
        let hit = found.hit;
        table.row([
            found.subject.to_owned(),
            number(hit.instructions),
            number(hit.instructions / base),
            number(hit.accesses),
            format!("{:.2}", hit.first),
            format!("{:.2}", hit.last),
        ]);
    }
    table
}

fn plot(size: usize, all: &[&Found]) -> Plot {
    let title = format!("A hit among {} entries", number(size as f64));
    let plot = Plot::bars(title, "instructions", [""]);
    all.iter().fold(plot, |plot, found| {
        let ours = found.subject.contains("cacheable");
        plot.subject(found.subject, [found.hit.instructions], ours)
    })
}
