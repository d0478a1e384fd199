//! The marks by which a report proves that it is about a mail of the portal: a signed token in the
//! envelope sender (VERP), or the Message-ID, which is a keyed hash. Both are known only to those who
//! got the mail.

use lettre::Address;
use uuid::Uuid;

use crate::app::Keys;
use crate::config::Config;
use crate::email_address::EmailAddress;

const PURPOSE: &str = "delivery";
/// 16 bytes of the notification and 12 of the signature.
const BYTES: usize = 28;
/// The length of a token in base 32. With `+` and 18 characters before it, it fills the 64
/// characters of a local part (RFC 5321).
const CHARACTERS: usize = 45;
const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// The Message-ID of a mail, without brackets and domain. It stays the same when the mail is sent
/// again.
pub(crate) fn message_id(keys: &Keys, notification_id: Uuid, email: &EmailAddress) -> String {
    let stable = [notification_id.as_bytes().as_slice(), email.as_bytes()];
    let mut half = [0; 16];
    half.copy_from_slice(&keys.hash("message-id", &stable)[..16]);
    format!("{:032x}", u128::from_be_bytes(half))
}

/// The token of a mail. It contains the notification, and only the portal can sign it. Lower case,
/// since some mail servers change the case of addresses.
pub(crate) fn of_mail(keys: &Keys, notification_id: Uuid, email: &EmailAddress) -> String {
    let mut bytes = [0; BYTES];
    bytes[..16].copy_from_slice(notification_id.as_bytes());
    bytes[16..].copy_from_slice(&signature(keys, notification_id, email));
    base32(&bytes)
}

/// The envelope sender of a mail, if the operator configured an address for bounces.
pub(crate) fn envelope_sender(
    config: &Config,
    keys: &Keys,
    notification_id: Uuid,
    email: &EmailAddress,
) -> Option<Address> {
    let address = config.bounce_address.as_ref()?;
    let token = of_mail(keys, notification_id, email);
    Address::new(format!("{}+{token}", address.user()), address.domain()).ok()
}

/// Finds what may be tokens in a header: `…+TOKEN@…`.
pub(super) fn in_text(text: &str) -> Vec<String> {
    let tokens = text.match_indices('@').filter_map(|(at, _)| {
        let from = at.checked_sub(CHARACTERS + 1)?;
        // `get` returns nothing if this is in the middle of a character.
        text.get(from..at)?.strip_prefix('+')
    });
    tokens.filter(|token| bytes_of(token).is_some()).map(str::to_lowercase).collect()
}

/// The notification that a token names. This proves nothing.
pub(super) fn notification(token: &str) -> Option<Uuid> {
    bytes_of(token).map(|bytes| Uuid::from_slice(&bytes[..16]).unwrap_or_default())
}

/// Whether the portal signed the token for this mail.
pub(super) fn proves(
    keys: &Keys,
    token: &str,
    notification_id: Uuid,
    email: &EmailAddress,
) -> bool {
    use subtle::ConstantTimeEq;
    bytes_of(token).is_some_and(|bytes| {
        bytes[..16] == *notification_id.as_bytes()
            && bool::from(bytes[16..].ct_eq(&signature(keys, notification_id, email)))
    })
}

fn signature(keys: &Keys, notification_id: Uuid, email: &EmailAddress) -> [u8; BYTES - 16] {
    let hash = keys.hash(PURPOSE, &[notification_id.as_bytes(), email.as_bytes()]);
    let mut signature = [0; BYTES - 16];
    signature.copy_from_slice(&hash[..BYTES - 16]);
    signature
}

fn base32(bytes: &[u8; BYTES]) -> String {
    let bit = |at: usize| bytes.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
    let digit = |n: usize| (0..5).fold(0, |value, i| value << 1 | bit(n * 5 + i));
    (0..CHARACTERS).map(|n| char::from(ALPHABET[usize::from(digit(n))])).collect()
}

fn bytes_of(token: &str) -> Option<[u8; BYTES]> {
    if token.len() != CHARACTERS {
        return None;
    }
    let mut bytes = [0; BYTES];
    for (n, character) in token.bytes().enumerate() {
        let digit = ALPHABET.iter().position(|c| *c == character.to_ascii_lowercase())?;
        for i in 0..5 {
            let at = n * 5 + i;
            if let Some(byte) = bytes.get_mut(at / 8) {
                *byte |= ((digit >> (4 - i) & 1) as u8) << (7 - at % 8);
            }
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_back_whatever_its_case_and_never_mistaken() {
        for seed in 0..=255_u8 {
            let bytes: [u8; BYTES] = std::array::from_fn(|i| seed.wrapping_mul(31) ^ (i as u8));
            let token = base32(&bytes);
            assert_eq!(token.len(), CHARACTERS);
            assert_eq!(bytes_of(&token.to_uppercase()), Some(bytes));
            assert_eq!(in_text(&format!("<bounces+{token}@camp.example>, a+b@c.example")), [token]);
        }
        assert_eq!(in_text("bounces+2@camp.example, @, +@, é+é@x, plain"), [""; 0]);
    }
}
