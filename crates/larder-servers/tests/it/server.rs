//! One server.

use std::net::TcpStream;

use larder_servers::{Server, until};

#[test]
fn it_answers_on_its_port_and_on_its_socket() {
    let Some(server) = Server::start() else {
        return;
    };
    assert_eq!(server.ask(&["SET", "a", "1"]).unwrap(), ["OK"]);
    assert_eq!(server.ask(&["MGET", "a", "b"]).unwrap(), ["1", ""]);
    assert!(TcpStream::connect(("127.0.0.1", server.port())).is_ok());
    assert!(server.url().ends_with(&server.port().to_string()));
}

#[test]
fn it_comes_back_on_its_port_with_what_was_saved() {
    let Some(server) = Server::start() else {
        return;
    };
    let port = server.port();
    server.ask(&["SET", "a", "1"]).unwrap();
    server.save();
    server.ask(&["SET", "b", "2"]).unwrap();
    server.kill();
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    server.start_again();
    assert_eq!(server.ask(&["MGET", "a", "b"]).unwrap(), ["1", ""]);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());
    server.kill();
    server.start_empty();
    assert_eq!(server.ask(&["MGET", "a", "b"]).unwrap(), ["", ""]);
}

#[test]
fn a_paused_one_takes_connections_and_does_not_answer() {
    let Some(server) = Server::start() else {
        return;
    };
    server.pause();
    assert!(TcpStream::connect(("127.0.0.1", server.port())).is_ok());
    assert!(server.ask(&["PING"]).is_err());
    server.go_on();
    assert_eq!(server.ask(&["PING"]).unwrap(), ["PONG"]);
}

#[test]
fn a_replica_copies_and_is_promoted_with_what_it_has() {
    let Some(master) = Server::start_with(&["--repl-diskless-sync-delay", "0"]) else {
        return;
    };
    let replica = Server::start().unwrap();
    master.ask(&["SET", "a", "1"]).unwrap();
    replica.follow(&master);
    assert_eq!(replica.ask(&["GET", "a"]).unwrap(), ["1"]);
    assert!(replica.ask(&["SET", "a", "2"]).unwrap()[0].starts_with("-READONLY"));
    master.kill();
    replica.promote();
    assert_eq!(replica.ask(&["SET", "a", "2"]).unwrap(), ["OK"]);
}

#[test]
fn a_write_returns_when_the_replicas_have_it() {
    let Some(master) = Server::start_with(&["--repl-diskless-sync-delay", "0"]) else {
        return;
    };
    let replica = Server::start().unwrap();
    replica.follow(&master);
    for value in ["1", "2", "3"] {
        replica.pause();
        std::thread::scope(|scope| {
            let write = scope.spawn(|| master.write(&["SET", "a", value], 1));
            let arrived = || (master.ask(&["GET", "a"]).ok()? == [value]).then_some(());
            until("the write", arrived);
            assert!(
                !write.is_finished(),
                "it waits for a replica that is stopped"
            );
            replica.go_on();
        });
        assert_eq!(replica.ask(&["GET", "a"]).unwrap(), [value]);
    }
}

#[test]
fn no_two_have_one_port_also_when_one_is_down() {
    let Some(first) = Server::start() else { return };
    first.kill();
    let others: Vec<_> = (0..5).filter_map(|_| Server::start()).collect();
    let mut ports: Vec<_> = others.iter().map(Server::port).collect();
    ports.push(first.port());
    ports.sort_unstable();
    ports.dedup();
    assert_eq!(ports.len(), 6);
    first.start_again();
}

#[test]
fn what_it_says_when_it_does_not_start_is_shown() {
    let started = std::panic::catch_unwind(|| Server::start_with(&["--no-such-setting", "1"]));
    let Err(why) = started else {
        // No program to start.
        return;
    };
    let why = why.downcast_ref::<String>().unwrap();
    assert!(why.contains("no-such-setting"), "{why}");
}

#[test]
fn a_line_of_what_it_says_is_found() {
    let Some(server) = Server::start() else {
        return;
    };
    let role = until("its role", || server.line(&["INFO", "replication"], "role"));
    assert_eq!(role, "master");
    assert_eq!(server.line(&["INFO", "replication"], "rol"), None);
}
