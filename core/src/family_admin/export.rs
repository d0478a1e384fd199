//! Exports the list of families for spreadsheets.

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::json;

use crate::accounts::UserType;
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::family_admin::membership::{APPROVAL, Standing};
use crate::ids::FamilyId;
use crate::money::Cents;
use crate::payments::{self, Badge, Plan};
use crate::spreadsheet::cell::{decimal, plain, table};
use crate::{App, Result};

#[derive(sqlx::FromRow)]
struct Row {
    id: FamilyId,
    full_name: String,
    child_name: String,
    email: Option<String>,
    secondary_email: Option<String>,
    user_type: UserType,
    standing: Standing,
    total_amount: Option<Cents>,
    paid_amount: Option<Cents>,
    due_date: Option<NaiveDate>,
    logins: i64,
    created_at: DateTime<Utc>,
}

/// Returns all families as CSV in UTF-8, by name. `camp family import` reads the same columns.
pub async fn csv(app: &App, actor: Actor) -> Result<String> {
    let settings = app.settings().await?;
    let now = app.clock.now();
    let today = payments::today(&settings, now);
    let rows: Vec<Row> = app
        .db
        .sql([
            "select p.id, p.full_name, p.child_name, a.email, s.email as secondary_email,
                    p.user_type, l.total_amount, l.paid_amount, l.due_date, ",
            APPROVAL,
            " as standing,
                    (select count(*) from users u where u.profile_id = p.id) as logins,
                    p.created_at
             from profiles p
             left join payment_plans l on l.profile_id = p.id
             left join profile_addresses a on a.profile_id = p.id and a.kind = 'primary'
             left join profile_addresses s on s.profile_id = p.id and s.kind = 'secondary'
             where p.deleted_at is null
             order by p.search_text, p.id",
        ])
        .all()
        .await?;
    let head = [
        "Name",
        "Child",
        "Email",
        "Second Email",
        "Type",
        "Access",
        "Total",
        "Paid",
        "Remaining",
        "Credit",
        "Due Date",
        "Status",
        "Logins",
        "Joined",
    ];
    let text = table(&head, rows.iter().map(|row| cells(row, &settings, today)))?;
    let mut tx = app.db.begin().await?;
    let details = json!({ "families": rows.len() });
    audit::record(
        &mut tx,
        now,
        actor,
        Action::ProfileExport,
        Subject::none(SubjectKind::Profile),
        details,
    )
    .await?;
    tx.commit().await?;
    Ok(text)
}

fn cells(row: &Row, settings: &crate::settings::Settings, today: NaiveDate) -> Vec<String> {
    let plan = row.total_amount.zip(row.paid_amount).map(|(total_amount, paid_amount)| {
        let (id, profile_id, due_date) = (row.id.into(), row.id, row.due_date);
        Plan { id, profile_id, total_amount, paid_amount, due_date, version: 0 }.on(today)
    });
    let amount = |amount: Option<Cents>| amount.map(decimal).unwrap_or_default();
    let status = match plan.as_ref().map_or(Badge::NoPlan, |plan| plan.badge) {
        Badge::PaidInFull => "Paid in Full",
        Badge::PaymentDue => "Payment Due",
        Badge::Overdue => "Overdue",
        Badge::NoPlan => "No Plan",
    };
    vec![
        plain(&row.full_name),
        plain(&row.child_name),
        plain(row.email.as_deref().unwrap_or_default()),
        plain(row.secondary_email.as_deref().unwrap_or_default()),
        match row.user_type {
            UserType::Parent => "parent".into(),
            UserType::Visitor => "visitor".into(),
        },
        match row.standing {
            Standing::Approved => "approved".into(),
            Standing::Waiting => "to approve".into(),
            Standing::Refused => "refused".into(),
        },
        amount(plan.as_ref().map(|plan| plan.total_amount)),
        amount(plan.as_ref().map(|plan| plan.paid_amount)),
        amount(plan.as_ref().map(|plan| plan.remaining_amount)),
        amount(plan.as_ref().map(|plan| plan.credit)),
        row.due_date.map(|date| date.to_string()).unwrap_or_default(),
        status.into(),
        row.logins.to_string(),
        payments::today(settings, row.created_at).to_string(),
    ]
}
