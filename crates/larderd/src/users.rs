//! The table of users: made-up people, brought along.

use larder_domain::User;
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior};

use crate::table::OpenError;

const SHIPPED: &[u8] = include_bytes!("../data/users.csv");

/// Rows are found by the bytes of their id, in no other spelling.
const TABLE: &str = "CREATE TABLE users (
    user_id TEXT PRIMARY KEY,
    user_code TEXT NOT NULL,
    email TEXT NOT NULL,
    password TEXT NOT NULL,
    user_name TEXT NOT NULL,
    app_password TEXT NOT NULL
) STRICT, WITHOUT ROWID";

/// The columns of a row of the shipped file, in its order.
type Columns = (String, String, String, String, String, String);

/// Makes and fills the table if there is none, all of it or nothing; also beside deals that an import has brought.
pub(crate) fn prepare(connection: &mut Connection) -> Result<(), OpenError> {
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if change.table_exists(None, "users")? {
        return Ok(());
    }
    change.execute_batch(TABLE)?;
    let mut insert = change.prepare("INSERT INTO users VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    for user in csv::Reader::from_reader(SHIPPED).deserialize() {
        let user: Columns = user?;
        insert.execute(user)?;
    }
    drop(insert);
    change.commit()?;
    Ok(())
}

pub(crate) fn read(connection: &Connection, id: &str) -> rusqlite::Result<Option<User>> {
    connection
        .prepare_cached("SELECT * FROM users WHERE user_id = ?1")?
        .query_row([id], user)
        .optional()
}

fn user(row: &Row<'_>) -> rusqlite::Result<User> {
    let text = |column: &str| row.get::<_, String>(column);
    let user = User::new(
        text("user_id")?,
        text("user_code")?,
        text("email")?,
        text("user_name")?,
    );
    Ok(user.with_passwords(text("password")?, text("app_password")?))
}
