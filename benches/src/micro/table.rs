//! The tables that a run ends with.

use super::SIZES;
use super::figure::Figure;
use super::parts::{self, PARTS, Part};
use super::subjects::{SUBJECTS, Subject};
use crate::turns::median;
use larder_report::{Plot, Table, number};

/// A table for each size, a row for each subject.
pub(super) fn hits(figures: &[Figure]) -> Vec<Table> {
    let columns = [
        "hit through",
        "ns",
        "ratio",
        "in the processes",
        "to",
        "allocations",
    ];
    let of_size = |size: usize| {
        let title = format!("A hit among {} entries", number(size as f64));
        let mut table = Table::new(title, columns);
        for Subject { name, against, .. } in &SUBJECTS {
            table.row(row(name, against, size, figures));
        }
        table
    };
    SIZES.map(of_size).into()
}

/// A row for each part beside the hits.
pub(super) fn parts(figures: &[Figure]) -> Table {
    let title = "A miss whose load is ready at once, a key's text, a load that many wait for";
    let columns = [
        "what, one of it",
        "ns",
        "ratio",
        "in the processes",
        "to",
        "allocations",
    ];
    let mut table = Table::new(title, columns);
    for Part { name, against, .. } in &PARTS {
        table.row(row(name, against, parts::CAPACITY, figures));
    }
    table
}

fn row(name: &str, against: &str, size: usize, figures: &[Figure]) -> [String; 6] {
    let all = |read| all(figures, name, size, read);
    let ratios = all(|figure| figure.ratio);
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(0.0, f64::max);
    [
        name.to_owned(),
        format!("{:.1}", median(all(|figure| figure.nanoseconds))),
        number(median(ratios)),
        format!("{least:.2} to {most:.2}"),
        against.to_owned(),
        format!("{:.2}", median(all(|figure| figure.allocations))),
    ]
}

/// The times of all subjects, a picture for each size.
pub(super) fn plots(figures: &[Figure]) -> [Plot; 2] {
    SIZES.map(|size| {
        let title = format!("A hit among {} entries", number(size as f64));
        let plot = Plot::bars(title, "ns of processor time", [""]);
        SUBJECTS.iter().fold(plot, |plot, subject| {
            let time = [median(all(figures, subject.name, size, |figure| {
                figure.nanoseconds
            }))];
            plot.subject(subject.name, time, subject.is_ours())
        })
    })
}

/// The times of the parts, a picture for each kind.
pub(super) fn plots_of_parts(figures: &[Figure]) -> [Plot; 3] {
    let kinds = [
        ("miss: ", "A miss whose load is ready at once"),
        ("key: ", "A key's text"),
        ("flight: ", "A load that 16 wait for, for each of them"),
    ];
    kinds.map(|(kind, title)| {
        let parts = PARTS.iter().filter(|part| part.name.starts_with(kind));
        let plot = Plot::bars(title, "ns of processor time", [""]);
        parts.fold(plot, |plot, part| {
            let times = all(figures, part.name, parts::CAPACITY, |figure| {
                figure.nanoseconds
            });
            let (name, time) = (part.name.trim_start_matches(kind), [median(times)]);
            plot.subject(name, time, part.is_ours())
        })
    })
}

/// The median ratio of a subject.
pub(super) fn ratio(figures: &[Figure], subject: &str, size: usize) -> f64 {
    median(all(figures, subject, size, |figure| figure.ratio))
}

/// A number of every process for one subject and size.
fn all(figures: &[Figure], subject: &str, size: usize, read: fn(&Figure) -> f64) -> Vec<f64> {
    let mine = figures
        .iter()
        .filter(|figure| figure.size == size && figure.subject == subject);
    mine.map(read).collect()
}
