//! What a test does that has no server.

use std::env;

/// Says so loudly, and gives nothing to test with.
///
/// # Panics
/// When `CI` is `true`: there a test that did not run is a failure.
#[expect(clippy::disallowed_methods, reason = "tests ask where they run")]
#[expect(clippy::print_stderr, reason = "who runs tests must see it")]
pub(super) fn skipped<T>(sentence: &str) -> Option<T> {
    let ci = env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(!ci, "{sentence}");
    eprintln!("SKIPPED: {sentence}");
    None
}
