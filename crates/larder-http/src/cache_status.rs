//! The `Cache-Status` header of RFC 9211.

use std::fmt::Write;

use hyper::header::{HeaderName, HeaderValue};
use larder::{Observation, Outcome, Why};

use crate::reply::Reply;

const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");

/// Says for each cached call of an answer why it is what it is. Without any, the header stays away.
pub(crate) fn add(reply: Reply, why: &[Observation]) -> Reply {
    let mut text = String::new();
    for observation in why {
        begin(&mut text);
        describe(&mut text, observation.outcome());
    }
    set(reply, text)
}

/// As [`add`], for an answer about many keys: one member for each kind of outcome, as the first of it was, with the
/// number of its keys.
pub(crate) fn add_counted(reply: Reply, why: &[Observation]) -> Reply {
    let mut kinds: Vec<(&Outcome, usize)> = Vec::new();
    for outcome in why.iter().map(Observation::outcome) {
        let same = |(kind, _): &&mut (&Outcome, usize)| kind.detail() == outcome.detail();
        match kinds.iter_mut().find(same) {
            Some((_, keys)) => *keys += 1,
            None => kinds.push((outcome, 1)),
        }
    }
    let mut text = String::new();
    for (outcome, keys) in kinds {
        begin(&mut text);
        describe(&mut text, outcome);
        // Writing to a String cannot fail.
        let _ = write!(text, "; keys={keys}");
    }
    set(reply, text)
}

fn begin(text: &mut String) {
    if !text.is_empty() {
        text.push_str(", ");
    }
}

fn set(reply: Reply, text: String) -> Reply {
    match HeaderValue::try_from(text) {
        Ok(value) if !value.is_empty() => reply.with(CACHE_STATUS, value),
        _ => reply,
    }
}

fn describe(text: &mut String, outcome: &Outcome) {
    text.push_str("larder; ");
    match outcome {
        Outcome::Near {
            left: Some(left), ..
        } => {
            // Writing to a String cannot fail.
            let _ = write!(text, "hit; ttl={}", left.as_secs());
        }
        Outcome::Far { left, .. } => {
            let _ = write!(text, "hit; ttl={}", left.as_secs());
        }
        Outcome::Near { .. } => text.push_str("hit"),
        Outcome::Stale { past, .. } => {
            let _ = write!(text, "hit; ttl=-{}", past.as_secs());
        }
        Outcome::Joined => text.push_str("fwd=uri-miss; collapsed"),
        Outcome::Loaded { why, stored, .. } => {
            text.push_str(forwarded(*why));
            if *stored {
                text.push_str("; stored");
            }
        }
        // Streamed and failed.
        _ => text.push_str("fwd=uri-miss"),
    }
    text.push_str("; detail=");
    text.push_str(outcome.detail());
}

fn forwarded(why: Why) -> &'static str {
    match why {
        Why::Expired => "fwd=stale",
        // Its caller asked for an answer that is not from the cache.
        Why::WriteOnly => "fwd=request",
        // The far store is left alone for now.
        Why::Bypass | Why::FarDown => "fwd=bypass",
        // What was invalidated is no longer held.
        _ => "fwd=uri-miss",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_word_of_the_rfc() {
        assert_eq!(forwarded(Why::Absent), "fwd=uri-miss");
        assert_eq!(forwarded(Why::Invalidated), "fwd=uri-miss");
        assert_eq!(forwarded(Why::Expired), "fwd=stale");
        assert_eq!(forwarded(Why::WriteOnly), "fwd=request");
        assert_eq!(forwarded(Why::Bypass), "fwd=bypass");
        assert_eq!(forwarded(Why::FarDown), "fwd=bypass");
    }

    #[test]
    fn a_joined_call_is_a_collapsed_miss() {
        let mut text = String::new();
        describe(&mut text, &Outcome::Joined);
        assert_eq!(text, "larder; fwd=uri-miss; collapsed; detail=joined");
    }
}
