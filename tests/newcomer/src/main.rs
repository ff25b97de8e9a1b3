//! A shop that reads its rates from somewhere slow.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use larder::cacheable;

#[derive(Clone)]
struct Rates {
    asked: Arc<AtomicUsize>,
}

impl Rates {
    #[cacheable(ttl = "5m", skip(self))]
    async fn rate(&self, currency: &str) -> anyhow::Result<f64> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        smol::future::yield_now().await;
        let rate = if currency == "CHF" { "0.93" } else { "none" };
        Ok(rate.parse()?)
    }
}

fn main() -> anyhow::Result<()> {
    let asked = Arc::new(AtomicUsize::new(0));
    let rates = Rates { asked };
    smol::block_on(async {
        let first = rates.rate("CHF").await?;
        let second = rates.rate("CHF").await?;
        let unknown = rates.rate("XXX").await;
        println!(
            "{first} {second}, asked {} times",
            rates.asked.load(Ordering::SeqCst)
        );
        println!("{}", unknown.expect_err("there is no such rate"));
        Ok(())
    })
}
