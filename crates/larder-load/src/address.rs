//! Where a target is.

use std::net::{SocketAddr, ToSocketAddrs};

use crate::Problem;

/// A host and a port, as they stand in a URL.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    /// Without brackets.
    host: String,
    port: u16,
    /// As written: what HTTP wants as `Host`.
    pub(crate) written: String,
}

impl Address {
    /// Takes `scheme://host[:port]` from the front of a URL, and gives what follows.
    pub(crate) fn parse<'a>(
        url: &'a str,
        scheme: &str,
        usual_port: u16,
    ) -> Result<(Self, &'a str), Problem> {
        let wrong = |why: &str| Problem::setting(format!("the target {why}"));
        let rest = url
            .strip_prefix(scheme)
            .and_then(|rest| rest.strip_prefix("://"))
            .ok_or_else(|| wrong(&format!("does not begin with {scheme}://")))?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (written, rest) = rest.split_at(end);
        if written.contains('@') {
            return Err(wrong("has a user, which is not sent"));
        }
        let (host, port) = match written.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => {
                let port = port.parse().map_err(|_| wrong("has a port that is none"))?;
                (host, port)
            }
            _ => (written, usual_port),
        };
        let fine = |host: &str| {
            let known = |letter: char| letter.is_ascii_alphanumeric() || ".-_:[]".contains(letter);
            !host.is_empty() && host.chars().all(known)
        };
        if !fine(host) {
            return Err(wrong("has no host"));
        }
        let address = Self {
            host: host.trim_matches(['[', ']']).to_owned(),
            port,
            written: written.to_owned(),
        };
        Ok((address, rest))
    }

    /// The first address of the host; one that is not on this machine only where `anywhere` says so. Asks the system,
    /// which may take its time.
    pub(crate) fn resolve(&self, anywhere: bool) -> Result<SocketAddr, Problem> {
        let found = (self.host.as_str(), self.port).to_socket_addrs();
        let unknown = |error| Problem::Unknown(self.host.clone(), error);
        let address = found
            .map_err(unknown)?
            .next()
            .ok_or_else(|| unknown(std::io::ErrorKind::NotFound.into()))?;
        if anywhere || address.ip().is_loopback() {
            Ok(address)
        } else {
            Err(Problem::Elsewhere(address))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        for (url, host, port, rest) in [
            ("http://localhost", "localhost", 80, ""),
            ("http://127.0.0.1:9000/a?b", "127.0.0.1", 9000, "/a?b"),
            ("http://[::1]:9/", "::1", 9, "/"),
            ("http://[::1]", "::1", 80, ""),
        ] {
            let (address, left) = Address::parse(url, "http", 80).expect(url);
            assert_eq!((&*address.host, address.port, left), (host, port, rest));
        }
    }

    #[test]
    fn what_is_no_address_is_refused_and_a_password_is_not_repeated() {
        for url in [
            "",
            "localhost",
            "https://localhost",
            "http://",
            "http:///a",
            "http://:80",
            "http://localhost:b",
            "http://localhost:99999",
            "http://:secret@localhost",
            "http://localhost b",
            "http://localhost\r\nb",
        ] {
            let problem = Address::parse(url, "http", 80).expect_err(url);
            assert!(!problem.to_string().contains("secret"));
        }
    }

    #[test]
    fn only_the_loopback_is_reached_unasked() {
        let resolve = |host: &str, anywhere| {
            let url = format!("http://{host}:9");
            Address::parse(&url, "http", 80)
                .unwrap()
                .0
                .resolve(anywhere)
        };
        assert!(resolve("127.0.0.1", false).is_ok());
        assert!(resolve("[::1]", false).is_ok());
        let elsewhere = resolve("192.0.2.1", false);
        assert!(matches!(elsewhere, Err(Problem::Elsewhere(_))));
        assert!(resolve("192.0.2.1", true).is_ok());
    }
}
