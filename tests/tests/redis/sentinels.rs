//! The adapter over a master that sentinels watch.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use larder_core::far::Sweep;
use larder_redis::{ConnectErrorKind, Connection, Redis, Reply, Settings, Wire};
use larder_servers::{Sentinels, Server, until};
use smol::block_on;

use crate::callers::Callers;
use crate::cluster::{messages, operations};
use crate::connects::{ask, connect, open, runtime};
use crate::respond::{Respond, well};

const DOWN_AFTER: Duration = Duration::from_millis(1000);

fn start() -> Option<Sentinels> {
    Sentinels::start(DOWN_AFTER)
}

/// The master, and those that copy from it.
fn parted(sentinels: &Sentinels) -> (&Server, Vec<&Server>) {
    let master = sentinels.master();
    let others = sentinels.servers().iter();
    let others = others.filter(|server| server.port() != master.port());
    (master, others.collect())
}

#[test]
fn every_operation_works_on_the_master_of_sentinels() {
    let Some(sentinels) = start() else { return };
    let wire = Arc::new(connect(&sentinels.url()));
    assert!(!wire.is_cluster());
    let redis = Redis::over(wire, runtime(), "larder");
    operations(&redis);
    assert!(block_on(redis.purge("deals")).unwrap() >= 5);
    let (master, _) = parted(&sentinels);
    assert_eq!(master.ask(&["DBSIZE"]).unwrap(), ["0"]);
    messages(&redis);
}

#[test]
fn sentinels_that_are_gone_are_no_reason_to_lose_the_master() {
    let Some(sentinels) = start() else { return };
    let (master, _) = parted(&sentinels);
    let [first, second, last] = sentinels.sentinels() else {
        panic!("three sentinels")
    };
    first.kill();
    second.pause();
    let wire = connect(&sentinels.url());
    last.kill();
    // Heartbeats at which nobody can be asked.
    master.ask(&["CONFIG", "RESETSTAT"]).unwrap();
    until("two heartbeats", || {
        let roles = master.line(&["INFO", "commandstats"], "cmdstat_role")?;
        let calls = roles.strip_prefix("calls=")?.split(',').next()?;
        (calls.parse::<u64>().ok()? >= 2).then_some(())
    });
    let health = wire.health();
    assert_eq!(health.counts.connected, 1, "{health:?}");
    second.go_on();
}

#[test]
fn a_service_that_no_sentinel_knows_is_named_as_the_reason() {
    let Some(sentinels) = start() else { return };
    let url = sentinels.url().replace(Sentinels::SERVICE, "other");
    let wire = open(&url);
    until("the reason", || {
        let why = wire.health().reason?;
        (why.kind() == ConnectErrorKind::NoMaster).then_some(())
    });
}

#[test]
fn sentinels_and_servers_take_credentials_of_their_own() {
    let Some(sentinels) = start() else { return };
    for server in sentinels.servers() {
        let user = [
            "ACL",
            "SETUSER",
            "shop",
            "on",
            ">data",
            "allkeys",
            "allchannels",
            "+@all",
        ];
        server.ask(&user).unwrap();
    }
    for sentinel in sentinels.sentinels() {
        let user = [
            "ACL",
            "SETUSER",
            "asker",
            "on",
            ">ask",
            "allchannels",
            "+@all",
        ];
        sentinel.ask(&user).unwrap();
        sentinel.ask(&["ACL", "SETUSER", "default", "off"]).unwrap();
    }
    let url = sentinels.url().replace("://", "://shop:data@");
    let settings = Settings::parse(&url).unwrap();
    let refused = Connection::connect(settings.clone(), runtime());
    assert_eq!(
        block_on(refused).unwrap_err().kind(),
        ConnectErrorKind::Denied
    );
    let settings = settings.sentinel_credentials("asker", "ask");
    let wire = block_on(Connection::connect(settings, runtime())).unwrap();
    assert_eq!(ask(&wire, &["ACL", "WHOAMI"]), Some(Reply::bytes("shop")));
}

/// Lets a fault make the sentinels choose another master, once.
///
/// Where the machine stands still for a second they may choose two, one after the other, and what the
/// first of them has acknowledged is lost: such a run says nothing of us, and is made again.
#[expect(clippy::print_stdout, reason = "a run that says nothing is not hidden")]
fn follows(
    what: &str,
    fault: impl Fn(&Sentinels, &Callers, &Server),
) -> Option<(Sentinels, Callers, u16)> {
    for _ in 0..RUNS {
        let sentinels = start()?;
        let callers = Callers::start(&sentinels.url());
        let (master, replicas) = parted(&sentinels);
        let fault = || fault(&sentinels, &callers, master);
        let seen = callers.seen_through(what, master, &replicas, fault);
        let switches = sentinels.switches();
        if switches > 1 && !seen.wrong.is_empty() {
            println!("{what}: {switches} masters one after the other, once more");
            continue;
        }
        seen.is_fine();
        let old = master.port();
        assert_ne!(sentinels.master().port(), old);
        return Some((sentinels, callers, old));
    }
    panic!("the sentinels changed their mind {RUNS} times")
}

const RUNS: usize = 3;

#[test]
fn a_killed_master_is_followed_to_its_successor() {
    follows("Sentinel, master killed", |_, _, master| master.kill());
}

#[test]
fn bug_g9_a_master_that_became_a_replica_is_left() {
    // What the old master takes until it is told is lost with it: nothing is changed meanwhile.
    follows("Sentinel, failover by hand", |sentinels, callers, _| {
        let before = callers.connected();
        sentinels.fail_over();
        until("another session", || {
            (callers.connected() > before).then_some(())
        });
    });
}

#[test]
fn a_master_that_stood_still_while_it_was_replaced_is_left() {
    let stands_still = |_: &Sentinels, _: &Callers, master: &Server| master.pause();
    let Some((sentinels, callers, old)) = follows("Sentinel, master paused", stands_still) else {
        return;
    };
    callers.stop_changing();
    callers.seen();
    let mut servers = sentinels.servers().iter();
    servers.find(|server| server.port() == old).unwrap().go_on();
    callers.change_again();
    callers.until_served();
    callers.seen().is_fine();
}

/// A sentinel that names these masters, one at each question, and the last from then on; and that
/// tells whoever listens at once that the master is another, or hangs up.
fn names(ports: Vec<u16>, tells: bool) -> Respond {
    let asked = AtomicUsize::new(0);
    Respond::new(move |_, words| match &words[0][..] {
        "SENTINEL" => {
            let turn = asked.fetch_add(1, Ordering::SeqCst).min(ports.len() - 1);
            let port = ports[turn].to_string();
            let head = format!("*2\r\n$9\r\n127.0.0.1\r\n${}\r\n", port.len());
            Some(format!("{head}{port}\r\n").into_bytes())
        }
        "SUBSCRIBE" => {
            let heard = |(count, name): (usize, &String)| {
                let (length, count) = (name.len(), count + 1);
                format!("*3\r\n$9\r\nsubscribe\r\n${length}\r\n{name}\r\n:{count}\r\n")
            };
            let heard: String = words[1..].iter().enumerate().map(heard).collect();
            let told = "*3\r\n$7\r\nmessage\r\n$14\r\n+switch-master\r\n$1\r\nx\r\n";
            tells.then(|| format!("{heard}{told}").into_bytes())
        }
        // It speaks the older protocol, so that what it tells is no different from an answer.
        "HELLO" => Some(b"-ERR unknown command 'HELLO'\r\n".to_vec()),
        _ => Some(well(words)),
    })
}

fn service(sentinels: &[&Respond]) -> Settings {
    let hosts = sentinels
        .iter()
        .map(|one| one.url().replace("redis://", ""));
    let hosts: Vec<_> = hosts.collect();
    Settings::parse(&format!("redis+sentinel://{}/shop", hosts.join(","))).unwrap()
}

/// Which server a connection leads to.
fn leads_to(wire: &Connection, server: &Server) -> bool {
    let reply = ask(wire, &["CONFIG", "GET", "port"]);
    let port = Reply::bytes(server.port().to_string());
    matches!(reply, Some(Reply::Array(both)) if both.get(1) == Some(&port))
}

#[test]
fn a_master_that_is_replaced_and_hears_nothing_of_it_is_left() {
    let (Some(one), Some(two)) = (Server::start(), Server::start()) else {
        return;
    };
    let hour = Duration::from_secs(3600);
    // By the sentinel's message alone, or by asking it alone.
    for (tells, heartbeat) in [(true, hour), (false, Duration::from_millis(100))] {
        let sentinel = names(vec![one.port(), two.port()], tells);
        let settings = service(&[&sentinel]).heartbeat(heartbeat);
        let wire = block_on(Connection::connect(settings, runtime())).unwrap();
        until("the other", || leads_to(&wire, &two).then_some(()));
        assert_eq!(wire.health().counts.connected, 2, "tells: {tells}");
    }
}

#[test]
fn a_sentinel_that_is_late_is_not_believed() {
    let (Some(old), Some(new)) = (Server::start(), Server::start()) else {
        return;
    };
    old.follow(&new);
    let late = names(vec![old.port()], true);
    let right = names(vec![new.port()], false);
    let wire = Connection::connect(service(&[&late, &right]), runtime());
    let wire = block_on(wire).unwrap();
    assert!(leads_to(&wire, &new));
    // And not alone either.
    let wire = Connection::connect(service(&[&late]), runtime());
    assert_eq!(
        block_on(wire).unwrap_err().kind(),
        ConnectErrorKind::ReadOnly
    );
}
