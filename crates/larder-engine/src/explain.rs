//! What is known of one key, for operators.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use larder_core::far::Want;
use larder_core::{Key, LoadErrorKind, Lookup};

use crate::cache::{Cache, Inner};
use crate::far::FarLook;
use crate::load::Place;
use crate::mode::Mode;
use crate::outcome::Why;

/// What is known of one key: see [`Cache::explain`]. It shows neither the key nor a value.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The cache's name.
    pub cache: Arc<str>,
    /// How far the cache is used, by its switch and its larder's.
    pub mode: Mode,
    /// What the near tier holds.
    pub near: Held,
    /// What the far tier holds.
    pub far: Held,
    /// For how long a load of the key has been running, if one is.
    pub loading: Option<Duration>,
    /// Whether the node has heard so little of the others that what it loads now may be used for
    /// the blind ttl only.
    pub blind: bool,
    /// Whether the far tier is left alone for a moment because it did not answer.
    pub far_down: bool,
    /// How many invalidations of the cache the far tier has not acknowledged.
    pub pending: usize,
}

/// What a tier holds of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Held {
    /// The cache has no such tier.
    NoTier,
    /// Nothing.
    Nothing,
    /// What a call would be given.
    #[non_exhaustive]
    Usable {
        /// Whether it is absence that is held, and not a value.
        absence: bool,
        /// How long ago its load began.
        age: Duration,
        /// How long it may still be used; `None` for an entry without end.
        left: Option<Duration>,
        /// How many tags it has.
        tags: usize,
        /// Their names, as far as the tier knows them: the near one does not.
        tag_names: Vec<String>,
    },
    /// What a call is given only while or because there is nothing newer.
    #[non_exhaustive]
    Old {
        /// Whether it is absence that is held, and not a value.
        absence: bool,
        /// How long ago its load began.
        age: Duration,
        /// How long ago its time ended; zero if it was expired before that.
        past: Duration,
        /// How long it may still be given.
        left: Duration,
    },
    /// The error of a load, which a call is given.
    #[non_exhaustive]
    Failed {
        /// Of what kind.
        kind: LoadErrorKind,
        /// How long ago the load began.
        age: Duration,
    },
    /// Something that a call would not be given, or no answer.
    #[non_exhaustive]
    Unusable {
        /// Why not.
        why: Why,
        /// How long ago its load began, if the tier tells.
        age: Option<Duration>,
    },
}

impl<K: Key, V: Send + Sync + 'static> Cache<K, V> {
    /// What each tier holds of a key, whether it may be used, and what is under way.
    ///
    /// For operators: it loads nothing, writes to no tier, is no use of the entry, and counts as no
    /// call. It looks whatever the [`Mode`]. With a far tier one round trip, within the cache's far
    /// deadline.
    ///
    /// ```
    /// # use larder_engine::{Cache, Larder};
    /// # smol::block_on(async {
    /// let deals: Cache<u64, u64> = Larder::builder().build()?.cache("deals").build()?;
    /// deals.put(&5, 1).await;
    /// println!("{}", deals.explain(&5).await);
    /// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
    /// ```
    pub async fn explain<Q: Lookup<K> + ?Sized>(&self, key: &Q) -> Explanation {
        let place = self.0.place(key.to_key());
        Box::pin(self.0.explain(place)).await
    }
}

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    async fn explain(&self, place: Place<K>) -> Explanation {
        let now = self.near.now();
        let far = self.far.as_ref();
        let began = self.flights.began(&place.key, place.slot);
        Explanation {
            cache: Arc::clone(&self.name),
            mode: self.switch.mode(),
            near: self.near.held(&place.key),
            loading: began.map(|began| now.since(began)),
            blind: self.near.is_blind(),
            far_down: far.is_some_and(|far| far.breaker.is_open()),
            pending: far.map_or(0, |far| far.pending()),
            far: self.far_held(&place).await,
        }
    }

    async fn far_held(&self, place: &Place<K>) -> Held {
        let Some(far) = &self.far else {
            return Held::NoTier;
        };
        let most = far.deadline;
        let looked = far.look(&place.name, &[], Want::Look, most, |_| true).await;
        match looked {
            Ok(FarLook::Miss(None, _) | FarLook::Held(_)) => Held::Nothing,
            Ok(FarLook::Miss(Some(why), _)) => Held::Unusable { why, age: None },
            Ok(FarLook::Old(found, _)) => Held::Old {
                absence: found.value.is_none(),
                age: found.age,
                past: self.near.now().since(found.fresh),
                left: found.until.since(self.near.now()),
            },
            Ok(FarLook::Hit(found, _)) => Held::Usable {
                absence: found.value.is_none(),
                age: found.age,
                left: Some(found.fresh.since(self.near.now())),
                tags: found.tags.len(),
                tag_names: found.tags,
            },
            Err(_) => Held::Unusable {
                why: Why::FarDown,
                age: None,
            },
        }
    }
}

/// A few lines of text, for a terminal.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "cache {}: {}", self.cache, self.mode.name())?;
        writeln!(f, "near: {}", self.near)?;
        write!(f, "far: {}", self.far)?;
        if let Some(loading) = self.loading {
            write!(f, "\na load has been running for {loading:?}")?;
        }
        if self.blind {
            f.write_str("\nthe node has not heard of the others")?;
        }
        if self.far_down {
            f.write_str("\nthe far tier does not answer and is left alone")?;
        }
        if self.pending > 0 {
            let pending = self.pending;
            write!(f, "\ninvalidations that wait for the far tier: {pending}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTier => f.write_str("no such tier"),
            Self::Nothing => f.write_str("nothing"),
            Self::Usable {
                absence,
                age,
                left,
                tags,
                tag_names,
            } => {
                let what = if *absence { "absence" } else { "a value" };
                write!(f, "{what}, {age:?} old, ")?;
                match left {
                    Some(left) => write!(f, "{left:?} left")?,
                    None => f.write_str("without end")?,
                }
                match (tags, &tag_names[..]) {
                    (0, _) => Ok(()),
                    (tags, []) => write!(f, ", {tags} tags"),
                    (_, names) => write!(f, ", tags {}", names.join(", ")),
                }
            }
            Self::Old {
                absence,
                age,
                past,
                left,
            } => {
                let what = if *absence { "absence" } else { "a value" };
                write!(
                    f,
                    "{what}, {age:?} old, {past:?} past its time, {left:?} left"
                )
            }
            Self::Failed { kind, age } => write!(f, "an error, {age:?} old: {}", kind.name()),
            Self::Unusable { why, age: None } => write!(f, "nothing to use: {}", why.name()),
            Self::Unusable {
                why,
                age: Some(age),
            } => write!(f, "not to be used, {age:?} old: {}", why.name()),
        }
    }
}
