//! Payment reminders (decision M6): seven days before the due date of a plan, on it, and every week
//! after it, while something is owed.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{Plan, today};
use crate::clock::moment_in;
use crate::db::Tx;
use crate::ids::FamilyId;
use crate::money::{Cents, money};
use crate::notifications::{
    self, Button, Delivery, MailContent, MailKind, Notice, Notification, suppression,
};
use crate::settings::Settings;
use crate::{App, Error, Result};

/// How long before the due date the first reminder is sent.
const BEFORE: Days = Days::new(7);
/// Reminders are queued for this many hours from the chosen hour on, so that a missed reminder
/// comes late rather than never, but not at night.
const HOURS: i64 = 10;
/// From this hour on no reminder is queued, unless a later hour was chosen.
const NIGHT: i64 = 21;
/// The maximum number of reminders that are queued in one transaction.
const BATCH: usize = 100;
/// The last [`Reminder`] of the plan `l` as JSON.
const LAST: &str = "(select n.data from notifications n
                     where n.subject_id = l.id and n.kind = 'payment_reminder'
                     order by n.created_at desc, n.id desc
                     limit 1) as last";

/// Why a family is reminded, in the order of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Occasion {
    Before,
    DueToday,
    /// Weeks since the due date.
    Overdue(u64),
}

impl Occasion {
    /// The last occasion that began on this day or earlier.
    fn latest(due: NaiveDate, today: NaiveDate) -> Option<Occasion> {
        match (today - due).num_days() {
            ..-7 => None,
            -7..=-1 => Some(Occasion::Before),
            0..=6 => Some(Occasion::DueToday),
            days => Some(Occasion::Overdue(days.unsigned_abs() / 7)),
        }
    }

    /// The day on which the occasion begins.
    fn day(self, due: NaiveDate) -> NaiveDate {
        match self {
            Occasion::Before => due - BEFORE,
            Occasion::DueToday => due,
            Occasion::Overdue(weeks) => due + Days::new(7 * weeks),
        }
    }

    /// Whether a reminder that was missed on its day may still begin on this one.
    fn holds(self, due: NaiveDate, today: NaiveDate) -> bool {
        self != Occasion::DueToday || today == due
    }

    fn is_on(self, settings: &Settings) -> bool {
        match self {
            Occasion::Before => settings.remind_before_due,
            Occasion::DueToday => settings.remind_on_due_date,
            Occasion::Overdue(_) => settings.remind_overdue,
        }
    }
}

/// What a reminder is about. It is stored with its notification.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Reminder {
    due: NaiveDate,
    occasion: Occasion,
}

impl Reminder {
    fn once_key(&self, plan_id: Uuid) -> String {
        let occasion = match self.occasion {
            Occasion::Before => "before".to_owned(),
            Occasion::DueToday => "due".to_owned(),
            Occasion::Overdue(weeks) => format!("overdue{weeks}"),
        };
        format!("reminder:{plan_id}:{}:{occasion}", self.due)
    }

    /// When the reminder is due.
    fn time(&self, settings: &Settings) -> DateTime<Utc> {
        time_on(settings, self.occasion.day(self.due))
    }
}

/// The time of the reminders on this day.
fn time_on(settings: &Settings, day: NaiveDate) -> DateTime<Utc> {
    at_hour(settings, day, settings.reminder_hour)
}

/// From this time on, no reminder of this day is queued.
fn end_on(settings: &Settings, day: NaiveDate) -> DateTime<Utc> {
    let hour = settings.reminder_hour;
    at_hour(settings, day, (hour + HOURS).min(NIGHT.max(hour + 1)))
}

fn at_hour(settings: &Settings, day: NaiveDate, hour: i64) -> DateTime<Utc> {
    moment_in(settings.timezone, day.and_time(NaiveTime::MIN) + TimeDelta::hours(hour))
}

/// A plan that is owed and has a due date.
#[derive(sqlx::FromRow)]
struct Owed {
    id: Uuid,
    profile_id: FamilyId,
    due_date: NaiveDate,
    reminders_from: Option<DateTime<Utc>>,
    /// The last [`Reminder`] of the plan as JSON.
    last: Option<String>,
}

impl Owed {
    /// The reminder that this plan should have had by now. Of several that were missed it is the
    /// newest.
    fn reminder(&self, settings: &Settings, today: NaiveDate) -> Option<Reminder> {
        let due = self.due_date;
        let reminder = Reminder { due, occasion: Occasion::latest(due, today)? };
        let is_due = reminder.occasion.is_on(settings)
            && reminder.occasion.holds(due, today)
            && self.reminders_from.is_none_or(|from| from <= reminder.time(settings));
        is_due.then_some(reminder)
    }

    /// Whether this was the last reminder, so that most plans need no transaction.
    fn was_last(&self, reminder: &Reminder) -> bool {
        let last = self.last.as_deref().map(serde_json::from_str::<Reminder>);
        matches!(last, Some(Ok(last)) if last == *reminder)
    }
}

/// Queues the reminders that are due, each once for its plan, due date and occasion, from the hour
/// of the settings until the evening. What was missed comes on the next day, except for a reminder of
/// the due date itself. The worker runs it every minute. Returns how many were queued.
///
/// # Errors
///
/// Only those of the database.
pub async fn remind_due(app: &App) -> Result<usize> {
    let settings = app.settings().await?;
    let now = app.clock.now();
    let today = today(&settings, now);
    if now < time_on(&settings, today) || now >= end_on(&settings, today) {
        return Ok(0);
    }
    let owed = owed(app, today).await?;
    let due: Vec<(&Owed, Reminder)> = owed
        .iter()
        .filter_map(|plan| Some((plan, plan.reminder(&settings, today)?)))
        .filter(|(plan, reminder)| !plan.was_last(reminder))
        .collect();
    let mut queued = 0;
    for some in due.chunks(BATCH) {
        let mut tx = app.db.begin().await?;
        for (plan, reminder) in some {
            queued += usize::from(queue(&mut tx, app, plan, reminder).await?);
        }
        tx.commit().await?;
    }
    Ok(queued)
}

/// How many families would get a weekly reminder at its next hour if those were switched on.
///
/// # Errors
///
/// Only those of the database.
pub async fn overdue_families(app: &App, settings: &Settings) -> Result<usize> {
    let settings = Settings { remind_overdue: true, ..settings.clone() };
    let today = today(&settings, app.clock.now());
    let would_be_reminded = |plan: &&Owed| {
        plan.reminder(&settings, today).is_some_and(|reminder| {
            matches!(reminder.occasion, Occasion::Overdue(_)) && !plan.was_last(&reminder)
        })
    };
    Ok(owed(app, today).await?.iter().filter(would_be_reminded).count())
}

async fn owed(app: &App, today: NaiveDate) -> Result<Vec<Owed>> {
    app.db
        .sql([
            "select l.id, l.profile_id, l.due_date, l.reminders_from, ",
            LAST,
            " from payment_plans l
             join profiles p on p.id = l.profile_id
             where p.deleted_at is null and p.refused_at is null
               and l.paid_amount < l.total_amount and l.due_date <= $1
               and exists (select 1 from profile_addresses a
                           where a.profile_id = l.profile_id and not ",
            suppression::REFUSED,
            ")
             order by l.due_date, l.id",
        ])
        .bind(today + BEFORE)
        .all()
        .await
}

async fn queue(tx: &mut Tx, app: &App, plan: &Owed, reminder: &Reminder) -> Result<bool> {
    let notice =
        Notice { data: json!(reminder), ..Notice::new(MailKind::PaymentReminder, plan.id) };
    let key = reminder.once_key(plan.id);
    notifications::notify_family_once(tx, app, notice, plan.profile_id, &key).await
}

/// Writes the mail with the current amounts. Returns `None` if nothing is owed anymore, if the due
/// date changed, if the address left the family, if staff switched off this reminder or the one
/// that is due by now, and if a newer one was queued meanwhile.
///
/// # Errors
///
/// [`Error::Unforeseen`] when the reminder in the notification cannot be read.
pub(crate) async fn mail_content(
    app: &App,
    settings: &Settings,
    notification: &Notification,
    delivery: &Delivery,
) -> Result<Option<MailContent>> {
    let reminder: Reminder = serde_json::from_str(&notification.data).map_err(Error::unforeseen)?;
    let plan: Option<Plan> = app
        .db
        .sql(
            "select l.id, l.profile_id, l.total_amount, l.paid_amount, l.due_date, l.version
             from payment_plans l
             join profiles p on p.id = l.profile_id
             join profile_addresses a on a.profile_id = p.id and a.email = $2
             where l.id = $1 and p.deleted_at is null and p.refused_at is null
               and l.paid_amount < l.total_amount and l.due_date = $3",
        )
        .bind(notification.subject_id)
        .bind(&delivery.email)
        .bind(reminder.due)
        .optional()
        .await?;
    let Some(plan) = plan else { return Ok(None) };
    let today = today(settings, app.clock.now());
    if !reminder.occasion.is_on(settings)
        || is_outdated(app, settings, plan.id, &reminder, today).await?
    {
        return Ok(None);
    }
    Ok(Some(words(app, settings, &plan, reminder.due, today)))
}

/// The reminders of an invented plan: before, on and after its due date.
pub(crate) fn samples(app: &App, settings: &Settings) -> [MailContent; 3] {
    let today = today(settings, app.clock.now());
    let plan = Plan {
        id: Uuid::nil(),
        profile_id: Uuid::nil().into(),
        total_amount: Cents::new(280_000),
        paid_amount: Cents::new(100_000),
        due_date: None,
        version: 1,
    };
    [today + BEFORE, today, today - BEFORE].map(|due| words(app, settings, &plan, due, today))
}

/// Whether a newer reminder of the same due date was queued or is switched off, or the clock was
/// wrong.
async fn is_outdated(
    app: &App,
    settings: &Settings,
    plan_id: Uuid,
    own: &Reminder,
    today: NaiveDate,
) -> Result<bool> {
    let Some(occasion) = Occasion::latest(own.due, today) else { return Ok(true) };
    if occasion <= own.occasion {
        return Ok(occasion < own.occasion);
    }
    if !occasion.is_on(settings) {
        return Ok(true);
    }
    let newest = Reminder { occasion, due: own.due };
    app.db
        .sql("select exists (select 1 from notifications where once_key = $1)")
        .bind(newest.once_key(plan_id))
        .scalar()
        .await
}

fn words(
    app: &App,
    settings: &Settings,
    plan: &Plan,
    due: NaiveDate,
    today: NaiveDate,
) -> MailContent {
    let site = settings.camp_name();
    let shown = |cents| money(cents, &settings.currency);
    let amount = shown(plan.remaining());
    let (subject, heading, text) = lines(site, &amount, due, today);
    let mut paragraphs = vec![text];
    if !settings.payment_instructions.is_empty() {
        paragraphs.push(format!("How to pay: {}", settings.payment_instructions));
    }
    MailContent {
        subject,
        heading,
        paragraphs,
        linked: true,
        figures: vec![
            ("Total", shown(plan.total_amount)),
            ("Paid so far", shown(plan.paid_amount)),
            ("Due date", due.format("%B %-d, %Y").to_string()),
            ("Remaining balance", amount),
        ],
        button: Some(Button { label: "See your payments", url: app.url("/profile#payments") }),
        notes: vec![
            "If you have paid in the last few days, thank you: there is nothing else to do.".into(),
            format!("Questions? Please write to {}.", settings.contact_email),
        ],
        ..MailContent::default()
    }
}

/// The subject, the heading and the first paragraph.
fn lines(site: &str, amount: &str, due: NaiveDate, today: NaiveDate) -> (String, String, String) {
    let date = due.format("%A, %B %-d, %Y").to_string();
    match (due - today).num_days() {
        0 => (
            format!("{amount} is due to {site} today"),
            "Your payment is due today".to_owned(),
            format!("Your remaining balance of {amount} is due today, {date}."),
        ),
        // A reminder of the due date that waited, for example for the end of quiet time.
        -6..=-1 => (
            format!("Your payment to {site} was due on {}: {amount}", due.format("%B %-d")),
            format!("Your payment was due on {}", due.format("%A, %B %-d")),
            format!("Your remaining balance of {amount} was due on {date}."),
        ),
        ..=-7 => (
            format!("Your payment to {site} is overdue: {amount}"),
            "Your payment is overdue".to_owned(),
            format!("Your remaining balance of {amount} was due on {date}."),
        ),
        days => {
            let s = if days == 1 { "" } else { "s" };
            (
                format!("{amount} is due to {site} on {}", due.format("%B %-d, %Y")),
                "Your payment is due soon".to_owned(),
                format!("Your remaining balance of {amount} is due in {days} day{s}, on {date}."),
            )
        }
    }
}

/// When a family was last reminded and when it will be next, for staff.
#[derive(Debug, Default, Serialize, utoipa::ToSchema)]
#[schema(as = PaymentReminders)]
pub struct Reminders {
    pub last_sent_at: Option<DateTime<Utc>>,
    /// Null if nothing is owed, and without a due date or an address.
    pub next_at: Option<DateTime<Utc>>,
}

#[derive(sqlx::FromRow)]
struct Shown {
    id: Uuid,
    due_date: Option<NaiveDate>,
    reminders_from: Option<DateTime<Utc>>,
    last: Option<String>,
    can_get: bool,
    last_sent_at: Option<DateTime<Utc>>,
    waits: bool,
}

/// Returns the last and the next reminder of a family.
///
/// # Errors
///
/// Only those of the database.
pub(crate) async fn of_family(app: &App, id: FamilyId) -> Result<Reminders> {
    let found: Option<Shown> = app
        .db
        .sql([
            "select l.id, l.due_date, l.reminders_from, ",
            LAST,
            ",
                    (l.paid_amount < l.total_amount
                     and p.deleted_at is null and p.refused_at is null
                     and exists (select 1 from profile_addresses a
                                 where a.profile_id = p.id and not ",
            suppression::REFUSED,
            ")) as can_get,
                    (select max(d.sent_at) from deliveries d
                     join notifications n on n.id = d.notification_id
                     where n.subject_id = l.id and n.kind = 'payment_reminder') as last_sent_at,
                    exists (select 1 from deliveries d
                            join notifications n on n.id = d.notification_id
                            where n.subject_id = l.id and n.kind = 'payment_reminder'
                              and d.status in ('queued', 'sending')) as waits
             from payment_plans l
             join profiles p on p.id = l.profile_id
             where l.profile_id = $1",
        ])
        .bind(id)
        .optional()
        .await?;
    let Some(shown) = found else { return Ok(Reminders::default()) };
    let settings = app.settings().await?;
    let now = app.clock.now();
    let next = match shown.due_date {
        Some(_) if !shown.can_get => None,
        Some(_) if shown.waits => Some(now),
        Some(due_date) => {
            let (id, profile_id) = (shown.id, id);
            let (reminders_from, last) = (shown.reminders_from, shown.last);
            Owed { id, profile_id, due_date, reminders_from, last }.next(&settings, now)
        }
        None => None,
    };
    let next_at = next.map(|at| settings.mail_time(at));
    Ok(Reminders { last_sent_at: shown.last_sent_at, next_at })
}

impl Owed {
    /// The time of the next reminder: of one that was missed and still comes, otherwise of the first
    /// one after `now`.
    fn next(&self, settings: &Settings, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let today = today(settings, now);
        let missed = [today, today + Days::new(1)].into_iter().find_map(|day| {
            let reminder = self.reminder(settings, day)?;
            let at = time_on(settings, day).max(now);
            (at < end_on(settings, day) && !self.was_last(&reminder)).then_some(at)
        });
        missed.or_else(|| self.next_after(settings, now))
    }

    fn next_after(&self, settings: &Settings, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let due = self.due_date;
        let weeks = (today(settings, now) - due).num_days().max(0).unsigned_abs() / 7;
        let overdue = [weeks, weeks + 1].map(|weeks| Occasion::Overdue(weeks.max(1)));
        let mut occasions = [Occasion::Before, Occasion::DueToday].into_iter().chain(overdue);
        occasions.find_map(|occasion| {
            let at = Reminder { due, occasion }.time(settings);
            let is_next = at > now && self.reminders_from.is_none_or(|from| from <= at);
            (occasion.is_on(settings) && is_next).then_some(at)
        })
    }
}
