//! Limits of the mails that go to one mailbox.

use chrono::{DateTime, Utc};

use super::{RateLimit, TESTS_BY_STAFF, count_in, counted, limit, seconds};
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::ids::StaffId;
use crate::{App, Error, Result};

/// Mails to one mailbox that anybody can cause: confirmations, password resets, acknowledgments.
/// Mails that staff cause are not counted.
const MAILS_BY_MAILBOX: [RateLimit; 2] =
    [limit("mails-hour", 5, 60), limit("mails-day", 15, 24 * 60)];

/// The share of mails that strangers can cause with only the address: sign-up, subscription,
/// contact form, change of address. The rest is reserved for [`ASKED_BY_MAILBOX`].
const UNASKED_BY_MAILBOX: [RateLimit; 2] =
    [limit("mails-unasked-hour", 4, 60), limit("mails-unasked-day", 12, 24 * 60)];

/// A password reset and a repeated confirmation each have their own limit of one mail an hour, so
/// that no stranger can use up what the owner of the mailbox needs to sign in. In total, a mailbox
/// gets at most 5 + 2 such mails in an hour and 15 + 2 * 24 in a day.
const ASKED_BY_MAILBOX: RateLimit = limit("mails-asked-hour", 1, 60);

/// Counts one more mail to a mailbox that anybody can cause. The count belongs to the transaction
/// that enqueues the mail. Returns the error to show, or `None` if the mail may be sent.
pub(crate) async fn count_mail(
    tx: &mut Tx,
    app: &App,
    email: &EmailAddress,
) -> Result<Option<Error>> {
    let mailbox = mailbox(email);
    let caps = [UNASKED_BY_MAILBOX, MAILS_BY_MAILBOX].concat();
    let until = count_all(tx, app, &caps, &mailbox).await?;
    Ok(until.map(|until| too_many_mails(until, app.clock.now())))
}

/// Like [`count_mail`], for a mail that the owner of the mailbox needs to sign in.
pub(crate) async fn count_asked_mail(
    tx: &mut Tx,
    app: &App,
    kind: &str,
    email: &EmailAddress,
) -> Result<Option<Error>> {
    let mailbox = mailbox(email);
    let own = format!("{kind} {mailbox}");
    let Some(own_until) = count_in(tx, app, ASKED_BY_MAILBOX, &own).await? else {
        return Ok(None);
    };
    let until = count_all(tx, app, &MAILS_BY_MAILBOX, &mailbox).await?;
    Ok(until.map(|until| too_many_mails(until.min(own_until), app.clock.now())))
}

/// Counts one more test mail that a member of the staff sends to themselves. The count belongs to the
/// transaction that enqueues the mail.
///
/// # Errors
///
/// [`Error::TooManyTests`] above the limit.
pub(crate) async fn count_test(tx: &mut Tx, app: &App, staff: StaffId) -> Result<()> {
    let limit = TESTS_BY_STAFF;
    match count_in(tx, app, limit, &staff.to_string()).await? {
        Some(until) => Err(Error::TooManyTests {
            most: limit.most,
            retry_after: seconds(until, app.clock.now()),
        }),
        None => Ok(()),
    }
}

async fn count_all(
    tx: &mut Tx,
    app: &App,
    caps: &[RateLimit],
    who: &str,
) -> Result<Option<DateTime<Utc>>> {
    for limit in caps {
        if let Some(until) = count_in(tx, app, *limit, who).await? {
            return Ok(Some(until));
        }
    }
    Ok(None)
}

/// One name for all spellings of an address that reach the same mailbox: `a.b+news@gmail.com` is
/// `ab@gmail.com`. If two people share a name this way, they only share a limit.
fn mailbox(email: &str) -> String {
    let email = email.trim().to_lowercase();
    let Some((local, domain)) = email.rsplit_once('@') else { return email };
    let local = match local.split_once('+') {
        Some((name, _)) if !name.is_empty() => name,
        _ => local,
    };
    match domain.trim_end_matches('.') {
        "gmail.com" | "googlemail.com" => format!("{}@gmail.com", local.replace('.', "")),
        domain => format!("{local}@{domain}"),
    }
}

/// How a mail fits into the limit of its mailbox.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quota {
    Within,
    /// The first mail above the limit.
    JustExceeded,
    Exceeded,
}

/// Counts one more mail to a mailbox of the camp.
pub(crate) async fn count_own_mail(
    tx: &mut Tx,
    app: &App,
    limit: RateLimit,
    email: &EmailAddress,
) -> Result<Quota> {
    let (count, _) = counted(tx, app, limit, &mailbox(email), 1).await?;
    Ok(match count - limit.most {
        ..=0 => Quota::Within,
        1 => Quota::JustExceeded,
        _ => Quota::Exceeded,
    })
}

fn too_many_mails(until: DateTime<Utc>, now: DateTime<Utc>) -> Error {
    Error::TooManyMails { retry_after: seconds(until, now) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_mailbox_share_a_limit() {
        for spelling in
            ["Chaya@Family.Example", "chaya+1@family.example", "chaya+a+b@family.example."]
        {
            assert_eq!(mailbox(spelling), "chaya@family.example", "{spelling}");
        }
        assert_eq!(mailbox("c.ha.ya+camp@googlemail.com"), "chaya@gmail.com");
        assert_ne!(mailbox("c.haya@family.example"), mailbox("chaya@family.example"));
        assert_eq!(mailbox("+@family.example"), "+@family.example");
    }
}
