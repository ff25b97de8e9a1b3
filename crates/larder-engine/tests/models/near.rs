//! Near only: hits, loads that end and changes, at once.

use std::sync::Arc;

use larder_kit::Interleaved;
use shuttle::future::block_on;

use super::shop::{KEY, Shop};

#[test]
fn callers_of_one_key_run_one_load() {
    Interleaved::check(|| {
        let shop = Shop::near();
        let readers = [shop.reader(1), shop.reader(1), shop.reader(2)];
        assert_eq!(shop.close(readers), 1);
    });
}

#[test]
fn no_call_after_an_invalidation_gets_an_older_value() {
    Interleaved::check(|| {
        let shop = Shop::near();
        let change = |shop: Shop| {
            let version = shop.change();
            let _ = block_on(shop.cache.invalidate(&KEY));
            shop.over(version);
            block_on(shop.read());
        };
        let changes = [shop.thread(change), shop.thread(change)];
        let readers = [shop.reader(2)];
        shop.close(changes.into_iter().chain(readers));
    });
}

#[test]
fn no_call_after_a_clear_gets_an_older_value() {
    Interleaved::check(|| {
        let shop = Shop::near();
        let clear = shop.thread(|shop| {
            let version = shop.change();
            let _ = block_on(shop.cache.clear());
            shop.over(version);
            block_on(shop.read());
        });
        let readers = [shop.reader(2), shop.reader(1)];
        shop.close([clear].into_iter().chain(readers));
    });
}

#[test]
fn of_racing_updates_no_call_gets_the_older_one() {
    Interleaved::check(|| {
        let shop = Shop::near();
        let update = |shop: Shop| {
            let ticket = block_on(shop.cache.ticket(&KEY));
            let version = shop.change();
            let _ = block_on(shop.cache.put_with(ticket, Arc::new(version)));
            shop.over(version);
            block_on(shop.read());
        };
        let updates = [shop.thread(update), shop.thread(update)];
        let readers = [shop.reader(2)];
        shop.close(updates.into_iter().chain(readers));
    });
}
