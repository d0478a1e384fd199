//! Signs mail with the camp's own key (DKIM, RFC 6376), so that receivers can check that it comes from
//! the sender's domain.

use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use sha2::{Digest, Sha256};

use crate::config::{Config, DEFAULT_SELECTOR};
use crate::{Error, Result};

/// The headers that are signed whether or not a mail has them. The signature lists each once more
/// than it occurs, so that nobody can add another one.
const SIGNED: [&str; 9] = [
    "from",
    "to",
    "cc",
    "subject",
    "date",
    "reply-to",
    "message-id",
    "mime-version",
    "content-type",
];
/// The headers that are signed if a mail has them.
const SIGNED_IF_THERE: [&str; 4] =
    ["auto-submitted", "list-id", "list-unsubscribe", "list-unsubscribe-post"];

/// A private key.
pub struct DkimKey(Kind);

enum Kind {
    Rsa(RsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

impl DkimKey {
    /// Reads a key in PEM form, as `camp mail dkim` and openssl write it.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] when the file cannot be read, is not a key, or its RSA key is too short.
    pub fn read(file: &Path) -> Result<DkimKey> {
        let wrong = |why: &str| Error::Usage(format!("--dkim-key {}: {why}", file.display()));
        let pem = std::fs::read_to_string(file)
            .map_err(|error| wrong(&format!("the file cannot be read: {error}")))?;
        let text: String = pem.lines().filter(|line| !line.starts_with("-----")).collect();
        let der = STANDARD.decode(text.trim()).map_err(|_| wrong("this is no key in PEM form"))?;
        if let Ok(key) = Ed25519KeyPair::from_pkcs8_maybe_unchecked(&der) {
            return Ok(DkimKey(Kind::Ed25519(key)));
        }
        RsaKeyPair::from_pkcs8(&der)
            .or_else(|_| RsaKeyPair::from_der(&der))
            .map(|key| DkimKey(Kind::Rsa(key)))
            .map_err(|error| wrong(&format!("this is no RSA or Ed25519 key: {error}")))
    }

    /// Makes an Ed25519 key in PEM form.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when the machine gives no random numbers.
    pub fn new_ed25519() -> Result<String> {
        let key = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new())
            .map_err(|_| Error::unforeseen("there are no random numbers"))?;
        let text = folded(&STANDARD.encode(key.as_ref()), 64, "\n");
        Ok(format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n"))
    }

    /// The TXT record that belongs at `SELECTOR._domainkey.DOMAIN`.
    pub fn record(&self) -> String {
        let (kind, key) = match &self.0 {
            Kind::Rsa(key) => ("rsa", public_key_info(key.public_key().as_ref())),
            Kind::Ed25519(key) => ("ed25519", key.public_key().as_ref().to_vec()),
        };
        format!("v=DKIM1; k={kind}; p={}", STANDARD.encode(key))
    }

    fn algorithm(&self) -> &'static str {
        match self.0 {
            Kind::Rsa(_) => "rsa-sha256",
            Kind::Ed25519(_) => "ed25519-sha256",
        }
    }

    fn sign(&self, text: &[u8]) -> Result<Vec<u8>> {
        match &self.0 {
            // RFC 8463: what is signed is the hash.
            Kind::Ed25519(key) => Ok(key.sign(&Sha256::digest(text)).as_ref().to_vec()),
            Kind::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text, &mut signature)
                    .map_err(|_| Error::unforeseen("the DKIM key cannot sign"))?;
                Ok(signature)
            }
        }
    }
}

/// Signs the mails of one domain.
pub(super) struct Signer {
    key: DkimKey,
    domain: String,
    selector: String,
}

impl Signer {
    /// Reads the key of the configuration, if there is one.
    ///
    /// # Errors
    ///
    /// Those of [`DkimKey::read`].
    pub fn open(config: &Config) -> Result<Option<Signer>> {
        let Some(file) = &config.dkim_key else { return Ok(None) };
        let selector = config.dkim_selector.clone();
        Ok(Some(Signer {
            key: DkimKey::read(file)?,
            domain: config.dkim_domain(),
            selector: selector.unwrap_or_else(|| DEFAULT_SELECTOR.to_owned()),
        }))
    }

    /// Returns the mail with a signature before its first header.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when the key cannot sign.
    pub fn sign(&self, mail: &str, seconds: i64) -> Result<String> {
        let (head, body) = mail.split_once("\r\n\r\n").unwrap_or((mail, ""));
        let headers = headers(head);
        let mut names = Vec::new();
        let mut signed = String::new();
        for name in SIGNED.into_iter().chain(SIGNED_IF_THERE) {
            // The last one first (RFC 6376, 5.4.2).
            for (_, value) in headers.iter().rev().filter(|(known, _)| known == name) {
                signed.push_str(&format!("{name}:{value}\r\n"));
                names.push(name);
            }
            // The extra name stands for a header that does not exist, so no text is added for it.
            if SIGNED.contains(&name) {
                names.push(name);
            }
        }
        let value = format!(
            "v=1; a={}; c=relaxed/relaxed; d={}; s={};\r\n\tt={seconds}; h={};\r\n\tbh={};\r\n\tb=",
            self.key.algorithm(),
            self.domain,
            self.selector,
            names.join(":"),
            STANDARD.encode(Sha256::digest(relaxed_body(body))),
        );
        signed.push_str(&format!("dkim-signature:{}", relaxed(&value)));
        let signature = STANDARD.encode(self.key.sign(signed.as_bytes())?);
        let signature = folded(&signature, 72, "\r\n\t");
        Ok(format!("DKIM-Signature: {value}{signature}\r\n{mail}"))
    }
}

/// Breaks ASCII text into lines of this length.
fn folded(text: &str, length: usize, line_break: &str) -> String {
    let starts = (0..text.len()).step_by(length);
    let lines: Vec<&str> = starts.map(|at| &text[at..text.len().min(at + length)]).collect();
    lines.join(line_break)
}

/// Names in lower case, and values in the relaxed form (RFC 6376, 3.4.2).
fn headers(head: &str) -> Vec<(String, String)> {
    let unfolded = head.replace("\r\n ", " ").replace("\r\n\t", " ");
    unfolded
        .split("\r\n")
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_lowercase(), relaxed(value)))
        .collect()
}

fn relaxed(value: &str) -> String {
    let words = value.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// RFC 6376, 3.4.4.
fn relaxed_body(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    for line in body.split("\r\n") {
        let mut is_space = false;
        for c in line.trim_end_matches([' ', '\t']).chars() {
            match c {
                ' ' | '\t' if is_space => {}
                ' ' | '\t' => out.push(' '),
                other => out.push(other),
            }
            is_space = matches!(c, ' ' | '\t');
        }
        out.push_str("\r\n");
    }
    while out.ends_with("\r\n\r\n") {
        out.truncate(out.len() - 2);
    }
    if out == "\r\n" { String::new() } else { out }
}

/// The form of an RSA key in the DNS (SubjectPublicKeyInfo).
fn public_key_info(key: &[u8]) -> Vec<u8> {
    /// rsaEncryption without parameters.
    const ALGORITHM: [u8; 15] =
        [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];
    let bits = tagged(0x03, &[&[0], key].concat());
    tagged(0x30, &[&ALGORITHM, bits.as_slice()].concat())
}

fn tagged(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let mut out = vec![tag];
    match length {
        0..128 => out.push(length as u8),
        128..256 => out.extend([0x81, length as u8]),
        _ => out.extend([0x82, (length >> 8) as u8, length as u8]),
    }
    out.extend(content);
    out
}
