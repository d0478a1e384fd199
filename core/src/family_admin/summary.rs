//! The totals above the list of families.

use serde::Serialize;

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
        .sql(
            "select
               cast(coalesce(sum(case when name = 'families' then total end), 0) as bigint),
               cast(coalesce(sum(case when name = 'families' and place = $1 then total end), 0)
                 as bigint),
               cast(coalesce(sum(case when name = 'families' and place < $2 then total end), 0)
                 as bigint),
               cast(coalesce(sum(case when name = 'families' and place = $3 then total end), 0)
                 as bigint),
               cast(coalesce(sum(case when name = 'families_to_approve' then total end), 0)
                 as bigint),
               cast(coalesce(sum(case when name = 'paid' then total end), 0) as bigint)
             from tallies
             where name in ('families', 'families_to_approve', 'paid')",
        )
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
