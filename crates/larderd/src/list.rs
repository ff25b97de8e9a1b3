//! Pages of deals.

use std::ops::RangeInclusive;

use larder_domain::{Page, Selection};
use rusqlite::{Connection, params};

use crate::table;

const PAGE: &str = "SELECT * FROM deals
    WHERE deal_no BETWEEN ?1 AND ?2
        AND (?3 IS NULL OR category = ?3)
        AND (?4 IS NULL OR sub_category = ?4)
        AND (?5 IS NULL OR region = ?5)
        AND (?6 IS NULL OR price_cents >= ?6)
        AND (?7 IS NULL OR price_cents <= ?7)
    ORDER BY deal_no LIMIT ?8";

/// The page of a selection. Walks the deals from `after` on until the page is full, in one snapshot.
pub(crate) fn page(connection: &mut Connection, selection: &Selection) -> rusqlite::Result<Page> {
    let snapshot = connection.transaction()?;
    let wanted = selection.limit.saturating_add(1);
    let mut deals = Vec::new();
    for keys in keys_after(selection.after) {
        let mut query = snapshot.prepare_cached(PAGE)?;
        let rows = query.query_map(
            params![
                keys.start(),
                keys.end(),
                selection.category,
                selection.sub_category,
                selection.region,
                fitting(selection.min_price_cents),
                fitting(selection.max_price_cents),
                fitting(Some((wanted - deals.len()) as u64)),
            ],
            table::deal,
        )?;
        for deal in rows {
            deals.push(deal?);
        }
    }
    let more = deals.len() > selection.limit;
    deals.truncate(selection.limit);
    Ok(Page { deals, more })
}

/// The keys of all numbers after one, in the order of the numbers: the greater half of them is stored as negative keys.
fn keys_after(after: Option<u64>) -> Vec<RangeInclusive<i64>> {
    let Some(first) = after.map_or(Some(0), |after| after.checked_add(1)) else {
        return Vec::new();
    };
    match i64::try_from(first) {
        Ok(first) => vec![first..=i64::MAX, i64::MIN..=-1],
        Err(_) => vec![table::key(first)..=-1],
    }
}

/// SQLite has no greater numbers: one that is greater compares like the greatest.
fn fitting(number: Option<u64>) -> Option<i64> {
    number.map(|number| i64::try_from(number).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_follow_the_order_of_numbers() {
        let most = i64::MAX as u64;
        assert_eq!(keys_after(None), [0..=i64::MAX, i64::MIN..=-1]);
        assert_eq!(keys_after(Some(4)), [5..=i64::MAX, i64::MIN..=-1]);
        assert_eq!(keys_after(Some(most)), [i64::MIN..=-1]);
        assert_eq!(keys_after(Some(most + 1)), [i64::MIN + 1..=-1]);
        assert_eq!(keys_after(Some(u64::MAX - 1)), [-1..=-1]);
        assert_eq!(keys_after(Some(u64::MAX)), []);
    }
}
