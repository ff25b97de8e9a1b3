//! The site over HTTP, to this machine alone: search needs more than files.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::{fs, io};

use anyhow::Context as _;
use percent_encoding::percent_decode_str;

/// A folder served on loopback for as long as the process runs.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl Server {
    /// Serves `site` on `port`; `before` runs before each page is read.
    ///
    /// # Errors
    /// The port is taken.
    pub(crate) fn start(
        site: &Path,
        port: u16,
        before: impl Fn() + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .with_context(|| format!("cannot serve on port {port} of this machine"))?;
        let address = listener.local_addr()?;
        let (site, before) = (site.to_owned(), Arc::new(before));
        let accepting = thread::spawn(move || {
            for socket in listener.incoming().flatten() {
                let (site, before) = (site.clone(), Arc::clone(&before));
                // One that breaks off is of no interest here.
                thread::spawn(move || answer(&socket, &site, &*before));
            }
        });
        Ok(Self { address, accepting })
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for ever.
    pub(crate) fn wait(self) {
        // It ends with the process alone.
        let _ = self.accepting.join();
    }
}

fn answer(mut socket: &TcpStream, site: &Path, before: &dyn Fn()) -> io::Result<()> {
    let mut lines = BufReader::new(socket).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    // The rest of the head, so that closing does not cut the answer off.
    while lines
        .next()
        .transpose()?
        .is_some_and(|line| !line.is_empty())
    {}
    let path = request.split(' ').nth(1).and_then(|path| file(site, path));
    if path
        .as_ref()
        .is_some_and(|path| kind(path).starts_with("text/html"))
    {
        before();
    }
    let (status, kind, body) = match path.map(|path| (kind(&path), fs::read(path))) {
        Some((kind, Ok(body))) => ("200 OK", kind, body),
        _ => ("404 Not Found", "text/plain", b"no such page\n".to_vec()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\
         cache-control: no-store\r\nconnection: close\r\n\r\n"
    );
    socket.write_all(head.as_bytes())?;
    socket.write_all(&body)
}

/// The file below `site` that a request's target names; nothing if it points elsewhere.
fn file(site: &Path, target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let path = PathBuf::from(&*percent_decode_str(path).decode_utf8().ok()?);
    let inside = path
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let mut path = inside.then(|| site.join(path))?;
    if path.is_dir() {
        path.push("index.html");
    }
    Some(path)
}

fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|kind| kind.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css",
        Some("js") => "text/javascript",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_site_are_named() {
        let site = Path::new("site");
        let inside = |target| file(site, target);
        assert_eq!(inside("/a%20b.html?x#y"), Some(site.join("a b.html")));
        for target in [
            "/../Cargo.toml",
            "/%2e%2e/Cargo.toml",
            "/a/../../b",
            "//etc/x",
            "x",
        ] {
            assert_eq!(inside(target), None, "{target}");
        }
    }
}
