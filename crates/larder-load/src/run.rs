//! Threads and their users.

use std::cell::RefCell;
use std::iter;
use std::net::TcpStream;
use std::ops::Range;
use std::panic;
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use smol::channel::{self, Receiver, Sender};
use smol::{LocalExecutor, block_on};

use crate::Problem;
use crate::busy::Busy;
use crate::link::{Buffer, Link};
use crate::now::now;
use crate::plan::Plan;
use crate::recorder::Recorder;
use crate::schedule::Schedule;
use crate::user::{Desk, User};

/// So many connections are opened at once before the time begins: less than a listener lets wait.
const OPENED_AT_ONCE: usize = 128;

/// What a plan has given.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) recorder: Recorder,
    /// From the start of what counts.
    pub(crate) run_time: Duration,
    pub(crate) unsent: u64,
}

/// Runs a plan to its end.
///
/// # Errors
/// Nobody listens, or there is no thread; then nothing has run.
pub(crate) fn run(plan: &Plan) -> Result<Ended, Problem> {
    let address = plan.target.address;
    let probe = TcpStream::connect_timeout(&address, plan.timeout);
    drop(probe.map_err(|error| Problem::Unreachable(address, error))?);

    let schedule = &OnceLock::new();
    let (ready, all_ready) = channel::bounded(plan.threads);
    let (go, gone) = channel::bounded(plan.threads);
    // `go` is moved in, so that leaving early closes it, and with it every thread.
    thread::scope(move |scope| {
        let mut threads = Vec::new();
        for number in 0..plan.threads {
            let crew = Crew {
                plan,
                schedule,
                users: plan.share(number),
                ready: ready.clone(),
                go: gone.clone(),
            };
            let thread = thread::Builder::new().name(format!("load-{number}"));
            let started = thread.spawn_scoped(scope, || crew.work());
            threads.push(started.map_err(Problem::Thread)?);
        }
        drop(ready);
        // One that panics closes its end without a word, and shows when it is joined.
        while all_ready.recv_blocking().is_ok() {}
        let schedule = schedule.get_or_init(|| plan.schedule(now()));
        drop(go);
        let mut recorder = Recorder::new(schedule, plan.keep);
        for thread in threads {
            let ended = thread.join();
            let ended = ended.unwrap_or_else(|panic| panic::resume_unwind(panic));
            // All of them have begun: the schedule is there.
            ended.into_iter().for_each(|its| recorder.absorb(its));
        }
        Ok(Ended {
            run_time: schedule.run_time(recorder.last()),
            unsent: schedule.unsent(),
            recorder,
        })
    })
}

/// The users of one thread.
struct Crew<'a> {
    plan: &'a Plan,
    schedule: &'a OnceLock<Schedule>,
    users: Range<usize>,
    /// Dropped when all is ready.
    ready: Sender<()>,
    /// Closed when the time begins.
    go: Receiver<()>,
}

impl Crew<'_> {
    /// Nothing, if the time never begins.
    fn work(self) -> Option<Recorder> {
        let Self {
            plan,
            schedule,
            users,
            ready,
            go,
        } = self;
        let links = connect(plan, users.len());
        drop(ready);
        // Closing it is the message.
        let _ = go.recv_blocking();
        let schedule = schedule.get()?;
        let busy = Busy::new();
        let desk = Desk {
            plan,
            schedule,
            recorder: RefCell::new(Recorder::new(schedule, plan.keep)),
            buffer: Buffer::new(),
        };
        let executor = LocalExecutor::new();
        let links = links.into_iter().chain(iter::repeat_with(|| None));
        let tasks: Vec<_> = users
            .zip(links)
            .map(|(number, link)| executor.spawn(User::new(&desk, number, link).work()))
            .collect();
        block_on(executor.run(async {
            for task in tasks {
                task.await;
            }
        }));
        drop(executor);
        let mut recorder = desk.recorder.into_inner();
        recorder.busy = busy.share();
        Some(recorder)
    }
}

/// Connections for so many users, if the plan opens them first. Whose fails tries again with its first request.
fn connect(plan: &Plan, users: usize) -> Vec<Option<Link>> {
    if !plan.connect_first {
        return Vec::new();
    }
    let executor = LocalExecutor::new();
    let mut links = Vec::new();
    while links.len() < users {
        let some = OPENED_AT_ONCE.min(users - links.len());
        let tasks: Vec<_> = (0..some)
            .map(|_| executor.spawn(Link::open(plan.target.address)))
            .collect();
        block_on(executor.run(async {
            for task in tasks {
                links.push(task.await.ok());
            }
        }));
    }
    links
}
