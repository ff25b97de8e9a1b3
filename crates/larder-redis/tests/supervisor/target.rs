//! A target that does what a test says.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use futures_lite::future::pending;
use larder_core::{BoxFuture, Moment};
use larder_kit::Virtual;
use larder_redis::{ConnectError, ConnectErrorKind, Dial, Listening, Session};

use crate::ears::Heard;
use crate::played::Played;

/// A target that does what a test says: attempts end as planned, and later ones in success.
pub(crate) struct Scripted {
    time: Virtual,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    plans: VecDeque<Plan>,
    listens: VecDeque<Plan>,
    dialled: Vec<Moment>,
    listened: Vec<Moment>,
    sessions: Vec<Arc<Played>>,
    heards: Vec<Arc<Heard>>,
    breaks: Option<usize>,
}

/// How an attempt ends.
#[derive(Clone)]
pub(crate) enum Plan {
    Fails(ConnectError),
    Hangs,
    Panics,
}

impl Plan {
    pub(crate) fn fails(kind: ConnectErrorKind) -> Self {
        Self::Fails(kind.into())
    }
}

impl Scripted {
    pub(crate) fn new(time: &Virtual) -> Arc<Self> {
        Self::planned(time, &[])
    }

    pub(crate) fn planned(time: &Virtual, plans: &[Plan]) -> Arc<Self> {
        let state = State {
            plans: plans.iter().cloned().collect(),
            ..State::default()
        };
        Arc::new(Self {
            time: time.clone(),
            state: Mutex::new(state),
        })
    }

    /// The next attempts at a session end so.
    pub(crate) fn plan(&self, plans: &[Plan]) {
        self.state
            .lock()
            .unwrap()
            .plans
            .extend(plans.iter().cloned());
    }

    /// The next attempts at listening end so.
    /// From now on each listening breaks when it has been told of so many prefixes.
    pub(crate) fn breaks_after(&self, prefixes: Option<usize>) {
        self.state.lock().unwrap().breaks = prefixes;
    }

    pub(crate) fn plan_listens(&self, plans: &[Plan]) {
        self.state
            .lock()
            .unwrap()
            .listens
            .extend(plans.iter().cloned());
    }

    /// When each attempt at a session began.
    pub(crate) fn dialled(&self) -> Vec<Moment> {
        self.state.lock().unwrap().dialled.clone()
    }

    /// When each attempt at listening began.
    pub(crate) fn listened(&self) -> Vec<Moment> {
        self.state.lock().unwrap().listened.clone()
    }

    /// The session that was dialled last.
    pub(crate) fn session(&self) -> Arc<Played> {
        self.state.lock().unwrap().sessions.last().unwrap().clone()
    }

    /// How many sessions there were.
    pub(crate) fn sessions(&self) -> usize {
        self.state.lock().unwrap().sessions.len()
    }

    /// What was listened on last.
    pub(crate) fn heard(&self) -> Arc<Heard> {
        self.state.lock().unwrap().heards.last().unwrap().clone()
    }
}

async fn play(plan: Option<Plan>) -> Result<(), ConnectError> {
    match plan {
        None => Ok(()),
        Some(Plan::Fails(why)) => Err(why),
        Some(Plan::Hangs) => pending().await,
        Some(Plan::Panics) => panic!("a dial of somebody's own"),
    }
}

impl Dial for Scripted {
    fn dial(&self) -> BoxFuture<'_, Result<Arc<dyn Session>, ConnectError>> {
        Box::pin(async {
            let next = || {
                let mut state = self.state.lock().unwrap();
                state.dialled.push(self.time.now());
                state.plans.pop_front()
            };
            play(next()).await?;
            let session = Arc::new(Played::default());
            self.state.lock().unwrap().sessions.push(session.clone());
            Ok(session as Arc<dyn Session>)
        })
    }

    fn listen(&self) -> BoxFuture<'_, Result<Listening, ConnectError>> {
        Box::pin(async {
            let next = || {
                let mut state = self.state.lock().unwrap();
                state.listened.push(self.time.now());
                state.listens.pop_front()
            };
            play(next()).await?;
            let (heard, listening) = Heard::new();
            let mut state = self.state.lock().unwrap();
            *heard.breaks.lock().unwrap() = state.breaks;
            state.heards.push(heard);
            Ok(listening)
        })
    }
}
