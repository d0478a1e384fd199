//! Logins of parents and visitors: sign-up, sign-in, proving an address, and leaving.
//!
//! A login is linked to a family only by a verified address or by an invitation (decision P2);
//! anything else would hand a family to whoever types its address first.

use std::net::IpAddr;

use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::limits::{self, Attempt};
use super::sessions::{self, Device, Holder};
use super::tokens::{self, Bearer, Purpose};
use super::{letters, password};
use crate::audit::{self, Actor, Subject};
use crate::checks::{Checks, address};
use crate::db::{On, Tx};
use crate::error::OrTaken;
use crate::notifications::{self, Category, Notice, unsubscribe};
use crate::profiles::{self, Preferences, UserType};
use crate::settings::{Access, Settings};
use crate::{App, Error, Result, comments, messages, payments, videos};

/// A login together with what its family makes of it.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct User {
    pub id: Uuid,
    pub email: String,
    pub full_name: String,
    pub verified: bool,
    pub profile_id: Uuid,
    pub user_type: UserType,
    /// Linked to a family that staff made or approved.
    pub family: bool,
    pub refused: bool,
    pub welcome_popup_shown: bool,
}

impl User {
    /// Whether this login may write comments (decision P4).
    pub fn can_comment(&self, settings: &Settings) -> bool {
        self.verified || !settings.require_email_verification
    }

    /// Whether staff still have to say that this is a family of the camp.
    pub fn awaiting_approval(&self, settings: &Settings) -> bool {
        settings.access == Access::Families && !self.family && !self.refused
    }

    /// Seen only by oneself, so it may fall back to a part of the address.
    pub fn display_name(&self) -> &str {
        match self.full_name.as_str() {
            "" => self.email.split('@').next().filter(|s| !s.is_empty()).unwrap_or("User"),
            name => name,
        }
    }
}

/// What the sign-up form sends.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignUp {
    pub name: String,
    pub email: String,
    pub password: String,
    pub user_type: UserType,
    pub child_name: Option<String>,
    pub email_notifications: bool,
    pub daily_video_email: bool,
    pub camp_updates_email: bool,
    /// The token of an invitation.
    pub invite: Option<String>,
}

/// Somebody who has just signed in.
pub struct SignedIn {
    pub user: User,
    /// For the cookie.
    pub token: String,
    /// The login has just been linked to a family that was there before.
    pub linked: bool,
}

/// Where a request comes from.
#[derive(Clone, Copy)]
pub struct From {
    pub address: IpAddr,
    pub device: Device,
}

pub const EXISTS: &str = "This email is already registered. Please sign in instead.";
const WRONG: Error = Error::InvalidCredentials("The e-mail address or the password is not right.");

pub async fn find(on: impl Into<On<'_>>, id: Uuid) -> Result<Option<User>> {
    on.into()
        .sql(
            "select u.id, u.email, u.full_name, u.verified_at is not null as verified, u.profile_id,
                    p.user_type, p.approved_at is not null and p.refused_at is null as family,
                    p.refused_at is not null as refused, p.welcome_popup_shown
             from users u join profiles p on p.id = u.profile_id
             where u.id = $1 and p.deleted_at is null",
        )
        .bind(id)
        .optional()
        .await
}

async fn must_find(tx: &mut Tx, id: Uuid) -> Result<User> {
    find(tx, id).await?.ok_or(Error::SignInRequired)
}

/// Makes login, family and preferences in one transaction and signs the person in (decision P4).
/// Errors: [`Error::Taken`] on `email` when the address has a login already, [`Error::Gone`] for
/// an invitation that is no longer good.
pub async fn sign_up(app: &App, new: SignUp, from: From) -> Result<SignedIn> {
    let settings = app.settings().await?;
    if !settings.user_registrations && new.invite.is_none() {
        return Err(Error::Forbidden {
            code: "registrations_closed",
            text: "The camp does not take new accounts at the moment. An invitation from the camp still works.",
        });
    }
    let mut checks = Checks::new();
    let name = checks.line("name", &new.name, 120);
    checks.require(!name.is_empty(), "name", "Please enter your name.");
    let email = checks.email("email", &new.email);
    let child_name = checks.line("child_name", new.child_name.as_deref().unwrap_or(""), 200);
    let parent = new.user_type == UserType::Parent;
    checks.require(
        !parent || !child_name.is_empty(),
        "child_name",
        "Please enter your child's name.",
    );
    password::check(
        &mut checks,
        "password",
        &new.password,
        &settings,
        &[&email, &settings.site_name],
    );
    checks.done()?;
    limits::count(app, limits::SIGN_UP_BY_ADDRESS, &limits::network(from.address)).await?;
    let hash = password::hash(app, &new.password).await?;

    let now = app.clock.now();
    let preferences = Preferences {
        email_notifications: new.email_notifications,
        daily_video_email: new.daily_video_email,
        camp_updates_email: new.camp_updates_email,
    };
    let mut tx = app.db.begin().await?;
    let invited = match &new.invite {
        Some(token) => Some(accept_invitation(&mut tx, app, token).await?),
        None => None,
    };
    let (profile_id, full_name, verified) = match &invited {
        Some(invitation) => {
            let profile = profiles::find(&mut tx, invitation.profile_id).await?;
            let proved = invitation.email.as_deref() == Some(email.as_str());
            if !profiles::has_login(&mut tx, profile.id).await? {
                profiles::set_preferences(&mut tx, now, profile.id, preferences).await?;
            }
            profiles::add_address(&mut tx, now, profile.id, &email, proved).await?;
            (profile.id, profile.full_name, proved)
        }
        None => {
            let child_name = if parent { child_name } else { String::new() };
            let id =
                profiles::create_own(&mut tx, now, &name, &child_name, new.user_type, preferences)
                    .await?;
            profiles::add_address(&mut tx, now, id, &email, false).await?;
            (id, name, false)
        }
    };
    let id = Uuid::now_v7();
    tx.sql(
        "insert into users (id, email, password_hash, full_name, verified_at, profile_id, created_at, updated_at, last_sign_in_at)
         values ($1, $2, $3, $4, $5, $6, $7, $7, $7)",
    )
    .bind(id)
    .bind(&email)
    .bind(&hash)
    .bind(&full_name)
    .bind(verified.then_some(now))
    .bind(profile_id)
    .bind(now)
    .execute()
    .await
    .or_taken("email", EXISTS)?;
    if invited.is_some() {
        tell_other_guardians(&mut tx, app, profile_id, id).await?;
    }
    if !verified {
        notifications::tell(&mut tx, app, Notice::new(letters::VERIFY, id), &email, &full_name)
            .await?;
    }
    let token = sessions::begin(&mut tx, app, Holder::User(id), from.device).await?;
    let actor = Actor::User(id);
    let details = json!({ "invited": invited.is_some() });
    audit::record(&mut tx, now, actor, "user.sign_up", Subject::new("user", id), details).await?;
    let user = must_find(&mut tx, id).await?;
    tx.commit().await?;
    Ok(SignedIn { user, token, linked: invited.is_some() })
}

struct Invitation {
    profile_id: Uuid,
    email: Option<String>,
}

async fn accept_invitation(tx: &mut Tx, app: &App, token: &str) -> Result<Invitation> {
    match tokens::spend(tx, app, token).await? {
        (Purpose::Invite, Bearer { profile_id: Some(profile_id), email, .. }) => {
            Ok(Invitation { profile_id, email })
        }
        _ => Err(Error::Gone(
            "This invitation is no longer good. Please ask the camp for a new one.",
        )),
    }
}

/// What an invitation fills into the form: name and child's name, and the address it was sent to.
pub async fn invitation(app: &App, token: &str) -> Result<(Option<String>, String, String)> {
    let bearer = tokens::look(app, token, Purpose::Invite).await?;
    let profile_id = bearer.profile_id.ok_or(Error::NotFound("There is no such family."))?;
    let profile = profiles::find(&app.db, profile_id).await?;
    Ok((bearer.email, profile.full_name, profile.child_name))
}

/// Signs in. The same error, after the same time, for an unknown address and a wrong password.
pub async fn sign_in(app: &App, email: &str, given: &str, from: From) -> Result<SignedIn> {
    let settings = app.settings().await?;
    let account = email.trim().to_lowercase();
    let attempt =
        Attempt::begin(app, "user", &account, from.address, settings.max_login_attempts).await?;
    let stored: Option<(Uuid, String)> = app
        .db
        .sql(
            "select u.id, u.password_hash from users u join profiles p on p.id = u.profile_id
             where u.email = $1 and p.deleted_at is null",
        )
        .bind(address(email).unwrap_or_default())
        .optional()
        .await?;
    let verdict =
        password::verify(app, given, stored.as_ref().map(|(_, hash)| hash.as_str())).await?;
    let now = app.clock.now();
    let (Some((id, _)), password::Verdict::Right | password::Verdict::RightButOld) =
        (&stored, &verdict)
    else {
        let subject = stored.map_or(Subject::none("user"), |(id, _)| Subject::new("user", id));
        let mut tx = app.db.begin().await?;
        audit::record(&mut tx, now, Actor::Nobody, "user.sign_in_refused", subject, Value::Null)
            .await?;
        tx.commit().await?;
        return Err(WRONG);
    };
    let id = *id;
    let rehash = match verdict {
        password::Verdict::RightButOld => Some(password::hash(app, given).await?),
        _ => None,
    };
    attempt.succeeded(app).await?;
    let mut tx = app.db.begin().await?;
    tx.sql(
        "update users set last_sign_in_at = $2, password_hash = coalesce($3, password_hash)
         where id = $1",
    )
    .bind(id)
    .bind(now)
    .bind(rehash)
    .execute()
    .await?;
    let linked = link(&mut tx, app, id).await?;
    let token = sessions::begin(&mut tx, app, Holder::User(id), from.device).await?;
    audit::record(
        &mut tx,
        now,
        Actor::User(id),
        "user.sign_in",
        Subject::new("user", id),
        Value::Null,
    )
    .await?;
    let user = must_find(&mut tx, id).await?;
    tx.commit().await?;
    Ok(SignedIn { user, token, linked })
}

/// Links a login with a verified address to the family that has this address, if that is another
/// one than its own (decision P2). One conditional update: of two racing claims one wins.
async fn link(tx: &mut Tx, app: &App, user_id: Uuid) -> Result<bool> {
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

async fn tell_other_guardians(
    tx: &mut Tx,
    app: &App,
    profile_id: Uuid,
    joined: Uuid,
) -> Result<()> {
    let others: Vec<(Uuid, String, String)> = tx
        .sql("select id, email, full_name from users where profile_id = $1 and id <> $2")
        .bind(profile_id)
        .bind(joined)
        .all()
        .await?;
    for (id, email, name) in others {
        notifications::tell(tx, app, Notice::new(letters::GUARDIAN_JOINED, id), &email, &name)
            .await?;
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
async fn after_proof(tx: &mut Tx, app: &App, user_id: Uuid, email: &str) -> Result<bool> {
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
    notifications::tell(tx, app, notice, &user.email, &user.full_name).await?;
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
    notifications::tell(
        &mut tx,
        app,
        Notice::new(letters::VERIFY, user.id),
        &user.email,
        &user.full_name,
    )
    .await?;
    tx.commit().await
}

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
        notifications::tell(&mut tx, app, Notice::new(letters::RESET, id), &email, &name).await?;
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
        (Purpose::StaffReset, Bearer { staff_id: Some(id), .. }) => {
            super::staff::password_was_reset(&mut tx, app, id, &hash).await?;
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
    tokens::revoke(tx, app, Purpose::Reset, user.id).await?;
    let notice = Notice::new(letters::PASSWORD_CHANGED, user.id);
    notifications::tell(tx, app, notice, &user.email, &user.full_name).await?;
    let subject = Subject::new("user", user.id);
    audit::record(tx, now, Actor::User(user.id), "user.change_password", subject, Value::Null).await
}

/// Looks at the current password of somebody who is signed in, with the brake of the sign-in.
async fn confirm_password(app: &App, user: &User, given: &str, from: From) -> Result<()> {
    let settings = app.settings().await?;
    let attempt =
        Attempt::begin(app, "user", &user.email, from.address, settings.max_login_attempts).await?;
    let hash: String =
        app.db.sql("select password_hash from users where id = $1").bind(user.id).scalar().await?;
    match password::verify(app, given, Some(&hash)).await? {
        password::Verdict::Wrong => {
            Err(Error::invalid("current_password", "This is not your current password."))
        }
        _ => attempt.succeeded(app).await,
    }
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
    confirm_password(app, user, current, from).await?;
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
    confirm_password(app, user, current, from).await?;
    limits::count(app, limits::CHANGES_BY_USER, &user.id.to_string()).await?;
    let mut tx = app.db.begin().await?;
    let taken: i64 =
        tx.sql("select count(*) from users where email = $1").bind(&email).scalar().await?;
    if taken == 0 {
        let notice = Notice::new(letters::CHANGE_EMAIL, user.id);
        notifications::tell(&mut tx, app, notice, &email, &user.full_name).await?;
    }
    tx.commit().await
}

/// Deletes the login: its sessions end, its likes go, its comments become "Former member". The
/// family record stays with the camp (decision P5), but its owner's address gets no more
/// category mail.
pub async fn delete(app: &App, user: &User, current: &str, from: From) -> Result<()> {
    confirm_password(app, user, current, from).await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    remove(&mut tx, user.id).await?;
    unsubscribe::leave(
        &mut tx,
        now,
        &user.email,
        Category::General,
        unsubscribe::Scope::Everything,
    )
    .await?;
    audit::record(
        &mut tx,
        now,
        Actor::User(user.id),
        "user.delete",
        Subject::new("user", user.id),
        Value::Null,
    )
    .await?;
    tx.commit().await
}

/// Removes a login with everything that is only its own.
pub(crate) async fn remove(tx: &mut Tx, id: Uuid) -> Result<()> {
    videos::forget_likes(tx, id).await?;
    comments::forget_author(tx, id).await?;
    tx.sql("delete from users where id = $1").bind(id).execute().await?;
    Ok(())
}

/// Everything that is held about a person, as one document (safety 30).
pub async fn download(app: &App, user: &User) -> Result<Value> {
    let profile = profiles::own(app, user).await?;
    let comments: Vec<(String, chrono::DateTime<chrono::Utc>, Uuid)> = app
        .db
        .sql("select content, created_at, video_id from video_comments where user_id = $1 order by created_at")
        .bind(user.id)
        .all()
        .await?;
    let likes: Vec<(Uuid, chrono::DateTime<chrono::Utc>)> = app
        .db
        .sql("select video_id, created_at from video_likes where user_id = $1 order by created_at")
        .bind(user.id)
        .all()
        .await?;
    let mails: Vec<(String, String, Option<chrono::DateTime<chrono::Utc>>)> = app
        .db
        .sql(
            "select n.kind, d.status, d.sent_at from deliveries d
             join notifications n on n.id = d.notification_id
             where d.email = $1 order by d.created_at",
        )
        .bind(&user.email)
        .all()
        .await?;
    let messages = match user.verified {
        true => messages::of_sender(app, &user.email).await?,
        // Somebody else may have written from an address that is not proved.
        false => Vec::new(),
    };
    let sessions = sessions::of_user(&app.db, user.id, Uuid::nil()).await?;
    let payments = payments::own(app, user).await?;
    Ok(json!({
        "account": { "id": user.id, "email": user.email, "full_name": user.full_name, "email_verified": user.verified },
        "family": profile,
        "payments": payments,
        "comments": comments.iter().map(|(content, at, video)| json!({ "video_id": video, "content": content, "created_at": at })).collect::<Vec<_>>(),
        "likes": likes.iter().map(|(video, at)| json!({ "video_id": video, "created_at": at })).collect::<Vec<_>>(),
        "mails": mails.iter().map(|(kind, status, at)| json!({ "kind": kind, "status": status, "sent_at": at })).collect::<Vec<_>>(),
        "messages": messages,
        "sessions": sessions,
    }))
}
