//! Codes of an authenticator app (RFC 6238: SHA-1, six digits, 30 seconds), and recovery codes for
//! a lost phone. Each time step and each recovery code can be used once.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use qrcodegen::{QrCode, QrCodeEcc};
use totp_rs::{Builder, Totp};
use uuid::Uuid;

use super::sessions::token_hash;
use crate::db::Tx;
use crate::ids::StaffId;
use crate::{Error, Result};

/// The secret for the app, in the forms that people use.
pub struct Enrollment {
    /// For typing, in groups of four.
    pub secret: String,
    /// A link that opens the authenticator app on the same phone.
    pub otpauth_url: String,
    /// For scanning, as an SVG path in a square of `size` modules.
    pub qr_path: String,
    pub qr_size: i32,
}

fn engine(secret: [u8; 20]) -> Result<Totp> {
    Builder::new().with_secret(secret).with_skew(1).build().map_err(Error::unforeseen)
}

/// Creates a secret in its stored form.
pub(super) fn fresh_secret() -> String {
    STANDARD_NO_PAD.encode(rand::random::<[u8; 20]>())
}

fn decode(stored: &str) -> Result<[u8; 20]> {
    let bytes = STANDARD_NO_PAD.decode(stored).map_err(Error::unforeseen)?;
    bytes.try_into().map_err(|_| Error::unforeseen("a stored secret has a strange length"))
}

pub(super) fn enrollment(stored: &str, site_name: &str, username: &str) -> Result<Enrollment> {
    let base32 = base32(&decode(stored)?);
    let encode = |text: &str| {
        url::form_urlencoded::byte_serialize(text.as_bytes())
            .collect::<String>()
            .replace('+', "%20")
    };
    let issuer = encode(site_name);
    let otpauth_url =
        format!("otpauth://totp/{issuer}:{}?secret={base32}&issuer={issuer}", encode(username));
    let code = QrCode::encode_text(&otpauth_url, QrCodeEcc::Medium).map_err(Error::unforeseen)?;
    let mut qr_path = String::new();
    for y in 0..code.size() {
        for x in 0..code.size() {
            if code.get_module(x, y) {
                qr_path.push_str(&format!("M{x} {y}h1v1h-1z"));
            }
        }
    }
    let groups: Vec<&str> =
        base32.as_bytes().chunks(4).map(|c| std::str::from_utf8(c).unwrap_or_default()).collect();
    Ok(Enrollment { secret: groups.join(" "), otpauth_url, qr_path, qr_size: code.size() })
}

fn base32(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    let bits: Vec<u8> = bits.collect();
    bits.chunks(5)
        .map(|chunk| {
            let index = chunk.iter().fold(0, |n, bit| n << 1 | bit) << (5 - chunk.len());
            LETTERS[index as usize] as char
        })
        .collect()
}

/// Whether the code is valid now, for an account that confirms or uses its second factor. The same
/// statement marks its time step as used.
pub(super) async fn spend_code(
    tx: &mut Tx,
    staff_id: StaffId,
    stored: &str,
    code: &str,
    unix: i64,
) -> Result<bool> {
    let code: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    if code.len() != 6 {
        return Ok(false);
    }
    let engine = engine(decode(stored)?)?;
    // The library's own check does not say which step matched, and it must be marked as used.
    for step in [unix / 30, unix / 30 - 1, unix / 30 + 1] {
        let right = engine.generate((step * 30) as u64).to_string();
        if bool::from(subtle::ConstantTimeEq::ct_eq(right.as_bytes(), code.as_bytes())) {
            let used = tx
                .sql(
                    "update staff set totp_last_step = $2
                     where id = $1 and (totp_last_step is null or totp_last_step < $2)",
                )
                .bind(staff_id)
                .bind(step)
                .execute()
                .await?;
            return Ok(used == 1);
        }
    }
    Ok(false)
}

/// Replaces all recovery codes with ten new ones, which are shown once.
pub(super) async fn renew_recovery_codes(tx: &mut Tx, staff_id: StaffId) -> Result<Vec<String>> {
    tx.sql("delete from recovery_codes where staff_id = $1").bind(staff_id).execute().await?;
    let mut codes = Vec::with_capacity(10);
    for _ in 0..10 {
        let text = base32(&rand::random::<[u8; 10]>()).to_lowercase();
        tx.sql("insert into recovery_codes (id, staff_id, code_hash, used_at) values ($1, $2, $3, null)")
            .bind(Uuid::now_v7())
            .bind(staff_id)
            .bind(token_hash(&text))
            .execute()
            .await?;
        codes.push(format!("{}-{}-{}-{}", &text[..4], &text[4..8], &text[8..12], &text[12..]));
    }
    Ok(codes)
}

pub(super) async fn spend_recovery_code(
    tx: &mut Tx,
    staff_id: StaffId,
    code: &str,
    now: chrono::DateTime<chrono::Utc>,
) -> Result<bool> {
    let code: String = code.to_lowercase().chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    let used = tx
        .sql(
            "update recovery_codes set used_at = $3
             where staff_id = $1 and code_hash = $2 and used_at is null",
        )
        .bind(staff_id)
        .bind(token_hash(&code))
        .bind(now)
        .execute()
        .await?;
    Ok(used == 1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn secrets_are_written_as_apps_expect_them() {
        assert_eq!(super::base32(b"foobar"), "MZXW6YTBOI");
        assert_eq!(super::base32(b"Hello!\xDE\xAD\xBE\xEF"), "JBSWY3DPEHPK3PXP");
    }
}
