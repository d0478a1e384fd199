//! Undoes an import within a day: new families are deleted, changed ones get their earlier details.
//! A family that was changed since then stays as it is.

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::Report;
use super::apply;
use super::known::State;
use crate::accounts::UserType;
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::families::addresses::{StoredAddress, addresses, set_addresses};
use crate::families::lock;
use crate::family_admin::membership::{APPROVAL, Standing};
use crate::family_admin::remove;
use crate::ids::FamilyId;
use crate::money::Cents;
use crate::payments::{self, PlanChanges};
use crate::settings::Settings;
use crate::{App, Error, Result};

/// How long an import can be undone.
const OPEN: TimeDelta = TimeDelta::days(1);
const NO_IMPORT: Error =
    Error::NotFound("Import not found, or it is more than a day old and can't be undone.");

/// An import of the last day.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = RecentFamilyImport)]
pub struct RecentImport {
    pub id: Uuid,
    pub created_at: DateTime<Utc>,
    /// User name of the staff account; null for the command line.
    pub made_by: Option<String>,
    pub added: i64,
    pub updated: i64,
    /// Until then it can be undone.
    pub undo_until: DateTime<Utc>,
    pub undone_at: Option<DateTime<Utc>>,
}

/// What undoing an import did.
#[derive(Debug, Serialize, PartialEq, Eq, utoipa::ToSchema)]
#[schema(as = UndoneFamilyImport)]
pub struct Undone {
    /// New families that are gone again.
    pub removed: usize,
    /// Families that have their earlier details again.
    pub restored: usize,
    /// Families that were changed since and stay as they are.
    pub skipped: Vec<NotUndone>,
}

#[derive(Debug, Serialize, PartialEq, Eq, utoipa::ToSchema)]
#[schema(as = FamilyNotUndone)]
pub struct NotUndone {
    #[schema(value_type = Uuid)]
    pub id: FamilyId,
    /// Empty for a family that was deleted.
    pub full_name: String,
    /// Why, as a sentence.
    pub reason: String,
}

/// Everything of a family that an import writes, and what shows that the family was used since.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Snapshot {
    version: i64,
    full_name: String,
    child_name: String,
    #[serde(default)]
    user_type: UserType,
    primary: Option<StoredAddress>,
    secondary: Option<StoredAddress>,
    total: Option<Cents>,
    due: Option<NaiveDate>,
    #[serde(default)]
    standing: Standing,
    payments: i64,
    logins: i64,
}

/// Version, name, children, type, total, due date, standing, rows of the ledger, users.
type SnapshotRow =
    (i64, String, String, UserType, Option<Cents>, Option<NaiveDate>, Standing, i64, i64);

/// Locks a family and returns its state before that, or `None` if it was deleted or merged.
pub(super) async fn locked(
    tx: &mut Tx,
    now: DateTime<Utc>,
    id: FamilyId,
) -> Result<Option<Snapshot>> {
    match lock(tx, now, id).await {
        Err(Error::NotFound(_)) => return Ok(None),
        held => held?,
    }
    let found = snapshot(tx, id).await?;
    Ok(found.map(|found| Snapshot { version: found.version - 1, ..found }))
}

/// Returns the current state of a family, or `None` if it was deleted or merged.
async fn snapshot(tx: &mut Tx, id: FamilyId) -> Result<Option<Snapshot>> {
    let found: Option<SnapshotRow> = tx
        .sql([
            "select p.version, p.full_name, p.child_name, p.user_type, l.total_amount, l.due_date, ",
            APPROVAL,
            ",
                    (select count(*) from payments y where y.plan_id = l.id),
                    (select count(*) from users u where u.profile_id = p.id)
             from profiles p
             left join payment_plans l on l.profile_id = p.id
             where p.id = $1 and p.deleted_at is null",
        ])
        .bind(id)
        .optional()
        .await?;
    let Some((version, full_name, child_name, user_type, total, due, standing, payments, logins)) =
        found
    else {
        return Ok(None);
    };
    let (primary, secondary) = addresses(tx, id).await?;
    Ok(Some(Snapshot {
        version,
        full_name,
        child_name,
        user_type,
        primary,
        secondary,
        total,
        due,
        standing,
        payments,
        logins,
    }))
}

impl Snapshot {
    pub(super) fn version(&self) -> i64 {
        self.version
    }

    fn state(&self) -> State {
        State {
            full_name: self.full_name.clone(),
            child_name: self.child_name.clone(),
            user_type: self.user_type,
            primary: self.primary.clone(),
            secondary: self.secondary.clone(),
            total: self.total,
            due: self.due,
            standing: self.standing,
            version: self.version,
        }
    }

    /// Why a family that the import left in this state must not be changed anymore.
    fn changed_since(&self, now: &Snapshot, is_new: bool) -> Option<&'static str> {
        // A changed mail preference does not prevent restoring old names. But a new family is
        // deleted only if it is unchanged.
        let same_version = !is_new || self.version == now.version;
        match () {
            _ if now.logins != self.logins => Some("Someone has signed in as this family since."),
            _ if now.payments != self.payments => Some("Its ledger has changed since."),
            _ if same_version && self.state().same(&now.state()) => None,
            _ => Some("It was changed since."),
        }
    }
}

/// Records the start of an import.
pub(super) async fn open(tx: &mut Tx, now: DateTime<Utc>, id: Uuid, actor: Actor) -> Result<()> {
    tx.sql(
        "insert into family_imports (id, staff_id, added, updated, created_at)
         values ($1, $2, 0, 0, $3)",
    )
    .bind(id)
    .bind(actor.staff_id())
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

/// Saves a family's state before the import (none for a new one) and after it. Returns its version.
pub(super) async fn remember(
    tx: &mut Tx,
    import: Uuid,
    id: FamilyId,
    before: Option<Snapshot>,
) -> Result<i64> {
    let Some(after) = snapshot(tx, id).await? else {
        return Err(Error::Unforeseen(format!("the imported family {id} is gone")));
    };
    let text = |snapshot| serde_json::to_string(snapshot).map_err(Error::unforeseen);
    tx.sql(
        "insert into family_import_rows (import_id, profile_id, before, after)
         values ($1, $2, $3, $4)",
    )
    .bind(import)
    .bind(id)
    .bind(before.as_ref().map(text).transpose()?)
    .bind(text(&after)?)
    .execute()
    .await?;
    Ok(after.version)
}

/// Records the result of an import.
pub(super) async fn close(tx: &mut Tx, id: Uuid, report: &Report) -> Result<()> {
    tx.sql("update family_imports set added = $2, updated = $3 where id = $1")
        .bind(id)
        .bind(report.added as i64)
        .bind(report.updated as i64)
        .execute()
        .await?;
    Ok(())
}

/// Id, time, user name, counts, and when it was undone.
type MadeRow = (Uuid, DateTime<Utc>, Option<String>, i64, i64, Option<DateTime<Utc>>);

/// Returns the imports of the last day, the latest first.
pub async fn recent(app: &App) -> Result<Vec<RecentImport>> {
    let rows: Vec<MadeRow> = app
        .db
        .sql(
            "select i.id, i.created_at, s.username, i.added, i.updated, i.undone_at
             from family_imports i
             left join staff s on s.id = i.staff_id
             where i.created_at > $1
             order by i.created_at desc, i.id desc",
        )
        .bind(app.clock.now() - OPEN)
        .all()
        .await?;
    let made =
        rows.into_iter().map(|(id, created_at, made_by, added, updated, undone_at)| RecentImport {
            id,
            created_at,
            made_by,
            added,
            updated,
            undo_until: created_at + OPEN,
            undone_at,
        });
    Ok(made.collect())
}

/// Undoes an import. Families that were changed since then stay, and the result gives the reasons.
///
/// # Errors
///
/// [`Error::NotFound`] for one that is more than a day old, [`Error::Conflict`] for one that was
/// undone already.
pub async fn undo(app: &App, actor: Actor, id: Uuid) -> Result<Undone> {
    let settings = app.settings().await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    tx.lock("family import").await?;
    claim(&mut tx, now, id).await?;
    let rows: Vec<(FamilyId, Option<String>, String)> = tx
        .sql(
            "select profile_id, before, after from family_import_rows
             where import_id = $1
             order by profile_id",
        )
        .bind(id)
        .all()
        .await?;
    let mut undone = Undone { removed: 0, restored: 0, skipped: Vec::new() };
    for (family, before, after) in rows {
        let read = |text: &str| serde_json::from_str(text).map_err(Error::unforeseen);
        let before: Option<Snapshot> = before.as_deref().map(read).transpose()?;
        let after: Snapshot = serde_json::from_str(&after).map_err(Error::unforeseen)?;
        let reason = match locked(&mut tx, now, family).await? {
            None => Some("It was deleted or merged with another family since."),
            Some(current) => {
                let reason = after.changed_since(&current, before.is_none());
                if reason.is_none() {
                    let before = before.as_ref();
                    put_back(&mut tx, app, &settings, actor, family, &current, before).await?;
                    // Not if somebody changed it in between.
                    if let Some(before) = before.filter(|_| after.version == current.version) {
                        reopen(&mut tx, id, family, before).await?;
                    }
                }
                reason
            }
        };
        match (reason, before) {
            (Some(reason), _) => undone.skipped.push(NotUndone {
                id: family,
                full_name: name(&mut tx, family).await?,
                reason: reason.to_owned(),
            }),
            (None, None) => undone.removed += 1,
            (None, Some(_)) => undone.restored += 1,
        }
    }
    let details = json!({
        "removed": undone.removed, "restored": undone.restored, "skipped": undone.skipped.len(),
    });
    audit::record(
        &mut tx,
        now,
        actor,
        Action::ProfileUndoImport,
        Subject::none(SubjectKind::Profile),
        details,
    )
    .await?;
    tx.commit().await?;
    Ok(undone)
}

async fn claim(tx: &mut Tx, now: DateTime<Utc>, id: Uuid) -> Result<()> {
    let claimed = tx
        .sql(
            "update family_imports set undone_at = $2
             where id = $1 and created_at > $3 and undone_at is null",
        )
        .bind(id)
        .bind(now)
        .bind(now - OPEN)
        .execute()
        .await?;
    if claimed > 0 {
        return Ok(());
    }
    let there: i64 = tx
        .sql("select count(*) from family_imports where id = $1 and created_at > $2")
        .bind(id)
        .bind(now - OPEN)
        .scalar()
        .await?;
    Err(if there > 0 { Error::Conflict("This import was already undone.") } else { NO_IMPORT })
}

/// Restores one family to its state before the import. The caller holds its lock.
async fn put_back(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    id: FamilyId,
    current: &Snapshot,
    before: Option<&Snapshot>,
) -> Result<()> {
    let now = app.clock.now();
    let Some(before) = before else {
        // Ledger rows are never deleted. The amount that the import recorded as paid is reversed by
        // an adjustment.
        let nothing_paid = PlanChanges {
            paid_amount: Some(Cents::ZERO),
            adjustment_staff_note: Some("The import was undone".into()),
            ..PlanChanges::default()
        };
        if current.total.is_some() {
            payments::change(tx, app, settings, actor, id, &nothing_paid).await?;
        }
        // Its addresses came from the import. Mails and messages of their owners stay.
        set_addresses(tx, now, id, None, None).await?;
        return remove(tx, app, actor, id).await;
    };
    apply::update(tx, app, settings, actor, id, &current.state(), &before.state()).await?;
    if before.total.is_none() && current.total.is_some() {
        payments::remove_empty(tx, id).await?;
    }
    Ok(())
}

/// Lets an earlier import be undone as well: the family is again as that one left it.
async fn reopen(tx: &mut Tx, undone: Uuid, id: FamilyId, before: &Snapshot) -> Result<()> {
    let Some(now) = snapshot(tx, id).await? else { return Ok(()) };
    let earlier: Vec<(Uuid, String)> = tx
        .sql(
            "select import_id, after from family_import_rows
             where profile_id = $1 and import_id <> $2",
        )
        .bind(id)
        .bind(undone)
        .all()
        .await?;
    for (import, after) in earlier {
        let mut after: Snapshot = serde_json::from_str(&after).map_err(Error::unforeseen)?;
        if after.version != before.version || !after.state().same(&now.state()) {
            continue;
        }
        after.version = now.version;
        tx.sql("update family_import_rows set after = $3 where import_id = $1 and profile_id = $2")
            .bind(import)
            .bind(id)
            .bind(serde_json::to_string(&after).map_err(Error::unforeseen)?)
            .execute()
            .await?;
    }
    Ok(())
}

async fn name(tx: &mut Tx, id: FamilyId) -> Result<String> {
    tx.sql("select full_name from profiles where id = $1").bind(id).scalar().await
}

/// Erases what imports store about a family that is being deleted.
pub(crate) async fn forget(tx: &mut Tx, id: FamilyId) -> Result<()> {
    for text in [
        "delete from family_import_rows where profile_id = $1",
        "delete from merged_identities where profile_id = $1",
    ] {
        tx.sql(text).bind(id).execute().await?;
    }
    Ok(())
}

/// Deletes imports that can no longer be undone, with the names and addresses in them.
pub async fn prune(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let before = app.clock.now() - OPEN;
    for text in [
        "delete from family_import_rows
         where import_id in (select id from family_imports where created_at <= $1)",
        "delete from family_imports where created_at <= $1",
    ] {
        tx.sql(text).bind(before).execute().await?;
    }
    tx.commit().await
}
