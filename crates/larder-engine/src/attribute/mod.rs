//! What the attributes expand to.

mod detach;
mod fail;
mod made;
mod place;
mod succeeded;

pub use larder_core::{Key, KeyError, KeyReader, KeyWriter, LoadError, Lookup};

pub use crate::answer::Answer;
pub use crate::cache::Cache;
pub use crate::lifetime::{After, Terms};
pub use detach::{DetachArg, DetachSelf, Detached, DetachedSelf, detach, detach_self};
pub use fail::{
    Fail, FailByClone, FailByFrom, FailByPanic, Fallible, FromLoad, MapByCall, MapByClone,
    MapByNothing, needs_result,
};
pub use made::{NoResult, Probe, answer_type, made};
pub use place::{Asked, Place};
pub use succeeded::{Answered, AnySucceeded, ResultSucceeded};
