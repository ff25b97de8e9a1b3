//! Which page of which deals: what a list is asked and cached by.

use std::fmt::Write;

use larder::Key;
use larder_domain::{Deal, Selection};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::problem::Problem;
use crate::query::Query;

const CATEGORY: &str = "category";
const SUB_CATEGORY: &str = "sub_category";
const REGION: &str = "region";
const MIN_PRICE: &str = "min_price_cents";
const MAX_PRICE: &str = "max_price_cents";
const AFTER: &str = "after";
const LIMIT: &str = "limit";

const NAMES: [&str; 7] = [
    CATEGORY,
    SUB_CATEGORY,
    REGION,
    MIN_PRICE,
    MAX_PRICE,
    AFTER,
    LIMIT,
];

const LIMIT_DEFAULT: u64 = 50;
const LIMIT_MOST: u64 = 500;

/// Everything but the unreserved characters of RFC 3986, so that a query of ours means the same to every reader.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Filter and page of one request for a list. Two spellings of one query are one listing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Key)]
pub(crate) struct Listing {
    category: Option<String>,
    sub_category: Option<String>,
    region: Option<String>,
    min_price_cents: Option<u64>,
    max_price_cents: Option<u64>,
    after: Option<u64>,
    limit: u64,
}

impl Listing {
    /// Reads a query.
    ///
    /// # Errors
    /// A problem naming the parameter that is unknown, given twice or wrong.
    pub(crate) fn parse(query: &str) -> Result<Self, Problem> {
        let mut query = Query::parse(query, &NAMES)?;
        let listing = Self {
            category: query.text(CATEGORY)?,
            sub_category: query.text(SUB_CATEGORY)?,
            region: query.text(REGION)?,
            min_price_cents: query.number(MIN_PRICE, 0, Deal::MOST)?,
            max_price_cents: query.number(MAX_PRICE, 0, Deal::MOST)?,
            after: query.number(AFTER, 0, u64::MAX)?,
            limit: query.number(LIMIT, 1, LIMIT_MOST)?.unwrap_or(LIMIT_DEFAULT),
        };
        if let (Some(min), Some(max)) = (listing.min_price_cents, listing.max_price_cents) {
            if min > max {
                let detail = "`max_price_cents` must not be under `min_price_cents`";
                return Err(Problem::parameter(MAX_PRICE, detail));
            }
        }
        Ok(listing)
    }

    /// What the source is asked.
    pub(crate) fn selection(&self) -> Selection {
        // A limit is small.
        let mut selection = Selection::new(self.limit as usize);
        selection.category.clone_from(&self.category);
        selection.sub_category.clone_from(&self.sub_category);
        selection.region.clone_from(&self.region);
        selection.min_price_cents = self.min_price_cents;
        selection.max_price_cents = self.max_price_cents;
        selection.after = self.after;
        selection
    }

    /// The query of the page after the deal of this number.
    pub(crate) fn query_after(&self, no: u64) -> String {
        let mut query = String::new();
        let texts = [
            (CATEGORY, &self.category),
            (SUB_CATEGORY, &self.sub_category),
            (REGION, &self.region),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                // Writing to a String cannot fail, here and below.
                let _ = write!(query, "{name}={}&", utf8_percent_encode(text, ESCAPED));
            }
        }
        let prices = [
            (MIN_PRICE, self.min_price_cents),
            (MAX_PRICE, self.max_price_cents),
        ];
        for (name, price) in prices {
            if let Some(price) = price {
                let _ = write!(query, "{name}={price}&");
            }
        }
        let _ = write!(query, "{LIMIT}={}&{AFTER}={no}", self.limit);
        query
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_query_keeps_what_this_one_says() {
        let texts = "category=Office+Supplies&sub_category=a%26b%3Dc%2B%25&region=%ED%95%9C";
        let query = format!("{texts}&min_price_cents=1&max_price_cents=2&after=3&limit=4");
        let listing = Listing::parse(&query).expect("a listing");
        assert_eq!(listing.sub_category.as_deref(), Some("a&b=c+%"));
        let next = Listing::parse(&listing.query_after(9)).expect("a listing");
        let after = Some(9);
        assert_eq!(next, Listing { after, ..listing });
    }
}
