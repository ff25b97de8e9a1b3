//! Rules for every text file: how lines end, and what of the writer's machine may stand in them.

use crate::files::File;
use crate::problem::Problem;

/// The folder, in whatever crate, whose files are kept as others wrote them.
const AS_DELIVERED: &str = "data";

/// Top folders that hold somebody's checkout or home, and so mean nothing on another machine.
const PERSONAL: &[&str] = &[
    "home",
    "root",
    "Users",
    "work",
    "workspace",
    "builds",
    "mnt",
];

/// Hosts that a link may lead to; the rest is a registry or something that only the writer can
/// reach. A host under one of the reserved names at the end leads nowhere and is fine for examples.
const HOSTS: &[&str] = &[
    "github.com",
    "doc.rust-lang.org",
    "docs.rs",
    "rust-lang.github.io",
    "rustsec.org",
    "rustup.rs",
    "www.apache.org",
    "www.rfc-editor.org",
    // SVG's namespace is named so; nobody is led there.
    "www.w3.org",
    "localhost",
    "127.0.0.1",
    "[::1]",
];
const RESERVED: &[&str] = &[
    ".invalid",
    ".test",
    ".example",
    "example.com",
    "example.org",
    "example.net",
];

pub(super) fn check(files: &[File]) -> Vec<Problem> {
    let written = files.iter().filter(|file| !file.is_below(AS_DELIVERED));
    written
        .flat_map(|file| ends(file).into_iter().chain(lines(file)))
        .collect()
}

fn ends(file: &File) -> Option<Problem> {
    let ended = file.text.is_empty() || file.text.ends_with('\n') && !file.text.ends_with("\n\n");
    (!ended).then(|| Problem::new(&file.path, "does not end in exactly one line feed"))
}

fn lines(file: &File) -> Vec<Problem> {
    let mut found = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let mut problem = |what: String| found.push(Problem::at(&file.path, index + 1, what));
        if line.ends_with(char::is_whitespace) {
            problem("space at the end of the line".to_owned());
        }
        if let Some(folder) = personal_path(line) {
            problem(format!(
                "a path below /{folder} means nothing on another machine"
            ));
        }
        if file.path == "Cargo.lock" {
            if !from_the_public_registry(line) {
                problem("a package from elsewhere than the public registry".to_owned());
            }
        } else if let Some(host) = strange_host(line, file.is_below("tests")) {
            problem(format!(
                "a link to `{host}`, which is not on the list of hosts in xtask"
            ));
        }
    }
    found
}

/// The first folder of an absolute path that belongs to a machine.
fn personal_path(line: &str) -> Option<&'static str> {
    PERSONAL.iter().copied().find(|folder| {
        line.match_indices(&format!("/{folder}/")).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            before.is_none_or(|letter| !letter.is_alphanumeric() && !"_-.~}>)*/".contains(letter))
        })
    })
}

fn from_the_public_registry(line: &str) -> bool {
    let source = line.strip_prefix("source = ");
    source
        .is_none_or(|source| source == "\"registry+https://github.com/rust-lang/crates.io-index\"")
}

/// The first host of a link that is on no list; a host that is filled in later has no name yet, and
/// a test may invent one without a dot.
fn strange_host(line: &str, in_test: bool) -> Option<&str> {
    let links = ["http://", "https://"]
        .into_iter()
        .flat_map(|scheme| line.split(scheme).skip(1));
    links.map(host).find(|host| {
        let filled_in = !host.starts_with(|letter: char| letter.is_alphanumeric() || letter == '[');
        let invented = in_test && !host.contains('.');
        !filled_in
            && !invented
            && !HOSTS.contains(host)
            && !RESERVED.iter().any(|name| host.ends_with(name))
    })
}

/// The host at the head of a link without its scheme.
fn host(link: &str) -> &str {
    let end = match link.strip_prefix('[') {
        Some(address) => address.find(']').map_or(link.len(), |at| at + 2),
        None => link
            .find(|letter: char| !letter.is_alphanumeric() && !"-.".contains(letter))
            .unwrap_or(link.len()),
    };
    link[..end].trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&[file(path, text)])
            .iter()
            .map(Problem::to_string)
            .collect()
    }

    #[test]
    fn a_clean_text_passes() {
        let text = "See http://127.0.0.1:8080/deals/5, https://docs.rs/smol, http://deals.test/ and http://{host}/.\n";
        assert_eq!(found("README.md", text), Vec::<String>::new());
    }

    #[test]
    fn ends_of_lines_and_files_are_seen() {
        assert_eq!(
            found("a.md", "one \ntwo\n"),
            ["a.md:1: space at the end of the line"]
        );
        for text in ["no end", "two ends\n\n"] {
            assert_eq!(
                found("a.md", text),
                ["a.md: does not end in exactly one line feed"]
            );
        }
    }

    #[test]
    fn paths_of_a_machine_are_seen() {
        let path = format!("at \"/{}/me/larder\"\n", "home");
        assert_eq!(
            found("a.rs", &path),
            ["a.rs:1: a path below /home means nothing on another machine"]
        );
        assert!(found("a.rs", "crates/work/src, target/root/x\n").is_empty());
    }

    #[test]
    fn links_to_elsewhere_are_seen() {
        let link = format!("see {}://index.internal:81/crates.\n", "https");
        assert_eq!(
            found("a.md", &link),
            ["a.md:1: a link to `index.internal`, which is not on the list of hosts in xtask"]
        );
    }

    #[test]
    fn tests_may_invent_hosts() {
        let link = format!("GET {}://other/deals/5\n", "http");
        assert!(found("crates/a/tests/wire.rs", &link).is_empty());
        assert_eq!(found("crates/a/src/wire.rs", &link).len(), 1);
        let dotted = format!("GET {}://mirror.internal/\n", "http");
        assert_eq!(found("crates/a/tests/wire.rs", &dotted).len(), 1);
    }

    #[test]
    fn a_lock_file_names_one_registry() {
        let git = "source = \"git+ssh://somewhere/x\"\n";
        assert_eq!(
            found("Cargo.lock", git),
            ["Cargo.lock:1: a package from elsewhere than the public registry"]
        );
        let public = "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
        assert!(found("Cargo.lock", public).is_empty());
    }

    #[test]
    fn delivered_data_stays_as_it_is() {
        assert!(found("crates/larderd/data/deals.csv", "1,\"a \" \r\n\n").is_empty());
    }
}
