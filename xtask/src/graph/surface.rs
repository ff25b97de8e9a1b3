//! Foreign types in public signatures.
//!
//! Nobody but its owner lists a wrapped crate (see `layers`), so nobody else can name its types;
//! here the owners' own `pub` items are read. What is really public is what says `pub`: the lint
//! `unreachable_pub` sees to that. Not seen is a type that hides behind a macro or behind an alias
//! of a private module.

use super::layers::OWNERS;
use crate::files::File;
use crate::problem::Problem;
use crate::source::{Source, words};
use std::collections::BTreeSet;

/// Reads the `src` of every crate that wraps another one.
pub(super) fn check(files: &[File]) -> Vec<Problem> {
    let mut found = Vec::new();
    for (foreign, owners) in OWNERS {
        for owner in *owners {
            let folder = format!("crates/{owner}/src/");
            let sources: Vec<_> = files
                .iter()
                .filter(|file| file.path.starts_with(&folder))
                .map(|file| (file.path.as_str(), Source::new(&file.text).code))
                .collect();
            let types: BTreeSet<_> = sources
                .iter()
                .flat_map(|(_, code)| public_types(code))
                .collect();
            for (path, code) in &sources {
                found.extend(leaks(path, code, &foreign.replace('-', "_"), &types));
            }
        }
    }
    found
}

/// Names of the types that a file makes public.
fn public_types(code: &str) -> impl Iterator<Item = &str> {
    words(code, "pub").filter_map(|(_, at)| {
        let mut item = code[at + 3..].split_whitespace();
        let kind = item.next()?;
        let name = item.next()?;
        ["struct", "enum", "union"]
            .contains(&kind)
            .then(|| leading_name(name))
    })
}

fn leaks(path: &str, code: &str, foreign: &str, types: &BTreeSet<&str>) -> Vec<Problem> {
    let rooted = format!("::{foreign}");
    let written = if declares(code, foreign) {
        &rooted
    } else {
        foreign
    };
    let names = names_of(code, written);
    let signatures =
        words(code, "pub").filter_map(|(line, at)| Some((line, public_part(&code[at + 3..])?)));
    let headers =
        words(code, "impl").filter_map(|(line, at)| Some((line, public_header(code, at, types)?)));
    signatures
        .chain(headers)
        .filter(|(_, text)| names.iter().any(|name| mentions(text, name)))
        .map(|(line, _)| {
            Problem::at(
                path,
                line,
                format!("a type of {foreign} in a public signature"),
            )
        })
        .collect()
}

/// Whether the file has a module of this name, which then stands before the crate.
fn declares(code: &str, module: &str) -> bool {
    words(code, "mod").any(|(_, at)| leading_name(code[at + 3..].trim_start()) == module)
}

/// The crate's own name, and whatever `use` brings in from it.
fn names_of<'a>(code: &'a str, foreign: &'a str) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::from([foreign]);
    for (_, at) in words(code, foreign) {
        if !code[..at].trim_end().ends_with("use") {
            continue;
        }
        let import = code[at..].split(';').next().unwrap_or_default();
        let parts: Vec<_> = import.split([',', '{', '}']).map(str::trim).collect();
        // What is left of `as` or ends in `::` is a way, not a name.
        let last = |part: &&'a str| part.rsplit("::").next()?.split(" as ").last();
        names.extend(parts.iter().filter_map(last));
    }
    names.remove("");
    names
}

/// Whether a type or the way to one is written in `text`; a module's name alone is no more than a
/// word.
fn mentions(text: &str, name: &str) -> bool {
    let module = name.starts_with(char::is_lowercase);
    words(text, name)
        .any(|(_, at)| !module || text[at + name.len()..].trim_start().starts_with("::"))
        || text.trim_start().starts_with("use") && words(text, name).next().is_some()
}

/// What of the item behind `pub` others can see; nothing for `pub(crate)` and modules.
fn public_part(item: &str) -> Option<&str> {
    let item = item.trim_start();
    let first = leading_name(item);
    let stops: &[char] = match first {
        "" | "mod" => return None,
        "enum" | "trait" => return Some(with_body(item)),
        "struct" | "union" => &['{', '(', ';'],
        "use" | "type" => &[';'],
        "const" | "static" if !item.contains("fn ") => &['=', ';'],
        "fn" | "async" | "const" | "static" => &['{', ';'],
        _ => &[','],
    };
    Some(&item[..end(item, stops)])
}

/// The header of an `impl` block for a public type.
fn public_header<'a>(code: &'a str, at: usize, types: &BTreeSet<&str>) -> Option<&'a str> {
    let begins_line = code[..at]
        .rsplit('\n')
        .next()
        .is_some_and(|before| before.trim().is_empty());
    let header = code[at..].split('{').next()?;
    let owner = match header.rsplit_once(" for ") {
        Some((_, owner)) => owner,
        None => &header[end_of_generics(header)..],
    };
    (begins_line && types.contains(leading_name(owner.trim_start()))).then_some(header)
}

/// Where the parameters behind `impl` end.
fn end_of_generics(header: &str) -> usize {
    let after = "impl".len();
    if header[after..].starts_with('<') {
        after + end(&header[after..], &[' '])
    } else {
        after
    }
}

fn with_body(item: &str) -> &str {
    let open = item.find(['{', ';']).unwrap_or(item.len());
    let inside = &item[(open + 1).min(item.len())..];
    &item[..(open + 1 + end(inside, &[])).min(item.len())]
}

/// The offset of the first of `stops` outside brackets, or of the bracket that closes what is
/// around.
fn end(text: &str, stops: &[char]) -> usize {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        let arrow = letter == '>' && before == '-';
        if depth == 0 && stops.contains(&letter) {
            return at;
        }
        match letter {
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' if !arrow => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return at,
            },
            _ => {}
        }
        before = letter;
    }
    text.len()
}

fn leading_name(text: &str) -> &str {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .next()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(code: &str) -> usize {
        let file = File {
            path: "crates/larder-http/src/a.rs".to_owned(),
            text: code.to_owned(),
        };
        check(&[file]).len()
    }

    #[test]
    fn hidden_types_pass() {
        for code in [
            "use hyper::{Request, body};\nfn a(request: Request<body::Incoming>) {}\n",
            "pub struct Server(tide::Server<()>);\n",
            "pub struct Server { router: tide::Server<()>, pub port: u16 }\n",
            "pub fn serve(body: Vec<u8>) -> Result<(), Error> { let request: hyper::Request<()> = make(); }\n",
            "pub(crate) fn a(request: hyper::Request<()>) {}\n",
            "use hyper::body;\npub fn a(body: &str) -> [u8; 4] { body::of() }\n",
            "struct Private;\nimpl From<hyper::Error> for Private {}\n",
            "pub const LIMIT: usize = hyper::LIMIT;\n",
            "pub struct Error;\nimpl Error { fn of(error: hyper::Error) -> Self { Self } }\n",
            "// pub fn a() -> hyper::Error\npub mod hyper_free {}\n",
            "mod hyper;\npub use hyper::Own;\n",
        ] {
            assert_eq!(found(code), 0, "{code}");
        }
    }

    #[test]
    fn leaked_types_are_seen() {
        for code in [
            "pub fn a(request: hyper::Request<()>) {}\n",
            "use hyper::{Request, body};\npub async fn a<B>(request: &Request<B>) -> u8 { 1 }\n",
            "use http_types::Response as Answer;\npub fn a() -> Answer { b() }\n",
            "use hyper::body;\npub fn a(inside: body::Incoming) {}\n",
            "pub enum Error { Io(u8), Wire(hyper::Error) }\n",
            "pub struct Server(pub tide::Server<()>);\n",
            "pub struct Server { port: u16, pub router: tide::Server<()> }\n",
            "pub trait Wire { fn a(&self) -> hyper::Error; }\n",
            "pub use hyper::Request;\n",
            "pub use tide;\n",
            "mod hyper;\npub use ::hyper::Request;\n",
            "mod hyper;\nuse ::hyper::Request;\npub fn a(of: Request<()>) {}\n",
            "pub type Answer = http_types::Response;\n",
            "pub struct Error;\nimpl From<hyper::Error> for Error {}\n",
            "pub struct Wire<T>(T);\nimpl<T> Wire<hyper::Request<T>> {}\n",
            "pub struct Wire<T: Into<hyper::Error>>(T);\n",
            "pub fn a<T>(of: T) -> Result<(), u8>\nwhere\n    T: Into<tide::Error>,\n{\n}\n",
        ] {
            assert_eq!(found(code), 1, "{code}");
        }
    }

    #[test]
    fn only_owners_are_read() {
        let file = File {
            path: "crates/larderd/src/a.rs".to_owned(),
            text: "pub fn a() -> hyper::Error {}\n".to_owned(),
        };
        assert!(check(&[file]).is_empty());
    }
}
