//! What a connection is made with.

mod check;
mod error;
mod url;

use std::path::PathBuf;
use std::time::Duration;

use super::credentials::Credentials;
use super::target::Target;

pub use error::SettingError;

/// What a connection is made with: where, as whom, and how patiently.
///
/// No form of it shows an address, a user or a password. Values are checked when a connection is
/// made of it.
///
/// ```
/// use std::time::Duration;
/// use larder_redis::Settings;
/// let settings = Settings::parse("redis://shop:password@127.0.0.1:6379/2")?
///     .patience(Duration::from_millis(300));
/// assert!(!format!("{settings:?}").contains("password@"));
/// # Ok::<(), larder_redis::SettingError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Settings {
    pub(super) target: Target,
    pub(super) credentials: Credentials,
    pub(super) sentinels: Credentials,
    pub(super) database: u32,
    pub(super) authority: Option<PathBuf>,
    pub(super) pace: Pace,
    pub(super) bounds: Bounds,
}

/// How long things may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    pub(super) connect: Duration,
    pub(super) heartbeat: Duration,
    pub(super) patience: Duration,
    pub(super) timeouts: usize,
    pub(super) backoff: (Duration, Duration),
}

/// How much may be under way.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) requests: usize,
    pub(super) buffer: usize,
    pub(super) reply: usize,
}

impl Settings {
    /// The default settings for a target.
    #[must_use]
    pub fn new(target: Target) -> Self {
        Self {
            target,
            credentials: Credentials::default(),
            sentinels: Credentials::default(),
            database: 0,
            authority: None,
            pace: Pace {
                connect: Duration::from_secs(1),
                heartbeat: Duration::from_secs(1),
                patience: Duration::from_secs(1),
                timeouts: 3,
                backoff: (Duration::from_millis(50), Duration::from_secs(1)),
            },
            bounds: Bounds {
                requests: 4096,
                buffer: 64 << 20,
                reply: 64 << 20,
            },
        }
    }

    /// Reads a URL. Bytes with a meaning of their own are percent-escaped in it.
    ///
    /// - `redis://user:password@host:port/database`, each part but the host of use when needed
    /// - `rediss://…`: the same over TLS (feature `tls`); `?ca=/path/to/file` as
    ///   [`authority`](Self::authority)
    /// - `unix:///path/to/socket?db=2&user=u&pass=p`, also as `redis+unix`
    /// - `redis+sentinel://user:password@host:port,host:port/service/database`, `rediss+sentinel`
    /// - `redis+cluster://user:password@host:port,host:port`, `rediss+cluster`
    ///
    /// `valkey` may stand for `redis`, `valkeys` for `rediss`.
    ///
    /// # Errors
    /// It is none of these. The error says what to write, and shows nothing of the URL.
    pub fn parse(url: &str) -> Result<Self, SettingError> {
        url::parse(url)
    }

    /// Where it connects to.
    #[must_use]
    pub const fn target(&self) -> &Target {
        &self.target
    }

    /// The user, in the place of one in the URL.
    #[must_use]
    pub fn user(mut self, user: &str) -> Self {
        self.credentials.user = Some(user.to_owned());
        self
    }

    /// The password, in the place of one in the URL.
    #[must_use]
    pub fn password(mut self, password: &str) -> Self {
        self.credentials.password = Some(password.to_owned());
        self
    }

    /// A user and a password for the sentinels themselves; without them the sentinels are asked
    /// without any. The user may be empty.
    #[must_use]
    pub fn sentinel_credentials(mut self, user: &str, password: &str) -> Self {
        self.sentinels.user = (!user.is_empty()).then(|| user.to_owned());
        self.sentinels.password = Some(password.to_owned());
        self
    }

    /// The number of the database; 0 unless set. A cluster has only that.
    #[must_use]
    pub fn database(mut self, number: u32) -> Self {
        self.database = number;
        self
    }

    /// A file in PEM form with the certificates of the authorities to trust, in the place of the
    /// system's.
    #[must_use]
    pub fn authority(mut self, file: impl Into<PathBuf>) -> Self {
        self.authority = Some(file.into());
        self
    }

    /// How long one attempt to connect may take in all, with all its steps; 1 s unless set.
    #[must_use]
    pub fn connect_timeout(mut self, bound: Duration) -> Self {
        self.pace.connect = bound;
        self
    }

    /// How often a connection is tried while nothing else shows that it works; 1 s unless set.
    #[must_use]
    pub fn heartbeat(mut self, every: Duration) -> Self {
        self.pace.heartbeat = every;
        self
    }

    /// How long the server may leave a heartbeat, or all of several requests, without an answer
    /// before the connection is replaced; 1 s unless set. It bounds no request: who waits does.
    #[must_use]
    pub fn patience(mut self, bound: Duration) -> Self {
        self.pace.patience = bound;
        self
    }

    /// After how many requests in a row that nobody waits for any more the connection is replaced,
    /// if it has been silent for [`patience`](Self::patience) as well; 3 unless set.
    #[must_use]
    pub fn timeouts(mut self, count: usize) -> Self {
        self.pace.timeouts = count;
        self
    }

    /// How long to wait between attempts to connect: at first `least`, twice as long after each
    /// failure, up to `most`; 50 ms and 1 s unless set. Each wait is shortened by up to a half, at
    /// random, so that programs do not return all at once.
    #[must_use]
    pub fn backoff(mut self, least: Duration, most: Duration) -> Self {
        self.pace.backoff = (least, most);
        self
    }

    /// How many batches of requests may be without an answer at once; one more is refused. 4,096
    /// unless set.
    #[must_use]
    pub fn requests(mut self, most: usize) -> Self {
        self.bounds.requests = most;
        self
    }

    /// How many bytes of requests may be without an answer at once; what exceeds it is refused,
    /// unless it is alone. 64 MiB unless set.
    #[must_use]
    pub fn buffer(mut self, most: usize) -> Self {
        self.bounds.buffer = most;
        self
    }

    /// How many bytes an answer may have; a server that sends more is left. 64 MiB unless set. Of a list
    /// each part costs memory of its own: there may be one for each 256 of these bytes, and 1,024 always.
    #[must_use]
    pub fn largest_reply(mut self, most: usize) -> Self {
        self.bounds.reply = most;
        self
    }
}
