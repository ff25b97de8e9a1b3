//! The one place from which a flight is ended.

use std::fmt;
use std::sync::Arc;

use larder_core::{LoadError, LoadErrorKind};

use crate::board::{Board, Place};
use crate::caught::{caught, discard};
use crate::flight::Flight;

/// The one place from which a flight is ended: first its leader has it, then the load's task.
///
/// Dropped without [`end`](Self::end), it ends the flight with an error. In any case it gives the
/// permits back and takes the flight off the board.
pub(crate) struct Seat<K, V> {
    board: Arc<Board<K, V>>,
    place: Place,
    flight: Arc<Flight<V>>,
    /// The load runs in its leader's task: dropped, it is the others' to go on.
    held: bool,
}

impl<K, V> Seat<K, V> {
    pub(crate) fn new(board: Arc<Board<K, V>>, place: Place, flight: Arc<Flight<V>>) -> Self {
        Self {
            board,
            place,
            flight,
            held: false,
        }
    }

    pub(crate) fn hold(&mut self) {
        self.held = true;
    }

    pub(crate) fn flight(&self) -> &Arc<Flight<V>> {
        &self.flight
    }

    /// Ends the flight with the answer of `decide`, which is asked only if nobody has ended it
    /// before. The permits of a load with one flight are free before anyone hears of the answer.
    pub(crate) fn end(self, decide: impl FnOnce() -> Result<V, LoadError>) {
        if self.flight.claim() {
            let answer = caught(decide).and_then(|answer| answer);
            self.flight.place().free();
            self.flight.publish(answer);
        }
    }

    fn abandoned(&self) -> LoadError {
        let (kind, text) = if self.held {
            (
                LoadErrorKind::HandedOver,
                "the load ran in the task of a caller that has left",
            )
        } else if self.flight.has_begun() {
            (
                LoadErrorKind::Refused,
                "the runtime dropped the load before it ended",
            )
        } else if std::thread::panicking() {
            (
                LoadErrorKind::Panicked,
                "the caller that was to start the load panicked",
            )
        } else {
            (
                LoadErrorKind::Refused,
                "the caller that was to start the load did not",
            )
        };
        LoadError::new(kind, text)
    }
}

impl<K, V> Drop for Seat<K, V> {
    fn drop(&mut self) {
        self.flight.place().free();
        if self.flight.claim() {
            self.flight.publish(Err(self.abandoned()));
        }
        discard(self.board.remove(self.place));
    }
}

impl<K, V> fmt::Debug for Seat<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.flight.fmt(f)
    }
}
