//! The ability to guard.

use larder_core::BoxFuture;
use larder_core::far::{
    Barrier, FarError, FarTicket, Guarded, Part, Put, Read, Space, Stored, Want,
};

use super::{At, Redis};

/// Runs an operation on a cache.
macro_rules! at {
    ($redis:ident, $space:ident, |$at:ident| $operation:expr) => {
        async move {
            let names = &$redis.names_of($space);
            let watch = $redis.watch($space);
            let $at = At {
                redis: $redis,
                space: $space,
                names,
                watch: watch.as_deref(),
            };
            $redis.noted($operation.await)
        }
    };
}

/// As `at`, for changes: waits for replicas where that was asked for.
macro_rules! changed {
    ($redis:ident, $space:ident, |$at:ident| $operation:expr) => {
        Box::pin($redis.replicated(at!($redis, $space, |$at| $operation)))
    };
}

impl Guarded for Redis {
    fn read<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
        tags: &'a [&'a str],
        want: Want,
    ) -> BoxFuture<'a, Result<Vec<Read>, FarError>> {
        Box::pin(at!(self, space, |at| at.read(keys, tags, want)))
    }

    fn store_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        part: Part<'a>,
    ) -> BoxFuture<'a, Result<Stored, FarError>> {
        Box::pin(at!(self, space, |at| at.store_if(key, ticket, &part)))
    }

    fn put_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        part: Part<'a>,
    ) -> BoxFuture<'a, Result<Put, FarError>> {
        changed!(self, space, |at| at.put_if(key, ticket, &part))
    }

    fn invalidate<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        changed!(self, space, |at| at.invalidate(keys))
    }

    fn expire<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        changed!(self, space, |at| at.expire(keys))
    }

    fn drop_barrier<'a>(
        &'a self,
        space: &'a Space,
        barrier: Barrier<'a>,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        changed!(self, space, |at| at.drop_barrier(barrier))
    }

    fn release<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        Box::pin(at!(self, space, |at| at.release(key, ticket)))
    }
}
