//! With a far tier: what was read there before a change must not come back after it.

use std::sync::Arc;

use larder_kit::Interleaved;
use shuttle::future::block_on;

use super::shop::{KEY, Shop};

#[test]
fn no_call_after_an_invalidation_gets_an_older_value() {
    Interleaved::check(|| {
        let shop = Shop::far();
        block_on(shop.read());
        let change = shop.thread(|shop| {
            let version = shop.change();
            let _ = block_on(shop.cache.invalidate(&KEY));
            shop.over(version);
            block_on(shop.read());
        });
        let readers = [shop.reader(2), shop.reader(1)];
        shop.close([change].into_iter().chain(readers));
    });
}

#[test]
fn of_racing_updates_no_call_gets_the_older_one() {
    Interleaved::check(|| {
        let shop = Shop::far();
        let update = |shop: Shop| {
            let ticket = block_on(shop.cache.ticket(&KEY));
            let version = shop.change();
            let _ = block_on(shop.cache.put_with(ticket, Arc::new(version)));
            shop.over(version);
            block_on(shop.read());
        };
        let updates = [shop.thread(update), shop.thread(update)];
        let readers = [shop.reader(1)];
        shop.close(updates.into_iter().chain(readers));
    });
}
