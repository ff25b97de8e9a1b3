//! What the attributes expand to.

mod after;
mod detach;
mod evict;
mod fail;
mod made;
mod place;
mod put;
mod puts;
mod stream;
mod succeeded;

/// How a blocking function waits for its cache.
pub use futures_lite::future::block_on;
pub use larder_core::{Key, KeyError, KeyReader, KeyWriter, LoadError, Lookup};

pub use crate::answer::{Answer, Told};
pub use crate::cache::Cache;
pub use crate::refresh::Refresh;
pub use crate::stream::{ByStream, Driven, Inlet, Own};
pub use crate::terms::{After, ErrorTtl, Terms};
pub use after::{AnyReturns, HasKey, Keyed, ResultReturns, Returns, apply, nothing, tag, tags};
pub use detach::{DetachArg, DetachSelf, Detached, DetachedSelf, detach, detach_self};
pub use evict::Evicting;
pub use fail::{
    Fail, FailByClone, FailByFrom, FailByPanic, Fallible, FromLoad, MapByCall, MapByClone,
    MapByNothing, MayBeAbsent, needs_option, needs_result,
};
pub use made::{NoResult, Probe, answer_type, made};
pub use place::{Asked, Place};
pub use put::{Putting, PuttingByValue};
pub use puts::Puts;
pub use stream::{elements, stream_of};
pub use succeeded::{Answered, AnySucceeded, ResultSucceeded};
