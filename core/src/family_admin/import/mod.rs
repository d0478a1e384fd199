//! Imports families from a spreadsheet of the camp's office. The staff area and the command line
//! use the same importer.
//!
//! The whole file is checked first, and every problem is reported with its line. Then the valid
//! rows are imported together. A family is identified by its address. If the row or the family has
//! none, its name and its child's name identify it. So importing the same file again changes
//! nothing. Existing families change only on request, and an import can be undone for a day. Only
//! families that signed up and waited for approval are mailed: that they are approved. Staff send
//! invitations from the user list.

mod apply;
mod columns;
mod known;
mod report;
mod row;
mod undo;

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

pub use columns::MAX_BYTES;
pub(super) use known::name_key;
pub use report::{Change, Details, Field, MergedRow, NewRow, Outcome, Report};
pub(super) use undo::forget;
pub use undo::{NotUndone, RecentImport, Undone, prune, recent, undo};

use self::known::{Found, Known, LeftOut};
use self::row::Wanted;
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::ids::FamilyId;
use crate::money::money;
use crate::notifications::suppression;
use crate::settings::Settings;
use crate::spreadsheet::{self, Problem};
use crate::{App, Result};

/// How to import a file.
pub struct Import {
    pub file: spreadsheet::File,
    /// Only computes the result; nothing is written.
    pub dry_run: bool,
    pub update: Update,
    /// The lines of new families that were confirmed in the preview. Without it, all of them.
    pub add: Option<HashSet<usize>>,
}

/// Which existing families may change.
pub enum Update {
    None,
    All,
    /// Those families, if they still have the version that was shown.
    Only(HashMap<FamilyId, i64>),
}

impl Update {
    fn outcome(&self, id: FamilyId, version: i64) -> Outcome {
        match self {
            Update::All => Outcome::Updated,
            Update::None => Outcome::Differs,
            Update::Only(seen) => match seen.get(&id) {
                None => Outcome::Differs,
                Some(seen) if *seen == version => Outcome::Updated,
                Some(_) => Outcome::ChangedMeanwhile,
            },
        }
    }
}

/// Imports an Excel workbook, CSV or JSON file. `progress` is called with the number of processed
/// rows and the total.
///
/// # Errors
///
/// [`crate::Error::Invalid`] on `file` when the file as a whole is unusable. Nothing is written
/// then.
pub async fn import(
    app: &App,
    actor: Actor,
    import: Import,
    mut progress: impl FnMut(usize, usize) + Send,
) -> Result<Report> {
    let now = app.clock.now();
    let settings = app.settings().await?;
    let sheet = spreadsheet::open(import.file, &columns::SHAPE).await?;
    let mut good = Vec::with_capacity(sheet.rows.len());
    let mut problems = Vec::new();
    for row in &sheet.rows {
        match row::check(row, &settings) {
            Ok(wanted) => good.push(wanted),
            Err(wrong) => problems.extend(wrong),
        }
    }
    let total = good.len();
    progress(0, total);
    let mut tx = app.db.begin().await?;
    // Two concurrent imports would not see each other's rows.
    tx.lock("family import").await?;
    let mut run = Run {
        known: Known::load(&mut tx).await?,
        id: Uuid::now_v7(),
        app,
        settings: &settings,
        actor,
        update: import.update,
        add: import.add,
        report: Report {
            dry_run: import.dry_run,
            rows: sheet.rows.len(),
            unknown_columns: sheet.unknown_columns,
            source: sheet.source,
            problems,
            ..Report::default()
        },
    };
    undo::open(&mut tx, now, run.id, actor).await?;
    for (done, wanted) in good.into_iter().enumerate() {
        run.put(&mut tx, &wanted).await?;
        progress(done + 1, total);
    }
    let mut report = run.report;
    report.problems.sort_by_key(|problem| problem.line);
    if import.dry_run || report.added + report.updated == 0 {
        tx.rollback().await?;
        return Ok(report);
    }
    undo::close(&mut tx, run.id, &report).await?;
    report.id = Some(run.id);
    let subject = Subject::none(SubjectKind::Profile);
    audit::record(&mut tx, now, actor, Action::ProfileImport, subject, report.totals()).await?;
    suppression::restore(&mut tx, app).await?;
    tx.commit().await?;
    Ok(report)
}

/// The state of a running import.
struct Run<'a> {
    id: Uuid,
    app: &'a App,
    settings: &'a Settings,
    actor: Actor,
    known: Known,
    update: Update,
    add: Option<HashSet<usize>>,
    report: Report,
}

impl Run<'_> {
    fn refuse(&mut self, wanted: &Wanted, column: &'static str, message: impl Into<String>) {
        let message = message.into();
        self.report.problems.push(Problem { line: wanted.line, column, message });
    }

    async fn put(&mut self, tx: &mut Tx, wanted: &Wanted) -> Result<()> {
        match self.known.leaves_out(wanted) {
            Some(LeftOut::Visitor) => {
                self.report.visitors += 1;
                return Ok(());
            }
            Some(LeftOut::Unapproved) => {
                self.report.unapproved += 1;
                return Ok(());
            }
            None => {}
        }
        match self.known.find(wanted) {
            Err((column, message)) => self.refuse(wanted, column, message),
            Ok(Found::New { namesake }) => return self.insert_family(tx, wanted, namesake).await,
            Ok(Found::Known(id)) => return self.update_family(tx, wanted, id).await,
            Ok(Found::Merged(into)) => {
                self.report.skipped += 1;
                let name = self.known.families.get(&into).map(|family| family.full_name.clone());
                self.report.merged.push(MergedRow {
                    line: wanted.line,
                    full_name: wanted.full_name.clone(),
                    child_name: wanted.child_name.clone(),
                    into,
                    into_name: name.unwrap_or_default(),
                });
            }
        }
        Ok(())
    }

    async fn insert_family(
        &mut self,
        tx: &mut Tx,
        wanted: &Wanted,
        namesake: Option<EmailAddress>,
    ) -> Result<()> {
        let total = wanted.total.of_new_family(self.settings);
        if let Some(total) = total.filter(|total| wanted.paid.unwrap_or_default() > *total) {
            let total = money(total, &self.settings.currency);
            let message = format!(
                "This is more than the total of {total}. Please correct it, or import the family with \
                 the total as paid and record the rest as credit."
            );
            self.refuse(wanted, "paid", message);
            return Ok(());
        }
        if self.add.as_ref().is_some_and(|seen| !seen.contains(&wanted.line)) {
            self.refuse(
                wanted,
                "row",
                "This family was deleted after the table was checked. Please check the table again.",
            );
            return Ok(());
        }
        let (id, mut state) = apply::add(tx, self.app, self.settings, self.actor, wanted).await?;
        state.version = undo::remember(tx, self.id, id, None).await?;
        self.known.lines.insert(id, wanted.line);
        self.report.added += 1;
        self.report.new_families.push(NewRow {
            line: wanted.line,
            details: Details::of(&state),
            paid_amount: wanted.paid.unwrap_or_default(),
            namesake_email: namesake.map(Into::into),
        });
        self.known.keep(id, state);
        Ok(())
    }

    async fn update_family(&mut self, tx: &mut Tx, wanted: &Wanted, id: FamilyId) -> Result<()> {
        let before = self.known.families.get(&id).cloned().unwrap_or_default();
        let mut after = match before.with(wanted) {
            Ok(after) => after,
            Err(message) => {
                self.refuse(wanted, "email", message);
                return Ok(());
            }
        };
        let first_line = *self.known.lines.entry(id).or_insert(wanted.line);
        if first_line != wanted.line {
            // If a family appears twice in the file, an equal row is skipped and a different one is
            // an error.
            let proposed = self.known.proposed.get(&id).unwrap_or(&before);
            if proposed.with(wanted).is_ok_and(|again| again == *proposed) {
                self.report.skipped += 1;
            } else {
                let by_email = wanted.email.as_ref().is_some_and(|email| proposed.has(email));
                let same = if by_email { "email" } else { "family" };
                let advice = match wanted.child_name == proposed.child_name {
                    true => "Please keep the right one of the two rows.",
                    false => {
                        "Please write all children of a family in one row, with the total for all of them."
                    }
                };
                let text = format!("Same {same} as line {first_line}, but other details. {advice}");
                self.refuse(wanted, "row", text);
            }
            return Ok(());
        }
        let paid = self.known.paid.get(&id).copied().unwrap_or_default();
        if wanted.paid.is_some_and(|typed| typed != paid) {
            self.report.paid_otherwise += 1;
        }
        if after == before {
            self.report.skipped += 1;
            return Ok(());
        }
        self.known.propose(id, after.clone());
        let mut outcome = self.update.outcome(id, before.version);
        let mut snapshot = None;
        if outcome == Outcome::Updated {
            snapshot = undo::locked(tx, self.app.clock.now(), id).await?;
            // Somebody may have changed the family since this import began.
            if snapshot.as_ref().is_none_or(|found| found.version() != before.version) {
                outcome = Outcome::ChangedMeanwhile;
            }
        }
        let change = Change::new(wanted.line, id, outcome, &before, &after);
        self.report.changes.push(change);
        if outcome != Outcome::Updated {
            self.report.differing += 1;
            return Ok(());
        }
        self.report.updated += 1;
        apply::update(tx, self.app, self.settings, self.actor, id, &before, &after).await?;
        after.version = undo::remember(tx, self.id, id, snapshot).await?;
        self.known.keep(id, after);
        Ok(())
    }
}
