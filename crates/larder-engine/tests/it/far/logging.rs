//! Logs of a cache with both tiers.

use futures_lite::future::poll_once;
use larder_engine::__private::{After, Asked, Terms};
use larder_engine::{Cache, CacheBuilder, Mode};
use larder_kit::{FarOperation, Fault, Virtual};
use tracing::Level;

use crate::far::rig::Pair;
use crate::far::support::shelf;
use crate::logging::Log;
use crate::modes::ALL;
use crate::support::{SECOND, TTL};

#[test]
fn each_change_of_the_far_tiers_state_is_one_line() {
    let log = Log::of(|| {
        let pair = Pair::new();
        pair.one
            .failing
            .fail(FarOperation::Read, Fault::NotSent, usize::MAX);
        for _ in 0..20 {
            pair.held();
        }
        pair.one.failing.heal();
        pair.time.advance(SECOND * 2);
        for _ in 0..5 {
            pair.fetch();
        }
    });
    assert_eq!(
        log.notable(),
        [
            "WARN: message=the far tier does not answer and is left alone cache=\"numbers\"",
            "INFO: message=the far tier answers again cache=\"numbers\"",
        ]
    );
}

#[test]
fn fc79_what_waits_and_who_is_blind_is_logged_with_the_cache_and_at_its_level() {
    let log = Log::of(|| {
        let pair = Pair::new();
        pair.one
            .failing
            .fail(FarOperation::Invalidate, Fault::NotSent, 2);
        pair.time.block_on(pair.one.numbers.invalidate(&1));
        pair.time.advance(SECOND * 2);
        pair.one.bus.cut();
        pair.time.advance(SECOND * 10);
        pair.one.bus.mend();
        pair.time.advance(SECOND * 10);
        pair.one.numbers.switch(Mode::Off);
    });
    let levels: Vec<_> = log
        .notable()
        .iter()
        .map(|line| line[..4].to_owned())
        .collect();
    assert_eq!(levels, ["INFO", "WARN", "INFO", "INFO"]);
    assert!(
        log.lines()
            .iter()
            .all(|(_, line)| line.contains("cache=\"numbers\""))
    );
}

const SECRET: &str = "hunter2";

type Secrets = Cache<String, String>;

async fn tagged(cache: &Secrets, key: &str) {
    let terms = Terms {
        tags: vec![SECRET.to_owned()],
        ..Terms::default()
    };
    let place = Asked(cache).place(key).under(terms);
    let load = || async { SECRET.to_owned() };
    let none = |_: &String| After::default();
    let _: Result<String, _> = place.load(load, none).await;
}

/// Calls of every kind and with every end, whose keys, values, tags and errors are a secret.
async fn every_path(cache: &Secrets) {
    for key in [SECRET.to_owned(), SECRET.repeat(2), SECRET.repeat(200)] {
        let _ = cache.get(key.as_str()).await;
        tagged(cache, &key).await;
        let _ = cache.get(key.as_str()).await;
        let _ = cache.explain(key.as_str()).await;
        let _ = cache.invalidate(key.as_str()).await;
        let failing = || async { Err::<String, _>(std::io::Error::other(SECRET)) };
        let _ = cache.get_or_load(key.as_str(), failing).await;
        let panicking = || async { panic!("{SECRET}") };
        let _ = cache
            .get_or_load::<_, String, _, _, _>(key.as_str(), panicking)
            .await;
        let _ = cache.get_or_load_scoped(key.as_str(), failing).await;
        let ticket = cache.ticket(key.as_str()).await;
        let _ = cache.put_with(ticket, SECRET.to_owned()).await;
        let _ = cache.put(key.as_str(), SECRET.repeat(3000)).await;
        let _ = cache.expire(key.as_str()).await;
        let _ = cache.invalidate_tag(SECRET).await;
        let _ = cache.get_many([key.as_str()]).await;
        let pairs = |keys: Vec<String>| async {
            let pair = |key| (key, SECRET.to_owned());
            keys.into_iter().map(pair).collect::<Vec<_>>()
        };
        let _ = cache.get_or_load_many([key.as_str()], pairs).await;
        let _ = cache.invalidate_many([key.as_str()]).await;
    }
    let mut left = Box::pin(cache.get_or_load(SECRET, std::future::pending::<String>));
    assert!(poll_once(&mut left).await.is_none());
}

#[test]
fn bug_k1_no_key_value_tag_or_error_text_is_ever_logged() {
    let log = Log::of(|| {
        let time = Virtual::auto();
        let pair = Pair::at(&time, &shelf(&time), CacheBuilder::far);
        for tiers in [CacheBuilder::far, CacheBuilder::far_only] {
            for fault in [None, Some(Fault::Lost), Some(Fault::NotSent)] {
                let larder = &pair.one.larder;
                let cache = tiers(larder.cache("secrets").ttl(TTL)).max_frame(9_000);
                let cache: Secrets = cache.capacity(2).build().unwrap();
                if let Some(fault) = fault {
                    pair.one.failing.die(fault);
                }
                for mode in ALL {
                    cache.switch(mode);
                    time.block_on(every_path(&cache));
                }
                pair.one.failing.heal();
                drop(cache);
                // Until the last load, which never ends, has given the name free.
                time.advance(SECOND * 60);
            }
        }
    });
    let lines = log.lines();
    assert!(lines.len() > 500, "{}", lines.len());
    let told = lines.iter().filter(|(_, line)| line.contains(SECRET));
    assert_eq!(told.collect::<Vec<_>>(), Vec::<&(Level, String)>::new());
    for what in ["unfit", "queued", "abandoned", "failed", "bypass", "tier"] {
        let seen = lines.iter().any(|(_, line)| line.contains(what));
        assert!(seen, "no line of {what}");
    }
}
