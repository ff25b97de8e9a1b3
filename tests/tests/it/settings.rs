//! Every setting that can be wrong is refused by its own name, with what to write instead; and a
//! setting that is new is either in these tables or said to take any value.

mod cache;
mod far;
mod found;
mod larder;

use std::collections::BTreeSet;

use ::larder::BuildError;

/// A wrong value of a setting.
struct Row {
    setting: &'static str,
    /// What is wrong with it.
    how: &'static str,
    /// What the message says of it, besides the setting's name.
    says: &'static str,
    refused: fn() -> BuildError,
}

const fn row(
    setting: &'static str,
    how: &'static str,
    says: &'static str,
    refused: fn() -> BuildError,
) -> Row {
    Row {
        setting,
        how,
        says,
        refused,
    }
}

/// Settings that no value of their type is wrong for.
const ANY: [(&str, &str); 6] = [
    ("cache_absence", "yes or no"),
    ("mode", "each mode is one to start in"),
    (
        "far",
        "of a cache: what it needs is refused as `ttl` and `schema`",
    ),
    (
        "codec",
        "what it cannot do with a type is refused as `schema`",
    ),
    ("runtime", "there is none that is wrong"),
    ("shared_runtime", "there is none that is wrong"),
];

fn rows() -> impl Iterator<Item = &'static Row> {
    let tables = [
        cache::TIMES,
        cache::BOUNDS,
        far::FAR,
        far::ALONE,
        larder::ROWS,
    ];
    tables.into_iter().flatten()
}

#[test]
fn t1_each_wrong_setting_is_refused_by_its_name_and_with_a_reason() {
    let mut wrong = Vec::new();
    for row in rows() {
        let error = (row.refused)();
        let text = error.to_string();
        let named = error.setting() == row.setting && text.contains(&format!("`{}`", row.setting));
        if !named || !text.contains(row.says) {
            wrong.push(format!("{} {}: {text}", row.setting, row.how));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_setting_of_the_builders_is_in_a_table_or_takes_any_value() {
    let there = found::settings();
    let mut known: BTreeSet<_> = rows().map(|row| row.setting.to_owned()).collect();
    known.remove("name");
    known.extend(ANY.iter().map(|(setting, _)| (*setting).to_owned()));
    let new: Vec<_> = there.difference(&known).collect();
    assert!(new.is_empty(), "no row for {new:?}");
    let gone: Vec<_> = known.difference(&there).collect();
    assert!(gone.is_empty(), "no such setting: {gone:?}");
}
