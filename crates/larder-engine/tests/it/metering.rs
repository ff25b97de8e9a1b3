//! Metrics: a bounded number of series, whatever is cached.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use larder_engine::Cache;
use larder_kit::Virtual;
use metrics::{
    Counter, CounterFn, Gauge, Histogram, HistogramFn, Key, KeyName, Metadata, Recorder,
    SharedString, Unit, with_local_recorder,
};

use crate::support::{SECOND, larder, panicking};

/// What was recorded, by name and labels.
#[derive(Clone, Default)]
struct Records(Arc<Mutex<BTreeMap<String, Arc<Series>>>>);

#[derive(Default)]
struct Series(AtomicU64);

impl Records {
    fn series(&self, key: &Key) -> Arc<Series> {
        let labels = key
            .labels()
            .map(|one| format!(" {}={}", one.key(), one.value()));
        let name = key.name().to_owned() + &labels.collect::<String>();
        Arc::clone(self.0.lock().unwrap().entry(name).or_default())
    }

    fn all(&self) -> BTreeMap<String, u64> {
        let series = self.0.lock().unwrap();
        let value = |(name, series): (&String, &Arc<Series>)| {
            (name.clone(), series.0.load(Ordering::Relaxed))
        };
        series.iter().map(value).collect()
    }
}

impl CounterFn for Series {
    fn increment(&self, by: u64) {
        self.0.fetch_add(by, Ordering::Relaxed);
    }

    fn absolute(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }
}

impl metrics::GaugeFn for Series {
    fn increment(&self, by: f64) {
        self.0.fetch_add(by as u64, Ordering::Relaxed);
    }

    fn decrement(&self, by: f64) {
        self.0.fetch_sub(by as u64, Ordering::Relaxed);
    }

    fn set(&self, value: f64) {
        self.0.store(value as u64, Ordering::Relaxed);
    }
}

/// Counts what is recorded.
impl HistogramFn for Series {
    fn record(&self, _: f64) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Recorder for Records {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.series(key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.series(key))
    }

    fn register_histogram(&self, key: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::from_arc(self.series(key))
    }
}

#[test]
fn bug_l1_ten_thousand_keys_make_no_more_series_than_one() {
    let series = |keys: u64| {
        let records = Records::default();
        with_local_recorder(&records, || {
            let time = Virtual::new();
            let larder = larder(&time);
            let names: Cache<String, String> = larder.cache("names").build().unwrap();
            time.block_on(async {
                for key in 0..keys {
                    let (key, value) = (format!("key {key}"), format!("value {key}"));
                    names.get_or_load(&key, || async { value }).await.unwrap();
                    names.get_or_load(&key, panicking_text).await.unwrap();
                    names.invalidate_tag(key).await;
                }
                let failing = || async { Err::<String, _>(std::io::Error::other("a secret")) };
                names.get_or_load("failing", failing).await.unwrap_err();
            });
            larder.record_metrics();
        });
        records.all()
    };
    let (one, many) = (series(1), series(10_000));
    let names = |series: &BTreeMap<String, u64>| series.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&one), names(&many));
    assert!(
        names(&many)
            .iter()
            .all(|name| name.contains(" cache=names"))
    );
    assert_eq!(
        many["larder_calls_total cache=names outcome=loaded"],
        10_000
    );
    assert_eq!(many["larder_calls_total cache=names outcome=near"], 10_000);
    assert_eq!(
        many["larder_changes_total cache=names change=invalidate"],
        10_000
    );
    assert_eq!(many["larder_load_seconds cache=names result=ok"], 10_000);
    assert_eq!(many["larder_load_seconds cache=names result=error"], 1);
}

async fn panicking_text() -> String {
    panicking().await.to_string()
}

#[test]
fn metrics_are_as_the_statistics_say_and_repeat_without_adding() {
    let records = Records::default();
    let time = Virtual::new();
    let larder = larder(&time);
    let cache: Cache<u64, u64> = larder.cache("numbers").ttl(SECOND).build().unwrap();
    time.block_on(async {
        cache.put(&1, 1).await;
        cache.get(&1).await;
        cache.get(&2).await;
    });
    with_local_recorder(&records, || {
        for _ in 0..3 {
            larder.record_metrics();
        }
    });
    let all = records.all();
    for (end, count) in cache.stats().calls() {
        assert_eq!(
            all[&format!("larder_calls_total cache=numbers outcome={end}")],
            count
        );
    }
    assert_eq!(all["larder_entries cache=numbers"], 1);
    assert_eq!(all["larder_changes_total cache=numbers change=put"], 1);
}
