//! An HTTP service as a target.

use crate::Problem;
use crate::address::Address;
use crate::answer::Answer;
use crate::target::Request;

/// A service that is asked over HTTP/1.1, without TLS; a user's requests over one connection unless told otherwise.
///
/// An answer with a status below 400 is a success. Its body is read to the end and dropped.
///
/// ```
/// # use larder_load::Http;
/// let deals = Http::parse("http://127.0.0.1:8080/deals/5")?.path("/deals/6").header("Accept", "application/json");
/// let batch = Http::parse("http://127.0.0.1:8080/deals/batch")?.method("POST").body("{\"deal_nos\":[5,6]}");
/// assert!(Http::parse("https://127.0.0.1/").is_err());
/// # Ok::<(), larder_load::Problem>(())
/// ```
#[derive(Debug, Clone)]
pub struct Http {
    pub(crate) address: Address,
    paths: Vec<String>,
    method: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    pub(crate) keep_alive: bool,
}

impl Http {
    /// Asks by `GET` for what a URL such as `http://127.0.0.1:8080/deals/5` names.
    ///
    /// # Errors
    /// It is no URL, another scheme's, or one with a user, whose name would not be sent.
    pub fn parse(url: &str) -> Result<Self, Problem> {
        let (address, rest) = Address::parse(url, "http", 80)?;
        let path = rest.split('#').next().unwrap_or_default();
        let path = if path.starts_with('/') {
            path.to_owned()
        } else {
            format!("/{path}")
        };
        Ok(Self {
            address,
            paths: vec![path],
            method: "GET".to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            keep_alive: true,
        })
    }

    /// Asks for one path more; each user takes all of them in turn.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.paths.push(path.into());
        self
    }

    /// The method; `GET` unless set.
    #[must_use]
    pub fn method(mut self, method: impl Into<String>) -> Self {
        self.method = method.into();
        self
    }

    /// One header more; `Host`, `Content-Length` and `Connection` are there without.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The body of every request; none unless set.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Whether a user keeps its connection for the next request (the default), or opens one for each.
    #[must_use]
    pub fn keep_alive(mut self, keep_alive: bool) -> Self {
        self.keep_alive = keep_alive;
        self
    }

    pub(crate) fn name(&self) -> String {
        let Self {
            address, method, ..
        } = self;
        let more = match self.paths.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{method} http://{}{}{more}", address.written, self.paths[0])
    }

    /// The requests as they are sent.
    ///
    /// # Errors
    /// A part would end its line early and begin another.
    pub(crate) fn requests(&self) -> Result<Vec<Request>, Problem> {
        let headers = self.headers.iter();
        let parts = headers.flat_map(|(name, value)| [name, value]);
        let words = self.paths.iter().chain([&self.method]);
        let splits = |text: &&String| text.contains(['\r', '\n', '\0']);
        if let Some(text) = parts.chain(words.clone()).find(splits) {
            return Err(Problem::setting(format!(
                "{text:?} does not fit into a line"
            )));
        }
        if let Some(text) = words.clone().find(|text| text.contains(' ')) {
            return Err(Problem::setting(format!("{text:?} has a space in it")));
        }
        Ok(self.paths.iter().map(|path| self.request(path)).collect())
    }

    fn request(&self, path: &str) -> Request {
        let Self {
            method, address, ..
        } = self;
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", address.written);
        if !self.body.is_empty() || ["POST", "PUT", "PATCH"].contains(&&**method) {
            head += &format!("Content-Length: {}\r\n", self.body.len());
        }
        if !self.keep_alive {
            head += "Connection: close\r\n";
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        let mut bytes = (head + "\r\n").into_bytes();
        bytes.extend_from_slice(&self.body);
        Request {
            bytes,
            answer: Answer::http(method == "HEAD"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(http: &Http) -> Vec<String> {
        let requests = http.requests().unwrap().into_iter();
        requests
            .map(|request| String::from_utf8(request.bytes).unwrap())
            .collect()
    }

    #[test]
    fn requests_are_as_http_wants_them() {
        let http = Http::parse("http://127.0.0.1:9?q=1#there")
            .unwrap()
            .path("/b");
        assert_eq!(
            sent(&http),
            [
                "GET /?q=1 HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\r\n",
                "GET /b HTTP/1.1\r\nHost: 127.0.0.1:9\r\n\r\n"
            ]
        );
        let http = Http::parse("http://localhost/a").unwrap().method("POST");
        let http = http.body("xy").header("A", "b").keep_alive(false);
        assert_eq!(
            sent(&http),
            [
                "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\nA: b\r\n\r\nxy"
            ]
        );
    }

    #[test]
    fn nothing_begins_a_line_of_its_own() {
        let http = || Http::parse("http://localhost/").unwrap();
        for http in [
            http().header("A", "b\r\nC: d"),
            http().header("A\nB", "c"),
            http().method("GET\r\n"),
            http().path("/ HTTP/1.1\r\n\r\n"),
            http().path("/a b"),
        ] {
            assert!(matches!(http.requests(), Err(Problem::Setting(_))));
        }
    }
}
