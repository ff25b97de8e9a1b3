//! `self` and what it does to a key.

use larder::{Cache, LoadError, cacheable};
use std::pin::Pin;

#[derive(Debug, Clone)]
struct Shop {
    numbers: Cache<u64, u64>,
}

impl Shop {
    #[cacheable]
    async fn not_in_the_key(&self, no: u64) -> Result<u64, LoadError> {
        Ok(no)
    }

    #[cacheable(self.numbers)]
    async fn exclusive(&mut self, no: u64) -> Result<u64, LoadError> {
        Ok(no)
    }

    #[cacheable(self.numbers)]
    async fn pinned(self: Pin<&Self>, no: u64) -> Result<u64, LoadError> {
        Ok(no)
    }

    #[cacheable(self.numbers, key = no)]
    async fn format(&self, no: u64) -> Result<u64, LoadError> {
        println!("{self:?}");
        Ok(no)
    }

    #[cacheable(skip(self))]
    async fn static_of_self(&self, no: u64) -> Result<Self, LoadError> {
        Ok(self.clone())
    }
}

fn main() {}
