//! Proving an address, and what follows from it: the family that has the address is one's own.

use serde_json::{Value, json};
use uuid::Uuid;

use super::{EXISTS, From, User, must_find};
use crate::accounts::tokens::{self, Purpose};
use crate::accounts::{letters, limits};
use crate::audit::{self, Actor, Subject};
use crate::db::Tx;
use crate::error::OrTaken;
use crate::notifications::{self, Notice};
use crate::{App, Error, Result, profiles};

/// Links a login with a verified address to the family that has this address, if that is another
/// one than its own (decision P2). One conditional update: of two racing claims one wins.
pub(super) async fn link(tx: &mut Tx, app: &App, user_id: Uuid) -> Result<bool> {
    let now = app.clock.now();
    let other: Option<(Uuid, Uuid)> = tx
        .sql(
            "select u.profile_id, a.profile_id
             from users u
             join profile_addresses a on a.email = u.email
             join profiles p on p.id = a.profile_id
             where u.id = $1 and u.verified_at is not null
               and a.profile_id <> u.profile_id and p.deleted_at is null",
        )
        .bind(user_id)
        .optional()
        .await?;
    let Some((own, family)) = other else { return Ok(false) };
    let fresh = !profiles::has_login(tx, family).await?;
    let moved = tx
        .sql(
            "update users
             set profile_id = $3, updated_at = $4,
                 full_name = (select case when p.full_name = '' then users.full_name else p.full_name end
                              from profiles p where p.id = $3)
             where id = $1 and profile_id = $2",
        )
        .bind(user_id)
        .bind(own)
        .bind(family)
        .bind(now)
        .execute()
        .await?;
    if moved == 0 {
        return Ok(false);
    }
    tx.sql(
        "update profile_addresses set verified_at = coalesce(verified_at, $3)
         where profile_id = $1 and email = (select email from users where id = $2)",
    )
    .bind(family)
    .bind(user_id)
    .bind(now)
    .execute()
    .await?;
    // What was asked for at sign-up goes with the person, unless another guardian decided already.
    if fresh {
        let asked = profiles::preferences(tx, own).await?;
        profiles::set_preferences(tx, now, family, asked).await?;
    }
    profiles::drop_if_own_and_empty(tx, now, own).await?;
    tell_other_guardians(tx, app, family, user_id).await?;
    let subject = Subject::new("profile", family);
    audit::record(tx, now, Actor::User(user_id), "user.link", subject, json!({ "from": own }))
        .await?;
    Ok(true)
}

pub(super) async fn tell_other_guardians(
    tx: &mut Tx,
    app: &App,
    profile_id: Uuid,
    joined: Uuid,
) -> Result<()> {
    let others: Vec<(Uuid, String, String, bool)> = tx
        .sql("select id, email, full_name, verified_at is not null from users where profile_id = $1 and id <> $2")
        .bind(profile_id)
        .bind(joined)
        .all()
        .await?;
    for (id, email, name, verified) in others {
        let notice = Notice::new(letters::GUARDIAN_JOINED, id);
        match verified {
            true => notifications::tell(tx, app, notice, &email, &name).await?,
            false => notifications::tell_limited(tx, app, notice, &email, &name).await?.or_silent(),
        }
    }
    Ok(())
}

/// What a link in a mail proved.
pub struct Proved {
    pub email: String,
    pub linked: bool,
}

/// Spends the token of a confirmation link: of a login's address, of its new address, or of a
/// family's second address.
pub async fn verify(app: &App, token: &str, from: From) -> Result<Proved> {
    limits::count(app, limits::TOKENS_BY_ADDRESS, &limits::network(from.address)).await?;
    let gone =
        || Error::Gone("This link was used already or has expired. Please ask for a new one.");
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let (purpose, bearer) = tokens::spend(&mut tx, app, token).await?;
    let email = bearer.email.clone().ok_or_else(gone)?;
    let linked = match (purpose, bearer.user_id, bearer.profile_id) {
        (Purpose::Verify, Some(user_id), _) => {
            let proved = tx
                .sql("update users set verified_at = coalesce(verified_at, $3), updated_at = $3 where id = $1 and email = $2")
                .bind(user_id)
                .bind(&email)
                .bind(now)
                .execute()
                .await?;
            if proved == 0 {
                return Err(gone());
            }
            after_proof(&mut tx, app, user_id, &email).await?
        }
        (Purpose::ChangeEmail, Some(user_id), _) => {
            change_address(&mut tx, app, user_id, &email).await?;
            after_proof(&mut tx, app, user_id, &email).await?
        }
        (Purpose::SecondaryEmail, _, Some(profile_id)) => {
            let proved = tx
                .sql(
                    "update profile_addresses set verified_at = $3
                     where profile_id = $1 and email = $2",
                )
                .bind(profile_id)
                .bind(&email)
                .bind(now)
                .execute()
                .await?;
            if proved == 0 {
                return Err(gone());
            }
            false
        }
        _ => return Err(gone()),
    };
    tx.commit().await?;
    Ok(Proved { email, linked })
}

/// The login's address is proved: link it to the family that has the address, or give the address
/// to the login's own family.
pub(super) async fn after_proof(
    tx: &mut Tx,
    app: &App,
    user_id: Uuid,
    email: &str,
) -> Result<bool> {
    let now = app.clock.now();
    let linked = link(tx, app, user_id).await?;
    if !linked {
        let user = must_find(tx, user_id).await?;
        profiles::add_address(tx, now, user.profile_id, email, true).await?;
    }
    let subject = Subject::new("user", user_id);
    audit::record(
        tx,
        now,
        Actor::User(user_id),
        "user.verify",
        subject,
        json!({ "linked": linked }),
    )
    .await?;
    Ok(linked)
}

/// Moves a login to its proved new address and tells the old one.
async fn change_address(tx: &mut Tx, app: &App, user_id: Uuid, email: &str) -> Result<()> {
    let now = app.clock.now();
    let user = must_find(tx, user_id).await?;
    tx.sql("update users set email = $2, verified_at = $3, updated_at = $3 where id = $1")
        .bind(user_id)
        .bind(email)
        .bind(now)
        .execute()
        .await
        .or_taken("email", EXISTS)?;
    profiles::move_address(tx, user.profile_id, &user.email, email).await?;
    let notice = Notice::new(letters::EMAIL_CHANGED, user_id);
    match user.verified {
        true => notifications::tell(tx, app, notice, &user.email, &user.full_name).await?,
        false => notifications::tell_limited(tx, app, notice, &user.email, &user.full_name)
            .await?
            .or_silent(),
    }
    audit::record(
        tx,
        now,
        Actor::User(user_id),
        "user.change_email",
        Subject::new("user", user_id),
        Value::Null,
    )
    .await
}

/// Sends the confirmation link again.
pub async fn resend_verification(app: &App, user: &User) -> Result<()> {
    if user.verified {
        return Ok(());
    }
    limits::count(app, limits::VERIFY_BY_RECIPIENT, &user.email).await?;
    let mut tx = app.db.begin().await?;
    let notice = Notice::new(letters::VERIFY, user.id);
    notifications::tell_limited(&mut tx, app, notice, &user.email, &user.full_name)
        .await?
        .or_refuse()?;
    tx.commit().await
}
