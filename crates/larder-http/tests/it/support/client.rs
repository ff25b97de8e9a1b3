//! A client that sends exactly what it is told.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

/// One connection. Reading for half a minute in vain fails the test.
pub(crate) struct Client(BufReader<TcpStream>);

/// An answer, read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl Client {
    pub(crate) fn to(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("connect");
        stream
            .set_read_timeout(Some(Duration::from_secs(30)))
            .expect("timeout");
        Self(BufReader::new(stream))
    }

    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_send(bytes).expect("send");
    }

    /// This client, having sent something.
    pub(crate) fn with(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.send(bytes);
        self
    }

    pub(crate) fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> std::io::Result<()> {
        self.0.get_mut().write_all(bytes.as_ref())
    }

    /// The same connection, for another thread to send on.
    pub(crate) fn another(&self) -> Self {
        Self(BufReader::new(self.0.get_ref().try_clone().expect("clone")))
    }

    /// Whether something has come that was not read yet.
    pub(crate) fn is_answered(&mut self) -> bool {
        let stream = self.0.get_mut();
        stream.set_nonblocking(true).expect("nonblocking");
        let come = stream.peek(&mut [0]).is_ok();
        stream.set_nonblocking(false).expect("blocking");
        come
    }

    /// Says that nothing more will be sent.
    pub(crate) fn end(&mut self) {
        self.0
            .get_mut()
            .shutdown(Shutdown::Write)
            .expect("shutdown");
    }

    pub(crate) fn answer(&mut self) -> Answer {
        self.read_answer(true)
    }

    /// The answer to a HEAD: its length is that of a body which does not come.
    pub(crate) fn answer_without_body(&mut self) -> Answer {
        self.read_answer(false)
    }

    /// Everything until the server closes.
    pub(crate) fn rest(&mut self) -> String {
        let mut rest = Vec::new();
        self.0.read_to_end(&mut rest).expect("an orderly close");
        String::from_utf8(rest).expect("UTF-8")
    }

    /// GET over this connection.
    pub(crate) fn get(&mut self, path: &str) -> Answer {
        self.send(format!("GET {path} HTTP/1.1\r\nHost: larder\r\n\r\n"));
        self.answer()
    }

    /// A request with a body over this connection.
    pub(crate) fn put(&mut self, path: &str, body: &str) -> Answer {
        let length = body.len();
        self.send(format!(
            "PUT {path} HTTP/1.1\r\nHost: larder\r\nContent-Length: {length}\r\n\r\n{body}"
        ));
        self.answer()
    }

    pub(crate) fn post(&mut self, path: &str, body: &str) -> Answer {
        let length = body.len();
        self.send(format!(
            "POST {path} HTTP/1.1\r\nHost: larder\r\nContent-Length: {length}\r\n\r\n{body}"
        ));
        self.answer()
    }

    /// The next chunk of a body; `None` is its orderly end, `Some(Err)` one in its middle.
    pub(crate) fn chunk(&mut self) -> Option<Result<String, ErrorKind>> {
        let mut size = String::new();
        match self.0.read_line(&mut size) {
            Ok(0) => return Some(Err(ErrorKind::UnexpectedEof)),
            Ok(_) => {}
            Err(error) => return Some(Err(error.kind())),
        }
        let size = usize::from_str_radix(size.trim_end(), 16).expect("a size");
        let mut chunk = vec![0; size + 2];
        if let Err(error) = self.0.read_exact(&mut chunk) {
            return Some(Err(error.kind()));
        }
        assert_eq!(chunk.split_off(size), b"\r\n");
        let chunk = String::from_utf8(chunk).expect("UTF-8");
        (size > 0).then_some(Ok(chunk))
    }

    /// The body of an answer in chunks, to its orderly end.
    #[track_caller]
    pub(crate) fn chunks(&mut self) -> String {
        std::iter::from_fn(|| self.chunk())
            .map(|chunk| chunk.expect("a whole body"))
            .collect()
    }

    pub(crate) fn delete(&mut self, path: &str) -> Answer {
        self.send(format!("DELETE {path} HTTP/1.1\r\nHost: larder\r\n\r\n"));
        self.answer()
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a line");
        line.strip_suffix("\r\n").expect("a whole line").to_owned()
    }

    fn read_answer(&mut self, with_body: bool) -> Answer {
        let line = self.line();
        let status = line
            .split(' ')
            .nth(1)
            .and_then(|code| code.parse().ok())
            .expect("a status");
        let mut headers = HashMap::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(": ") else {
                break;
            };
            let twice = headers.insert(name.to_ascii_lowercase(), value.to_owned());
            assert_eq!(twice, None, "{name}");
        }
        let length: usize = headers
            .get("content-length")
            .map_or(0, |length| length.parse().expect("a length"));
        let mut body = vec![0; if with_body { length } else { 0 }];
        self.0.read_exact(&mut body).expect("a body");
        Answer {
            status,
            headers,
            body: String::from_utf8(body).expect("UTF-8"),
        }
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// Checks that this is a whole problem of RFC 9457, and gives it.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16) -> serde_json::Value {
        assert_eq!(self.status, status, "{}", self.body);
        assert_eq!(self.header("content-type"), "application/problem+json");
        let problem = self.json();
        assert_eq!(problem["status"], status);
        for member in ["type", "title", "detail"] {
            assert!(
                problem[member]
                    .as_str()
                    .is_some_and(|text| !text.is_empty()),
                "{member}"
            );
        }
        problem
    }
}
