//! Signing in.

use serde_json::Value;

use super::must_find;
use super::verification::link;
use crate::accounts::sessions::{self, Holder};
use crate::accounts::{ClientInfo, User, password, tried_name, user_browsers};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::again_after_deadlock;
use crate::email_address::EmailAddress;
use crate::ids::UserId;
use crate::rate_limits::{Attempt, By};
use crate::{App, Error, Result};

/// A user who has just signed in.
pub struct SignedIn {
    pub user: User,
    /// The token for the cookie.
    pub token: String,
    /// Whether the user was just linked to an existing family.
    pub linked: bool,
}

const WRONG: Error = Error::InvalidCredentials("The email or password is incorrect.");

/// Signs in. An unknown address and a wrong password give the same error after the same time.
///
/// # Errors
///
/// [`Error::InvalidCredentials`] for an unknown address or a wrong password, [`Error::TooMany`] after
/// many failures, [`Error::SignInRequired`] or [`Error::NotFound`] when the user or the family was
/// deleted meanwhile.
pub async fn sign_in(app: &App, typed: &str, given: &str, from: ClientInfo) -> Result<SignedIn> {
    let settings = app.settings().await?;
    let forms = EmailAddress::stored_forms(typed);
    // All spellings of an address share one limit.
    let account = match &forms {
        Some([address, _]) => address.to_string(),
        None => typed.trim().to_lowercase(),
    };
    let stored = credentials(app, forms.map_or([None, None], |forms| forms.map(Some))).await?;
    let login = stored.as_ref().map(|(id, _, version)| (*id, *version));
    let by = user_browsers::known(app, from.user_browser.as_deref(), login)
        .unwrap_or(By::Network(from.address));
    let attempt = Attempt::begin(app, "user", &account, by, settings.max_login_attempts).await?;
    let verdict =
        password::verify(app, given, stored.as_ref().map(|(_, hash, _)| hash.as_str())).await?;
    let (Some((id, hash, _)), password::Verdict::Right | password::Verdict::RightButOld) =
        (&stored, &verdict)
    else {
        refused(app, stored.map(|(id, ..)| id), typed).await?;
        return Err(WRONG);
    };
    let id = *id;
    let rehash = match verdict {
        password::Verdict::RightButOld => Some(password::hash(app, given).await?),
        _ => None,
    };
    let login = Login { id, hash, rehash: rehash.as_deref() };
    // Linking it to a family waits for whoever changes that family.
    let begun = again_after_deadlock(|| begin_session(app, login, &attempt, &from)).await?;
    if let Some(signed_in) = begun {
        return Ok(signed_in);
    }
    refused(app, Some(id), typed).await?;
    Err(WRONG)
}

/// A user who entered the right password.
#[derive(Clone, Copy)]
struct Login<'a> {
    id: UserId,
    /// The hash that the password was compared with.
    hash: &'a str,
    /// A hash with the current parameters, if `hash` has old ones.
    rehash: Option<&'a str>,
}

/// Returns nothing if the password was changed while it was compared.
async fn begin_session(
    app: &App,
    Login { id, hash, rehash }: Login<'_>,
    attempt: &Attempt,
    from: &ClientInfo,
) -> Result<Option<SignedIn>> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let current = tx
        .sql(
            "update users set last_sign_in_at = $2, password_hash = coalesce($3, password_hash)
             where id = $1 and password_hash = $4",
        )
        .bind(id)
        .bind(now)
        .bind(rehash.map(str::to_owned))
        .bind(hash)
        .execute()
        .await?;
    if current == 0 {
        tx.rollback().await?;
        return Ok(None);
    }
    attempt.succeeded(&mut tx).await?;
    let linked = link(&mut tx, app, id).await?;
    let token = sessions::begin(&mut tx, app, Holder::User(id), from.device).await?;
    audit::record(
        &mut tx,
        now,
        Actor::User(id),
        Action::UserSignIn,
        Subject::new(SubjectKind::User, id),
        Value::Null,
    )
    .await?;
    let user = must_find(&mut tx, id).await?;
    tx.commit().await?;
    Ok(Some(SignedIn { user, token, linked }))
}

async fn refused(app: &App, id: Option<UserId>, typed: &str) -> Result<()> {
    let details = tried_name::details(id.is_some(), typed);
    let subject =
        id.map_or(Subject::none(SubjectKind::User), |id| Subject::new(SubjectKind::User, id));
    let mut tx = app.db.begin().await?;
    let now = app.clock.now();
    audit::record(&mut tx, now, Actor::Nobody, Action::UserSignInRefused, subject, details).await?;
    tx.commit().await
}

/// The user with one of these spellings of an address: id, password hash and version of its links.
async fn credentials(
    app: &App,
    [address, earlier]: [Option<EmailAddress>; 2],
) -> Result<Option<(UserId, String, i64)>> {
    app.db
        .sql(
            "select u.id, u.password_hash, u.token_version from users u join profiles p on p.id = u.profile_id
             where u.email in ($1, $2) and p.deleted_at is null
             order by case when u.email = $1 then 0 else 1 end limit 1",
        )
        .bind(address)
        .bind(earlier)
        .optional()
        .await
}
