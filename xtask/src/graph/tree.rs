//! What `cargo tree` says, as values.

use crate::process;
use crate::stop::Stop;

/// A package in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// How far below the root it stands.
    depth: usize,
    /// Its name.
    pub(super) name: String,
    /// Its version, as `v1.2.3`.
    pub(super) version: String,
    /// The features that are on.
    pub(super) features: Vec<String>,
}

/// A crate of ours and something that its manifest lists.
#[derive(Debug)]
pub(super) struct Edge {
    pub(super) from: String,
    pub(super) to: String,
}

/// Every direct dependency of every crate of ours, of the kinds that `edges` names in cargo's
/// words.
pub(super) fn edges(kinds: &str) -> Result<Vec<Edge>, Stop> {
    let text = tree(&[
        "--workspace",
        "--all-features",
        "--depth",
        "1",
        "--no-dedupe",
        "--edges",
        kinds,
    ])?;
    Ok(pairs(&parse(&text)))
}

/// Everything that `package` is built from with its default features, itself included; several
/// times what is reached several times.
pub(super) fn below(package: &str) -> Result<Vec<Node>, Stop> {
    Ok(parse(&tree(&["--package", package, "--edges", "normal"])?))
}

/// Everything that any build, test or build script of the workspace uses.
pub(super) fn whole() -> Result<Vec<Node>, Stop> {
    Ok(parse(&tree(&[
        "--workspace",
        "--all-features",
        "--edges",
        "normal,build,dev",
    ])?))
}

fn tree(arguments: &[&str]) -> Result<String, Stop> {
    let mut cargo = process::cargo(&[
        "tree",
        "--quiet",
        "--prefix",
        "depth",
        "--format",
        " {p} |{f}",
    ]);
    process::output(cargo.args(arguments))
}

/// Reads lines like `1 tokio v1.54.1 |sync`; headings and whatever else stands between is left out.
fn parse(text: &str) -> Vec<Node> {
    text.lines().filter_map(node).collect()
}

fn node(line: &str) -> Option<Node> {
    let (package, features) = line.split_once('|')?;
    let mut words = package.split_whitespace();
    Some(Node {
        depth: words.next()?.parse().ok()?,
        name: words.next()?.to_owned(),
        version: words.next()?.to_owned(),
        features: features
            .trim_end_matches("(*)")
            .split(',')
            .map(|name| name.trim().to_owned())
            .collect(),
    })
}

fn pairs(nodes: &[Node]) -> Vec<Edge> {
    let mut from = "";
    let mut found = Vec::new();
    for node in nodes {
        if node.depth == 0 {
            from = &node.name;
        } else {
            found.push(Edge {
                from: from.to_owned(),
                to: node.name.clone(),
            });
        }
    }
    found
}

#[cfg(test)]
impl Node {
    pub(super) fn new(name: &str, version: &str, features: &[&str]) -> Self {
        let features = features.iter().map(|&name| name.to_owned()).collect();
        Self {
            depth: 1,
            name: name.to_owned(),
            version: version.to_owned(),
            features,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read_with_its_features() {
        let text = "0 a v0.1.0 (/somewhere/a) |\n1 tokio v1.54.1 |default,sync (*)\n[dev-dependencies]\n\n0 b v0.1.0 |x\n";
        let nodes = parse(text);
        assert_eq!(nodes.len(), 3);
        assert_eq!(
            nodes[1],
            Node::new("tokio", "v1.54.1", &["default", "sync"])
        );
    }

    #[test]
    fn edges_belong_to_the_package_above() {
        let edges = pairs(&parse("0 a v1 |\n1 x v1 |\n1 y v1 |\n0 b v1 |\n1 x v1 |\n"));
        let words: Vec<_> = edges
            .iter()
            .map(|edge| format!("{}>{}", edge.from, edge.to))
            .collect();
        assert_eq!(words, ["a>x", "a>y", "b>x"]);
    }

    #[test]
    fn the_workspace_itself_can_be_read() {
        let edges = edges("normal").expect("cargo tree");
        assert!(
            edges
                .iter()
                .any(|edge| edge.from == "xtask" && edge.to == "lexopt")
        );
    }
}
