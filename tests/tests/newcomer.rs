//! A crate outside the workspace compiles and caches with one attribute.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Copies the crate out of the tree, with the workspace's lock file: the versions that are there.
fn moved_out(to: &Path) -> std::io::Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()?;
    let crates = root.join("crates").display().to_string();
    let from = root.join("tests/newcomer");
    let manifest = fs::read_to_string(from.join("Cargo.toml"))?;
    fs::create_dir_all(to.join("src"))?;
    fs::write(
        to.join("Cargo.toml"),
        manifest.replace("../../crates", &crates),
    )?;
    fs::copy(from.join("src/main.rs"), to.join("src/main.rs"))?;
    fs::copy(root.join("Cargo.lock"), to.join("Cargo.lock"))?;
    Ok(to.join("Cargo.toml"))
}

fn run(manifest: &Path, target: &Path) -> std::io::Result<Output> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["run", "--quiet", "--offline", "--manifest-path"])
        .arg(manifest);
    cargo.arg("--target-dir").arg(target).output()
}

#[test]
fn a_crate_of_its_own_caches_with_one_attribute() -> std::io::Result<()> {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let target = scratch.parent().expect("the target folder");
    let output = run(&moved_out(&scratch.join("newcomer"))?, target)?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(errors.is_empty(), "no warnings: {errors}");
    let printed = "0.93 0.93, asked 2 times\ninvalid float literal\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), printed);
    Ok(())
}
