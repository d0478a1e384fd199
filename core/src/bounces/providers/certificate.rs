//! Checks calls that a provider signs with the key of a certificate, which it publishes at an address of
//! its own.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{
    RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY, RSA_PKCS1_2048_8192_SHA256, RsaParameters,
    UnparsedPublicKey,
};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{
    AlgorithmIdentifier, CertificateDer, InvalidSignature, ServerName,
    SignatureVerificationAlgorithm, UnixTime, alg_id,
};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use url::Url;
use webpki::{EndEntityCert, KeyUsage};

use super::not_theirs;
use crate::rate_limits::{self, CERTIFICATES, CERTIFICATES_BY_ADDRESS};
use crate::{App, Error, Result};

/// What was signed, and with which certificate.
pub(super) struct Signed {
    /// The provider must have checked that this is an address of its own.
    pub certificate: Url,
    /// The certificate must be for one of these.
    pub names: Vec<String>,
    pub text: String,
    /// In base 64.
    pub signature: String,
    pub algorithm: Rsa,
}

/// RSA with PKCS #1 v1.5 and a hash.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rsa {
    Sha1,
    Sha256,
}

impl Rsa {
    fn parameters(self) -> &'static RsaParameters {
        match self {
            // Amazon's default. SHA-1 is enough here: to forge a call, somebody would need a second
            // text with the same hash as one that Amazon wrote.
            Rsa::Sha1 => &RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY,
            Rsa::Sha256 => &RSA_PKCS1_2048_8192_SHA256,
        }
    }
}

impl SignatureVerificationAlgorithm for Rsa {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        UnparsedPublicKey::new(self.parameters(), public_key)
            .verify(message, signature)
            .map_err(|_| InvalidSignature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::RSA_ENCRYPTION
    }

    /// Only for texts of errors.
    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        alg_id::RSA_PKCS1_SHA256
    }
}

/// Checks a signature. The certificate is fetched at most once a month.
///
/// # Errors
///
/// [`Error::InvalidCredentials`] if the certificate is not valid, not for the provider, or its key did not
/// sign the text; [`Error::Busy`] if it cannot be fetched now.
pub(super) async fn verify(app: &App, signed: &Signed, caller: IpAddr) -> Result<()> {
    let document = match app.fetcher.kept(&signed.certificate).await {
        Some(document) => document,
        None => fetch(app, &signed.certificate, caller).await?,
    };
    let now = u64::try_from(app.clock.now().timestamp()).unwrap_or_default();
    let now = UnixTime::since_unix_epoch(Duration::from_secs(now));
    check(&document, now, signed).ok_or_else(not_theirs)
}

/// Fetches a certificate. Somebody who invents calls uses up only the share of one network.
async fn fetch(app: &App, url: &Url, caller: IpAddr) -> Result<Arc<Vec<u8>>> {
    let mut counted = rate_limits::count_network(app, CERTIFICATES_BY_ADDRESS, caller).await;
    if counted.is_ok() {
        counted = rate_limits::count(app, CERTIFICATES, "all").await;
    }
    match counted {
        Ok(()) => {}
        // The provider must try again.
        Err(Error::TooMany { .. }) => return Err(Error::Busy(None)),
        Err(error) => return Err(error),
    }
    app.fetcher.keep(url).await?.ok_or_else(not_theirs)
}

/// Checks the certificate and the signature. The chain to an authority is not checked, because the
/// document contains no other certificates. The document itself came over a connection whose
/// certificate was checked.
fn check(document: &[u8], now: UnixTime, signed: &Signed) -> Option<()> {
    let der = CertificateDer::from_pem_slice(document).ok()?;
    let certificate = EndEntityCert::try_from(&der).ok()?;
    let unknown =
        certificate.verify_for_usage(&[], &[], &[], now, KeyUsage::server_auth(), None, None);
    // Because no authorities are given, a certificate with nothing else wrong fails with this
    // error.
    let is_current = matches!(unknown, Err(webpki::Error::UnknownIssuer));
    let is_for = |name: &String| {
        let name = ServerName::try_from(name.as_str());
        name.is_ok_and(|name| certificate.verify_is_valid_for_subject_name(&name).is_ok())
    };
    if !is_current || !signed.names.iter().any(is_for) {
        return None;
    }
    let signature = STANDARD.decode(&signed.signature).ok()?;
    let text = signed.text.as_bytes();
    certificate.verify_signature(&signed.algorithm, text, &signature).ok()
}
