//! Password and address of a login: forgotten, chosen anew, changed.

use serde_json::Value;
use uuid::Uuid;

use super::proof::after_proof;
use super::{From, User, must_find};
use crate::accounts::limits;
use crate::accounts::sessions::{self, Holder};
use crate::accounts::tokens::{self, Bearer, Purpose};
use crate::accounts::{letters, password, staff};
use crate::audit::{self, Actor, Subject};
use crate::checks::Checks;
use crate::db::Tx;
use crate::notifications::{self, Notice};
use crate::{App, Error, Result};

/// Sends a link to choose a new password, if the address has a login. The caller cannot tell.
pub async fn forgot(app: &App, email: &str, from: From) -> Result<()> {
    let mut checks = Checks::new();
    let email = checks.email("email", email);
    checks.done()?;
    limits::count(app, limits::FORGOT_BY_ADDRESS, &limits::network(from.address)).await?;
    // One recipient gets a few, whoever asks; that it was one too many is not said.
    if limits::count(app, limits::FORGOT_BY_RECIPIENT, &email).await.is_err() {
        return Ok(());
    }
    let mut tx = app.db.begin().await?;
    let found: Option<(Uuid, String)> =
        tx.sql("select id, full_name from users where email = $1").bind(&email).optional().await?;
    if let Some((id, name)) = found {
        let notice = Notice::new(letters::RESET, id);
        notifications::tell_limited(&mut tx, app, notice, &email, &name).await?.or_silent();
    }
    tx.commit().await
}

/// Sets a new password with the token of a mail, ends all sessions and proves the address. Serves
/// parents and staff alike, since the link knows whose it is.
pub async fn reset(app: &App, token: &str, new: &str, from: From) -> Result<()> {
    limits::count(app, limits::TOKENS_BY_ADDRESS, &limits::network(from.address)).await?;
    let settings = app.settings().await?;
    let mut checks = Checks::new();
    password::check(&mut checks, "password", new, &settings, &[&settings.site_name]);
    checks.done()?;
    let hash = password::hash(app, new).await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    // Before a link is spent: of two for one account, or of a link and an owner's change, one wins.
    tx.serialize("staff").await?;
    match tokens::spend(&mut tx, app, token).await? {
        (Purpose::Reset, Bearer { user_id: Some(id), email: Some(email), .. }) => {
            let user = must_find(&mut tx, id).await?;
            if user.email != email {
                return Err(Error::Gone(
                    "This link was made for another address. Please ask for a new one.",
                ));
            }
            tx.sql("update users set password_hash = $2, verified_at = coalesce(verified_at, $3), updated_at = $3 where id = $1")
                .bind(id)
                .bind(&hash)
                .bind(now)
                .execute()
                .await?;
            after_proof(&mut tx, app, id, &email).await?;
            password_changed(&mut tx, app, &user, None).await?;
        }
        (Purpose::StaffReset, Bearer { staff_id: Some(id), email: Some(email), .. }) => {
            staff::password_was_reset(&mut tx, app, id, &email, &hash).await?;
        }
        _ => {
            return Err(Error::Gone(
                "This link was used already or has expired. Please ask for a new one.",
            ));
        }
    }
    tx.commit().await
}

async fn password_changed(tx: &mut Tx, app: &App, user: &User, save: Option<Uuid>) -> Result<()> {
    let now = app.clock.now();
    sessions::end_all(tx, Holder::User(user.id), save).await?;
    tokens::revoke(tx, app, Purpose::Reset, Holder::User(user.id)).await?;
    let notice = Notice::new(letters::PASSWORD_CHANGED, user.id);
    match user.verified {
        true => notifications::tell(tx, app, notice, &user.email, &user.full_name).await?,
        // Whoever signed up with somebody else's address can cause this mail as well.
        false => notifications::tell_limited(tx, app, notice, &user.email, &user.full_name)
            .await?
            .or_silent(),
    }
    let subject = Subject::new("user", user.id);
    audit::record(tx, now, Actor::User(user.id), "user.change_password", subject, Value::Null).await
}

/// Changes the password of somebody who is signed in and ends all other sessions.
pub async fn change_password(
    app: &App,
    user: &User,
    session: Uuid,
    current: &str,
    new: &str,
    from: From,
) -> Result<()> {
    let settings = app.settings().await?;
    let mut checks = Checks::new();
    let known = [user.email.as_str(), settings.site_name.as_str()];
    password::check(&mut checks, "new_password", new, &settings, &known);
    checks.done()?;
    password::confirm(app, Holder::User(user.id), &user.email, current, from).await?;
    let hash = password::hash(app, new).await?;
    let mut tx = app.db.begin().await?;
    tx.sql("update users set password_hash = $2, updated_at = $3 where id = $1")
        .bind(user.id)
        .bind(&hash)
        .bind(app.clock.now())
        .execute()
        .await?;
    password_changed(&mut tx, app, user, Some(session)).await?;
    tx.commit().await
}

/// Sends a link to a new login address; nothing changes before it is confirmed. That the address
/// has a login already is told to nobody but its owner.
pub async fn change_email(
    app: &App,
    user: &User,
    current: &str,
    new: &str,
    from: From,
) -> Result<()> {
    let mut checks = Checks::new();
    let email = checks.email("new_email", new);
    checks.require(email != user.email, "new_email", "This is your address already.");
    checks.done()?;
    password::confirm(app, Holder::User(user.id), &user.email, current, from).await?;
    limits::count(app, limits::CHANGES_BY_USER, &user.id.to_string()).await?;
    let mut tx = app.db.begin().await?;
    // Counted before it is known whether a mail goes out, so that the answer does not tell.
    if let Some(refusal) = limits::count_mail(&mut tx, app, &email).await? {
        return Err(refusal);
    }
    let taken: i64 =
        tx.sql("select count(*) from users where email = $1").bind(&email).scalar().await?;
    if taken == 0 {
        let notice = Notice::new(letters::CHANGE_EMAIL, user.id);
        notifications::tell(&mut tx, app, notice, &email, &user.full_name).await?;
    }
    tx.commit().await
}
