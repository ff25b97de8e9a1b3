//! Redis as a target: batches of commands, over what a server of it would answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use larder_load::{Load, Redis};

use crate::server::Server;

/// The next command; nothing at the end.
fn command(reader: &mut BufReader<TcpStream>) -> Option<Vec<String>> {
    let mut number = |kind: char| {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let number = line.strip_prefix(kind)?.trim().parse::<usize>().ok()?;
        Some(number)
    };
    let words = number('*')?;
    let mut command = Vec::new();
    for _ in 0..words {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let length: usize = line.strip_prefix('$')?.trim().parse().ok()?;
        let mut word = vec![0; length + 2];
        reader.read_exact(&mut word).ok()?;
        word.truncate(length);
        command.push(String::from_utf8(word).expect("UTF-8"));
    }
    Some(command)
}

fn answering(answer: impl Fn(&[String]) -> String + Send + Sync + 'static) -> (Server, Redis) {
    let server = Server::start(move |mut socket| {
        let mut reader = BufReader::new(socket.try_clone().expect("clone"));
        while let Some(command) = command(&mut reader) {
            let reply = answer(&command);
            if socket.write_all(reply.as_bytes()).is_err() {
                return;
            }
        }
    });
    let target = Redis::parse(&format!("redis://{}", server.address));
    (server, target.expect("a URL"))
}

#[test]
fn a_request_is_a_batch_and_batches_are_sent_in_turn() {
    let commands = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&commands);
    let (server, target) = answering(move |command| {
        seen.lock().expect("commands").push(command.join(" "));
        match command[0].as_str() {
            "SET" => "+OK\r\n".to_owned(),
            _ => "$3\r\n\r\n1\r\n".to_owned(),
        }
    });
    let target = target.batch([["SET", "a", "1"], ["SET", "b", "2"]]);
    let target = target.batch([["GET", "a"]]);
    let summary = Load::new(target).requests(4).run().expect("a run");
    assert_eq!((summary.executed, summary.successful), (4, 4), "{summary}");
    let once = ["SET a 1", "SET b 2", "GET a"];
    assert_eq!(*commands.lock().expect("commands"), [once, once].concat());
    assert_eq!(server.connections(), 1);
}

#[test]
fn an_error_in_a_batch_fails_the_request_and_keeps_the_connection() {
    let (server, target) = answering(|command| match command[0].as_str() {
        "GET" => "-WRONGTYPE is the key 'secret'\r\n".to_owned(),
        _ => ":1\r\n".to_owned(),
    });
    let target = target.batch([vec!["INCR", "a"], vec!["GET", "b"], vec!["INCR", "a"]]);
    let summary = Load::new(target).requests(10).run().expect("a run");
    assert_eq!(summary.failed, 10);
    assert_eq!(summary.errors["reply WRONGTYPE"], 10);
    assert_eq!(server.connections(), 1);
}
