//! Connections over TLS, with certificates made here.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;

use larder_redis::{ConnectErrorKind, Connection, Reply, Settings};
use larder_servers::{Server, until};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use smol::block_on;

use crate::connects::{ask, open, runtime};

/// A server that speaks TLS on a port of its own, with a certificate for `localhost`.
struct Encrypted {
    server: Server,
    port: u16,
    folder: tempfile::TempDir,
}

impl Encrypted {
    /// `None` if there is no server, or none that was built with TLS.
    fn start() -> Option<Self> {
        let plain = Server::start()?;
        if plain.ask(&["CONFIG", "GET", "tls-port"]).unwrap().len() < 2 {
            return None;
        }
        drop(plain);
        let folder = tempfile::tempdir().unwrap();
        certify(&folder);
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let path = |name: &str| folder.path().join(name).display().to_string();
        let server = Server::start_with(&[
            "--tls-port",
            &port.to_string(),
            "--tls-cert-file",
            &path("server.pem"),
            "--tls-key-file",
            &path("server.key"),
            "--tls-ca-cert-file",
            &path("ca.pem"),
            "--tls-auth-clients",
            "no",
        ])?;
        Some(Self {
            server,
            port,
            folder,
        })
    }

    fn url(&self, host: &str) -> String {
        let authority = self.authority().display().to_string();
        format!("rediss://{host}:{}?ca={authority}", self.port)
    }

    fn authority(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }
}

/// An authority, and a certificate of it.
fn certify(folder: &tempfile::TempDir) {
    let write = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let server = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    let server = server.signed_by(&key, &issuer).unwrap();
    write("ca.pem", issuer.pem());
    write("server.pem", server.pem());
    write("server.key", key.serialize_pem());
}

fn refused(url: &str) -> ConnectErrorKind {
    let settings = Settings::parse(url).unwrap();
    let error = block_on(Connection::connect(settings, runtime())).unwrap_err();
    error.kind()
}

#[test]
fn requests_and_answers_go_over_tls_and_a_break_is_healed() {
    let Some(place) = Encrypted::start() else {
        return;
    };
    let wire = open(&place.url("localhost"));
    let set = || ask(&wire, &["SET", "key", "five"]);
    assert_eq!(until("a connection", set), Reply::ok());
    assert_eq!(ask(&wire, &["GET", "key"]), Some(Reply::bytes("five")));
    place
        .server
        .ask(&["CLIENT", "KILL", "TYPE", "normal"])
        .unwrap();
    let get = || ask(&wire, &["GET", "key"]);
    assert_eq!(until("another connection", get), Reply::bytes("five"));
}

#[test]
fn large_values_pass_through_tls_whole() {
    let Some(place) = Encrypted::start() else {
        return;
    };
    let settings = Settings::parse(&place.url("localhost")).unwrap();
    let wire = block_on(Connection::connect(settings, runtime())).unwrap();
    let script = "return string.rep('x', 1000000)";
    let Some(Reply::Bytes(bytes)) = ask(&wire, &["EVAL", script, "0"]) else {
        panic!("it gives bytes");
    };
    assert_eq!(bytes.len(), 1_000_000);
}

#[test]
fn a_server_that_cannot_be_trusted_is_no_server() {
    let Some(place) = Encrypted::start() else {
        return;
    };
    let known = place.url("localhost");
    let (unknown, _) = known.split_once('?').unwrap();
    let cases = [
        ("another name", place.url("127.0.0.1")),
        (
            "an authority that the system does not know",
            unknown.to_owned(),
        ),
        (
            "an authority that is not there",
            format!("{unknown}?ca=/nowhere"),
        ),
    ];
    for (case, url) in cases {
        assert_eq!(refused(&url), ConnectErrorKind::Tls, "{case}");
    }
}

#[test]
fn neither_side_is_spoken_to_in_the_others_way() {
    let Some(place) = Encrypted::start() else {
        return;
    };
    let (tls, plain) = (place.port.to_string(), place.server.port().to_string());
    // It waits for the end of a line.
    let without = place.url("localhost").replace(&tls, &plain);
    assert_eq!(refused(&without), ConnectErrorKind::Silent);
    let kind = refused(&place.server.url().replace(&plain, &tls));
    assert!(
        matches!(kind, ConnectErrorKind::Garbage | ConnectErrorKind::Lost),
        "{kind:?}"
    );
}
