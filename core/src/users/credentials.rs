//! The password and the address of a user: reset and change.

use serde_json::Value;
use uuid::Uuid;

use super::must_find;
use super::verification::{NO_LINK, after_proof, claim};
use crate::accounts::sessions::{self, Holder};
use crate::accounts::tokens::{self, Bearer, Purpose};
use crate::accounts::user_password::confirm_password;
use crate::accounts::{ClientInfo, User, links, password, staff};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{Tx, again_after_deadlock};
use crate::email_address::EmailAddress;
use crate::ids::UserId;
use crate::notifications::{self, AccountMail, Notice};
use crate::rate_limits;
use crate::validation::Validator;
use crate::{App, Error, Result};

/// Sends a link to choose a new password, if the address has a user. The response does not reveal
/// whether it does.
///
/// # Errors
///
/// [`Error::Invalid`] on `email` when it is not an address, [`Error::TooMany`] above the limit of
/// the client's network.
pub async fn forgot(app: &App, typed: &str, from: ClientInfo) -> Result<()> {
    let Some([email, earlier]) = EmailAddress::stored_forms(typed) else {
        let mut checks = Validator::new();
        let refused = checks.email("email", typed);
        return checks.done_with(refused).map(drop);
    };
    rate_limits::count_network(app, rate_limits::FORGOT_BY_ADDRESS, from.address).await?;
    // Each recipient gets a limited number, no matter who asks. Exceeding the limit is not
    // reported.
    if rate_limits::count(app, rate_limits::FORGOT_BY_RECIPIENT, &email).await.is_err() {
        return Ok(());
    }
    let mut tx = app.db.begin().await?;
    // A name that somebody else may have typed is not sent to an unverified address.
    let found: Option<(UserId, EmailAddress, String, i64)> = tx
        .sql(
            "select id, email, case when verified_at is null then '' else full_name end, token_version
             from users where email in ($1, $2)
             order by case when email = $1 then 0 else 1 end limit 1",
        )
        .bind(&email)
        .bind(earlier)
        .optional()
        .await?;
    // For an address without a user the same rows are written, for nobody, so that the response
    // takes as long. The worker finds no recipient.
    let nobody = (UserId::generate(), email, String::new(), 0);
    let (id, email, name, version) = found.unwrap_or(nobody);
    let data = links::link_data(id, version);
    let notice = Notice { data, ..Notice::new(AccountMail::Reset, id) };
    notifications::notify_requested(&mut tx, app, notice, &email, &name).await?.ignore_refusal();
    tx.commit().await
}

/// Checks that a link can still set a password, without spending it. The answer says nothing about
/// accounts: a link that never existed is refused like one that was used.
///
/// # Errors
///
/// [`Error::Gone`] for a link with which [`reset`] would fail, [`Error::TooMany`] above the limit of
/// the client's network.
pub async fn check_reset(app: &App, token: &str, from: ClientInfo) -> Result<()> {
    rate_limits::count_network(app, rate_limits::TOKENS_BY_ADDRESS, from.address).await?;
    let found: i64 = match tokens::peek(app, token).await? {
        (Purpose::Reset, Bearer { user_id: Some(id), email: Some(email), .. }) => app
            .db
            .sql("select count(*) from users where id = $1 and email = $2")
            .bind(id)
            .bind(email),
        (Purpose::StaffReset, Bearer { staff_id: Some(id), email: Some(email), .. }) => app
            .db
            .sql("select count(*) from staff where id = $1 and email = $2 and disabled_at is null")
            .bind(id)
            .bind(email),
        _ => return Err(NO_LINK),
    }
    .scalar()
    .await?;
    if found == 0 { Err(NO_LINK) } else { Ok(()) }
}

/// Sets a new password with the token of a mail, ends all sessions and verifies the address. Works
/// for users and staff, since the link identifies the account. Returns the id of a user.
///
/// # Errors
///
/// [`Error::Gone`] for a link that was used, has expired or belongs to another address or a disabled
/// account, [`Error::Invalid`] on `password` for an unacceptable one, [`Error::TooMany`] above the limit
/// of the client's network, [`Error::SignInRequired`] or [`Error::NotFound`] when the user or the family
/// was deleted meanwhile.
pub async fn reset(app: &App, token: &str, new: &str, from: ClientInfo) -> Result<Option<UserId>> {
    rate_limits::count_network(app, rate_limits::TOKENS_BY_ADDRESS, from.address).await?;
    let settings = app.settings().await?;
    let (_, bearer) = tokens::peek(app, token).await?;
    let username = match bearer.staff_id {
        Some(id) => staff::find(&app.db, id).await?.username,
        None => String::new(),
    };
    let address = bearer.email.as_deref().unwrap_or_default();
    let known = [username.as_str(), address, settings.site_name.as_str()];
    let mut checks = Validator::new();
    password::check(&mut checks, "password", new, &settings, &known);
    checks.done()?;
    let hash = password::hash(app, new).await?;
    // The family may be deleted, or changed by a member, at this moment.
    again_after_deadlock(|| set_password(app, token, &hash)).await
}

async fn set_password(app: &App, token: &str, hash: &str) -> Result<Option<UserId>> {
    let mut tx = app.db.begin().await?;
    // Taken before a link is spent: of two links for one account, or a link and an owner's change,
    // one wins.
    tx.lock("staff").await?;
    let login = match tokens::spend(&mut tx, app, token).await? {
        (Purpose::Reset, Bearer { user_id: Some(id), email: Some(email), .. }) => {
            let user = must_find(&mut tx, id).await?;
            if user.email != email {
                return Err(Error::Gone(
                    "This link is for another address. Please ask for a new one.",
                ));
            }
            claim(&mut tx, app, &user, hash).await?;
            after_proof(&mut tx, app, id, &email, !user.verified).await?;
            Some(id)
        }
        (Purpose::StaffReset, Bearer { staff_id: Some(id), email: Some(email), .. }) => {
            staff::password_was_reset(&mut tx, app, id, &email, hash).await?;
            None
        }
        _ => return Err(NO_LINK),
    };
    tx.commit().await?;
    Ok(login)
}

/// The consequences of a new password: all sessions end, except `save` if given, all open links are
/// revoked, and the owner of the address is notified.
pub(super) async fn password_changed(
    tx: &mut Tx,
    app: &App,
    user: &User,
    save: Option<Uuid>,
) -> Result<()> {
    let now = app.clock.now();
    sessions::end_all(tx, Holder::User(user.id), save).await?;
    tokens::revoke_all(tx, Holder::User(user.id)).await?;
    // An unverified address may be a stranger's.
    if user.verified {
        let notice = Notice::new(AccountMail::PasswordChanged, user.id);
        notifications::notify(tx, app, notice, &user.email, &user.full_name).await?;
    }
    let subject = Subject::new(SubjectKind::User, user.id);
    audit::record(tx, now, Actor::User(user.id), Action::UserChangePassword, subject, Value::Null)
        .await
}

/// Changes the password of a signed-in user and ends all other sessions.
///
/// # Errors
///
/// [`Error::Invalid`] for a wrong current or an unacceptable new password, [`Error::TooMany`] after
/// many wrong ones, [`Error::SignInRequired`] when the user was deleted meanwhile.
pub async fn change_password(
    app: &App,
    user: &User,
    session: Uuid,
    current: &str,
    new: &str,
    from: ClientInfo,
) -> Result<()> {
    let settings = app.settings().await?;
    let mut checks = Validator::new();
    let known = [user.email.as_str(), settings.site_name.as_str()];
    password::check(&mut checks, "new_password", new, &settings, &known);
    checks.done()?;
    let confirmed = confirm_password(app, user, current, &from).await?;
    let hash = password::hash(app, new).await?;
    let mut tx = app.db.begin().await?;
    confirmed.still_holds(&mut tx, user.id).await?;
    tx.sql("update users set password_hash = $2, updated_at = $3 where id = $1")
        .bind(user.id)
        .bind(&hash)
        .bind(app.clock.now())
        .execute()
        .await?;
    password_changed(&mut tx, app, user, Some(session)).await?;
    tx.commit().await
}

/// Ends all sessions of a user, including the current one, and revokes its open links.
pub async fn sign_out_everywhere(app: &App, id: UserId) -> Result<()> {
    let mut tx = app.db.begin().await?;
    sessions::end_all(&mut tx, Holder::User(id), None).await?;
    tokens::revoke_all(&mut tx, Holder::User(id)).await?;
    tx.commit().await
}

/// Sends a link to a new address. Nothing changes before it is confirmed. Only the owner of the
/// address learns that it already has a user.
///
/// # Errors
///
/// [`Error::Invalid`] on `current_password`, or on `new_email` for an invalid or the same address,
/// [`Error::TooMany`] and [`Error::TooManyMails`] above the limits, [`Error::SignInRequired`] or
/// [`Error::NotFound`] when the user was deleted meanwhile.
pub async fn change_email(
    app: &App,
    user: &User,
    current: &str,
    new: &str,
    from: ClientInfo,
) -> Result<()> {
    let mut checks = Validator::new();
    let email = checks.email("new_email", new);
    let same = email.as_ref() == Some(&user.email);
    checks.require(!same, "new_email", "This is already your email.");
    let email = checks.done_with(email)?;
    let confirmed = confirm_password(app, user, current, &from).await?;
    rate_limits::count(app, rate_limits::CHANGES_BY_USER, &user.id.to_string()).await?;
    let mut tx = app.db.begin().await?;
    confirmed.still_holds(&mut tx, user.id).await?;
    // Counted before it is known whether a mail is sent, so that the response does not reveal it.
    if let Some(refusal) = rate_limits::count_mail(&mut tx, app, &email).await? {
        return Err(refusal);
    }
    // An address that nobody verified gives way when this user does.
    let taken: i64 = tx
        .sql("select count(*) from users where email = $1 and verified_at is not null")
        .bind(&email)
        .scalar()
        .await?;
    if taken == 0 {
        let kind = AccountMail::ChangeEmail;
        let notice = links::with_link(&mut tx, kind, user.id, Holder::User(user.id)).await?;
        // Without the name: nobody may use the portal to send their own text to a stranger.
        notifications::notify(&mut tx, app, notice, &email, "").await?;
    }
    tx.commit().await
}
