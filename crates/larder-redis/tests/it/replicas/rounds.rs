//! Rounds: who is served by one, and what one that goes wrong does to the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use larder_redis::Reply;

use super::master::{Master, Shop, TIME};
use crate::told::{Told, name};

#[test]
fn one_wait_serves_all_changes_that_came_before_it() {
    let shop = Shop::new(2);
    shop.waits.answers.close();
    let first = shop.begin();
    assert_eq!(shop.waits.answers.waiting(), 1);
    let mut others: Vec<_> = (0..5).map(|_| shop.begin()).collect();
    // Whoever leaves takes the round from nobody.
    others.remove(2).cancel();
    shop.waits.answers.open();
    shop.time.run_until_idle();
    assert!(first.is_finished() && others.iter().all(|other| other.is_finished()));
    assert_eq!(shop.waits.names(), [["SET", "WAIT"]; 2]);
    assert_eq!((shop.unreplicated(), shop.time.tasks()), (0, 0));
}

#[test]
fn a_wait_without_an_answer_holds_nobody_longer_than_its_time_and_does_not_stop_the_next() {
    let shop = Shop::new(2);
    shop.waits.answers.close();
    let first = shop.begin();
    shop.time.advance(TIME / 2);
    let second = shop.begin();
    shop.time.advance(TIME / 2);
    assert!(first.is_finished() && !second.is_finished());
    shop.time.advance(TIME / 2);
    assert!(second.is_finished());
    assert_eq!(shop.unreplicated(), 2);
    // Both rounds are given up.
    shop.time.advance(4 * TIME);
    assert_eq!((shop.waits.answers.waiting(), shop.time.tasks()), (0, 0));
    shop.waits.answers.open();
    shop.change();
    assert_eq!(shop.unreplicated(), 2);
}

#[test]
fn a_wait_that_panics_does_not_stop_the_next() {
    let master = Arc::new(Master::default());
    master.replicas.store(2, Ordering::Relaxed);
    let broken = Arc::new(AtomicBool::new(true));
    let (sound, breaks) = (master.wire(), Arc::clone(&broken));
    let waits = Told::new(move |request| {
        let panics = name(request) == "WAIT" && breaks.load(Ordering::Relaxed);
        assert!(!panics, "a wire that panics");
        sound.reply(request)
    });
    let shop = Shop::over(master.wire(), waits);
    shop.change();
    assert_eq!(shop.unreplicated(), 1);
    broken.store(false, Ordering::Relaxed);
    shop.change();
    assert_eq!(shop.unreplicated(), 1);
}

#[test]
fn a_wait_whose_task_is_dropped_does_not_stop_the_next() {
    let shop = Shop::new(2);
    shop.waits.answers.close();
    drop(shop.begin());
    shop.time.drop_tasks();
    shop.waits.answers.open();
    shop.change();
    assert_eq!((shop.unreplicated(), shop.time.tasks()), (0, 0));
}

#[test]
fn a_server_that_is_full_or_answers_otherwise_is_no_replica() {
    for reply in [Reply::error("OOM", "full"), Reply::Nil, Reply::Int(7)] {
        let master = Arc::new(Master::default());
        let waits = Told::new(move |_| reply.clone());
        let shop = Shop::over(master.wire(), waits);
        shop.change();
        assert_eq!(shop.unreplicated(), 1);
    }
}
