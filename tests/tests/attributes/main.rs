//! The attributes, as a user would write them.

mod answers;
mod arguments;
mod blocking;
mod conditions;
mod derive_key;
mod errors;
mod evict;
mod expire;
mod future;
mod hand_over;
mod key_objects;
mod keys;
mod loads;
mod made;
mod options;
mod peers;
mod put;
mod put_far;
mod put_races;
mod receivers;
mod several;
mod stale;
mod streams;
mod support;
mod tags;
