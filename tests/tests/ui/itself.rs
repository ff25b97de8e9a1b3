//! Functions that hold the future of another call of themselves.

use larder::{Cache, LoadError, cacheable};

#[derive(Clone)]
struct Shop(Cache<u64, u64>);

#[cacheable(ttl = "5m")]
async fn sum(no: u64) -> Result<u64, LoadError> {
    if no == 0 { Ok(0) } else { Ok(no + Box::pin(sum(no - 1)).await?) }
}

impl Shop {
    #[cacheable(self.0)]
    async fn total(&self, no: u64) -> u64 {
        match no {
            0 => 0,
            _ => no + Box::pin(self.total(no - 1)).await + Box::pin(Self::total(self, no)).await,
        }
    }
}

mod other {
    use super::*;

    pub(super) async fn load(no: u64) -> u64 {
        no
    }

    impl Shop {
        // These are other functions of the name.
        #[cacheable(cache, key = no)]
        pub(super) async fn load(cache: &Cache<u64, u64>, no: u64) -> u64 {
            self::load(no).await
        }
    }
}

// Its load runs in the call: a box is enough.
#[cacheable(ttl = "5m", load = hand_over)]
async fn boxed(no: u64) -> Result<u64, LoadError> {
    if no == 0 { Ok(0) } else { Ok(no + Box::pin(boxed(no - 1)).await?) }
}

fn main() {}
