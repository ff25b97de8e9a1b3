//! What the process takes of the machine, and how it ends when there is much to do.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use larder::Clock;
use tempfile::TempDir;

use crate::daemon::Daemon;

const MIB: u64 = 1024 * 1024;

/// The largest amount of memory that the process has held since [`forget_peak`].
fn peak(daemon: &Daemon) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.child.id()));
    let status = status.expect("status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kib.expect("a size").parse::<u64>().expect("a size") * 1024
}

fn forget_peak(daemon: &Daemon) {
    let path = format!("/proc/{}/clear_refs", daemon.child.id());
    fs::write(path, "5").expect("forget");
}

/// The processor time that the process has had, in hundredths of a second.
fn processor_time(daemon: &Daemon) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", daemon.child.id()));
    let stat = stat.expect("stat");
    let (_, fields) = stat.rsplit_once(") ").expect("a name in brackets");
    let fields: Vec<_> = fields.split(' ').collect();
    let ticks = |at: usize| fields[at].parse::<u64>().expect("ticks");
    ticks(11) + ticks(12)
}

fn connect(daemon: &Daemon) -> TcpStream {
    TcpStream::connect(&daemon.address).expect("connect")
}

#[test]
fn bug_j6_two_hundred_mebibytes_of_header_cost_less_than_eight() {
    let (daemon, _folder) = Daemon::start();
    assert_eq!(daemon.get("/deals/5").status, 200);
    forget_peak(&daemon);
    let before = peak(&daemon);
    let piece = vec![b'a'; MIB as usize];
    for start in [
        "",
        "GET /",
        "GET /deals/5 HTTP/1.1\r\nHost: a\r\nx: ",
        "PUT /deals/5 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n",
        "PUT /deals/5 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;",
    ] {
        let mut stream = connect(&daemon);
        stream.write_all(start.as_bytes()).expect("send");
        // It stops taking them long before the last.
        let taken = (0..200).take_while(|_| stream.write_all(&piece).is_ok());
        assert!(taken.count() < 200, "{start:?}");
    }
    assert_eq!(daemon.get("/deals/5").status, 200);
    let grown = peak(&daemon) - before;
    assert!(grown < 8 * MIB, "{grown} bytes");
}

#[test]
fn bug_j14_it_outlives_a_lack_of_file_descriptors_without_spinning() {
    let folder = TempDir::new().expect("a folder");
    let mut shell = Command::new("sh");
    let script = "ulimit -n 64; exec \"$0\" --listen 127.0.0.1:0";
    shell.args(["-c", script, env!("CARGO_BIN_EXE_larderd")]);
    shell.current_dir(folder.path());
    let mut daemon = Daemon::spawn(&mut shell);
    let mut log = BufReader::new(daemon.child.stderr.take().expect("stderr"));
    let mut until_refused = || {
        let mut line = String::new();
        while !line.contains("cannot accept") {
            line.clear();
            assert_ne!(log.read_line(&mut line).expect("a line"), 0, "the end");
        }
    };

    // Over twice what it can open, yet not more than it can open and its backlog takes besides.
    let idle: Vec<_> = (0..150).map(|_| connect(&daemon)).collect();
    until_refused();
    let clock = Clock::monotonic();
    let (start, used) = (clock.now(), processor_time(&daemon));
    while clock.now().since(start) < Duration::from_secs(1) {
        until_refused();
    }
    let used = Duration::from_millis(10 * (processor_time(&daemon) - used));
    let passed = clock.now().since(start);
    assert!(used < passed / 2, "{used:?} of {passed:?}");

    drop(idle);
    assert_eq!(daemon.get("/deals/5").status, 200);
    daemon.child.stderr = Some(log.into_inner());
    let (code, rest) = daemon.end("TERM");
    assert_eq!(code, Some(0), "{rest}");
    assert!(!rest.contains("panic"), "{rest}");
}

#[test]
fn a_burst_of_clients_waits_to_be_accepted() {
    let (daemon, _folder) = Daemon::start();
    let address = daemon.address.parse().expect("an address");
    // Stopped it accepts nobody, as where it has much else to do.
    daemon.signal("STOP");
    let burst = (0..300).map(|_| TcpStream::connect_timeout(&address, Duration::from_secs(5)));
    let connected: Vec<_> = burst.map_while(Result::ok).collect();
    daemon.signal("CONT");
    assert_eq!(connected.len(), 300);
    assert_eq!(daemon.get("/deals/5").status, 200);
}

#[test]
fn bug_l3_a_minute_of_work_in_flight_does_not_hold_up_the_end() {
    let folder = TempDir::new().expect("a folder");
    let daemon = Daemon::in_folder(folder.path(), &["--grace", "1s", "--workers", "1"]);
    let deal = daemon.get("/deals/5").body;
    // Each change waits five seconds for this lock, one after another; loads do not wait behind them.
    let lock = rusqlite::Connection::open(folder.path().join("larder.db")).expect("open");
    lock.execute_batch("BEGIN IMMEDIATE").expect("lock");
    let put = format!(
        "PUT /deals/5 HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n{deal}",
        deal.len()
    );
    let ask = |request: &str| {
        let mut stream = connect(&daemon);
        stream.write_all(request.as_bytes()).expect("send");
        stream
    };
    let open: Vec<_> = (0..12).map(|_| ask(&put)).collect();
    assert_eq!(daemon.get("/deals/4").status, 200);
    let mut idle = BufReader::new(connect(&daemon));
    for _ in 0..3 {
        let request = b"GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";
        idle.get_mut().write_all(request).expect("send");
        let mut line = String::new();
        while line != "live\n" {
            line.clear();
            assert_ne!(idle.read_line(&mut line).expect("a line"), 0, "the end");
        }
    }
    // On one thread all that was sent before has arrived by now: the arrival of the later requests comes from the
    // reactor, after theirs.

    let clock = Clock::monotonic();
    let start = clock.now();
    daemon.signal("TERM");
    assert_eq!(idle.read(&mut [0]).expect("a close"), 0);
    assert!(
        TcpStream::connect(&daemon.address).is_err(),
        "new ones are refused"
    );
    for mut stream in open {
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    }
    let (code, log) = daemon.ended();
    let passed = clock.now().since(start);
    assert_eq!(code, Some(0), "{log}");
    assert!(!log.contains("panic"), "{log}");
    assert!(passed < Duration::from_secs(15), "{passed:?}");
    drop(lock);
}
