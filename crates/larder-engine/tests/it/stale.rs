//! What is past its time: served while, or because, there is nothing newer.

mod early;
mod errors;
mod fallback;
mod rig;
mod said;
mod soft;
mod window;
