//! What families owe the camp and what they have paid: one plan per family, with a ledger to which
//! rows are only added (decisions $1 to $4). All amounts are in cents.

mod journal;
mod ledger;
mod plan;
pub(crate) mod receipt;
pub mod reminders;

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use journal::{
    Days, JournalEntry, JournalTotal, JournalTotals, journal, journal_csv, journal_totals,
};
pub use ledger::{Entry, NewPayment, NewVoid, Recorded, prune, record, void};
pub use plan::{Badge, MergedTotal, PaymentPlan};
pub(crate) use plan::{
    NO_PLAN, Plan, PlanChanges, change, check_amount, check_date, day_number, find, merge, open,
    remove_empty, standing,
};
pub use reminders::remind_due;

use crate::accounts::User;
use crate::clock::day_in;
use crate::db::Db;
use crate::ids::FamilyId;
use crate::money::Cents;
use crate::settings::Settings;
use crate::{App, Result};

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = PaymentKind)]
pub enum Kind {
    Payment,
    Adjustment,
    Refund,
    /// Cancels an earlier row.
    Void,
}

/// One row of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct Payment {
    pub id: Uuid,
    pub kind: Kind,
    /// The change of the paid amount in cents: refunds are negative.
    #[schema(value_type = i64)]
    pub amount: Cents,
    pub payment_date: NaiveDate,
    /// The family sees this: in its mails, on its profile page and on paper.
    pub notes: Option<String>,
    /// Only staff see this.
    pub staff_notes: Option<String>,
    pub created_at: DateTime<Utc>,
    /// Voided by a later row.
    pub voided: bool,
    /// For a void: the row that it cancels.
    pub void_of: Option<Uuid>,
    /// User name of the staff account.
    pub recorded_by: Option<String>,
}

/// One row of the ledger as its family sees it, without what only staff see.
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct FamilyPayment {
    pub id: Uuid,
    pub kind: Kind,
    /// The change of the paid amount in cents: refunds are negative.
    #[schema(value_type = i64)]
    pub amount: Cents,
    pub payment_date: NaiveDate,
    pub notes: Option<String>,
    pub created_at: DateTime<Utc>,
    /// Voided by a later row.
    pub voided: bool,
    /// For a void: the row that it cancels.
    pub void_of: Option<Uuid>,
}

/// What a family sees of its own payments.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = OwnPayments)]
pub struct OwnPayments {
    pub plan: Option<PaymentPlan>,
    /// The latest first.
    pub items: Vec<FamilyPayment>,
    pub currency: String,
    /// How the camp wants to be paid, or empty.
    pub payment_instructions: String,
}

pub(crate) fn today(settings: &Settings, now: DateTime<Utc>) -> NaiveDate {
    day_in(settings.timezone, now)
}

/// The columns of a [`Payment`] from `payments p`, its void `v` and the staff account `s`, or `g` if it is gone.
const PAYMENT_COLUMNS: &str =
    "p.id, p.kind, p.amount, p.payment_date, p.notes, p.staff_notes, p.created_at,
                v.id is not null as voided, p.void_of,
                coalesce(s.username, g.username) as recorded_by";

/// Returns the ledger of a family for staff, the latest row first.
pub(crate) async fn history(db: &Db, profile_id: FamilyId) -> Result<Vec<Payment>> {
    db.sql([
        "select ",
        PAYMENT_COLUMNS,
        "
         from payment_plans l
         join payments p on p.plan_id = l.id
         left join payments v on v.void_of = p.id
         left join staff s on s.id = p.recorded_by
         left join former_staff g on g.id = p.recorded_by_former
         where l.profile_id = $1
         order by p.payment_date desc, p.id desc",
    ])
    .bind(profile_id)
    .all()
    .await
}

/// Returns the ledger of a family for its members, the latest row first.
pub(crate) async fn family_history(db: &Db, profile_id: FamilyId) -> Result<Vec<FamilyPayment>> {
    db.sql(
        "select p.id, p.kind, p.amount, p.payment_date, p.notes, p.created_at,
                v.id is not null as voided, p.void_of
         from payment_plans l
         join payments p on p.plan_id = l.id
         left join payments v on v.void_of = p.id
         where l.profile_id = $1
         order by p.payment_date desc, p.id desc",
    )
    .bind(profile_id)
    .all()
    .await
}

/// Returns the plan and the ledger of a user's family, without the staff's internal notes.
/// "Download my data" uses this too, so it does not contain them either.
pub async fn own(app: &App, user: &User) -> Result<OwnPayments> {
    let settings = app.settings().await?;
    let plan = find(&app.db, user.profile_id).await?;
    let items = family_history(&app.db, user.profile_id).await?;
    Ok(OwnPayments {
        plan: plan.map(|plan| plan.on(today(&settings, app.clock.now()))),
        items,
        currency: settings.currency.clone(),
        payment_instructions: settings.payment_instructions.clone(),
    })
}
