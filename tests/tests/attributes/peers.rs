//! Lines of other caches' suites that are about what an attribute may say, and about who shares a
//! load.

use std::sync::LazyLock;
use std::thread::{self, yield_now};

use futures_lite::future::block_on;
use larder::{Cache, Larder, LoadError, cacheable};
use larder_kit::{Gate, Virtual};

use crate::support::{Calls, cache};

type Named = Cache<(String, u64, u64), u64>;

#[derive(Clone)]
struct Tenant {
    id: u64,
    prices: Named,
    calls: Calls,
}

/// A key of the caller's own making.
fn generated(tenant: u64, name: &str, no: u64) -> (String, u64, u64) {
    (name.to_lowercase(), tenant, no % 10)
}

impl Tenant {
    fn new(id: u64, prices: &Named) -> Self {
        Self {
            id,
            prices: prices.clone(),
            calls: Calls::default(),
        }
    }

    #[cacheable(self.prices, key = ("price".to_owned(), self.id, no))]
    async fn price(&self, no: u64) -> u64 {
        self.calls.enter();
        no * 100 + self.id
    }

    #[cacheable(self.prices, key = ("cost".to_owned(), self.id, no))]
    async fn cost(&self, no: u64) -> u64 {
        self.calls.enter();
        no * 10 + self.id
    }

    #[cacheable(self.prices, key = generated(self.id, name, no))]
    async fn by_name(&self, name: &str, no: u64) -> u64 {
        self.calls.enter();
        no
    }
}

#[test]
fn sp15_the_name_of_a_function_and_its_receiver_may_stand_in_the_key() {
    let time = Virtual::new();
    let prices = cache(&time);
    let (one, two) = (Tenant::new(1, &prices), Tenant::new(2, &prices));
    time.block_on(async {
        for _ in 0..2 {
            assert_eq!((one.price(5).await, one.cost(5).await), (501, 51));
            assert_eq!((two.price(5).await, two.cost(5).await), (502, 52));
        }
    });
    assert_eq!((one.calls.count(), two.calls.count()), (2, 2));
    let held = time.block_on(prices.get(&("cost".to_owned(), 2, 5)));
    assert_eq!(held.value().as_deref(), Some(&52));
}

#[test]
fn sp16_a_function_of_the_callers_own_may_make_the_key() {
    let time = Virtual::new();
    let tenant = Tenant::new(1, &cache(&time));
    time.block_on(async {
        assert_eq!(tenant.by_name("North", 7).await, 7);
        assert_eq!(tenant.by_name("NORTH", 17).await, 7, "the same key");
        assert_eq!(tenant.by_name("south", 7).await, 7);
    });
    assert_eq!(tenant.calls.count(), 2);
}

static LARDER: LazyLock<Larder> = LazyLock::new(|| Larder::builder().build().expect("defaults"));
static FIRST: LazyLock<Cache<u64, u64>> =
    LazyLock::new(|| LARDER.cache("first").build().expect("its name is free"));
static SECOND: LazyLock<Cache<u64, u64>> =
    LazyLock::new(|| LARDER.cache("second").build().expect("its name is free"));

/// The cache is chosen by the call.
fn chosen(first: bool) -> &'static Cache<u64, u64> {
    if first { &FIRST } else { &SECOND }
}

#[cacheable(chosen(no < 10), key = no)]
async fn by_choice(no: u64, calls: &Calls) -> u64 {
    calls.enter();
    no
}

#[test]
fn sp17_the_cache_is_whatever_an_expression_says() {
    let calls = Calls::default();
    smol::block_on(async {
        for no in [1, 11, 1, 11] {
            assert_eq!(by_choice(no, &calls).await, no);
        }
    });
    assert_eq!(calls.count(), 2);
    let held = |cache: &Cache<u64, u64>, no| smol::block_on(cache.get(&no)).value().is_some();
    assert!(held(&FIRST, 1) && !held(&FIRST, 11));
    assert!(held(&SECOND, 11) && !held(&SECOND, 1));
}

type Lists = Cache<u64, Vec<u64>>;

#[cacheable(cache, key = no)]
async fn awaited(
    cache: &Lists,
    no: u64,
    calls: &Calls,
    gate: &Gate,
) -> Result<Vec<u64>, LoadError> {
    calls.enter();
    gate.wait().await;
    Ok(vec![no])
}

#[cacheable(cache, key = no)]
fn blocks(cache: &Lists, no: u64, calls: &Calls, gate: &Gate) -> Result<Vec<u64>, LoadError> {
    calls.enter();
    block_on(gate.wait());
    Ok(vec![no])
}

/// A cache, a source of one element that waits, and how often it was read.
#[derive(Clone)]
struct Shared {
    time: Virtual,
    lists: Lists,
    calls: Calls,
    gate: Gate,
}

type Task = larder_kit::Spawned<Vec<u64>>;
type Form = fn(&Shared) -> Task;

/// A call as a task, in each form that needs no thread of its own.
const TASKS: [Form; 5] = [
    |at| {
        let at = at.clone();
        let time = at.time.clone();
        time.spawn(async move {
            let all = awaited(&at.lists, 1, &at.calls, &at.gate).await;
            all.expect("it loads")
        })
    },
    |at| {
        let at = at.clone();
        let time = at.time.clone();
        time.spawn(async move {
            let load = || at.source();
            let all = at.lists.get_or_load_scoped(&1, load).await;
            all.expect("it loads")
        })
    },
    |at| {
        let at = at.clone();
        let time = at.time.clone();
        time.spawn(async move {
            let source = at.clone();
            let load = move || async move { source.source().await };
            let all = at.lists.get_or_load(&1, load).await;
            all.expect("it loads")
        })
    },
    |at| {
        let at = at.clone();
        let time = at.time.clone();
        time.spawn(async move {
            let source = at.clone();
            let load = move |keys: Vec<u64>| {
                let source = source.clone();
                async move { [(keys[0], source.source().await)] }
            };
            let mut all = at.lists.get_or_load_many(&[1], load).await;
            let first = all.remove(0).expect("it loads");
            first.expect("it is there").to_vec()
        })
    },
    |at| {
        use futures_lite::{StreamExt, stream};
        let at = at.clone();
        let time = at.time.clone();
        time.spawn(async move {
            let source = at.clone();
            let read = move || {
                let item = async move { Ok::<_, LoadError>(source.source().await[0]) };
                Box::pin(stream::once_future(item))
            };
            let all = at.lists.get_or_stream(&1, read).try_collect().await;
            all.expect("it is read")
        })
    },
];

impl Shared {
    fn new() -> Self {
        let time = Virtual::new();
        Self {
            lists: cache(&time),
            calls: Calls::default(),
            gate: Gate::closed(),
            time,
        }
    }

    async fn source(&self) -> Vec<u64> {
        self.calls.enter();
        self.gate.wait().await;
        vec![1]
    }

    fn thread(&self) -> thread::JoinHandle<Vec<u64>> {
        let at = self.clone();
        thread::spawn(move || {
            let all = blocks(&at.lists, 1, &at.calls, &at.gate);
            all.expect("it loads")
        })
    }

    /// All the others join the load that runs.
    fn all_share(self, leader: impl FnOnce() -> Vec<u64>) {
        let tasks: Vec<_> = TASKS
            .iter()
            .flat_map(|form| [form(&self), form(&self)])
            .collect();
        self.time.run_until_idle();
        let asleep = self.time.sleepers();
        let threads = [self.thread(), self.thread()];
        // Until both are parked: each watches the deadline.
        while self.time.sleepers() < asleep + threads.len() {
            yield_now();
        }
        self.gate.open();
        self.time.run_until_idle();
        assert_eq!(leader(), [1]);
        for thread in threads {
            while !thread.is_finished() {
                self.time.run_until_idle();
                yield_now();
            }
            assert_eq!(thread.join().expect("it has ended"), [1]);
        }
        for task in tasks {
            assert_eq!(self.time.block_on(task), [1]);
        }
        assert_eq!(self.calls.count(), 1);
        let stats = self.lists.stats();
        assert_eq!((stats.loaded, stats.joined), (1, 12));
    }
}

#[test]
fn fc75_callers_of_every_form_share_one_load_whichever_form_started_it() {
    for form in TASKS {
        let shared = Shared::new();
        let led = form(&shared);
        shared.time.run_until_idle();
        assert_eq!(shared.calls.count(), 1);
        let time = shared.time.clone();
        shared.all_share(move || time.block_on(led));
    }
    let shared = Shared::new();
    let led = shared.thread();
    block_on(shared.gate.arrived(1));
    shared.all_share(move || led.join().expect("it has ended"));
}
