//! `larderd import`: deals from a file into the database.

mod csv;
mod metered;
mod ndjson;
mod rows;

use std::path::{Path, PathBuf};

use larder_domain::Deal;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use crate::database;
use crate::serve::Failure;
use crate::settings::{Origin, Placed, Wrong};
use crate::table;

/// A deal of the file, and where it stands.
#[derive(Debug)]
struct Row {
    deal: Deal,
    origin: Origin,
}

/// Puts all deals of a file into the database, in place of those of the same numbers, or none of them.
///
/// They are gathered in a table of their own first, which SQLite keeps in a file: memory stays the same however many they
/// are, and the database is locked only while they are copied. Who reads meanwhile sees the state before.
pub(crate) fn run(database: &Placed<PathBuf>, file: &Path) -> Result<(), Failure> {
    // Before the database is made for nothing.
    let rows = rows::open(file)?;
    let unusable = |error: table::OpenError| {
        Failure::from(Wrong::new("database", database.origin.clone(), error))
    };
    let mut connection =
        database::connect(&database.value).map_err(|error| unusable(error.into()))?;
    gather(&mut connection, rows)?;
    let (new, replaced) = take_over(&mut connection).map_err(unusable)?;
    crate::print(&format!("imported: {new} new, {replaced} replaced\n"))
}

fn gather(
    connection: &mut Connection,
    rows: impl Iterator<Item = Result<Row, Wrong>>,
) -> Result<(), Failure> {
    connection.pragma_update(None, "temp_store", "file")?;
    table::make_temporary(connection)?;
    let gathering = connection.transaction()?;
    for row in rows {
        let Row { deal, origin } = row?;
        table::insert(&gathering, &deal).map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::ConstraintViolation) => {
                let reason = format!("deal {} is in the file twice", deal.deal_no);
                Wrong::new("deal_no", origin, reason).into()
            }
            _ => Failure::from(error),
        })?;
    }
    gathering.commit()?;
    Ok(())
}

/// Gives how many deals are new and how many replace one.
fn take_over(connection: &mut Connection) -> Result<(u64, u64), table::OpenError> {
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    table::make(&change)?;
    let replaced: u32 = change.query_row(
        "SELECT count(*) FROM temp.deals JOIN main.deals USING (deal_no)",
        [],
        |row| row.get(0),
    )?;
    let all = change.execute("REPLACE INTO main.deals SELECT * FROM temp.deals", [])?;
    change.commit()?;
    let replaced = u64::from(replaced);
    Ok((all as u64 - replaced, replaced))
}
