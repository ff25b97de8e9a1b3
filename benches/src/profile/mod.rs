//! `profile`: what the time of a hit goes into, counted and not timed: instructions, and how often what
//! is read lies in no near cache of the processor.
//!
//! Cachegrind runs the program with a model of a processor's caches. Two runs that differ in how often
//! every key is asked for tell what the hits took, without what filled the caches.

mod counts;
mod results;

use anyhow::Context as _;
use larder_report::{Report, Scale};

use crate::micro::{self, Hits, PROFILED, SIZES};
use crate::progress;
use counts::Counts;

/// What one hit of a subject among so many entries takes.
struct Found {
    subject: &'static str,
    size: usize,
    hit: Counts,
}

/// How often every key is asked for.
const PASSES: [usize; 2] = [1, 17];

const fn hits(scale: Scale) -> usize {
    match scale {
        Scale::Quick => 16_384,
        _ => 65_536,
    }
}

/// Entries; a quick run leaves out what takes long to fill.
fn sizes(scale: Scale) -> &'static [usize] {
    match scale {
        Scale::Quick => &SIZES[..1],
        _ => &SIZES,
    }
}

/// Counts every subject among every number of entries.
///
/// # Errors
/// There is no valgrind, or a process fails.
pub(crate) fn run(scale: Scale) -> anyhow::Result<Report> {
    let version = counts::version()?;
    let sizes = sizes(scale);
    let bar = progress::bar("profile", sizes.len() * PROFILED.len());
    let mut all = Vec::new();
    for &size in sizes {
        for subject in PROFILED {
            let [few, many] = PASSES;
            let once = counts::of(scale, &words(subject, size, few))?;
            let again = counts::of(scale, &words(subject, size, many))?;
            let between = hits(scale) * (many - few);
            let hit = again.beyond(once).each(between);
            all.push(Found { subject, size, hit });
            bar.inc(1);
        }
    }
    Ok(results::report(scale, &version, &all))
}

fn words(subject: &str, size: usize, passes: usize) -> [String; 3] {
    [subject.to_owned(), size.to_string(), passes.to_string()]
}

/// Lets one subject be hit, in this process.
///
/// # Errors
/// The words are others than a run gives, or something else than hits happened.
pub(crate) fn one_start(scale: Scale, words: &[String]) -> anyhow::Result<()> {
    let [subject, size, passes] = words else {
        anyhow::bail!("three words are needed: {words:?}");
    };
    let (entries, passes) = (size.parse()?, passes.parse()?);
    let subject = PROFILED.into_iter().find(|name| name == subject);
    let subject = subject.context("no such subject")?;
    micro::hits(&Hits {
        subject,
        entries,
        keys: hits(scale),
        passes,
    })
}
