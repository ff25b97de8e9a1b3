//! A node's process, as a test sees it.

use std::collections::HashMap;
use std::env;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use larder_tests::servers::Server;

/// Longer than anything takes that a node is told to do.
const PATIENCE: Duration = Duration::from_secs(60);

/// A process; killed when this is dropped.
pub(crate) struct Process {
    child: Child,
    input: ChildStdin,
    output: Receiver<(u64, String)>,
    /// What has been answered and not asked for.
    answers: HashMap<u64, Vec<String>>,
    last: u64,
}

impl Process {
    pub(crate) fn start(server: &Server) -> Self {
        Self::start_with(server, &[])
    }

    /// As [`start`](Self::start); its loads wait until it is told to open.
    pub(crate) fn start_gated(server: &Server) -> Self {
        Self::start_with(server, &["gated"])
    }

    fn start_with(server: &Server, words: &[&str]) -> Self {
        let mut child = Command::new(env::current_exe().unwrap())
            .args(["node", &server.url()])
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let (into, output) = channel();
        thread::spawn(move || {
            for line in lines {
                let line = line.unwrap();
                let (number, answer) = line.split_once(' ').unwrap();
                let told = into.send((number.parse().unwrap(), answer.to_owned()));
                if told.is_err() {
                    return;
                }
            }
        });
        let mut process = Self {
            input: child.stdin.take().unwrap(),
            child,
            output,
            answers: HashMap::new(),
            last: 0,
        };
        assert_eq!(process.answer(0), "ready");
        process
    }

    /// Tells it to do something with a key; the number of the answer.
    pub(crate) fn tell(&mut self, word: &str, key: u64) -> u64 {
        self.last += 1;
        writeln!(self.input, "{} {word} {key}", self.last).unwrap();
        self.last
    }

    /// Waits for an answer; of several the first that has not been taken.
    pub(crate) fn answer(&mut self, number: u64) -> String {
        loop {
            if let Some(answers) = self.answers.get_mut(&number) {
                let answer = answers.remove(0);
                if answers.is_empty() {
                    self.answers.remove(&number);
                }
                return answer;
            }
            let told = self.output.recv_timeout(PATIENCE);
            let (other, answer) = told.expect("the node answers");
            self.answers.entry(other).or_default().push(answer);
        }
    }

    /// Tells it to do something, and waits for the answer: a number and a word.
    pub(crate) fn ask(&mut self, word: &str, key: u64) -> (u64, String) {
        let number = self.tell(word, key);
        self.value(number)
    }

    /// Waits for an answer of a number and a word.
    pub(crate) fn value(&mut self, number: u64) -> (u64, String) {
        let answer = self.answer(number);
        let (value, how) = answer.split_once(' ').unwrap();
        (value.parse().unwrap(), how.to_owned())
    }

    /// Nothing of it runs any more.
    pub(crate) fn pause(&self) {
        self.signal("STOP");
    }

    /// It goes on.
    pub(crate) fn resume(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let mut kill = Command::new("kill");
        let sent = kill.args(["-s", name, &self.child.id().to_string()]);
        assert!(sent.status().unwrap().success());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
