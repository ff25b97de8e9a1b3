//! The ability to guard. Nothing waits: each future does its work at its first poll.

use larder_core::BoxFuture;
use larder_core::far::{
    Barrier, FarError, FarTicket, Guarded, Part, Put, Read, Space, Stored, Want,
};

use super::Shelf;

impl Guarded for Shelf {
    fn read<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
        tags: &'a [&'a str],
        want: Want,
    ) -> BoxFuture<'a, Result<Vec<Read>, FarError>> {
        self.far(space, move |room| room.read(keys, tags, want))
    }

    fn store_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        part: Part<'a>,
    ) -> BoxFuture<'a, Result<Stored, FarError>> {
        self.far(space, move |room| room.store_if(key, ticket, &part))
    }

    fn put_if<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
        part: Part<'a>,
    ) -> BoxFuture<'a, Result<Put, FarError>> {
        self.far(space, move |room| room.put_if(key, ticket, &part))
    }

    fn invalidate<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        self.far(space, move |room| room.invalidate(keys))
    }

    fn expire<'a>(
        &'a self,
        space: &'a Space,
        keys: &'a [&'a [u8]],
    ) -> BoxFuture<'a, Result<(), FarError>> {
        self.far(space, move |room| room.expire(keys))
    }

    fn drop_barrier<'a>(
        &'a self,
        space: &'a Space,
        barrier: Barrier<'a>,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        self.far(space, move |room| room.drop(barrier))
    }

    fn release<'a>(
        &'a self,
        space: &'a Space,
        key: &'a [u8],
        ticket: &'a FarTicket,
    ) -> BoxFuture<'a, Result<(), FarError>> {
        self.far(space, move |room| room.release(key, ticket))
    }
}
