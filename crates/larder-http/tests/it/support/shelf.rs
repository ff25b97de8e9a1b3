//! A source in memory that tests watch and disturb.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use larder_domain::{Answer, Deal, DealSource, Page, Saved, Selection, SourceError};
use larder_kit::Gate;
use serde_json::{Value, json};

/// Deals in memory. Reads, also of lists, are counted, and reads and saves pass a gate.
pub(crate) struct Shelf {
    deals: Mutex<BTreeMap<u64, Deal>>,
    pub(crate) gate: Gate,
    /// Where every page of a list but the first waits, and is lost if the shelf fails by then.
    pub(crate) pages: Gate,
    reads: AtomicUsize,
    version: AtomicU64,
    fails: AtomicBool,
    forgets: AtomicBool,
    panics: AtomicBool,
}

impl Shelf {
    /// One that holds [`cart`].
    pub(crate) fn with_cart() -> Arc<Self> {
        let deal: Deal = serde_json::from_value(cart()).expect("a deal");
        Arc::new(Self {
            deals: Mutex::new(BTreeMap::from([(deal.deal_no, deal)])),
            gate: Gate::opened(),
            pages: Gate::opened(),
            reads: AtomicUsize::new(0),
            version: AtomicU64::new(0),
            fails: AtomicBool::new(false),
            forgets: AtomicBool::new(false),
            panics: AtomicBool::new(false),
        })
    }

    pub(crate) fn reads(&self) -> usize {
        self.reads.load(SeqCst)
    }

    /// From now on every call fails, or no longer.
    pub(crate) fn fail(&self, fails: bool) {
        self.fails.store(fails, SeqCst);
    }

    /// From now on saves and deletes do their work and then fail, as if the answer were lost.
    pub(crate) fn lose_answers(&self) {
        self.forgets.store(true, SeqCst);
    }

    fn answer<T>(&self, answer: T) -> Result<T, SourceError> {
        if self.forgets.load(SeqCst) {
            return Err(SourceError::unavailable("the secret of the shelf"));
        }
        Ok(answer)
    }

    /// From now on every call panics, or no longer.
    pub(crate) fn panic(&self, panics: bool) {
        self.panics.store(panics, SeqCst);
    }

    /// Puts deals like [`cart`] under these numbers, each with its number as price, the even ones in the West.
    pub(crate) fn fill(&self, numbers: impl IntoIterator<Item = u64>) {
        for no in numbers {
            let mut deal: Deal = serde_json::from_value(cart()).expect("a deal");
            deal.deal_no = no;
            deal.price_cents = no;
            if no % 2 == 0 {
                deal.region = "West".to_owned();
            }
            self.deals.lock().expect("deals").insert(no, deal);
        }
    }

    /// Makes the title of each deal so many bytes long.
    pub(crate) fn swell(&self, bytes: usize) {
        let mut deals = self.deals.lock().expect("deals");
        let title = "a".repeat(bytes);
        deals
            .values_mut()
            .for_each(|deal| deal.title.clone_from(&title));
    }

    /// Removes a deal as somebody else would, past the service.
    pub(crate) fn rob(&self, no: u64) {
        self.deals.lock().expect("deals").remove(&no);
        self.version.fetch_add(1, SeqCst);
    }

    pub(crate) fn holds(&self, no: u64) -> Option<Deal> {
        self.deals.lock().expect("deals").get(&no).cloned()
    }

    fn check(&self) -> Result<(), SourceError> {
        assert!(!self.panics.load(SeqCst), "the secret of the shelf");
        if self.fails.load(SeqCst) {
            return Err(SourceError::unavailable("the secret of the shelf"));
        }
        Ok(())
    }
}

impl DealSource for Shelf {
    fn read(&self, no: u64) -> Answer<'_, Option<Deal>> {
        Box::pin(async move {
            self.reads.fetch_add(1, SeqCst);
            let deal = self.holds(no);
            // After the look, so that a test can change what was seen.
            self.gate.wait().await;
            self.check()?;
            Ok(deal)
        })
    }

    fn read_many(&self, numbers: Vec<u64>) -> Answer<'_, Vec<Deal>> {
        Box::pin(async move {
            self.reads.fetch_add(1, SeqCst);
            let found = numbers.into_iter().filter_map(|no| self.holds(no));
            let found = found.collect();
            self.gate.wait().await;
            self.check()?;
            Ok(found)
        })
    }

    fn list(&self, selection: &Selection) -> Answer<'_, Page> {
        let selection = selection.clone();
        Box::pin(async move {
            self.reads.fetch_add(1, SeqCst);
            let page = Page::of(
                &selection,
                self.deals.lock().expect("deals").values().cloned(),
            );
            self.gate.wait().await;
            if selection.after.is_some() {
                self.pages.wait().await;
            }
            self.check()?;
            Ok(page)
        })
    }

    fn save(&self, deal: &Deal) -> Answer<'_, Saved> {
        let deal = deal.clone();
        Box::pin(async move {
            self.check()?;
            self.gate.wait().await;
            let replaced = self.deals.lock().expect("deals").insert(deal.deal_no, deal);
            self.answer(replaced.map_or(Saved::Created, |_| Saved::Replaced))
        })
    }

    fn delete(&self, no: u64) -> Answer<'_, bool> {
        Box::pin(async move {
            self.check()?;
            self.answer(self.deals.lock().expect("deals").remove(&no).is_some())
        })
    }

    fn version(&self) -> Answer<'_, u64> {
        Box::pin(async {
            self.check()?;
            Ok(self.version.load(SeqCst))
        })
    }

    fn ready(&self) -> Answer<'_, ()> {
        Box::pin(async { self.check() })
    }
}

/// Deal 5.
pub(crate) fn cart() -> Value {
    json!({
        "deal_no": 5,
        "product_id": "OFF-ST-10000760",
        "title": "Eldon Fold 'N Roll Cart System",
        "category": "Office Supplies",
        "sub_category": "Storage",
        "region": "South",
        "list_price_cents": 1398,
        "price_cents": 1118,
        "discount_percent": 20,
        "stock": 2,
        "starts_on": "2015-10-11",
        "ends_on": "2015-10-18",
    })
}
