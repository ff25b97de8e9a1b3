//! Passes over a type until all of it was seen.

use std::collections::BTreeSet;

use serde::de::{DeserializeOwned, Error};

use super::choices::Choices;
use super::error::{ShapeError, ShapeErrorKind};
use super::path::{Path, Step};
use super::registry::{Registry, Type, agree};
use super::render::render;
use super::tracer::Tracer;

/// The passes without success after which a type is given up: enough for many validated fields, and
/// some ten milliseconds where nothing helps.
const MOST_TRIES: usize = 10_000;

/// The passes after which a type is given up that is never the same twice.
const MOST_PASSES: usize = 1_000_000;

/// The places within each other after which a type is given up: far below what a stack holds.
const MOST_DEPTH: usize = 100;

/// The text of the shape of `V`.
///
/// Traced twice, with the samples in one order and in the other: a type that reads a number and lets
/// it decide what comes next would otherwise show one half of itself.
pub(super) fn shape<V: DeserializeOwned>(human_readable: bool) -> Result<String, ShapeError> {
    let there = Trace::new(human_readable, false).run::<V>()?;
    let back = Trace::new(human_readable, true).run::<V>()?;
    if there == back {
        return Ok(there);
    }
    let root = std::any::type_name::<V>().to_owned();
    Err(ShapeError::new(
        root,
        ShapeErrorKind::Ambiguous,
        String::new(),
    ))
}

/// What is known of a type, and where the current pass is.
///
/// A pass is one call of the type's `deserialize`. Where it comes to an enum for the first time in
/// the pass it is given the first variant that was not yet seen to its end; so the passes go on until
/// none is left. Where it comes to a named type again, it gets a value for the sake of having one
/// (the type is *filled*): nothing is written down then, options are none and sequences empty.
#[derive(Debug, Default)]
pub(super) struct Trace {
    pub(super) human_readable: bool,
    backwards: bool,
    pub(super) choices: Choices,
    pub(super) path: Path,
    pub(super) registry: Registry,
    met: BTreeSet<usize>,
    filling: Vec<usize>,
    /// How many named types are being read.
    open: usize,
    /// A variant of an enum that this pass came by is not whole yet.
    pub(super) unfinished: bool,
    /// The pass was only to see that an unknown variant is refused.
    pub(super) probed: bool,
    fault: Option<(String, ShapeErrorKind)>,
}

/// A named type that is being read.
pub(super) struct Visit {
    pub(super) id: usize,
    /// For the sake of a value only.
    pub(super) fill: bool,
    /// It begins the path.
    first: bool,
    /// How many named types are being read, with this one.
    open: usize,
}

/// The error inside a pass. Kept as text: what it means is decided when the pass is over.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Stop(String);

impl Error for Stop {
    fn custom<T: std::fmt::Display>(text: T) -> Self {
        Self(text.to_string())
    }
}

impl Trace {
    fn new(human_readable: bool, backwards: bool) -> Self {
        Self {
            human_readable,
            backwards,
            ..Self::default()
        }
    }

    fn run<V: DeserializeOwned>(mut self) -> Result<String, ShapeError> {
        let mut last = Stop(String::new());
        let mut tries = 0;
        for _ in 0..MOST_PASSES {
            let result = self.pass::<V>();
            if let Some((path, kind)) = self.fault.take() {
                return Err(error::<V>(path, kind, String::new()));
            }
            match result {
                _ if self.probed => {}
                Ok(root) if !self.unfinished => return Ok(render(&self.registry, &root)),
                Ok(_) => {
                    self.choices.clear();
                    tries = 0;
                }
                Err(stop) => {
                    last = stop;
                    tries += 1;
                    if tries == MOST_TRIES || !self.choices.advance() {
                        break;
                    }
                }
            }
        }
        let path = self.path.to_string();
        Err(error::<V>(path, ShapeErrorKind::Refused, last.0))
    }

    fn pass<V: DeserializeOwned>(&mut self) -> Result<Type, Stop> {
        self.choices.rewind();
        self.path.clear();
        self.met.clear();
        self.filling.clear();
        self.open = 0;
        self.unfinished = false;
        self.probed = false;
        let mut root = None;
        V::deserialize(Tracer::new(self, &mut root))?;
        if self.path.len() + self.open > 0 {
            return Err(Stop("an error was passed over".to_owned()));
        }
        self.found(root)
    }

    pub(super) fn is_filling(&self) -> bool {
        !self.filling.is_empty()
    }

    /// One of `count` samples.
    pub(super) fn sample(&mut self, count: usize) -> usize {
        let chosen = self.choices.choose(count);
        if self.backwards {
            count - 1 - chosen
        } else {
            chosen
        }
    }

    /// Goes into a place within.
    pub(super) fn step(&mut self, step: Step) -> Result<(), Stop> {
        self.path.push(step);
        if self.path.len() > MOST_DEPTH {
            return Err(self.fault(ShapeErrorKind::TooDeep));
        }
        Ok(())
    }

    /// Begins to read a named type.
    pub(super) fn enter(&mut self, id: usize) -> Result<Visit, Stop> {
        let first = self.path.len() == 0;
        if first {
            self.path.push(Step::Type(self.registry.get(id).name()));
        }
        self.open += 1;
        let open = self.open;
        let fill = self.is_filling() || !self.met.insert(id);
        if fill {
            if self.filling.contains(&id) {
                // What was chosen leads in a circle: another variant may end it.
                return Err(Stop("no end".to_owned()));
            }
            self.filling.push(id);
        }
        Ok(Visit {
            id,
            fill,
            first,
            open,
        })
    }

    /// Looks whether all that was begun within was ended. If not, some part failed, and the type made
    /// a value all the same: the part was not seen whole.
    pub(super) fn ended(&self, visit: &Visit) -> Result<(), Stop> {
        if self.open == visit.open {
            Ok(())
        } else {
            Err(Stop("an error was passed over".to_owned()))
        }
    }

    /// Ends it.
    pub(super) fn leave(&mut self, visit: &Visit) {
        self.open -= 1;
        if visit.first {
            self.path.pop();
        }
        if visit.fill {
            self.filling.pop();
        }
    }

    /// Writes down what a place is.
    pub(super) fn note(&mut self, slot: &mut Option<Type>, found: Type) -> Result<(), Stop> {
        let agreed = self.is_filling() || agree(slot, found);
        self.expect(agreed, ShapeErrorKind::Ambiguous)
    }

    /// What a place was found to be.
    pub(super) fn found(&mut self, slot: Option<Type>) -> Result<Type, Stop> {
        match slot {
            Some(found) => Ok(found),
            None if self.is_filling() => Ok(Type::Leaf("")),
            None => Err(self.fault(ShapeErrorKind::Unread)),
        }
    }

    pub(super) fn expect(&mut self, fine: bool, kind: ShapeErrorKind) -> Result<(), Stop> {
        if fine { Ok(()) } else { Err(self.fault(kind)) }
    }

    /// Ends the trace, also if the type makes nothing of the error.
    pub(super) fn fault(&mut self, kind: ShapeErrorKind) -> Stop {
        let path = self.path.to_string();
        self.fault.get_or_insert((path, kind));
        Stop("cannot be traced".to_owned())
    }
}

fn error<V>(path: String, kind: ShapeErrorKind, text: String) -> ShapeError {
    let path = if path.is_empty() {
        std::any::type_name::<V>().to_owned()
    } else {
        path
    };
    ShapeError::new(path, kind, text)
}
