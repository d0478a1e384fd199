//! The entries of all ledgers by their day, which the office compares with its deposits and its bank.

use chrono::NaiveDate;
use chrono_tz::Tz;
use serde::Serialize;
use serde_json::json;
use uuid::Uuid;

use super::{Kind, PAYMENT_COLUMNS, Payment};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::dates::check_days;
use crate::db::{On, Sql, day_place};
use crate::ids::FamilyId;
use crate::money::Cents;
use crate::pagination::{Page, PageRequest};
use crate::spreadsheet::cell::{decimal, plain, table};
use crate::{App, Result};

/// Days of the camp's calendar, both included. Without one, from the first or to the last entry.
#[derive(Debug, Clone, Copy, Default)]
pub struct Days {
    pub from: Option<NaiveDate>,
    pub to: Option<NaiveDate>,
}

impl Days {
    /// The first and the last day.
    fn bounds(self) -> Result<(NaiveDate, NaiveDate)> {
        check_days(self.from, self.to)?;
        let ever = (NaiveDate::from_ymd_opt(1900, 1, 1), NaiveDate::from_ymd_opt(2200, 12, 31));
        Ok((self.from.or(ever.0).unwrap_or_default(), self.to.or(ever.1).unwrap_or_default()))
    }
}

/// One entry of a ledger, with its family.
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct JournalEntry {
    #[serde(flatten)]
    #[sqlx(flatten)]
    pub payment: Payment,
    #[schema(value_type = Uuid)]
    pub family_id: FamilyId,
    /// Empty for a family that was deleted, as is the name of the child.
    pub full_name: String,
    pub child_name: String,
    /// The family was deleted. Its ledger stays, without notes.
    pub is_deleted: bool,
}

/// The entries of one kind.
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct JournalTotal {
    pub kind: Kind,
    pub entries: i64,
    /// Their sum in cents: of refunds it is negative.
    #[schema(value_type = i64)]
    pub amount: Cents,
}

/// What was recorded for a period.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct JournalTotals {
    /// One for each kind that has entries.
    pub items: Vec<JournalTotal>,
    /// The sum of all entries in cents.
    #[schema(value_type = i64)]
    pub amount: Cents,
    pub currency: String,
}

/// Ends where the selection of the payments begins.
const ENTRIES: [&str; 3] = [
    "select ",
    PAYMENT_COLUMNS,
    ", f.id as family_id, f.full_name, f.child_name, f.deleted_at is not null as is_deleted
     from (select * from payments
           where payment_date between $1 and $2 ",
];

/// Continues after the selection of the payments. Without one of its own, SQLite would start from the families and
/// sort all payments for each page.
const PEOPLE: &str = ") p
     join payment_plans l on l.id = p.plan_id
     join profiles f on f.id = l.profile_id
     left join payments v on v.void_of = p.id
     left join staff s on s.id = p.recorded_by
     left join former_staff g on g.id = p.recorded_by_former ";

/// Returns the entries of a period, the latest first.
///
/// # Errors
///
/// [`Error::Invalid`] on `from`, `to` or `cursor`.
pub async fn journal(app: &App, days: Days, part: &PageRequest) -> Result<Page<JournalEntry>> {
    let (from, to) = days.bounds()?;
    let after: Option<(NaiveDate, Uuid)> = part.after("payments")?;
    let rows: Vec<JournalEntry> = app
        .db
        .sql(Sql::from(ENTRIES).and([
            "and ($3 is null or (payment_date, id) < ($3, $4))
             order by payment_date desc, id desc limit $5",
            PEOPLE,
            "order by p.payment_date desc, p.id desc",
        ]))
        .bind(from)
        .bind(to)
        .bind(after.map(|(day, _)| day))
        .bind(after.map(|(_, id)| id))
        .bind(part.limit() + 1)
        .all()
        .await?;
    let rows = rows.into_iter().map(without_notes_of_deleted).collect();
    Ok(part.page("payments", rows, |row| (row.payment.payment_date, row.payment.id)))
}

/// Returns the sums of a period by kind.
///
/// # Errors
///
/// [`Error::Invalid`] on `from` or `to`.
pub async fn journal_totals(app: &App, days: Days) -> Result<JournalTotals> {
    let (from, to) = days.bounds()?;
    let items: Vec<JournalTotal> = app
        .db
        .sql(
            "select kind, cast(sum(entries) as bigint) as entries, cast(sum(amount) as bigint) as amount
             from (select kind, total as entries, 0 as amount from tallies
                   where name = 'payment_entries' and place between $1 and $2
                   union all
                   select kind, 0, total from tallies
                   where name = 'payments' and place between $1 and $2) sums
             group by kind
             having sum(entries) > 0
             order by case kind when 'payment' then 1 when 'adjustment' then 2
                                when 'refund' then 3 else 4 end",
        )
        .bind(day_place(from))
        .bind(day_place(to))
        .all()
        .await?;
    let amount = items.iter().map(|item| item.amount).sum();
    Ok(JournalTotals { items, amount, currency: app.settings().await?.currency.clone() })
}

/// Returns the entries of a period as CSV in UTF-8, the earliest first, and records that in the audit log.
///
/// # Errors
///
/// [`Error::Invalid`] on `from` or `to`.
pub async fn journal_csv(app: &App, actor: Actor, days: Days) -> Result<String> {
    let (from, to) = days.bounds()?;
    let zone = app.settings().await?.timezone;
    let rows: Vec<JournalEntry> = On::from(&app.db)
        .sql(Sql::from(ENTRIES).and([PEOPLE, "order by p.payment_date, p.id"]))
        .bind(from)
        .bind(to)
        .all()
        .await?;
    let head = [
        "Date",
        "Kind",
        "Amount",
        "Name",
        "Child",
        "Note",
        "Staff Note",
        "Voided",
        "Recorded By",
        "Recorded",
        "Id",
    ];
    let count = rows.len();
    let rows = rows.into_iter().map(without_notes_of_deleted);
    let text = table(&head, rows.map(|entry| cells(&entry, zone)))?;
    let details = json!({ "entries": count, "from": days.from, "to": days.to });
    let mut tx = app.db.begin().await?;
    let subject = Subject::none(SubjectKind::Profile);
    audit::record(&mut tx, app.clock.now(), actor, Action::PaymentExport, subject, details).await?;
    tx.commit().await?;
    Ok(text)
}

fn cells(entry: &JournalEntry, zone: Tz) -> [String; 11] {
    let JournalEntry { payment, full_name, child_name, is_deleted, .. } = entry;
    let text = |text: &Option<String>| plain(text.as_deref().unwrap_or_default());
    [
        payment.payment_date.to_string(),
        word(payment.kind).to_owned(),
        decimal(payment.amount),
        if *is_deleted { "Deleted family".to_owned() } else { plain(full_name) },
        plain(child_name),
        text(&payment.notes),
        text(&payment.staff_notes),
        if payment.voided { "yes".to_owned() } else { String::new() },
        text(&payment.recorded_by),
        payment.created_at.with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string(),
        payment.id.to_string(),
    ]
}

/// Notes may name people.
fn without_notes_of_deleted(mut entry: JournalEntry) -> JournalEntry {
    if entry.is_deleted {
        (entry.payment.notes, entry.payment.staff_notes) = (None, None);
    }
    entry
}

fn word(kind: Kind) -> &'static str {
    match kind {
        Kind::Payment => "Payment",
        Kind::Adjustment => "Adjustment",
        Kind::Refund => "Refund",
        Kind::Void => "Void",
    }
}
