//! The receipt that a family gets by mail for each payment (decision M6).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Recorded, money};
use crate::db::Tx;
use crate::notifications::{self, Button, Letter, Notice, Notification};
use crate::settings::Settings;
use crate::{App, Error, Result};

pub const KIND: &str = "payment";

/// The figures right after the payment; later ones have receipts of their own.
#[derive(Serialize, Deserialize)]
struct Figures {
    total_amount: i64,
    paid_amount: i64,
    remaining_amount: i64,
    credit: i64,
}

/// To the family's addresses that staff entered or their owners confirmed (decision M2).
pub(super) async fn send(
    tx: &mut Tx,
    app: &App,
    profile_id: Uuid,
    recorded: &Recorded,
) -> Result<()> {
    let plan = &recorded.plan;
    let figures = Figures {
        total_amount: plan.total_amount,
        paid_amount: plan.paid_amount,
        remaining_amount: plan.remaining_amount,
        credit: plan.credit,
    };
    let to: Vec<(String, String)> = tx
        .sql(
            "select a.email, p.full_name
             from profile_addresses a
             join profiles p on p.id = a.profile_id
             where a.profile_id = $1
               and (a.entered_by_staff or a.verified_at is not null)
               and not exists (select 1 from suppressed_addresses s where s.email = a.email)
             order by a.kind",
        )
        .bind(profile_id)
        .all()
        .await?;
    for (email, full_name) in to {
        let data = serde_json::to_value(&figures).map_err(Error::unforeseen)?;
        let notice = Notice { kind: KIND, subject_id: recorded.payment.id, data };
        notifications::tell(tx, app, notice, &email, &full_name).await?;
    }
    Ok(())
}

/// The letter, or nothing when the payment was voided before it went out.
pub(crate) async fn letter(
    app: &App,
    settings: &Settings,
    notification: &Notification,
) -> Result<Option<Letter>> {
    let payment: Option<(i64, chrono::NaiveDate, Option<String>)> = app
        .db
        .sql(
            "select p.amount, p.payment_date, p.notes
             from payments p
             join payment_plans l on l.id = p.plan_id
             join profiles f on f.id = l.profile_id
             where p.id = $1 and f.deleted_at is null
               and not exists (select 1 from payments v where v.void_of = p.id)",
        )
        .bind(notification.subject_id)
        .optional()
        .await?;
    let Some((amount, date, notes)) = payment else { return Ok(None) };
    let figures: Figures = serde_json::from_str(&notification.data).map_err(Error::unforeseen)?;
    let site = &settings.site_name;
    let shown = |cents| money(cents, &settings.currency);
    let mut paragraphs = vec![format!(
        "We received your payment of {} on {}. Thank you!",
        shown(amount),
        date.format("%B %-d, %Y")
    )];
    paragraphs.extend(notes.map(|notes| format!("Note: {notes}")));
    let mut rows = vec![
        ("Total", shown(figures.total_amount)),
        ("Paid so far", shown(figures.paid_amount)),
        ("Remaining balance", shown(figures.remaining_amount)),
    ];
    if figures.credit > 0 {
        rows.push(("Your credit with the camp", shown(figures.credit)));
    }
    Ok(Some(Letter {
        subject: format!("Your payment of {} to {site}", shown(amount)),
        heading: "Payment received".into(),
        paragraphs,
        figures: rows,
        button: Some(Button { label: "See your payments", url: app.url("/profile") }),
        notes: vec![format!("Is something not right? Please write to {}.", settings.contact_email)],
        ..Letter::default()
    }))
}
