//! Encryption, and whom it trusts.

use std::sync::Arc;

use extract::agent::{AgentErrorKind, provider::ProviderFailure};
use rustls::{
    ClientConfig, RootCertStore,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, pem::PemObject as _},
};

/// Certificates that are trusted besides those of Mozilla.
pub(super) type Roots = Vec<CertificateDer<'static>>;

/// Reads the certificates in `pem`.
pub(super) fn roots(pem: &[u8]) -> Result<Roots, ProviderFailure> {
    let wrong = |why: &str| {
        ProviderFailure::new(AgentErrorKind::Unavailable, format!("no root certificates in PEM: {why}"))
    };
    let roots: Roots = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|error| wrong(&error.to_string()))?;
    if roots.is_empty() {
        return Err(wrong("there is no `BEGIN CERTIFICATE`"));
    }
    let mut store = RootCertStore::empty();
    for root in &roots {
        store.add(root.clone()).map_err(|error| wrong(&error.to_string()))?;
    }
    Ok(roots)
}

/// Encryption by the provider that the program has installed, else by ring. Without a choice, rustls
/// would panic where another crate of the program brings a second provider.
pub(super) fn config(roots: &Roots) -> ClientConfig {
    let with = |provider| ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let installed = CryptoProvider::get_default().and_then(|provider| with(Arc::clone(provider)).ok());
    let builder = installed.unwrap_or_else(|| {
        let ring = Arc::new(ring::default_provider());
        with(ring).expect("ring has the protocol versions that are safe by default")
    });
    let mut store: RootCertStore = webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect();
    store.add_parsable_certificates(roots.iter().cloned());
    builder.with_root_certificates(store).with_no_client_auth()
}
