//! The ledger: records payments, adjustments and refunds, and voids rows.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::plan::settle;
use super::today;
use super::{Kind, NO_PLAN, Payment, PaymentPlan, Plan, check_date, find, receipt};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::ids::FamilyId;
use crate::money::{Cents, MAX_AMOUNT, money};
use crate::settings::Settings;
use crate::validation::Validator;
use crate::{App, Error, Result, families, idempotency};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = NewPaymentKind)]
pub enum NewKind {
    Payment,
    Adjustment,
    Refund,
}

/// The "Record Payment" form.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewPayment {
    pub kind: NewKind,
    /// Cents, more than 0. An adjustment can be negative to reduce what was paid.
    #[schema(value_type = i64)]
    pub amount: Cents,
    /// Today or earlier, in the camp's time zone.
    pub payment_date: NaiveDate,
    /// The family sees this: in the mail about it, on its profile page and on paper.
    pub notes: Option<String>,
    /// Only staff see this.
    pub staff_notes: Option<String>,
    /// Allows a payment of more than what remains.
    #[serde(default)]
    pub as_credit: bool,
}

/// The "Void" form. One of the two reasons is needed.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewVoid {
    /// The family sees this.
    pub reason: Option<String>,
    /// Only staff see this.
    pub staff_notes: Option<String>,
}

/// The new row, and the family's plan after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = RecordedPayment)]
pub struct Recorded {
    pub payment: Payment,
    pub plan: PaymentPlan,
}

/// A row to write.
pub struct Entry {
    pub kind: Kind,
    /// The change of the paid amount in cents.
    pub amount: Cents,
    pub payment_date: NaiveDate,
    /// Visible to the family.
    pub notes: Option<String>,
    pub staff_notes: Option<String>,
    pub void_of: Option<Uuid>,
}

/// Validates a note, for the family or for staff.
pub(super) fn note(checks: &mut Validator, field: &str, typed: &Option<String>) -> Option<String> {
    let text = checks.block(field, typed.as_deref().unwrap_or_default(), 500);
    (!text.is_empty()).then_some(text)
}

impl NewPayment {
    fn check(&self, settings: &Settings, today: NaiveDate) -> Result<Entry> {
        let mut checks = Validator::new();
        let notes = note(&mut checks, "notes", &self.notes);
        let staff_notes = note(&mut checks, "staff_notes", &self.staff_notes);
        let (kind, amount) = match self.kind {
            NewKind::Payment => (Kind::Payment, self.amount),
            NewKind::Refund => (Kind::Refund, -self.amount),
            NewKind::Adjustment => (Kind::Adjustment, self.amount),
        };
        if kind == Kind::Adjustment {
            checks.require(amount != Cents::ZERO, "amount", "Please enter an amount other than 0.");
            let missing = "Please add a note that says why.";
            checks.require(notes.is_some() || staff_notes.is_some(), "notes", missing);
        } else {
            checks.require(
                self.amount > Cents::ZERO,
                "amount",
                "Please enter an amount greater than 0.",
            );
        }
        checks.require((-MAX_AMOUNT..=MAX_AMOUNT).contains(&amount), "amount", {
            format!("Please enter an amount up to {}.", money(MAX_AMOUNT, &settings.currency))
        });
        check_date(&mut checks, "payment_date", self.payment_date);
        let future = "The payment date cannot be in the future.";
        checks.require(self.payment_date <= today, "payment_date", future);
        checks.done()?;
        let payment_date = self.payment_date;
        Ok(Entry { kind, amount, payment_date, notes, staff_notes, void_of: None })
    }
}

/// Records a payment, an adjustment or a refund. Families get mail about payments and refunds
/// (decisions $5 and M6). The same `key` with the same body returns the first result and records
/// nothing, so that a double click or a retry counts once (decision $2).
///
/// # Errors
///
/// [`Error::Invalid`], [`Error::NotFound`] without a plan or when the family was deleted,
/// [`Error::Conflict`] for a key that was used for something else.
pub async fn record(
    app: &App,
    actor: Actor,
    profile_id: FamilyId,
    key: Uuid,
    new: &NewPayment,
) -> Result<Recorded> {
    let settings = app.settings().await?;
    let now = app.clock.now();
    let today = today(&settings, now);
    let hash = request_hash(app, profile_id, new)?;
    let mut tx = app.db.begin().await?;
    if let Some(before) = answered(&mut tx, key, &hash).await? {
        return Ok(before);
    }
    let entry = new.check(&settings, today)?;
    families::lock(&mut tx, now, profile_id).await?;
    // The first of two clicks may have been recorded while the second waited for the lock.
    if let Some(before) = answered(&mut tx, key, &hash).await? {
        return Ok(before);
    }
    let plan = find(&mut tx, profile_id).await?.ok_or(NO_PLAN)?;
    within_bounds(&plan, &entry, new.as_credit, &settings)?;
    let id = enter(&mut tx, now, actor, &plan, &entry).await?;
    let plan = settle(&mut tx, now, plan.id).await?.on(today);
    let recorded = Recorded { payment: read(&mut tx, id).await?, plan };
    remember(&mut tx, app, key, &hash, &recorded).await?;
    if matches!(entry.kind, Kind::Payment | Kind::Refund) {
        receipt::send(&mut tx, app, profile_id, &recorded).await?;
    }
    tx.commit().await?;
    Ok(recorded)
}

fn within_bounds(plan: &Plan, entry: &Entry, as_credit: bool, settings: &Settings) -> Result<()> {
    let shown = |cents| money(cents, &settings.currency);
    let paid = plan.paid_amount + entry.amount;
    if entry.kind == Kind::Payment && entry.amount > plan.remaining() && !as_credit {
        return Err(Error::invalid(
            "amount",
            format!(
                "This is more than the remaining balance of {}. Check “Record as credit” to \
                 record it anyway.",
                shown(plan.remaining())
            ),
        ));
    }
    if paid < Cents::ZERO {
        let text = format!("This is more than the {} paid so far.", shown(plan.paid_amount));
        return Err(Error::invalid("amount", text));
    }
    if paid > MAX_AMOUNT {
        let text = format!("A family cannot have paid more than {}.", shown(MAX_AMOUNT));
        return Err(Error::invalid("amount", text));
    }
    Ok(())
}

/// Voids one row of the ledger by another (decision $1) and notifies the family by mail. With a
/// `key`, a retry returns the first result, as in [`record`].
///
/// # Errors
///
/// [`Error::NotFound`] when there is no such row or its family was deleted, [`Error::Invalid`]
/// without a reason, [`Error::Conflict`] for a void, for a row that is already void, when less than
/// nothing would be paid without it, and for a key that was used for something else.
pub async fn void(
    app: &App,
    actor: Actor,
    id: Uuid,
    key: Option<Uuid>,
    new: &NewVoid,
) -> Result<Recorded> {
    let mut checks = Validator::new();
    let notes = note(&mut checks, "reason", &new.reason);
    let staff_notes = note(&mut checks, "staff_notes", &new.staff_notes);
    checks.require(notes.is_some() || staff_notes.is_some(), "reason", "Please give a reason.");
    checks.done()?;
    let settings = app.settings().await?;
    let now = app.clock.now();
    let hash = request_hash(app, id, new)?;
    let mut tx = app.db.begin().await?;
    let profile_id = family_of(&mut tx, id).await?;
    families::lock(&mut tx, now, profile_id).await?;
    if let Some(key) = key
        && let Some(before) = answered(&mut tx, key, &hash).await?
    {
        return Ok(before);
    }
    let (plan, amount) = voidable(&mut tx, &settings, profile_id, id).await?;
    let today = today(&settings, now);
    let entry = Entry {
        kind: Kind::Void,
        amount: -amount,
        payment_date: today,
        notes,
        staff_notes,
        void_of: Some(id),
    };
    let id = enter(&mut tx, now, actor, &plan, &entry).await?;
    let plan = settle(&mut tx, now, plan.id).await?.on(today);
    let recorded = Recorded { payment: read(&mut tx, id).await?, plan };
    if let Some(key) = key {
        remember(&mut tx, app, key, &hash, &recorded).await?;
    }
    receipt::send(&mut tx, app, profile_id, &recorded).await?;
    tx.commit().await?;
    Ok(recorded)
}

/// Returns the plan and the amount of a row that can be voided. The caller holds the family's lock.
async fn voidable(
    tx: &mut Tx,
    settings: &Settings,
    profile_id: FamilyId,
    id: Uuid,
) -> Result<(Plan, Cents)> {
    let (kind, amount, voided): (Kind, Cents, bool) = tx
        .sql(
            "select p.kind, p.amount,
                    exists (select 1 from payments v where v.void_of = p.id) as voided
             from payments p
             where p.id = $1",
        )
        .bind(id)
        .one()
        .await?;
    if kind == Kind::Void {
        return Err(Error::Conflict("A void cannot be voided. Please record the payment again."));
    }
    if voided {
        return Err(Error::Conflict("This was already voided."));
    }
    let plan = find(&mut *tx, profile_id).await?.ok_or(NO_PLAN)?;
    if plan.paid_amount < amount {
        let text = lowered(tx, &plan).await?.what_to_void(&plan, amount, settings);
        return Err(Error::Forestalled { code: "conflict", text });
    }
    Ok((plan, amount))
}

/// What lowered the paid amount of a plan and was not voided: sums and numbers of rows.
#[derive(sqlx::FromRow)]
struct Lowered {
    refunded: Cents,
    refunds: i64,
    taken_off: Cents,
    adjustments: i64,
}

async fn lowered(tx: &mut Tx, plan: &Plan) -> Result<Lowered> {
    tx.sql(
        "select cast(coalesce(sum(case when p.kind = 'refund' then -p.amount end), 0) as bigint)
                  as refunded,
                count(case when p.kind = 'refund' then 1 end) as refunds,
                cast(coalesce(sum(case when p.kind = 'adjustment' then -p.amount end), 0) as bigint)
                  as taken_off,
                count(case when p.kind = 'adjustment' then 1 end) as adjustments
         from payments p
         where p.plan_id = $1 and p.amount < 0
           and not exists (select 1 from payments v where v.void_of = p.id)",
    )
    .bind(plan.id)
    .one()
    .await
}

impl Lowered {
    /// Says what has to be voided before a row of this amount can be, because less than this is
    /// paid.
    fn what_to_void(&self, plan: &Plan, amount: Cents, settings: &Settings) -> String {
        let shown = |amount| money(amount, &settings.currency);
        let s = |rows: i64| if rows == 1 { "" } else { "s" };
        let (refunded, taken_off) = (shown(self.refunded), shown(self.taken_off));
        if plan.paid_amount + self.refunded >= amount {
            return format!(
                "{refunded} was already refunded; void the refund{} first.",
                s(self.refunds)
            );
        }
        let (by, s) = (if self.adjustments == 1 { "an " } else { "" }, s(self.adjustments));
        if plan.paid_amount + self.taken_off >= amount {
            return format!(
                "{taken_off} was already taken off by {by}adjustment{s}; void the adjustment{s} first."
            );
        }
        format!(
            "{refunded} was already refunded and {taken_off} taken off by {by}adjustment{s}; void \
             these first."
        )
    }
}

async fn family_of(tx: &mut Tx, payment_id: Uuid) -> Result<FamilyId> {
    let found: Option<(FamilyId,)> = tx
        .sql(
            "select l.profile_id from payments p
             join payment_plans l on l.id = p.plan_id
             join profiles f on f.id = l.profile_id
             where p.id = $1 and f.deleted_at is null",
        )
        .bind(payment_id)
        .optional()
        .await?;
    found.map(|(id,)| id).ok_or(Error::NotFound("Payment not found."))
}

/// Writes a row of a plan and its audit record. The caller settles the plan afterwards.
pub(super) async fn enter(
    tx: &mut Tx,
    now: DateTime<Utc>,
    actor: Actor,
    plan: &Plan,
    entry: &Entry,
) -> Result<Uuid> {
    let id = Uuid::now_v7();
    tx.sql(
        "insert into payments
           (id, plan_id, kind, amount, payment_date, notes, staff_notes, void_of, recorded_by,
            created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(id)
    .bind(plan.id)
    .bind(entry.kind)
    .bind(entry.amount)
    .bind(entry.payment_date)
    .bind(entry.notes.clone())
    .bind(entry.staff_notes.clone())
    .bind(entry.void_of)
    .bind(actor.staff_id())
    .bind(now)
    .execute()
    .await?;
    let details = json!({
        "payment_id": id, "kind": entry.kind, "amount": entry.amount,
        "payment_date": entry.payment_date, "void_of": entry.void_of,
        "paid_amount": audit::changed(plan.paid_amount, plan.paid_amount + entry.amount),
    });
    let subject = Subject::new(SubjectKind::Profile, plan.profile_id);
    audit::record(tx, now, actor, Action::PaymentRecord, subject, details).await?;
    Ok(id)
}

/// Reads a row that was just written.
async fn read(tx: &mut Tx, id: Uuid) -> Result<Payment> {
    tx.sql(
        "select p.id, p.kind, p.amount, p.payment_date, p.notes, p.staff_notes, p.created_at,
                (1 = 0) as voided, p.void_of, s.username as recorded_by
         from payments p
         left join staff s on s.id = p.recorded_by
         where p.id = $1",
    )
    .bind(id)
    .one()
    .await
}

/// Hashes a request: the form, its content, and the family or row.
fn request_hash(app: &App, subject: impl Into<Uuid>, form: &impl Serialize) -> Result<Vec<u8>> {
    let body = serde_json::to_vec(form).map_err(Error::unforeseen)?;
    Ok(app.keys.hash("payment request", &[subject.into().as_bytes(), &body]))
}

/// Returns the result that is stored under a key.
async fn answered(tx: &mut Tx, key: Uuid, hash: &[u8]) -> Result<Option<Recorded>> {
    let stored: Option<(Vec<u8>, String)> = tx
        .sql("select request_hash, answer from payment_requests where key = $1")
        .bind(key)
        .optional()
        .await?;
    match stored {
        None => Ok(None),
        Some((before, answer)) if before == hash => {
            serde_json::from_str(&answer).map(Some).map_err(Error::unforeseen)
        }
        Some(_) => Err(OTHER_BODY),
    }
}

const OTHER_BODY: Error = Error::Conflict(
    "Another payment was recorded under this Idempotency-Key. Please reload the page and try again.",
);

/// Deletes old idempotency keys, with the responses that are kept for them.
pub async fn prune(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    tx.sql("delete from payment_requests where created_at < $1")
        .bind(app.clock.now() - idempotency::RETENTION)
        .execute()
        .await?;
    tx.commit().await
}

async fn remember(
    tx: &mut Tx,
    app: &App,
    key: Uuid,
    hash: &[u8],
    recorded: &Recorded,
) -> Result<()> {
    let answer = serde_json::to_string(recorded).map_err(Error::unforeseen)?;
    let kept = tx
        .sql(
            "insert into payment_requests (key, request_hash, payment_id, answer, created_at)
             values ($1, $2, $3, $4, $5)
             on conflict (key) do nothing",
        )
        .bind(key)
        .bind(hash.to_vec())
        .bind(recorded.payment.id)
        .bind(answer)
        .bind(app.clock.now())
        .execute()
        .await?;
    match kept {
        0 => Err(OTHER_BODY),
        _ => Ok(()),
    }
}
