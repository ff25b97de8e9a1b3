//! Logs of a cache with both tiers.

use futures_lite::future::poll_once;
use futures_lite::{StreamExt, stream};
use larder_engine::__private::{After, Asked, Terms};
use larder_engine::{Cache, CacheBuilder, CallOptions, Loaded, Mode, Previous};
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

/// A load that keeps a validator, one that finds by it that all holds still, and one that fails.
async fn reloaded(cache: &Secrets, key: &str) {
    for expires in [false, true, true] {
        if expires {
            let _ = cache.expire(key).await;
        }
        let load = |old: Option<Previous<String>>| async move {
            match old.as_ref().and_then(Previous::validator) {
                Some(known) => assert_eq!(known, SECRET.as_bytes()),
                None => return Ok(Loaded::new(SECRET.to_owned()).validator(SECRET).tag(SECRET)),
            }
            Ok::<_, std::io::Error>(Loaded::not_modified())
        };
        let _ = cache.get_or_reload(key, CallOptions::new(), load).await;
    }
    let _ = cache.expire(key).await;
    let load = |_| async { Err::<Loaded<String>, _>(std::io::Error::other(SECRET)) };
    let _ = cache.get_or_reload(key, CallOptions::new(), load).await;
}

/// Streams with every end, whose keys, elements, tags and errors are a secret.
async fn every_stream(lists: &Cache<String, Vec<String>>) {
    for key in [SECRET.to_owned(), SECRET.repeat(2), SECRET.repeat(200)] {
        for end in [None, Some(false), Some(true)] {
            let source = move || {
                let last = end.into_iter().map(|panics: bool| {
                    assert!(!panics, "{SECRET}");
                    Err(std::io::Error::other(SECRET))
                });
                let items = [Ok(SECRET.to_owned()), Ok(SECRET.repeat(3000))];
                stream::iter(items.into_iter().chain(last))
            };
            let options = CallOptions::new().tag(SECRET).cancel();
            let mut items = lists.get_or_stream_with(key.as_str(), options, source);
            while let Some(Ok(_)) = items.next().await {}
            let mut left = lists.get_or_stream(key.as_str(), source);
            let _ = left.next().await;
            drop(left);
            let _ = lists.invalidate(key.as_str()).await;
        }
    }
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
        let _ = cache.put_many([(key.as_str(), SECRET.to_owned())]).await;
        reloaded(cache, &key).await;
    }
    let mut left = Box::pin(cache.get_or_load(SECRET, std::future::pending::<String>));
    assert!(poll_once(&mut left).await.is_none());
}

#[test]
fn bug_k1_no_key_value_tag_or_error_text_is_ever_logged() {
    let log = Log::of(|| {
        let time = Virtual::auto();
        let pair = Pair::at(&time, &shelf(&time), CacheBuilder::far);
        for far_only in [false, true] {
            for fault in [None, Some(Fault::Lost), Some(Fault::NotSent)] {
                let larder = &pair.one.larder;
                let cache = larder.cache("secrets").ttl(TTL).stale(TTL).max_frame(9_000);
                let cache = if far_only {
                    cache.far_only()
                } else {
                    cache.far()
                };
                let cache: Secrets = cache.capacity(2).build().unwrap();
                if let Some(fault) = fault {
                    pair.one.failing.die(fault);
                }
                for mode in ALL {
                    cache.switch(mode);
                    time.block_on(every_path(&cache));
                }
                let lists = larder.cache("lists").ttl(TTL).stale(TTL).max_stream(2);
                let lists = if far_only {
                    lists.far_only()
                } else {
                    lists.far()
                };
                let lists = lists.max_frame(9_000).build().unwrap();
                for mode in ALL {
                    lists.switch(mode);
                    time.block_on(every_stream(&lists));
                }
                pair.one.failing.heal();
                drop((cache, lists));
                // Until the last load, which never ends, has given the name free.
                time.advance(SECOND * 60);
            }
        }
    });
    let lines = log.lines();
    assert!(lines.len() > 500, "{}", lines.len());
    let told = lines.iter().filter(|(_, line)| line.contains(SECRET));
    assert_eq!(told.collect::<Vec<_>>(), Vec::<&(Level, String)>::new());
    for what in [
        "unfit",
        "queued",
        "abandoned",
        "failed",
        "bypass",
        "tier",
        "lists",
    ] {
        let seen = lines.iter().any(|(_, line)| line.contains(what));
        assert!(seen, "no line of {what}");
    }
}
