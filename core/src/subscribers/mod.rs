//! The mailing list of the footer's "Stay Updated" (decision C3). Only confirmed addresses are on
//! it, and no response reveals whether an address is known.

use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::accounts::sessions::{random_token, token_hash};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::bidi::isolated;
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::notifications::{self, Button, MailContent, MailKind, Notice, Notification};
use crate::pagination::{Page, PageRequest};
use crate::rate_limits;
use crate::search_text::optional_pattern;
use crate::settings::Settings;
use crate::spreadsheet::cell::{plain, table};
use crate::validation::Validator;
use crate::{App, Error, Result};

/// How long a confirmation link works. Subscriptions that are not confirmed by then are deleted.
const LIFETIME: TimeDelta = TimeDelta::days(7);
const GONE: Error = Error::Gone("This link was already used or has expired. Please sign up again.");
const NOT_FOUND: Error = Error::NotFound("This address is no longer on the list.");

#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct Subscriber {
    pub id: Uuid,
    pub email: String,
    /// The address gets no newsletters before its owner has confirmed it.
    pub confirmed_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Subscribe {
    pub email: String,
}

/// Sends the mail that asks for confirmation. An address that is already on the list gets a mail
/// that says so.
///
/// # Errors
///
/// [`Error::Invalid`] on `email`, [`Error::TooMany`] above the limit of the client's network.
pub async fn subscribe(app: &App, given: &Subscribe, from: IpAddr) -> Result<()> {
    let mut checks = Validator::new();
    let email = checks.email("email", &given.email);
    let email = checks.done_with(email)?;
    rate_limits::count_network(app, rate_limits::SUBSCRIBE_BY_ADDRESS, from).await?;
    // Each recipient gets a limited number, no matter who asks. Exceeding the limit is not
    // reported.
    match rate_limits::count(app, rate_limits::SUBSCRIBE_BY_RECIPIENT, &email).await {
        Err(Error::TooMany { .. }) => return Ok(()),
        counted => counted?,
    }
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let (id,): (Uuid,) = tx
        .sql(
            "insert into subscribers (id, email, created_at) values ($1, $2, $3)
             on conflict (email) do update set
               created_at = case when subscribers.confirmed_at is null then excluded.created_at
                                 else subscribers.created_at end
             returning id",
        )
        .bind(Uuid::now_v7())
        .bind(&email)
        .bind(now)
        .one()
        .await?;
    let notice = Notice::new(MailKind::Subscribe, id);
    notifications::notify_limited(&mut tx, app, notice, &email).await?.ignore_refusal();
    tx.commit().await
}

/// Writes the mail with its link, which is created here so that it is stored nowhere.
pub(crate) async fn mail_content(
    app: &App,
    settings: &Settings,
    notification: &Notification,
) -> Result<Option<MailContent>> {
    let id = notification.subject_id;
    let found: Option<(Option<DateTime<Utc>>,)> = app
        .db
        .sql("select confirmed_at from subscribers where id = $1")
        .bind(id)
        .optional()
        .await?;
    let Some((confirmed_at,)) = found else { return Ok(None) };
    if confirmed_at.is_some() {
        return Ok(Some(already_on_the_list(app, settings)));
    }
    let token = random_token();
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    tx.sql(
        "insert into subscriber_tokens (token_hash, subscriber_id, created_at, expires_at)
         select $1, id, $3, $4 from subscribers where id = $2",
    )
    .bind(token_hash(&token))
    .bind(id)
    .bind(now)
    .bind(now + LIFETIME)
    .execute()
    .await?;
    tx.commit().await?;
    Ok(Some(please_confirm(app, settings, &token)))
}

/// The mails with an invented link: the one that asks, and the one to an address on the list.
pub(crate) fn samples(app: &App, settings: &Settings, token: &str) -> [MailContent; 2] {
    [please_confirm(app, settings, token), already_on_the_list(app, settings)]
}

fn already_on_the_list(app: &App, settings: &Settings) -> MailContent {
    MailContent {
        subject: format!("You are on the list of {}", settings.camp_name()),
        heading: "You are already on our list".into(),
        paragraphs: vec![
            "Someone, probably you, entered this email under “Stay Updated”. You already get our newsletters, so you are all set.".into(),
        ],
        button: Some(Button { label: "Visit our site", url: app.url("/") }),
        notes: vec!["Every newsletter has an unsubscribe link at the bottom.".into()],
        ..MailContent::default()
    }
}

fn please_confirm(app: &App, settings: &Settings, token: &str) -> MailContent {
    let site = isolated(settings.camp_name());
    MailContent {
        subject: format!("Please confirm that you want newsletters from {site}"),
        heading: "Stay updated".into(),
        paragraphs: vec![format!(
            "You asked for newsletters from {site}. Please confirm that this is your email. Until then we won’t email you again."
        )],
        button: Some(Button {
            label: "Yes, sign me up",
            url: app.url(&format!("/subscribe/confirm?token={token}")),
        }),
        notes: vec![
            "The link works for seven days.".into(),
            "If this was not you, you don’t need to do anything.".into(),
        ],
        ..MailContent::default()
    }
}

/// Adds the address of the link to the list.
///
/// # Errors
///
/// [`Error::Gone`] for a link that was used or has expired, [`Error::TooMany`] above the limit of the
/// client's network.
pub async fn confirm(app: &App, token: &str, from: IpAddr) -> Result<()> {
    rate_limits::count_network(app, rate_limits::TOKENS_BY_ADDRESS, from).await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let spent: Option<(Uuid,)> = tx
        .sql(
            "update subscriber_tokens set used_at = $2
             where token_hash = $1 and used_at is null and expires_at > $2
             returning subscriber_id",
        )
        .bind(token_hash(token))
        .bind(now)
        .optional()
        .await?;
    let (id,) = spent.ok_or(GONE)?;
    tx.sql("update subscribers set confirmed_at = coalesce(confirmed_at, $2) where id = $1")
        .bind(id)
        .bind(now)
        .execute()
        .await?;
    tx.commit().await
}

/// Removes an address from the list. Succeeds if it is not on it.
pub(crate) async fn unsubscribe(tx: &mut Tx, email: &EmailAddress) -> Result<()> {
    tx.sql("delete from subscribers where email = $1").bind(email).execute().await?;
    Ok(())
}

/// Returns the list, the newest first.
pub async fn list(app: &App, q: Option<&str>, part: &PageRequest) -> Result<Page<Subscriber>> {
    let after: Option<(DateTime<Utc>, Uuid)> = part.after("subscribers")?;
    let rows: Vec<Subscriber> = app
        .db
        .sql(
            "select id, email, confirmed_at, created_at
             from subscribers
             where (cast($1 as text) is null or replace(replace(email, '''', ''), '-', ' ') like $1 escape '\\')
               and ($3 is null or (created_at, id) < ($3, $4))
             order by created_at desc, id desc
             limit $2",
        )
        .bind(optional_pattern(q))
        .bind(part.limit() + 1)
        .bind(after.map(|a| a.0))
        .bind(after.map(|a| a.1))
        .all()
        .await?;
    Ok(part.page("subscribers", rows, |row| (row.created_at, row.id)))
}

/// Removes an address from the list for staff, and withdraws newsletters that wait for it.
///
/// # Errors
///
/// [`Error::NotFound`] when the address is not on the list.
pub async fn remove(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let removed: Option<(EmailAddress, Option<DateTime<Utc>>)> = tx
        .sql("delete from subscribers where id = $1 returning email, confirmed_at")
        .bind(id)
        .optional()
        .await?;
    let (email, confirmed_at) = removed.ok_or(NOT_FOUND)?;
    notifications::suppression::withdraw_from_list(tx, app.clock.now(), &email).await?;
    let subject = Subject::new(SubjectKind::Subscriber, id);
    let details = json!({ "confirmed": confirmed_at.is_some() });
    audit::record(tx, app.clock.now(), actor, Action::SubscriberRemove, subject, details).await
}

/// Returns the confirmed addresses as CSV, the oldest first, with times in the camp's time zone.
pub async fn export(tx: &mut Tx, app: &App, actor: Actor) -> Result<String> {
    let zone = app.settings().await?.timezone;
    let rows: Vec<(String, DateTime<Utc>)> = tx
        .sql(
            "select email, confirmed_at from subscribers
             where confirmed_at is not null
             order by confirmed_at, id",
        )
        .all()
        .await?;
    let confirmed = format!("Confirmed ({zone})");
    let cells = |(email, at): &(String, DateTime<Utc>)| {
        [plain(email), at.with_timezone(&zone).format("%Y-%m-%d %H:%M:%S").to_string()]
    };
    let text = table(&["Email", &confirmed], rows.iter().map(cells))?;
    let subject = Subject::none(SubjectKind::Subscribers);
    let details = json!({ "rows": rows.len() });
    audit::record(tx, app.clock.now(), actor, Action::SubscribersExport, subject, details).await?;
    Ok(text)
}

/// Deletes unconfirmed subscriptions and expired links. Runs hourly.
pub async fn prune(app: &App) -> Result<()> {
    let before = app.clock.now() - LIFETIME;
    let mut tx = app.db.begin().await?;
    tx.sql(
        "delete from subscribers
         where confirmed_at is null and created_at < $1
           and not exists (select 1 from subscriber_tokens t
                           where t.subscriber_id = subscribers.id and t.created_at >= $1)",
    )
    .bind(before)
    .execute()
    .await?;
    tx.sql("delete from subscriber_tokens where created_at < $1").bind(before).execute().await?;
    tx.commit().await
}
