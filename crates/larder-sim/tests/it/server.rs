//! The model of a server, by what is known of real ones. That it answers as they do is shown where
//! servers are at hand; here is what no server can be asked to do at will.

use std::time::Duration;

use bytes::Bytes;
use larder_kit::Virtual;
use larder_redis::Reply;
use larder_sim::server::Server;

fn server() -> (Virtual, Server) {
    let time = Virtual::new();
    let server = Server::new(&time);
    (time, server)
}

fn run(server: &Server, command: &str) -> Reply {
    let mut words = command.split(' ');
    let name = words.next().unwrap_or_default();
    let words: Vec<_> = words.map(|word| word.to_owned().into()).collect();
    server.command(name, &words)
}

fn ok() -> Reply {
    Reply::Status("OK".to_owned())
}

fn text(text: &'static str) -> Reply {
    Reply::Bytes(Bytes::from_static(text.as_bytes()))
}

fn code(reply: Reply) -> String {
    match reply {
        Reply::Error { code, .. } => code,
        other => panic!("{other:?} is no refusal"),
    }
}

#[test]
fn keys_end_by_the_servers_clock() {
    let (time, server) = server();
    assert_eq!(run(&server, "SET a 1 PX 100"), ok());
    time.advance(Duration::from_millis(40));
    assert_eq!(run(&server, "PTTL a"), Reply::Int(60));
    server.jump_clock(Duration::from_millis(30), true);
    assert_eq!(run(&server, "PTTL a"), Reply::Int(90));
    server.jump_clock(Duration::from_millis(121), false);
    assert_eq!(run(&server, "GET a"), Reply::Nil);
    assert_eq!(server.names(), Vec::<Bytes>::new());
}

#[test]
fn a_full_server_reads_and_deletes_only() {
    let (_, server) = server();
    run(&server, "SET a 1");
    server.set_full(true);
    assert_eq!(code(run(&server, "SET a 2")), "OOM");
    assert_eq!(code(run(&server, "SET b 2 NX")), "OOM");
    assert_eq!(code(run(&server, "INCR n")), "OOM");
    assert_eq!(run(&server, "GET a"), text("1"));
    assert_eq!(run(&server, "PEXPIRE a 1000"), Reply::Int(1));
    assert_eq!(run(&server, "UNLINK a"), Reply::Int(1));
    server.set_full(false);
    assert_eq!(run(&server, "SET a 2"), ok());
}

#[test]
fn a_replica_refuses_every_write() {
    let (_, server) = server();
    run(&server, "SET a 1");
    server.set_read_only(true);
    for write in ["SET a 2", "UNLINK a", "PEXPIRE a 1", "INCR a"] {
        assert_eq!(code(run(&server, write)), "READONLY", "{write}");
    }
    assert_eq!(run(&server, "GET a"), text("1"));
    assert_eq!(run(&server, "PUBLISH c m"), Reply::Int(0));
}

#[test]
fn a_replica_that_lags_forgets_what_was_acknowledged() {
    let (time, server) = server();
    run(&server, "SET a old");
    server.set_lag(Some(Duration::from_millis(10)));
    run(&server, "SET a new");
    run(&server, "SET b 1");
    time.advance(Duration::from_millis(10));
    run(&server, "UNLINK b");
    server.fail_over();
    assert_eq!(
        run(&server, "MGET a b"),
        Reply::Array(vec![text("new"), text("1")])
    );

    server.set_lag(None);
    run(&server, "UNLINK a");
    time.advance(Duration::from_secs(3600));
    server.fail_over();
    assert_eq!(run(&server, "GET a"), text("new"));
    run(&server, "UNLINK a");
    server.fail_over();
    assert_eq!(
        run(&server, "GET a"),
        Reply::Nil,
        "the new replica follows at once"
    );
}

#[test]
fn lost_data_stays_lost() {
    let (_, server) = server();
    run(&server, "SET a 1");
    server.lose_data();
    server.fail_over();
    assert_eq!(run(&server, "GET a"), Reply::Nil);
}

#[test]
fn other_types_are_refused_or_nothing() {
    let (_, server) = server();
    server.plant_foreign(b"a");
    assert_eq!(code(run(&server, "GET a")), "WRONGTYPE");
    assert_eq!(code(run(&server, "INCR a")), "WRONGTYPE");
    assert_eq!(run(&server, "MGET a"), Reply::Array(vec![Reply::Nil]));
    assert_eq!(run(&server, "PTTL a"), Reply::Int(-1));
    assert_eq!(run(&server, "SET a 1 NX"), Reply::Nil);
    assert_eq!(run(&server, "SET a 1"), ok());
}

#[test]
fn a_cluster_refuses_names_of_two_slots() {
    let time = Virtual::new();
    let server = Server::cluster(&time);
    assert_eq!(code(run(&server, "MGET a b")), "CROSSSLOT");
    assert_eq!(code(run(&server, "UNLINK a b")), "CROSSSLOT");
    let both = Reply::Array(vec![Reply::Nil, Reply::Nil]);
    assert_eq!(run(&server, "MGET {x}a {x}b"), both);
}

#[test]
fn a_scan_lists_whatever_stays() {
    let (_, server) = server();
    for name in 0..100 {
        run(&server, &format!("SET k{name} 1"));
    }
    let (mut cursor, mut seen) = ("0".to_owned(), Vec::new());
    for round in 0.. {
        let reply = run(&server, &format!("SCAN {cursor} MATCH k?5 COUNT 7"));
        let Reply::Array(parts) = reply else {
            panic!("no list: {reply:?}");
        };
        let [Reply::Bytes(next), Reply::Array(names)] = &parts[..] else {
            panic!("no cursor and names: {parts:?}");
        };
        seen.extend(names.clone());
        server.evict(format!("k{round}").as_bytes());
        cursor = String::from_utf8_lossy(next).into_owned();
        if cursor == "0" {
            break;
        }
    }
    for kept in ["k35", "k55", "k95"] {
        assert!(seen.contains(&text(kept)), "{kept} in {seen:?}");
    }
    assert!(seen.len() <= 9);
}
