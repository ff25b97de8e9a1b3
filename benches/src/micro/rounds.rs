//! Rounds: every subject once, in turn, so that a slow moment of the machine meets them all.

use super::Plan;
use super::figure::Figure;
use super::keys::Keys;
use super::subjects::{BASE, SUBJECTS, Subject, Subjects, loads};
use crate::turns::{self, median};
use anyhow::ensure;
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::time::Duration;

/// Measures every subject with `size` resident entries.
///
/// # Errors
/// When something else than hits was measured.
pub(super) fn measure(
    plan: &Plan,
    subjects: &Subjects,
    size: usize,
) -> anyhow::Result<Vec<Figure>> {
    let before = loads();
    let keys = Keys::random(size, plan.hits);
    let allocations = SUBJECTS
        .each_ref()
        .map(|subject| allocations(subject, subjects, &keys));
    let mut times = vec![Vec::with_capacity(plan.rounds); SUBJECTS.len()];
    for round in 0..plan.rounds {
        for turn in 0..SUBJECTS.len() {
            let at = (round + turn) % SUBJECTS.len();
            times[at].push(time(&SUBJECTS[at], subjects, &keys)?);
        }
    }
    ensure!(
        loads() == before,
        "{} loads among the hits",
        loads() - before
    );
    Ok((0..SUBJECTS.len())
        .map(|at| figure(size, at, &times, allocations[at]))
        .collect())
}

fn figure(size: usize, at: usize, times: &[Vec<f64>], allocations: f64) -> Figure {
    let subject = &SUBJECTS[at];
    let against = &times[SUBJECTS
        .iter()
        .position(|other| other.name == subject.against)
        .unwrap_or(BASE)];
    Figure {
        subject: subject.name.to_owned(),
        size,
        nanoseconds: median(times[at].clone()),
        ratio: turns::ratio(&times[at], against, |time| *time),
        allocations,
    }
}

/// Nanoseconds of a hit, all keys once.
fn time(subject: &Subject, subjects: &Subjects, keys: &Keys) -> anyhow::Result<f64> {
    let (found, elapsed) = smol::block_on(async { timed((subject.pass)(subjects, keys)).await });
    ensure!(
        found == keys.len(),
        "{}: {found} of {} found",
        subject.name,
        keys.len()
    );
    Ok(elapsed.as_secs_f64() * 1e9 / keys.len() as f64)
}

/// A result and the processor time of this thread that it took: what other programs do meanwhile is
/// not counted. A hit never waits, so all of it happens on this thread.
async fn timed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let start = thread_time();
    let result = work.await;
    (result, thread_time() - start)
}

/// The processor time of this thread so far.
pub(crate) fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Allocations of a hit on this thread, the one of the pass itself taken off.
fn allocations(subject: &Subject, subjects: &Subjects, keys: &Keys) -> f64 {
    let counted = |keys: &Keys| {
        let run = || {
            black_box(smol::block_on((subject.pass)(subjects, keys)));
        };
        allocation_counter::measure(run).count_total
    };
    let nothing = counted(&Keys::none());
    counted(keys).saturating_sub(nothing) as f64 / keys.len() as f64
}
