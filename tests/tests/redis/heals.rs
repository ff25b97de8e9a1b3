//! A server that goes away, and is used again without anybody's doing.

use std::sync::{Arc, Mutex, Weak, mpsc};
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use larder::Smol;
use larder_core::far::Certainty;
use larder_redis::{ConnectErrorKind, Connection, Ear, Reply, Request, Settings, State, Wire};
use larder_servers::{Once, Proxy, Server, until};
use smol::future::or;
use smol::{Executor, Timer, block_on};

use crate::connects::{ask, connect, open};
use crate::respond::{Respond, well};

fn heals(wire: &Connection) {
    let pong = until("an answer", || ask(wire, &["ECHO", "five"]));
    assert_eq!(pong, Reply::bytes("five"));
}

fn falls(wire: &Connection, kind: ConnectErrorKind) {
    until("a state that is not connected", || {
        let health = wire.health();
        let connected = matches!(health.state, State::Connected { .. });
        let why = health.reason.map(|why| why.kind());
        (!connected && why == Some(kind)).then_some(())
    });
    let echo = Request::command("ECHO", vec!["five".into()]);
    let error = block_on(wire.send(vec![echo])).unwrap_err();
    assert_eq!(error.certainty(), Certainty::NotSent);
}

#[test]
fn bug_g4_a_program_starts_without_its_server_and_outlives_it() {
    let Some(server) = Server::start() else {
        return;
    };
    server.kill();
    let wire = open(&server.url());
    falls(&wire, ConnectErrorKind::Refused);
    for _ in 0..2 {
        server.start_again();
        heals(&wire);
        server.kill();
        falls(&wire, ConnectErrorKind::Refused);
    }
}

#[test]
fn bug_g5_a_server_that_stands_still_is_left_and_used_again() {
    let Some(server) = Server::start() else {
        return;
    };
    let wire = connect(&server.url());
    server.pause();
    falls(&wire, ConnectErrorKind::Silent);
    server.go_on();
    heals(&wire);
}

#[test]
fn a_length_that_is_not_true_swallows_answers_for_a_moment_only() {
    let Some(server) = Server::start() else {
        return;
    };
    let proxy = Proxy::new(server.port());
    let wire = connect(&proxy.url());
    let asked = || {
        let echo = Request::command("ECHO", vec!["five".into()]);
        let late = async {
            Timer::after(Duration::from_millis(250)).await;
            None
        };
        let answered = async { wire.send(vec![echo]).await.ok() };
        block_on(or(answered, late))
    };
    proxy.once(Once::Before(b"$60000000\r\n".to_vec()));
    assert_eq!(asked(), None);
    until("an answer over another connection", asked);
    assert!(wire.health().counts.connected > 1);
}

#[test]
fn a_password_that_changes_and_changes_back_is_no_end() {
    let Some(server) = Server::start() else {
        return;
    };
    let user = |password: &str| {
        let words = ["ACL", "SETUSER", "shop", "resetpass", password];
        server.ask(&words).unwrap();
    };
    server
        .ask(&["ACL", "SETUSER", "shop", "on", ">right", "allkeys", "+@all"])
        .unwrap();
    let wire = connect(&server.url().replace("redis://", "redis://shop:right@"));
    user(">other");
    server.ask(&["CLIENT", "KILL", "USER", "shop"]).unwrap();
    falls(&wire, ConnectErrorKind::Denied);
    assert_eq!(wire.health().reason.unwrap().code(), Some("WRONGPASS"));
    user(">right");
    heals(&wire);
}

/// Writes down what it is told.
#[derive(Default)]
struct Listener(Mutex<Vec<String>>);

impl Listener {
    fn note(&self, what: &str) {
        self.0.lock().unwrap().push(what.to_owned());
    }

    fn until(&self, wanted: &[&str]) {
        until("what an ear is told", || {
            (*self.0.lock().unwrap() == *wanted).then_some(())
        });
    }
}

impl Ear for Listener {
    fn message(&self, payload: Bytes) {
        self.note(std::str::from_utf8(&payload).unwrap());
    }

    fn lost(&self) {
        self.note("lost");
    }

    fn ready(&self) {
        self.note("ready");
    }
}

#[test]
fn what_is_published_is_heard_in_the_older_protocol_too() {
    let older = ["--rename-command", "HELLO", ""];
    let Some(server) = Server::start_with(&older) else {
        return;
    };
    let wire = connect(&server.url());
    let listener = Arc::new(Listener::default());
    let ear: Weak<Listener> = Arc::downgrade(&listener);
    wire.subscribe("channel".into(), ear as Weak<dyn Ear>);
    listener.until(&["ready"]);
    server.ask(&["PUBLISH", "channel", "five"]).unwrap();
    listener.until(&["ready", "five"]);
    server.ask(&["CLIENT", "KILL", "TYPE", "pubsub"]).unwrap();
    listener.until(&["ready", "five", "lost", "ready"]);
}

/// In either protocol: what moves the bytes is on a thread of its own.
#[test]
fn an_executor_that_is_blocked_holds_up_nothing_that_is_published() {
    let executor: &'static Executor<'static> = Box::leak(Box::new(Executor::new()));
    let (runs, run) = smol::channel::bounded::<()>(1);
    let ours = thread::spawn(move || block_on(executor.run(run.recv())));
    for arguments in [&["--rename-command", "HELLO", ""][..], &[]] {
        let Some(server) = Server::start_with(arguments) else {
            break;
        };
        let settings = Settings::parse(&server.url()).unwrap();
        let wire = Connection::open(settings, Arc::new(Smol::on(executor))).unwrap();
        let listener = Arc::new(Listener::default());
        let ear: Weak<Listener> = Arc::downgrade(&listener);
        wire.subscribe("channel".into(), ear as Weak<dyn Ear>);
        listener.until(&["ready"]);
        let (begin, begun) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        let blocking = smol::spawn(async move {
            begin.send(()).unwrap();
            ended.recv().unwrap();
        });
        begun.recv().unwrap();
        server.ask(&["PUBLISH", "channel", "five"]).unwrap();
        listener.until(&["ready", "five"]);
        end.send(()).unwrap();
        block_on(blocking);
    }
    drop(runs);
    assert!(ours.join().unwrap().is_err(), "nothing was ever sent");
}

#[test]
fn bug_i1_a_connection_that_the_server_closes_is_replaced_and_hears_again() {
    let Some(server) = Server::start() else {
        return;
    };
    let wire = connect(&server.url());
    let listener = Arc::new(Listener::default());
    let ear: Weak<Listener> = Arc::downgrade(&listener);
    wire.subscribe("channel".into(), ear as Weak<dyn Ear>);
    listener.until(&["ready"]);
    server.ask(&["CLIENT", "KILL", "TYPE", "pubsub"]).unwrap();
    listener.until(&["ready", "lost", "ready"]);
    server.ask(&["CLIENT", "KILL", "TYPE", "normal"]).unwrap();
    heals(&wire);
    server.ask(&["PUBLISH", "channel", "five"]).unwrap();
    listener.until(&["ready", "lost", "ready", "five"]);
    let counts = wire.health().counts;
    assert_eq!(
        (counts.listening, counts.replaced[&ConnectErrorKind::Lost]),
        (2, 2)
    );
}

/// A server that sends what is published at once, and then says that it will.
#[test]
fn bug_i4_what_comes_before_the_acknowledgement_breaks_nothing() {
    let pushed = |words: [&str; 3]| {
        let words = words.map(|word| format!("${}\r\n{word}\r\n", word.len()));
        format!(">3\r\n{}", words.concat())
    };
    let message = pushed(["message", "channel", "five"]);
    let server = Respond::new(move |_, words| match &words[0][..] {
        "SUBSCRIBE" => {
            let heard = ">3\r\n$9\r\nsubscribe\r\n$7\r\nchannel\r\n:1\r\n";
            let all = [&message[..], heard, &message[..]];
            Some(all.concat().into_bytes())
        }
        _ => Some(well(words)),
    });
    let wire = connect(&server.url());
    let listener = Arc::new(Listener::default());
    let ear: Weak<Listener> = Arc::downgrade(&listener);
    wire.subscribe("channel".into(), ear as Weak<dyn Ear>);
    until("both messages", || {
        let told = listener.0.lock().unwrap().clone();
        let heard = told.iter().filter(|what| *what == "five").count();
        (heard == 2 && told.contains(&"ready".to_owned())).then_some(())
    });
    let health = wire.health();
    assert!(health.hearing, "{health:?}");
    assert_eq!(health.counts.listening, 1);
    assert_eq!(ask(&wire, &["GET", "key"]), Some(Reply::Nil));
}
