//! The table of deals: its columns, its rows, its first filling.

use larder_domain::{Date, Deal};
use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

const SHIPPED: &[u8] = include_bytes!("../data/deals.csv");

/// The version of the table, kept in the database; 0 is a database without it.
const VERSION: i64 = 1;

const COLUMNS: &str = "
    deal_no INTEGER PRIMARY KEY,
    product_id TEXT NOT NULL,
    title TEXT NOT NULL,
    category TEXT NOT NULL,
    sub_category TEXT NOT NULL,
    region TEXT NOT NULL,
    list_price_cents INTEGER NOT NULL,
    price_cents INTEGER NOT NULL,
    discount_percent INTEGER NOT NULL,
    stock INTEGER NOT NULL,
    starts_on TEXT NOT NULL,
    ends_on TEXT NOT NULL";

/// A database cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("{0}")]
    Sql(#[from] rusqlite::Error),
    #[error("made by another version of larderd (its table is {0}, ours {VERSION})")]
    Version(i64),
    #[error("the shipped deals cannot be read: {0}")]
    Shipped(#[from] csv::Error),
}

/// Makes and fills the table if there is none, all of it or nothing.
pub(crate) fn prepare(connection: &mut Connection) -> Result<(), OpenError> {
    // Two programs that start at once on one file take turns here.
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if !make(&change)? {
        return Ok(());
    }
    let mut deals = 0;
    for deal in csv::Reader::from_reader(SHIPPED).deserialize() {
        insert(&change, &deal?)?;
        deals += 1;
    }
    change.commit()?;
    tracing::info!(deals, "filled a new database");
    Ok(())
}

/// Makes the table, empty, if there is none; says whether it did.
pub(crate) fn make(change: &Transaction<'_>) -> Result<bool, OpenError> {
    match change.pragma_query_value(None, "user_version", |row| row.get(0))? {
        VERSION => return Ok(false),
        0 => {}
        other => return Err(OpenError::Version(other)),
    }
    change.execute_batch(&format!("CREATE TABLE main.deals ({COLUMNS}) STRICT"))?;
    change.pragma_update(None, "user_version", VERSION)?;
    Ok(true)
}

/// Makes a table of this connection alone, which hides the database's own from [`insert`] until it is dropped.
pub(crate) fn make_temporary(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!("CREATE TEMP TABLE deals ({COLUMNS}) STRICT"))
}

pub(crate) fn read(connection: &Connection, no: u64) -> rusqlite::Result<Option<Deal>> {
    connection
        .prepare_cached("SELECT * FROM deals WHERE deal_no = ?1")?
        .query_row([key(no)], deal)
        .optional()
}

/// Says whether there was such a deal.
pub(crate) fn delete(connection: &Connection, no: u64) -> rusqlite::Result<bool> {
    let deleted = connection
        .prepare_cached("DELETE FROM deals WHERE deal_no = ?1")?
        .execute([key(no)])?;
    Ok(deleted > 0)
}

pub(crate) fn insert(connection: &Connection, deal: &Deal) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO deals VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            key(deal.deal_no),
            deal.product_id,
            deal.title,
            deal.category,
            deal.sub_category,
            deal.region,
            amount(deal.list_price_cents)?,
            amount(deal.price_cents)?,
            deal.discount_percent,
            amount(deal.stock)?,
            deal.starts_on.to_string(),
            deal.ends_on.to_string(),
        ])?;
    Ok(())
}

pub(crate) fn deal(row: &Row<'_>) -> rusqlite::Result<Deal> {
    Ok(Deal {
        deal_no: row.get::<_, i64>("deal_no")? as u64,
        product_id: row.get("product_id")?,
        title: row.get("title")?,
        category: row.get("category")?,
        sub_category: row.get("sub_category")?,
        region: row.get("region")?,
        list_price_cents: unsigned(row, "list_price_cents")?,
        price_cents: unsigned(row, "price_cents")?,
        discount_percent: row.get("discount_percent")?,
        stock: unsigned(row, "stock")?,
        starts_on: date(row, "starts_on")?,
        ends_on: date(row, "ends_on")?,
    })
}

/// SQLite's integers are signed. Numbers over `i64::MAX` become negative and come back whole; only their order is lost.
pub(crate) fn key(no: u64) -> i64 {
    no as i64
}

/// Amounts are compared, so they keep their order; [`Deal::MOST`] is far below what fits.
fn amount(amount: u64) -> rusqlite::Result<i64> {
    i64::try_from(amount).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

fn unsigned(row: &Row<'_>, column: &str) -> rusqlite::Result<u64> {
    let at = row.as_ref().column_index(column)?;
    let stored: i64 = row.get(at)?;
    u64::try_from(stored).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(at, stored))
}

fn date(row: &Row<'_>, column: &str) -> rusqlite::Result<Date> {
    let at = row.as_ref().column_index(column)?;
    let text: String = row.get(at)?;
    text.parse()
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(at, Type::Text, Box::new(error)))
}
