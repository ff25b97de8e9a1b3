//! What must be readable nowhere: encrypted values, and where and as whom a program connects. Alone in
//! its process, so that its log is all there is.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod log;
mod names;
mod series;
mod values;
