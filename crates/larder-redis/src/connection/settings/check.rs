//! What settings must be.

use std::time::Duration;

use super::{SettingError, Settings};
use crate::connection::target::{Address, Target};

const DAY: Duration = Duration::from_secs(24 * 3600);

impl Settings {
    /// The first setting that is wrong.
    pub(crate) fn check(&self) -> Result<(), SettingError> {
        let pace = &self.pace;
        time("connect_timeout", pace.connect)?;
        time("heartbeat", pace.heartbeat)?;
        time("patience", pace.patience)?;
        time("backoff", pace.backoff.0)?;
        time("backoff", pace.backoff.1)?;
        let says = "write the shorter of the two durations first";
        refuse(pace.backoff.0 > pace.backoff.1, "backoff", says)?;
        let says = "write at least 1";
        refuse(pace.timeouts == 0, "timeouts", says)?;
        refuse(self.bounds.requests == 0, "requests", says)?;
        refuse(self.bounds.buffer == 0, "buffer", says)?;
        let says = "write at least 1024: smaller ones stop the handshake";
        refuse(self.bounds.reply < 1024, "largest_reply", says)?;
        let says = "a user needs a password as well: set `password`, or put it into the URL";
        let lone = self.credentials.user.is_some() && self.credentials.password.is_none();
        refuse(lone, "user", says)?;
        self.check_target()
    }

    fn check_target(&self) -> Result<(), SettingError> {
        let addresses = match &self.target {
            Target::Single(address) => std::slice::from_ref(address),
            Target::Sentinel { sentinels, service } => {
                let says = "name the service, as in `redis+sentinel://host:26379/service`";
                refuse(service.is_empty(), "target", says)?;
                sentinels
            }
            Target::Cluster { nodes } => {
                let says = "a cluster has the database 0 alone: leave it out";
                refuse(self.database != 0, "database", says)?;
                nodes
            }
        };
        refuse(addresses.is_empty(), "target", "name at least one host")?;
        let tls = addresses
            .iter()
            .any(|address| matches!(address, Address::Tls { .. }));
        let says = "it counts for TLS alone: write `rediss` in the URL, or leave it out";
        refuse(!tls && self.authority.is_some(), "authority", says)?;
        let says = "this build has no TLS: switch on the feature `tls` of larder-redis, \
                    which is `redis-tls` of larder";
        refuse(tls && !cfg!(feature = "tls"), "target", says)
    }
}

fn time(setting: &'static str, time: Duration) -> Result<(), SettingError> {
    let says = "write a duration from 1 ms to a day";
    let wrong = time < Duration::from_millis(1) || time > DAY;
    refuse(wrong, setting, says)
}

fn refuse(wrong: bool, setting: &'static str, says: &'static str) -> Result<(), SettingError> {
    if wrong {
        return Err(SettingError::new(setting, says));
    }
    Ok(())
}
