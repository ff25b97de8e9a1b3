//! The connection for commands.

use std::time::Duration;

use larder_core::far::Certainty;
use larder_kit::Virtual;
use larder_redis::{Reply, Request};
use larder_sim::network::{Faults, OneIn, Stage, called};
use larder_sim::server::Server;

use super::{Heard, Rig, SECOND, bytes, certainty, get, set};

#[test]
fn replies_come_in_the_order_of_the_requests() {
    let rig = Rig::new();
    let link = rig.network.link(1);
    let sent = rig.send(&link, vec![set("a", "1"), get("a"), get("b")]);
    rig.time.run_until_idle();
    let replies = vec![Reply::ok(), Reply::bytes("1"), Reply::Nil];
    assert_eq!(rig.end(sent).expect("whole"), replies);
    let empty = rig.send(&link, Vec::new());
    rig.time.run_until_idle();
    assert_eq!(rig.end(empty).expect("whole"), []);
}

#[test]
fn one_connection_keeps_its_order_however_slow() {
    let rig = Rig::new();
    let step = Duration::from_millis(50);
    rig.network.set_faults(Faults {
        step,
        ..Faults::default()
    });
    let link = rig.network.link(1);
    let mut sent = Vec::new();
    for number in 0..100 {
        let text = number.to_string();
        sent.push((rig.send(&link, vec![set("a", &text), get("a")]), text));
        rig.time.advance(Duration::from_millis(3));
    }
    rig.time.advance(100 * 3 * step);
    for (sent, text) in sent {
        let replies = vec![Reply::ok(), Reply::bytes(text)];
        assert_eq!(rig.end(sent).expect("whole"), replies);
    }
}

#[test]
fn a_cluster_keeps_the_order_of_a_slot_alone() {
    let time = Virtual::new();
    let server = Server::cluster(&time);
    let rig = Rig::over(time, &server);
    let step = Duration::from_millis(50);
    rig.network.set_faults(Faults {
        step,
        ..Faults::default()
    });
    let link = rig.network.link(1);
    let mut overtaken = 0;
    for _ in 0..50 {
        rig.network.restart(false);
        let other = rig.network.link(2);
        let hears = Heard::on(&other);
        rig.time.advance(SECOND);
        let tell = |key: &str| Request::command("PUBLISH", vec![bytes("c"), bytes(key)]);
        let apart = get("x");
        // A publish goes by its channel, so both of these keep their order; the other has its own.
        let sent = rig.send(
            &link,
            vec![tell("1"), apart, tell("2"), set("c", "3"), get("c")],
        );
        rig.time.advance(SECOND);
        let replies = rig.end(sent).expect("whole");
        assert_eq!(replies[4], Reply::bytes("3"));
        assert_eq!(hears.take(), ["ready", "1", "2"]);
    }
    for _ in 0..50 {
        let both = rig.send(&link, vec![set("a", "1"), set("b", "1")]);
        while rig.text("a").is_empty() && rig.text("b").is_empty() {
            rig.time.advance(Duration::from_millis(1));
        }
        overtaken += usize::from(rig.text("a").is_empty());
        rig.time.advance(SECOND);
        drop(rig.end(both));
        rig.network.restart(false);
    }
    assert!((5..45).contains(&overtaken), "{overtaken} of 50");
}

#[test]
fn a_cut_is_told_at_once_and_what_waits_is_unknown() {
    let rig = Rig::new();
    let link = rig.network.link(1);
    let gate = link.hold(Stage::There, called("SET"));
    let waits = rig.send(&link, vec![set("a", "1")]);
    rig.time.run_until_idle();
    link.cut_commands();
    let sent = rig.send(&link, vec![get("a")]);
    rig.time.run_until_idle();
    assert_eq!(certainty(&rig.end(waits)), Some(Certainty::Unknown));
    assert_eq!(certainty(&rig.end(sent)), Some(Certainty::NotSent));
    assert_eq!(rig.text("a"), "");
    gate.open();
    rig.time.run_until_idle();
    assert_eq!(rig.text("a"), "1", "it runs after its sender gave up");
    link.mend_commands();
    let sent = rig.send(&link, vec![get("a")]);
    rig.time.run_until_idle();
    assert_eq!(rig.end(sent).expect("whole"), [Reply::bytes("1")]);
}

#[test]
fn what_is_under_way_at_a_cut_runs_or_not() {
    let rig = Rig::new();
    let step = Duration::from_millis(50);
    rig.network.set_faults(Faults {
        step,
        ..Faults::default()
    });
    let link = rig.network.link(1);
    let mut ran = 0;
    for round in 0..100 {
        let name = format!("a{round}");
        let sent = rig.send(&link, vec![set(&name, "1")]);
        rig.time.run_until_idle();
        link.cut_commands();
        rig.time.advance(SECOND);
        assert_eq!(certainty(&rig.end(sent)), Some(Certainty::Unknown));
        ran += rig.text(&name).len();
        link.mend_commands();
    }
    assert!((20..80).contains(&ran), "{ran} of 100");
}

#[test]
fn a_silent_peer_answers_nobody() {
    let rig = Rig::new();
    let link = rig.network.link(1);
    link.silence_commands();
    let sent = rig.send(&link, vec![set("a", "1")]);
    rig.time.advance(SECOND);
    assert!(!sent.is_finished());
    link.mend_commands();
    rig.time.advance(SECOND);
    assert_eq!(rig.text("a"), "");
}

#[test]
fn lost_requests_and_replies_get_no_answer() {
    let rig = Rig::new();
    let link = rig.network.link(1);
    link.lose(Stage::There, called("SET"));
    let first = rig.send(&link, vec![get("a"), set("a", "1"), set("b", "1")]);
    rig.time.advance(SECOND);
    assert_eq!(
        (rig.text("a"), rig.text("b")),
        (String::new(), String::new())
    );
    link.lose(Stage::Back, called("SET"));
    let second = rig.send(&link, vec![set("a", "2")]);
    rig.time.advance(SECOND);
    assert_eq!(rig.text("a"), "2");
    assert!(!first.is_finished() && !second.is_finished());
}

#[test]
fn who_gets_no_answer_may_be_told() {
    let always = OneIn(1);
    let unknown = Some(Certainty::Unknown);
    let cases = [
        (
            Faults {
                lost_requests: always,
                told: always,
                ..Faults::default()
            },
            unknown,
        ),
        (
            Faults {
                lost_replies: always,
                told: always,
                ..Faults::default()
            },
            unknown,
        ),
        (
            Faults {
                not_sent: always,
                ..Faults::default()
            },
            Some(Certainty::NotSent),
        ),
    ];
    for (faults, told) in cases {
        let rig = Rig::new();
        rig.network.set_faults(faults);
        let sent = rig.send(&rig.network.link(1), vec![set("a", "1")]);
        rig.time.run_until_idle();
        assert_eq!(certainty(&rig.end(sent)), told, "{faults:?}");
    }
}

#[test]
fn drawn_faults_do_what_their_names_say() {
    let always = OneIn(1);
    let late = SECOND;
    let cases = [
        (
            Faults {
                lost_requests: always,
                ..Faults::default()
            },
            ["", ""],
        ),
        (
            Faults {
                lost_replies: always,
                ..Faults::default()
            },
            ["1", "1"],
        ),
        (
            Faults {
                late_requests: always,
                late,
                ..Faults::default()
            },
            ["", "1"],
        ),
    ];
    for (faults, [soon, later]) in cases {
        let rig = Rig::new();
        rig.network.set_faults(faults);
        let sent = rig.send(&rig.network.link(1), vec![set("a", "1")]);
        rig.time.run_until_idle();
        assert_eq!(rig.text("a"), soon, "{faults:?}");
        rig.time.advance(late);
        assert_eq!(rig.text("a"), later, "{faults:?}");
        assert!(!sent.is_finished());
    }
}
