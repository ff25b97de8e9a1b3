//! How callers that block reach the server.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use redis::{Client, Connection, RedisError, RedisResult};

use super::clock::now;

/// Which connections the callers have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// One, behind a lock.
    Shared,
    /// A pool of so many.
    Pool(u32),
    /// Each its own: what a blocking program can do best.
    Each,
}

/// Connections of the `redis` crate, as its callers that block have them.
pub(crate) enum Blocking {
    Shared(Mutex<Connection>, Maker),
    Pool(r2d2::Pool<Maker>, Maker),
    Each(Maker),
}

/// One caller's way to the server.
pub(crate) enum Caller<'a> {
    Shared(&'a Mutex<Connection>),
    Pool(&'a r2d2::Pool<Maker>),
    Own(Connection),
}

impl Blocking {
    /// Connects, unless each caller does.
    ///
    /// # Errors
    /// The server does not take a connection.
    pub(crate) fn open(way: Way, port: u16) -> anyhow::Result<Self> {
        let maker = Maker::new(port)?;
        Ok(match way {
            Way::Shared => Self::Shared(Mutex::new(maker.make()?), maker),
            Way::Pool(size) => {
                let pool = r2d2::Pool::builder().max_size(size);
                // A question before each use would double what a request costs.
                let pool = pool.test_on_check_out(false).build(maker.clone());
                Self::Pool(pool.context("a pool of connections")?, maker)
            }
            Way::Each => Self::Each(maker),
        })
    }

    /// What a new caller asks by.
    ///
    /// # Errors
    /// The server does not take a connection.
    pub(crate) fn caller(&self) -> anyhow::Result<Caller<'_>> {
        Ok(match self {
            Self::Shared(shared, _) => Caller::Shared(shared),
            Self::Pool(pool, _) => Caller::Pool(pool),
            Self::Each(maker) => Caller::Own(maker.make()?),
        })
    }

    /// How long each connection took to make, so far.
    pub(crate) fn made(&self) -> Vec<Duration> {
        let (Self::Shared(_, maker) | Self::Pool(_, maker) | Self::Each(maker)) = self;
        maker.made().clone()
    }
}

impl Caller<'_> {
    /// Asks, on a connection that nobody else uses meanwhile.
    ///
    /// # Errors
    /// No connection came free within the pool's time, or the server did not answer well.
    pub(crate) fn ask<T>(
        &mut self,
        ask: impl FnOnce(&mut Connection) -> RedisResult<T>,
    ) -> anyhow::Result<T> {
        Ok(match self {
            Self::Shared(shared) => ask(&mut shared.lock().unwrap_or_else(PoisonError::into_inner)),
            Self::Pool(pool) => ask(&mut *pool.get()?),
            Self::Own(own) => ask(own),
        }?)
    }
}

/// Makes connections, and notes how long that takes.
#[derive(Clone)]
pub(crate) struct Maker {
    client: Client,
    made: Arc<Mutex<Vec<Duration>>>,
}

impl Maker {
    fn new(port: u16) -> anyhow::Result<Self> {
        let (client, made) = (client(port)?, Arc::default());
        Ok(Self { client, made })
    }

    fn make(&self) -> RedisResult<Connection> {
        let began = now();
        let connection = self.client.get_connection()?;
        self.made().push(now() - began);
        Ok(connection)
    }

    fn made(&self) -> MutexGuard<'_, Vec<Duration>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl r2d2::ManageConnection for Maker {
    type Connection = Connection;
    type Error = RedisError;

    fn connect(&self) -> Result<Connection, RedisError> {
        self.make()
    }

    fn is_valid(&self, connection: &mut Connection) -> Result<(), RedisError> {
        redis::cmd("PING").exec(connection)
    }

    fn has_broken(&self, connection: &mut Connection) -> bool {
        use redis::ConnectionLike as _;
        !connection.is_open()
    }
}

/// What connections to the server of this port are made by.
///
/// # Errors
/// Never for a port.
pub(crate) fn client(port: u16) -> anyhow::Result<Client> {
    Ok(Client::open(("127.0.0.1", port))?)
}
