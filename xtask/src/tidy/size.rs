//! What is long enough to look at: shown, never failed, because some tables and proofs are long for
//! a reason.

use crate::files::File;
use crate::problem::Problem;
use crate::source::{Source, line_of, words};

/// Lines of a file above which it is shown.
const FILE: usize = 300;
/// Lines of a function above which it is shown, from `fn` to the closing brace.
const FUNCTION: usize = 60;

pub(super) fn check(files: &[File]) -> Vec<Problem> {
    files
        .iter()
        .filter(|file| file.is("rs"))
        .flat_map(one)
        .collect()
}

fn one(file: &File) -> Vec<Problem> {
    let lines = file.text.lines().count();
    let long = (lines > FILE).then(|| Problem::new(&file.path, format!("{lines} lines")));
    let code = Source::new(&file.text).code;
    let functions = words(&code, "fn").filter_map(|(line, at)| {
        let length = function(&code[at..])?;
        let name = code[at + 2..]
            .split(['(', '<'])
            .next()
            .unwrap_or_default()
            .trim();
        (length > FUNCTION)
            .then(|| Problem::at(&file.path, line, format!("`{name}` has {length} lines")))
    });
    long.into_iter().chain(functions).collect()
}

/// The lines of the function that begins here; none for a pointer type or a function without a
/// body.
fn function(code: &str) -> Option<usize> {
    let open = code.find(['{', ';'])?;
    let named = code[2..]
        .trim_start()
        .starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    if !named || code[open..].starts_with(';') {
        return None;
    }
    let mut depth = 0_usize;
    for (at, letter) in code[open..].char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(line_of(code, open + at));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    fn found(text: &str) -> Vec<String> {
        check(&[file("a.rs", text)])
            .iter()
            .map(Problem::to_string)
            .collect()
    }

    #[test]
    fn a_long_function_is_shown_with_its_length() {
        let text = format!(
            "trait A {{ fn short(&self); }}\nfn long<T>(x: fn() -> T) {{\n{}}}\n",
            "    {}\n".repeat(59)
        );
        assert_eq!(found(&text), ["a.rs:2: `long` has 61 lines"]);
        assert!(found(&text.replacen("    {}\n", "", 1)).is_empty());
    }

    #[test]
    fn a_long_file_is_shown() {
        assert_eq!(found(&"//\n".repeat(301)), ["a.rs: 301 lines"]);
        assert!(found(&"//\n".repeat(300)).is_empty());
    }
}
