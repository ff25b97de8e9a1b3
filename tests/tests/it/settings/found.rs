//! The settings that the builders have, read from their source.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Whatever takes a builder and gives it back.
pub(super) fn settings() -> BTreeSet<String> {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/larder-engine/src");
    let places = [
        "cache/builder.rs",
        "cache/builder",
        "larder.rs",
        "larder",
        "smol.rs",
    ];
    let files = places.iter().flat_map(|place| files(&engine.join(place)));
    let found: BTreeSet<_> = files.flat_map(|file| setters(&read(&file))).collect();
    assert!(found.len() > 30, "the builders are elsewhere: {found:?}");
    found
}

fn files(place: &Path) -> Vec<PathBuf> {
    if place.is_file() {
        return vec![place.to_owned()];
    }
    let entries = fs::read_dir(place).unwrap();
    entries
        .flat_map(|entry| files(&entry.unwrap().path()))
        .collect()
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap()
}

fn setters(code: &str) -> Vec<String> {
    let functions = code.split("pub fn ").skip(1);
    functions.filter_map(setter).collect()
}

fn setter(function: &str) -> Option<String> {
    let (signature, _) = function.split_once('{')?;
    let (name, arguments) = signature.split_once('(')?;
    let arguments = arguments.trim_start();
    let takes = arguments.starts_with("mut self") || arguments.starts_with("self");
    let gives = arguments.contains("-> Self") || arguments.contains("-> Result<Self");
    (takes && gives).then(|| name.to_owned())
}

#[test]
fn setters_are_told_from_other_functions() {
    let code = "pub fn ttl(mut self, ttl: Duration) -> Self {}
        pub fn weight(
            mut self,
            most: u64,
        ) -> Self {}
        pub fn far(self) -> Self {}
        pub fn blocking_limit(mut self, most: usize) -> Result<Self, BuildError> {}
        pub fn build(self) -> Result<Cache<K, V>, BuildError> {}
        pub fn on(executor: &'static Executor) -> Self {}
        fn own(mut self) -> Self {}";
    assert_eq!(setters(code), ["ttl", "weight", "far", "blocking_limit"]);
}
