//! The totals above the list of families.

use serde::Serialize;

use super::list::TO_APPROVE;
use crate::money::Cents;
use crate::payments::{self, standing};
use crate::settings::Settings;
use crate::{App, Result};

/// The number of families by payment status, and what all have paid.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = FamilySummary)]
pub struct Summary {
    pub total_users: i64,
    pub paid_in_full: i64,
    /// Cents, including payments of deleted families.
    #[schema(value_type = i64)]
    pub total_revenue: Cents,
    pub overdue: i64,
    pub to_approve: i64,
    pub no_plan: i64,
    /// As in the filter: includes families without a plan.
    pub due: i64,
    pub currency: String,
    /// Cents that a new family owes.
    #[schema(value_type = i64)]
    pub default_plan_amount: Cents,
}

/// Returns the totals above the list.
pub async fn summary(app: &App, settings: &Settings) -> Result<Summary> {
    let today = payments::today(settings, app.clock.now());
    let (total_users, paid_in_full, overdue, no_plan, to_approve, total_revenue): (
        i64,
        i64,
        i64,
        i64,
        i64,
        Cents,
    ) = app
        .db
        .sql([
            "select count(*), count(case when list_standing = $1 then 1 end),
                    count(case when list_standing < $2 then 1 end),
                    count(case when list_standing = $3 then 1 end),
                    (select count(*) from profiles p where p.deleted_at is null and ",
            TO_APPROVE,
            "),
                    (select coalesce(cast(sum(l.paid_amount) as bigint), 0) from payment_plans l)
             from profiles
             where deleted_at is null",
        ])
        .bind(standing::PAID)
        .bind(payments::day_number(today))
        .bind(standing::NO_PLAN)
        .one()
        .await?;
    Ok(Summary {
        total_users,
        paid_in_full,
        total_revenue,
        overdue,
        to_approve,
        no_plan,
        due: total_users - paid_in_full - overdue,
        default_plan_amount: settings.default_plan_amount,
        currency: settings.currency.clone(),
    })
}
