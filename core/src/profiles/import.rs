//! Brings families into the portal from a table that the camp's office keeps: the one importer
//! behind the staff area and the command line.
//!
//! The whole file is checked first and every problem is named by its line; the good rows then go
//! in together. A family is known by its address, or without one by its name and its child's name,
//! so importing the same file again changes nothing. Nobody is mailed; invitations are sent from
//! the user list.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::desk::{Kept, Place, put_address, release, set_addresses};
use super::export::original;
use super::{DEFAULT_PREFERENCES, UserType, hold, insert, refold};
use crate::audit::{self, Actor, Subject};
use crate::checks::Checks;
use crate::db::Tx;
use crate::fold::fold;
use crate::payments::{self, Entry, Kind, PlanChanges};
use crate::settings::Settings;
use crate::sheet::{self, Column, Row, Shape, day};
use crate::{App, Error, FieldError, Result};

/// Largest file, in bytes.
pub const MAX_BYTES: usize = 20 * 1024 * 1024;

const SHAPE: Shape = Shape {
    things: "families",
    thing: "family",
    columns: &[
        Column {
            name: "name",
            also: &[
                "fullname",
                "parent",
                "parents",
                "parentname",
                "parentsname",
                "family",
                "familyname",
                "contact",
                "contactname",
            ],
            needed: true,
        },
        Column {
            name: "child",
            also: &[
                "childname",
                "childsname",
                "children",
                "childrensnames",
                "camper",
                "campers",
                "campername",
            ],
            needed: true,
        },
        Column {
            name: "email",
            also: &["emailaddress", "mail", "primaryemail", "address"],
            needed: false,
        },
        Column {
            name: "second email",
            also: &["secondemail", "secondaryemail", "email2", "otheremail"],
            needed: false,
        },
        Column {
            name: "total",
            also: &["totalamount", "tuition", "amount", "price", "fee"],
            needed: false,
        },
        Column { name: "paid", also: &["paidamount", "amountpaid"], needed: false },
        Column { name: "due date", also: &["duedate", "due"], needed: false },
        Column { name: "type", also: &["usertype"], needed: false },
    ],
    max_bytes: MAX_BYTES,
};
const NAME: usize = 0;
const CHILD: usize = 1;
const EMAIL: usize = 2;
const SECOND: usize = 3;
const TOTAL: usize = 4;
const PAID: usize = 5;
const DUE: usize = 6;
const TYPE: usize = 7;

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

#[derive(Debug, Serialize, PartialEq, Eq, utoipa::ToSchema)]
#[schema(as = FamilyImportProblem)]
pub struct Problem {
    /// Counted from 1, the header included.
    pub line: usize,
    pub column: &'static str,
    /// What is wrong and what to do.
    pub message: String,
}

/// A row that can be imported.
#[derive(Debug)]
struct Wanted {
    line: usize,
    full_name: String,
    child_name: String,
    email: Option<String>,
    second: Option<String>,
    total: Total,
    /// Cents that were paid before; counts only when the family is new.
    paid: i64,
    due: Option<NaiveDate>,
    visitor: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Total {
    /// There is no such column: new families get the usual amount.
    Unsaid,
    /// An empty cell: no plan is made, an existing one stays.
    Empty,
    Cents(i64),
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
    let sheet = sheet::read(bytes, &SHAPE)?;
    let mut report = Report {
        dry_run,
        rows: sheet.rows.len(),
        unknown_columns: sheet.unknown_columns,
        ..Report::default()
    };
    let mut good = Vec::with_capacity(sheet.rows.len());
    for row in &sheet.rows {
        match check(row, &settings) {
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

fn check(row: &Row, settings: &Settings) -> Result<Wanted, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut refuse = |column, message: String| {
        problems.push(Problem { line: row.line, column, message });
    };
    if let Some(message) = row.surplus() {
        refuse("row", message);
    }
    let cell = |column| original(row.cell(column).trim());
    let mut checks = Checks::new();
    let full_name = checks.line("name", cell(NAME), 120);
    let child_name = checks.line("child", cell(CHILD), 200);
    let visitor = cell(TYPE).eq_ignore_ascii_case("visitor");
    checks.require(!full_name.is_empty(), "name", "Please fill in the parent's name.");
    let missing = "Please fill in the child's name.";
    checks.require(visitor || !child_name.is_empty(), "child", missing);
    let mut email = |name: &str, column| match cell(column) {
        "" => None,
        typed => Some(checks.email(name, typed)),
    };
    let (first, second) = (email("email", EMAIL), email("second email", SECOND));
    let twice = first.is_some() && first == second;
    checks.require(!twice, "second email", "The second address is the same as the first.");
    // A family with one address has a primary one.
    let (first, second) = if first.is_none() { (second, None) } else { (first, second) };
    let mut amount = |name: &str, column| match cell(column) {
        "" => None,
        typed => match cents(typed) {
            Some(cents) => {
                payments::check_amount(&mut checks, name, cents, settings);
                Some(cents)
            }
            None => {
                let shown: String = typed.chars().take(40).collect();
                checks.refuse(name, format!("“{shown}” is no amount like 2800 or 2,800.00."));
                None
            }
        },
    };
    let total = match (row.has(TOTAL), amount("total", TOTAL)) {
        (_, Some(cents)) => Total::Cents(cents),
        (true, None) => Total::Empty,
        (false, None) => Total::Unsaid,
    };
    let paid = amount("paid", PAID).unwrap_or_default();
    let due = match cell(DUE) {
        "" => None,
        typed => match day::read(typed) {
            Ok(date) => {
                payments::check_date(&mut checks, "due date", date);
                Some(date)
            }
            Err(message) => {
                checks.refuse("due date", message);
                None
            }
        },
    };
    let planless = total == Total::Empty && (paid > 0 || due.is_some());
    checks.require(!planless, "total", "Please fill in the total, since the row says more of it.");
    if let Err(Error::Invalid(wrong)) = checks.done() {
        for FieldError { field, message } in wrong {
            let column = SHAPE.columns.iter().find(|c| c.name == field).map_or("row", |c| c.name);
            refuse(column, message);
        }
    }
    let line = row.line;
    match problems.is_empty() {
        true => Ok(Wanted {
            line,
            full_name,
            child_name,
            email: first,
            second,
            total,
            paid,
            due,
            visitor,
        }),
        false => Err(problems),
    }
}

/// Reads `2800`, `2,800.00` or `$2,800` as cents.
fn cents(typed: &str) -> Option<i64> {
    let text = typed.trim().trim_start_matches(['$', '€', '£', '₪']).trim();
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let groups: Vec<&str> = whole.split(',').collect();
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let well_grouped = groups.len() == 1
        || (groups[0].len() <= 3 && groups[1..].iter().all(|group| group.len() == 3));
    let ok = well_grouped
        && !groups[0].is_empty()
        && groups.iter().all(|group| digits(group))
        && rest.len() <= 2
        && digits(rest);
    let whole: i64 = ok.then(|| groups.concat().parse().ok())??;
    let rest: i64 = format!("{rest:0<2}").parse().ok()?;
    whole.checked_mul(100)?.checked_add(rest)
}

/// Who is there: read once, and kept in step with what is written.
#[derive(Default)]
struct Known {
    families: HashMap<Uuid, State>,
    by_email: HashMap<String, Uuid>,
    /// Families without an address, by folded name and child's name.
    by_name: HashMap<String, Uuid>,
    /// Addresses that somebody typed at sign-up and never proved: they give way.
    unproved: HashSet<String>,
}

/// A family as it stands.
#[derive(Clone, Default, PartialEq)]
struct State {
    full_name: String,
    child_name: String,
    primary: Option<Kept>,
    secondary: Option<Kept>,
    total: Option<i64>,
    due: Option<NaiveDate>,
    /// Where it stood in this file.
    line: Option<usize>,
}

/// Id, name, children, and of the plan the total and the due date.
type FamilyRow = (Uuid, String, String, Option<i64>, Option<NaiveDate>);
/// Family, kind, address, whether staff entered it, and when it was proved.
type AddressRow = (Uuid, String, String, bool, Option<DateTime<Utc>>);

impl Known {
    async fn load(tx: &mut Tx) -> Result<Known> {
        let mut known = Known::default();
        let families: Vec<FamilyRow> = tx
            .sql(
                "select p.id, p.full_name, p.child_name, l.total_amount, l.due_date
                 from profiles p
                 left join payment_plans l on l.profile_id = p.id
                 where p.deleted_at is null",
            )
            .all()
            .await?;
        for (id, full_name, child_name, total, due) in families {
            known
                .families
                .insert(id, State { full_name, child_name, total, due, ..State::default() });
        }
        let addresses: Vec<AddressRow> = tx
            .sql("select profile_id, kind, email, entered_by_staff, verified_at from profile_addresses")
            .all()
            .await?;
        for (id, kind, email, entered_by_staff, verified_at) in addresses {
            if kind == "primary" && !entered_by_staff && verified_at.is_none() {
                known.unproved.insert(email);
                continue;
            }
            known.by_email.insert(email.clone(), id);
            let Some(state) = known.families.get_mut(&id) else { continue };
            let place = if kind == "primary" { &mut state.primary } else { &mut state.secondary };
            *place = Some(Kept { email, entered_by_staff, verified_at });
        }
        for (id, state) in &known.families {
            if state.primary.is_none() && state.secondary.is_none() {
                known.by_name.insert(key(&state.full_name, &state.child_name), *id);
            }
        }
        Ok(known)
    }

    fn keep(&mut self, id: Uuid, state: State) {
        for address in [&state.primary, &state.secondary].into_iter().flatten() {
            self.by_email.insert(address.email.clone(), id);
        }
        if state.primary.is_none() {
            self.by_name.insert(key(&state.full_name, &state.child_name), id);
        }
        self.families.insert(id, state);
    }

    /// Which family the row is of. Errors: why it can be of none.
    fn find(&self, wanted: &Wanted) -> Result<Option<Uuid>, &'static str> {
        let by = |email: &Option<String>| email.as_ref().and_then(|email| self.by_email.get(email));
        match (by(&wanted.email), by(&wanted.second)) {
            (Some(one), Some(other)) if one != other => Err(
                "The two addresses belong to two families. Please merge them in the user list, or \
                 correct the row.",
            ),
            (Some(id), _) | (None, Some(id)) => Ok(Some(*id)),
            (None, None) if wanted.email.is_some() => Ok(None),
            (None, None) => {
                Ok(self.by_name.get(&key(&wanted.full_name, &wanted.child_name)).copied())
            }
        }
    }
}

fn key(full_name: &str, child_name: &str) -> String {
    format!("{}\n{}", fold(full_name), fold(child_name))
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

impl State {
    /// The family with what the row says of it. Empty cells leave things as they are. Errors: why
    /// that cannot be.
    fn with(&self, wanted: &Wanted) -> Result<State, &'static str> {
        let mut after = State {
            full_name: wanted.full_name.clone(),
            child_name: wanted.child_name.clone(),
            ..self.clone()
        };
        for email in [&wanted.email, &wanted.second].into_iter().flatten() {
            let there = |kept: &Option<Kept>| kept.as_ref().is_some_and(|k| k.email == *email);
            match () {
                _ if there(&after.primary) || there(&after.secondary) => {}
                _ if after.primary.is_none() => after.primary = Some(Kept::typed(email)),
                _ if after.secondary.is_none() => after.secondary = Some(Kept::typed(email)),
                _ => return Err("This family has two other addresses already. Please edit it."),
            }
        }
        if let Total::Cents(cents) = wanted.total {
            after.total = Some(cents);
        }
        after.due = wanted.due.or(after.due);
        Ok(after)
    }
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
            void_of: None,
        };
        let before = (wanted.paid != 0).then_some((actor, entry));
        payments::open(tx, now, id, total, wanted.due, before).await?;
    }
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
        refold(tx, id).await?;
    }
    if (&before.primary, &before.secondary) != (&after.primary, &after.secondary) {
        set_addresses(tx, now, id, after.primary.clone(), after.secondary.clone()).await?;
    }
    let plan = PlanChanges {
        total_amount: after.total.filter(|_| after.total != before.total),
        due_date: (after.due != before.due).then_some(after.due),
        ..PlanChanges::default()
    };
    payments::change(tx, app, settings, actor, id, &plan).await
}

#[cfg(test)]
mod tests {
    use super::cents;

    #[test]
    fn amounts_are_read_as_offices_write_them() {
        for (typed, read) in [
            ("2800", Some(280_000)),
            ("2,800.50", Some(280_050)),
            ("$ 2,800", Some(280_000)),
            ("0.5", Some(50)),
            ("1,234,567", Some(123_456_700)),
            ("2.800,00", None),
            ("28,00", None),
            ("-5", None),
            ("1.234", None),
            ("", None),
            (".", None),
            ("twelve", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(cents(typed), read, "{typed}");
        }
    }
}
