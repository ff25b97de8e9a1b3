//! The attributes that stand on functions.

use proc_macro2::{Ident, Span};
use syn::Path;

/// Which attribute it is; from what goes next to the function's body to what goes furthest out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Put,
    Cacheable,
    Evict,
}

impl Kind {
    /// The attribute that a path names, by its last part.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let name = &path.segments.last()?.ident;
        let mut all = [Self::Put, Self::Cacheable, Self::Evict].into_iter();
        all.find(|kind| name == kind.text())
    }

    fn text(self) -> &'static str {
        match self {
            Self::Put => "cache_put",
            Self::Cacheable => "cacheable",
            Self::Evict => "cache_evict",
        }
    }

    pub(crate) fn name(self) -> Ident {
        Ident::new(self.text(), Span::call_site())
    }

    /// The names of its options.
    pub(crate) fn options(self) -> &'static [&'static str] {
        match self {
            Self::Put => &["key", "skip", "ttl", "stale", "tags", "condition", "unless"],
            Self::Cacheable => &[
                "key",
                "skip",
                "ttl",
                "absent_ttl",
                "stale",
                "max_age",
                "idle",
                "jitter",
                "refresh",
                "deadline",
                "soft",
                "error_ttl",
                "tags",
                "condition",
                "unless",
                "load",
                "map_error",
                "name",
                "capacity",
                "codec",
                "schema",
            ],
            Self::Evict => &[
                "key",
                "skip",
                "tags",
                "all",
                "before",
                "expire",
                "condition",
            ],
        }
    }

    pub(crate) fn takes(self, option: &Ident) -> bool {
        self.options().iter().any(|known| option == known)
    }
}
