//! What is logged: each change of state once, and never where or as whom. It is alone in its process:
//! where others log to nobody at the same moment, lines get lost.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "what it shares can do more")]

#[path = "../supervisor/ears.rs"]
mod ears;
#[path = "../supervisor/played.rs"]
mod played;
#[path = "../supervisor/target.rs"]
mod target;
#[path = "../supervisor/town.rs"]
mod town;

use std::fmt::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use larder_kit::Virtual;
use larder_redis::{ConnectError, ConnectErrorKind, Connection, Reply, Request, Settings, Wire};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::with_default;
use tracing::{Event, Metadata, Subscriber};

use target::{Plan, Scripted};

/// All that is logged, at every level, a line each.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
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

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn a_change_of_state_is_one_line_and_nothing_else_is_any() {
    let log = Log::default();
    with_default(log.clone(), || {
        let time = Virtual::new();
        let denied = Plan::Fails(ConnectError::refused("WRONGPASS"));
        let mut plans = vec![Plan::fails(ConnectErrorKind::Refused); 5];
        plans.extend(vec![denied; 5]);
        let target = Scripted::planned(&time, &plans);
        let settings = Settings::parse("redis://nowhere").unwrap();
        let connection = Connection::over(target.clone(), &settings, time.runtime()).unwrap();
        for _ in 0..100 {
            let get = Request::command("GET", vec!["key".into()]);
            let _ = time.block_on(connection.send(vec![get]));
            time.advance(Duration::from_millis(100));
        }
        let up = "INFO message=redis: connected";
        let down = "WARN message=redis: no connection reason=";
        let lines = log.take();
        let wanted = [
            format!("{down}\"refused\""),
            format!("{down}\"denied\" code=\"WRONGPASS\""),
            up.to_owned(),
        ];
        assert_eq!(lines, wanted);
        target.session().end.open();
        time.advance(Duration::from_secs(5));
        assert_eq!(log.take(), [format!("{down}\"lost\""), up.to_owned()]);
        drop(connection);
        a_master_of_a_cluster_is_named_by_its_lowest_slot(&log);
    });
}

fn a_master_of_a_cluster_is_named_by_its_lowest_slot(log: &Log) {
    let (time, mut town) = (Virtual::new(), town::Town::default());
    let range = |(first, last, port): (i64, i64, i64)| {
        let at = Reply::Array(vec![Reply::bytes("nodes"), Reply::Int(port)]);
        Reply::Array(vec![Reply::Int(first), Reply::Int(last), at])
    };
    let slots = Reply::Array([(0, 5460, 1), (5461, 16383, 2)].map(range).to_vec());
    let nodes = [1, 2].map(|port| {
        let slots = slots.clone();
        town.add(port, &time, move |_, args| match &args[0][..] {
            b"INFO" => Reply::bytes("cluster_state:ok"),
            _ => slots.clone(),
        })
    });
    let connection = town.open("redis+cluster://nodes:1", &time);
    let mut lines = log.take();
    lines.sort_unstable();
    let up = "INFO message=redis: connected";
    let of = |slot| format!("{up} slot={slot}");
    assert_eq!(lines, [up.to_owned(), of(0), of(5461)]);
    time.advance(Duration::from_secs(5));
    nodes[1].down.open();
    time.advance(Duration::from_secs(5));
    let down = |why| format!("WARN message=redis: no connection reason=\"{why}\" slot=5461");
    assert_eq!(log.take(), ["lost", "refused"].map(down));
    drop(connection);
}
