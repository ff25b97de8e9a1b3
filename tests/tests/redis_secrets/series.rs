//! All that is measured, by whomever.

use std::sync::Mutex;

use metrics::{
    Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
    set_global_recorder,
};

struct Series;

static NAMES: Mutex<String> = Mutex::new(String::new());

/// Keeps the name, the labels and the description of every series of every crate from now on.
pub(crate) fn keep() {
    set_global_recorder(Series).unwrap();
}

/// What has been kept so far.
pub(crate) fn names() -> String {
    NAMES.lock().unwrap().clone()
}

fn add(what: impl std::fmt::Debug) {
    *NAMES.lock().unwrap() += &format!("{what:?}\n");
}

impl Recorder for Series {
    fn describe_counter(&self, name: KeyName, _: Option<Unit>, text: SharedString) {
        add((name, text));
    }

    fn describe_gauge(&self, name: KeyName, _: Option<Unit>, text: SharedString) {
        add((name, text));
    }

    fn describe_histogram(&self, name: KeyName, _: Option<Unit>, text: SharedString) {
        add((name, text));
    }

    fn register_counter(&self, key: &Key, metadata: &Metadata<'_>) -> Counter {
        add((key, metadata));
        Counter::noop()
    }

    fn register_gauge(&self, key: &Key, metadata: &Metadata<'_>) -> Gauge {
        add((key, metadata));
        Gauge::noop()
    }

    fn register_histogram(&self, key: &Key, metadata: &Metadata<'_>) -> Histogram {
        add((key, metadata));
        Histogram::noop()
    }
}
