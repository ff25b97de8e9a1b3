//! Rules for the pages of the documentation site.

use crate::files::File;
use crate::problem::Problem;

const PAGES: &str = "docs/src/";
const SUMMARY: &str = "docs/src/SUMMARY.md";
/// Makes the pages' Rust blocks doctests.
const TESTED: &str = "tests/src/book.rs";

pub(super) fn check(files: &[File]) -> Vec<Problem> {
    let (summary, tested) = (text_of(files, SUMMARY), text_of(files, TESTED));
    let pages = files.iter().filter(|file| {
        file.path.starts_with(PAGES) && file.path.ends_with(".md") && file.path != SUMMARY
    });
    let mut found: Vec<_> = pages
        .clone()
        .flat_map(|page| [listed(page, summary), run(page, tested), opening(page)])
        .flatten()
        .collect();
    found.extend(pages.flat_map(fences));
    found
}

/// The text of the file at `path`; empty if there is none.
pub(super) fn text_of<'a>(files: &'a [File], path: &str) -> &'a str {
    let file = files.iter().find(|file| file.path == path);
    file.map_or("", |file| file.text.as_str())
}

fn listed(page: &File, summary: &str) -> Option<Problem> {
    let name = page.path.strip_prefix(PAGES)?;
    let listed = summary.contains(&format!("({name})"));
    (!listed).then(|| Problem::new(&page.path, format!("is not in {SUMMARY}")))
}

fn run(page: &File, tested: &str) -> Option<Problem> {
    let run = tested.contains(&format!("/{}\"", page.path));
    (!run).then(|| {
        Problem::new(
            &page.path,
            format!("its Rust blocks are not run: add it to {TESTED}"),
        )
    })
}

/// A page says at once what it gives.
fn opening(page: &File) -> Option<Problem> {
    let mut lines = page.text.lines().filter(|line| !line.is_empty());
    let title = lines.next().is_some_and(|line| line.starts_with("# "));
    let words = lines
        .next()
        .is_some_and(|line| line.starts_with(char::is_alphabetic));
    (!title || !words).then(|| Problem::at(&page.path, 1, "must open with a title and a paragraph"))
}

fn fences(page: &File) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut inside = false;
    for (index, line) in page.text.lines().enumerate() {
        let Some(language) = line.trim_start().strip_prefix("```") else {
            continue;
        };
        inside = !inside;
        if inside && language.is_empty() {
            found.push(Problem::at(
                &page.path,
                index + 1,
                "a block must say its language",
            ));
        }
        if inside && language.contains("ignore") {
            found.push(Problem::at(
                &page.path,
                index + 1,
                "a block that nobody compiles",
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    const GOOD: &str = "# A\n\nGives a thing.\n\n```rust\nlet a = 1;\n```\n";

    fn found(page: &str) -> Vec<String> {
        let files = [
            file(SUMMARY, "- [A](howto/a.md)\n"),
            file(TESTED, "A: \"../../docs/src/howto/a.md\",\n"),
            file("docs/src/howto/a.md", page),
        ];
        check(&files).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn a_page_that_is_listed_run_and_opened_passes() {
        assert_eq!(found(GOOD), Vec::<String>::new());
    }

    #[test]
    fn a_page_that_nobody_lists_or_runs_is_seen() {
        let problems = check(&[file("docs/src/b.md", GOOD)]);
        assert_eq!(problems.len(), 2);
    }

    #[test]
    fn a_page_opens_with_words() {
        for page in [
            "# A\n\n- a list\n",
            "Gives a thing.\n",
            "# A\n\n## B\n\nWords.\n",
        ] {
            assert_eq!(found(page).len(), 1, "{page}");
        }
    }

    #[test]
    fn blocks_say_what_they_are_and_are_compiled() {
        let page = GOOD.replace("```rust\n", "```\n");
        assert_eq!(
            found(&page),
            ["docs/src/howto/a.md:5: a block must say its language"]
        );
        let page = GOOD.replace("```rust\n", "```rust,ignore\n");
        assert_eq!(
            found(&page),
            ["docs/src/howto/a.md:5: a block that nobody compiles"]
        );
    }
}
