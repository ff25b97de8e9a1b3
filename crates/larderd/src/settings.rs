//! Settings: what there is, and what was given.

mod file;
mod given;
mod limits;
mod origin;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

pub(crate) use origin::{Origin, Wrong};

use larder_http::{Limits, Upstream};

use crate::log::Levels;
use crate::secret::Secret;
use given::Given;

/// A setting as it is named, in the file and with dashes or `LARDER_` elsewhere.
#[derive(Debug)]
struct Setting {
    name: &'static str,
    value: &'static str,
    about: &'static str,
}

const SETTINGS: [Setting; 18] = [
    Setting {
        name: "listen",
        value: "ADDRESS",
        about: "where to serve [127.0.0.1:8080]",
    },
    Setting {
        name: "database",
        value: "FILE",
        about: "the deals; made and filled if missing [larder.db]",
    },
    Setting {
        name: "redis_url",
        value: "URL",
        about: "a Redis server that keeps what is cached too [none]",
    },
    Setting {
        name: "encryption_key",
        value: "KEY",
        about: "what users in Redis are encrypted by, 64 hex digits [made at the start]",
    },
    Setting {
        name: "workers",
        value: "NUMBER",
        about: "threads, from 1 to 1024 [one a core]",
    },
    Setting {
        name: "upstream",
        value: "URL",
        about: "whom /delay and /blocking wait for, by http [one of its own]",
    },
    Setting {
        name: "delays",
        value: "NUMBER",
        about: "how many /delay at once, from 0 to 1000000 [512]",
    },
    Setting {
        name: "blocking",
        value: "NUMBER",
        about: "how many /blocking at once, from 0 to 1024 [all workers but one]",
    },
    Setting {
        name: "log",
        value: "LEVELS",
        about: "off, error, warn, info, debug, trace, or target=level,... [info]",
    },
    Setting {
        name: "connections",
        value: "NUMBER",
        about: "how many at once, from 1 to 1000000 [1024]",
    },
    Setting {
        name: "max_head",
        value: "SIZE",
        about: "of a request before its body, from 8KiB to 1MiB [16KiB]",
    },
    Setting {
        name: "max_body",
        value: "SIZE",
        about: "of a request's body, from 1KiB to 64MiB [64KiB]",
    },
    Setting {
        name: "head_timeout",
        value: "TIME",
        about: "for a request's head to arrive [10s]",
    },
    Setting {
        name: "body_timeout",
        value: "TIME",
        about: "for a request's body to arrive [30s]",
    },
    Setting {
        name: "work_timeout",
        value: "TIME",
        about: "for the answer to be found [60s]",
    },
    Setting {
        name: "write_timeout",
        value: "TIME",
        about: "for the client to take some of the answer [30s]",
    },
    Setting {
        name: "idle_timeout",
        value: "TIME",
        about: "between two requests of a connection [60s]",
    },
    Setting {
        name: "grace",
        value: "TIME",
        about: "for open requests once it is asked to end [10s]",
    },
];

/// A checked value and where it came from, so that what fails later can still name its source.
#[derive(Debug)]
pub(crate) struct Placed<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

/// All settings, checked.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) listen: Placed<SocketAddr>,
    pub(crate) database: Placed<PathBuf>,
    /// None: the process keeps all of it to itself.
    pub(crate) redis: Placed<Option<larder::Settings>>,
    /// None: one is made.
    pub(crate) secret: Option<Secret>,
    pub(crate) workers: Placed<NonZeroUsize>,
    /// None: an upstream of our own.
    pub(crate) upstream: Placed<Option<Upstream>>,
    pub(crate) delays: usize,
    pub(crate) blocking: usize,
    pub(crate) log: Placed<Levels>,
    pub(crate) limits: Limits,
}

/// What the command line asks for.
#[derive(Debug)]
pub(crate) enum Command {
    Serve(Box<Settings>),
    /// Put the deals of a file into the database.
    Import(Box<Settings>, PathBuf),
    Help,
    Version,
}

impl Command {
    /// Reads flags, environment and file. Of two sources of one setting, the earlier in this order wins.
    ///
    /// # Errors
    /// The first thing wrong, with its source.
    pub(crate) fn read(args: impl IntoIterator<Item = OsString>) -> Result<Self, Wrong> {
        match given::read(args)? {
            given::Asked::Serve(given) => Settings::check(given).map(Box::new).map(Self::Serve),
            given::Asked::Import(given, file) => {
                let settings = Settings::check(given).map(Box::new)?;
                Ok(Self::Import(settings, file))
            }
            given::Asked::Help => Ok(Self::Help),
            given::Asked::Version => Ok(Self::Version),
        }
    }
}

impl Settings {
    fn check(mut given: Given) -> Result<Self, Wrong> {
        let workers = given.take("workers", workers)?;
        let spare = workers.value.get() - 1;
        Ok(Self {
            listen: given.take("listen", listen)?,
            database: given.take("database", database)?,
            redis: given.take("redis_url", redis)?,
            secret: given.take("encryption_key", secret)?.value,
            workers,
            upstream: given.take("upstream", upstream)?,
            delays: limits::count(&mut given, "delays", 0..=1_000_000, 512)?,
            blocking: limits::count(&mut given, "blocking", 0..=1024, spare)?,
            log: given.take("log", log)?,
            limits: limits::check(&mut given)?,
        })
    }
}

fn listen(text: Option<&str>) -> Result<SocketAddr, String> {
    text.unwrap_or("127.0.0.1:8080")
        .parse()
        .map_err(|_| "not an address with a port, such as 127.0.0.1:8080".into())
}

fn database(text: Option<&str>) -> Result<PathBuf, String> {
    match text.unwrap_or("larder.db") {
        "" => Err("not the name of a file".into()),
        path => Ok(path.into()),
    }
}

/// A reason of these never holds any of the URL.
fn redis(text: Option<&str>) -> Result<Option<larder::Settings>, String> {
    let settings = text.map(larder::Settings::parse).transpose();
    settings.map_err(|error| error.to_string())
}

fn secret(text: Option<&str>) -> Result<Option<Secret>, String> {
    text.map(Secret::parse).transpose().map_err(str::to_owned)
}

fn workers(text: Option<&str>) -> Result<NonZeroUsize, String> {
    let Some(text) = text else {
        return Ok(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN));
    };
    text.parse()
        .ok()
        .filter(|workers: &NonZeroUsize| workers.get() <= 1024)
        .ok_or_else(|| "not a whole number from 1 to 1024".into())
}

fn upstream(text: Option<&str>) -> Result<Option<Upstream>, String> {
    let upstream = text.map(Upstream::parse).transpose();
    upstream.map_err(|error| error.to_string())
}

fn log(text: Option<&str>) -> Result<Levels, String> {
    text.unwrap_or("info").parse()
}

/// The text of `--help`.
pub(crate) fn help() -> String {
    let mut text = String::from(
        "Serves deals and users over HTTP, cached by larder.\n\n\
         Usage: larderd [--config FILE] [SETTINGS]\n       larderd import FILE [--config FILE] [SETTINGS]\n\n\
         Each setting is a flag, a variable or a key of the file; a flag wins over a variable, a variable over the file.\n\n",
    );
    for Setting { name, value, about } in &SETTINGS {
        let flag = format!("--{} {value}", flag(name));
        text.push_str(&format!("  {flag:<22} {:<20} {about}\n", variable(name)));
    }
    text.push_str(
        "  --config FILE          LARDER_CONFIG        a file of settings in TOML, such as larder.toml\n",
    );
    text.push_str("  --help, --version\n\n");
    text.push_str("A SIZE is in bytes, KiB or MiB; a TIME is from 1s to 24h, such as 1m30s.\n");
    text
}

fn flag(name: &str) -> String {
    name.replace('_', "-")
}

fn variable(name: &str) -> String {
    format!("LARDER_{}", name.to_ascii_uppercase())
}
