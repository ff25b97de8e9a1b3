//! Which deals: what lists and streams are asked by.

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

/// Everything but the unreserved characters of RFC 3986, so that a query of ours means the same to every reader.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Which deals a request wants. Two spellings of one filter are one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Key)]
pub(crate) struct Filter {
    category: Option<String>,
    sub_category: Option<String>,
    region: Option<String>,
    min_price_cents: Option<u64>,
    max_price_cents: Option<u64>,
}

impl Filter {
    /// The names of its parameters.
    pub(crate) const NAMES: [&'static str; 5] =
        [CATEGORY, SUB_CATEGORY, REGION, MIN_PRICE, MAX_PRICE];

    /// Takes a filter out of a query.
    ///
    /// # Errors
    /// A problem naming the parameter that is wrong.
    pub(crate) fn take(query: &mut Query) -> Result<Self, Problem> {
        let filter = Self {
            category: query.text(CATEGORY)?,
            sub_category: query.text(SUB_CATEGORY)?,
            region: query.text(REGION)?,
            min_price_cents: query.number(MIN_PRICE, 0, Deal::MOST)?,
            max_price_cents: query.number(MAX_PRICE, 0, Deal::MOST)?,
        };
        if let (Some(min), Some(max)) = (filter.min_price_cents, filter.max_price_cents) {
            if min > max {
                let detail = "`max_price_cents` must not be under `min_price_cents`";
                return Err(Problem::parameter(MAX_PRICE, detail));
            }
        }
        Ok(filter)
    }

    /// The first deals that pass, as the source is asked for them.
    pub(crate) fn first(&self, limit: usize) -> Selection {
        let mut selection = Selection::new(limit);
        selection.category.clone_from(&self.category);
        selection.sub_category.clone_from(&self.sub_category);
        selection.region.clone_from(&self.region);
        selection.min_price_cents = self.min_price_cents;
        selection.max_price_cents = self.max_price_cents;
        selection
    }

    /// The parameters of a query that says the same, each with an ampersand behind it.
    pub(crate) fn query(&self) -> String {
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
        query
    }
}
