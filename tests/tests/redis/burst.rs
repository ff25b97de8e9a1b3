//! Calls that are more than a connection takes, and calls of a server that is not there.

use std::sync::Arc;
use std::time::Duration;

use futures_lite::future::block_on;
use larder::{Cache, Larder, Smol};
use larder_core::Runtime;
use larder_redis::{Connection, Redis, Settings};
use larder_servers::{Server, until};
use smol::LocalExecutor;

const CALLS: u64 = 300;

/// A cache that asks the server at each call.
fn cache(settings: Settings) -> (Larder, Cache<u64, u64>) {
    let runtime: Arc<dyn Runtime> = Arc::new(Smol::global());
    let wire = Connection::open(settings, runtime.clone()).unwrap();
    let redis = Redis::over(Arc::new(wire), runtime, "larder");
    let larder = Larder::builder().far(redis).build().unwrap();
    let deals = larder.cache("deals").ttl(Duration::from_secs(3600));
    let deals = deals.far_only().max_loads(CALLS as usize).build().unwrap();
    (larder, deals)
}

/// As many calls at once, each of a key of its own.
fn all_at_once(deals: &Cache<u64, u64>) {
    let tasks = LocalExecutor::new();
    let calls: Vec<_> = (0..CALLS)
        .map(|key| {
            tasks.spawn(async move { deals.get_or_load(&key, move || async move { key }).await })
        })
        .collect();
    block_on(tasks.run(async {
        for (key, call) in calls.into_iter().enumerate() {
            assert_eq!(call.await.unwrap(), key as u64);
        }
    }));
}

fn one_by_one(deals: &Cache<u64, u64>) {
    for key in 0..CALLS {
        let call = deals.get_or_load(&key, move || async move { key });
        assert_eq!(block_on(call).unwrap(), key);
    }
}

#[test]
fn bug_g8_a_burst_over_the_bound_leaves_the_server_in_use() {
    let Some(server) = Server::start() else {
        return;
    };
    let settings = Settings::parse(&server.url()).unwrap().requests(2);
    let (_larder, deals) = cache(settings);
    let far = || deals.stats().far_tier.unwrap();
    // Until the connection stands.
    while deals.stats().far < CALLS {
        one_by_one(&deals);
    }
    let failed = far().failures;
    for _ in 0..20 {
        all_at_once(&deals);
        assert!(!far().down);
    }
    assert!(far().failures > failed, "the bound was reached");
    // A machine that stands still may cost one round or another.
    until("hits alone, as before", || {
        let before = deals.stats();
        one_by_one(&deals);
        let since = deals.stats().since(&before);
        (since.far == CALLS).then_some(())
    });
}

#[test]
fn bug_g6_an_address_where_nobody_is_is_no_error_of_a_caller() {
    // A port that nobody listens at: it was given to this socket, which is gone.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    for url in [
        format!("redis://127.0.0.1:{port}"),
        format!("redis://user:word@[::1]:{port}/3"),
        "redis://nobody.invalid".to_owned(),
        "unix:///nowhere/at/all.sock".to_owned(),
    ] {
        let (_larder, deals) = cache(Settings::parse(&url).unwrap());
        for _ in 0..3 {
            one_by_one(&deals);
        }
        all_at_once(&deals);
        let stats = deals.stats();
        assert_eq!((stats.far, stats.failed), (0, 0), "{url}");
        assert_eq!(stats.loaded, CALLS * 4, "{url}");
        assert!(stats.far_tier.unwrap().down, "{url}: it is left alone");
    }
}
