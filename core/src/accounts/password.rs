//! Passwords: Argon2id, hashed outside the request threads, a limited number at a time.

use std::sync::LazyLock;

use argon2::password_hash::PasswordHasher;
use argon2::password_hash::phc::{Output, PasswordHash};
use argon2::{Algorithm, Argon2, Block, Params, Version};

use crate::hashing::Memory;
use crate::rate_limits::Attempt;
use crate::settings::Settings;
use crate::validation::Validator;
use crate::{App, Error, Result};

/// The maximum length in characters. Passwords are never truncated.
pub(crate) const MAX: usize = 128;

/// Common passwords in lower case, one per line.
static COMMON: LazyLock<std::collections::HashSet<&'static str>> =
    LazyLock::new(|| include_str!("common_passwords.txt").lines().collect());

/// Checks a new password (safety 2): its length, and that it is not a common one. `known` lists
/// texts that must not be used, such as the email address.
pub(crate) fn check(
    checks: &mut Validator,
    field: &str,
    password: &str,
    settings: &Settings,
    known: &[&str],
) {
    let length = password.chars().count();
    let min = settings.password_min_length.max(8) as usize;
    if length < min {
        checks.refuse(field, format!("Please use at least {min} characters."));
    } else if length > MAX {
        checks.refuse(field, format!("Please use at most {MAX} characters."));
    } else if password.contains('\0') {
        checks.refuse(field, "Please remove the invisible control characters.");
    } else if too_common(password, known) {
        checks.refuse(field, "This password is too easy to guess. Please choose another one.");
    }
}

fn too_common(password: &str, known: &[&str]) -> bool {
    let folded = password.to_lowercase();
    let plain = folded.trim_end_matches(|c: char| c.is_ascii_digit() || "!?.".contains(c));
    let one_character = folded.chars().all(|c| folded.starts_with(c));
    one_character
        || COMMON.contains(folded.as_str())
        || (plain.len() >= 4 && COMMON.contains(plain))
        || known.iter().any(|text| !text.is_empty() && folded == text.to_lowercase())
}

/// Hashes a password.
///
/// # Errors
///
/// [`Error::Unforeseen`] when the task that hashes does not finish.
pub async fn hash(app: &App, password: &str) -> Result<String> {
    let password = password.to_owned();
    let engine = Argon2::new(Algorithm::Argon2id, Version::V0x13, app.hashing.params.clone());
    app.hashing
        .run(move |_| engine.hash_password(password.as_bytes()).map(|hash| hash.to_string()))
        .await?
        .map_err(Error::unforeseen)
}

/// The result of verifying a password.
pub enum Verdict {
    Wrong,
    Right,
    /// Correct, but its hash should be renewed because the parameters have changed.
    RightButOld,
}

/// Compares a password with a stored hash. Without a stored hash it takes the same time and returns
/// wrong.
///
/// # Errors
///
/// [`Error::Unforeseen`] when the task that hashes does not finish.
pub(crate) async fn verify(app: &App, password: &str, stored: Option<&str>) -> Result<Verdict> {
    let known = stored.is_some();
    let stored = stored.unwrap_or(&app.hashing.dummy).to_owned();
    let wanted = app.hashing.params.clone();
    let password = password.to_owned();
    app.hashing
        .run(move |memory| {
            let Ok(parsed) = PasswordHash::new(&stored) else { return Verdict::Wrong };
            let right = matches(password.as_bytes(), &parsed, memory).unwrap_or(false);
            let current = Params::try_from(&parsed).is_ok_and(|used| {
                used.m_cost() >= wanted.m_cost()
                    && used.t_cost() >= wanted.t_cost()
                    && used.p_cost() >= wanted.p_cost()
            });
            match (right && known, current) {
                (false, _) => Verdict::Wrong,
                (true, true) => Verdict::Right,
                (true, false) => Verdict::RightButOld,
            }
        })
        .await
}

/// Compares in constant time, with the parameters of the stored hash. `None` if it is not a hash of
/// Argon2.
fn matches(password: &[u8], stored: &PasswordHash, memory: &mut Memory) -> Option<bool> {
    let (salt, expected) = (stored.salt.as_ref()?, stored.hash.as_ref()?);
    let algorithm = Algorithm::try_from(stored.algorithm.as_str()).ok()?;
    let version = stored.version.map_or(Ok(Version::V0x13), Version::try_from).ok()?;
    let params = Params::try_from(stored).ok()?;
    memory.resize(params.block_count().max(memory.len()), Block::new());
    let mut out = vec![0; expected.len()];
    Argon2::new(algorithm, version, params)
        .hash_password_into_with_memory(password, salt, &mut out, memory)
        .ok()?;
    Some(Output::new(&out).ok()? == *expected)
}

/// The hash of a password that its owner has just entered.
pub(crate) struct Confirmed(pub(super) String);

/// The error for a password that is not the account's current one.
pub(super) fn not_current() -> Error {
    Error::invalid("current_password", "This is not your current password.")
}

/// Verifies the current password of an account. `attempt` is how it is counted.
///
/// # Errors
///
/// [`Error::Invalid`] on `current_password`, [`Error::Unforeseen`] when the task that hashes does not
/// finish.
pub(super) async fn confirm(
    app: &App,
    attempt: Attempt,
    hash: String,
    given: &str,
) -> Result<Confirmed> {
    if given.is_empty() {
        return Err(Error::invalid("current_password", "Please enter your password."));
    }
    if matches!(verify(app, given, Some(&hash)).await?, Verdict::Wrong) {
        return Err(not_current());
    }
    let mut tx = app.db.begin().await?;
    attempt.succeeded(&mut tx).await?;
    tx.commit().await?;
    Ok(Confirmed(hash))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_that_everybody_tries_first_are_refused() {
        for bad in [
            "password",
            "Password1",
            "password123!",
            "12345678",
            "aaaaaaaaaa",
            "qwertyuiop",
            "Visitingday",
            "chaya@family.example",
        ] {
            assert!(too_common(bad, &["chaya@family.example"]), "{bad}");
        }
        for good in ["lantern over the lake", "ברוך הבא אין קעמפ", "x7#kQ0pl"] {
            assert!(!too_common(good, &[]), "{good}");
        }
    }
}
