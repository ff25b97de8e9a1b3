//! The README shows what the runner can do, and the licences stand beside it.

use crate::files::File;
use crate::help;
use crate::problem::Problem;

/// The commands a newcomer types, in this order.
const FIRST: [&str; 2] = ["cargo xtask serve", "cargo xtask test"];

/// Files that a checkout must have.
const REQUIRED: &[&str] = &[
    "README.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "Cargo.lock",
    ".ci/run",
];

pub(super) fn check(files: &[File]) -> Vec<Problem> {
    let missing = REQUIRED
        .iter()
        .filter(|path| files.iter().all(|file| file.path != **path));
    let missing = missing.map(|path| Problem::new(*path, "is missing"));
    let readme = files
        .iter()
        .filter(|file| file.path == "README.md")
        .flat_map(commands);
    missing.chain(readme).collect()
}

fn commands(readme: &File) -> Vec<Problem> {
    let mut found = Vec::new();
    let named: Vec<_> = readme
        .text
        .lines()
        .filter(|line| line.starts_with("cargo "))
        .collect();
    let first = named
        .iter()
        .take(FIRST.len())
        .zip(FIRST)
        .all(|(line, command)| line.starts_with(command));
    if !first || named.len() < FIRST.len() {
        found.push(Problem::new(
            &readme.path,
            format!("its first commands must be `{}`", FIRST.join("` and `")),
        ));
    }
    let list = help::list();
    found.extend(
        list.lines()
            .filter(|line| !readme.text.contains(line))
            .map(|line| {
                Problem::new(
                    &readme.path,
                    format!("lacks this line of `cargo xtask help`: {line}"),
                )
            }),
    );
    found
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    fn found(readme: &str) -> Vec<String> {
        commands(&file("README.md", readme))
            .iter()
            .map(Problem::to_string)
            .collect()
    }

    #[test]
    fn a_readme_with_every_command_passes() {
        let good = format!("{}\n\n{}\n", FIRST.join("\n"), help::list());
        assert_eq!(found(&good), Vec::<String>::new());
    }

    #[test]
    fn a_command_that_is_not_shown_is_seen() {
        let list = help::list();
        let last = list.lines().last().expect("a command");
        let short = format!("{}\n\n{}\n", FIRST.join("\n"), list.replace(last, ""));
        assert_eq!(
            found(&short),
            [format!(
                "README.md: lacks this line of `cargo xtask help`: {last}"
            )]
        );
    }

    #[test]
    fn the_first_commands_are_fixed() {
        let turned = format!("{}\n{}\n\n{}\n", FIRST[1], FIRST[0], help::list());
        assert_eq!(found(&turned).len(), 1);
    }

    #[test]
    fn a_missing_file_is_seen() {
        let problems = check(&[]);
        assert_eq!(problems.len(), REQUIRED.len());
    }
}
