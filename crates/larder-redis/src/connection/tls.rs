//! Encryption.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_rustls::TlsConnector;
use futures_rustls::client::TlsStream;
use futures_rustls::pki_types::pem::PemObject;
use futures_rustls::pki_types::{CertificateDer, ServerName};
use futures_rustls::rustls::crypto::ring;
use futures_rustls::rustls::{ClientConfig, RootCertStore};
use smol::net::TcpStream;

use crate::{ConnectError, ConnectErrorKind};

/// Shakes hands over a stream, with a server whose certificate must be for this host.
///
/// The authorities are read anew each time: who trusts others from now on need not start again.
pub(super) async fn encrypt(
    stream: TcpStream,
    host: &str,
    authority: Option<&Path>,
) -> Result<TlsStream<TcpStream>, ConnectError> {
    let authority = authority.map(Path::to_owned);
    let roots = smol::unblock(move || roots(authority)).await?;
    let name = ServerName::try_from(host.to_owned()).map_err(|_| failed())?;
    let shaken = TlsConnector::from(config(roots)?).connect(name, stream);
    shaken.await.map_err(|_| failed())
}

/// Its provider is named here: none that a process has, or has not, installed counts.
fn config(roots: RootCertStore) -> Result<Arc<ClientConfig>, ConnectError> {
    let provider = Arc::new(ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider);
    let config = config.with_safe_default_protocol_versions();
    let config = config.map_err(|_| failed())?;
    let config = config.with_root_certificates(roots).with_no_client_auth();
    Ok(Arc::new(config))
}

fn roots(authority: Option<PathBuf>) -> Result<RootCertStore, ConnectError> {
    let mut roots = RootCertStore::empty();
    let Some(file) = authority else {
        // Some of the system's may be odd; the others count.
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        return Ok(roots);
    };
    for certificate in CertificateDer::pem_file_iter(file).map_err(|_| failed())? {
        let certificate = certificate.map_err(|_| failed())?;
        roots.add(certificate).map_err(|_| failed())?;
    }
    Ok(roots)
}

/// Details of why may show names.
fn failed() -> ConnectError {
    ConnectErrorKind::Tls.into()
}
