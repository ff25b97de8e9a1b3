//! The tables that a run ends with.

use super::SIZES;
use super::figure::{Figure, median};
use super::subjects::{SUBJECTS, Subject};
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
        for subject in &SUBJECTS {
            table.row(row(subject, size, figures));
        }
        table
    };
    SIZES.map(of_size).into()
}

fn row(subject: &Subject, size: usize, figures: &[Figure]) -> [String; 6] {
    let all = |read| all(figures, subject.name, size, read);
    let ratios = all(|figure| figure.ratio);
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(0.0, f64::max);
    [
        subject.name.to_owned(),
        format!("{:.1}", median(all(|figure| figure.nanoseconds))),
        number(median(ratios)),
        format!("{least:.2} to {most:.2}"),
        subject.against.to_owned(),
        format!("{:.2}", median(all(|figure| figure.allocations))),
    ]
}

/// The times of all subjects, a group for each size.
pub(super) fn plot(figures: &[Figure]) -> Plot {
    let groups = SIZES.map(|size| format!("{} entries", number(size as f64)));
    let plot = Plot::bars("A hit", "ns of processor time", groups);
    SUBJECTS.iter().fold(plot, |plot, subject| {
        let time = |size| {
            median(all(figures, subject.name, size, |figure| {
                figure.nanoseconds
            }))
        };
        plot.series(subject.name, SIZES.map(time))
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
