//! The HTTP front end of the deals service.
//!
//! - [`Deals`] is the service: the functions over a [`DealSource`](larder_domain::DealSource), cached by the attributes.
//! - [`Users`] is the same over a [`UserSource`](larder_domain::UserSource), encrypted wherever it is kept outside.
//! - [`Delays`] waits for an [`Upstream`], with the thread or without.
//! - [`App`] is its routes: what answers which path.
//! - [`Server`] serves an app on sockets and an executor of smol's, within [`Limits`].
//!
//! hyper reads and writes the wire, tide chooses the handler, and neither shows in a signature. tide's own server is
//! not used: its parser is not safe on an open port, and it would start threads of async-std. Between the two lies a
//! bridge that copies neither headers nor bodies and answers whatever is malformed with a status.
//!
//! ```no_run
//! # use std::sync::Arc;
//! # fn serve(source: impl larder_domain::DealSource) -> Result<(), Box<dyn std::error::Error>> {
//! use larder_http::{App, Deals, Server};
//!
//! static EXECUTOR: smol::Executor<'static> = smol::Executor::new();
//!
//! let larder = larder::Larder::builder().runtime(larder::Smol::on(&EXECUTOR)).build()?;
//! let app = App::new(&Deals::new(&larder, Arc::new(source))?);
//! let listener = std::net::TcpListener::bind("127.0.0.1:8080")?;
//! let server = Server::new(app, &EXECUTOR).serve(listener, std::future::pending());
//! smol::block_on(EXECUTOR.run(server))?;
//! # Ok(()) }
//! ```

mod app;
mod body;
mod bridge;
mod cache_status;
mod call;
mod connection;
mod deals;
mod delays;
mod failed;
mod filter;
mod json;
mod limits;
mod listing;
mod ndjson;
mod problem;
mod query;
mod receive;
mod reply;
mod routes;
mod server;
mod socket;
mod target;
mod upstream;
mod users;
mod watch;

pub use app::App;
pub use deals::Deals;
pub use delays::Delays;
pub use limits::Limits;
pub use server::Server;
pub use upstream::{Upstream, UpstreamError};
pub use users::Users;
