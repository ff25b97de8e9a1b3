//! A server with many keys.

use larder_core::far::Sweep;
use larder_redis::Reply;
use smol::block_on;

use crate::place::Place;

const FOREIGN: usize = 200_000;
const OWN: usize = 5_000;
/// Of how many keys one step may be. A server looks at so many in well under a millisecond.
const STEP: usize = 1_024;

fn fill(place: &Place, prefix: &str, keys: usize) {
    let keys: Vec<_> = (0..keys).map(|key| format!("{prefix}{key}")).collect();
    for some in keys.chunks(2_000) {
        let pairs = some.iter().flat_map(|key| [key.as_bytes(), b"value"]);
        let pairs: Vec<_> = pairs.collect();
        assert_eq!(place.ask("MSET", &pairs), Reply::ok());
    }
}

/// The server is asked for a few keys at a time, and serves others in between.
#[test]
fn bug_h1_a_purge_among_many_keys_goes_in_small_steps() {
    let Some(place) = Place::start() else { return };
    fill(&place, "foreign:", FOREIGN);
    fill(&place, "larder:cat:", OWN);
    let ran = place.ran(|place| {
        let removed = block_on(place.redis.purge("cat")).unwrap();
        assert_eq!(removed, OWN as u64);
    });
    let named = |name: &'static str| ran.iter().filter(move |ran| ran.words[0] == name);
    let steps = named("SCAN").count();
    assert!(steps > (FOREIGN + OWN) / STEP, "{steps} steps");
    let most = named("UNLINK").map(|ran| ran.words.len() - 1).max();
    assert!(most.is_some_and(|most| most <= STEP), "{most:?} at once");
    let no_script = ran.iter().all(|ran| !ran.in_script);
    assert!(no_script, "a script would hold up all others to its end");
    assert_eq!(place.ask("DBSIZE", &[]), Reply::Int(FOREIGN as i64));
}
