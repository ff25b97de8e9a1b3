//! Rules over everything that a crate is built from, however far below.

use super::tree::Node;
use crate::problem::Problem;
use std::collections::BTreeSet;

/// A crate and what may stand nowhere below it.
pub(super) struct Apart {
    pub(super) package: &'static str,
    never: &'static [&'static str],
}

/// The library that users depend on.
pub(super) const FACADE: &str = "larder";

/// The most crates that the library may bring along, itself included, without a far tier.
pub(super) const MOST_CRATES: usize = 50;

pub(super) const RULES: &[Apart] = &[
    Apart {
        package: "larder-core",
        never: &[
            "serde",
            "serde_core",
            "redis",
            "smol",
            "async-executor",
            "async-io",
            "async-std",
            "tokio",
        ],
    },
    Apart {
        package: "larder-domain",
        never: &[
            "redis",
            "hyper",
            "http-types",
            "tide",
            "smol",
            "tokio",
            "async-std",
        ],
    },
    // Without a far tier a value needs no serde; and nothing of the service may leak into the
    // library.
    Apart {
        package: FACADE,
        never: &[
            "serde",
            "serde_core",
            "postcard",
            "redis",
            "hyper",
            "http-types",
            "tide",
            "async-std",
            "tokio",
            "rusqlite",
        ],
    },
];

/// Parts of tokio that are or need its runtime.
const RUNTIME: &[&str] = &[
    "rt",
    "rt-multi-thread",
    "net",
    "time",
    "fs",
    "process",
    "signal",
    "full",
];

pub(super) fn check(rule: &Apart, below: &[Node]) -> Vec<Problem> {
    let reached: BTreeSet<_> = below.iter().map(|node| node.name.as_str()).collect();
    let bad = rule.never.iter().filter(|name| reached.contains(*name));
    bad.map(|name| Problem::new(rule.package, format!("{name} stands below it and must not")))
        .collect()
}

/// The crate tokio may be linked for its channels; its runtime may not.
pub(super) fn check_tokio(whole: &[Node]) -> Vec<Problem> {
    let tokio = whole
        .iter()
        .filter(|node| node.name == "tokio")
        .flat_map(|node| &node.features);
    let on: BTreeSet<_> = tokio
        .filter(|feature| RUNTIME.contains(&feature.as_str()))
        .collect();
    on.into_iter()
        .map(|feature| Problem::new("tokio", format!("the feature `{feature}` is on in a build")))
        .collect()
}

/// How many different packages stand in a tree; two versions are two.
pub(super) fn count(below: &[Node]) -> usize {
    below
        .iter()
        .map(|node| (&node.name, &node.version))
        .collect::<BTreeSet<_>>()
        .len()
}

pub(super) fn check_count(count: usize) -> Option<Problem> {
    (count > MOST_CRATES)
        .then(|| Problem::new(FACADE, format!("{count} crates, {MOST_CRATES} at most")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_stay_apart_is_seen_at_any_depth() {
        let below = [
            Node::new("bytes", "v1", &[]),
            Node::new("serde", "v1", &[]),
            Node::new("serde", "v1", &[]),
        ];
        let found: Vec<_> = check(&RULES[0], &below)
            .iter()
            .map(Problem::to_string)
            .collect();
        assert_eq!(found, ["larder-core: serde stands below it and must not"]);
        assert!(check(&RULES[0], &below[..1]).is_empty());
    }

    #[test]
    fn tokio_may_be_linked_but_not_run() {
        assert!(
            check_tokio(&[Node::new("tokio", "v1", &["default", "sync", "io-util"])]).is_empty()
        );
        for feature in RUNTIME {
            assert_eq!(
                check_tokio(&[Node::new("tokio", "v1", &["sync", feature])]).len(),
                1,
                "{feature}"
            );
        }
    }

    #[test]
    fn versions_count_and_repeats_do_not() {
        let below = [
            Node::new("a", "v1", &[]),
            Node::new("a", "v2", &[]),
            Node::new("a", "v1", &["x"]),
        ];
        assert_eq!(count(&below), 2);
        assert!(check_count(MOST_CRATES).is_none() && check_count(MOST_CRATES + 1).is_some());
    }
}
