//! Why a load gave no answer.

use std::any::Any;
use std::error::Error;
use std::fmt::{self, Debug, Display};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Why a load gave no answer. Every caller that waited for the load gets a clone of one error.
///
/// One word in size on purpose: a fat error makes every `Result` that carries it fat and doubles
/// the cost of a hit. Cloning counts a reference; making one allocates, on the failing path only.
///
/// ```
/// use larder_core::{LoadError, LoadErrorKind};
/// let error = LoadError::source(std::fmt::Error);
/// assert_eq!(error.kind(), LoadErrorKind::Source);
/// assert!(error.downcast_ref::<std::fmt::Error>().is_some());
/// ```
#[derive(Clone)]
pub struct LoadError(Arc<Inner>);

struct Inner {
    kind: LoadErrorKind,
    text: String,
    /// What the error says of its causes, where it says more in its alternate form.
    cause: Option<Cause>,
    original: Option<Box<dyn Any + Send + Sync>>,
    /// Whether no old value is to be served in its place.
    bare: AtomicBool,
}

/// What kind of [`LoadError`] it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LoadErrorKind {
    /// The load's deadline passed.
    TimedOut,
    /// The load panicked.
    Panicked,
    /// The load was not started, because too many are running, or was ended by its runtime.
    Refused,
    /// The load ran in the task of a caller that has left. Who waits for it loads for itself.
    HandedOver,
    /// The load waits for itself, directly or through others.
    Recursive,
    /// The call would block a thread that runs other tasks.
    WouldBlock,
    /// The far tier failed and the policy is to say so.
    Far,
    /// The loaded function failed; [`LoadError::downcast_ref`] gives its error.
    Source,
}

impl LoadErrorKind {
    /// The kind's name in metrics, logs and headers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TimedOut => "timed-out",
            Self::Panicked => "panicked",
            Self::Refused => "refused",
            Self::HandedOver => "handed-over",
            Self::Recursive => "recursive",
            Self::WouldBlock => "would-block",
            Self::Far => "far",
            Self::Source => "source",
        }
    }
}

impl LoadError {
    /// An error of the cache's own, with a text that says what happened.
    #[must_use]
    pub fn new(kind: LoadErrorKind, text: impl Into<String>) -> Self {
        Self(Arc::new(Inner {
            kind,
            text: text.into(),
            cause: None,
            original: None,
            bare: AtomicBool::new(false),
        }))
    }

    /// The loaded function's error: its text is kept unchanged, and it can be had back by
    /// [`downcast_ref`](Self::downcast_ref). What it says of its causes in its alternate form
    /// (`{:#}`, as anyhow's errors do) is the [`source`](Error::source) of this one.
    #[must_use]
    pub fn source<E: Display + Send + Sync + 'static>(error: E) -> Self {
        let inner = (&error as &dyn Any).downcast_ref::<Self>();
        let bare = AtomicBool::new(inner.is_some_and(|inner| !inner.falls_back()));
        let text = error.to_string();
        let full = format!("{error:#}");
        let cause = full
            .strip_prefix(&text)
            .and_then(|rest| rest.strip_prefix(": "));
        Self(Arc::new(Inner {
            kind: LoadErrorKind::Source,
            cause: cause.map(|cause| Cause(cause.to_owned())),
            text,
            original: Some(Box::new(error)),
            bare,
        }))
    }

    /// The error for what `catch_unwind` gave.
    #[must_use]
    pub fn from_panic(payload: &(dyn Any + Send)) -> Self {
        Self::new(
            LoadErrorKind::Panicked,
            format!("the load panicked: {}", panic_text(payload)),
        )
    }

    /// Says that no old value is to be served in the place of this error, nor of its clones, where
    /// a cache would fall back to one: for a load that knows that there is nothing any more. What the
    /// cache holds, older than the load, is invalidated.
    ///
    /// ```
    /// use larder_core::LoadError;
    /// async fn find(no: u64) -> Result<String, LoadError> {
    ///     Err(LoadError::source(format!("{no} was withdrawn")).without_fallback())
    /// }
    /// ```
    #[must_use]
    pub fn without_fallback(self) -> Self {
        self.0.bare.store(true, Ordering::Relaxed);
        self
    }

    /// Whether an old value may be served in its place.
    #[must_use]
    pub fn falls_back(&self) -> bool {
        !self.0.bare.load(Ordering::Relaxed)
    }

    /// What kind of error it is.
    #[must_use]
    pub fn kind(&self) -> LoadErrorKind {
        self.0.kind
    }

    /// The loaded function's own error, if it is an `E`.
    #[must_use]
    pub fn downcast_ref<E: 'static>(&self) -> Option<&E> {
        self.0.original.as_ref()?.downcast_ref()
    }
}

/// The text of a panic, as far as it is one.
pub(crate) fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no text").to_owned()
}

impl Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl Debug for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("LoadError");
        out.field("kind", &self.0.kind).field("text", &self.0.text);
        if let Some(Cause(cause)) = &self.0.cause {
            out.field("cause", cause);
        }
        out.finish()
    }
}

impl Error for LoadError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.cause.as_ref().map(|cause| cause as &dyn Error)
    }
}

/// What an error said of its causes.
#[derive(Debug)]
struct Cause(String);

impl Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Cause {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_word_and_so_is_a_result_of_it() {
        assert_eq!(size_of::<LoadError>(), size_of::<usize>());
        let answer = size_of::<Result<Option<Arc<u8>>, LoadError>>();
        assert_eq!(answer, 2 * size_of::<usize>());
    }

    #[test]
    fn the_original_error_and_its_text_are_kept() {
        let error = LoadError::source(std::io::Error::other("disk 7 is gone"));
        assert_eq!(error.to_string(), "disk 7 is gone");
        assert!(error.downcast_ref::<std::io::Error>().is_some());
        assert!(error.downcast_ref::<fmt::Error>().is_none());
    }

    #[test]
    fn the_causes_that_an_error_tells_are_kept() {
        struct Chain;
        impl Display for Chain {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(if f.alternate() {
                    "reading 1: disk: gone"
                } else {
                    "reading 1"
                })
            }
        }
        let error = LoadError::source(Chain);
        assert_eq!(error.to_string(), "reading 1");
        let cause = error.source().map(ToString::to_string);
        assert_eq!(cause.as_deref(), Some("disk: gone"));
        assert!(LoadError::source(fmt::Error).source().is_none());
    }

    #[test]
    fn an_error_that_nothing_old_may_hide_stays_one_inside_another() {
        let error = LoadError::source(fmt::Error);
        assert!(error.falls_back() && LoadError::source(error.clone()).falls_back());
        let bare = error.without_fallback();
        assert!(!bare.falls_back() && !LoadError::source(bare).falls_back());
    }

    #[test]
    fn a_panic_keeps_its_text() {
        let text = |panic: Box<dyn Any + Send>| LoadError::from_panic(&*panic).to_string();
        assert_eq!(text(Box::new("a")), "the load panicked: a");
        assert_eq!(text(Box::new("b".to_owned())), "the load panicked: b");
        assert_eq!(text(Box::new(7)), "the load panicked: no text");
    }
}
