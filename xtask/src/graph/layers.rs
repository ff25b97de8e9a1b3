//! Rules between a crate and what its manifest lists.

use super::tree::Edge;
use crate::problem::Problem;

/// Whom each crate of ours may list among its dependencies, of ours. Not on the list: not allowed.
const LAYERS: &[(&str, &[&str])] = &[
    ("larder-core", &[]),
    ("larder-flight", &["larder-core"]),
    ("larder-codec", &["larder-core"]),
    ("larder-memory", &["larder-core"]),
    ("larder-redis", &["larder-core"]),
    ("larder-kit", &["larder-core"]),
    // Programs of others and their sockets: it knows nothing of ours.
    ("larder-servers", &[]),
    // What measures knows nothing of what it measures.
    ("larder-load", &[]),
    (
        "larder-sim",
        &[
            "larder-core",
            "larder-codec",
            "larder-engine",
            "larder-kit",
            "larder-memory",
            "larder-redis",
        ],
    ),
    (
        "larder-engine",
        &[
            "larder-core",
            "larder-flight",
            "larder-codec",
            "larder-memory",
        ],
    ),
    ("larder-macros", &[]),
    (
        "larder",
        &[
            // It offers the codecs to users.
            "larder-codec",
            "larder-core",
            "larder-engine",
            "larder-macros",
            // It offers the stores to users, so it names them; no store names it.
            "larder-memory",
            "larder-redis",
        ],
    ),
    ("larder-domain", &[]),
    ("larder-http", &["larder", "larder-domain"]),
    ("larderd", &["larder", "larder-domain", "larder-http"]),
    // Figures and how they are shown: whoever measures knows it, and it knows nobody.
    ("larder-report", &[]),
    (
        "larder-bench",
        &[
            "larder",
            "larder-core",
            "larder-domain",
            "larder-load",
            // The adapter alone is measured too.
            "larder-redis",
            "larder-report",
            "larder-servers",
        ],
    ),
    ("larder-site", &[]),
    ("xtask", &[]),
];

/// May list anything: it tests the whole.
const WHOLE: &str = "larder-tests";

/// What any crate may add for its tests, if it stands in [`LAYERS`] and knows anything of ours at
/// all, or is [`TREATY`].
const FOR_TESTS: &[&str] = &["larder-kit", "larder-servers"];

/// What the kit itself stands on. Cargo builds it once for both, so its tests may use the kit.
const TREATY: &str = "larder-core";

/// Foreign crates and those of ours that may list them, for whatever use.
pub(super) const OWNERS: &[(&str, &[&str])] = &[
    ("tide", &["larder-http"]),
    ("http-types", &["larder-http"]),
    ("hyper", &["larder-http"]),
    ("postcard", &["larder-codec"]),
    ("quick_cache", &["larder-memory", "larder-bench"]),
    // What larder is compared with, in callers that block.
    ("redis", &["larder-redis", "larder-bench"]),
    // Comes in below tide and must not spread from there.
    ("async-std", &[]),
    // Its runtime is off; whoever listed it could turn that on.
    ("tokio", &[]),
];

/// Checks what is listed for use and what is listed for tests.
pub(super) fn check(uses: &[Edge], tests: &[Edge]) -> Vec<Problem> {
    let uses = uses
        .iter()
        .flat_map(|edge| [layer(edge, false), owner(edge)]);
    let tests = tests
        .iter()
        .flat_map(|edge| [layer(edge, true), owner(edge)]);
    uses.chain(tests).flatten().collect()
}

fn layer(edge: &Edge, for_tests: bool) -> Option<Problem> {
    let ours = edge.to == "larder"
        || edge.to == "larderd"
        || edge.to == "xtask"
        || edge.to.starts_with("larder-");
    if edge.from == WHOLE {
        return None;
    }
    let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == edge.from) else {
        return Some(Problem::new(
            &edge.from,
            "stands in no layer: add it to the table in xtask and say why",
        ));
    };
    let knows_ours = !allowed.is_empty() || edge.from == TREATY;
    let kit = for_tests && FOR_TESTS.contains(&edge.to.as_str()) && knows_ours;
    let fine = !ours || kit || allowed.contains(&edge.to.as_str());
    (!fine).then(|| Problem::new(&edge.from, format!("must not know {}", edge.to)))
}

fn owner(edge: &Edge) -> Option<Problem> {
    let (_, owners) = OWNERS.iter().find(|(name, _)| *name == edge.to)?;
    let fine = owners.contains(&edge.from.as_str());
    let who = if owners.is_empty() {
        "nobody".to_owned()
    } else {
        owners.join(" and ")
    };
    (!fine).then(|| Problem::new(&edge.from, format!("must not list {}: {who} may", edge.to)))
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;

    fn edge(from: &str, to: &str) -> Edge {
        Edge {
            from: from.to_owned(),
            to: to.to_owned(),
        }
    }

    fn found(uses: &[Edge], tests: &[Edge]) -> Vec<String> {
        check(uses, tests).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn allowed_edges_pass() {
        let uses = [
            edge("larder-engine", "larder-memory"),
            edge("larder-memory", "quick_cache"),
            edge("xtask", "lexopt"),
        ];
        let tests = [
            edge("larder-engine", "larder-kit"),
            edge("larder-tests", "larderd"),
        ];
        assert_eq!(found(&uses, &tests), Vec::<String>::new());
    }

    #[test]
    fn every_never_is_seen() {
        let never = [
            ("larder-memory", "larder-engine"),
            ("larder-redis", "larder-codec"),
            ("larder-redis", "larder-memory"),
            ("larder-memory", "larder"),
            ("larder-domain", "larder"),
            ("larder-macros", "larder-core"),
            ("larder-http", "larder-redis"),
            ("larder-http", "larder-memory"),
            ("larder-core", "larder-flight"),
            ("larder-macros", "larder-kit"),
            ("larder-kit", "larder-engine"),
            ("xtask", "larder-core"),
            ("larder-engine", "quick_cache"),
            ("larderd", "tide"),
            ("larderd", "hyper"),
            ("larder-tests", "http-types"),
            ("larder-http", "async-std"),
            ("larderd", "tokio"),
        ];
        for (from, to) in never {
            assert_eq!(found(&[edge(from, to)], &[]).len(), 1, "{from} -> {to}");
            assert_eq!(
                found(&[], &[edge(from, to)]).len(),
                1,
                "{from} -> {to} for tests"
            );
        }
    }

    #[test]
    fn the_kit_is_for_tests() {
        for from in ["larder-flight", "larder-core"] {
            let edge = edge(from, "larder-kit");
            assert_eq!(found(&[], slice::from_ref(&edge)), Vec::<String>::new());
            let wanted = format!("{from}: must not know larder-kit");
            assert_eq!(found(&[edge], &[]), [wanted]);
        }
    }

    #[test]
    fn a_crate_in_no_layer_is_seen() {
        assert_eq!(found(&[edge("larder-new", "serde")], &[]).len(), 1);
    }
}
