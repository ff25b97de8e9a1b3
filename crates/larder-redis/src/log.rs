//! Lines for `tracing`: one for each change of state, with nothing of what is connected to but, of
//! a master of a cluster, the lowest of its slots.

#[cfg(feature = "tracing")]
pub(crate) use on::{connected, deaf, down, hearing, untold};

#[cfg(not(feature = "tracing"))]
pub(crate) use off::{connected, deaf, down, hearing, untold};

#[cfg(feature = "tracing")]
mod on {
    use tracing::{info, warn};

    use crate::ConnectError;

    pub(crate) fn connected(slot: Option<u16>) {
        info!(target: "larder", slot, "redis: connected");
    }

    pub(crate) fn down(why: &ConnectError, slot: Option<u16>) {
        let (reason, code) = (why.kind().name(), why.code());
        warn!(target: "larder", reason, code, slot, "redis: no connection");
    }

    pub(crate) fn hearing() {
        info!(target: "larder", "redis: what is published is heard");
    }

    pub(crate) fn deaf(why: &ConnectError) {
        let (reason, code) = (why.kind().name(), why.code());
        warn!(target: "larder", reason, code, "redis: what is published is not heard");
    }

    pub(crate) fn untold(why: &ConnectError) {
        let code = why.code();
        warn!(target: "larder", code, "redis: the server does not tell what others write");
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use crate::ConnectError;

    pub(crate) const fn connected(_: Option<u16>) {}

    pub(crate) const fn down(_: &ConnectError, _: Option<u16>) {}

    pub(crate) const fn hearing() {}

    pub(crate) const fn deaf(_: &ConnectError) {}

    pub(crate) const fn untold(_: &ConnectError) {}
}
