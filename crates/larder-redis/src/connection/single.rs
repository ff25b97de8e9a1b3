//! One server.

mod answers;
mod duty;
mod encoding;
mod greeting;
mod lane;
mod older;
mod place;
mod pushes;
mod receiving;
mod sending;
mod session;
mod subscriber;

use std::sync::Arc;

use ::redis::aio::MultiplexedConnection;
use ::redis::{AsyncConnectionConfig, ErrorKind, ProtocolVersion, RedisConnectionInfo, RedisError};
use larder_core::BoxFuture;
use tokio_util::compat::FuturesAsyncReadCompatExt;

use super::dial::Dial;
use super::listening::Listening;
use super::reading;
use super::session::Session;
use super::settings::Settings;
use super::stream::Stream;
use super::target::Address;
use crate::ConnectError;
use encoding::Scripts;
use session::Linked;
use subscriber::Subscriber;

/// Connects to one server.
pub(super) struct Single {
    address: Address,
    settings: Settings,
    scripts: Arc<Scripts>,
}

impl Single {
    pub(super) fn new(address: Address, settings: Settings) -> Self {
        let scripts = Arc::new(Scripts::new());
        Self {
            address,
            settings,
            scripts,
        }
    }

    async fn link(&self) -> Result<Linked, ConnectError> {
        let (from, to) = Stream::in_halves(&self.address, &self.settings).await?;
        let linked = Linked::new(from, to, &self.scripts);
        linked.greet(&self.settings).await?;
        Ok(linked)
    }

    async fn hear(&self) -> Result<Listening, ConnectError> {
        let (pushes, messages) = pushes::channel();
        let config = config().set_push_sender(move |info| pushes.push(info));
        match self.shake_hands(config).await? {
            Ok(subscriber) => Ok(pushes::listening(subscriber, messages)),
            Err(error) if knows_no_hello(&error) => self.hear_older().await,
            Err(error) => Err(reading::error(&error)),
        }
    }

    async fn hear_older(&self) -> Result<Listening, ConnectError> {
        let halves = Stream::in_halves(&self.address, &self.settings).await?;
        older::listening(halves, &self.settings).await
    }

    async fn shake_hands(
        &self,
        config: AsyncConnectionConfig,
    ) -> Result<Result<Subscriber, RedisError>, ConnectError> {
        let (stream, info) = (self.stream().await?, self.info());
        let made = MultiplexedConnection::new_with_config(&info, stream.compat(), config).await;
        Ok(made.map(|(requests, driver)| Subscriber::new(requests, driver)))
    }

    async fn stream(&self) -> Result<Stream, ConnectError> {
        Stream::open(&self.address, &self.settings).await
    }

    /// Says no name of a library: the user may not be permitted to, and the refusal would be written
    /// down by the server each time.
    fn info(&self) -> RedisConnectionInfo {
        let credentials = &self.settings.credentials;
        let mut info = RedisConnectionInfo::default()
            .set_db(i64::from(self.settings.database))
            .set_protocol(ProtocolVersion::RESP3)
            .set_skip_set_lib_name();
        if let Some(user) = &credentials.user {
            info = info.set_username(user);
        }
        if let Some(password) = &credentials.password {
            info = info.set_password(password);
        }
        info
    }
}

impl Dial for Single {
    fn dial(&self) -> BoxFuture<'_, Result<Arc<dyn Session>, ConnectError>> {
        Box::pin(async {
            let linked = self.link().await?;
            Ok(Arc::new(linked) as Arc<dyn Session>)
        })
    }

    fn listen(&self) -> BoxFuture<'_, Result<Listening, ConnectError>> {
        Box::pin(self.hear())
    }
}

/// Who waits bounds each operation as a whole, and the supervisor what is under way.
fn config() -> AsyncConnectionConfig {
    AsyncConnectionConfig::new().set_response_timeout(None)
}

/// Servers before 6.0, and those whose `HELLO` was renamed.
fn knows_no_hello(error: &RedisError) -> bool {
    let unknown = |detail: &str| detail.starts_with("unknown command");
    error.kind() == ErrorKind::RESP3NotSupported
        || error.code() == Some("NOPROTO")
        || error.code() == Some("ERR") && error.detail().is_some_and(unknown)
}
