//! Closed loops: who has an answer asks again.

use std::io::{BufReader, Read, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use larder_load::{Load, Sample, Summary};

use crate::server::{OK, Server, head};

#[test]
fn a_count_is_kept_over_users_and_threads() {
    let server = Server::http(|_| OK.to_vec());
    for (users, threads) in [(1, 1), (7, 1), (7, 3)] {
        let load = Load::new(server.target()).users(users).threads(threads);
        let summary = load.requests(500).run().expect("a run");
        assert_eq!((summary.executed, summary.successful), (500, 500));
        assert_eq!((summary.failed, summary.unsent), (0, 0));
        assert_eq!(summary.sample_time.count, 500);
        assert_eq!(summary.latency.count, 500);
        assert_eq!(summary.connect_time.count, users as u64);
        assert_eq!(
            summary
                .seconds
                .iter()
                .map(|second| second.executed)
                .sum::<u64>(),
            500
        );
        assert!(summary.tps > 0.0 && summary.peak_tps >= summary.tps);
    }
    assert_eq!(
        server.connections(),
        1 + 7 + 7 + 2,
        "one a user, one a run to look"
    );
}

#[test]
fn each_user_asks_as_often_as_it_may_and_one_after_another() {
    // Nobody is answered before all hundred have asked, so a user that took another's turn would hang the run.
    let together = Arc::new(Barrier::new(100));
    let server = Server::http(move |_| {
        together.wait();
        OK.to_vec()
    });
    let load = Load::new(server.target()).users(100).each(2).keep(300);
    let summary = load.run().expect("a run");
    assert_eq!((summary.executed, summary.successful), (200, 200));
    assert_eq!(summary.samples.len(), 200);
    assert!(
        summary
            .samples
            .is_sorted_by(|a, b| a.start_ms <= b.start_ms)
    );
    assert_eq!(server.connections(), 100);
}

#[test]
fn without_keep_alive_each_request_opens_a_connection() {
    let server = Server::http(|head| {
        assert!(head.contains("Connection: close\r\n"));
        OK.to_vec()
    });
    let target = server.target().keep_alive(false);
    let summary = Load::new(target)
        .users(2)
        .requests(50)
        .run()
        .expect("a run");
    assert_eq!((summary.successful, summary.connect_time.count), (50, 50));
    assert_eq!(server.connections(), 50);
    assert!(!summary.keep_alive);
}

#[test]
fn connections_opened_first_belong_to_no_request() {
    let server = Server::http(|_| OK.to_vec());
    let load = Load::new(server.target())
        .users(300)
        .threads(2)
        .requests(900);
    let summary = load.connect_first(true).run().expect("a run");
    assert_eq!((summary.successful, summary.connect_time.count), (900, 0));
    assert_eq!(server.connections(), 300);
}

#[test]
fn the_three_times_of_a_request_are_in_their_order() {
    // The first byte goes out a while after the request came, the last a longer while after the first.
    let [first, last] = [30, 300].map(Duration::from_millis);
    let server = Server::start(move |mut socket| {
        let mut reader = BufReader::new(socket.try_clone().expect("clone"));
        while head(&mut reader).is_some() {
            let (start, end) = OK.split_at(20);
            smol::block_on(smol::Timer::after(first));
            socket.write_all(start).expect("send");
            smol::block_on(smol::Timer::after(last));
            socket.write_all(end).expect("send");
        }
    });
    let load = Load::new(server.target()).requests(4).keep(3);
    let summary = load.run().expect("a run");
    assert!(summary.latency.min_ms >= 29.9, "{summary}");
    assert!(summary.sample_time.min_ms >= 329.5, "{summary}");
    assert_eq!(summary.samples.len(), 3);
    let after_first = |sample: &Sample| sample.sample_ms - sample.latency_ms.expect("an answer");
    assert!(
        summary
            .samples
            .iter()
            .all(|sample| after_first(sample) >= 0.0)
    );
    // Who is late for the first byte finds the last there as well: not three times in a row.
    assert!(
        summary
            .samples
            .iter()
            .any(|sample| after_first(sample) >= 100.0)
    );
    let connects = summary
        .samples
        .iter()
        .map(|sample| sample.connect_ms.is_some());
    assert_eq!(connects.collect::<Vec<_>>(), [true, false, false]);
}

#[test]
fn paths_are_asked_in_turn_with_what_was_set() {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    let server = Server::http(move |head| {
        seen.lock().expect("heads").push(head.to_owned());
        OK.to_vec()
    });
    let target = server
        .target()
        .path("/b")
        .header("X-A", "b")
        .method("DELETE");
    Load::new(target).requests(3).run().expect("a run");
    let heads = heads.lock().expect("heads");
    let lines: Vec<_> = heads
        .iter()
        .map(|head| head.lines().next().expect("a line"))
        .collect();
    assert_eq!(
        lines,
        [
            "DELETE / HTTP/1.1",
            "DELETE /b HTTP/1.1",
            "DELETE / HTTP/1.1"
        ]
    );
    assert!(heads.iter().all(|head| head.contains("\r\nX-A: b\r\n")));
}

#[test]
fn a_body_is_sent_and_a_large_answer_read_to_its_end() {
    let large = vec![b'x'; 3_000_000];
    let server = Server::start(move |mut socket| {
        let mut reader = BufReader::new(socket.try_clone().expect("clone"));
        while head(&mut reader).is_some() {
            let mut body = vec![0; 200_000];
            reader.read_exact(&mut body).expect("the body");
            assert!(body.iter().all(|&byte| byte == b'y'));
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", large.len());
            socket.write_all(head.as_bytes()).expect("send");
            socket.write_all(&large).expect("send");
        }
    });
    let target = server.target().method("POST").body(vec![b'y'; 200_000]);
    let summary = Load::new(target)
        .users(2)
        .requests(10)
        .run()
        .expect("a run");
    assert_eq!(summary.successful, 10, "{summary}");
}

#[test]
fn what_the_warm_up_asks_does_not_count() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let server = Server::http(move |_| {
        counted.fetch_add(1, Ordering::SeqCst);
        OK.to_vec()
    });
    let load = Load::new(server.target()).warm_up(Duration::from_millis(500));
    let summary = load.requests(10).run().expect("a run");
    assert_eq!(summary.executed, 10);
    assert!(asked.load(Ordering::SeqCst) > 10);
}

#[test]
fn a_time_ends_it_and_what_is_under_way_is_waited_for() {
    let server = Server::http(|_| OK.to_vec());
    let duration = Duration::from_millis(500);
    let load = Load::new(server.target()).users(3).duration(duration);
    let summary = load.run().expect("a run");
    assert_eq!(summary.failed, 0);
    assert!(summary.executed > 0);
    assert!(summary.run_time_s >= 0.5);
    let tps = summary.successful as f64 / summary.run_time_s;
    assert!((summary.tps - tps).abs() < 1e-6);
}

#[test]
fn a_summary_is_written_and_read_again() {
    let server = Server::http(|_| OK.to_vec());
    let summary = Load::new(server.target())
        .requests(20)
        .keep(5)
        .run()
        .expect("a run");
    let json = serde_json::to_string(&summary).expect("JSON");
    let read: Summary = serde_json::from_str(&json).expect("a summary");
    assert_eq!((read.executed, read.samples.len()), (20, 5));
    assert_eq!(summary.samples_to_csv().lines().count(), 6);
    assert_eq!(summary.to_csv().lines().count(), 1 + summary.seconds.len());
    let text = summary.to_string();
    for part in [
        "executed 20",
        "sample time",
        "latency",
        "connect time",
        "p99.9",
    ] {
        assert!(text.contains(part), "{text}");
    }
}
