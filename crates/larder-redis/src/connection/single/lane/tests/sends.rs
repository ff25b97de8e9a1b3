//! Who sends, and when.

use super::*;

#[test]
fn the_first_who_asks_sends_at_its_next_turn_for_all_who_have_asked_meanwhile() {
    let server = Server::with_room(1000);
    let lane = lane(&server);
    let sender = Sender::of(&lane);
    let (first, mut duty) = asked(&lane, "a");
    assert!(turn(&mut duty), "after those who are ready");
    let (second, mut none) = asked(&lane, "b");
    assert!(!turn(&mut none), "one has the duty already");
    assert_eq!(server.taken(), "");
    assert!(!turn(&mut duty), "no turn more than that");
    assert_eq!(server.taken(), "ab");
    let (third, mut duty) = asked(&lane, "c");
    assert!(turn(&mut duty) && !turn(&mut duty));
    assert_eq!(server.taken(), "abc");
    assert_eq!(
        server.calls.load(Ordering::Relaxed),
        2,
        "the first two by one"
    );
    answer(&lane, &[1, 2]).unwrap();
    assert_eq!(poll(&first), Poll::Ready(Ok(vec![Reply::Int(1)])));
    assert_eq!(poll(&second), Poll::Ready(Ok(vec![Reply::Int(2)])));
    assert!(poll(&third).is_pending());
    assert!(sender.woken() <= 1);
}

#[test]
fn enough_together_go_out_by_who_is_the_last_of_them() {
    let server = Server::with_room(1000);
    let lane = lane(&server);
    let _sender = Sender::of(&lane);
    let _few: Vec<_> = (1..LEAST).map(|_| ask(&lane, "x")).collect();
    assert_eq!(server.taken(), "");
    let _last = ask(&lane, "x");
    assert_eq!(server.taken().len(), LEAST);
    assert_eq!(server.calls.load(Ordering::Relaxed), 1);
}

#[test]
fn the_more_wait_for_answers_the_more_go_out_together() {
    let server = Server::with_room(usize::MAX);
    let lane = lane(&server);
    let _sender = Sender::of(&lane);
    let places: Vec<_> = (0..PART * MOST).map(|_| send(&lane, "x")).collect();
    let before = server.taken().len();
    assert_eq!(before, places.len());
    let _some: Vec<_> = (1..MOST).map(|_| ask(&lane, "x")).collect();
    assert_eq!(server.taken().len(), before);
    let _last = ask(&lane, "x");
    assert_eq!(server.taken().len(), before + MOST);
}

#[test]
fn a_duty_is_over_when_others_have_sent() {
    let server = Server::with_room(1000);
    let lane = lane(&server);
    let _sender = Sender::of(&lane);
    let (_first, mut duty) = asked(&lane, "a");
    assert!(turn(&mut duty));
    let _enough: Vec<_> = (1..LEAST).map(|_| ask(&lane, "x")).collect();
    let _next = ask(&lane, "y");
    turn(&mut duty);
    assert_eq!(
        server.calls.load(Ordering::Relaxed),
        1,
        "not the next batch"
    );
}

#[test]
fn who_leaves_sends_what_it_had_to() {
    let server = Server::with_room(1000);
    let lane = lane(&server);
    let _sender = Sender::of(&lane);
    let (_first, duty) = asked(&lane, "a");
    let _second = ask(&lane, "b");
    assert_eq!(server.taken(), "");
    drop(duty);
    assert_eq!(server.taken(), "ab");
}

#[test]
fn what_is_left_by_who_gets_no_turn_is_looked_after_when_the_server_has_nothing_else_to_answer() {
    let server = Server::with_room(1000);
    let lane = lane(&server);
    let sender = Sender::of(&lane);
    let _first = send(&lane, "a");
    let _left = ["b", "c"].map(|text| ask(&lane, text));
    assert_eq!(lane.watched(), None, "an answer is under way");
    answer(&lane, &[1]).unwrap();
    assert_eq!(sender.woken(), 1);
    let round = lane.watched().unwrap();
    lane.send_left(round);
    assert_eq!(server.taken(), "abc");
    assert_eq!(lane.watched(), None);
}

#[test]
fn who_asks_behind_what_was_left_has_it_looked_after() {
    let server = Server::with_room(1000);
    let lane = lane(&server);
    let sender = Sender::of(&lane);
    let _left = ask(&lane, "a");
    assert_eq!(
        (lane.watched(), sender.woken()),
        (None, 0),
        "it harms nobody"
    );
    let _others = ["b", "c"].map(|text| ask(&lane, text));
    assert_eq!(sender.woken(), 1, "once");
    lane.send_left(lane.watched().unwrap());
    assert_eq!(server.taken(), "abc");
}

#[test]
fn what_is_looked_after_and_goes_out_otherwise_is_not_sent_before_its_time() {
    let server = Server::with_room(1000);
    let lane = lane(&server);
    let sender = Sender::of(&lane);
    let (_first, duty) = asked(&lane, "a");
    let _second = ask(&lane, "b");
    let round = lane.watched().unwrap();
    drop(duty);
    answer(&lane, &[1, 2]).unwrap();
    let _next = ["c", "d"].map(|text| ask(&lane, text));
    lane.send_left(round);
    assert_eq!(server.taken(), "ab");
    lane.send_left(lane.watched().unwrap());
    assert_eq!(server.taken(), "abcd");
    assert_eq!(sender.woken(), 1);
}

#[test]
fn what_comes_before_the_sender_has_begun_goes_out_when_it_does() {
    let server = Server::with_room(1000);
    let lane = lane(&server);
    let _first = send(&lane, "a");
    assert_eq!(server.taken(), "");
    let _sender = Sender::of(&lane);
    assert_eq!(server.taken(), "a");
}
