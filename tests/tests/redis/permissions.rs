//! What the server must permit: the line in the documentation, and no more.

use std::sync::{Arc, Weak};
use std::time::Duration;

use larder_core::far::{Barrier, Bus, Guarded, Message, Put, Sink, Space, Stored, Sweep, Want};
use larder_redis::{Connection, Redis, Reply, Settings};
use larder_servers::{Cluster, Sentinels, Server, until};
use smol::block_on;

use crate::connects::{connect, runtime};
use crate::place::{HOUR, Place, deals, part};

const PAGE: &str = include_str!("../../../docs/src/howto/redis.md");

/// The words behind `user` in the documented line.
fn documented() -> Vec<&'static str> {
    let line = PAGE.lines().find(|line| line.starts_with("user shop on"));
    line.expect("the page has the line")
        .split(' ')
        .skip(1)
        .collect()
}

/// The server's user, and the store that works as it.
fn as_user(place: &Place, words: &[&str]) -> Redis {
    let known = place.ask("COMMAND", &[b"INFO", b"pexpiretime"]) != Reply::Array(vec![Reply::Nil]);
    let words = words
        .iter()
        .filter(|word| known || **word != "+pexpiretime");
    let words = words.map(|word| word.as_bytes());
    let words: Vec<_> = std::iter::once(&b"SETUSER"[..]).chain(words).collect();
    assert_eq!(place.ask("ACL", &words), Reply::ok());
    let url = place
        .server
        .url()
        .replace("redis://", "redis://shop:password@");
    let runtime = Arc::new(larder::Smol::global());
    let settings = Settings::parse(&url).unwrap();
    let wire = block_on(Connection::connect(settings, runtime.clone())).unwrap();
    Redis::over(Arc::new(wire), runtime, "shop")
}

#[test]
fn the_documented_permissions_are_enough() {
    let Some(place) = Place::start() else { return };
    suffices(&as_user(&place, &documented()));
}

#[test]
fn the_documented_permissions_are_enough_to_wait_for_replicas() {
    let Some(place) = Place::start() else { return };
    let redis = as_user(&place, &documented());
    let waits = place.server.url().replace("://", "://shop:password@");
    let moment = Duration::from_millis(1);
    let redis = redis.wait_for_replicas(Arc::new(connect(&waits)), 1, moment);
    let redis = redis.unwrap();
    // Later servers count no command that has waited in vain.
    let ran = place.ran(|_| block_on(redis.invalidate(&deals(), &[b"5"])).unwrap());
    assert_eq!(redis.counts().unreplicated, 1, "there is none");
    assert_eq!(refused(&place.server), 0);
    let waits = ran.iter().filter(|ran| ran.words[0] == "WAIT");
    assert_eq!(waits.count(), 1);
}

/// What the page says is to be added there: the words in quotes behind `head`.
fn added(head: &str) -> Vec<&'static str> {
    let (_, rest) = PAGE.split_once(head).expect("the page says so");
    let (quoted, _) = rest.split_once('`').expect("they end");
    quoted.split(' ').collect()
}

#[test]
fn the_documented_permissions_are_enough_to_hear_other_writers() {
    let Some(place) = Place::start() else { return };
    let deals = Space::new("deals".into(), 1, 7).with_foreign_writers();
    let heard = |words: &[&str]| {
        let redis = as_user(&place, words);
        let sink = Arc::new(Nobody);
        let ear: Weak<Nobody> = Arc::downgrade(&sink);
        redis.listen(&deals, ear);
        let ticket = block_on(redis.read(&deals, &[b"5"], &[], Want::Load)).unwrap();
        let ticket = ticket[0].ticket.clone().unwrap();
        let stored = redis.store_if(&deals, b"5", &ticket, part("five", &[], HOUR));
        assert_eq!(block_on(stored).unwrap(), Stored::Stored);
        (redis, sink)
    };
    let (redis, _sink) = heard(&documented());
    until("a refusal", || (refused(&place.server) > 0).then_some(()));
    assert!(block_on(redis.number(&deals)).is_err(), "it is not told");
    let words = [documented(), added("For `foreign_writers` add `")].concat();
    let (redis, _sink) = heard(&words);
    until("a server that tells", || {
        block_on(redis.number(&deals)).ok()
    });
    let before = refused(&place.server);
    until("an own write", || {
        block_on(redis.invalidate(&deals, &[b"5"])).unwrap();
        let ticket = block_on(redis.read(&deals, &[b"5"], &[], Want::Load)).unwrap();
        assert!(ticket[0].ticket.is_some());
        (redis.counts().own_writes > 0).then_some(())
    });
    assert_eq!(refused(&place.server), before);
}

/// Hears nothing.
struct Nobody;

impl Sink for Nobody {
    fn receive(&self, _: Message) {}

    fn lost(&self) {}
}

#[test]
fn the_documented_permissions_are_enough_on_a_cluster() {
    let Some(cluster) = Cluster::start_masters() else {
        return;
    };
    let words = [documented(), added("On a cluster add `")].concat();
    for node in cluster.nodes() {
        set_user(node, &words);
    }
    let redis = connect(&cluster.url().replace("://", "://shop:password@"));
    suffices(&Redis::over(Arc::new(redis), runtime(), "shop"));
    assert!(cluster.nodes().iter().all(|node| refused(node) == 0));
}

#[test]
fn the_documented_permissions_are_enough_behind_sentinels() {
    let Some(sentinels) = Sentinels::start(Duration::from_secs(5)) else {
        return;
    };
    let words = [documented(), added("Behind Sentinel add `")].concat();
    for server in sentinels.servers() {
        set_user(server, &words);
    }
    let asks = PAGE.lines().find(|line| line.starts_with("user asks on"));
    let asks: Vec<_> = asks.expect("the page has it").split(' ').skip(1).collect();
    for sentinel in sentinels.sentinels() {
        set_user(sentinel, &asks);
    }
    let url = sentinels.url().replace("://", "://shop:password@");
    let settings = Settings::parse(&url).unwrap();
    let settings = settings.sentinel_credentials("asks", "password");
    let wire = block_on(Connection::connect(settings, runtime())).unwrap();
    suffices(&Redis::over(Arc::new(wire), runtime(), "shop"));
    let before = sentinels.master();
    sentinels.fail_over();
    assert_ne!(sentinels.master().port(), before.port());
    let servers = sentinels.servers().iter();
    assert!(
        servers
            .chain(sentinels.sentinels())
            .all(|one| refused(one) == 0)
    );
}

fn set_user(server: &Server, words: &[&str]) {
    let known = server.ask(&["COMMAND", "INFO", "pexpiretime"]).unwrap();
    let known = known.iter().any(|word| word == "pexpiretime");
    let words = words
        .iter()
        .filter(|word| known || **word != "+pexpiretime");
    let words: Vec<_> = ["ACL", "SETUSER"]
        .into_iter()
        .chain(words.copied())
        .collect();
    assert_eq!(server.ask(&words).unwrap(), ["OK"]);
}

/// How often somebody was not permitted to do something.
fn refused(server: &Server) -> usize {
    let log = server.ask(&["ACL", "LOG"]).unwrap();
    log.iter().filter(|word| *word == "reason").count()
}

/// Does everything once.
fn suffices(redis: &Redis) {
    let deals = &Space::new("deals".into(), 1, 7);
    let other = &Space::new("deals".into(), 1, 8);
    let tags = &["tag", "new"];
    block_on(async {
        for space in [deals, other, deals] {
            let read = redis.read(space, &[b"5"], &["tag"], Want::Load).await;
            let ticket = read.unwrap().remove(0).ticket.expect("a ticket");
            let stored = redis
                .store_if(space, b"5", &ticket, part("five", tags, HOUR))
                .await;
            assert_eq!(stored.unwrap(), Stored::Stored);
        }
        let found = redis
            .read(deals, &[b"5"], &[], Want::Look)
            .await
            .unwrap()
            .remove(0);
        let put = redis
            .put_if(deals, b"5", &found.ticket.unwrap(), part("put", tags, HOUR))
            .await;
        assert_eq!(put.unwrap(), Put::Stored);
        redis
            .drop_barrier(deals, Barrier::Tag("tag"))
            .await
            .unwrap();
        let read = redis
            .read(deals, &[b"5"], &["tag"], Want::Load)
            .await
            .unwrap()
            .remove(0);
        assert!(read.found.is_none() && !read.held, "its parts were dead");
        redis
            .release(deals, b"5", &read.ticket.unwrap())
            .await
            .unwrap();
        redis.expire(deals, &[b"5"]).await.unwrap();
        redis.invalidate(deals, &[b"5"]).await.unwrap();
        assert!(redis.number(deals).await.unwrap() > 0);
        assert!(redis.purge("deals").await.unwrap() > 0);
    });
    assert_eq!(redis.counts().without_ticket, 0);
}

#[test]
fn who_may_only_read_gets_no_ticket_and_no_error() {
    let Some(place) = Place::start() else { return };
    let reading = |word: &&str| !["+set", "+unlink", "+incr"].contains(word);
    let words: Vec<_> = documented().into_iter().filter(reading).collect();
    let redis = as_user(&place, &words);
    let deals = Space::new("deals".into(), 1, 7);
    let read = block_on(redis.read(&deals, &[b"5"], &["tag"], Want::Load))
        .unwrap()
        .remove(0);
    assert!(read.ticket.is_none() && read.found.is_none() && !read.held);
    assert_eq!(redis.counts().without_ticket, 1);
    let error = block_on(redis.invalidate(&deals, &[b"5"]))
        .unwrap_err()
        .to_string();
    assert!(
        !error.contains("password") && !error.contains("127.0.0.1"),
        "{error}"
    );
}
