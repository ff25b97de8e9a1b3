//! A server that speaks TLS.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::port::Port;
use crate::server::Server;
use crate::setup::Setup;

/// A server that speaks TLS on a port of its own, beside its plain one, with a certificate for
/// `localhost` by an authority that was made for it and that nobody else knows.
#[derive(Debug)]
pub struct Encrypted {
    server: Server,
    port: Port,
}

impl Encrypted {
    /// Starts one; `None` if there is no program, after saying so loudly, and if it was built without
    /// TLS.
    ///
    /// # Panics
    /// When there is no program and `CI` is `true`; when it does not start.
    #[must_use]
    pub fn start() -> Option<Self> {
        let setup = Setup::for_tests()?;
        Self::speaks(&setup).then(|| Self::of(&setup))
    }

    /// Whether a program was built with TLS.
    #[must_use]
    pub fn speaks(setup: &Setup) -> bool {
        // Settings for it are known without it as well. With it the program misses a certificate, and
        // before that it has opened no port.
        let without = [
            "--port",
            "0",
            "--tls-port",
            "1",
            "--logfile",
            "",
            "--save",
            "",
        ];
        let mut program = Command::new(setup.program());
        let said = program.args(without).stdin(Stdio::null()).output();
        said.is_ok_and(|said| {
            let said = String::from_utf8_lossy(&said.stdout).into_owned();
            said.contains("Failed to configure TLS")
        })
    }

    /// A server of this setup, whose program [speaks](Self::speaks) TLS.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn of(setup: &Setup) -> Self {
        let server = Server::prepare(setup, &[]).expect("a folder and a port");
        let port = Port::free().expect("a port");
        certify(server.folder()).expect("a folder of its own");
        let number = port.number().to_string();
        let server = server.with(&["--tls-port", &number]).with(TLS);
        server.start_again();
        Self { server, port }
    }

    /// The server; its own port and URL are the plain ones.
    #[must_use]
    pub const fn server(&self) -> &Server {
        &self.server
    }

    /// The port on which it speaks TLS.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port.number()
    }

    /// Its address for TLS, with the authority to trust. The certificate is for `localhost` alone.
    #[must_use]
    pub fn url(&self, host: &str) -> String {
        let authority = self.authority().display().to_string();
        format!("rediss://{host}:{}?ca={authority}", self.port())
    }

    /// The file with the authority's certificate.
    #[must_use]
    pub fn authority(&self) -> PathBuf {
        self.server.folder().join(AUTHORITY)
    }

    /// Lets it outlive us.
    pub fn keep(self) {
        self.server.keep();
    }
}

/// An authority, and a certificate of it.
fn certify(folder: &Path) -> io::Result<()> {
    let (authority, certificate, key) = made().map_err(io::Error::other)?;
    fs::write(folder.join(AUTHORITY), authority)?;
    fs::write(folder.join("server.pem"), certificate)?;
    fs::write(folder.join("server.key"), key)
}

fn made() -> Result<(String, String, String), rcgen::Error> {
    let mut authority = CertificateParams::new(Vec::new())?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let issuer = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;
    let key = KeyPair::generate()?;
    let server = CertificateParams::new(vec!["localhost".to_owned()])?;
    let server = server.signed_by(&key, &issuer)?;
    Ok((issuer.pem(), server.pem(), key.serialize_pem()))
}

const AUTHORITY: &str = "ca.pem";
/// It runs in the folder of these files.
const TLS: &[&str] = &[
    "--tls-cert-file",
    "server.pem",
    "--tls-key-file",
    "server.key",
    "--tls-ca-cert-file",
    AUTHORITY,
    "--tls-auth-clients",
    "no",
];
