//! What the server runs in one step.
//!
//! The read path has no script (one exception: [`LOOK`], where two versions of a program share an
//! entry). Every script that changes something deletes first, then writes, numbers and publishes:
//! once it has written, a full server lets it run to its end. On a cluster a script touches one
//! entry, or what one cache keeps under its hash tag.
//!
//! # Words
//! - *entry*: the key of an entry. Its value is a [container](larder_core::container).
//! - *number*: the key of the cache's number: text, decimal, above zero and below 2⁶³ (what is not
//!   is a foreign value). It lives in the slot of the barriers.
//! - *barriers*: the keys of `clear`, then of the value's tags, then of whatever else is asked for,
//!   `any` last. For each there is one argument in the same order, *asked*: one byte, then 16 bytes
//!   of token. `=`: the barrier's token must be this one. `+`: the token that is there is taken; where
//!   there is none (or a foreign value) it is this one from now on. `.`: whatever it is.
//!   Looked at one after another, up to the first that is not as asked. If all are as asked, those
//!   that are there live *barrier life* longer at least.
//! - *token*: 16 bytes. *life*, *barrier life*: milliseconds, decimal; a life of zero is none: the
//!   part is not kept. *fresh*: the number to start with where there is none (or a foreign value).
//! - *part*: the bytes of a part, as a container has them behind its token. The barriers that it
//!   lists are the first that the call names, in the same order, and the heads of their tokens are
//!   written over with those of the tokens taken. A call that names no barriers leaves it as it is.
//! - *message*: what is published, up to its number; the number is added as decimal text.
//!
//! A value of a foreign type under a key is as a missing one and is overwritten. Numbers go up by one
//! for each message: made if missing, raised, published on *channel*, in the order of the messages.
//!
//! | script | keys | arguments | reply |
//! |---|---|---|---|
//! | [`STORE`] | entry, barriers (none on a cluster) | token, life, barrier life, channel, wake, part, asked… | 1 stored, 0 refused |
//! | [`VOUCH`] | barriers | barrier life, asked… | their tokens (empty bytes for one that is missing), or nil: refused |
//! | [`PUT`] | entry, number, barriers (entry alone on a cluster) | token, new token, life, barrier life, part, fresh, channel, message, asked… | 1 put, 0 deleted |
//! | [`REMOVE`] | number, what is deleted… | barrier life, fresh, channel, message… | 0 |
//! | [`EXPIRE`] | entry…, number (left out on a cluster) | how many entries, new token for each, barrier life, fresh, channel, message for each | 0 |
//! | [`RELEASE`] | entry | token, channel, wake | 1 released, 0 not |
//! | [`OPEN`] | entry | head, new token, life | array: 1 made or 0, the token that is there now, 1 if it has parts or 0 |
//! | [`LOOK`] | entry | | array: time left as PTTL gives it, value or nil (also for a foreign type) |
//! | [`NUMBER`] | number, clear, any | barrier life, fresh | the number, as text |

/// A script, with the name that logs and models know it by.
#[derive(Debug)]
pub struct Script {
    name: &'static str,
    source: &'static str,
}

impl Script {
    /// Its name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Its text, in Lua.
    #[must_use]
    pub const fn source(&self) -> &'static str {
        self.source
    }
}

macro_rules! script {
    ($name:literal: $($part:literal),*) => {
        Script {
            name: $name,
            source: concat!($(include_str!(concat!("scripts/", $part, ".lua"))),*),
        }
    };
}

/// Stores a part if the entry's token is the ticket's and the barriers are as asked: under the same
/// token, beside the part of another schema as
/// [`Container::keep`](larder_core::container::Container::keep) says. Then publishes *wake*, as it
/// is.
pub static STORE: Script = script!("store": "container", "barriers", "store");

/// Takes barriers' tokens, makes those that are missing, and compares.
pub static VOUCH: Script = script!("vouch": "barriers", "vouch");

/// Puts a part in the place of all, under a new token, if the entry's token is the ticket's and the
/// barriers are as asked; else deletes the entry. Then raises and publishes, where a number is named.
pub static PUT: Script = script!("put": "announce", "barriers", "put");

/// Deletes keys, of which there may be none, then raises and publishes for each message.
pub static REMOVE: Script = script!("remove": "announce", "remove");

/// Marks the parts of entries as [`Container::expire`](larder_core::container::Container::expire)
/// does, each entry's end left where it is; deletes those without parts. Then raises and publishes,
/// where a number is named.
pub static EXPIRE: Script = script!("expire": "container", "announce", "expire");

/// Deletes an entry that is this token and has no parts, and publishes *wake*, as it is.
pub static RELEASE: Script = script!("release": "release");

/// Puts a new token without parts, to live for `life`, in the place of an entry that is missing, is
/// no container (another type, or shorter than a token), or begins with *head*; empty *head*: in the
/// place of none that is a container.
pub static OPEN: Script = script!("open": "open");

/// The time left and the value, in one step.
pub static LOOK: Script = script!("look": "look");

/// The heartbeat: lets what is there of the keys live on for `barrier life` at least, and gives the
/// number, made where it is missing.
pub static NUMBER: Script = script!("number": "barriers", "number");

/// All there are.
pub static ALL: [&Script; 9] = [
    &STORE, &VOUCH, &PUT, &REMOVE, &EXPIRE, &RELEASE, &OPEN, &LOOK, &NUMBER,
];
