//! Borrows that a detached load cannot take along.

use larder::{Cache, LoadError, cacheable};
use std::borrow::Cow;
use std::sync::LazyLock;

static NUMBERS: LazyLock<Cache<u64, u64>> =
    LazyLock::new(|| Cache::builder("numbers").build().unwrap());

#[cacheable(NUMBERS, key = no)]
async fn nested(no: u64, note: Option<&str>, list: &[&str]) -> Result<u64, LoadError> {
    Ok(no + note.map_or(0, str::len) as u64 + list.len() as u64)
}

#[cacheable(NUMBERS, key = no)]
async fn lifetimes<'a>(no: u64, note: Cow<'a, str>) -> Result<u64, LoadError> {
    Ok(no + note.len() as u64)
}

#[cacheable(NUMBERS, key = no)]
async fn exclusive(no: u64, list: &mut Vec<u64>) -> Result<u64, LoadError> {
    list.push(no);
    Ok(no)
}

fn main() {}
