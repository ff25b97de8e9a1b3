//! Loads that run in the task of a caller.

use std::borrow::Cow;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use futures_lite::future::zip;
use larder::{Cache, LoadError, LoadErrorKind, cacheable};
use larder_kit::{Gate, Virtual};

use crate::support::{Calls, cache};

type Numbers = Cache<u64, usize>;

/// Neither `Clone` nor `Send`.
struct Shop {
    numbers: Numbers,
    calls: Rc<Cell<usize>>,
    last: Cell<u64>,
}

impl Shop {
    #[cacheable(self.numbers, key = no, load = hand_over, tags = |_| [note.unwrap_or("none"), list[0]])]
    async fn number(
        &self,
        no: u64,
        note: Option<&str>,
        list: &[&str],
        text: Cow<'_, str>,
    ) -> Result<usize, LoadError> {
        println!("{self_calls:?}", self_calls = self.calls);
        self.calls.set(self.calls.get() + 1);
        self.last.set(no);
        futures_lite::future::yield_now().await;
        Ok(text.len() + note.map_or(0, str::len) + list.len() + self.calls.get() * 100)
    }
}

#[test]
fn it_borrows_everything_and_need_not_be_send() {
    let time = Virtual::new();
    let shop = Shop {
        numbers: cache(&time),
        calls: Rc::default(),
        last: Cell::new(0),
    };
    let text = "abc".to_owned();
    let call = |no: u64| shop.number(no, Some("a"), &["x", "y"], Cow::Borrowed(&text));
    time.block_on(async {
        assert_eq!(call(1).await.ok(), Some(106));
        assert_eq!(call(1).await.ok(), Some(106));
        assert_eq!(zip(call(2), call(2)).await.0.ok(), Some(206));
        assert_eq!((shop.calls.get(), shop.last.get()), (2, 2));
        shop.numbers.invalidate_tag("x").await;
        assert_eq!(call(1).await.ok(), Some(306));
    });
}

#[cacheable(cache, key = no, load = hand_over)]
async fn gated(
    cache: &Numbers,
    no: u64,
    calls: &Calls,
    gate: &Gate,
) -> Result<Arc<usize>, LoadError> {
    let call = calls.enter();
    gate.wait().await;
    Ok(Arc::new(call))
}

#[cacheable(cache, key = no)]
async fn detached(
    cache: &Numbers,
    no: u64,
    calls: &Calls,
    gate: &Gate,
) -> Result<Arc<usize>, LoadError> {
    let call = calls.enter();
    gate.wait().await;
    Ok(Arc::new(call))
}

#[test]
fn who_waits_goes_on_with_a_load_of_its_own_if_the_caller_leaves() {
    let time = Virtual::new();
    let (cache, calls, gate): (Numbers, _, _) = (cache(&time), Calls::default(), Gate::closed());
    let spawn = |by_hand: bool| {
        let (cache, calls, gate) = (cache.clone(), calls.clone(), gate.clone());
        let call = time.spawn(async move {
            if by_hand {
                gated(&cache, 1, &calls, &gate).await
            } else {
                detached(&cache, 1, &calls, &gate).await
            }
        });
        time.run_until_idle();
        call
    };
    let (first, second, third) = (spawn(true), spawn(true), spawn(false));
    assert_eq!(calls.count(), 1, "the others wait");
    first.cancel();
    time.run_until_idle();
    assert_eq!(calls.count(), 2, "one of them goes on for both");
    gate.open();
    let answers = [time.block_on(second), time.block_on(third)];
    for answer in answers {
        assert_eq!(answer.ok().as_deref(), Some(&2));
    }
    assert_eq!(calls.count(), 2);
}

#[cacheable(cache, key = no, load = hand_over, deadline = "2s")]
async fn hangs(cache: &Numbers, no: u64, gate: &Gate) -> Result<usize, LoadError> {
    gate.wait().await;
    Ok(no as usize)
}

#[test]
fn it_has_a_deadline() {
    let time = Virtual::auto();
    let cache: Numbers = cache(&time);
    let gate = Gate::closed();
    let error = time
        .block_on(hangs(&cache, 1, &gate))
        .expect_err("it is closed");
    assert_eq!(error.kind(), LoadErrorKind::TimedOut);
    gate.open();
    assert_eq!(time.block_on(hangs(&cache, 1, &gate)).ok(), Some(1));
}

/// All that it holds is `Send`, so it is too.
#[test]
fn it_is_send_where_what_it_borrows_is() {
    fn is_send<T: Send>(future: T) -> T {
        future
    }
    let time = Virtual::new();
    let (cache, calls, gate): (Numbers, _, _) = (cache(&time), Calls::default(), Gate::opened());
    let call = is_send(gated(&cache, 1, &calls, &gate));
    assert_eq!(time.block_on(call).ok().as_deref(), Some(&1));
}
