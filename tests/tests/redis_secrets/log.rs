//! All that is logged, by whomever.

use std::fmt::{self, Write as _};
use std::sync::{Mutex, OnceLock};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::set_global_default;
use tracing::{Event, Metadata, Subscriber};

struct Log;

static LINES: Mutex<String> = Mutex::new(String::new());

struct Line(String);

/// Keeps every line of every crate from now on, at every level.
pub(crate) fn keep() {
    static KEPT: OnceLock<()> = OnceLock::new();
    KEPT.get_or_init(|| set_global_default(Log).unwrap());
}

/// All lines so far.
pub(crate) fn lines() -> String {
    LINES.lock().unwrap().clone()
}

fn add(metadata: &Metadata<'_>, record: impl FnOnce(&mut Line)) {
    let mut line = Line(format!("{} {} ", metadata.level(), metadata.target()));
    record(&mut line);
    *LINES.lock().unwrap() += &format!("{}\n", line.0);
}

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        add(span.metadata(), |line| span.record(line));
        Id::from_u64(1)
    }

    fn event(&self, event: &Event<'_>) {
        add(event.metadata(), |line| event.record(line));
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        let mut line = Line(String::new());
        values.record(&mut line);
        *LINES.lock().unwrap() += &line.0;
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}
