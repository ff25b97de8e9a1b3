//! Open loops: requests start when they are meant to, whatever the answers take.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use larder_load::{Http, Load};

use crate::server::{OK, Server};

const STALL: Duration = Duration::from_secs(1);

/// Its first answer takes long, all others no time.
fn stalling() -> Server {
    let stalled = AtomicBool::new(false);
    Server::http(move |_| {
        if !stalled.swap(true, Ordering::SeqCst) {
            smol::block_on(smol::Timer::after(STALL));
        }
        OK.to_vec()
    })
}

fn one_user(target: Http) -> Load {
    Load::new(target).requests(60).keep(60)
}

#[test]
fn a_stall_is_seen_by_all_that_were_meant_to_start_in_it() {
    let server = stalling();
    let load = one_user(server.target()).rate(100.0);
    let summary = load.run().expect("a run");
    assert_eq!((summary.successful, summary.unsent), (60, 0));
    assert_eq!(summary.rate, Some(100.0));
    for (number, sample) in summary.samples.iter().enumerate() {
        let meant = number as f64 * 10.0;
        assert!((sample.start_ms - meant).abs() < 0.001);
        // No answer came before the first, however short the wait for it itself was.
        assert!(sample.start_ms + sample.sample_ms >= 999.0, "{sample:?}");
        assert!(sample.latency_ms.expect("an answer") <= sample.sample_ms);
    }
    assert!(summary.sample_time.mean_ms >= 700.0, "{summary}");
    assert!(summary.run_time_s >= 0.999);
}

#[test]
fn in_a_closed_loop_the_same_stall_is_one_request() {
    let server = stalling();
    let summary = one_user(server.target()).run().expect("a run");
    let slow = summary
        .samples
        .iter()
        .filter(|sample| sample.sample_ms >= 999.0);
    // The first, and on a busy machine perhaps a few more.
    assert!((1..30).contains(&slow.count()), "{summary}");
}

#[test]
fn users_beyond_the_first_start_while_it_waits() {
    let server = stalling();
    let summary = one_user(server.target()).users(60).rate(100.0).run();
    let summary = summary.expect("a run");
    assert_eq!(summary.successful, 60);
    // Others have users of their own, who wait for nobody: they end while the first still waits.
    let ends = summary.samples[1..]
        .iter()
        .map(|sample| sample.start_ms + sample.sample_ms);
    assert!(
        ends.min_by(f64::total_cmp).expect("samples") < 299.0,
        "{summary}"
    );
    assert!(summary.sample_time.max_ms >= 999.0);
}

#[test]
fn what_nobody_was_free_for_is_counted_as_unsent() {
    let server = Server::http(|_| {
        smol::block_on(smol::Timer::after(STALL));
        OK.to_vec()
    });
    let load = Load::new(server.target()).users(2).rate(100.0);
    let summary = load.duration(STALL / 2).run().expect("a run");
    assert_eq!((summary.executed, summary.unsent), (2, 48));
}

#[test]
fn a_warm_up_at_a_rate_comes_before_the_count() {
    let server = Server::http(|_| OK.to_vec());
    let load = Load::new(server.target()).users(4).rate(200.0);
    let load = load
        .warm_up(Duration::from_millis(100))
        .requests(20)
        .keep(20);
    let summary = load.run().expect("a run");
    assert_eq!(summary.executed, 20, "{summary}");
    assert!(summary.samples[0].start_ms < 0.001);
}
