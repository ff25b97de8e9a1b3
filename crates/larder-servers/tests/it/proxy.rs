//! What a proxy does to what passes.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use larder_servers::{Fault, Once, Proxy, Server, until};

const LONG: Duration = Duration::from_secs(30);

struct Place {
    server: Server,
    proxy: Proxy,
}

impl Place {
    fn start() -> Option<Self> {
        let server = Server::start()?;
        let proxy = Proxy::new(server.port());
        Some(Self { server, proxy })
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.proxy.port())).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream
    }
}

fn send(mut stream: &TcpStream, command: &str) {
    stream
        .write_all(format!("{command}\r\n").as_bytes())
        .unwrap();
}

/// So many bytes, or fewer if the connection ends.
fn receive(stream: &TcpStream, count: u64) -> String {
    let mut text = String::new();
    // A connection that was reset has ended as well.
    let _ = stream.take(count).read_to_string(&mut text);
    text
}

fn ask(stream: &TcpStream, command: &str, answer: &str) {
    send(stream, command);
    assert_eq!(receive(stream, answer.len() as u64), answer);
}

fn is_silent(stream: &TcpStream) {
    stream
        .set_read_timeout(Some(Duration::from_millis(50)))
        .unwrap();
    let silent = stream.peek(&mut [0]).unwrap_err().kind();
    assert!(
        matches!(silent, ErrorKind::WouldBlock | ErrorKind::TimedOut),
        "{silent}"
    );
    stream.set_read_timeout(Some(LONG)).unwrap();
}

fn has_ended(mut stream: &TcpStream) {
    let end = stream.read(&mut [0]);
    assert!(matches!(end, Ok(0) | Err(_)), "{end:?}");
    let timed_out = end.is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
    assert!(!timed_out);
}

#[test]
fn without_a_fault_all_passes_and_can_be_recorded() {
    let Some(place) = Place::start() else { return };
    let stream = place.connect();
    ask(&stream, "SET before 1", "+OK\r\n");
    place.proxy.record();
    ask(&stream, "SET canary 1", "+OK\r\n");
    ask(&stream, "GET canary", "$1\r\n1\r\n");
    let recorded = String::from_utf8(place.proxy.recorded()).unwrap();
    assert_eq!(recorded, "SET canary 1\r\n+OK\r\nGET canary\r\n$1\r\n1\r\n");
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "what is late is late in real time"
)]
fn what_is_late_keeps_its_order() {
    let Some(place) = Place::start() else { return };
    let stream = place.connect();
    ask(&stream, "PING", "+PONG\r\n");
    place.proxy.delay(Duration::from_millis(40));
    let start = Instant::now();
    for number in 1..=20 {
        send(&stream, &format!("INCRBY sum {number}"));
    }
    let sums = (1..=20).scan(0, |sum, number| {
        *sum += number;
        Some(format!(":{sum}\r\n"))
    });
    let sums: String = sums.collect();
    assert_eq!(receive(&stream, sums.len() as u64), sums);
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(80), "{took:?}");
    assert!(
        took < 20 * Duration::from_millis(80),
        "one behind the other: {took:?}"
    );
}

#[test]
fn a_half_open_link_stands_and_says_nothing() {
    let Some(place) = Place::start() else { return };
    let stream = place.connect();
    ask(&stream, "PING", "+PONG\r\n");
    place.proxy.fault(Fault::Swallow);
    send(&stream, "SET a 1");
    is_silent(&stream);
    assert_eq!(place.server.ask(&["GET", "a"]).unwrap(), [""]);
    place.proxy.fault(Fault::SwallowAnswers);
    send(&stream, "SET a 2");
    until("what was asked", || {
        (place.server.ask(&["GET", "a"]).unwrap() == ["2"]).then_some(())
    });
    is_silent(&stream);
    place.proxy.fault(Fault::None);
    ask(&stream, "GET a", "$1\r\n2\r\n");
}

#[test]
fn one_answer_is_doubled_cut_or_lost() {
    let Some(place) = Place::start() else { return };
    let stream = place.connect();
    place.proxy.once(Once::Before(b":7\r\n".to_vec()));
    ask(&stream, "PING", ":7\r\n+PONG\r\n");
    assert!(place.proxy.is_done());
    ask(&stream, "PING", "+PONG\r\n");
    place.proxy.once(Once::Swallow);
    send(&stream, "ECHO lost");
    until("the loss", || place.proxy.is_done().then_some(()));
    ask(&stream, "PING", "+PONG\r\n");
    place.proxy.once(Once::Cut(3));
    send(&stream, "PING");
    assert_eq!(receive(&stream, 10), "+PO");
    ask(&place.connect(), "PING", "+PONG\r\n");
}

#[test]
fn connections_are_cut_refused_and_led_elsewhere() {
    let Some(place) = Place::start() else { return };
    let stream = place.connect();
    ask(&stream, "PING", "+PONG\r\n");
    place.proxy.cut();
    has_ended(&stream);
    place.proxy.fault(Fault::Refuse);
    has_ended(&place.connect());
    place.proxy.fault(Fault::None);
    let other = Server::start().unwrap();
    other.ask(&["SET", "a", "1"]).unwrap();
    place.proxy.lead_to(other.port());
    ask(&place.connect(), "GET a", "$1\r\n1\r\n");
    assert_eq!(place.proxy.connections(), 3);
}

#[test]
fn a_server_that_leaves_ends_its_connections_and_so_does_the_proxy() {
    let Some(place) = Place::start() else { return };
    let stream = place.connect();
    ask(&stream, "PING", "+PONG\r\n");
    place.server.kill();
    has_ended(&stream);
    has_ended(&place.connect());
    place.server.start_again();
    let stream = place.connect();
    ask(&stream, "PING", "+PONG\r\n");
    let port = place.proxy.port();
    drop(place.proxy);
    has_ended(&stream);
    until("its end", || TcpStream::connect(("127.0.0.1", port)).err());
}
