//! A server that answers as a test says.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Answers requests as a test says, each connection on a thread of its own, until the process ends.
pub(crate) struct Respond {
    port: u16,
    connections: Arc<AtomicUsize>,
}

/// What is answered to a request, by the number of its connection and its words; nothing is to hang
/// up.
type Answer = dyn Fn(usize, &[String]) -> Option<Vec<u8>> + Send + Sync;

impl Respond {
    pub(crate) fn new(
        answer: impl Fn(usize, &[String]) -> Option<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = connections.clone();
        let answer: Arc<Answer> = Arc::new(answer);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let number = count.fetch_add(1, Ordering::SeqCst);
                let answer = answer.clone();
                thread::spawn(move || serve(stream, |words| answer(number, words)));
            }
        });
        Self { port, connections }
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// How many connections there were.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

/// What a server that is well answers to a handshake, and `nil` to all else.
pub(crate) fn well(words: &[String]) -> Vec<u8> {
    let answer = match &words[0][..] {
        "PING" => "+PONG\r\n",
        "HELLO" | "AUTH" | "SELECT" | "SCRIPT" => "+OK\r\n",
        _ => "$-1\r\n",
    };
    answer.into()
}

fn serve(stream: TcpStream, answer: impl Fn(&[String]) -> Option<Vec<u8>>) {
    let mut writer = stream.try_clone().unwrap();
    let mut reader = BufReader::new(stream);
    while let Some(words) = request(&mut reader) {
        let Some(answer) = answer(&words) else { break };
        if writer.write_all(&answer).is_err() {
            break;
        }
    }
    let _ = writer.shutdown(Shutdown::Both);
}

fn request(reader: &mut impl BufRead) -> Option<Vec<String>> {
    let count = number(reader, '*')?;
    (0..count).map(|_| word(reader)).collect()
}

fn word(reader: &mut impl BufRead) -> Option<String> {
    let length = number(reader, '$')?;
    let mut bytes = vec![0; length + 2];
    reader.read_exact(&mut bytes).ok()?;
    bytes.truncate(length);
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn number(reader: &mut impl BufRead, kind: char) -> Option<usize> {
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    line.trim_end().strip_prefix(kind)?.parse().ok()
}
