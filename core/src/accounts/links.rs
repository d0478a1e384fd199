//! Links in account mail. Their tokens are created when the mail is written, so that a token exists
//! only in the mail. A mail that is written again gets a new token.

use serde_json::{Value, json};
use uuid::Uuid;

use super::sessions::Holder;
use super::tokens::{self, Bearer, Purpose};
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::ids::UserId;
use crate::notifications::{AccountMail, Delivery, Notice, Notification};
use crate::{App, Result};

/// A notice whose mail contains a link for this account. The link is valid until the account's
/// links are revoked, no matter when the mail is written.
///
/// # Errors
///
/// [`crate::Error::NotFound`] when there is no such account.
pub(crate) async fn with_link(
    tx: &mut Tx,
    kind: AccountMail,
    subject_id: impl Into<Uuid>,
    holder: Holder,
) -> Result<Notice> {
    let by = match holder {
        Holder::User(id) => Uuid::from(id),
        Holder::Staff(id) => id.into(),
    };
    let version = tokens::version(tx, holder).await?;
    Ok(Notice { data: link_data(by, version), ..Notice::new(kind, subject_id) })
}

/// The data that a mail needs about the account that requested it, and for its link.
pub(crate) fn link_data(by: impl Into<Uuid>, version: i64) -> Value {
    json!({ "account": by.into(), "version": version })
}

/// The account that requested the link in a mail, and the version of its links at that time.
pub(in crate::accounts) fn account(notification: &Notification) -> Option<Uuid> {
    let data: Value = serde_json::from_str(&notification.data).unwrap_or_default();
    data["account"].as_str().and_then(|id| id.parse().ok())
}

fn version(notification: &Notification) -> i64 {
    let data: Value = serde_json::from_str(&notification.data).unwrap_or_default();
    data["version"].as_i64().unwrap_or_default()
}

const OTHER_ADDRESS_REFUSED: &str = "select count(*) from profiles p
     join profile_addresses a on a.profile_id = p.id
     join profile_addresses b on b.profile_id = p.id
     join suppressed_addresses s on s.email = b.email
     where p.id = $1 and p.deleted_at is null and a.email = $2 and b.email <> $2";

/// An invitation that waited while staff corrected the address is not sent to a stranger.
const INVITED: &str = "select count(*) from profiles p
     join profile_addresses a on a.profile_id = p.id
     where p.id = $1 and p.deleted_at is null and a.email = $2";

/// Whether the recipient still exists and, for a mail with a link, whether the link would still be
/// valid.
pub(super) async fn is_there(
    app: &App,
    kind: AccountMail,
    notification: &Notification,
    email: &EmailAddress,
) -> Result<bool> {
    let (db, id, version) = (&app.db, notification.subject_id, version(notification));
    let found: i64 = match kind {
        AccountMail::Invitation => db.sql(INVITED).bind(id).bind(email),
        AccountMail::Approved | AccountMail::Refused | AccountMail::SecondaryRemoved => {
            db.sql("select count(*) from profiles where id = $1 and deleted_at is null").bind(id)
        }
        // Once staff have corrected or allowed the address, there is nothing to tell.
        AccountMail::AddressRefused => db.sql(OTHER_ADDRESS_REFUSED).bind(id).bind(email),
        AccountMail::SecondaryEmail => db
            .sql(
                "select count(*) from pending_addresses a, users u
                 where a.profile_id = $1 and a.email = $2 and u.id = $3 and u.token_version = $4",
            )
            .bind(id)
            .bind(email)
            .bind(account(notification))
            .bind(version),
        // The link must not go to an address that the account no longer has.
        AccountMail::Verify | AccountMail::Reset => db
            .sql("select count(*) from users where id = $1 and token_version = $2 and email = $3")
            .bind(id)
            .bind(version)
            .bind(email),
        AccountMail::ChangeEmail => db
            .sql("select count(*) from users where id = $1 and token_version = $2")
            .bind(id)
            .bind(version),
        AccountMail::StaffReset => db
            .sql(
                "select count(*) from staff
                 where id = $1 and token_version = $2 and email = $3 and disabled_at is null",
            )
            .bind(id)
            .bind(version)
            .bind(email),
        AccountMail::StaffPasswordChanged
        | AccountMail::StaffEmailChanged
        | AccountMail::StaffTwoFactorOn
        | AccountMail::StaffTwoFactorOff
        | AccountMail::StaffRecoveryCodes
        | AccountMail::StaffAccount
        | AccountMail::StaffNewBrowser => {
            db.sql("select count(*) from staff where id = $1").bind(id)
        }
        AccountMail::PasswordChanged | AccountMail::EmailChanged | AccountMail::SecondaryAdded => {
            db.sql("select count(*) from users where id = $1").bind(id)
        }
        // The recipient is a login of the family, or an address of the family without a login.
        AccountMail::GuardianJoined => db
            .sql(
                "select (select count(*) from users where id = $1)
                      + (select count(*) from profiles where id = $1 and deleted_at is null)",
            )
            .bind(id),
    }
    .scalar()
    .await?;
    Ok(found > 0)
}

pub(in crate::accounts) async fn link(
    app: &App,
    notification: &Notification,
    delivery: &Delivery,
    purpose: Purpose,
    page: &str,
) -> Result<String> {
    let id = notification.subject_id;
    let family = Some(id.into());
    let email = Some(delivery.email.clone());
    let bearer = match purpose {
        Purpose::Invite => Bearer { profile_id: family, email, ..Bearer::default() },
        Purpose::SecondaryEmail => Bearer {
            profile_id: family,
            user_id: account(notification).map(UserId::from),
            email,
            ..Bearer::default()
        },
        Purpose::StaffReset => Bearer { staff_id: Some(id.into()), email, ..Bearer::default() },
        _ => Bearer { user_id: Some(id.into()), email, ..Bearer::default() },
    };
    let mut tx = app.db.begin().await?;
    let token = tokens::make(&mut tx, app, purpose, &bearer, version(notification)).await?;
    tx.commit().await?;
    Ok(app.url(&format!("{page}{token}")))
}
