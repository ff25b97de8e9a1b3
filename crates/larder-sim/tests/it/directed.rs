//! What randomness hardly meets, played step by step: the engine and the Redis adapter as users get
//! them, over a model of the server and a network on which each fault is placed by hand.
//!
//! A scenario names the guards that it is about. In a build that can take guards out it is played once
//! more without each of them, and has to fail then: so it is known to see what it is for.

mod barriers;
mod blind;
mod changes;
mod cluster;
mod failovers;
mod leases;
mod lives;
mod puts;
mod rig;
mod server;
mod stores;

/// A test of a scenario on each of the servers named, and of its failing without each guard.
macro_rules! scenario {
    ($(#[$doc:meta])* $name:ident, on [$($server:ident),+], for [$($guard:ident),*], $play:expr) => {
        $(#[$doc])*
        #[test]
        fn $name() {
            let play: fn($crate::directed::rig::World) = $play;
            for server in [$($crate::directed::rig::World::$server as fn() -> _),+] {
                play(server());
                $($crate::directed::rig::fails_without!($guard, play(server()));)*
            }
        }
    };
}

pub(crate) use scenario;
