//! Rules for Rust files.

use crate::files::File;
use crate::problem::Problem;
use crate::source::{Source, line_of, words};

/// Words that may not stand in code, with what is wrong about them.
const FORBIDDEN: &[(&str, &str)] = &[
    ("todo!", "unfinished code"),
    ("unimplemented!", "unfinished code"),
    ("dbg!", "a left-over of debugging"),
    ("#[ignore", "an ignored test"),
    ("unsafe", "unsafe code of ours"),
];

/// Notes that need a reason behind them.
const NOTES: &[&str] = &["TODO", "FIXME", "XXX", "HACK"];

pub(super) fn check(files: &[File]) -> Vec<Problem> {
    files
        .iter()
        .filter(|file| file.is("rs"))
        .flat_map(one)
        .collect()
}

fn one(file: &File) -> Vec<Problem> {
    let source = Source::new(&file.text);
    let mut found = forbidden(file, &source);
    found.extend(unreasoned_notes(file, &source));
    if file.is_below("src") {
        found.extend(undocumented_module(file));
        found.extend(kit_in_src(file, &source));
    }
    found
}

fn forbidden(file: &File, source: &Source) -> Vec<Problem> {
    let hits = FORBIDDEN.iter().flat_map(|(word, what)| {
        // A word that begins with a sign has no left edge to look at.
        let marked = word.starts_with('#');
        let at: Vec<usize> = if marked {
            source
                .code
                .match_indices(word)
                .map(|(at, _)| line_of(&source.code, at))
                .collect()
        } else {
            words(&source.code, word).map(|(line, _)| line).collect()
        };
        at.into_iter()
            .map(move |line| Problem::at(&file.path, line, format!("`{word}`: {what}")))
    });
    hits.collect()
}

/// A note says what it waits for in brackets: `TODO(when tide is gone): …`.
fn unreasoned_notes(file: &File, source: &Source) -> Vec<Problem> {
    let hits = NOTES.iter().flat_map(|note| {
        let bare = words(&source.comments, note).filter(|(_, at)| {
            let after = &source.comments[at + note.len()..];
            !after
                .strip_prefix('(')
                .is_some_and(|reason| reason.trim_start().starts_with(char::is_alphanumeric))
        });
        bare.map(move |(line, _)| {
            Problem::at(
                &file.path,
                line,
                format!("{note} without a reason: write `{note}(why): …`"),
            )
        })
    });
    hits.collect()
}

fn undocumented_module(file: &File) -> Option<Problem> {
    let first = file
        .text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let documented = first
        .strip_prefix("//!")
        .is_some_and(|words| !words.trim().is_empty());
    let included = first.starts_with("#![doc");
    (!documented && !included)
        .then(|| Problem::at(&file.path, 1, "begins without a module doc (`//! …`)"))
}

fn kit_in_src(file: &File, source: &Source) -> Vec<Problem> {
    // The simulator is nothing but a test, and a crate because several programs run it.
    if file.path.starts_with("crates/larder-sim/") {
        return Vec::new();
    }
    let hits = words(&source.code, "larder_kit");
    hits.map(|(line, _)| Problem::at(&file.path, line, "tests that use the kit lie in `tests/`"))
        .collect()
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
    fn a_clean_file_passes() {
        let text = "//! A doc that may say unsafe, todo!() and #[ignore].\n// TODO(when 1.88 is ours): let chains\n\
                    const S: &str = \"dbg!(unsafe)\";\n";
        assert_eq!(found("crates/a/src/lib.rs", text), Vec::<String>::new());
    }

    #[test]
    fn each_forbidden_word_is_seen_in_code() {
        for (word, what) in FORBIDDEN {
            let text = format!("//! Doc.\nfn a() {{}}\n{word}\n");
            assert_eq!(
                found("crates/a/src/a.rs", &text),
                [format!("crates/a/src/a.rs:3: `{word}`: {what}")]
            );
        }
    }

    #[test]
    fn a_note_needs_a_reason() {
        let text = "//! Doc.\n// TODO: later\n// FIXME() soon\n";
        assert_eq!(found("a/src/a.rs", text).len(), 2);
    }

    #[test]
    fn a_source_file_begins_with_its_doc() {
        for text in ["use std::fmt;\n", "", "//!\nfn a() {}\n"] {
            assert_eq!(
                found("a/src/a.rs", text),
                ["a/src/a.rs:1: begins without a module doc (`//! …`)"]
            );
            assert!(found("a/tests/a.rs", text).is_empty());
        }
    }

    #[test]
    fn the_kit_stays_out_of_src() {
        let text = "//! Doc.\nuse larder_kit::Gate;\n";
        assert_eq!(
            found("a/src/a.rs", text),
            ["a/src/a.rs:2: tests that use the kit lie in `tests/`"]
        );
        assert!(found("a/tests/a.rs", text).is_empty());
        assert!(found("crates/larder-sim/src/a.rs", text).is_empty());
    }
}
