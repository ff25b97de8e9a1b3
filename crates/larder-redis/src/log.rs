//! Lines for `tracing`: one for each change of state, with nothing of what is connected to.

#[cfg(feature = "tracing")]
pub(crate) use on::{connected, deaf, down, hearing};

#[cfg(not(feature = "tracing"))]
pub(crate) use off::{connected, deaf, down, hearing};

#[cfg(feature = "tracing")]
mod on {
    use tracing::{info, warn};

    use crate::ConnectError;

    pub(crate) fn connected() {
        info!(target: "larder", "redis: connected");
    }

    pub(crate) fn down(why: &ConnectError) {
        let (reason, code) = (why.kind().name(), why.code());
        warn!(target: "larder", reason, code, "redis: no connection");
    }

    pub(crate) fn hearing() {
        info!(target: "larder", "redis: what is published is heard");
    }

    pub(crate) fn deaf(why: &ConnectError) {
        let (reason, code) = (why.kind().name(), why.code());
        warn!(target: "larder", reason, code, "redis: what is published is not heard");
    }
}

#[cfg(not(feature = "tracing"))]
mod off {
    use crate::ConnectError;

    pub(crate) const fn connected() {}

    pub(crate) const fn down(_: &ConnectError) {}

    pub(crate) const fn hearing() {}

    pub(crate) const fn deaf(_: &ConnectError) {}
}
