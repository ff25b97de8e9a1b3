//! Names that were made already.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::Names;

/// The names of the caches that were asked for, each made once: to make them is a good part of what
/// a read costs.
#[derive(Debug, Default)]
pub(crate) struct Named(RwLock<HashMap<String, Arc<Names>>>);

/// A program has few caches. One that makes up names forgets those of before, now and then.
const MOST: usize = 1 << 10;

impl Named {
    /// Those of `cache`. The prefix is always the same.
    pub(crate) fn of(&self, prefix: &str, cache: &str) -> Arc<Names> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(names) = known.get(cache) {
            return Arc::clone(names);
        }
        drop(known);
        let names = Arc::new(Names::new(prefix, cache));
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(cache.to_owned(), Arc::clone(&names));
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_once_and_never_without_end() {
        let named = Named::default();
        let first = named.of("larder", "deals");
        assert!(Arc::ptr_eq(&first, &named.of("larder", "deals")));
        for no in 0..2 * MOST {
            let names = named.of("larder", &no.to_string());
            assert_eq!(names.entry(b"5"), format!("larder:{no}:5"));
        }
        assert!(named.0.read().unwrap().len() <= MOST);
    }
}
