//! Nothing stays behind.

use std::env;
use std::io::{BufRead, BufReader, Read};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio, abort};

use larder_servers::{Server, until};

/// Whether a process is there and not merely waited for by nobody.
fn runs(pid: u32) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    state.is_ok_and(|state| !state.contains(") Z "))
}

fn is_gone(pid: u32, port: u16, folder: &Path) {
    assert!(!runs(pid), "process {pid} is there");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    assert!(!folder.exists(), "{}", folder.display());
}

#[test]
fn a_server_ends_with_its_owner() {
    let Some(server) = Server::start() else {
        return;
    };
    let (pid, port, folder) = (server.pid(), server.port(), server.folder().to_owned());
    assert!(runs(pid));
    drop(server);
    is_gone(pid, port, &folder);
}

#[test]
fn a_server_ends_when_its_test_panics() {
    let Some(server) = Server::start() else {
        return;
    };
    let (pid, port, folder) = (server.pid(), server.port(), server.folder().to_owned());
    let panicked = std::panic::catch_unwind(move || {
        let _server = server;
        panic!("as a test that fails");
    });
    assert!(panicked.is_err());
    is_gone(pid, port, &folder);
}

#[test]
fn a_paused_server_ends_too() {
    let Some(server) = Server::start() else {
        return;
    };
    let (pid, port, folder) = (server.pid(), server.port(), server.folder().to_owned());
    server.pause();
    drop(server);
    is_gone(pid, port, &folder);
}

/// In this variable the test below tells itself what to do.
const ROLE: &str = "LARDER_TEST_SERVERS_ROLE";

#[test]
#[expect(clippy::disallowed_methods, reason = "it is its own child")]
fn a_server_ends_when_the_whole_process_does() {
    if env::var(ROLE).is_ok() {
        let Some(server) = Server::start() else {
            return;
        };
        println!("\nserver {} {}", server.pid(), server.port());
        let mut end = String::new();
        std::io::stdin().read_line(&mut end).unwrap();
        // No destructor runs.
        abort();
    }
    let name = "ends::a_server_ends_when_the_whole_process_does";
    let mut child = Command::new(env::current_exe().unwrap())
        .args([name, "--exact", "--nocapture"])
        .env(ROLE, "child")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let line = output.by_ref().lines().map_while(Result::ok);
    let line = line.into_iter().find(|line| line.starts_with("server "));
    let Some(line) = line else {
        assert!(child.wait().unwrap().success(), "it has no program");
        return;
    };
    let mut numbers = line.split(' ').skip(1).map(|number| number.parse::<u32>());
    let pid = numbers.next().unwrap().unwrap();
    let port = u16::try_from(numbers.next().unwrap().unwrap()).unwrap();
    assert!(runs(pid));
    assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());
    drop(child.stdin.take());
    assert!(!child.wait().unwrap().success(), "it was aborted");
    until("the end of its server", || {
        let answers = TcpStream::connect(("127.0.0.1", port)).is_ok();
        (!runs(pid) && !answers).then_some(())
    });
}
