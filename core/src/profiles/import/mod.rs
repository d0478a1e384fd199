//! Brings families into the portal from a table that the camp's office keeps: the one importer
//! behind the staff area and the command line.
//!
//! The whole file is checked first and every problem is named by its line; the good rows then go
//! in together. A family is known by its address, or without one by its name and its child's name,
//! so importing the same file again changes nothing. Nobody is mailed; invitations are sent from
//! the user list.

mod known;
mod row;

use serde::Serialize;
use serde_json::{Map, Value, json};
use uuid::Uuid;

pub use row::MAX_BYTES;

use self::known::{Known, State};
use self::row::{Total, Wanted};
use super::addresses::{Kept, Place, put_address, release, replace_addresses};
use super::{DEFAULT_PREFERENCES, UserType, hold, insert, relist};
use crate::audit::{self, Actor, Subject};
use crate::db::Tx;
use crate::payments::{self, Entry, Kind, PlanChanges};
use crate::settings::Settings;
use crate::sheet::{self, Problem};
use crate::{App, Result};

/// What an import did, or would do.
#[derive(Debug, Default, Serialize, PartialEq, Eq, utoipa::ToSchema)]
#[schema(as = FamilyImport)]
pub struct Report {
    pub dry_run: bool,
    /// Rows with something in them, the header aside.
    pub rows: usize,
    pub added: usize,
    /// Known already, with something new in the file.
    pub updated: usize,
    /// Known already as they are, and visitors.
    pub skipped: usize,
    pub problems: Vec<Problem>,
    /// Columns that nothing was made of.
    pub unknown_columns: Vec<String>,
}

/// Imports a CSV or JSON file. `progress` is called with the rows that are done and their number.
/// With `dry_run` the same is done and taken back. Errors: [`Error::Invalid`] on `file` when
/// nothing can be made of the file as a whole; then nothing is written.
pub async fn import(
    app: &App,
    actor: Actor,
    bytes: &[u8],
    dry_run: bool,
    mut progress: impl FnMut(usize, usize) + Send,
) -> Result<Report> {
    let now = app.clock.now();
    let settings = app.settings().await?;
    let sheet = sheet::read(bytes, &row::SHAPE)?;
    let mut report = Report {
        dry_run,
        rows: sheet.rows.len(),
        unknown_columns: sheet.unknown_columns,
        ..Report::default()
    };
    let mut good = Vec::with_capacity(sheet.rows.len());
    for row in &sheet.rows {
        match row::check(row, &settings) {
            Ok(wanted) => good.push(wanted),
            Err(problems) => report.problems.extend(problems),
        }
    }
    let total = good.len();
    progress(0, total);
    let mut tx = app.db.begin().await?;
    // Two imports at once would not see each other's rows.
    tx.serialize("family import").await?;
    let mut known = Known::load(&mut tx).await?;
    for (done, wanted) in good.into_iter().enumerate() {
        match put(&mut tx, app, &settings, actor, &mut known, &wanted).await? {
            Fate::Added => report.added += 1,
            Fate::Updated => report.updated += 1,
            Fate::Skipped => report.skipped += 1,
            Fate::Refused(column, message) => {
                report.problems.push(Problem { line: wanted.line, column, message });
            }
        }
        progress(done + 1, total);
    }
    report.problems.sort_by_key(|problem| problem.line);
    if dry_run || report.added + report.updated == 0 {
        tx.rollback().await?;
        return Ok(report);
    }
    let details = json!({
        "added": report.added, "updated": report.updated, "skipped": report.skipped,
        "problems": report.problems.len(),
    });
    audit::record(&mut tx, now, actor, "profile.import", Subject::none("profile"), details).await?;
    tx.commit().await?;
    Ok(report)
}

enum Fate {
    Added,
    Updated,
    Skipped,
    Refused(&'static str, String),
}

async fn put(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    known: &mut Known,
    wanted: &Wanted,
) -> Result<Fate> {
    if wanted.visitor {
        return Ok(Fate::Skipped);
    }
    let found = match known.find(wanted) {
        Ok(found) => found,
        Err(message) => return Ok(Fate::Refused("second email", message.into())),
    };
    let Some(id) = found else {
        add(tx, app, settings, actor, known, wanted).await?;
        return Ok(Fate::Added);
    };
    let before = known.families.get(&id).cloned().unwrap_or_default();
    let mut after = match before.with(wanted) {
        Ok(after) => after,
        Err(message) => return Ok(Fate::Refused("email", message.into())),
    };
    let fate = match before.line {
        // Twice in the file: the same again is nothing, anything else is a mistake.
        Some(line) if after != before => {
            let text = format!("This family stands on line {line} already, with other details.");
            return Ok(Fate::Refused("row", text));
        }
        None if after != before => {
            update(tx, app, settings, actor, id, &before, &after).await?;
            Fate::Updated
        }
        _ => Fate::Skipped,
    };
    after.line = before.line.or(Some(wanted.line));
    known.keep(id, after);
    Ok(fate)
}

async fn add(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    known: &mut Known,
    wanted: &Wanted,
) -> Result<()> {
    let now = app.clock.now();
    let id = insert(
        tx,
        now,
        "import",
        Some(now),
        &wanted.full_name,
        &wanted.child_name,
        UserType::Parent,
        DEFAULT_PREFERENCES,
        wanted.email.as_deref().unwrap_or_default(),
    )
    .await?;
    for (email, place) in [(&wanted.email, Place::Primary), (&wanted.second, Place::Secondary)] {
        let Some(email) = email else { continue };
        if known.unproved.remove(email) {
            release(tx, email).await?;
        }
        put_address(tx, now, id, &Kept::typed(email), place).await?;
    }
    if wanted.second.is_some() {
        relist(tx, id).await?;
    }
    let total = match wanted.total {
        Total::Cents(cents) => Some(cents),
        Total::Unsaid => Some(settings.default_plan_amount),
        Total::Empty => None,
    };
    if let Some(total) = total {
        let entry = Entry {
            kind: Kind::Adjustment,
            amount: wanted.paid,
            payment_date: payments::today(settings, now),
            notes: Some("Paid before, from an import".into()),
            staff_notes: None,
            void_of: None,
        };
        let before = (wanted.paid != 0).then_some((actor, entry));
        payments::open(tx, now, id, total, wanted.due, before).await?;
    }
    let details = json!({ "total_amount": total });
    audit::record(tx, now, actor, "profile.add", Subject::new("profile", id), details).await?;
    let state = State {
        full_name: wanted.full_name.clone(),
        child_name: wanted.child_name.clone(),
        primary: wanted.email.as_deref().map(Kept::typed),
        secondary: wanted.second.as_deref().map(Kept::typed),
        total,
        due: wanted.due,
        line: Some(wanted.line),
    };
    known.keep(id, state);
    Ok(())
}

async fn update(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    id: Uuid,
    before: &State,
    after: &State,
) -> Result<()> {
    let now = app.clock.now();
    hold(tx, now, id).await?;
    if (&before.full_name, &before.child_name) != (&after.full_name, &after.child_name) {
        tx.sql("update profiles set full_name = $2, child_name = $3 where id = $1")
            .bind(id)
            .bind(&after.full_name)
            .bind(&after.child_name)
            .execute()
            .await?;
        relist(tx, id).await?;
    }
    if (&before.primary, &before.secondary) != (&after.primary, &after.secondary) {
        replace_addresses(tx, now, id, after.primary.clone(), after.secondary.clone()).await?;
    }
    let personal = [
        ("full_name", before.full_name != after.full_name),
        ("child_name", before.child_name != after.child_name),
        ("emails", (&before.primary, &before.secondary) != (&after.primary, &after.secondary)),
    ];
    let details = audit::personal(Map::new(), personal);
    if !details.is_empty() {
        let (subject, details) = (Subject::new("profile", id), Value::Object(details));
        audit::record(tx, now, actor, "profile.change", subject, details).await?;
    }
    let plan = PlanChanges {
        total_amount: after.total.filter(|_| after.total != before.total),
        due_date: (after.due != before.due).then_some(after.due),
        ..PlanChanges::default()
    };
    payments::change(tx, app, settings, actor, id, &plan).await
}
