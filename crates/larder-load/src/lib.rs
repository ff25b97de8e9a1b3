//! A load generator for HTTP and Redis, on smol, as a library and as the program `larder-load`.
//!
//! A [`Load`] is a number of virtual users, each with a connection of its own, who ask a [`Target`] until a time or a
//! count is reached. In a **closed loop** a user asks again when it has its answer; at a fixed [rate](Load::rate), the
//! **open loop**, requests have moments at which they are meant to start, and their times count from there, however late
//! a user was free for them: a server that stalls for a second is seen by all that would have come in that second, not by
//! the few that were under way (the mistake known as coordinated omission).
//!
//! Of each request three times are taken: from its start to the last byte of the answer (*sample time*), to its first
//! byte (*latency*), and what opening the connection took, where it had to be opened (*connect time*). A [`Summary`]
//! gives their distribution, transactions per second with the best second, and errors by kind; it is serde's to write.
//!
//! Without [`anywhere`](Load::anywhere) a load goes to the loopback alone, and each has an end in time and in count.
//!
//! ```
//! use std::io::{BufRead, BufReader, Write};
//! use larder_load::{Http, Load};
//!
//! let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
//! let url = format!("http://{}/", listener.local_addr()?);
//! # std::thread::spawn(move || {
//! #     for socket in listener.incoming().flatten() {
//! #         std::thread::spawn(move || {
//! #             for line in BufReader::new(&socket).lines().map_while(Result::ok) {
//! #                 if line.is_empty() {
//! #                     let _ = (&socket).write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
//! #                 }
//! #             }
//! #         });
//! #     }
//! # });
//! // … where something answers there:
//! let summary = Load::new(Http::parse(&url)?).users(4).requests(1000).run()?;
//! assert_eq!((summary.executed, summary.successful), (1000, 1000));
//! assert!(summary.sample_time.p99_ms >= summary.sample_time.p50_ms);
//! println!("{summary}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! It knows nothing of larder, and takes its time from the machine: the clock of a cache moves in steps of
//! milliseconds, which is what many an answer takes.

mod address;
mod answer;
mod busy;
mod csv;
mod exchange;
mod failure;
mod http;
mod link;
mod load;
mod now;
mod patience;
mod plan;
mod problem;
mod recorder;
mod redis;
mod run;
mod sample;
mod schedule;
mod show;
mod summary;
mod target;
mod times;
mod user;

pub use http::Http;
pub use load::Load;
pub use problem::Problem;
pub use redis::Redis;
pub use sample::Sample;
pub use summary::{Second, Summary};
pub use target::Target;
pub use times::Times;
