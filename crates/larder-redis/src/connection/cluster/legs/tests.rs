//! Batches on their way, without nodes.

use super::*;

fn place(port: u16) -> Place {
    let host = "h".to_owned();
    Place { host, port }
}

/// Slots up to 9999 are on 1, the others on 2; 16383 is nobody's.
fn map() -> SlotMap {
    let range = |first, last, port| {
        let node = Reply::Array(vec![Reply::bytes("h"), Reply::Int(port)]);
        Reply::Array(vec![Reply::Int(first), Reply::Int(last), node])
    };
    let ranges = vec![range(0, 9_999, 1), range(10_000, 16_382, 2)];
    SlotMap::read(Reply::Array(ranges), &place(1)).unwrap()
}

fn get(key: &'static str) -> Request {
    Request::command("GET", vec![key.into()])
}

/// `LOW` lies on 1, `HIGH` on 2.
const LOW: &str = "{}foo";
const HIGH: &str = "foo";

fn sent(load: &Load, batch: &[Request]) -> (u16, usize) {
    (load.to().port, load.requests(batch).len())
}

fn moved(slot: usize, port: u16) -> Reply {
    Reply::error("MOVED", format!("{slot} h:{port}"))
}

#[test]
fn each_node_gets_its_own_and_replies_keep_their_places() {
    let batch = [get(HIGH), get(LOW), get(HIGH)];
    let mut legs = Legs::new(&batch, &map());
    let mut learned = Learned::default();
    let loads = legs.loads();
    let all: Vec<_> = loads.iter().map(|load| sent(load, &batch)).collect();
    assert_eq!(all, [(2, 2), (1, 1)]);
    for (load, replies) in loads.into_iter().zip([vec![1, 3], vec![2]]) {
        let replies = replies.into_iter().map(Reply::Int).collect();
        legs.take(load, replies, &mut learned).unwrap();
    }
    assert!(legs.loads().is_empty());
    assert_eq!(legs.end(), [1, 2, 3].map(Reply::Int));
    assert_eq!(learned, Learned::default());
}

#[test]
fn what_goes_to_one_node_is_not_copied() {
    let batch = [get(HIGH), get(HIGH)];
    let loads = Legs::new(&batch, &map()).loads();
    assert!(matches!(loads[0].requests(&batch), Cow::Borrowed(_)));
}

#[test]
fn what_moved_follows_in_its_order_and_the_slot_is_learned() {
    let batch = [get(LOW), get(HIGH), get(HIGH)];
    let mut legs = Legs::new(&batch, &map());
    let mut learned = Learned::default();
    let mut loads = legs.loads();
    let gone = vec![moved(12_182, 3), moved(12_182, 3)];
    legs.take(loads.remove(1), gone, &mut learned).unwrap();
    legs.take(loads.remove(0), vec![Reply::Int(1)], &mut learned)
        .unwrap();
    assert_eq!(learned.moved, [(12_182, place(3)), (12_182, place(3))]);
    let mut loads = legs.loads();
    assert_eq!(sent(&loads[0], &batch), (3, 2));
    let replies = vec![Reply::Int(2), Reply::Int(3)];
    legs.take(loads.remove(0), replies, &mut learned).unwrap();
    assert_eq!(legs.end(), [1, 2, 3].map(Reply::Int));
}

#[test]
fn an_exception_is_asked_for_before_each_request() {
    let batch = [get(HIGH)];
    let mut legs = Legs::new(&batch, &map());
    let mut learned = Learned::default();
    let load = legs.loads().remove(0);
    let ask = Reply::error("ASK", "12182 h:3");
    legs.take(load, vec![ask], &mut learned).unwrap();
    let load = legs.loads().remove(0);
    let names: Vec<_> = load
        .requests(&batch)
        .iter()
        .map(|r| format!("{r:?}"))
        .collect();
    assert_eq!(names, ["ASKING, 0 arguments", "GET, 1 arguments"]);
    let later = Reply::error("TRYAGAIN", "");
    legs.take(load, vec![Reply::ok(), later], &mut learned)
        .unwrap();
    assert!(
        learned.later && learned.moved.is_empty(),
        "the slot is where it was"
    );
    let load = legs.loads().remove(0);
    assert_eq!(sent(&load, &batch), (3, 2), "it asks again");
    legs.take(load, vec![Reply::ok(), Reply::Nil], &mut learned)
        .unwrap();
    assert_eq!(legs.end(), [Reply::Nil]);
}

#[test]
fn an_order_that_was_lost_is_an_error_of_unknown_end() {
    let batch = [get(HIGH), get(HIGH)];
    let mut legs = Legs::new(&batch, &map());
    let load = legs.loads().remove(0);
    let parted = vec![moved(12_182, 3), Reply::Nil];
    let error = legs
        .take(load, parted, &mut Learned::default())
        .unwrap_err();
    assert_eq!(error.certainty(), larder_core::far::Certainty::Unknown);
}

#[test]
fn replies_that_do_not_fit_are_an_error() {
    let batch = [get(HIGH)];
    for replies in [vec![], vec![Reply::Nil, Reply::Nil]] {
        let mut legs = Legs::new(&batch, &map());
        let load = legs.loads().remove(0);
        assert!(legs.take(load, replies, &mut Learned::default()).is_err());
    }
}

#[test]
fn what_nobody_serves_is_answered_and_the_rest_goes() {
    // In slot 16383, as a server says.
    let batch = [get("hia"), get(LOW), Request::on_master(9, "SCAN", vec![])];
    let mut legs = Legs::new(&batch, &map());
    let mut loads = legs.loads();
    assert_eq!(loads.len(), 1);
    legs.take(loads.remove(0), vec![Reply::Nil], &mut Learned::default())
        .unwrap();
    assert!(legs.is_down());
    let replies = legs.end();
    assert!(is_down(&replies[0]) && is_down(&replies[2]));
    assert_eq!(replies[1], Reply::Nil);
}
