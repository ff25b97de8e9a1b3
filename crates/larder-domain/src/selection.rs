//! Many deals at once, page by page.

use serde::{Deserialize, Serialize};

use crate::Deal;

/// Which deals, and from where on. A filter that is not set lets every deal pass.
///
/// Texts are compared exactly, byte for byte.
///
/// ```
/// # use larder_domain::Selection;
/// let mut cheap = Selection::new(50);
/// cheap.region = Some("South".into());
/// cheap.max_price_cents = Some(999);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// Only deals of this category.
    pub category: Option<String>,
    /// Only deals of this sub-category.
    pub sub_category: Option<String>,
    /// Only deals of this region.
    pub region: Option<String>,
    /// Only deals that cost this or more, in cents.
    pub min_price_cents: Option<u64>,
    /// Only deals that cost this or less, in cents.
    pub max_price_cents: Option<u64>,
    /// Only deals with a greater number: the last one of the page before.
    pub after: Option<u64>,
    /// How many deals a page has at most.
    pub limit: usize,
}

/// Deals in the order of their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(
    clippy::exhaustive_structs,
    reason = "sources build pages, and nothing is left to add"
)]
pub struct Page {
    /// At most [`Selection::limit`] deals.
    pub deals: Vec<Deal>,
    /// Whether there are more deals after the last of these.
    pub more: bool,
}

impl Selection {
    /// The first `limit` of all deals.
    pub fn new(limit: usize) -> Self {
        Self {
            category: None,
            sub_category: None,
            region: None,
            min_price_cents: None,
            max_price_cents: None,
            after: None,
            limit,
        }
    }

    /// Whether a deal passes the filters and comes after [`after`](Self::after).
    pub fn takes(&self, deal: &Deal) -> bool {
        let texts = [
            (&self.category, &deal.category),
            (&self.sub_category, &deal.sub_category),
            (&self.region, &deal.region),
        ];
        texts
            .iter()
            .all(|(wanted, is)| wanted.as_ref().is_none_or(|wanted| wanted == *is))
            && self
                .min_price_cents
                .is_none_or(|min| deal.price_cents >= min)
            && self
                .max_price_cents
                .is_none_or(|max| deal.price_cents <= max)
            && self.after.is_none_or(|after| deal.deal_no > after)
    }
}

impl Page {
    /// The page of a selection among all `deals`, which come in the order of their numbers. Looks at each deal until
    /// the page is full: for sources in memory.
    pub fn of(selection: &Selection, deals: impl IntoIterator<Item = Deal>) -> Self {
        let mut taken = deals.into_iter().filter(|deal| selection.takes(deal));
        let deals = taken.by_ref().take(selection.limit).collect();
        let more = taken.next().is_some();
        Self { deals, more }
    }
}
