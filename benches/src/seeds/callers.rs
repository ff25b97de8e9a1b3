//! Users, each of whom asks again as soon as the last request is answered.

use std::sync::Arc;
use std::thread;

use anyhow::anyhow;
use fastrand::Rng;

use super::blocking::{Blocking, Caller};
use super::clock::now;
use super::ours;
use super::stage::{Stage, Tally};

/// A thread for each user.
///
/// # Errors
/// A user has no connection.
pub(crate) fn threads(
    users: u64,
    stage: &Stage,
    blocking: &Blocking,
    request: impl Fn(&mut Caller<'_>, u64) -> anyhow::Result<()> + Sync,
) -> anyhow::Result<Tally> {
    let request = &request;
    thread::scope(|scope| {
        let work = |user| {
            move || {
                let mut caller = blocking.caller()?;
                let (mut tally, mut random) = (Tally::new(), Rng::with_seed(user));
                while stage.goes_on() {
                    let began = now();
                    let end = request(&mut caller, random.u64(..));
                    tally.count(stage, began, end);
                }
                Ok(tally)
            }
        };
        let all: Vec<_> = (0..users).map(|user| scope.spawn(work(user))).collect();
        let ends = all.into_iter().map(|user| {
            let end = user.join();
            end.unwrap_or_else(|_| Err(anyhow!("a user panicked")))
        });
        all_of(ends)
    })
}

/// A task for each user, all on this thread.
///
/// # Errors
/// As `request` is made.
pub(crate) fn tasks<R, F>(
    users: u64,
    stage: &Arc<Stage>,
    make: impl Future<Output = anyhow::Result<R>>,
) -> anyhow::Result<Tally>
where
    R: Fn(u64) -> F + Send + Sync + 'static,
    F: Future<Output = anyhow::Result<()>> + Send + 'static,
{
    ours::block_on(async {
        let request = Arc::new(make.await?);
        let all: Vec<_> = (0..users)
            .map(|user| ours::spawn(work(user, Arc::clone(stage), Arc::clone(&request))))
            .collect();
        let mut tallies = Vec::new();
        for user in all {
            tallies.push(Ok(user.await));
        }
        all_of(tallies.into_iter())
    })
}

async fn work<R, F>(user: u64, stage: Arc<Stage>, request: Arc<R>) -> Tally
where
    R: Fn(u64) -> F,
    F: Future<Output = anyhow::Result<()>>,
{
    let (mut tally, mut random) = (Tally::new(), Rng::with_seed(user));
    while stage.goes_on() {
        let began = now();
        let end = request(random.u64(..)).await;
        tally.count(&stage, began, end);
    }
    tally
}

fn all_of(mut ends: impl Iterator<Item = anyhow::Result<Tally>>) -> anyhow::Result<Tally> {
    ends.try_fold(Tally::new(), |all, one| Ok(all.with(one?)))
}
