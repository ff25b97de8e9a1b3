//! Deals and users in SQLite: the source of truth.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use larder::{BlockingError, Runtime};
use larder_domain::{
    Answer, Deal, DealSource, Page, Saved, Selection, SourceError, SourceErrorKind, User,
    UserSource,
};
use rusqlite::{Connection, TransactionBehavior};

use crate::{list, table, users};

/// Two connections to a database file, each used by one thread of the runtime's blocking pool at a time: a write that
/// waits for the file's lock keeps no reader waiting.
#[derive(Debug)]
pub(crate) struct Database {
    writer: Shared,
    reader: Shared,
    runtime: Arc<dyn Runtime>,
    /// [`commits`] when it was opened.
    opened: i64,
}

type Shared = Arc<Mutex<Connection>>;

impl Database {
    /// Opens a database, and makes and fills it if it is new. Blocks, for a new one some 100 ms.
    ///
    /// # Errors
    /// The file cannot be opened, is no database or one of another program or version; or the deals cannot be stored,
    /// and then none is.
    pub(crate) fn open(path: &Path, runtime: Arc<dyn Runtime>) -> Result<Self, table::OpenError> {
        let mut connection = connect(path)?;
        table::prepare(&mut connection)?;
        users::prepare(&mut connection)?;
        Ok(Self {
            opened: commits(&connection)?,
            writer: Arc::new(Mutex::new(connection)),
            reader: Arc::new(Mutex::new(connect(path)?)),
            runtime,
        })
    }

    /// Runs `work` on the pool, with one of the connections.
    async fn run<T: Send + 'static>(
        &self,
        connection: &Shared,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, SourceError> {
        let connection = Arc::clone(connection);
        let work = move || {
            // A panic inside a transaction has rolled it back; the connection is good.
            let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            work(&mut connection)
        };
        match larder::blocking(&*self.runtime, work).await {
            Ok(done) => done.map_err(SourceError::unavailable),
            Err(busy @ BlockingError::Busy) => {
                Err(SourceError::new(SourceErrorKind::Overloaded, busy))
            }
            Err(broken) => Err(SourceError::new(SourceErrorKind::Broken, broken)),
        }
    }
}

/// Changes with every commit of another connection, and with no other.
fn commits(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "data_version", |row| row.get(0))
}

/// Opens the file, or makes an empty one.
pub(crate) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    // Readers of the file from outside neither block us nor are blocked.
    connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    Ok(connection)
}

impl DealSource for Database {
    fn read(&self, no: u64) -> Answer<'_, Option<Deal>> {
        Box::pin(self.run(&self.reader, move |connection| table::read(connection, no)))
    }

    fn read_many(&self, numbers: Vec<u64>) -> Answer<'_, Vec<Deal>> {
        Box::pin(self.run(&self.reader, move |connection| {
            let snapshot = connection.transaction()?;
            let found = numbers.into_iter().map(|no| table::read(&snapshot, no));
            found.filter_map(Result::transpose).collect()
        }))
    }

    fn list(&self, selection: &Selection) -> Answer<'_, Page> {
        let selection = selection.clone();
        Box::pin(self.run(&self.reader, move |connection| {
            list::page(connection, &selection)
        }))
    }

    fn save(&self, deal: &Deal) -> Answer<'_, Saved> {
        let deal = deal.clone();
        Box::pin(self.run(&self.writer, move |connection| {
            // From the start a writer: a reader that turns writer may find the database changed.
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let there = table::delete(&change, deal.deal_no)?;
            table::insert(&change, &deal)?;
            change.commit()?;
            Ok(if there {
                Saved::Replaced
            } else {
                Saved::Created
            })
        }))
    }

    fn delete(&self, no: u64) -> Answer<'_, bool> {
        Box::pin(self.run(&self.writer, move |connection| {
            table::delete(connection, no)
        }))
    }

    fn version(&self) -> Answer<'_, u64> {
        let opened = self.opened;
        // The writer's own commits are not counted.
        Box::pin(self.run(&self.writer, move |connection| {
            Ok(commits(connection)?.wrapping_sub(opened) as u64)
        }))
    }

    fn ready(&self) -> Answer<'_, ()> {
        Box::pin(self.run(&self.reader, |connection| {
            connection.query_row("SELECT 1", [], |_| Ok(()))
        }))
    }
}

impl UserSource for Database {
    fn user(&self, id: &str) -> Answer<'_, Option<User>> {
        let id = id.to_owned();
        Box::pin(self.run(&self.reader, move |connection| users::read(connection, &id)))
    }
}
