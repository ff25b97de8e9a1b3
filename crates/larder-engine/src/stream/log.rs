//! What a running source has given.

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use event_listener::{Event, EventListener};
use larder_core::{LoadError, LoadErrorKind, guard};

use super::series::Series;

/// What a running source has given, for all who follow it: from the start, or over the bound the
/// last of it.
///
/// Elements lie behind an `Arc`, so that none is cloned or dropped under the lock.
pub(super) struct Log<V: Series> {
    state: Mutex<State<V>>,
    most: usize,
    /// There is more to read, or an end.
    grown: Event,
    /// Somebody has read or left, over the bound.
    read: Event,
}

struct State<V: Series> {
    items: VecDeque<Arc<V::Item>>,
    /// How many elements before those are gone.
    gone: usize,
    /// Whether there were more than the bound: then it is passed through.
    over: bool,
    end: Option<End>,
    /// Where each who follows is.
    readers: BTreeMap<u64, usize>,
    came: u64,
}

/// How it ended.
enum End {
    Complete,
    Failed(LoadError),
}

/// What is next for one who follows.
pub(super) enum Next<V: Series> {
    Item(Arc<V::Item>),
    Failed(LoadError),
    Over,
    NotYet,
}

/// What became of an element.
enum Pushed {
    Yes,
    /// Nobody reads it, and it is not kept.
    InVain,
    /// There is no room until the slowest has read.
    NotYet,
}

impl<V: Series> Log<V> {
    pub(super) fn new(most: usize) -> Self {
        Self {
            state: Mutex::new(State {
                items: VecDeque::new(),
                gone: 0,
                over: false,
                end: None,
                readers: BTreeMap::new(),
                came: 0,
            }),
            most,
            grown: Event::new(),
            read: Event::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<V>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether one who comes now can have it from the start.
    pub(super) fn is_whole(&self) -> bool {
        !self.lock().over
    }

    /// A place at the start, if that is still there.
    pub(super) fn follow(&self) -> Option<u64> {
        let mut state = self.lock();
        if guard!(FromTheStart, state.over, false) {
            return None;
        }
        state.came += 1;
        let (reader, start) = (state.came, state.gone);
        state.readers.insert(reader, start);
        Some(reader)
    }

    pub(super) fn leave(&self, reader: u64) {
        let mut state = self.lock();
        state.readers.remove(&reader);
        let gone = state.trim();
        drop(state);
        drop(gone);
        self.read.notify(usize::MAX);
    }

    pub(super) fn next(&self, reader: u64) -> Next<V> {
        let mut state = self.lock();
        let next = state.next(reader);
        let over = state.over && matches!(next, Next::Item(_));
        drop(state);
        if over {
            self.read.notify(usize::MAX);
        }
        next
    }

    pub(super) fn grown(&self) -> EventListener {
        self.grown.listen()
    }

    /// Adds an element, when there is room; false if nobody is there for it.
    pub(super) async fn push(&self, item: V::Item) -> bool {
        let item = Arc::new(item);
        loop {
            let read = self.read.listen();
            match self.try_push(&item) {
                Pushed::NotYet => read.await,
                Pushed::InVain => return false,
                Pushed::Yes => {
                    self.grown.notify(usize::MAX);
                    return true;
                }
            }
        }
    }

    fn try_push(&self, item: &Arc<V::Item>) -> Pushed {
        let mut state = self.lock();
        let mut gone = Vec::new();
        if state.items.len() >= self.most {
            state.over = true;
            if state.readers.is_empty() {
                return Pushed::InVain;
            }
            gone.extend(state.trim());
            if state.items.len() >= self.most && state.is_waited_for() {
                state.cut();
                gone.extend(state.trim());
            }
            if state.items.len() >= self.most {
                return Pushed::NotYet;
            }
        }
        state.items.push_back(Arc::clone(item));
        drop(state);
        drop(gone);
        Pushed::Yes
    }

    /// The source has ended; all of its elements, unless they were too many.
    pub(super) fn complete(&self) -> Option<Vec<V::Item>> {
        let items = {
            let mut state = self.lock();
            state.end = Some(End::Complete);
            (!state.over).then(|| state.items.clone())
        };
        self.grown.notify(usize::MAX);
        Some(items?.iter().map(|item| V::Item::clone(item)).collect())
    }

    /// The source has failed. Before its first element that is the load's to tell, which may have
    /// something to fall back on.
    pub(super) fn fail(&self, error: &LoadError) {
        let mut state = self.lock();
        if state.gone + state.items.len() > 0 {
            state.end = Some(End::Failed(error.clone()));
        }
        drop(state);
        self.grown.notify(usize::MAX);
    }
}

impl<V: Series> State<V> {
    fn next(&mut self, reader: u64) -> Next<V> {
        let Some(at) = self.readers.get_mut(&reader) else {
            let text = "fell so far behind another caller that the elements are gone";
            return Next::Failed(LoadError::new(LoadErrorKind::Refused, text));
        };
        if let Some(item) = self.items.get(*at - self.gone) {
            *at += 1;
            return Next::Item(Arc::clone(item));
        }
        match &self.end {
            None => Next::NotYet,
            Some(End::Complete) => Next::Over,
            Some(End::Failed(error)) => Next::Failed(error.clone()),
        }
    }

    /// Whether somebody has read all there is.
    fn is_waited_for(&self) -> bool {
        let all = self.gone + self.items.len();
        self.readers.values().any(|at| *at == all)
    }

    /// Gives up those who have read nothing of what is left.
    fn cut(&mut self) {
        let gone = self.gone;
        self.readers.retain(|_, at| *at > gone);
    }

    /// Takes out what all have read, if it is passed through.
    fn trim(&mut self) -> Vec<Arc<V::Item>> {
        let Some(read) = self.readers.values().min().filter(|_| self.over) else {
            return Vec::new();
        };
        let read = read - self.gone;
        self.gone += read;
        let left = self.items.split_off(read);
        mem::replace(&mut self.items, left).into()
    }
}
