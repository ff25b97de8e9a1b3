//! The service: users, cached where nobody can read them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use larder::{BuildError, Cache, Keys, Larder, Protobuf, cacheable};
use larder_domain::{SourceError, User, UserSource};

use crate::failed::failed;

/// Nobody tells of a change, so it is short.
const TTL: Duration = Duration::from_secs(60);
const ABSENT_TTL: Duration = Duration::from_secs(10);
/// Of the cache, in bytes: requests choose the keys.
const WEIGHT: u64 = 16 << 20;

/// Users from a source, kept in the cache `users`: for a minute, the absence of one for 10 seconds, at most about 16 MiB.
/// Clones are the same service.
///
/// Where the larder has a far store a user lies there as a protobuf message, encrypted, and bound to its id. An entry that
/// cannot be read, was moved or edited is a miss.
#[derive(Clone)]
pub struct Users {
    cache: Cache<String, User>,
    source: Arc<dyn UserSource>,
}

impl Users {
    /// The service over `source`, with the cache in `larder`, encrypted by `keys`.
    ///
    /// # Errors
    /// `larder` has a cache named `users` already.
    pub fn new(
        larder: &Larder,
        source: Arc<dyn UserSource>,
        keys: impl Into<Arc<Keys>>,
    ) -> Result<Self, BuildError> {
        let cache = larder
            .cache("users")
            .ttl(TTL)
            .absent_ttl(ABSENT_TTL)
            .weight(WEIGHT, |id: &String, user: &User| {
                id.len() as u64 + user.weight()
            })
            .codec(Protobuf)
            .schema(User::SCHEMA)
            .encrypt(keys)
            .build()?;
        Ok(Self { cache, source })
    }

    #[cacheable(self.cache, key = id, map_error = failed)]
    pub(crate) async fn user(&self, id: &str) -> Result<Option<Arc<User>>, SourceError> {
        Ok(self.source.user(id).await?.map(Arc::new))
    }
}

impl fmt::Debug for Users {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Users")
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}
