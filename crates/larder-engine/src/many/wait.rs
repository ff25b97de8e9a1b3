//! A batch that waits where other nodes load.

use larder_core::{Key, Moment};

use super::batch::Led;
use crate::cache::Inner;
use crate::far::{Heard, Lease};

impl<K: Key, V: Send + Sync + 'static> Inner<K, V> {
    /// Listens to the loads of the keys that are open, in a cache with a lease.
    pub(super) fn listen_to(&self, led: &[Led<K>], open: &[usize]) -> Vec<(usize, Heard)> {
        let lease = self.far.as_ref().and_then(|far| far.lease.as_ref());
        let listen = |lease: &Lease| {
            let heard = |at: &usize| (*at, lease.listen(&led[*at].place.name));
            open.iter().map(heard).collect()
        };
        lease.map(listen).unwrap_or_default()
    }

    /// Waits for the keys that other nodes load, in ascending order, up to the end of their leases.
    pub(super) async fn wait_for(
        &self,
        held: &[usize],
        heard: Vec<(usize, Heard)>,
        (seen, end): (Moment, Moment),
    ) {
        let Some(far) = self.far.as_ref().filter(|_| !held.is_empty()) else {
            return;
        };
        let Some(lease) = &far.lease else {
            return;
        };
        far.waits();
        let until = lease.until(seen, end);
        let waits = |(at, _): &(usize, Heard)| held.binary_search(at).is_ok();
        let heard = heard.into_iter().filter(waits);
        far.wait_for(heard.map(|(_, heard)| heard), until).await;
        if self.near.now() >= until {
            far.lapses();
        }
    }
}
