//! Servers that stay up.

use std::fs;
use std::path::Path;

use larder_servers::{Kind, Server, Setup, Standing};
use rustix::process::{Pid, Signal, kill_process};

fn up(folder: &Path, kind: Kind) -> Option<Standing> {
    let setup = Setup::for_tests()?;
    Some(Standing::up(folder, setup, kind).unwrap())
}

/// Takes them down also when the test fails before it has.
struct Down<'a>(&'a Path);

impl Drop for Down<'_> {
    fn drop(&mut self) {
        if let Ok(Some(standing)) = Standing::read(self.0) {
            let _ = standing.down(self.0);
        }
    }
}

#[test]
fn they_are_read_again_and_ended_by_whoever_finds_them() {
    for (kind, count, scheme) in [
        (Kind::Single, 1, "redis://"),
        (Kind::Sentinel, 6, "redis+sentinel://"),
        (Kind::Cluster, 6, "redis+cluster://"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("redis");
        let _down = Down(&folder);
        let Some(standing) = up(&folder, kind) else {
            return;
        };
        let found = Standing::read(&folder).unwrap().unwrap();
        assert_eq!(found, standing);
        let lines = found.lines();
        assert!(lines[0].starts_with(scheme), "{lines:?}");
        assert_eq!(lines.len(), 1 + count);
        let (up, other): (Vec<_>, Vec<_>) = lines[1..].iter().partition(|line| {
            ["master", "slave", "sentinel"]
                .iter()
                .any(|role| line.ends_with(role))
        });
        assert_eq!((up.len(), other.len()), (count, 0), "{lines:?}");
        found.down(&folder).unwrap();
        assert!(!folder.exists());
        assert!(
            standing.lines()[1..]
                .iter()
                .all(|line| line.ends_with("gone"))
        );
    }
}

#[test]
fn what_is_up_is_not_started_twice_and_what_is_gone_is_in_nobodys_way() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("redis");
    let _down = Down(&folder);
    let Some(standing) = up(&folder, Kind::Single) else {
        return;
    };
    let twice = Standing::up(&folder, Setup::find().unwrap(), Kind::Cluster);
    let why = twice.unwrap_err().to_string();
    assert!(why.contains(&standing.lines()[0]), "{why}");
    kill_process(pid(&standing), Signal::KILL).unwrap();
    larder_servers::until("its end", || {
        standing.lines()[1].ends_with("gone").then_some(())
    });
    let again = up(&folder, Kind::Single).unwrap();
    again.down(&folder).unwrap();
}

/// A list in which a server has this process and this port.
fn listed(folder: &Path, pid: u32, port: u16) -> Standing {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("servers"), format!("redis://x\n{pid} {port}\n")).unwrap();
    Standing::read(folder).unwrap().unwrap()
}

#[test]
fn a_process_that_is_not_the_server_that_was_started_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("redis");
    let Some(foreign) = Server::start() else {
        return;
    };
    let other = Server::start().unwrap();
    // One has got the number, and another the port.
    let standing = listed(&folder, foreign.pid(), other.port());
    assert!(
        standing.lines()[1].ends_with("gone"),
        "{:?}",
        standing.lines()
    );
    standing.down(&folder).unwrap();
    for server in [&foreign, &other] {
        assert_eq!(server.ask(&["PING"]).unwrap(), ["PONG"]);
    }
}

#[test]
fn what_does_not_answer_is_left_alone_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("redis");
    let Some(server) = Server::start() else {
        return;
    };
    let standing = listed(&folder, server.pid(), server.port());
    server.pause();
    assert!(
        standing.lines()[1].ends_with("does not answer"),
        "{:?}",
        standing.lines()
    );
    let why = standing.clone().down(&folder).unwrap_err().to_string();
    assert!(why.contains(&server.pid().to_string()), "{why}");
    assert!(folder.exists());
    server.go_on();
    standing.down(&folder).unwrap();
    assert!(server.ask(&["PING"]).is_err());
}

#[test]
fn a_list_that_is_not_ours_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(Standing::read(folder.path()).unwrap(), None);
    fs::write(folder.path().join("servers"), "redis://x\n7 or so\n").unwrap();
    assert!(Standing::read(folder.path()).is_err());
}

fn pid(standing: &Standing) -> Pid {
    let line = &standing.lines()[1];
    let word = line.split("process ").nth(1).unwrap().split(' ').next();
    Pid::from_raw(word.unwrap().parse().unwrap()).unwrap()
}
