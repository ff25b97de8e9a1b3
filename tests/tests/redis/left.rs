//! Callers of a cache who leave at any point of a call.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use larder::{Cache, Larder, Smol};
use larder_core::Runtime;
use larder_redis::{Connection, Redis, Settings};
use larder_servers::{Proxy, Server, until};
use smol::future::{poll_once, yield_now};
use smol::{LocalExecutor, block_on};

const KEYS: u64 = 50;
const TASKS: u64 = 20;
const LEFT: u64 = 5_000;
const DEADLINE: Duration = Duration::from_millis(100);

/// A cache of texts that name their keys, on a server behind a proxy.
struct Scene {
    wire: Arc<Connection>,
    cache: Cache<u64, String>,
    proxy: Proxy,
    _larder: Larder,
    _server: Server,
}

impl Scene {
    fn start() -> Option<Self> {
        let server = Server::start()?;
        let proxy = Proxy::new(server.port());
        let runtime: Arc<dyn Runtime> = Arc::new(Smol::global());
        let settings = Settings::parse(&proxy.url()).unwrap();
        let wire = block_on(Connection::connect(settings, runtime.clone())).unwrap();
        let wire = Arc::new(wire);
        let redis = Redis::over(wire.clone(), runtime, "larder");
        let larder = Larder::builder().far(redis).build().unwrap();
        let cache = larder.cache("deals").ttl(Duration::from_secs(3600));
        let cache = cache.far_only().far_deadline(DEADLINE).build().unwrap();
        let scene = Self {
            wire,
            cache,
            proxy,
            _larder: larder,
            _server: server,
        };
        until("values of the far tier", || {
            (0..KEYS).for_each(|key| scene.is_right(key));
            (scene.cache.stats().far >= KEYS).then_some(())
        });
        Some(scene)
    }

    async fn call(&self, key: u64) {
        let call = self
            .cache
            .get_or_load(&key, move || async move { text(key) });
        assert_eq!(*call.await.unwrap(), text(key));
    }

    async fn change(&self, key: u64, put: bool) {
        let _ = match put {
            true => self.cache.put(&key, text(key)).await,
            false => self.cache.invalidate(&key).await,
        };
    }

    fn is_right(&self, key: u64) {
        block_on(self.call(key));
    }

    /// Calls and changes until so many were left, each after one to five polls.
    async fn leaves(&self, seed: u64, ended: &Cell<u64>) {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut left = 0;
        while left < LEFT {
            let (key, what) = (random.u64(..KEYS), random.u8(..20));
            if seed == 0 && random.u8(..50) == 0 {
                self.proxy.delay(Duration::from_micros(random.u64(..300)));
            }
            let act = async {
                match what {
                    0 => self.change(key, false).await,
                    1 => self.change(key, true).await,
                    _ => self.call(key).await,
                }
            };
            let patience = match random.u8(..20) {
                0 => u64::MAX,
                _ => random.u64(1..6),
            };
            if polled(act, patience).await {
                ended.set(ended.get() + 1);
            } else {
                left += 1;
            }
        }
    }
}

fn text(key: u64) -> String {
    format!("the value of {key}")
}

/// Whether it comes to its end within so many polls.
async fn polled(act: impl Future<Output = ()>, patience: u64) -> bool {
    let mut act = std::pin::pin!(act);
    for _ in 0..patience {
        if poll_once(&mut act).await.is_some() {
            return true;
        }
        yield_now().await;
    }
    false
}

#[test]
fn bug_g1_an_answer_that_came_too_late_is_nobody_elses() {
    let Some(scene) = Scene::start() else { return };
    for _ in 0..3 {
        scene.proxy.delay(DEADLINE * 3);
        scene.is_right(1);
        scene.proxy.delay(Duration::ZERO);
        (0..KEYS).for_each(|key| scene.is_right(key));
    }
    assert!(scene.cache.stats().far_tier.unwrap().failures >= 3);
    let back = || {
        let before = scene.cache.stats();
        (0..KEYS).for_each(|key| scene.is_right(key));
        (scene.cache.stats().since(&before).far == KEYS).then_some(())
    };
    until("all of them from the far tier", back);
}

#[test]
fn bug_g1_bug_g3_a_hundred_thousand_callers_who_leave_leave_nothing_behind() {
    let Some(scene) = Scene::start() else { return };
    let ended = Cell::new(0);
    let (scene, ended) = (&scene, &ended);
    let executor = LocalExecutor::new();
    let tasks: Vec<_> = (0..TASKS)
        .map(|seed| executor.spawn(scene.leaves(seed, ended)))
        .collect();
    block_on(executor.run(async {
        for task in tasks {
            task.await;
        }
    }));
    assert_eq!(TASKS * LEFT, 100_000);
    assert!(ended.get() > TASKS * LEFT / 50, "{ended:?}");
    scene.proxy.delay(Duration::ZERO);
    until("nothing under way", || {
        let stats = scene.cache.stats();
        let far = stats.far_tier.unwrap();
        let under_way = scene.wire.health().under_way + stats.running + far.pending;
        (under_way == 0).then_some(())
    });
    assert!(scene.cache.stats().abandoned > TASKS * LEFT / 2);
    (0..KEYS).for_each(|key| scene.is_right(key));
    assert_eq!(scene.wire.health().counts.distrusted, 0);
}
