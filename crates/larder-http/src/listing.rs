//! Which page of which deals: what a list is asked and cached by.

use larder::Key;
use larder_domain::Selection;

use crate::filter::Filter;
use crate::problem::Problem;
use crate::query::Query;

const AFTER: &str = "after";
const LIMIT: &str = "limit";

const LIMIT_DEFAULT: u64 = 50;
const LIMIT_MOST: u64 = 500;

/// Filter and page of one request for a list. Two spellings of one query are one listing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Key)]
pub(crate) struct Listing {
    filter: Filter,
    after: Option<u64>,
    limit: u64,
}

impl Listing {
    /// Reads a query.
    ///
    /// # Errors
    /// A problem naming the parameter that is unknown, given twice or wrong.
    pub(crate) fn parse(query: &str) -> Result<Self, Problem> {
        let names = [&Filter::NAMES[..], &[AFTER, LIMIT]].concat();
        let mut query = Query::parse(query, &names)?;
        Ok(Self {
            filter: Filter::take(&mut query)?,
            after: query.number(AFTER, 0, u64::MAX)?,
            limit: query.number(LIMIT, 1, LIMIT_MOST)?.unwrap_or(LIMIT_DEFAULT),
        })
    }

    /// What the source is asked.
    pub(crate) fn selection(&self) -> Selection {
        // A limit is small.
        let mut selection = self.filter.first(self.limit as usize);
        selection.after = self.after;
        selection
    }

    /// The query of the page after the deal of this number.
    pub(crate) fn query_after(&self, no: u64) -> String {
        let filter = self.filter.query();
        format!("{filter}{LIMIT}={}&{AFTER}={no}", self.limit)
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
        let wanted = listing.selection();
        assert_eq!(wanted.sub_category.as_deref(), Some("a&b=c+%"));
        let next = Listing::parse(&listing.query_after(9)).expect("a listing");
        let after = Some(9);
        assert_eq!(next, Listing { after, ..listing });
    }
}
