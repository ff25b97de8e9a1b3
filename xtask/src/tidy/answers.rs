//! The page that says what is done differently: it answers every line of the lists, and names tests
//! that are there.

use std::collections::BTreeSet;

use super::book::text_of;
use crate::files::File;
use crate::problem::Problem;
use crate::source::Source;

const PAGE: &str = "docs/src/explain/differently.md";

/// The lists that number their lines without a gap, and how long they are.
const LISTS: [(&str, usize); 4] = [("CM", 10), ("CFx", 6), ("SP", 66), ("FC", 83)];

pub(super) fn check(files: &[File]) -> Vec<Problem> {
    let page = text_of(files, PAGE);
    let mut found = answers(page, &tests(files));
    if !page.is_empty() {
        found.extend(unanswered(page));
    }
    found
}

/// The names of all functions in files of tests.
fn tests(files: &[File]) -> BTreeSet<String> {
    let rust = files.iter().filter(|file| file.is("rs"));
    rust.flat_map(|file| {
        let code = Source::new(&file.text).code;
        let names = code.split("fn ").skip(1).map(|rest| {
            let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
            rest[..end.unwrap_or(rest.len())].to_owned()
        });
        names.collect::<Vec<_>>()
    })
    .collect()
}

/// Every row that says "tested" has tests by its ids, and every test that is named is there.
fn answers(page: &str, tests: &BTreeSet<String>) -> Vec<Problem> {
    let rows = page
        .lines()
        .enumerate()
        .filter(|(_, line)| line.starts_with("| "));
    rows.flat_map(|(index, line)| {
        let cells: Vec<_> = line.split(" | ").collect();
        let answer = cells.last().copied().unwrap_or_default();
        let tested = answer.starts_with("tested");
        let missing =
            ids(cells[0]).filter(|id| tested && !tests.iter().any(|name| has_id(name, id)));
        let unknown = spans(answer).filter(|span| is_test(span) && !tests.contains(*span));
        missing
            .map(|id| format!("no test is named after {id}"))
            .chain(unknown.map(|name| format!("there is no test `{name}`")))
            .map(|what| Problem::at(PAGE, index + 1, what))
            .collect::<Vec<_>>()
    })
    .collect()
}

/// The ids in the first cell of a row.
fn ids(cell: &str) -> impl Iterator<Item = &str> {
    cell.trim_start_matches("| ")
        .trim_end_matches(" |")
        .split(", ")
}

/// A line of a list that no row is about.
fn unanswered(page: &str) -> Vec<Problem> {
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let cells = rows.filter_map(|line| line.split(" | ").next());
    let answered: BTreeSet<_> = cells.flat_map(ids).collect();
    let asked = LISTS
        .iter()
        .flat_map(|(list, lines)| (1..=*lines).map(move |line| format!("{list}{line}")));
    asked
        .filter(|id| !answered.contains(id.as_str()))
        .map(|id| Problem::new(PAGE, format!("says nothing of {id}")))
        .collect()
}

/// Whether a test's name carries an id of a list: `sp2_sp5_…` has SP2 and SP5.
fn has_id(name: &str, id: &str) -> bool {
    let id = id.to_lowercase().replace('-', "_") + "_";
    name.starts_with(&id) || name.contains(&format!("_{id}"))
}

fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The name of a test is a sentence.
fn is_test(span: &str) -> bool {
    let sentence = span.matches('_').count() > 2 && !span.contains('…');
    sentence
        && span
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_name_tests_that_are_there() {
        let tests = BTreeSet::from([
            "sp2_sp5_absence".to_owned(),
            "a_page_that_is_there".to_owned(),
        ]);
        let seen = |row: &str| answers(row, &tests).len();
        assert_eq!(
            seen("| SP2, SP5 | nulls | tested |\n| SP9 | all | no such part |\n"),
            0
        );
        assert_eq!(seen("| SP2, SP3, SP4 | nulls | tested: twice |\n"), 2);
        assert_eq!(
            seen("| FC1 | set | `a_page_that_is_there`, `cache.put` |\n"),
            0
        );
        assert_eq!(seen("| FC1 | set | `a_page_that_is_gone` |\n"), 1);
    }

    #[test]
    fn a_line_that_nobody_answers_is_seen() {
        let row = |list: &str, lines: usize| {
            let ids: Vec<_> = (1..=lines).map(|line| format!("{list}{line}")).collect();
            format!("| {} | what | different |\n", ids.join(", "))
        };
        let page: String = LISTS
            .iter()
            .map(|(list, lines)| row(list, *lines))
            .collect();
        assert!(unanswered(&page).is_empty());
        let problems = unanswered(&page.replace("FC7, ", ""));
        let texts: Vec<_> = problems.iter().map(Problem::to_string).collect();
        assert_eq!(texts, [format!("{PAGE}: says nothing of FC7")]);
    }
}
