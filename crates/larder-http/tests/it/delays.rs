//! Answers that wait for an upstream, and what they may not do to others.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use larder_http::{Delays, Upstream};

use crate::support::Service;

/// An upstream that answers when the test says so.
struct Far(TcpListener);

/// One question to it.
struct Asked {
    line: String,
    stream: TcpStream,
}

impl Far {
    fn new() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").expect("bind"))
    }

    fn upstream(&self) -> Upstream {
        let address = self.0.local_addr().expect("address");
        Upstream::parse(&format!("http://{address}/wait")).expect("a URL")
    }

    /// The next question.
    fn asked(&self) -> Asked {
        let (stream, _) = self.0.accept().expect("accept");
        let mut lines = BufReader::new(&stream).lines();
        let mut line = || lines.next().expect("a line").expect("a line");
        let first = line();
        while !line().is_empty() {}
        Asked {
            line: first,
            stream,
        }
    }
}

impl Asked {
    fn answer(mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).expect("send");
    }
}

const DONE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nDONE";

fn ask(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n")
}

#[test]
fn s3_both_wait_for_the_upstream_and_name_their_thread() {
    let far = Far::new();
    let service = Service::delaying(&Delays::new(far.upstream(), 1, 1), 1);
    for path in ["/delay/7", "/blocking/7", "/delay/%37"] {
        let mut client = service.client().with(ask(path));
        let asked = far.asked();
        assert_eq!(asked.line, "GET /wait/7 HTTP/1.1");
        asked.answer(DONE);
        let answer = client.answer();
        assert_eq!(answer.status, 200, "{}", answer.body);
        let answer = answer.json();
        assert_eq!(answer["seconds"], 7);
        assert!(answer["thread"].is_string(), "{answer}");
    }
}

#[test]
fn s3_fifty_delays_wait_on_one_thread_at_once() {
    let far = Far::new();
    let service = Service::delaying(&Delays::new(far.upstream(), 50, 0), 1);
    let mut clients: Vec<_> = (0..50)
        .map(|_| service.client().with(ask("/delay/30")))
        .collect();
    let asked: Vec<_> = clients.iter().map(|_| far.asked()).collect();
    assert_eq!(service.client().get("/livez").status, 200);
    asked.into_iter().for_each(|asked| asked.answer(DONE));
    for client in &mut clients {
        assert_eq!(client.answer().status, 200);
    }
}

#[test]
fn s3_blocking_keeps_its_thread_from_everybody() {
    let far = Far::new();
    let service = Service::delaying(&Delays::new(far.upstream(), 1, 1), 1);
    let mut other = service.client();
    assert_eq!(other.get("/livez").status, 200);
    let mut blocking = service.client().with(ask("/blocking/30"));
    let asked = far.asked();
    other.send(ask("/livez"));
    // Nobody is there who could answer it.
    assert!(!other.is_answered());
    asked.answer(DONE);
    assert_eq!(blocking.answer().status, 200);
    assert_eq!(other.answer().status, 200);
}

#[test]
fn s3_with_one_thread_to_spare_blocking_holds_nobody_up() {
    let far = Far::new();
    let service = Service::delaying(&Delays::new(far.upstream(), 1, 1), 2);
    let mut first = service.client().with(ask("/blocking/30"));
    let asked = far.asked();
    let refused = service.client().get("/blocking/30");
    refused.problem(503);
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(service.client().get("/deals/5").status, 200);
    asked.answer(DONE);
    assert_eq!(first.answer().status, 200);
}

#[test]
fn over_a_bound_is_refused_at_once_and_under_it_served_again() {
    let far = Far::new();
    let service = Service::delaying(&Delays::new(far.upstream(), 1, 0), 1);
    service.client().get("/blocking/0").problem(503);
    let mut first = service.client().with(ask("/delay/30"));
    let asked = far.asked();
    service.client().get("/delay/0").problem(503);
    asked.answer(DONE);
    assert_eq!(first.answer().status, 200);
    let mut second = service.client().with(ask("/delay/1"));
    far.asked().answer(DONE);
    assert_eq!(second.answer().status, 200);
}

#[test]
fn seconds_are_whole_and_thirty_at_most() {
    let far = Far::new();
    let service = Service::delaying(&Delays::new(far.upstream(), 1, 1), 1);
    let mut client = service.client();
    for path in ["/delay/", "/blocking/"] {
        for seconds in ["", "31", "-1", "+1", "1.5", "1s", "%FF", "%zz", "%00"] {
            let problem = client.get(&format!("{path}{seconds}")).problem(400);
            assert_eq!(problem["parameter"], "seconds", "{path}{seconds}");
        }
        client.delete(&format!("{path}1")).problem(405);
    }
}

#[test]
fn an_upstream_that_fails_is_one_problem_that_says_nothing_of_it() {
    let far = Far::new();
    let service = Service::delaying(&Delays::new(far.upstream(), 1, 1), 1);
    let many = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n{}",
        "a".repeat(70_000)
    );
    for answer in [
        "HTTP/1.1 500 Secret\r\nContent-Length: 6\r\n\r\nsecret",
        "HTTP/1.1 301 Moved\r\nLocation: /secret\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsecret",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nsec",
        "secret\r\n\r\n",
        "",
        &many,
    ] {
        for path in ["/delay/1", "/blocking/1"] {
            let mut client = service.client().with(ask(path));
            // It may have been closed before the last byte.
            let mut asked = far.asked();
            let _ = asked.stream.write_all(answer.as_bytes());
            drop(asked);
            let answered = client.answer();
            answered.problem(502);
            assert!(!answered.body.contains("ecret"), "{}", answered.body);
        }
    }
}

#[test]
fn an_upstream_that_is_not_there_is_502_and_one_that_is_silent_504() {
    let far = Far::new();
    let silent = far.upstream().patience(Duration::from_millis(20));
    let service = Service::delaying(&Delays::new(silent, 1, 1), 1);
    for path in ["/delay/0", "/blocking/0"] {
        service.client().get(path).problem(504);
    }
    let gone = far.upstream();
    drop(far);
    let service = Service::delaying(&Delays::new(gone, 1, 1), 1);
    for path in ["/delay/0", "/blocking/0"] {
        service.client().get(path).problem(502);
    }
}
