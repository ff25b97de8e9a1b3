//! Deals and users, and the ports through which they are read and changed.
//!
//! - [`Deal`] is one offer; its fields are the columns of the shipped data.
//! - [`JsonError`] is why a text is no deal.
//! - [`Date`] is a calendar day, as text always `2015-10-11`.
//! - [`Selection`] says which of many deals, and a [`Page`] is what there is of them.
//! - [`DealSource`] is where deals live: a database, a file, a fake in a test.
//! - [`User`] is somebody who signs in, whose passwords nobody sees; a [`UserSource`] is where users live.
//! - [`SourceError`] is why a source could not answer.
//!
//! Nothing here knows of a cache, of HTTP or of a database.

mod date;
mod deal;
mod error;
mod json;
mod selection;
mod source;
mod user;

pub use date::{Date, DateError};
pub use deal::{Deal, Invalid};
pub use error::{SourceError, SourceErrorKind};
pub use json::JsonError;
pub use selection::{Page, Selection};
pub use source::{Answer, DealSource, Saved, UserSource};
pub use user::User;
