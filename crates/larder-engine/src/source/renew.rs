//! Keeping an old result anew that its source calls unchanged.

use std::sync::Arc;

use larder_core::{Key, LoadError, guard};

use super::Wish;
use crate::answer::Told;
use crate::cache::Inner;
use crate::load::{Place, Previous};
use crate::near::Old;
use crate::terms::After;

impl Wish {
    /// Offers what is past its time to the function, if it asks for that.
    pub(crate) fn give<V: Send + Sync + 'static>(&self, old: Old<V>) {
        if let Some(hand) = &self.hand {
            hand.give(old.previous());
        }
    }
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// Gives the function the old result to look at, if it asks for that and there is one that it
    /// could answer with.
    pub(super) fn offer(
        &self,
        place: &Place<K>,
        wish: &Wish,
        absence: bool,
    ) -> Option<Previous<V>> {
        let hand = wish.hand.as_ref()?;
        let near = || self.near.previous(&place.key);
        let near = wish.mode.looks().then(near).flatten();
        // Of the far tier, found before.
        let old = near.or_else(|| hand.take());
        let old = old.filter(|old| absence || old.value().is_some());
        hand.give(old.clone());
        old
    }
}

pub(super) type Renewed<V> = (Option<Arc<V>>, After, Option<Box<[u8]>>);

/// The result with all that is known of it; `asked` if it may be asked about one day.
///
/// The names of its tags and what its source knows it by stay with a result that holds still.
pub(super) fn renewed<V>(
    told: Told<V>,
    previous: Option<Previous<V>>,
    asked: bool,
) -> Result<Renewed<V>, LoadError> {
    let validator = |said: Option<Box<[u8]>>| said.or_else(|| asked.then(Box::default));
    let Some(previous) = previous.filter(|_| told.value.is_none()) else {
        let (after, said) = (told.after.clone(), told.validator.clone());
        return Ok((told.bare()?, after, validator(said)));
    };
    let (value, renewal) = previous.parts();
    let tags = guard!(RenewedTags, renewal.tags.clone(), Vec::new());
    let after = told.after.over(After {
        tags,
        ..After::default()
    });
    let said = told.validator.unwrap_or_else(|| renewal.validator.clone());
    Ok((value, after, Some(said)))
}
