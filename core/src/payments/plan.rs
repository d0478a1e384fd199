//! The payment plan of a family: what it owes and by when. The paid amount is always the sum of its
//! ledger.

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Entry, Kind, ledger, today};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{On, Tx};
use crate::ids::FamilyId;
use crate::money::{Cents, MAX_AMOUNT, money};
use crate::settings::Settings;
use crate::validation::Validator;
use crate::{App, Error, Result, families};

pub(crate) const NO_PLAN: Error = Error::NotFound("Payment plan not found");

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = PaymentBadge)]
pub enum Badge {
    PaidInFull,
    PaymentDue,
    Overdue,
    /// Only for lists: a family without a plan.
    NoPlan,
}

/// The payment plan of a family. Amounts are in cents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PaymentPlan {
    #[schema(value_type = i64)]
    pub total_amount: Cents,
    /// The sum of the ledger.
    #[schema(value_type = i64)]
    pub paid_amount: Cents,
    /// Never below 0.
    #[schema(value_type = i64)]
    pub remaining_amount: Cents,
    /// What was paid above the total.
    #[schema(value_type = i64)]
    pub credit: Cents,
    pub is_fully_paid: bool,
    pub due_date: Option<NaiveDate>,
    /// Rounded down; 100 only when fully paid, and never more.
    pub percent: i64,
    pub badge: Badge,
    pub version: i64,
}

/// The row of a plan.
#[derive(Debug, Clone, sqlx::FromRow)]
pub(crate) struct Plan {
    pub id: Uuid,
    pub profile_id: FamilyId,
    pub total_amount: Cents,
    pub paid_amount: Cents,
    pub due_date: Option<NaiveDate>,
    pub version: i64,
}

/// The sort keys of families in lists ordered by payment: first families that owe, by due date;
/// then those that owe without a due date, those without a plan, and those that have paid.
pub(crate) mod standing {
    pub const NO_DATE: i64 = 8_000_000;
    pub const NO_PLAN: i64 = 9_000_000;
    pub const PAID: i64 = 10_000_000;
}

impl Plan {
    pub fn remaining(&self) -> Cents {
        (self.total_amount - self.paid_amount).max(Cents::ZERO)
    }

    pub fn is_fully_paid(&self) -> bool {
        self.paid_amount >= self.total_amount
    }

    pub fn standing(&self) -> i64 {
        match self.due_date {
            _ if self.is_fully_paid() => standing::PAID,
            Some(date) => day_number(date),
            None => standing::NO_DATE,
        }
    }

    /// The plan as of that day in the camp's time zone. Due today is not overdue (decision $3).
    pub fn on(&self, today: NaiveDate) -> PaymentPlan {
        let full = self.is_fully_paid();
        PaymentPlan {
            total_amount: self.total_amount,
            paid_amount: self.paid_amount,
            remaining_amount: self.remaining(),
            credit: (self.paid_amount - self.total_amount).max(Cents::ZERO),
            is_fully_paid: full,
            due_date: self.due_date,
            percent: if full { 100 } else { self.paid_amount.percent_of(self.total_amount) },
            badge: match self.due_date {
                _ if full => Badge::PaidInFull,
                Some(date) if date < today => Badge::Overdue,
                _ => Badge::PaymentDue,
            },
            version: self.version,
        }
    }
}

/// Days since the year 1, the form in which `list_standing` stores a due date.
pub(crate) fn day_number(date: NaiveDate) -> i64 {
    i64::from(date.num_days_from_ce())
}

pub(crate) async fn find(on: impl Into<On<'_>>, profile_id: FamilyId) -> Result<Option<Plan>> {
    on.into()
        .sql(
            "select id, profile_id, total_amount, paid_amount, due_date, version
             from payment_plans
             where profile_id = $1",
        )
        .bind(profile_id)
        .optional()
        .await
}

/// Creates the plan of a family, with earlier payments as an adjustment. The caller holds the
/// family's lock ([`families::lock`]) or has just created the family.
pub(crate) async fn open(
    tx: &mut Tx,
    now: DateTime<Utc>,
    profile_id: FamilyId,
    total_amount: Cents,
    due_date: Option<NaiveDate>,
    before: Option<(Actor, Entry)>,
) -> Result<Plan> {
    let id = Uuid::now_v7();
    let paid_amount = before.as_ref().map_or(Cents::ZERO, |(_, entry)| entry.amount);
    let nothing = Cents::ZERO;
    let empty = Plan { id, profile_id, total_amount, paid_amount: nothing, due_date, version: 1 };
    let plan = Plan { paid_amount, ..empty.clone() };
    tx.sql(
        "insert into payment_plans
           (id, profile_id, total_amount, paid_amount, due_date, reminders_from, version, created_at,
            updated_at)
         values ($1, $2, $3, $4, $5, $7, $6, $7, $7)",
    )
    .bind(id)
    .bind(profile_id)
    .bind(total_amount)
    .bind(paid_amount)
    .bind(due_date)
    .bind(plan.version)
    .bind(now)
    .execute()
    .await?;
    if let Some((actor, entry)) = before {
        ledger::enter(tx, now, actor, &empty, &entry).await?;
    }
    families::set_standing(tx, profile_id, plan.standing(), Some(paid_amount)).await?;
    Ok(plan)
}

/// Changes of staff to a plan. Omitted fields stay as they are.
#[derive(Debug, Default)]
pub(crate) struct PlanChanges {
    pub total_amount: Option<Cents>,
    /// The new paid amount. The difference is recorded as an adjustment.
    pub paid_amount: Option<Cents>,
    pub adjustment_note: Option<String>,
    pub adjustment_staff_note: Option<String>,
    pub due_date: Option<Option<NaiveDate>>,
}

impl PlanChanges {
    pub fn check(&self, checks: &mut Validator, settings: &Settings) {
        for (field, amount) in
            [("total_amount", self.total_amount), ("paid_amount", self.paid_amount)]
        {
            if let Some(amount) = amount {
                check_amount(checks, field, amount, settings);
            }
        }
        if let Some(Some(date)) = self.due_date {
            check_date(checks, "due_date", date);
        }
    }
}

pub(crate) fn check_amount(
    checks: &mut Validator,
    field: &str,
    amount: Cents,
    settings: &Settings,
) {
    checks.require((Cents::ZERO..=MAX_AMOUNT).contains(&amount), field, {
        format!("Please enter an amount from 0 to {}.", money(MAX_AMOUNT, &settings.currency))
    });
}

pub(crate) fn check_date(checks: &mut Validator, field: &str, date: NaiveDate) {
    let ok = (2000..=2100).contains(&date.year());
    checks.require(ok, field, "Please enter a date between 2000 and 2100.");
}

/// Changes a plan, or creates one if there is none and a value is given. The caller holds the
/// family's lock.
///
/// # Errors
///
/// [`Error::Invalid`] on `adjustment_note` when the paid amount changes without a note.
pub(crate) async fn change(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    profile_id: FamilyId,
    changes: &PlanChanges,
) -> Result<()> {
    let now = app.clock.now();
    let (before, is_new) = match find(&mut *tx, profile_id).await? {
        Some(plan) => (plan, false),
        None => {
            let asked = changes.total_amount.is_some()
                || changes.paid_amount.is_some_and(|paid| paid != Cents::ZERO)
                || changes.due_date.flatten().is_some();
            if !asked {
                return Ok(());
            }
            let total = changes.total_amount.unwrap_or(settings.default_plan_amount);
            (open(tx, now, profile_id, total, None, None).await?, true)
        }
    };
    let total_amount = changes.total_amount.unwrap_or(before.total_amount);
    let due_date = changes.due_date.unwrap_or(before.due_date);
    let difference = changes.paid_amount.map_or(Cents::ZERO, |paid| paid - before.paid_amount);
    if difference != Cents::ZERO {
        let mut checks = Validator::new();
        let notes = ledger::note(&mut checks, "adjustment_note", &changes.adjustment_note);
        let staff_notes =
            ledger::note(&mut checks, "adjustment_staff_note", &changes.adjustment_staff_note);
        let missing = "Please add a note that says why the paid amount changes.";
        checks.require(notes.is_some() || staff_notes.is_some(), "adjustment_note", missing);
        checks.done()?;
        let entry = Entry {
            kind: Kind::Adjustment,
            amount: difference,
            payment_date: today(settings, now),
            notes,
            staff_notes,
            void_of: None,
        };
        ledger::enter(tx, now, actor, &before, &entry).await?;
    }
    // The ledger row already records what is paid.
    let shown = |total: Option<Cents>, due| json!({ "total_amount": total, "due_date": due });
    let known = Some(before.total_amount).filter(|_| !is_new);
    let details =
        audit::differences(&shown(known, before.due_date), &shown(Some(total_amount), due_date));
    if difference == Cents::ZERO && details.is_empty() {
        return Ok(());
    }
    set_terms(tx, now, &before, total_amount, due_date).await?;
    settle(tx, now, before.id).await?;
    if details.is_empty() {
        return Ok(());
    }
    let subject = Subject::new(SubjectKind::Profile, profile_id);
    audit::record(tx, now, actor, Action::PaymentPlanChange, subject, Value::Object(details)).await
}

async fn set_terms(
    tx: &mut Tx,
    now: DateTime<Utc>,
    before: &Plan,
    total_amount: Cents,
    due_date: Option<NaiveDate>,
) -> Result<()> {
    // A plan that is owed again because of its ledger is recognized when it is settled.
    let is_new_debt = due_date != before.due_date
        || (before.is_fully_paid() && total_amount > before.total_amount);
    tx.sql(
        "update payment_plans
         set total_amount = $2, due_date = $3,
             reminders_from = case when $4 then $5 else reminders_from end
         where id = $1",
    )
    .bind(before.id)
    .bind(total_amount)
    .bind(due_date)
    .bind(is_new_debt)
    .bind(now)
    .execute()
    .await?;
    Ok(())
}

/// Deletes a plan that never had ledger rows. The caller holds the family's lock.
pub(crate) async fn remove_empty(tx: &mut Tx, profile_id: FamilyId) -> Result<()> {
    let removed = tx
        .sql(
            "delete from payment_plans
             where profile_id = $1
               and not exists (select 1 from payments p where p.plan_id = payment_plans.id)",
        )
        .bind(profile_id)
        .execute()
        .await?;
    match removed {
        0 => Ok(()),
        _ => families::set_standing(tx, profile_id, standing::NO_PLAN, None).await,
    }
}

/// Which total the family has after a merge of two that both have a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = MergedTotal)]
pub enum MergedTotal {
    /// The total of the family that is kept.
    Keep,
    /// The total of the other family.
    Drop,
    /// Both together.
    Sum,
}

/// Merges the plans of two families for the one that is kept. Their ledgers are joined, and the
/// total is the chosen one. The due date is that of the kept family, if it has one. The caller
/// holds both locks.
///
/// # Errors
///
/// [`Error::Invalid`] on `total` when both have a plan and nothing was chosen, [`Error::Conflict`]
/// when the sum is more than a plan can hold.
pub(crate) async fn merge(
    tx: &mut Tx,
    now: DateTime<Utc>,
    keep: FamilyId,
    drop: FamilyId,
    total: Option<MergedTotal>,
) -> Result<()> {
    let Some(dropped) = find(&mut *tx, drop).await? else { return Ok(()) };
    let Some(kept) = find(&mut *tx, keep).await? else {
        tx.sql("update payment_plans set profile_id = $2 where id = $1")
            .bind(dropped.id)
            .bind(keep)
            .execute()
            .await?;
        settle(tx, now, dropped.id).await?;
        return Ok(());
    };
    let total_amount = match total {
        Some(MergedTotal::Keep) => Some(kept.total_amount),
        Some(MergedTotal::Drop) => Some(dropped.total_amount),
        Some(MergedTotal::Sum) => kept.total_amount.checked_add(dropped.total_amount),
        None => {
            let text = "Both families have a plan. Please choose which total stays.";
            return Err(Error::invalid("total", text));
        }
    };
    let too_much = Error::Conflict("The two plans together are more than the portal can hold.");
    let total_amount = total_amount.ok_or(too_much)?;
    tx.sql("update payments set plan_id = $2 where plan_id = $1")
        .bind(dropped.id)
        .bind(kept.id)
        .execute()
        .await?;
    tx.sql("delete from payment_plans where id = $1").bind(dropped.id).execute().await?;
    tx.sql(
        "update payment_plans
         set total_amount = $2, due_date = coalesce(due_date, $3), reminders_from = $4
         where id = $1",
    )
    .bind(kept.id)
    .bind(total_amount)
    .bind(dropped.due_date)
    .bind(now)
    .execute()
    .await?;
    settle(tx, now, kept.id).await?;
    Ok(())
}

/// Updates a plan from its ledger, and the sort keys from the plan.
pub(super) async fn settle(tx: &mut Tx, now: DateTime<Utc>, plan_id: Uuid) -> Result<Plan> {
    let plan: Plan = tx
        .sql(
            "update payment_plans
             set paid_amount = (select coalesce(cast(sum(p.amount) as bigint), 0)
                                from payments p
                                where p.plan_id = payment_plans.id),
                 reminders_from = case when paid_amount >= total_amount then $2
                                       else reminders_from end,
                 version = version + 1, updated_at = $2
             where id = $1
             returning id, profile_id, total_amount, paid_amount, due_date, version",
        )
        .bind(plan_id)
        .bind(now)
        .one()
        .await?;
    families::set_standing(tx, plan.profile_id, plan.standing(), Some(plan.paid_amount)).await?;
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(total_amount: i64, paid_amount: i64, due: Option<&str>) -> PaymentPlan {
        let due_date = due.map(|day| day.parse().expect("a date"));
        let (id, profile_id) = (Uuid::nil(), Uuid::nil().into());
        let (total_amount, paid_amount) = (Cents::new(total_amount), Cents::new(paid_amount));
        Plan { id, profile_id, total_amount, paid_amount, due_date, version: 1 }
            .on("2026-07-15".parse().expect("a date"))
    }

    #[test]
    fn a_plan_is_overdue_the_day_after_and_full_when_all_is_paid() {
        assert_eq!(plan(280_000, 0, Some("2026-07-15")).badge, Badge::PaymentDue);
        assert_eq!(plan(280_000, 0, Some("2026-07-14")).badge, Badge::Overdue);
        assert_eq!(plan(280_000, 0, None).badge, Badge::PaymentDue);
        let full = plan(280_000, 300_000, Some("2026-07-14"));
        assert_eq!(full.badge, Badge::PaidInFull);
        assert_eq!(full.percent, 100);
        assert_eq!(full.credit, Cents::new(20_000));
        assert_eq!(full.remaining_amount, Cents::ZERO);
        assert!(full.is_fully_paid);
        let free = plan(0, 0, None);
        assert_eq!(free.badge, Badge::PaidInFull);
        assert_eq!(free.percent, 100);
        assert!(free.is_fully_paid);
    }

    #[test]
    fn percents_are_rounded_down() {
        assert_eq!(plan(280_000, 279_999, None).percent, 99);
        assert_eq!(plan(MAX_AMOUNT.get(), MAX_AMOUNT.get() - 1, None).percent, 99);
        assert_eq!(plan(300, 100, None).percent, 33);
    }
}
