//! Values that a detached load cannot own.

use larder::{Cache, LoadError, cacheable};
use std::rc::Rc;

struct Shop {
    numbers: Cache<u64, u64>,
    base: u64,
}

struct Source(u64);

impl Shop {
    #[cacheable(self.numbers)]
    async fn not_clone(&self, no: u64) -> Result<u64, LoadError> {
        Ok(no + self.base)
    }
}

#[cacheable(numbers, key = no)]
async fn argument(numbers: &Cache<u64, u64>, no: u64, source: &Source) -> Result<u64, LoadError> {
    Ok(no + source.0)
}

#[cacheable(numbers, key = no)]
async fn not_send(numbers: &Cache<u64, u64>, no: u64, rc: Rc<u64>) -> Result<u64, LoadError> {
    Ok(no + *rc)
}

#[cacheable(numbers, key = no)]
async fn not_send_inside(numbers: &Cache<u64, u64>, no: u64) -> Result<u64, LoadError> {
    let rc = Rc::new(no);
    std::future::ready(()).await;
    Ok(*rc)
}

fn main() {}
