//! Sign-up, with or without an invitation.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::asked_mail::{self, Asked};
use super::sign_in::SignedIn;
use super::verification::{after_proof, claim, name_in_family, notify_other_guardians};
use super::{EXISTS, must_find};
use crate::accounts::sessions::{self, Holder};
use crate::accounts::tokens::{self, Bearer, Purpose};
use crate::accounts::{ClientInfo, User, UserType, links, password};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{On, Tx, again_after_deadlock};
use crate::email_address::EmailAddress;
use crate::error::OrTaken;
use crate::families::{self, DEFAULT_PREFERENCES, Preferences};
use crate::ids::{FamilyId, UserId};
use crate::notifications::{self, AccountMail, suppression};
use crate::rate_limits;
use crate::settings::Settings;
use crate::validation::Validator;
use crate::{App, Error, Result};

/// What the sign-up form sends.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignUp {
    pub name: String,
    pub email: String,
    pub password: String,
    pub user_type: UserType,
    pub child_name: Option<String>,
    /// The kinds of mail that somebody chose or declined; omitted where the form did not ask. Daily videos and
    /// newsletters are on by default.
    pub email_notifications: Option<bool>,
    pub daily_video_email: Option<bool>,
    pub camp_updates_email: Option<bool>,
    /// The token of an invitation.
    pub invite: Option<String>,
}

/// What the sign-up form shows for an invitation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Invitation)]
pub struct Invited {
    /// The address that it was sent to.
    pub email: Option<String>,
    pub full_name: String,
    pub child_name: String,
    pub user_type: UserType,
}

/// Creates user, family and preferences in one transaction and signs the user in (decision P4). A
/// mailed invitation takes over a user that was created with its address and never verified.
///
/// # Errors
///
/// [`Error::Invalid`] on the fields of the form, [`Error::Forbidden`] with `registrations_closed`,
/// [`Error::TooMany`] above the limit of the client's network, [`Error::Taken`] on `email` when the
/// address already has a user, [`Error::Gone`] for an invitation that is no longer valid.
pub async fn sign_up(app: &App, new: SignUp, from: ClientInfo) -> Result<SignedIn> {
    let settings = app.settings().await?;
    let names = check(&new, &settings)?;
    rate_limits::count_network(app, rate_limits::SIGN_UP_BY_ADDRESS, from.address).await?;
    let hash = password::hash(app, &new.password).await?;
    // The family of the invitation may be deleted at this moment.
    again_after_deadlock(|| create(app, &new, &names, &hash, &from)).await
}

async fn create(
    app: &App,
    new: &SignUp,
    Names { name, email, child_name }: &Names,
    hash: &str,
    from: &ClientInfo,
) -> Result<SignedIn> {
    let (now, preferences) = (app.clock.now(), new.preferences());
    let mut tx = app.db.begin().await?;
    let invited = match &new.invite {
        Some(token) => Some(accept_invitation(&mut tx, app, token).await?),
        None => None,
    };
    let (profile_id, full_name, verified) = match &invited {
        Some(invitation) => {
            families::fill_names(&mut tx, now, invitation.profile_id, name, child_name).await?;
            let profile = families::find(&mut tx, invitation.profile_id).await?;
            let proved = invitation.email.as_ref() == Some(email);
            let first = !families::has_user(&mut tx, profile.id).await?;
            if first {
                families::set_preferences(&mut tx, now, profile.id, preferences).await?;
            }
            if profile.user_type != new.user_type {
                return Err(Error::invalid("user_type", other_type(profile.user_type)));
            }
            if proved {
                families::add_address(&mut tx, now, profile.id, email).await?;
                if let Some(user) = unconfirmed(&mut tx, email).await? {
                    let newcomer = Newcomer { name, hash, form: new, first };
                    return take_over(tx, app, user, newcomer, from).await;
                }
            }
            let full_name = name_in_family(&mut tx, &profile, name, email, first).await?;
            (profile.id, full_name, proved)
        }
        None => {
            let id =
                families::create_own(&mut tx, now, name, child_name, new.user_type, preferences)
                    .await?;
            (id, name.clone(), false)
        }
    };
    let id = UserId::generate();
    let verified_at = verified.then_some(now);
    let new_user = NewUser { id, email, hash, full_name: &full_name, verified_at, profile_id };
    insert(&mut tx, now, new_user).await?;
    families::refresh_search_text(&mut tx, profile_id).await?;
    suppression::restore_one(&mut tx, app, email).await?;
    match verified {
        true => asked_mail::apply(&mut tx, app, email, new.asked(), now).await?,
        false => asked_mail::store(&mut tx, id, new.asked()).await?,
    }
    if invited.is_some() {
        notify_other_guardians(&mut tx, app, profile_id, id).await?;
    }
    if !verified {
        send_verification(&mut tx, app, id, email).await?;
    }
    let token = sessions::begin(&mut tx, app, Holder::User(id), from.device).await?;
    let subject = Subject::new(SubjectKind::User, id);
    let details = json!({ "invited": invited.is_some() });
    audit::record(&mut tx, now, Actor::User(id), Action::UserSignUp, subject, details).await?;
    let user = must_find(&mut tx, id).await?;
    tx.commit().await?;
    Ok(SignedIn { user, token, linked: invited.is_some() })
}

/// Without the name: nobody may use the portal to send their own text to a stranger. Exceeding the
/// limit does not prevent the sign-up; "Send it again" says when.
async fn send_verification(tx: &mut Tx, app: &App, id: UserId, email: &EmailAddress) -> Result<()> {
    let notice = links::with_link(tx, AccountMail::Verify, id, Holder::User(id)).await?;
    notifications::notify_limited(tx, app, notice, email).await?.ignore_refusal();
    Ok(())
}

/// The validated texts of the form.
struct Names {
    name: String,
    email: EmailAddress,
    /// Empty for visitors.
    child_name: String,
}

impl SignUp {
    fn preferences(&self) -> Preferences {
        let usual = DEFAULT_PREFERENCES;
        Preferences {
            email_notifications: self.email_notifications.unwrap_or(usual.email_notifications),
            daily_video_email: self.daily_video_email.unwrap_or(usual.daily_video_email),
            camp_updates_email: self.camp_updates_email.unwrap_or(usual.camp_updates_email),
        }
    }

    fn asked(&self) -> Asked {
        Asked {
            general: self.email_notifications,
            daily_videos: self.daily_video_email,
            camp_updates: self.camp_updates_email,
        }
    }
}

fn check(new: &SignUp, settings: &Settings) -> Result<Names> {
    if !settings.user_registrations && new.invite.is_none() {
        return Err(Error::Forbidden {
            code: "registrations_closed",
            text: "Sign-up is closed right now. An invitation from the camp still works.",
        });
    }
    let mut checks = Validator::new();
    let name = checks.line("name", &new.name, 120);
    checks.require(!name.is_empty(), "name", "Please enter your name.");
    let email = checks.email("email", &new.email);
    let mut child_name = checks.line("child_name", new.child_name.as_deref().unwrap_or(""), 200);
    match new.user_type {
        UserType::Parent => {
            let text = "Please enter your child's name.";
            checks.require(!child_name.is_empty(), "child_name", text);
        }
        UserType::Visitor => child_name.clear(),
    }
    let known = [email.as_deref().unwrap_or_default(), settings.site_name.as_str()];
    password::check(&mut checks, "password", &new.password, settings, &known);
    let email = checks.done_with(email)?;
    Ok(Names { name, email, child_name })
}

struct NewUser<'a> {
    id: UserId,
    email: &'a EmailAddress,
    hash: &'a str,
    full_name: &'a str,
    verified_at: Option<DateTime<Utc>>,
    profile_id: FamilyId,
}

async fn insert(tx: &mut Tx, now: DateTime<Utc>, new: NewUser<'_>) -> Result<()> {
    tx.sql(
        "insert into users (id, email, password_hash, full_name, verified_at, profile_id, created_at, updated_at, last_sign_in_at)
         values ($1, $2, $3, $4, $5, $6, $7, $7, $7)",
    )
    .bind(new.id)
    .bind(new.email)
    .bind(new.hash)
    .bind(new.full_name)
    .bind(new.verified_at)
    .bind(new.profile_id)
    .bind(now)
    .execute()
    .await
    .or_taken("email", EXISTS)?;
    Ok(())
}

/// A user that was created with this address but never verified.
pub(super) async fn unconfirmed(tx: &mut Tx, email: &EmailAddress) -> Result<Option<User>> {
    let found: Option<(UserId,)> = tx
        .sql("select id from users where email = $1 and verified_at is null")
        .bind(email)
        .optional()
        .await?;
    match found {
        Some((id,)) => Ok(Some(must_find(tx, id).await?)),
        None => Ok(None),
    }
}

/// A mailed invitation verifies the address. A user that somebody else may have created with it
/// goes to the invited person, and the previous holder loses access.
async fn take_over(
    mut tx: Tx,
    app: &App,
    user: User,
    new: Newcomer<'_>,
    from: &ClientInfo,
) -> Result<SignedIn> {
    let now = app.clock.now();
    claim(&mut tx, app, &user, new.hash).await?;
    asked_mail::store(&mut tx, user.id, new.form.asked()).await?;
    after_proof(&mut tx, app, user.id, &user.email, true).await?;
    let family = must_find(&mut tx, user.id).await?.profile_id;
    let family = families::find(&mut tx, family).await?;
    if new.first {
        families::set_preferences(&mut tx, now, family.id, new.form.preferences()).await?;
    }
    let full_name = name_in_family(&mut tx, &family, new.name, &user.email, new.first).await?;
    tx.sql("update users set full_name = $3, last_sign_in_at = $2 where id = $1")
        .bind(user.id)
        .bind(now)
        .bind(full_name)
        .execute()
        .await?;
    let user = must_find(&mut tx, user.id).await?;
    let token = sessions::begin(&mut tx, app, Holder::User(user.id), from.device).await?;
    let (actor, subject) = (Actor::User(user.id), Subject::new(SubjectKind::User, user.id));
    let details = json!({ "invited": true });
    audit::record(&mut tx, now, actor, Action::UserSignUp, subject, details).await?;
    tx.commit().await?;
    Ok(SignedIn { user, token, linked: true })
}

/// Who takes over a user by an invitation.
struct Newcomer<'a> {
    name: &'a str,
    hash: &'a str,
    form: &'a SignUp,
    /// Whether the family had no user before.
    first: bool,
}

struct Invitation {
    profile_id: FamilyId,
    email: Option<EmailAddress>,
}

const NO_LONGER_GOOD: Error =
    Error::Gone("This invitation no longer works. Please ask the camp for a new one.");

async fn accept_invitation(tx: &mut Tx, app: &App, token: &str) -> Result<Invitation> {
    let (Purpose::Invite, Bearer { profile_id: Some(profile_id), email, .. }) =
        tokens::spend(tx, app, token).await?
    else {
        return Err(NO_LONGER_GOOD);
    };
    let now = app.clock.now();
    // It may be deleted at this moment.
    if !families::hold(tx, now, profile_id).await? {
        return Err(NO_LONGER_GOOD);
    }
    still_theirs(&mut *tx, profile_id, email.as_ref()).await?;
    if email.is_none() {
        tokens::revoke_copied(tx, now, profile_id).await?;
    }
    Ok(Invitation { profile_id, email })
}

/// A mailed invitation is valid while the address belongs to the family. After a typing mistake was
/// corrected, a stranger may hold it.
async fn still_theirs(
    on: impl Into<On<'_>>,
    profile_id: FamilyId,
    email: Option<&EmailAddress>,
) -> Result<()> {
    match email {
        Some(email) if !families::has_address(on, profile_id, email).await? => Err(NO_LONGER_GOOD),
        _ => Ok(()),
    }
}

fn other_type(invited: UserType) -> &'static str {
    match invited {
        UserType::Parent => "This invitation is for a parent.",
        UserType::Visitor => "This invitation is for a visitor.",
    }
}

/// Returns what an invitation fills into the form.
///
/// # Errors
///
/// [`Error::Gone`] when it is no longer valid, [`Error::NotFound`] when its family was deleted.
pub async fn invitation(app: &App, token: &str) -> Result<Invited> {
    let (Purpose::Invite, Bearer { profile_id: Some(profile_id), email, .. }) =
        tokens::peek(app, token).await?
    else {
        return Err(NO_LONGER_GOOD);
    };
    still_theirs(&app.db, profile_id, email.as_ref()).await?;
    let profile = families::find(&app.db, profile_id).await?;
    Ok(Invited {
        email: email.map(String::from),
        full_name: profile.full_name,
        child_name: profile.child_name,
        user_type: profile.user_type,
    })
}
