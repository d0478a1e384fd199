//! Mail about payments: a receipt for each payment (decision M6), and a corrected one for each
//! refund and each voided row (decision $5). The internal notes never appear in mail.

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{Kind, Recorded};
use crate::clock::day_in;
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::ids::FamilyId;
use crate::money::{Cents, money};
use crate::notifications::sent;
use crate::notifications::{
    self, Button, Delivery, MailContent, MailKind, Notice, Notification, SampleWords, suppression,
};
use crate::settings::Settings;
use crate::{App, Error, Result};

/// The amounts right after the row. Later rows have their own mails.
#[derive(Serialize, Deserialize)]
struct Figures {
    total_amount: Cents,
    paid_amount: Cents,
    remaining_amount: Cents,
    credit: Cents,
}

/// Queues the mail to the family's addresses that staff entered or their owners verified (decision
/// M2).
pub(super) async fn send(
    tx: &mut Tx,
    app: &App,
    profile_id: FamilyId,
    recorded: &Recorded,
) -> Result<()> {
    let plan = &recorded.plan;
    let figures = Figures {
        total_amount: plan.total_amount,
        paid_amount: plan.paid_amount,
        remaining_amount: plan.remaining_amount,
        credit: plan.credit,
    };
    let to: Vec<(EmailAddress, String)> = tx
        .sql([
            "select a.email, p.full_name
             from profile_addresses a
             join profiles p on p.id = a.profile_id
             where a.profile_id = $1 and not ",
            suppression::REFUSED,
            " order by a.kind",
        ])
        .bind(profile_id)
        .all()
        .await?;
    for (email, full_name) in to {
        let data = serde_json::to_value(&figures).map_err(Error::unforeseen)?;
        let notice = Notice { data, ..Notice::new(MailKind::Payment, recorded.payment.id) };
        notifications::notify(tx, app, notice, &email, &full_name).await?;
    }
    Ok(())
}

/// A ledger row to report and, for a void, the row that it cancels.
#[derive(sqlx::FromRow)]
struct Told {
    kind: Kind,
    amount: Cents,
    payment_date: NaiveDate,
    notes: Option<String>,
    before_id: Option<Uuid>,
    before_kind: Option<Kind>,
    before_amount: Option<Cents>,
    before_date: Option<NaiveDate>,
}

/// Writes the mail. Returns `None` if the row was voided, or the address taken from the family, before the mail
/// was sent.
///
/// # Errors
///
/// [`Error::Unforeseen`] when the amounts in the notification cannot be read.
pub(crate) async fn mail_content(
    app: &App,
    settings: &Settings,
    notification: &Notification,
    delivery: &Delivery,
) -> Result<Option<MailContent>> {
    let Some(told) = still_told(app, notification, delivery).await? else { return Ok(None) };
    match told.before_id {
        Some(before) if never_told(app, before, &delivery.email).await? => return Ok(None),
        Some(_) => {}
        None => {
            sent::mark_may_have_left(app, notification.id, &delivery.email).await?;
            // Whoever voids the row from now on sees that the mail may have been sent.
            if still_told(app, notification, delivery).await?.is_none() {
                return Ok(None);
            }
        }
    }
    let figures: Figures = serde_json::from_str(&notification.data).map_err(Error::unforeseen)?;
    Ok(Some(content(app, settings, &told, &figures)))
}

/// The row to report, unless it was voided or the address is no longer the family's.
async fn still_told(
    app: &App,
    notification: &Notification,
    delivery: &Delivery,
) -> Result<Option<Told>> {
    app.db
        .sql(
            "select p.kind, p.amount, p.payment_date, p.notes, b.id as before_id,
                    b.kind as before_kind, b.amount as before_amount, b.payment_date as before_date
             from payments p
             join payment_plans l on l.id = p.plan_id
             join profiles f on f.id = l.profile_id
             left join payments b on b.id = p.void_of
             where p.id = $1 and f.deleted_at is null
               and exists (select 1 from profile_addresses a
                           where a.profile_id = f.id and a.email = $2)
               and not exists (select 1 from payments v where v.void_of = p.id)",
        )
        .bind(notification.subject_id)
        .bind(&delivery.email)
        .optional()
        .await
}

/// The mails about an invented payment, its voiding and a refund.
pub(crate) fn samples(app: &App, settings: &Settings, words: &SampleWords) -> [MailContent; 3] {
    let date = day_in(settings.timezone, app.clock.now());
    let told = |kind, cents: i64| Told {
        kind,
        amount: Cents::new(cents),
        payment_date: date,
        notes: Some(words.note.clone()),
        before_id: None,
        before_kind: None,
        before_amount: None,
        before_date: None,
    };
    let figures = |paid: i64| Figures {
        total_amount: Cents::new(280_000),
        paid_amount: Cents::new(paid),
        remaining_amount: Cents::new(280_000 - paid),
        credit: Cents::ZERO,
    };
    let void = Told {
        before_kind: Some(Kind::Payment),
        before_amount: Some(Cents::new(100_000)),
        before_date: Some(date),
        ..told(Kind::Void, -100_000)
    };
    [
        content(app, settings, &told(Kind::Payment, 100_000), &figures(100_000)),
        content(app, settings, &void, &figures(0)),
        content(app, settings, &told(Kind::Refund, -20_000), &figures(80_000)),
    ]
}

fn content(app: &App, settings: &Settings, told: &Told, figures: &Figures) -> MailContent {
    let shown = |cents| money(cents, &settings.currency);
    let mut rows = vec![
        ("Total", shown(figures.total_amount)),
        ("Paid so far", shown(figures.paid_amount)),
        ("Remaining balance", shown(figures.remaining_amount)),
    ];
    if figures.credit > Cents::ZERO {
        rows.push(("Your credit with the camp", shown(figures.credit)));
    }
    MailContent {
        figures: rows,
        button: Some(Button { label: "See your payments", url: app.url("/profile#payments") }),
        notes: vec![format!("Questions? Please write to {}.", settings.contact_email)],
        ..told.words(settings)
    }
}

/// Whether the mail about that row was never sent to this address and never will be, because the
/// row was voided first. Then there is nothing to correct.
async fn never_told(app: &App, payment_id: Uuid, email: &EmailAddress) -> Result<bool> {
    app.db
        .sql(
            "select exists (select 1 from notifications n
                            join deliveries d on d.notification_id = n.id
                            where n.subject_id = $1 and n.kind = 'payment' and d.email = $2
                              and d.status in ('queued', 'suppressed')
                              and d.may_have_left = false)",
        )
        .bind(payment_id)
        .bind(email)
        .scalar()
        .await
}

impl Told {
    /// Subject, heading and what happened.
    fn words(&self, settings: &Settings) -> MailContent {
        let site = settings.camp_name();
        let amount = money(self.amount.abs(), &settings.currency);
        let date = day(self.payment_date);
        let (subject, heading, text, label) = match self.kind {
            Kind::Payment => (
                format!("Your payment of {amount} to {site}"),
                "Payment received",
                format!("We received your payment of {amount} on {date}. Thank you!"),
                "Note",
            ),
            Kind::Void => {
                let what = self.taken_back(settings);
                let on = self.before_date.map(|at| format!(" of {}", day(at))).unwrap_or_default();
                (
                    format!("Corrected receipt from {site}: {what} voided"),
                    "Corrected receipt",
                    format!(
                        "The {what}{on} was voided on {date}. {} Please use the amounts below instead of those in earlier emails.",
                        self.consequence()
                    ),
                    "Reason",
                )
            }
            Kind::Refund | Kind::Adjustment => (
                format!("Corrected receipt from {site}: refund of {amount}"),
                "Corrected receipt",
                format!(
                    "We refunded {amount} to you on {date}. Please use the amounts below instead of those in earlier emails."
                ),
                "Note",
            ),
        };
        let mut paragraphs = vec![text];
        paragraphs.extend(self.notes.as_ref().map(|notes| format!("{label}: {notes}")));
        MailContent { subject, heading: heading.into(), paragraphs, ..MailContent::default() }
    }

    /// For example "payment of $500".
    fn taken_back(&self, settings: &Settings) -> String {
        let amount = self.before_amount.unwrap_or_default();
        let (what, amount) = match self.before_kind {
            Some(Kind::Refund) => ("refund", amount.abs()),
            // It may have lowered what was paid.
            Some(Kind::Adjustment) => ("adjustment", amount),
            _ => ("payment", amount.abs()),
        };
        format!("{what} of {}", money(amount, &settings.currency))
    }

    fn consequence(&self) -> &'static str {
        match self.before_kind {
            Some(Kind::Refund) => "The amount counts as paid again.",
            Some(Kind::Adjustment) => "It no longer changes what you have paid.",
            _ => "It no longer counts as paid.",
        }
    }
}

fn day(date: NaiveDate) -> String {
    date.format("%B %-d, %Y").to_string()
}
