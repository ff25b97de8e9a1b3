//! What is logged: changes of state once, and never a secret.

use std::fmt::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::with_default;
use tracing::{Dispatch, Event, Level, Metadata, Subscriber};

/// All that is logged, at every level, a line each.
#[derive(Clone, Default)]
pub(crate) struct Log {
    lines: Arc<Mutex<Vec<(Level, String)>>>,
    spans: Arc<AtomicU64>,
}

impl Log {
    pub(crate) fn of(run: impl FnOnce()) -> Self {
        // Where there is one log only, a place that logs is judged for all threads by the first that
        // comes to it, which may be one without.
        static OTHER: OnceLock<Dispatch> = OnceLock::new();
        OTHER.get_or_init(|| Dispatch::new(Self::default()));
        let log = Self::default();
        with_default(log.clone(), run);
        log
    }

    pub(crate) fn lines(&self) -> Vec<(Level, String)> {
        self.lines.lock().unwrap().clone()
    }

    /// The lines that are for everybody.
    pub(crate) fn notable(&self) -> Vec<String> {
        let lines = self.lines().into_iter();
        let notable = lines.filter(|(level, _)| *level <= Level::INFO);
        notable
            .map(|(level, text)| format!("{level}:{text}"))
            .collect()
    }

    fn note(&self, metadata: &Metadata<'_>, fields: impl FnOnce(&mut Line)) {
        let mut line = Line(metadata.name().to_owned());
        fields(&mut line);
        let level = *metadata.level();
        self.lines.lock().unwrap().push((level, line.0));
    }
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {}={value:?}", field.name()).unwrap();
    }
}

impl Subscriber for Log {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "larder"
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.note(span.metadata(), |line| span.record(line));
        Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        let mut line = Line(String::new());
        values.record(&mut line);
        self.lines.lock().unwrap().push((Level::TRACE, line.0));
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(String::new());
        event.record(&mut line);
        let level = *event.metadata().level();
        self.lines.lock().unwrap().push((level, line.0));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}
