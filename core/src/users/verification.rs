//! Verifies an address, and links the user to the family that has it.

use serde::Serialize;
use serde_json::{Value, json};

use super::asked_mail;
use super::credentials::password_changed;
use super::deletion::remove_unconfirmed;
use super::former_addresses;
use super::{EXISTS, must_find};
use crate::accounts::sessions::{self, Holder};
use crate::accounts::tokens::{self, Purpose};
use crate::accounts::user_password::confirm_signed_out;
use crate::accounts::{ClientInfo, User, find_user, links, password};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{Tx, again_after_deadlock};
use crate::email_address::EmailAddress;
use crate::error::OrTaken;
use crate::families::{self, FamilyRecord};
use crate::ids::{FamilyId, UserId};
use crate::notifications::{self, AccountMail, Notice, suppression};
use crate::rate_limits;
use crate::validation::Validator;
use crate::{App, Error, Result};

/// Links a user with a verified address to the family that has this address, if that is not its own
/// family (decision P2). One conditional update: of two concurrent claims, one wins.
pub(super) async fn link(tx: &mut Tx, app: &App, user_id: UserId) -> Result<bool> {
    let now = app.clock.now();
    let found = family_with_address(tx, user_id).await?;
    let Some((own, family)) = found else { return Ok(false) };
    // It may be deleted or lose the address at this moment.
    if !families::hold(tx, now, family).await? || family_with_address(tx, user_id).await? != found {
        return Ok(false);
    }
    let fresh = !families::has_user(tx, family).await?;
    let (user, record) = (must_find(tx, user_id).await?, families::find(&mut *tx, family).await?);
    let full_name = name_in_family(tx, &record, &user.full_name, &user.email, false).await?;
    let moved = tx
        .sql(
            "update users set profile_id = $3, updated_at = $4, full_name = $5
             where id = $1 and profile_id = $2",
        )
        .bind(user_id)
        .bind(own)
        .bind(family)
        .bind(now)
        .bind(full_name)
        .execute()
        .await?;
    if moved == 0 {
        return Ok(false);
    }
    families::mark_verified(tx, now, family, user_id).await?;
    let signed_up = families::find(&mut *tx, own).await?;
    families::fill_names(tx, now, family, &signed_up.full_name, &signed_up.child_name).await?;
    // The preferences from sign-up move with the user, unless another guardian has already decided.
    if fresh {
        let asked = families::preferences(tx, own).await?;
        families::set_preferences(tx, now, family, asked).await?;
    }
    if !families::drop_if_own_and_empty(tx, now, own).await? {
        families::refresh_search_text(tx, own).await?;
    }
    families::refresh_search_text(tx, family).await?;
    notify_other_guardians(tx, app, family, user_id).await?;
    let subject = Subject::new(SubjectKind::Profile, family);
    audit::record(tx, now, Actor::User(user_id), Action::UserLink, subject, json!({ "from": own }))
        .await?;
    Ok(true)
}

/// The name of a user who joins a family: the family's, if the user's address is its first one, or
/// if it has none of the user's addresses and `is_invited_first`. Others keep their own name, and
/// so does everybody in a family without a name.
pub(super) async fn name_in_family(
    tx: &mut Tx,
    family: &FamilyRecord,
    own: &str,
    email: &EmailAddress,
    is_invited_first: bool,
) -> Result<String> {
    let kind: Option<(String,)> = tx
        .sql("select kind from profile_addresses where profile_id = $1 and email = $2")
        .bind(family.id)
        .bind(email)
        .optional()
        .await?;
    let has_familys = kind.map_or(is_invited_first, |(kind,)| kind == "primary");
    let name = if has_familys && !family.full_name.is_empty() { &family.full_name } else { own };
    Ok(name.to_owned())
}

/// The family of a user, and the other one that has the user's verified address.
async fn family_with_address(tx: &mut Tx, user_id: UserId) -> Result<Option<(FamilyId, FamilyId)>> {
    tx.sql(
        "select u.profile_id, a.profile_id
         from users u
         join profile_addresses a on a.email = u.email
         join profiles p on p.id = a.profile_id
         where u.id = $1 and u.verified_at is not null
           and a.profile_id <> u.profile_id and p.deleted_at is null",
    )
    .bind(user_id)
    .optional()
    .await
}

pub(super) async fn notify_other_guardians(
    tx: &mut Tx,
    app: &App,
    profile_id: FamilyId,
    joined: UserId,
) -> Result<()> {
    let others: Vec<(UserId, EmailAddress, String)> = tx
        .sql(
            "select id, email, full_name from users u
             where profile_id = $1 and id <> $2
               and (verified_at is not null
                    or exists (select 1 from profile_addresses a
                               where a.profile_id = $1 and a.email = u.email))",
        )
        .bind(profile_id)
        .bind(joined)
        .all()
        .await?;
    for (id, email, name) in others {
        let notice = Notice::new(AccountMail::GuardianJoined, id);
        notifications::notify(tx, app, notice, &email, &name).await?;
    }
    // Whoever joins by a link that somebody passed on, with an address that the camp does not know,
    // may be anybody.
    let without_login: Vec<(EmailAddress, String)> = tx
        .sql(
            "select a.email, p.full_name
             from profile_addresses a
             join profiles p on p.id = a.profile_id
             where a.profile_id = $1
               and not exists (select 1 from users u where u.profile_id = $1 and u.email = a.email)
               and not exists (select 1 from users j
                               join profile_addresses k on k.email = j.email and k.profile_id = $1
                               where j.id = $2)",
        )
        .bind(profile_id)
        .bind(joined)
        .all()
        .await?;
    for (email, name) in without_login {
        let notice = Notice::new(AccountMail::GuardianJoined, profile_id);
        notifications::notify(tx, app, notice, &email, &name).await?;
    }
    Ok(())
}

/// What a confirmation link would do, for the page that it opens.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Confirmation {
    pub kind: ConfirmationKind,
    pub email: String,
    pub needs: ConfirmationNeeds,
    /// Who wants to add the address to their family.
    pub family: Option<ConfirmationFamily>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConfirmationKind {
    /// The address of a new user.
    Login,
    /// The address to which a user is to move.
    NewEmail,
    /// The second address of a family.
    SecondEmail,
}

/// What is required besides the link, see [`verify`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConfirmationNeeds {
    Nothing,
    Password,
    PasswordOrNewPassword,
}

#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct ConfirmationFamily {
    /// The name that the member entered.
    pub full_name: String,
    pub email: String,
    /// Whether the member has verified their own address.
    pub email_verified: bool,
}

/// What the confirmation form sends.
#[derive(Default)]
pub struct Evidence {
    /// The user who is signed in in this browser.
    pub signed_in: Option<UserId>,
    pub current_password: Option<String>,
    pub new_password: Option<String>,
}

/// What a link in a mail verified.
pub struct Proved {
    pub email: EmailAddress,
    pub linked: bool,
    /// The session token for the cookie, if a password was entered: that also signs in.
    pub token: Option<String>,
    /// The user whose address it is.
    pub user_id: Option<UserId>,
}

pub(super) const NO_LINK: Error =
    Error::Gone("This link was already used or has expired. Please ask for a new one.");

/// Reads a confirmation link without using it.
///
/// # Errors
///
/// [`Error::Gone`] for a link that was used, has expired or confirms nothing, [`Error::TooMany`] above
/// the limit of the client's network.
pub async fn confirmation(
    app: &App,
    token: &str,
    signed_in: Option<UserId>,
    from: ClientInfo,
) -> Result<Confirmation> {
    rate_limits::count_network(app, rate_limits::TOKENS_BY_ADDRESS, from.address).await?;
    let (purpose, bearer) = tokens::peek(app, token).await?;
    let own = bearer.user_id.is_some() && bearer.user_id == signed_in;
    let (kind, needs) = match purpose {
        Purpose::Verify if own => (ConfirmationKind::Login, ConfirmationNeeds::Nothing),
        Purpose::Verify => (ConfirmationKind::Login, ConfirmationNeeds::PasswordOrNewPassword),
        Purpose::ChangeEmail if own => (ConfirmationKind::NewEmail, ConfirmationNeeds::Nothing),
        Purpose::ChangeEmail => (ConfirmationKind::NewEmail, ConfirmationNeeds::Password),
        Purpose::SecondaryEmail => (ConfirmationKind::SecondEmail, ConfirmationNeeds::Nothing),
        _ => return Err(NO_LINK),
    };
    let family = match kind {
        ConfirmationKind::SecondEmail => {
            app.db
                .sql(
                    "select full_name, email, verified_at is not null as email_verified
                     from users where id = $1",
                )
                .bind(bearer.user_id)
                .optional()
                .await?
        }
        _ => None,
    };
    let email = bearer.email.ok_or(NO_LINK)?;
    Ok(Confirmation { kind, email: email.into(), needs, family })
}

/// Spends the token of a confirmation link: for a user's address, its new address, or a family's
/// second address.
///
/// The link alone proves only that somebody reads the mail of an address, and the user may have
/// been created by somebody else, who is signed in elsewhere. So an address is verified only by
/// somebody who is signed in as that user in the same browser, or knows its password, or chooses a
/// new one, which ends all other sessions. Only somebody who already controls the user can move it
/// to another address: a mistyped address must not give it to a stranger.
///
/// # Errors
///
/// [`Error::Gone`] for a link that was used, has expired or belongs to an earlier address,
/// [`Error::Forbidden`] with `password_required`, [`Error::Invalid`] on `current_password` or
/// `new_password`, [`Error::TooMany`] above the limit of the client's network or after many wrong
/// passwords, [`Error::Taken`] on `email` when another user has the new address, [`Error::Conflict`]
/// when another family has the second address or this one has no room for it, [`Error::SignInRequired`]
/// or [`Error::NotFound`] when the user or the family was deleted meanwhile. None of them spends the
/// token.
pub async fn verify(
    app: &App,
    token: &str,
    evidence: Evidence,
    from: ClientInfo,
) -> Result<Proved> {
    rate_limits::count_network(app, rate_limits::TOKENS_BY_ADDRESS, from.address).await?;
    let (purpose, bearer) = tokens::peek(app, token).await?;
    let shown = match (purpose, bearer.user_id) {
        (Purpose::Verify | Purpose::ChangeEmail, Some(id)) => {
            own_user(app, purpose, id, &evidence, &from).await?
        }
        _ => Shown::Enough,
    };
    // The family may be deleted at this moment.
    again_after_deadlock(|| prove(app, token, &shown, &from)).await
}

async fn prove(app: &App, token: &str, shown: &Shown, from: &ClientInfo) -> Result<Proved> {
    let mut tx = app.db.begin().await?;
    let (purpose, bearer) = tokens::spend(&mut tx, app, token).await?;
    let email = bearer.email.ok_or(NO_LINK)?;
    let linked = match (purpose, bearer.user_id, bearer.profile_id) {
        (Purpose::Verify, Some(user_id), _) => {
            let user = must_find(&mut tx, user_id).await?;
            if user.email != email {
                return Err(NO_LINK);
            }
            if let Shown::NewPassword(hash) = shown {
                claim(&mut tx, app, &user, hash).await?;
            }
            after_proof(&mut tx, app, user_id, &email, !user.verified).await?
        }
        (Purpose::ChangeEmail, Some(user_id), _) => {
            change_address(&mut tx, app, user_id, &email).await?;
            after_proof(&mut tx, app, user_id, &email, true).await?
        }
        (Purpose::SecondaryEmail, _, Some(profile_id)) => {
            families::pending::confirm(&mut tx, app, profile_id, &email).await?;
            tx.commit().await?;
            return Ok(Proved { email, linked: false, token: None, user_id: None });
        }
        _ => return Err(NO_LINK),
    };
    let token = match (shown, bearer.user_id) {
        (Shown::Enough, _) | (_, None) => None,
        (_, Some(id)) => Some(sessions::begin(&mut tx, app, Holder::User(id), from.device).await?),
    };
    tx.commit().await?;
    Ok(Proved { email, linked, token, user_id: bearer.user_id })
}

/// How somebody showed that a user is their own.
enum Shown {
    /// By being signed in, or nothing was required.
    Enough,
    Password,
    /// The hash of the password that they chose.
    NewPassword(String),
}

async fn own_user(
    app: &App,
    purpose: Purpose,
    id: UserId,
    evidence: &Evidence,
    from: &ClientInfo,
) -> Result<Shown> {
    if evidence.signed_in == Some(id) {
        return Ok(Shown::Enough);
    }
    let user = find_user(&app.db, id).await?.ok_or(NO_LINK)?;
    if let (Purpose::Verify, Some(new)) = (purpose, &evidence.new_password) {
        let settings = app.settings().await?;
        let mut checks = Validator::new();
        let known = [user.email.as_str(), settings.site_name.as_str()];
        password::check(&mut checks, "new_password", new, &settings, &known);
        checks.done()?;
        return Ok(Shown::NewPassword(password::hash(app, new).await?));
    }
    let Some(given) = &evidence.current_password else {
        return Err(Error::Forbidden {
            code: "password_required",
            text: "Please enter this account's password.",
        });
    };
    match confirm_signed_out(app, &user, given, from).await {
        Ok(_) => Ok(Shown::Password),
        Err(Error::Invalid(_)) => {
            Err(Error::invalid("current_password", "This is not this account's password."))
        }
        Err(other) => Err(other),
    }
}

/// Gives a user to the owner of its address, who chose a new password. The previous holder loses
/// access, as does everybody whom they added to a family that the camp does not know.
pub(super) async fn claim(tx: &mut Tx, app: &App, user: &User, hash: &str) -> Result<()> {
    let now = app.clock.now();
    // What a previous holder chose about emails does not count.
    tx.sql("update users set password_hash = $2, updated_at = $3, asked_mail = null where id = $1")
        .bind(user.id)
        .bind(hash)
        .bind(now)
        .execute()
        .await?;
    if !user.verified {
        families::separate_from_strangers(tx, now, user).await?;
    }
    password_changed(tx, app, &User { verified: true, ..user.clone() }, None).await
}

/// Handles a proved address: links the user to the family that has it. If it `is_new`, it is added to the user's
/// own family otherwise; one that was proved before may have been taken from the family on purpose.
pub(super) async fn after_proof(
    tx: &mut Tx,
    app: &App,
    user_id: UserId,
    email: &EmailAddress,
    is_new: bool,
) -> Result<bool> {
    let now = app.clock.now();
    tx.sql(
        "update users set verified_at = coalesce(verified_at, $2), updated_at = $2 where id = $1",
    )
    .bind(user_id)
    .bind(now)
    .execute()
    .await?;
    let linked = link(tx, app, user_id).await?;
    if !linked && is_new {
        let user = must_find(tx, user_id).await?;
        families::add_address(tx, now, user.profile_id, email).await?;
    }
    suppression::restore_one(tx, app, email).await?;
    asked_mail::apply_stored(tx, app, user_id, email).await?;
    let subject = Subject::new(SubjectKind::User, user_id);
    audit::record(
        tx,
        now,
        Actor::User(user_id),
        Action::UserVerify,
        subject,
        json!({ "linked": linked }),
    )
    .await?;
    Ok(linked)
}

/// Moves a user to its verified new address and notifies the old one.
async fn change_address(
    tx: &mut Tx,
    app: &App,
    user_id: UserId,
    email: &EmailAddress,
) -> Result<()> {
    let now = app.clock.now();
    let user = must_find(tx, user_id).await?;
    remove_unconfirmed(tx, app, user_id, email).await?;
    tx.sql("update users set email = $2, verified_at = $3, updated_at = $3 where id = $1")
        .bind(user_id)
        .bind(email)
        .bind(now)
        .execute()
        .await
        .or_taken("email", EXISTS)?;
    tokens::revoke_all(tx, Holder::User(user_id)).await?;
    if user.verified {
        former_addresses::add(tx, now, user_id, &user.email).await?;
    }
    former_addresses::remove(tx, user_id, email).await?;
    families::move_address(tx, now, user.profile_id, &user.email, email).await?;
    suppression::hash_if_nobodys(tx, app, &user.email).await?;
    // An unverified address may be a stranger's.
    if user.verified {
        let notice = Notice::new(AccountMail::EmailChanged, user_id);
        notifications::notify(tx, app, notice, &user.email, &user.full_name).await?;
    }
    audit::record(
        tx,
        now,
        Actor::User(user_id),
        Action::UserChangeEmail,
        Subject::new(SubjectKind::User, user_id),
        Value::Null,
    )
    .await
}

/// Sends the confirmation link again.
///
/// # Errors
///
/// [`Error::Conflict`] when the address is confirmed, [`Error::TooMany`] above the limit of the
/// client's network or of the recipient, [`Error::TooManyMails`] above that of the mailbox,
/// [`Error::NotFound`] when the user was deleted meanwhile.
pub async fn resend_verification(app: &App, user: &User, from: ClientInfo) -> Result<()> {
    if user.verified {
        return Err(Error::Conflict("Your email is already confirmed."));
    }
    rate_limits::count_network(app, rate_limits::VERIFY_BY_ADDRESS, from.address).await?;
    rate_limits::count(app, rate_limits::VERIFY_BY_RECIPIENT, &user.email).await?;
    let mut tx = app.db.begin().await?;
    let notice =
        links::with_link(&mut tx, AccountMail::Verify, user.id, Holder::User(user.id)).await?;
    notifications::notify_requested(&mut tx, app, notice, &user.email, "").await?.or_refuse()?;
    tx.commit().await
}
