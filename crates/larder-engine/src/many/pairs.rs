//! What the load of several keys may return, decided by type.

use std::fmt::Display;

use larder_core::LoadError;

use crate::answer::shape::{Each, Fallible};
use crate::answer::{Answer, Told};

/// What was loaded, key by key.
pub(crate) type Loaded<K, V> = Vec<(K, Result<Told<V>, LoadError>)>;

/// What the load of several keys returns: pairs of key and answer, in a map, a vector or anything
/// else that is iterated, or a `Result` of it with any error that can be shown and shared. An answer
/// is what a load of one key returns. `M` is inferred.
#[diagnostic::on_unimplemented(
    message = "this cache holds `{V}` by `{K}`, and a load of several keys cannot return `{Self}`",
    label = "expected pairs of key and value, as `HashMap<{K}, {V}>` or `Vec<({K}, {V})>`",
    note = "a value may be `{V}` or `Arc<{V}>`, in an `Option` or a `Result`, and all of it in a \
            `Result`; a `{V}` by value must be `Clone`"
)]
pub trait Pairs<K, V, M>: Sized {
    /// The answers of the keys, or the error of all. Not for use by hand.
    ///
    /// # Errors
    /// The load's own.
    #[doc(hidden)]
    #[expect(clippy::type_complexity, reason = "an alias would hide what it gives")]
    fn pairs(self) -> Result<Vec<(K, Result<Told<V>, LoadError>)>, LoadError>;
}

impl<K, V, M, I, A> Pairs<K, V, Each<M>> for I
where
    I: IntoIterator<Item = (K, A)>,
    A: Answer<V, M>,
{
    fn pairs(self) -> Result<Loaded<K, V>, LoadError> {
        let pairs = self.into_iter();
        Ok(pairs.map(|(key, answer)| (key, answer.tell())).collect())
    }
}

impl<K, V, M, I, A, E> Pairs<K, V, Fallible<Each<M>>> for Result<I, E>
where
    I: IntoIterator<Item = (K, A)>,
    A: Answer<V, M>,
    E: Display + Send + Sync + 'static,
{
    fn pairs(self) -> Result<Loaded<K, V>, LoadError> {
        self.map_err(LoadError::source)?.pairs()
    }
}
