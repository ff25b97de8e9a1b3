//! How much may be under way.

use std::sync::Arc;

use larder_core::far::Certainty;
use larder_kit::{Spawned, Virtual};
use larder_redis::{Connection, Reply, Request, Wire};

use crate::states::ask;
use crate::target::Scripted;
use crate::{over_with, settings};

fn set(connection: &Arc<Connection>, time: &Virtual, bytes: usize) -> Spawned<Option<Certainty>> {
    let asking = connection.clone();
    let request = Request::command("SET", vec![vec![b'x'; bytes].into()]);
    let answer = time.spawn(async move {
        let answer = asking.send(vec![request]).await;
        answer.err().map(|error| error.certainty())
    });
    time.run_until_idle();
    answer
}

#[test]
fn one_batch_too_many_is_refused_at_once_and_never_sent() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = Arc::new(over_with(&target, &time, &settings().requests(3)));
    let session = target.session();
    session.answers.close();
    let waiting: Vec<_> = (0..3).map(|_| set(&connection, &time, 1)).collect();
    let refused = set(&connection, &time, 1);
    assert_eq!(time.block_on(refused), Some(Certainty::NotSent));
    assert_eq!((session.sent(), connection.health().under_way), (3, 3));
    assert_eq!(connection.health().counts.refused, 1);
    session.answers.open();
    for answer in waiting {
        assert_eq!(time.block_on(answer), None);
    }
    assert_eq!(ask(&connection, &time), Ok(Reply::ok()));
    assert_eq!(target.sessions(), 1, "a busy server is no dead one");
}

#[test]
fn bytes_under_way_are_bounded_and_one_large_batch_passes_alone() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = Arc::new(over_with(&target, &time, &settings().buffer(100)));
    let session = target.session();
    session.answers.close();
    let large = set(&connection, &time, 1000);
    let refused = set(&connection, &time, 1);
    assert_eq!(time.block_on(refused), Some(Certainty::NotSent));
    session.answers.open();
    assert_eq!(time.block_on(large), None);
    session.answers.close();
    let _half = set(&connection, &time, 60);
    let refused = set(&connection, &time, 60);
    assert_eq!(time.block_on(refused), Some(Certainty::NotSent));
    assert!(!set(&connection, &time, 40).is_finished(), "it is sent");
}

#[test]
fn bug_g3_who_leaves_takes_his_place_along_only_with_an_answer() {
    let time = Virtual::new();
    let target = Scripted::new(&time);
    let connection = Arc::new(over_with(&target, &time, &settings().requests(2)));
    let session = target.session();
    session.answers.close();
    for _ in 0..2 {
        set(&connection, &time, 1).cancel();
    }
    let refused = set(&connection, &time, 1);
    assert_eq!(time.block_on(refused), Some(Certainty::NotSent));
    session.answers.open();
    time.advance(std::time::Duration::from_secs(1));
    assert_eq!(connection.health().under_way, 0);
    assert_eq!(ask(&connection, &time), Ok(Reply::ok()));
}
