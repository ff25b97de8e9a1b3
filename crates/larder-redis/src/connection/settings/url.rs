//! Settings as one line.

use percent_encoding::percent_decode_str;

use super::{SettingError, Settings};
use crate::connection::credentials::Credentials;
use crate::connection::target::{Address, Target};

/// What a URL is about, by its scheme.
#[derive(Clone, Copy)]
enum Kind {
    Single,
    Unix,
    Sentinel,
    Cluster,
}

pub(super) fn parse(url: &str) -> Result<Settings, SettingError> {
    let (scheme, rest) = url
        .split_once("://")
        .ok_or(wrong("begin with a scheme, as in `redis://host:6379`"))?;
    let (kind, tls) = kind(scheme)?;
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let mut settings = match kind {
        Kind::Unix => {
            let socket = text(rest)?;
            let says = "write the path of a socket, as in `unix:///run/redis/socket`";
            refuse(!socket.starts_with('/'), says)?;
            Settings::new(Target::Single(Address::Unix(socket.into())))
        }
        Kind::Single | Kind::Sentinel | Kind::Cluster => hosts(kind, tls, rest)?,
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    for pair in pairs {
        settings = parameter(settings, kind, pair)?;
    }
    Ok(settings)
}

fn kind(scheme: &str) -> Result<(Kind, bool), SettingError> {
    let scheme = scheme.to_ascii_lowercase();
    let (base, kind) = scheme.split_once('+').unwrap_or((&scheme, ""));
    let tls = match base {
        "redis" | "valkey" => false,
        "rediss" | "valkeys" => true,
        "unix" if kind.is_empty() => return Ok((Kind::Unix, false)),
        _ => return Err(unknown()),
    };
    let kind = match kind {
        "" => Kind::Single,
        "unix" if !tls => Kind::Unix,
        "sentinel" => Kind::Sentinel,
        "cluster" => Kind::Cluster,
        _ => return Err(unknown()),
    };
    Ok((kind, tls))
}

fn hosts(kind: Kind, tls: bool, rest: &str) -> Result<Settings, SettingError> {
    // A password may hold an `@` that nobody has escaped, a path may not.
    let (who, rest) = rest.rsplit_once('@').unwrap_or(("", rest));
    let (names, path) = rest.split_once('/').unwrap_or((rest, ""));
    let port = if matches!(kind, Kind::Sentinel) {
        26379
    } else {
        6379
    };
    let names: Vec<_> = names.split(',').collect();
    let addresses: Result<Vec<_>, _> = names.iter().map(|name| address(name, port, tls)).collect();
    let mut addresses = addresses?;
    let mut path = path.trim_end_matches('/');
    let target = match kind {
        Kind::Sentinel => {
            let (service, rest) = path.split_once('/').unwrap_or((path, ""));
            path = rest;
            let says = "name the service, as in `redis+sentinel://host:26379/service`";
            refuse(service.is_empty(), says)?;
            let service = text(service)?;
            let sentinels = addresses;
            Target::Sentinel { sentinels, service }
        }
        Kind::Cluster => Target::Cluster { nodes: addresses },
        Kind::Single | Kind::Unix => {
            let says = "name one host; several are `redis+sentinel://` or `redis+cluster://`";
            refuse(addresses.len() > 1, says)?;
            Target::Single(addresses.remove(0))
        }
    };
    let mut settings = Settings::new(target);
    settings.credentials = credentials(who)?;
    if !path.is_empty() {
        settings.database = database(path)?;
    }
    Ok(settings)
}

fn address(name: &str, port: u16, tls: bool) -> Result<Address, SettingError> {
    let (host, port) = match name.strip_prefix('[') {
        Some(rest) => {
            let says = "close the `[` of the address with a `]`";
            let (host, rest) = rest.split_once(']').ok_or(wrong(says))?;
            (host, rest.strip_prefix(':').map_or(Ok(port), number)?)
        }
        None => match name.split_once(':') {
            Some((host, port)) => (host, number(port)?),
            None => (name, port),
        },
    };
    refuse(
        host.is_empty(),
        "name a host, as in `redis://127.0.0.1:6379`",
    )?;
    let host = text(host)?;
    Ok(if tls {
        Address::Tls { host, port }
    } else {
        Address::Tcp { host, port }
    })
}

fn credentials(who: &str) -> Result<Credentials, SettingError> {
    let (user, password) = match who.split_once(':') {
        Some((user, password)) => (text(user)?, Some(text(password)?)),
        None => (text(who)?, None),
    };
    let user = (!user.is_empty()).then_some(user);
    Ok(Credentials { user, password })
}

fn parameter(settings: Settings, kind: Kind, pair: &str) -> Result<Settings, SettingError> {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let value = text(value)?;
    match (name, kind) {
        ("db", Kind::Unix) => Ok(settings.database(database(&value)?)),
        ("user", Kind::Unix) => Ok(settings.user(&value)),
        ("pass" | "password", Kind::Unix) => Ok(settings.password(&value)),
        ("ca", Kind::Single | Kind::Sentinel | Kind::Cluster) => Ok(settings.authority(value)),
        _ => Err(wrong(
            "behind `?` there may be `ca=` with `rediss`, and `db=`, `user=` and `pass=` with \
             `unix`; the rest are methods of `Settings`",
        )),
    }
}

fn database(text: &str) -> Result<u32, SettingError> {
    let says = "the database behind the host is a number, as in `redis://host:6379/2`";
    text.parse().map_err(|_| wrong(says))
}

fn number(port: &str) -> Result<u16, SettingError> {
    let says = "a port is a number from 1 to 65535";
    let port = port.parse().map_err(|_| wrong(says))?;
    refuse(port == 0, says)?;
    Ok(port)
}

fn text(escaped: &str) -> Result<String, SettingError> {
    let decoded = percent_decode_str(escaped).decode_utf8();
    let says = "what is percent-escaped must be UTF-8";
    decoded.map(Into::into).map_err(|_| wrong(says))
}

const fn wrong(instead: &'static str) -> SettingError {
    SettingError::new("url", instead)
}

const fn unknown() -> SettingError {
    wrong(
        "the scheme is one of `redis`, `rediss`, `unix`, `redis+sentinel`, `rediss+sentinel`, \
         `redis+cluster` and `rediss+cluster`",
    )
}

fn refuse(is: bool, says: &'static str) -> Result<(), SettingError> {
    if is { Err(wrong(says)) } else { Ok(()) }
}
