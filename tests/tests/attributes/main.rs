//! The attributes, as a user would write them.

mod answers;
mod arguments;
mod derive_key;
mod errors;
mod evict;
mod future;
mod keys;
mod loads;
mod made;
mod options;
mod receivers;
mod support;
