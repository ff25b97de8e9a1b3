//! A virtual user.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use smol::Timer;

use crate::answer::Whole;
use crate::exchange::Exchange;
use crate::failure::Failure;
use crate::link::{Buffer, Link};
use crate::now::now;
use crate::patience::Patience;
use crate::plan::Plan;
use crate::recorder::Recorder;
use crate::sample::Measured;
use crate::schedule::Schedule;

/// Before it tries again where nobody listens.
const PAUSE: Duration = Duration::from_millis(10);

/// What the users of one thread share.
#[derive(Debug)]
pub(crate) struct Desk<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) schedule: &'a Schedule,
    pub(crate) recorder: RefCell<Recorder>,
    pub(crate) buffer: Buffer,
}

/// One user: asks, waits for the answer, and asks again.
#[derive(Debug)]
pub(crate) struct User<'a> {
    desk: &'a Desk<'a>,
    link: Option<Link>,
    patience: Patience,
    turn: usize,
}

impl<'a> User<'a> {
    /// The user with this number, perhaps already connected.
    pub(crate) fn new(desk: &'a Desk<'a>, number: usize, link: Option<Link>) -> Self {
        Self {
            desk,
            link,
            patience: Patience::new(desk.plan.timeout),
            turn: number,
        }
    }

    /// Asks until the schedule ends, or it has asked as often as each user may.
    pub(crate) async fn work(mut self) {
        let mut left = self.desk.plan.each;
        while left > 0 {
            let Some(start) = self.desk.schedule.next() else {
                return;
            };
            if self.desk.plan.rate.is_some() {
                Timer::at(start).await;
            }
            let measured = self.ask(start).await;
            let nobody = matches!(measured.verdict, Err(Failure::Connect(_)));
            if start >= self.desk.schedule.measured {
                left -= 1;
                self.desk.recorder.borrow_mut().record(&measured);
            }
            if nobody {
                Timer::after(PAUSE).await;
            }
        }
    }

    async fn ask(&mut self, start: Instant) -> Measured {
        let target = &self.desk.plan.target;
        let request = &target.requests[self.turn % target.requests.len()];
        self.turn += 1;
        let mut exchange = Exchange::default();
        let running = exchange.run(&mut self.link, target.address, request, &self.desk.buffer);
        // A late start in an open loop is the server's doing; its patience begins with the request.
        let begun = if self.desk.plan.rate.is_some() {
            now()
        } else {
            start
        };
        let ended = self.patience.within(begun, running).await;
        let ended = ended.unwrap_or(Err(Failure::TimedOut));
        self.put_back(&ended);
        let end = match (&ended, exchange.came) {
            (Ok(_), Some(came)) => came.last,
            _ => now(),
        };
        Measured {
            start,
            connect: exchange.connect,
            came: exchange.came,
            end,
            verdict: ended.and_then(|whole| whole.verdict),
        }
    }

    /// Keeps the connection only if it can be used again.
    fn put_back(&mut self, ended: &Result<Whole, Failure>) {
        let reusable = ended.as_ref().is_ok_and(|whole| whole.reusable);
        if !(reusable && self.desk.plan.target.keep_alive) {
            self.link = None;
        }
    }
}
