//! What goes wrong is counted by its kind, and the load goes on.

use std::collections::BTreeMap;
use std::io::{BufReader, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use larder_load::{Http, Load, Problem, Summary};

use crate::server::{OK, Server, head};

fn errors(summary: &Summary) -> Vec<(&str, u64)> {
    let errors = summary.errors.iter();
    errors
        .map(|(kind, count)| (kind.as_str(), *count))
        .collect()
}

#[test]
fn a_status_from_400_fails_and_keeps_the_connection() {
    let number = AtomicU64::new(0);
    let server = Server::http(move |_| match number.fetch_add(1, Ordering::SeqCst) % 3 {
        0 => b"HTTP/1.1 503 Later\r\nContent-Length: 1\r\n\r\n.".to_vec(),
        1 => b"HTTP/1.1 404 None\r\nContent-Length: 0\r\n\r\n".to_vec(),
        _ => OK.to_vec(),
    });
    let summary = Load::new(server.target())
        .requests(30)
        .run()
        .expect("a run");
    assert_eq!(
        (summary.executed, summary.successful, summary.failed),
        (30, 10, 20)
    );
    assert_eq!(errors(&summary), [("status 404", 10), ("status 503", 10)]);
    assert_eq!((summary.sample_time.count, summary.latency.count), (30, 30));
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_connection_that_ends_early_is_replaced() {
    let server = Server::start(|mut socket| {
        let mut reader = BufReader::new(socket.try_clone().expect("clone"));
        head(&mut reader);
        socket.write_all(&OK[..OK.len() - 1]).expect("send");
    });
    let summary = Load::new(server.target())
        .requests(5)
        .keep(1)
        .run()
        .expect("a run");
    assert_eq!(errors(&summary), [("closed early", 5)]);
    assert_eq!(server.connections(), 5);
    let first = &summary.samples[0];
    assert_eq!(first.error.as_deref(), Some("closed early"));
    assert!(first.latency_ms.is_some() && first.connect_ms.is_some());
}

#[test]
fn what_is_no_answer_is_told_apart() {
    let server = Server::http(|_| b"+OK\r\n".to_vec());
    let summary = Load::new(server.target()).requests(3).run().expect("a run");
    assert_eq!(errors(&summary), [("no answer: no head of HTTP", 3)]);
}

#[test]
fn who_never_answers_is_given_up_in_time() {
    let server = Server::start(|socket| {
        let mut reader = BufReader::new(socket);
        while head(&mut reader).is_some() {}
    });
    let load = Load::new(server.target()).users(2).each(2).keep(4);
    let summary = load
        .timeout(Duration::from_millis(50))
        .run()
        .expect("a run");
    assert_eq!(errors(&summary), [("timed out", 4)]);
    assert_eq!(
        server.connections(),
        4,
        "a late answer must not meet the next request"
    );
    assert_eq!(summary.latency.count, 0);
    for sample in &summary.samples {
        assert!(sample.sample_ms >= 49.9);
    }
}

#[test]
fn patience_is_a_requests_own() {
    // Five answers of 300 ms each within a patience of a second.
    let server = Server::http(|_| {
        smol::block_on(smol::Timer::after(Duration::from_millis(300)));
        OK.to_vec()
    });
    let load = Load::new(server.target()).requests(5);
    let summary = load.timeout(Duration::from_secs(1)).run().expect("a run");
    assert_eq!(errors(&summary), [], "{summary}");
}

#[test]
fn a_server_that_goes_away_is_tried_again_until_the_end() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let target = Http::parse(&format!(
        "http://{}/",
        listener.local_addr().expect("address")
    ));
    let load = Load::new(target.expect("a URL")).requests(4);
    let run = std::thread::spawn(move || load.run());
    // The first looks whether somebody listens, the second is the first request's.
    drop(listener.accept().expect("a look"));
    let asked = listener.accept().expect("a request");
    drop(listener);
    drop(asked);
    let summary = run.join().expect("the load").expect("a run");
    let kinds: BTreeMap<_, _> = errors(&summary).into_iter().collect();
    assert_eq!(
        kinds.get("connect: connection refused"),
        Some(&3),
        "{summary}"
    );
    assert_eq!(summary.failed, 4);
    assert_eq!(summary.tps, 0.0);
}

#[test]
fn that_nobody_listens_is_said_before_it_begins() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bind");
    let url = format!("http://{}/", listener.local_addr().expect("address"));
    drop(listener);
    let problem = Load::new(Http::parse(&url).expect("a URL")).run();
    assert!(matches!(problem, Err(Problem::Unreachable(_, _))));
}

#[test]
fn kinds_without_number_are_bounded() {
    let number = AtomicU64::new(0);
    let server = Server::http(move |_| {
        let status = 400 + number.fetch_add(1, Ordering::SeqCst);
        format!("HTTP/1.1 {status} x\r\nContent-Length: 0\r\n\r\n").into_bytes()
    });
    let summary = Load::new(server.target())
        .requests(100)
        .run()
        .expect("a run");
    assert_eq!(summary.failed, 100);
    assert_eq!(summary.errors.len(), 41);
    assert_eq!(summary.errors["others"], 60);
}
