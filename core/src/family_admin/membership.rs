//! How families join and leave the portal: invitation, approval or refusal, deletion.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Family, family, import};
use crate::accounts::tokens::{self, Bearer, Purpose};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{Tx, again_after_deadlock};
use crate::email_address::EmailAddress;
use crate::families::addresses::drop_all;
use crate::families::{FamilyRecord, find, lock};
use crate::ids::{FamilyId, UserId};
use crate::notifications::{self, AccountMail, Notice, suppression};
use crate::rate_limits;
use crate::{App, Error, Result};
use crate::{messages, payments, users};

/// Sends a family's invitation again.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Conflict`] for a family without an address.
pub async fn invite(app: &App, actor: Actor, id: FamilyId) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let profile = find(&mut tx, id).await?;
    let address: Option<(EmailAddress,)> = tx
        .sql("select email from profile_addresses where profile_id = $1 and kind = 'primary'")
        .bind(id)
        .optional()
        .await?;
    let Some((email,)) = address else {
        return Err(Error::Conflict(
            "This family has no email that staff entered or that was confirmed. Copy the invitation link instead.",
        ));
    };
    let notice = Notice::new(AccountMail::Invitation, id);
    notifications::notify(&mut tx, app, notice, &email, &profile.full_name).await?;
    audit::record(
        &mut tx,
        now,
        actor,
        Action::ProfileInvite,
        Subject::new(SubjectKind::Profile, id),
        Value::Null,
    )
    .await?;
    tx.commit().await
}

/// Creates an invitation link to pass on by other means. It verifies no address. Earlier copied
/// links are revoked.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn invitation_link(app: &App, actor: Actor, id: FamilyId) -> Result<String> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    find(&mut tx, id).await?;
    tokens::revoke_copied(&mut tx, now, id).await?;
    let bearer = Bearer { profile_id: Some(id), ..Bearer::default() };
    let token = tokens::make(&mut tx, app, Purpose::Invite, &bearer, 0).await?;
    audit::record(
        &mut tx,
        now,
        actor,
        Action::ProfileCopyInvitation,
        Subject::new(SubjectKind::Profile, id),
        Value::Null,
    )
    .await?;
    tx.commit().await?;
    Ok(app.url(&format!("/auth?invite={token}")))
}

/// Clears the sign-in rate limits of a family's users, and the delays of all networks, since they
/// may be behind any of them. Returns how many there were.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn clear_limits(app: &App, actor: Actor, id: FamilyId) -> Result<u64> {
    let mut tx = app.db.begin().await?;
    find(&mut tx, id).await?;
    let logins: Vec<(EmailAddress,)> =
        tx.sql("select email from users where profile_id = $1").bind(id).all().await?;
    let mut cleared = 0;
    for (email,) in logins {
        cleared += rate_limits::clear_account(&mut tx, app, "user", &email).await?;
    }
    let (now, subject) = (app.clock.now(), Subject::new(SubjectKind::Profile, id));
    cleared += rate_limits::clear_networks(&mut tx, now).await?;
    let details = json!({ "cleared": cleared });
    audit::record(&mut tx, now, actor, Action::ProfileClearLimits, subject, details).await?;
    tx.commit().await?;
    Ok(cleared)
}

/// Whether staff accept a self-registered family (decision P9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    Approve,
    Refuse,
}

impl Decision {
    fn standing(self) -> Standing {
        match self {
            Decision::Approve => Standing::Approved,
            Decision::Refuse => Standing::Refused,
        }
    }
}

pub(super) const APPROVAL: &str = "case when approved_at is not null then 'approved'
              when refused_at is not null then 'refused'
              else 'waiting' end";

/// The approval status of a self-registered family.
#[derive(
    Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Standing {
    Waiting,
    #[default]
    Approved,
    Refused,
}

/// Whether the family is notified of the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    ByMail,
    /// The family has no verified address and none that staff entered (decision M2).
    NoAddress,
    /// The same decision was made before. Nothing changed.
    Before,
}

/// A family, and whether it was notified of the decision.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Decided {
    #[serde(flatten)]
    pub family: Family,
    pub told: Told,
}

/// Approves or refuses a family, notifies it by mail and records the decision. Repeating a decision
/// changes nothing and notifies nobody.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Forestalled`] when `seen` is given and no longer the family's
/// standing, [`Error::Conflict`] for a family that confirmed no address and for which staff entered
/// none.
pub async fn decide(
    app: &App,
    actor: Actor,
    id: FamilyId,
    decision: Decision,
    seen: Option<Standing>,
) -> Result<Decided> {
    let settings = app.settings().await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let profile = find(&mut tx, id).await?;
    let before = standing(&mut tx, id).await?;
    let (approved, refused, letter, action) = match decision {
        Decision::Approve => (Some(now), None, AccountMail::Approved, Action::ProfileApprove),
        Decision::Refuse => (None, Some(now), AccountMail::Refused, Action::ProfileRefuse),
    };
    // Staff with an outdated list learn what a colleague decided first.
    let current = seen.is_none_or(|seen| seen == before);
    if decision == Decision::Approve && before != Standing::Approved && current {
        refuse_unconfirmed(&mut tx, id).await?;
    }
    let changed = tx
        .sql([
            "update profiles set approved_at = $2, refused_at = $3, updated_at = $4, version = version + 1
             where id = $1 and ((approved_at is null) <> ($2 is null) or (refused_at is null) <> ($3 is null))
               and (cast($5 as text) is null or $5 = ",
            APPROVAL,
            ")"
        ])
        .bind(id)
        .bind(approved)
        .bind(refused)
        .bind(now)
        .bind(seen)
        .execute()
        .await?;
    let after = standing(&mut tx, id).await?;
    if changed == 0 && after != decision.standing() {
        return Err(already_decided(&mut tx, id, after).await?);
    }
    let mut told = Told::Before;
    if changed > 0 {
        told = notify_users(&mut tx, app, &profile, letter).await?;
        suppression::withdraw(&mut tx, now, id).await?;
        let details = json!({ "standing": audit::changed(json!(before), json!(after)) });
        audit::record(&mut tx, now, actor, action, Subject::new(SubjectKind::Profile, id), details)
            .await?;
    }
    let family = family(&mut tx, app, &settings, id).await?;
    tx.commit().await?;
    Ok(Decided { family, told })
}

/// Approves a family that is on the office's list and notifies it by mail, as [`decide`] does, or
/// lets it wait again.
///
/// # Errors
///
/// [`Error::NotFound`]
pub(super) async fn set_standing(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    id: FamilyId,
    to: Standing,
) -> Result<()> {
    let now = app.clock.now();
    let (profile, before) = (find(&mut *tx, id).await?, standing(tx, id).await?);
    tx.sql("update profiles set approved_at = $2, refused_at = $3 where id = $1")
        .bind(id)
        .bind((to == Standing::Approved).then_some(now))
        .bind((to == Standing::Refused).then_some(now))
        .execute()
        .await?;
    let action = match to {
        Standing::Approved => {
            notify_users(tx, app, &profile, AccountMail::Approved).await?;
            Action::ProfileApprove
        }
        _ => Action::ProfileChange,
    };
    let details = json!({ "standing": audit::changed(json!(before), json!(to)) });
    audit::record(tx, now, actor, action, Subject::new(SubjectKind::Profile, id), details).await
}

/// Writes to all users of a family whose address is known to be theirs.
async fn notify_users(
    tx: &mut Tx,
    app: &App,
    profile: &FamilyRecord,
    mail: AccountMail,
) -> Result<Told> {
    // Nobody knows whose an unverified address is (decision M2).
    let known: Vec<(EmailAddress, String)> = tx
        .sql(
            "select u.email, u.full_name from users u
             where u.profile_id = $1
               and (u.verified_at is not null
                    or exists (select 1 from profile_addresses a
                               where a.profile_id = $1 and a.email = u.email))",
        )
        .bind(profile.id)
        .all()
        .await?;
    for (email, name) in &known {
        let notice = Notice::new(mail, profile.id);
        let name = if name.is_empty() { &profile.full_name } else { name };
        notifications::notify(tx, app, notice, email, name).await?;
    }
    Ok(if known.is_empty() { Told::NoAddress } else { Told::ByMail })
}

/// Only families with a known address can be approved, not those that merely typed one.
async fn refuse_unconfirmed(tx: &mut Tx, id: FamilyId) -> Result<()> {
    let (logins, confirmed, entered): (i64, i64, i64) = tx
        .sql(
            "select (select count(*) from users where profile_id = $1),
                    (select count(*) from users where profile_id = $1 and verified_at is not null),
                    (select count(*) from profile_addresses
                     where profile_id = $1 and entered_by_staff)",
        )
        .bind(id)
        .one()
        .await?;
    if logins > 0 && confirmed == 0 && entered == 0 {
        return Err(Error::Conflict(
            "This person has not confirmed their email yet. Approve them once they have, or enter the family's email yourself.",
        ));
    }
    Ok(())
}

async fn standing(tx: &mut Tx, id: FamilyId) -> Result<Standing> {
    tx.sql(["select ", APPROVAL, " from profiles where id = $1"]).bind(id).scalar().await
}

/// Who decided in the meantime, and what.
async fn already_decided(tx: &mut Tx, id: FamilyId, now: Standing) -> Result<Error> {
    let (code, action, done) = match now {
        Standing::Approved => ("approved", Action::ProfileApprove, "approved this registration"),
        Standing::Refused => ("refused", Action::ProfileRefuse, "refused this registration"),
        Standing::Waiting => return Ok(Error::Stale),
    };
    let who: Option<(String,)> = tx
        .sql(
            "select s.username from audit_log a
             join staff s on s.id = a.actor_id
             where a.subject_kind = 'profile' and a.subject_id = $1 and a.action = $2
             order by a.at desc, a.id desc limit 1",
        )
        .bind(id)
        .bind(action.text())
        .optional()
        .await?;
    let who = who.map_or("Someone else".to_owned(), |(username,)| username);
    Ok(Error::Forestalled { code, text: format!("{who} already {done}.") })
}

/// Removes a family from all lists, with its users and addresses. Mails and messages lose name and
/// address. Its plan and ledger stay (decision P10).
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn delete(app: &App, actor: Actor, id: FamilyId) -> Result<()> {
    // Its members may be changing their own records.
    again_after_deadlock(|| async {
        let mut tx = app.db.begin().await?;
        remove(&mut tx, app, actor, id).await?;
        tx.commit().await
    })
    .await
}

pub(super) async fn remove(tx: &mut Tx, app: &App, actor: Actor, id: FamilyId) -> Result<()> {
    let now = app.clock.now();
    // Nobody joins it from now on.
    lock(tx, now, id).await?;
    let known = known_addresses(tx, id).await?;
    let logins: Vec<(UserId,)> =
        tx.sql("select id from users where profile_id = $1").bind(id).all().await?;
    let merged: Vec<(FamilyId,)> =
        tx.sql("select id from profiles where merged_into = $1").bind(id).all().await?;
    for (user_id,) in &logins {
        users::erase_former_addresses(tx, now, *user_id).await?;
        users::remove(tx, *user_id).await?;
    }
    let addresses = drop_all(&mut *tx, id).await?;
    let plan = payments::find(&mut *tx, id).await?;
    tx.sql(
        "update profiles set deleted_at = $2, updated_at = $2, full_name = '', child_name = '',
             search_text = '', list_email = '', version = version + 1
         where id = $1 or merged_into = $1",
    )
    .bind(id)
    .bind(now)
    .execute()
    .await?;
    for (user_id,) in &logins {
        notifications::erase_about(tx, *user_id).await?;
    }
    for (family,) in merged.iter().chain([&(id,)]) {
        import::forget(tx, *family).await?;
        tokens::erase_family(tx, *family).await?;
        notifications::erase_about(tx, *family).await?;
    }
    for email in &known {
        messages::erase_sender(tx, now, email).await?;
        notifications::erase_address(tx, app, email).await?;
    }
    let details = json!({
        "logins": logins.len(), "addresses": addresses,
        "total_amount": plan.as_ref().map(|plan| plan.total_amount),
        "paid_amount": plan.as_ref().map(|plan| plan.paid_amount),
    });
    audit::record(
        tx,
        now,
        actor,
        Action::ProfileDelete,
        Subject::new(SubjectKind::Profile, id),
        details,
    )
    .await
}

/// The family's addresses, and the verified ones of its users. Mails and messages of an unverified
/// one may be somebody else's.
async fn known_addresses(tx: &mut Tx, id: FamilyId) -> Result<Vec<EmailAddress>> {
    let rows: Vec<(EmailAddress,)> = tx
        .sql(
            "select email from profile_addresses where profile_id = $1
             union
             select email from users where profile_id = $1 and verified_at is not null",
        )
        .bind(id)
        .all()
        .await?;
    Ok(rows.into_iter().map(|(email,)| email).collect())
}
