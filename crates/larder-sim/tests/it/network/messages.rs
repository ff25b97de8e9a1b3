//! The connection for messages.

use std::time::Duration;

use larder_core::far::Certainty;
use larder_redis::Request;
use larder_sim::network::{Faults, OneIn, Stage, called};

use super::{Heard, Rig, SECOND, bytes, certainty, set};

fn publish(text: &str) -> Request {
    Request::command("PUBLISH", vec![bytes("c"), bytes(text)])
}

#[test]
fn messages_come_in_order_to_each_link() {
    let rig = Rig::new();
    let step = Duration::from_millis(50);
    rig.network.set_faults(Faults {
        step,
        ..Faults::default()
    });
    let (one, two) = (rig.network.link(1), rig.network.link(2));
    let ears = [Heard::on(&one), Heard::on(&two)];
    rig.time.advance(SECOND);
    let all: Vec<_> = (0..9).map(|number| number.to_string()).collect();
    let sent = rig.send(&one, all.iter().map(|text| publish(text)).collect());
    rig.time.advance(SECOND);
    assert!(sent.is_finished());
    for ear in ears {
        assert_eq!(ear.take(), [&["ready".to_owned()][..], &all].concat());
    }
}

#[test]
fn a_break_of_messages_is_told_and_so_is_their_return() {
    let rig = Rig::new();
    let (one, two) = (rig.network.link(1), rig.network.link(2));
    let heard = Heard::on(&one);
    rig.time.run_until_idle();
    let say = |text: &str| {
        let sent = rig.send(&two, vec![publish(text)]);
        rig.time.run_until_idle();
        rig.end(sent).expect("whole");
    };
    say("a");
    one.cut_messages();
    say("b");
    one.mend_messages();
    say("c");
    rig.time.run_until_idle();
    say("d");
    assert_eq!(heard.take(), ["ready", "a", "lost", "ready", "c", "d"]);

    one.silence_messages();
    say("e");
    assert_eq!(heard.take(), [""; 0]);
    one.mend_messages();
    rig.time.run_until_idle();
    say("f");
    assert_eq!(heard.take(), ["lost", "ready", "f"]);
}

#[test]
fn messages_are_lost_held_doubled_and_late() {
    let rig = Rig::new();
    let link = rig.network.link(1);
    let heard = Heard::on(&link);
    rig.time.run_until_idle();
    let say = |text: &str| {
        let sent = rig.send(&link, vec![publish(text)]);
        rig.time.run_until_idle();
        rig.end(sent).expect("whole");
    };
    link.lose_messages(1);
    say("a");
    say("b");
    assert_eq!(heard.take(), ["ready", "b"]);
    let gate = link.hold_messages();
    say("c");
    say("d");
    assert_eq!(heard.take(), [""; 0]);
    gate.open();
    rig.time.run_until_idle();
    assert_eq!(heard.take(), ["c", "d"]);

    let (late, always) = (SECOND, OneIn(1));
    rig.network.set_faults(Faults {
        doubled_messages: always,
        late,
        ..Faults::default()
    });
    say("e");
    rig.time.advance(SECOND);
    assert_eq!(heard.take(), ["e", "e"]);

    rig.network.set_faults(Faults {
        slow_messages: always,
        late,
        ..Faults::default()
    });
    say("f");
    assert_eq!(heard.take(), [""; 0]);
    rig.network.set_faults(Faults::default());
    say("g");
    rig.time.advance(SECOND);
    assert_eq!(heard.take(), ["g", "f"], "the younger one overtook");
}

#[test]
fn a_new_server_breaks_every_connection() {
    let rig = Rig::new();
    let link = rig.network.link(1);
    let heard = Heard::on(&link);
    let gate = link.hold(Stage::Back, called("SET"));
    let sent = rig.send(&link, vec![set("a", "1")]);
    rig.time.run_until_idle();
    rig.network.fail_over();
    rig.time.run_until_idle();
    assert_eq!(certainty(&rig.end(sent)), Some(Certainty::Unknown));
    assert_eq!(rig.text("a"), "1");
    rig.network.restart(false);
    rig.time.run_until_idle();
    assert_eq!(rig.text("a"), "");
    assert_eq!(heard.take(), ["ready", "lost", "ready", "lost", "ready"]);
    gate.open();
}
