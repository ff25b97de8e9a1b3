//! Encrypted values, wherever a server or a network could show them.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use larder::{Cache, Connection, Got, Json, Keys, Larder, Redis, Settings};
use larder_servers::{Proxy, Server, until};
use smol::block_on;

use crate::log;

const CANARY: &str = "canary-ada@example.org";

/// A cache on a server behind a proxy, and what was to be seen of what it keeps.
struct Seen {
    file: bool,
    dump: bool,
    network: bool,
}

fn cache(proxy: &Proxy, keys: Option<Keys>) -> Cache<u64, String> {
    let runtime = Arc::new(larder::Smol::global());
    let settings = Settings::parse(&proxy.url()).unwrap();
    let wire = block_on(Connection::connect(settings, runtime.clone())).unwrap();
    let redis = Redis::over(Arc::new(wire), runtime, "shop");
    let larder = Larder::builder().far(redis).build().unwrap();
    let ttl = Duration::from_secs(3600);
    let cache = larder.cache("users").ttl(ttl).codec(Json).far_only();
    match keys {
        Some(keys) => cache.encrypt(keys).build().unwrap(),
        None => cache.build().unwrap(),
    }
}

fn has(bytes: &[u8]) -> bool {
    let canary = CANARY.as_bytes();
    bytes.windows(canary.len()).any(|part| part == canary)
}

fn seen(keys: Option<Keys>) -> Option<Seen> {
    // What the server compressed would be found by nobody, and is no secret for that.
    let server = Server::start_with(&["--rdbcompression", "no"])?;
    let proxy = Proxy::new(server.port());
    proxy.record();
    let cache = cache(&proxy, keys);
    // A node that has not heard from its server yet invalidates instead.
    until("a value that was put", || {
        block_on(cache.put(&1, CANARY.to_owned()));
        let kept = block_on(cache.get(&1));
        (kept == Got::Value(CANARY.to_owned().into())).then_some(())
    });
    let load = cache.get_or_load(&2, || async { CANARY.repeat(100) });
    assert_eq!(block_on(load).unwrap().len(), 100 * CANARY.len());
    let kept = block_on(cache.get(&2));
    assert_eq!(kept, Got::Value(CANARY.repeat(100).into()));
    server.save();
    let keys = server.ask(&["KEYS", "*"]).unwrap();
    assert!(keys.len() >= 4, "{keys:?}");
    let dumps = keys.iter().map(|key| server.ask(&["DUMP", key]).unwrap());
    let dumps: Vec<_> = dumps.flatten().collect();
    assert!(dumps.iter().all(|dump| dump.len() > 16));
    let file = fs::read(server.saved()).unwrap();
    assert!(file.starts_with(b"REDIS") || file.starts_with(b"VALKEY"));
    Some(Seen {
        file: has(&file),
        dump: dumps.iter().any(|dump| has(dump.as_bytes())),
        network: has(&proxy.recorded()),
    })
}

#[test]
fn s6_a_canary_is_not_found_in_the_servers_file_nor_in_its_dumps_nor_on_the_network() {
    log::keep();
    let Some(plain) = seen(None) else { return };
    assert!(
        plain.file && plain.dump && plain.network,
        "it is looked for"
    );
    let encrypted = seen(Some(Keys::new(1, [7; 32]))).unwrap();
    assert!(!encrypted.file && !encrypted.dump && !encrypted.network);
    assert!(!log::lines().contains(CANARY), "{}", log::lines());
}
