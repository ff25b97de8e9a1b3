//! The service, put together.

use std::fmt;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use futures_lite::FutureExt;
use larder::{Larder, Runtime, Smol};
use larder_http::{App, Deals, Delays, Server, Users};
use smol::channel;

use crate::database::Database;
use crate::redis;
use crate::secret::Secret;
use crate::settings::{Settings, Wrong};
use crate::signal::Ending;
use crate::workers::{self, EXECUTOR};

/// How often the database is asked whether somebody else, such as an import, has changed it.
const FOLLOW: Duration = Duration::from_secs(1);

/// Why the program ends with an error.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A setting, or what it names, cannot be used.
    Setting(Wrong),
    /// Anything else.
    Other(Box<dyn std::error::Error>),
}

/// Serves until a signal ends it.
pub(crate) fn run(settings: Settings) -> Result<(), Failure> {
    crate::log::start(settings.log.value);
    let runtime: Arc<dyn Runtime> = Arc::new(Smol::on(&EXECUTOR));
    // First, so that what is said of a port in use is not preceded by the log of a filled database.
    let listener = crate::listener::bind(settings.listen.value)
        .map_err(|error| Wrong::new("listen", settings.listen.origin, error))?;
    let database = Database::open(&settings.database.value, Arc::clone(&runtime))
        .map_err(|error| Wrong::new("database", settings.database.origin, error))?;
    let database = Arc::new(database);
    let clock = runtime.clock();
    let redis = settings.redis.value.map(|url| redis::open(url, &runtime));
    let redis = redis
        .transpose()
        .map_err(|error| Wrong::new("redis_url", settings.redis.origin, error))?;
    let larder = Larder::builder().shared_runtime(runtime);
    let larder = match &redis {
        Some(redis) => larder.far(redis.clone()).build()?,
        None => larder.build()?,
    };
    let deals = Deals::new(&larder, Arc::clone(&database) as _)?;
    let secret = settings.secret.map_or_else(
        || {
            if redis.is_some() {
                tracing::warn!("no encryption_key is set: one was made, so users in Redis are of no use to other processes, nor to this one after a restart");
            }
            Secret::made()
        },
        Ok,
    )?;
    let users = Users::new(&larder, database, secret.0)?;
    let upstream = match settings.upstream.value {
        Some(upstream) => upstream,
        None => crate::upstream::start(settings.delays + settings.blocking)?,
    };
    let delays = Delays::new(upstream, settings.delays, settings.blocking);
    let app = App::new(&deals).users(&users).delays(&delays);
    let app = match redis {
        Some(redis) => app.far_state(move || redis::state(&redis)),
        None => app,
    };
    let grace = settings.limits.grace;
    let server = Server::new(app, &EXECUTOR).limits(settings.limits);
    let ending = Ending::new()?;
    let address = listener.local_addr()?;
    crate::print(&format!(
        "larderd serves deals at http://{address}\nTry: curl -i http://{address}/deals/5\n"
    ))?;
    let whole = async move {
        let (tell, asked) = channel::bounded(1);
        let ending = async {
            ending.wait().await;
            // It has room for the one moment that there is.
            let _ = tell.try_send(clock.now());
        };
        let following = async {
            deals.follow(FOLLOW).await;
            Ok(())
        };
        server.serve(listener, ending).or(following).await?;
        // One grace for both: what the connections have used of it is gone.
        let used = asked.try_recv().map(|asked| clock.now().since(asked));
        let used = used.unwrap_or_default();
        Ok(larder.shutdown(grace.saturating_sub(used)).await)
    };
    let rested: io::Result<bool> = workers::run(settings.workers.value, whole)?;
    if !rested? {
        tracing::warn!("ended while loads still ran");
    }
    tracing::info!("ended");
    Ok(())
}

impl Failure {
    /// 2 for a setting, 1 for the rest.
    pub(crate) fn code(&self) -> ExitCode {
        match self {
            Self::Setting(_) => ExitCode::from(2),
            Self::Other(_) => ExitCode::FAILURE,
        }
    }
}

impl From<Wrong> for Failure {
    fn from(wrong: Wrong) -> Self {
        Self::Setting(wrong)
    }
}

impl<E: std::error::Error + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Other(Box::new(error))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting(wrong) => wrong.fmt(f),
            Self::Other(error) => error.fmt(f),
        }
    }
}
