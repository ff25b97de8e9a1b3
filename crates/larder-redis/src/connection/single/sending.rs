//! What goes to a server, where nobody who asks sends it.

use std::future::{Future as _, poll_fn};
use std::pin::Pin;
use std::task::{Poll, ready};
use std::time::Duration;

use smol::Timer;

use super::lane::Lane;

/// How long requests may wait for the task that has to send them, once the server has nothing else to
/// answer: the executor of that task may be blocked, or its future kept without being polled.
const LEFT: Duration = Duration::from_millis(1);

/// Sends what the system did not take at once, and what was left behind, until the end.
pub(super) async fn send(lane: &Lane) {
    let mut waits: Option<(Timer, u64)> = None;
    poll_fn(|context| {
        if lane.poll_send(context).is_ready() {
            return Poll::Ready(());
        }
        loop {
            match &mut waits {
                Some((timer, round)) => {
                    ready!(Pin::new(timer).poll(context));
                    lane.send_left(*round);
                    waits = None;
                }
                None => match lane.watched() {
                    Some(round) => waits = Some((Timer::after(LEFT), round)),
                    None => return Poll::Pending,
                },
            }
        }
    })
    .await;
}
