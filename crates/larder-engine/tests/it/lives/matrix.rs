//! Every life of a load × when its callers leave × how it ends: who hears what, what is kept, and
//! that nothing is left running.

use std::future::Future;
use std::pin::Pin;

use larder_core::{LoadError, LoadErrorKind};
use larder_engine::{CallOptions, Got};
use larder_kit::{Gate, Loader, Step, Virtual};

use crate::support::{SECOND, begin, larder};

type Texts = larder_engine::Cache<u64, String>;
type Call = Pin<Box<dyn Future<Output = Result<String, LoadError>> + Send>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Life {
    Detach,
    Cancel,
    Scoped,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leaves {
    /// Its future is dropped before it was polled.
    Unpolled,
    /// While the load runs.
    During,
    /// When the load has ended, before the call was polled again.
    After,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Value,
    Absence,
    Error,
    Panic,
    Hang,
}

const LIVES: [Life; 3] = [Life::Detach, Life::Cancel, Life::Scoped];
const LEAVES: [Leaves; 4] = [
    Leaves::Unpolled,
    Leaves::During,
    Leaves::After,
    Leaves::Never,
];
const ENDS: [End; 5] = [End::Value, End::Absence, End::Error, End::Panic, End::Hang];

/// The load's deadline.
const DEADLINE: std::time::Duration = std::time::Duration::from_secs(3);

struct Stage {
    time: Virtual,
    cache: Texts,
    loader: Loader,
    gate: Gate,
}

impl Stage {
    fn new(end: End) -> Self {
        let time = Virtual::new();
        let cache = larder(&time).cache("texts").deadline(DEADLINE);
        let (cache, gate) = (cache.max_loads(2).build().unwrap(), Gate::closed());
        let loader = Loader::new(time.runtime());
        let stage = Self {
            time,
            cache,
            loader,
            gate,
        };
        stage.then(end);
        stage
    }

    /// The next load waits at the gate and ends so.
    fn then(&self, end: End) {
        let step = match end {
            End::Value => Step::value("v"),
            End::Absence => Step::absent(),
            End::Error => Step::error("down"),
            End::Panic => Step::panic("down"),
            End::Hang => Step::never(),
        };
        self.loader.then(step.at(&self.gate));
    }

    /// A call that gives absence as an empty text.
    fn call(&self, life: Life) -> Call {
        let (cache, loader) = (self.cache.clone(), self.loader.clone());
        let load = move || loader.find(1);
        Box::pin(async move {
            let found = match life {
                Life::Detach => cache.get_or_load(&1, load).await,
                Life::Scoped => cache.get_or_load_scoped(&1, load).await,
                Life::Cancel => {
                    let options = CallOptions::new().cancel();
                    cache.get_or_load_with(&1, options, load).await
                }
            };
            found.map(Option::unwrap_or_default)
        })
    }

    /// Lets the load end as it does.
    fn end(&self) {
        self.gate.open();
        self.time.run_until_idle();
        self.time.advance(DEADLINE);
    }

    fn held(&self) -> Option<String> {
        match self.time.block_on(self.cache.get(&1)) {
            Got::Value(value) => Some((*value).clone()),
            Got::KnownAbsent => Some(String::new()),
            Got::Unknown => None,
        }
    }

    /// Nothing runs, nothing sleeps but the sweep, and the next load is as any other.
    fn at_rest(&self, case: &str) {
        self.time.run_until_idle();
        let stats = self.cache.stats();
        assert_eq!((stats.running, self.loader.running()), (0, 0), "{case}");
        let (tasks, sleepers) = (self.time.tasks(), self.time.sleepers());
        assert_eq!((tasks, sleepers), (1, 1), "{case}: the sweep is left");
        self.time.block_on(self.cache.invalidate(&1));
        let next = self.time.block_on(self.call(Life::Detach));
        assert_eq!(next.unwrap(), "value-for-1", "{case}");
    }
}

fn heard(end: End, answer: Result<String, LoadError>, case: &str) {
    let kind = answer.map_err(|error| error.kind());
    let expected = match end {
        End::Value => Ok("v".to_owned()),
        End::Absence => Ok(String::new()),
        End::Error => Err(LoadErrorKind::Source),
        End::Panic => Err(LoadErrorKind::Panicked),
        End::Hang => Err(LoadErrorKind::TimedOut),
    };
    assert_eq!(kind, expected, "{case}");
}

/// What the cache holds of a load that ended by itself.
fn kept(end: End) -> Option<String> {
    match end {
        End::Value => Some("v".to_owned()),
        End::Absence => Some(String::new()),
        End::Error | End::Panic | End::Hang => None,
    }
}

#[test]
fn l2_a_lone_caller_of_every_life_leaves_at_every_moment_of_every_end() {
    for life in LIVES {
        for leaves in LEAVES {
            for end in ENDS {
                let case = format!("{life:?} {leaves:?} {end:?}");
                let stage = Stage::new(end);
                let mut call = stage.call(life);
                if leaves != Leaves::Unpolled {
                    begin(&stage.time, &mut call);
                    stage.time.run_until_idle();
                    assert_eq!(stage.cache.stats().running, 1, "{case}");
                }
                let call: Option<Call> = match leaves {
                    Leaves::Unpolled | Leaves::During => {
                        drop(call);
                        None
                    }
                    // A load of its caller's task ends only where that is polled.
                    Leaves::Never if life == Life::Scoped => Some(Box::pin(stage.time.spawn(call))),
                    Leaves::After | Leaves::Never => Some(call),
                };
                stage.end();
                // A load of its caller's task has not run on, unless its caller was polled.
                let ran_on = match (life, leaves) {
                    (_, Leaves::Unpolled) => false,
                    (Life::Detach, _) | (_, Leaves::Never) => true,
                    (Life::Cancel, Leaves::After) => true,
                    (Life::Cancel, Leaves::During) | (Life::Scoped, _) => false,
                };
                match call {
                    Some(call) if leaves == Leaves::Never => {
                        heard(end, stage.time.block_on(call), &case);
                        assert_eq!(stage.held(), kept(end), "{case}");
                    }
                    left => {
                        drop(left);
                        let kept = if ran_on { kept(end) } else { None };
                        assert_eq!(stage.held(), kept, "{case}");
                    }
                }
                if leaves == Leaves::Unpolled {
                    // To build the call does nothing.
                    assert_eq!(stage.loader.calls(), 0, "{case}");
                    assert_eq!(stage.time.tasks(), 1, "{case}");
                    continue;
                }
                stage.at_rest(&case);
            }
        }
    }
}

/// One leads and leaves while the load runs; two wait on.
#[test]
fn bug_a1_those_who_wait_hear_the_end_whoever_has_left() {
    for life in LIVES {
        for end in ENDS {
            let case = format!("{life:?} {end:?}");
            let stage = Stage::new(end);
            let mut leader = stage.call(life);
            begin(&stage.time, &mut leader);
            stage.time.run_until_idle();
            let mut waiters = [stage.call(life), stage.call(life)];
            for waiter in &mut waiters {
                begin(&stage.time, waiter);
            }
            drop(leader);
            let mut loads = 1;
            if life == Life::Scoped {
                // The load has left with its caller: one of those who wait loads for both.
                stage.then(end);
                loads = 2;
            }
            let waiters = waiters.map(|waiter| stage.time.spawn(waiter));
            stage.time.run_until_idle();
            stage.end();
            for waiter in waiters {
                heard(end, stage.time.block_on(waiter), &case);
            }
            assert_eq!(stage.loader.calls(), loads, "{case}");
            assert_eq!(stage.held(), kept(end), "{case}");
            stage.at_rest(&case);
        }
    }
}

/// Bounded in number whatever becomes of them: two loads hang, a third is refused until they end.
#[test]
fn bug_a11_hung_loads_of_every_life_free_their_places() {
    for life in LIVES {
        for leaves in [Leaves::During, Leaves::Never] {
            let case = format!("{life:?} {leaves:?}");
            let stage = Stage::new(End::Hang);
            stage.loader.always(Step::never());
            let call = |key: u64| -> Call {
                let (cache, loader) = (stage.cache.clone(), stage.loader.clone());
                let load = move || loader.call(key);
                Box::pin(async move {
                    match life {
                        Life::Scoped => cache.get_or_load_scoped(&key, load).await,
                        Life::Detach => cache.get_or_load(&key, load).await,
                        Life::Cancel => {
                            let options = CallOptions::new().cancel();
                            cache.get_or_load_with(&key, options, load).await
                        }
                    }
                })
            };
            let mut calls = [call(1), call(2)];
            for call in &mut calls {
                begin(&stage.time, call);
            }
            stage.time.run_until_idle();
            let refused = stage.time.block_on(call(3)).unwrap_err();
            assert_eq!(refused.kind(), LoadErrorKind::Refused, "{case}");
            if leaves == Leaves::During {
                drop(calls);
                stage.time.advance(DEADLINE);
            } else {
                stage.time.advance(DEADLINE + SECOND);
                for call in calls {
                    let error = stage.time.block_on(call).unwrap_err();
                    assert_eq!(error.kind(), LoadErrorKind::TimedOut, "{case}");
                }
            }
            stage.loader.always(Step::echo());
            stage.gate.open();
            stage.at_rest(&case);
        }
    }
}
