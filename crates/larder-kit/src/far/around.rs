//! What stands around a far tier.

/// Makes `$wrapper` a `Guarded` that gives each call, with the far tier's own future for it, to its
/// method `around`, which decides what comes of it.
macro_rules! around {
    ($wrapper:ty) => {
        impl Guarded for $wrapper {
            fn read<'a>(
                &'a self,
                space: &'a Space,
                keys: &'a [&'a [u8]],
                tags: &'a [&'a str],
                want: Want,
            ) -> BoxFuture<'a, Result<Vec<Read>, FarError>> {
                let call = FarCall::new(&self.far, space, Ask::read(keys, tags, want));
                Box::pin(self.around(call, self.far.read(space, keys, tags, want)))
            }

            fn store_if<'a>(
                &'a self,
                space: &'a Space,
                key: &'a [u8],
                ticket: &'a FarTicket,
                part: Part<'a>,
            ) -> BoxFuture<'a, Result<Stored, FarError>> {
                let call = FarCall::new(&self.far, space, Ask::store_if(key, ticket, &part));
                Box::pin(self.around(call, self.far.store_if(space, key, ticket, part)))
            }

            fn put_if<'a>(
                &'a self,
                space: &'a Space,
                key: &'a [u8],
                ticket: &'a FarTicket,
                part: Part<'a>,
            ) -> BoxFuture<'a, Result<Put, FarError>> {
                let call = FarCall::new(&self.far, space, Ask::put_if(key, ticket, &part));
                Box::pin(self.around(call, self.far.put_if(space, key, ticket, part)))
            }

            fn invalidate<'a>(
                &'a self,
                space: &'a Space,
                keys: &'a [&'a [u8]],
            ) -> BoxFuture<'a, Result<(), FarError>> {
                let call = FarCall::new(&self.far, space, Ask::invalidate(keys));
                Box::pin(self.around(call, self.far.invalidate(space, keys)))
            }

            fn expire<'a>(
                &'a self,
                space: &'a Space,
                keys: &'a [&'a [u8]],
            ) -> BoxFuture<'a, Result<(), FarError>> {
                let call = FarCall::new(&self.far, space, Ask::expire(keys));
                Box::pin(self.around(call, self.far.expire(space, keys)))
            }

            fn drop_barrier<'a>(
                &'a self,
                space: &'a Space,
                barrier: Barrier<'a>,
            ) -> BoxFuture<'a, Result<(), FarError>> {
                let call = FarCall::new(&self.far, space, Ask::drop_barrier(barrier));
                Box::pin(self.around(call, self.far.drop_barrier(space, barrier)))
            }

            fn release<'a>(
                &'a self,
                space: &'a Space,
                key: &'a [u8],
                ticket: &'a FarTicket,
            ) -> BoxFuture<'a, Result<(), FarError>> {
                let call = FarCall::new(&self.far, space, Ask::release(key, ticket));
                Box::pin(self.around(call, self.far.release(space, key, ticket)))
            }
        }
    };
}

pub(super) use around;
