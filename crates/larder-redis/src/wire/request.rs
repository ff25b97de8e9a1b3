//! What a server is asked.

use std::fmt;

use bytes::Bytes;

use crate::Script;

/// What a server is asked: a command or a script, and where it belongs.
#[derive(Clone)]
pub struct Request {
    call: Call,
    route: Route,
}

/// What is to run.
#[derive(Clone)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a wire must send whatever there is"
)]
pub enum Call {
    /// A command, with all its arguments in their order, keys among them.
    Command {
        /// Its name, in capitals.
        name: &'static str,
        /// Its arguments.
        args: Vec<Bytes>,
    },
    /// A script.
    Script {
        /// Which.
        script: &'static Script,
        /// Its `KEYS`; at least one.
        keys: Vec<Bytes>,
        /// Its `ARGV`.
        args: Vec<Bytes>,
    },
}

/// Which server a request belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a wire must send whatever there is"
)]
pub enum Route {
    /// The one that holds this key. The request's other keys lie in the same slot.
    Key(Bytes),
    /// This one of the [masters](super::Wire::masters), counted from zero.
    Master(usize),
}

impl Request {
    /// A command on one key, its first argument; or on several of one slot, the first of them first.
    #[must_use]
    pub fn command(name: &'static str, args: Vec<Bytes>) -> Self {
        let route = Route::Key(args.first().cloned().unwrap_or_default());
        let call = Call::Command { name, args };
        Self { call, route }
    }

    /// A command that belongs to one of the masters, whatever its arguments.
    #[must_use]
    pub const fn on_master(master: usize, name: &'static str, args: Vec<Bytes>) -> Self {
        let route = Route::Master(master);
        let call = Call::Command { name, args };
        Self { call, route }
    }

    /// A script on these keys, all of one slot if the target is a cluster.
    #[must_use]
    pub fn script(script: &'static Script, keys: Vec<Bytes>, args: Vec<Bytes>) -> Self {
        let route = Route::Key(keys.first().cloned().unwrap_or_default());
        let call = Call::Script { script, keys, args };
        Self { call, route }
    }

    /// Bytes of its keys and arguments, about what it takes to send it.
    #[must_use]
    pub fn weight(&self) -> usize {
        let (keys, args) = match &self.call {
            Call::Command { args, .. } => (&[][..], args),
            Call::Script { keys, args, .. } => (&keys[..], args),
        };
        keys.iter().chain(args).map(Bytes::len).sum()
    }

    /// What is to run.
    #[must_use]
    pub const fn call(&self) -> &Call {
        &self.call
    }

    /// Where it belongs.
    #[must_use]
    pub const fn route(&self) -> &Route {
        &self.route
    }
}

/// Keys may be personal and arguments hold values, so neither is shown.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.call.fmt(f)
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { name, args } => write!(f, "{name}, {} arguments", args.len()),
            Self::Script { script, keys, args } => {
                let name = script.name();
                write!(f, "{name}, {} keys, {} arguments", keys.len(), args.len())
            }
        }
    }
}
