//! Rules for manifests: what every crate takes from the workspace.

use crate::files::File;
use crate::problem::Problem;

/// Keys of `[package]` that have one value for all crates.
const INHERITED: &[&str] = &["version", "edition", "license", "publish"];

/// Crates that stand outside the workspace on purpose, as a user's does.
const OUTSIDE: &[&str] = &["tests/newcomer/Cargo.toml"];

pub(super) fn check(files: &[File]) -> Vec<Problem> {
    let manifests = files
        .iter()
        .filter(|file| file.path.ends_with("Cargo.toml") && !OUTSIDE.contains(&file.path.as_str()));
    manifests
        .flat_map(|file| {
            if file.path == "Cargo.toml" {
                root(file)
            } else {
                member(file)
            }
        })
        .collect()
}

/// The root forbids unsafe code, for every crate that takes its lints.
fn root(file: &File) -> Vec<Problem> {
    let forbids = lines(&file.text).any(|line| {
        line.section == "workspace.lints.rust"
            && line.key == "unsafe_code"
            && line.value.contains("\"forbid\"")
    });
    let problem = Problem::new(
        &file.path,
        "`[workspace.lints.rust]` must say `unsafe_code = \"forbid\"`",
    );
    if forbids { Vec::new() } else { vec![problem] }
}

fn member(file: &File) -> Vec<Problem> {
    let has = |section: &str, key: &str| {
        lines(&file.text)
            .any(|line| line.section == section && line.key == key && line.value == "true")
    };
    let mut found = Vec::new();
    for key in INHERITED
        .iter()
        .filter(|key| !has("package", &format!("{key}.workspace")))
    {
        found.push(Problem::new(
            &file.path,
            format!("`[package]` must say `{key}.workspace = true`"),
        ));
    }
    if !has("package", "rust-version.workspace") && !raises_rust_version(file) {
        let what =
            "`[package]` must inherit `rust-version`, or raise it with a comment that says why";
        found.push(Problem::new(&file.path, what));
    }
    if !has("lints", "workspace") {
        found.push(Problem::new(
            &file.path,
            "must say `[lints] workspace = true`, which forbids unsafe code",
        ));
    }
    found.extend(own_versions(file));
    found
}

/// A program may need more than the libraries, if the line says for what.
fn raises_rust_version(file: &File) -> bool {
    lines(&file.text).any(|line| {
        line.section == "package" && line.key == "rust-version" && line.value.contains("\" # ")
    })
}

/// Versions stand once, in the root.
fn own_versions(file: &File) -> Vec<Problem> {
    let own = lines(&file.text).filter(|line| {
        let inherits = line.key.ends_with(".workspace") || line.value.contains("workspace = true");
        line.section.ends_with("dependencies") && !inherits
    });
    own.map(|line| {
        Problem::at(
            &file.path,
            line.number,
            format!("`{}` must come from the workspace", line.key),
        )
    })
    .collect()
}

/// A `key = value` of a manifest and where it stands. Enough of TOML for manifests as they are
/// written here.
struct Line<'a> {
    number: usize,
    section: &'a str,
    key: &'a str,
    value: &'a str,
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut section = "";
    text.lines().enumerate().filter_map(move |(index, line)| {
        let line = line.trim();
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            section = name;
            return None;
        }
        let (key, value) = line.split_once('=')?;
        let comment = key.starts_with('#');
        (!comment).then(|| Line {
            number: index + 1,
            section,
            key: key.trim(),
            value: value.trim(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    const GOOD: &str = "[package]\nname = \"a\"\nversion.workspace = true\nedition.workspace = true\n\
        rust-version.workspace = true\nlicense.workspace = true\npublish.workspace = true\n\n[lints]\nworkspace = true\n\n\
        [dependencies]\n# smol = \"2\"\nserde.workspace = true\nlarder = { workspace = true, features = [\"smol\"] }\n";

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&[file(path, text)])
            .iter()
            .map(Problem::to_string)
            .collect()
    }

    #[test]
    fn a_crate_that_inherits_passes() {
        assert_eq!(found("crates/a/Cargo.toml", GOOD), Vec::<String>::new());
    }

    #[test]
    fn a_users_crate_inherits_nothing() {
        let text = "[package]\nname = \"newcomer\"\n\n[workspace]\n";
        assert_eq!(found(OUTSIDE[0], text), Vec::<String>::new());
        assert_ne!(found("a/Cargo.toml", text), Vec::<String>::new());
    }

    #[test]
    fn each_missing_inheritance_is_seen() {
        for key in INHERITED {
            let text = GOOD.replace(
                &format!("\n{key}.workspace = true"),
                &format!("\n{key} = \"1\""),
            );
            assert_eq!(
                found("a/Cargo.toml", &text),
                [format!(
                    "a/Cargo.toml: `[package]` must say `{key}.workspace = true`"
                )]
            );
        }
        let text = GOOD.replace("[lints]", "[lint]");
        assert_eq!(found("a/Cargo.toml", &text).len(), 1);
    }

    #[test]
    fn a_raised_rust_version_needs_a_reason() {
        let inherited = "rust-version.workspace = true";
        let why = GOOD.replace(inherited, "rust-version = \"1.89\" # SQLite");
        assert!(found("a/Cargo.toml", &why).is_empty());
        assert_eq!(
            found(
                "a/Cargo.toml",
                &GOOD.replace(inherited, "rust-version = \"1.89\"")
            )
            .len(),
            1
        );
    }

    #[test]
    fn a_version_of_its_own_is_seen() {
        let text = format!(
            "{GOOD}rand = \"0.9\"\n\n[target.'cfg(unix)'.dev-dependencies]\nlibc = {{ version = \"1\" }}\n"
        );
        assert_eq!(found("a/Cargo.toml", &text).len(), 2);
    }

    #[test]
    fn the_root_forbids_unsafe_code() {
        assert!(
            found(
                "Cargo.toml",
                "[workspace.lints.rust]\nunsafe_code = \"forbid\"\n"
            )
            .is_empty()
        );
        for text in [
            "",
            "[workspace.lints.rust]\nunsafe_code = \"warn\"\n",
            "[lints]\nunsafe_code = \"forbid\"\n",
        ] {
            assert_eq!(found("Cargo.toml", text).len(), 1, "{text}");
        }
    }
}
