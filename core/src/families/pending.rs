//! A second address that a member entered and its owner has not confirmed. Until then it belongs to
//! nobody (decision P2): it links no user, matches no import, blocks no other family and gets one
//! mail, which asks its owner.

use super::{add_address, addresses, refresh_search_text};
use crate::accounts::sessions::Holder;
use crate::accounts::{ClientInfo, User, links};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::ids::{FamilyId, UserId};
use crate::notifications::{self, AccountMail, Notice, suppression};
use crate::rate_limits;
use crate::{App, Error, Result};

/// A user with an unverified address cannot add others to its family.
const CONFIRM_FIRST: &str = "Please confirm your own address first.";

/// Sets or removes the second address for a member. A new one counts once its owner has confirmed
/// it. The previous one is removed at once, since it may be meant to get no more mail. A known
/// address is notified, and is removed only if the member has given their password: `confirmed`
/// (safety 3).
///
/// # Errors
///
/// [`Error::Invalid`] on `secondary_email` when the user's own address is unverified or the new one
/// equals it or the primary one, and on `current_password` when a known address would be removed
/// without it. [`Error::TooManyMails`] above the limit of the mailbox, [`Error::NotFound`] when the
/// user or the family was deleted meanwhile.
pub(crate) async fn set_secondary(
    tx: &mut Tx,
    app: &App,
    user: &User,
    email: Option<EmailAddress>,
    confirmed: bool,
) -> Result<()> {
    let id = user.profile_id;
    let (primary, secondary) = addresses::addresses(tx, id).await?;
    let removed = secondary.map(|kept| kept.email);
    let known = match &removed {
        Some(email) => Some(email.clone()),
        None => of(tx, id).await?,
    };
    if known == email {
        return Ok(());
    }
    if email.is_some() && !user.verified {
        return Err(Error::invalid("secondary_email", CONFIRM_FIRST));
    }
    let first = primary.is_some_and(|kept| Some(&kept.email) == email.as_ref());
    if first || email.as_ref() == Some(&user.email) {
        let text = "The second email must be different from the first.";
        return Err(Error::invalid("secondary_email", text));
    }
    if let Some(removed) = removed {
        if !confirmed {
            let text = "Please enter your current password.";
            return Err(Error::invalid("current_password", text));
        }
        addresses::drop_secondary(tx, app.clock.now(), id).await?;
        let data = links::link_data(user.id, 0);
        let notice = Notice { data, ..Notice::new(AccountMail::SecondaryRemoved, id) };
        notifications::notify(tx, app, notice, &removed, "").await?;
    }
    tx.sql("delete from pending_addresses where profile_id = $1").bind(id).execute().await?;
    if let Some(email) = &email {
        tx.sql("insert into pending_addresses (profile_id, email, created_at) values ($1, $2, $3)")
            .bind(id)
            .bind(email)
            .bind(app.clock.now())
            .execute()
            .await?;
        ask(tx, app, user, email).await?;
    }
    refresh_search_text(tx, id).await
}

/// Returns the address that waits for confirmation.
pub(crate) async fn of(tx: &mut Tx, id: FamilyId) -> Result<Option<EmailAddress>> {
    let found: Option<(EmailAddress,)> = tx
        .sql("select email from pending_addresses where profile_id = $1")
        .bind(id)
        .optional()
        .await?;
    Ok(found.map(|(email,)| email))
}

async fn ask(tx: &mut Tx, app: &App, user: &User, email: &EmailAddress) -> Result<()> {
    let (kind, holder) = (AccountMail::SecondaryEmail, Holder::User(user.id));
    let notice = links::with_link(tx, kind, user.profile_id, holder).await?;
    notifications::notify_limited(tx, app, notice, email).await?.or_refuse()
}

/// Sends the owner of the second address another mail.
///
/// # Errors
///
/// [`Error::Conflict`] for a user with an unverified address, [`Error::NotFound`] when no address
/// waits or the user was deleted meanwhile, [`Error::TooMany`] above the limit of the client's network
/// or of the recipient, [`Error::TooManyMails`] above that of the mailbox.
pub async fn ask_again(app: &App, user: &User, from: ClientInfo) -> Result<()> {
    if !user.verified {
        return Err(Error::Conflict(CONFIRM_FIRST));
    }
    let mut tx = app.db.begin().await?;
    let email = of(&mut tx, user.profile_id).await?;
    tx.rollback().await?;
    let Some(email) = email else {
        return Err(Error::NotFound("No second address is waiting for confirmation."));
    };
    rate_limits::count_network(app, rate_limits::VERIFY_BY_ADDRESS, from.address).await?;
    rate_limits::count(app, rate_limits::VERIFY_BY_RECIPIENT, &email).await?;
    let mut tx = app.db.begin().await?;
    ask(&mut tx, app, user, &email).await?;
    tx.commit().await
}

/// Confirms that an address belongs to this family, for its owner.
///
/// # Errors
///
/// [`Error::Gone`] when the family no longer asks for it, [`Error::Conflict`] when another family
/// has the address or this one has no room for it, [`Error::NotFound`] when the family was deleted.
pub(crate) async fn confirm(
    tx: &mut Tx,
    app: &App,
    id: FamilyId,
    email: &EmailAddress,
) -> Result<()> {
    let now = app.clock.now();
    let asked = tx
        .sql("delete from pending_addresses where profile_id = $1 and email = $2")
        .bind(id)
        .bind(email)
        .execute()
        .await?;
    if asked == 0 {
        return Err(Error::Gone("This family no longer asks for your address."));
    }
    // A verified user with this address already has a family.
    let elsewhere: i64 = tx
        .sql(
            "select (select count(*) from profile_addresses where email = $2 and profile_id <> $1)
                  + (select count(*) from users
                     where email = $2 and profile_id <> $1 and verified_at is not null)",
        )
        .bind(id)
        .bind(email)
        .scalar()
        .await?;
    if elsewhere > 0 {
        return Err(Error::Conflict(
            "This address already belongs to another family, so nothing was changed. If both are one family, please ask the camp's office to merge them.",
        ));
    }
    add_address(tx, now, id, email).await?;
    if !addresses::has_address(&mut *tx, id, email).await? {
        return Err(Error::Conflict(
            "This family already has two other addresses, so nothing was changed. One of them has to be removed first.",
        ));
    }
    suppression::restore_one(tx, app, email).await?;
    notify_family(tx, app, id, email).await?;
    let subject = Subject::new(SubjectKind::Profile, id);
    let nothing = serde_json::Value::Null;
    audit::record(tx, now, Actor::Nobody, Action::ProfileConfirmEmail, subject, nothing).await
}

/// Notifies the family that somebody else may join it now.
async fn notify_family(tx: &mut Tx, app: &App, id: FamilyId, email: &EmailAddress) -> Result<()> {
    let members: Vec<(UserId, EmailAddress, String)> = tx
        .sql(
            "select id, email, full_name from users
             where profile_id = $1 and email <> $2 and verified_at is not null",
        )
        .bind(id)
        .bind(email)
        .all()
        .await?;
    for (member, email, name) in members {
        let notice = Notice::new(AccountMail::SecondaryAdded, member);
        notifications::notify(tx, app, notice, &email, &name).await?;
    }
    Ok(())
}

/// An address that now belongs to the family no longer waits.
pub(crate) async fn remove_settled(tx: &mut Tx, id: FamilyId) -> Result<()> {
    tx.sql(
        "delete from pending_addresses
         where profile_id = $1
           and email in (select a.email from profile_addresses a where a.profile_id = $1)",
    )
    .bind(id)
    .execute()
    .await?;
    Ok(())
}

/// When families are merged, the kept one takes over the other's pending address if it has none.
pub(crate) async fn merge(tx: &mut Tx, keep: FamilyId, drop: FamilyId) -> Result<()> {
    tx.sql(
        "update pending_addresses set profile_id = $1
         where profile_id = $2
           and not exists (select 1 from pending_addresses other where other.profile_id = $1)
           and not exists (select 1 from profile_addresses a
                           where a.profile_id = $1 and a.kind = 'secondary')",
    )
    .bind(keep)
    .bind(drop)
    .execute()
    .await?;
    tx.sql("delete from pending_addresses where profile_id = $1").bind(drop).execute().await?;
    remove_settled(tx, keep).await
}
