//! What another node sees of a change when messages are lost, cut off, doubled or out of order.

use std::time::Duration;

use larder_engine::Change as Done;
use larder_kit::{FarOperation, Virtual};

use super::rig::{Rig, TAG};
use super::support::{beat, shelf};
use crate::support::{SECOND, Source};

/// The blind ttl, which is longer than two heartbeats, and the deadline of one far operation.
const BOUND: Duration = Duration::from_millis(5_250);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Bus {
    /// The next message is lost.
    Loses,
    /// The connection falls silent and nobody is told.
    Cut,
    /// The same, and the reconnect is noticed in the end.
    Mended,
    /// Each message comes three times.
    Doubles,
    /// Messages come late, the last first.
    Reorders,
    /// All is well, and the reader's process stands still.
    Paused,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Change {
    Key,
    Tag,
    Clear,
    Put,
    Expire,
}

/// What the reader has when the change comes.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Holds {
    Value,
    /// A load that has read the source.
    Load,
    /// A far value that is not promoted yet.
    Answer,
}

const BUSES: [Bus; 6] = [
    Bus::Loses,
    Bus::Cut,
    Bus::Mended,
    Bus::Doubles,
    Bus::Reorders,
    Bus::Paused,
];
const CHANGES: [Change; 5] = [
    Change::Key,
    Change::Tag,
    Change::Clear,
    Change::Put,
    Change::Expire,
];
const HOLDS: [Holds; 3] = [Holds::Value, Holds::Load, Holds::Answer];

struct Stage {
    time: Virtual,
    reader: Rig,
    writer: Rig,
    source: Source,
}

impl Stage {
    fn new() -> Self {
        let time = Virtual::new();
        let shelf = shelf(&time);
        let (reader, writer) = (Rig::over(&time, &shelf), Rig::over(&time, &shelf));
        beat(&time);
        let source = Source::ready();
        Self {
            time,
            reader,
            writer,
            source,
        }
    }

    fn change(&self, change: Change) -> u64 {
        let (numbers, version) = (&self.writer.numbers, self.source.change());
        let done = self.time.block_on(async {
            match change {
                Change::Key => numbers.invalidate(&1).await,
                Change::Tag => numbers.invalidate_tag(TAG).await,
                Change::Clear => numbers.clear().await,
                Change::Put => numbers.put(&1, version).await,
                Change::Expire => numbers.expire(&1).await,
            }
        });
        assert_eq!(done, Done::Done);
        version
    }

    /// Takes the reader to where it holds something, and gives what lets it go on.
    fn hold(&self, holds: Holds) -> impl FnOnce() + use<> {
        let gate = match holds {
            Holds::Value => {
                self.reader.fetch(&self.time, &self.source);
                self.source.gate.clone()
            }
            Holds::Load => {
                self.source.gate.close();
                let _going = self.reader.call(&self.time, &self.source);
                self.source.gate.clone()
            }
            Holds::Answer => {
                self.writer.fetch(&self.time, &self.source);
                let gate = self.reader.slow.hold_after(FarOperation::Read);
                let _going = self.reader.call(&self.time, &self.source);
                gate
            }
        };
        self.time.run_until_idle();
        assert_eq!(
            gate.waiting(),
            usize::from(holds != Holds::Value),
            "{holds:?}"
        );
        self.reader.slow.hurry();
        let time = self.time.clone();
        move || {
            gate.open();
            time.run_until_idle();
        }
    }

    fn disturb(&self, bus: Bus) {
        match bus {
            Bus::Loses => self.reader.bus.lose(1),
            Bus::Cut | Bus::Mended => self.reader.bus.cut(),
            Bus::Doubles => self.reader.bus.double(2),
            Bus::Reorders | Bus::Paused => self.reader.bus.hold(),
        }
    }

    /// Until the promise holds.
    fn wait(&self, bus: Bus) {
        match bus {
            Bus::Loses | Bus::Cut => self.time.advance(BOUND),
            Bus::Mended => self.reader.bus.mend(),
            Bus::Doubles => {}
            Bus::Reorders => self.reader.bus.deliver(true),
            // The clock goes on, the tasks do not, and then the heartbeat is quicker than the
            // messages.
            Bus::Paused => {
                self.time.hand().advance(BOUND);
                self.time.run_until_idle();
            }
        }
    }
}

fn check(bus: Bus, change: Change, holds: Holds) -> Result<(), String> {
    let stage = Stage::new();
    let go_on = stage.hold(holds);
    stage.disturb(bus);
    let mut least = stage.change(change);
    if bus == Bus::Reorders {
        least = stage.change(change);
    }
    go_on();
    stage.wait(bus);
    for _ in 0..6 {
        let held = stage.reader.held(&stage.time);
        let seen = stage.reader.fetch(&stage.time, &stage.source);
        if seen < least || held.is_some_and(|held| held < least) {
            return Err(format!(
                "{bus:?} {change:?} {holds:?}: {held:?}, {seen} of {least}"
            ));
        }
        stage.time.advance(SECOND);
    }
    Ok(())
}

#[test]
fn after_the_bound_no_node_gets_an_older_value_whatever_became_of_messages() {
    let mut broken = Vec::new();
    for bus in BUSES {
        for change in CHANGES {
            broken.extend(HOLDS.map(|holds| check(bus, change, holds).err()));
        }
    }
    let broken: Vec<String> = broken.into_iter().flatten().collect();
    assert!(
        broken.is_empty(),
        "{} cases:\n{}",
        broken.len(),
        broken.join("\n")
    );
}

#[test]
fn a_value_lives_on_when_messages_are_doubled() {
    let stage = Stage::new();
    stage.reader.bus.double(3);
    stage.reader.fetch(&stage.time, &stage.source);
    stage.time.block_on(stage.writer.numbers.invalidate(&2));
    stage.time.advance(3 * SECOND);
    stage.reader.fetch(&stage.time, &stage.source);
    assert_eq!(stage.reader.numbers.stats().near, 1, "no gap, no loss");
}
