//! Adds families and changes their details, for staff.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Detail, Family, detail, family};
use crate::accounts::UserType;
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::families::addresses::{Place, StoredAddress, change_addresses, put_address};
use crate::families::{DEFAULT_PREFERENCES, NewRecord, insert, refresh_search_text};
use crate::ids::FamilyId;
use crate::money::Cents;
use crate::notifications::{self, AccountMail, Category, Notice, suppression};
use crate::payments::{self, PlanChanges};
use crate::validation::{Validator, given};
use crate::{App, Error, Result};

/// The "Add New User" form.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewFamily {
    pub full_name: String,
    pub email: String,
    pub child_name: String,
}

/// The edit dialog. Omitted fields stay as they are.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FamilyPatch)]
pub struct FamilyChanges {
    /// The version that was read. A change by somebody else since then is not overwritten.
    pub version: i64,
    pub full_name: Option<String>,
    pub child_name: Option<String>,
    /// Empty or null removes it. Users keep the addresses that they sign in with.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub email: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub secondary_email: Option<Option<String>>,
    /// Cents. Makes a plan where there is none.
    #[schema(value_type = Option<i64>)]
    pub total_amount: Option<Cents>,
    /// Cents. The difference is recorded as an adjustment and needs one of the two notes.
    #[schema(value_type = Option<i64>)]
    pub paid_amount: Option<Cents>,
    /// The family sees this.
    pub adjustment_note: Option<String>,
    /// Only staff see this.
    pub adjustment_staff_note: Option<String>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<NaiveDate>)]
    pub due_date: Option<Option<NaiveDate>>,
    pub email_notifications: Option<bool>,
    pub daily_video_email: Option<bool>,
    pub camp_updates_email: Option<bool>,
}

const STOPPED: &str = "The family turned these emails off. Only they can turn them on again, on their profile page or with the link at the bottom of any email from camp.";

/// Adds a family: the record, its address, its plan and its invitation, in one transaction
/// (decision $4).
///
/// # Errors
///
/// [`Error::Invalid`], [`Error::Taken`] on `email`
pub async fn add(app: &App, actor: Actor, new: NewFamily) -> Result<Family> {
    let mut checks = Validator::new();
    let full_name = checks.line("full_name", &new.full_name, 120);
    let child_name = checks.line("child_name", &new.child_name, 200);
    let missing = "All fields are required";
    checks.require(!full_name.is_empty(), "full_name", missing);
    checks.require(!child_name.is_empty(), "child_name", missing);
    let email = match new.email.trim().is_empty() {
        true => {
            checks.refuse("email", missing);
            None
        }
        false => checks.email("email", &new.email),
    };
    let email = checks.done_with(email)?;
    let settings = app.settings().await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let record = NewRecord {
        origin: "staff",
        approved_at: Some(now),
        full_name: &full_name,
        child_name: &child_name,
        user_type: UserType::Parent,
        preferences: DEFAULT_PREFERENCES,
        primary_email: Some(&email),
    };
    let id = insert(&mut tx, now, record).await?;
    put_address(&mut tx, now, id, &StoredAddress::typed(&email), Place::Primary).await?;
    suppression::restore(&mut tx, app).await?;
    payments::open(&mut tx, now, id, settings.default_plan_amount, None, None).await?;
    notifications::notify(
        &mut tx,
        app,
        Notice::new(AccountMail::Invitation, id),
        &email,
        &full_name,
    )
    .await?;
    let details = json!({ "total_amount": settings.default_plan_amount });
    audit::record(
        &mut tx,
        now,
        actor,
        Action::ProfileAdd,
        Subject::new(SubjectKind::Profile, id),
        details,
    )
    .await?;
    let family = family(&mut tx, app, &settings, id).await?;
    tx.commit().await?;
    Ok(family)
}

/// Saves the changes of staff to a family, all or none.
///
/// # Errors
///
/// [`Error::Stale`], [`Error::Invalid`], [`Error::Taken`] on `email` or `secondary_email`
pub async fn edit(app: &App, actor: Actor, id: FamilyId, changes: FamilyChanges) -> Result<Detail> {
    let settings = app.settings().await?;
    let now = app.clock.now();
    let mut checks = Validator::new();
    let full_name = changes.full_name.as_deref().map(|n| checks.line("full_name", n, 120));
    let child_name = changes.child_name.as_deref().map(|n| checks.line("child_name", n, 200));
    let mut typed = |field: &str, given: &Option<Option<String>>| {
        given.as_ref().map(|given| match given.as_deref().map(str::trim) {
            None | Some("") => None,
            Some(email) => checks.email(field, email),
        })
    };
    let email = typed("email", &changes.email);
    let secondary = typed("secondary_email", &changes.secondary_email);
    let plan = PlanChanges {
        total_amount: changes.total_amount,
        paid_amount: changes.paid_amount,
        adjustment_note: changes.adjustment_note.clone(),
        adjustment_staff_note: changes.adjustment_staff_note.clone(),
        due_date: changes.due_date,
    };
    plan.check(&mut checks, &settings);
    checks.done()?;
    let mut tx = app.db.begin().await?;
    let before = family(&mut tx, app, &settings, id).await?;
    let begun = [
        (changes.email_notifications, Category::General),
        (changes.daily_video_email, Category::DailyVideos),
        (changes.camp_updates_email, Category::CampUpdates),
    ];
    if begun.iter().any(|(on, kind)| *on == Some(true) && before.stopped.contains(kind)) {
        return Err(Error::Conflict(STOPPED));
    }
    update_profile(&mut tx, id, &changes, full_name.as_deref(), child_name.as_deref(), now).await?;
    // A name may stay empty, but it cannot be removed.
    if full_name.is_some_and(|name| name.is_empty()) && !before.full_name.is_empty() {
        return Err(Error::invalid("full_name", "Please enter a name."));
    }
    refresh_search_text(&mut tx, id).await?;
    let emails_changed = change_addresses(&mut tx, now, id, email, secondary).await?;
    suppression::restore(&mut tx, app).await?;
    payments::change(&mut tx, app, &settings, actor, id, &plan).await?;
    let after = family(&mut tx, app, &settings, id).await?;
    let details = differences(&before, &after, emails_changed);
    invite_again(&mut tx, app, &before, &after).await?;
    suppression::withdraw(&mut tx, now, id).await?;
    audit::record(
        &mut tx,
        now,
        actor,
        Action::ProfileChange,
        Subject::new(SubjectKind::Profile, id),
        details,
    )
    .await?;
    tx.commit().await?;
    detail(app, id).await
}

/// Invites the first address of an invited family if staff have just changed it: nobody there was invited.
async fn invite_again(tx: &mut Tx, app: &App, before: &Family, after: &Family) -> Result<()> {
    if before.logins > 0 || !before.invited || before.email == after.email {
        return Ok(());
    }
    let Some(email) = after.email.clone().map(EmailAddress::checked_before) else { return Ok(()) };
    let notice = Notice::new(AccountMail::Invitation, after.id);
    notifications::notify(tx, app, notice, &email, &after.full_name).await.map(drop)
}

/// Writes names and mail preferences. Fields that are `None` stay as they are.
async fn update_profile(
    tx: &mut Tx,
    id: FamilyId,
    changes: &FamilyChanges,
    full_name: Option<&str>,
    child_name: Option<&str>,
    now: DateTime<Utc>,
) -> Result<()> {
    let written = tx
        .sql(
            "update profiles
             set full_name = coalesce($3, full_name), child_name = coalesce($4, child_name),
                 email_notifications = coalesce($5, email_notifications),
                 daily_video_email = coalesce($6, daily_video_email),
                 camp_updates_email = coalesce($7, camp_updates_email),
                 version = version + 1, updated_at = $8
             where id = $1 and version = $2 and deleted_at is null",
        )
        .bind(id)
        .bind(changes.version)
        .bind(full_name.map(str::to_owned))
        .bind(child_name.map(str::to_owned))
        .bind(changes.email_notifications)
        .bind(changes.daily_video_email)
        .bind(changes.camp_updates_email)
        .bind(now)
        .execute()
        .await?;
    if written == 0 {
        return Err(Error::Stale);
    }
    Ok(())
}

/// The changes, for the audit log. Names and addresses are not included, only that they changed.
fn differences(before: &Family, after: &Family, emails_changed: bool) -> Value {
    let shown = |family: &Family| {
        json!({
            "email_notifications": family.email_notifications,
            "daily_video_email": family.daily_video_email,
            "camp_updates_email": family.camp_updates_email,
        })
    };
    let changed = audit::personal(
        audit::differences(&shown(before), &shown(after)),
        [
            ("full_name", before.full_name != after.full_name),
            ("child_name", before.child_name != after.child_name),
            ("emails", emails_changed),
        ],
    );
    Value::Object(changed)
}
