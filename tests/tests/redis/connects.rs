//! Handshakes, good and bad.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use larder_core::Runtime;
use larder_core::far::{Guarded, Space, Want};
use larder_redis::{ConnectErrorKind, Connection, Redis, Reply, Request, Settings, Wire};
use larder_servers::{Server, until};
use smol::block_on;

use crate::respond::{Respond, well};

pub(crate) fn runtime() -> Arc<dyn Runtime> {
    Arc::new(larder::Smol::global())
}

pub(crate) fn open(url: &str) -> Connection {
    let settings = Settings::parse(url).unwrap();
    Connection::open(settings, runtime()).unwrap()
}

pub(crate) fn connect(url: &str) -> Connection {
    let settings = Settings::parse(url).unwrap();
    block_on(Connection::connect(settings, runtime())).unwrap()
}

pub(crate) fn ask(wire: &Connection, words: &[&'static str]) -> Option<Reply> {
    let args = words[1..].iter().map(|word| (*word).into()).collect();
    let mut replies = block_on(wire.send(vec![Request::command(words[0], args)])).ok()?;
    replies.pop()
}

#[test]
fn a_url_leads_to_its_database_as_its_user() {
    let Some(server) = Server::start() else {
        return;
    };
    server
        .ask(&["ACL", "SETUSER", "sh@p", "on", ">p:w", "allkeys", "+@all"])
        .unwrap();
    let socket = server.socket().display().to_string();
    let urls = [
        server.url().replace("redis://", "redis://sh%40p:p:w@") + "/3",
        format!("unix://{socket}?db=3&user=sh%40p&pass=p:w"),
    ];
    for url in urls {
        let wire = connect(&url);
        assert_eq!(ask(&wire, &["ACL", "WHOAMI"]), Some(Reply::bytes("sh@p")));
        assert_eq!(ask(&wire, &["SET", "key", "five"]), Some(Reply::ok()));
    }
    assert_eq!(server.ask(&["EXISTS", "key"]).unwrap(), ["0"]);
    assert_eq!(
        server.line(&["INFO", "keyspace"], "db3").unwrap()[..6],
        *"keys=1"
    );
}

#[test]
fn a_server_that_knows_no_hello_is_spoken_to_in_the_older_protocol() {
    let older = ["--rename-command", "HELLO", ""];
    let Some(server) = Server::start_with(&older) else {
        return;
    };
    let wire = connect(&server.url());
    assert_eq!(ask(&wire, &["SET", "key", "five"]), Some(Reply::ok()));
    assert_eq!(ask(&wire, &["GET", "key"]), Some(Reply::bytes("five")));
}

#[test]
fn a_name_that_nobody_knows_and_a_port_that_nobody_hears_are_errors_of_their_kind() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let urls = [
        (
            format!("redis://127.0.0.1:{port}"),
            ConnectErrorKind::Refused,
        ),
        (
            "unix:///nowhere/socket".to_owned(),
            ConnectErrorKind::Unreachable,
        ),
    ];
    for (url, kind) in urls {
        let settings = Settings::parse(&url).unwrap();
        let error = block_on(Connection::connect(settings, runtime())).unwrap_err();
        assert_eq!(error.kind(), kind);
        assert!(!error.to_string().contains("127.0.0.1"), "{error}");
    }
}

#[test]
fn an_executor_that_is_blocked_holds_up_no_answer() {
    let Some(server) = Server::start() else {
        return;
    };
    let wire = connect(&server.url());
    let (begin, begun) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    let blocking = smol::spawn(async move {
        begin.send(()).unwrap();
        ended.recv().unwrap();
    });
    begun.recv().unwrap();
    assert_eq!(ask(&wire, &["ECHO", "five"]), Some(Reply::bytes("five")));
    end.send(()).unwrap();
    block_on(blocking);
}

#[test]
fn bug_g15_a_server_that_leaves_in_the_handshake_is_dialled_again() {
    for polite in 0..3 {
        // Answers so many requests of the handshake; from the hundredth connection on, all.
        let server = Respond::new(move |connection, words| {
            let step = ["SELECT", "PING", "SCRIPT"];
            let step = step.iter().position(|name| *name == words[0]);
            let leaves = connection < 100 && step.is_some_and(|step| step >= polite);
            (!leaves).then(|| well(words))
        });
        let settings = Settings::parse(&(server.url() + "/1")).unwrap();
        let quick = Duration::from_millis(1);
        let settings = settings.backoff(quick, quick);
        let wire = Connection::open(settings, runtime()).unwrap();
        until("a hundred attempts and one", || ask(&wire, &["GET", "key"]));
        assert!(server.connections() > 100);
        let counts = wire.health().counts;
        assert_eq!(counts.failed.values().sum::<u64>(), 100, "{counts:?}");
    }
}

#[test]
fn a_server_that_loads_its_data_is_no_connection_until_it_has() {
    let server = Respond::new(|connection, words| {
        let loads = connection < 5;
        let loading = b"-LOADING Redis is loading the dataset in memory\r\n";
        Some(if loads { loading.to_vec() } else { well(words) })
    });
    let wire = open(&server.url());
    assert_eq!(
        until("the data", || ask(&wire, &["GET", "key"])),
        Reply::Nil
    );
    let counts = wire.health().counts;
    assert_eq!(
        counts.failed[&ConnectErrorKind::Unavailable],
        5,
        "{counts:?}"
    );
}

#[test]
fn bug_g1_one_answer_too_many_costs_one_read_and_its_connection() {
    let server = Respond::new(|connection, words| {
        let answer = match &words[0][..] {
            "PTTL" => b":-2\r\n".to_vec(),
            "MGET" => b"*3\r\n$-1\r\n$-1\r\n$-1\r\n".to_vec(),
            _ => well(words),
        };
        let surplus = connection == 0 && words[0] == "PTTL";
        Some(if surplus { answer.repeat(2) } else { answer })
    });
    let wire = Arc::new(connect(&server.url()));
    let redis = Redis::over(wire, runtime(), "larder");
    let space = Space::new("deals".into(), 1, 7);
    let read = || block_on(redis.read(&space, &[b"5"], &[], Want::Look));
    assert!(read().is_err(), "its answers are those of others");
    let healed = until("answers in step", || read().ok());
    assert!(healed[0].found.is_none());
    assert_eq!(server.connections(), 2);
    assert_eq!(redis.counts().out_of_step, 1);
    let counts = redis.health().unwrap().counts;
    assert_eq!(
        (
            counts.distrusted,
            counts.replaced[&ConnectErrorKind::Garbage]
        ),
        (1, 1)
    );
}

#[test]
fn bug_g13_hostile_answers_end_their_connection_and_nothing_else() {
    let deep = "*1\r\n".repeat(100_000);
    let hostile: [&str; 9] = [
        &deep,
        "$9999999999\r\n",
        "*2147483647\r\n",
        "%2147483647\r\n",
        "|2147483647\r\n",
        "$-5\r\nx",
        "HTTP/1.1 400 Bad Request\r\n\r\n",
        "\0\0\0\0\0\0",
        ":nine\r\n",
    ];
    for bytes in hostile {
        let bytes = bytes.as_bytes().to_vec();
        let server = Respond::new(move |connection, words| {
            let hostile = connection == 0 && words[0] == "GET";
            Some(if hostile { bytes.clone() } else { well(words) })
        });
        let wire = connect(&server.url());
        assert_eq!(ask(&wire, &["GET", "key"]), None);
        let healed = until("another connection", || ask(&wire, &["GET", "key"]));
        assert_eq!((healed, server.connections()), (Reply::Nil, 2));
        let counts = wire.health().counts;
        assert_eq!(counts.replaced[&ConnectErrorKind::Garbage], 1, "{counts:?}");
    }
}
