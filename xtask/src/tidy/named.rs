//! What a user can write or read stands on the page that lists it.

use super::book::text_of;
use crate::files::File;
use crate::problem::Problem;

/// Where names are in the code: each stands between `before` and `after`.
struct Names {
    file: &'static str,
    before: &'static str,
    after: &'static str,
    /// The page that has to name them all.
    page: &'static str,
}

const fn names(
    file: &'static str,
    (before, after): (&'static str, &'static str),
    page: &'static str,
) -> Names {
    Names {
        file,
        before,
        after,
        page,
    }
}

const SETTER: (&str, &str) = ("pub fn ", "(mut self");
const SETTER_WHOLE: (&str, &str) = ("pub fn ", "(self)");

const LISTS: &[Names] = &[
    names(
        "crates/larder-macros/src/attr.rs",
        ("\"", "\""),
        "docs/src/reference/attributes.md",
    ),
    names(
        "crates/larder-engine/src/cache/builder.rs",
        SETTER,
        "docs/src/reference/cache.md",
    ),
    names(
        "crates/larder-engine/src/cache/builder/bounds.rs",
        SETTER,
        "docs/src/reference/cache.md",
    ),
    names(
        "crates/larder-engine/src/cache/builder/times.rs",
        SETTER,
        "docs/src/reference/cache.md",
    ),
    names(
        "crates/larder-engine/src/cache/builder/far.rs",
        SETTER,
        "docs/src/reference/cache.md",
    ),
    names(
        "crates/larder-engine/src/cache/builder/codec.rs",
        SETTER_WHOLE,
        "docs/src/reference/cache.md",
    ),
    names(
        "crates/larder-engine/src/cache/builder/wrapping.rs",
        SETTER,
        "docs/src/reference/cache.md",
    ),
    names(
        "crates/larder-engine/src/larder.rs",
        SETTER,
        "docs/src/reference/cache.md",
    ),
    names(
        "crates/larder-engine/src/larder/far.rs",
        SETTER,
        "docs/src/reference/cache.md",
    ),
    names(
        "crates/larder-engine/src/smol.rs",
        SETTER,
        "docs/src/reference/cache.md",
    ),
    names(
        "crates/larder-engine/src/outcome.rs",
        ("=> \"", "\""),
        "docs/src/reference/outcomes.md",
    ),
    names(
        "crates/larder-core/src/error.rs",
        ("=> \"", "\""),
        "docs/src/reference/outcomes.md",
    ),
    names(
        "crates/larder-engine/src/mode.rs",
        ("=> \"", "\""),
        "docs/src/howto/switches.md",
    ),
    names(
        "crates/larder-engine/src/event.rs",
        ("=> \"", "\""),
        "docs/src/reference/events.md",
    ),
    names(
        "crates/larder-engine/src/meter/publish.rs",
        ("!(\"", "\""),
        "docs/src/reference/metrics.md",
    ),
    names(
        "crates/larder-engine/src/stats.rs",
        ("\n    pub ", ":"),
        "docs/src/reference/statistics.md",
    ),
    names(
        "crates/larder-redis/src/connection/settings.rs",
        SETTER,
        "docs/src/reference/redis.md",
    ),
    names(
        "crates/larder-redis/src/connect_error.rs",
        ("=> \"", "\""),
        "docs/src/reference/redis.md",
    ),
    names(
        "crates/larder-redis/src/health.rs",
        ("\n    pub ", ":"),
        "docs/src/reference/redis.md",
    ),
    names(
        "crates/larderd/src/settings.rs",
        ("name: \"", "\""),
        "docs/src/reference/service.md",
    ),
    names(
        "crates/larder-http/src/limits.rs",
        ("\n    pub ", ":"),
        "docs/src/reference/service.md",
    ),
    names(
        "crates/larder-load/src/load.rs",
        SETTER,
        "docs/src/howto/load.md",
    ),
    names(
        "crates/larder-load/src/http.rs",
        SETTER,
        "docs/src/howto/load.md",
    ),
    names(
        "crates/larder-load/src/summary.rs",
        ("\n    pub ", ":"),
        "docs/src/howto/load.md",
    ),
];

pub(super) fn check(files: &[File]) -> Vec<Problem> {
    LISTS.iter().flat_map(|list| missing(list, files)).collect()
}

fn missing(list: &Names, files: &[File]) -> Vec<Problem> {
    let page = text_of(files, list.page);
    let code = text_of(files, list.file);
    let code = code.split("\n#[cfg(test)]\n").next().unwrap_or_default();
    let named = |name: &&str| {
        ["`", "--", "(", " "]
            .iter()
            .any(|edge| page.contains(&format!("{edge}{name}")))
    };
    found(code, list)
        .filter(|name| !named(name))
        .map(|name| {
            Problem::new(
                list.page,
                format!("does not name `{name}` of {}", list.file),
            )
        })
        .collect()
}

fn found<'a>(code: &'a str, list: &Names) -> impl Iterator<Item = &'a str> {
    let after = list.after;
    code.match_indices(list.before)
        .filter_map(move |(at, mark)| {
            let rest = &code[at + mark.len()..];
            let end =
                rest.find(|letter: char| !letter.is_ascii_lowercase() && !"_-".contains(letter))?;
            let name = &rest[..end];
            (!name.is_empty() && rest[end..].starts_with(after)).then_some(name)
        })
}

#[cfg(test)]
mod tests {
    use super::super::file;
    use super::*;

    #[test]
    fn every_list_finds_names_and_sees_a_missing_one() {
        let files = crate::files::all(&crate::files::root()).expect("readable");
        for list in LISTS {
            let code = text_of(&files, list.file);
            let first = found(code, list).next();
            let first = first.unwrap_or_else(|| panic!("{}: no names", list.file));
            let alone = [file(list.file, code), file(list.page, "nothing")];
            let seen = missing(list, &alone);
            assert!(seen.iter().any(|seen| seen.to_string().contains(first)));
        }
    }

    #[test]
    fn only_names_between_the_marks_count() {
        let list = names("a.rs", SETTER, "a.md");
        let code = "pub fn ttl(mut self, x: u8) {}\npub fn build(self) {}\nfn own(mut self) {}";
        assert_eq!(found(code, &list).collect::<Vec<_>>(), ["ttl"]);
    }
}
