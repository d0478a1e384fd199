//! Bounces and complaints: what other mail servers report after the camp's mail server accepted a
//! mail. A report counts only if a signed mark proves that it is about a mail of the portal
//! ([`token`]); an address in it proves nothing.

mod maildir;
pub mod providers;
mod refusal;
mod report;
pub(crate) mod token;
mod verdict;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

pub use maildir::Maildir;
pub(crate) use maildir::waiting;
pub(crate) use refusal::refuse;
pub use report::MAX_BYTES;

use self::report::{Marks, Message};
use self::verdict::Verdict;
use crate::clock::day_in;
use crate::config::Config;
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::notifications::reports::{self, Kind, NewReport};
use crate::notifications::{Category, MailList, suppression};
use crate::settings::Settings;
use crate::text_enum::text_enum;
use crate::unsubscribe::{self, Scope};
use crate::{App, Error, Result};

/// Mail to an address that temporarily takes no mail is stopped for good after mail came back on
/// this many different days within this period.
const SOFT_DAYS: usize = 3;
const SOFT_WITHIN: TimeDelta = TimeDelta::days(10);

text_enum! {
    /// How a report arrived.
    Source {
        Maildir = "maildir",
        Pipe = "pipe",
        Lmtp = "lmtp",
        Postmark = "postmark",
        Mailgun = "mailgun",
        Ses = "ses",
    }
}

/// What became of a message that came to the address for bounces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    Recorded(Kind),
    /// The same was already reported about the same mail.
    Repeated,
    /// Nothing to do, with the reason.
    Ignored(&'static str),
    /// A report without proof that it is about a mail of the portal.
    NotOurs,
    /// A person may have written it.
    NoReport,
}

/// Why a notice that mail arrived, or that a mail server is still trying, has no effect.
const ONLY_A_NOTICE: &str = "a notice that mail arrived or is still tried";

/// A mail of the portal.
#[derive(Debug, sqlx::FromRow)]
struct SentMail {
    notification_id: Uuid,
    email: EmailAddress,
    kind: String,
    category: Option<Category>,
    sent_at: DateTime<Utc>,
}

/// Reads one message and records what it reports. `recipient` is the address to which it came, if
/// the mail server says so.
///
/// # Errors
///
/// Only those of the database.
pub async fn receive(
    app: &App,
    message: &[u8],
    recipient: Option<&str>,
    source: Source,
) -> Result<Received> {
    let message = message[..message.len().min(MAX_BYTES)].to_vec();
    let recipient = recipient.map(str::to_owned);
    // Some messages are crafted to take long to parse.
    let read =
        tokio::task::spawn_blocking(move || report::read(&message, recipient.as_deref())).await;
    let report = match read.map_err(Error::unforeseen)? {
        Message::Report(report) => report,
        Message::Ignored(why) => return Ok(Received::Ignored(why)),
        Message::Other => return Ok(Received::NoReport),
    };
    let Some(mail) = find(app, &report.marks).await? else { return Ok(Received::NotOurs) };
    match report.verdict(&mail.email) {
        Some(verdict) => {
            let settings = app.settings().await?;
            let mut tx = app.db.begin().await?;
            let received = record(&mut tx, app, &settings, &mail, &verdict, source).await?;
            tx.commit().await?;
            Ok(received)
        }
        None => Ok(Received::Ignored(ONLY_A_NOTICE)),
    }
}

/// An envelope sender like that of real mails, for a test. Reports sent to it match no mail.
pub fn test_sender(app: &App, email: &EmailAddress) -> Option<lettre::Address> {
    token::envelope_sender(&app.config, &app.keys, Uuid::new_v4(), email)
}

/// Whether this is the configured address for bounces, with a token or without.
pub fn is_for_bounces(config: &Config, recipient: &str) -> bool {
    let Some(address) = &config.bounce_address else { return false };
    let Some((user, domain)) = recipient.rsplit_once('@') else { return false };
    let ascii = |domain: &str| idna::domain_to_ascii(domain).ok();
    let user = user.split_once('+').map_or(user, |(user, _)| user);
    user.eq_ignore_ascii_case(address.user())
        && ascii(domain).is_some_and(|domain| Some(domain) == ascii(address.domain()))
}

const SENT_MAILS: &str = "select d.notification_id, d.email, n.kind, n.category,
                coalesce(d.sent_at, d.created_at) as sent_at
         from deliveries d
         join notifications n on n.id = d.notification_id
         where d.created_at > $2 and ";

/// Finds the mail that a report is proven to be about.
async fn find(app: &App, marks: &Marks) -> Result<Option<SentMail>> {
    let mut looked_up: Vec<Uuid> = Vec::new();
    for token in &marks.tokens {
        let Some(id) = token::notification(token) else { continue };
        // The recipients of one notification may be many.
        if looked_up.contains(&id) {
            continue;
        }
        looked_up.push(id);
        let mails: Vec<SentMail> = app
            .db
            .sql([SENT_MAILS, "d.notification_id = $1"])
            .bind(id)
            .bind(oldest(app))
            .all()
            .await?;
        let proved = |mail: &SentMail| {
            let proves = |token: &String| token::proves(&app.keys, token, id, &mail.email);
            marks.tokens.iter().any(proves)
        };
        if let Some(mail) = mails.into_iter().find(proved) {
            return Ok(Some(mail));
        }
    }
    match marks.message_ids.is_empty() {
        true => Ok(None),
        false => find_by_message_id(app, marks).await,
    }
}

async fn find_by_message_id(app: &App, marks: &Marks) -> Result<Option<SentMail>> {
    for email in &marks.addresses {
        let mails: Vec<SentMail> =
            app.db.sql([SENT_MAILS, "d.email = $1"]).bind(email).bind(oldest(app)).all().await?;
        for mail in mails {
            let id = token::message_id(&app.keys, mail.notification_id, &mail.email);
            if marks.message_ids.iter().any(|named| is_same(named, &id)) {
                return Ok(Some(mail));
            }
        }
    }
    Ok(None)
}

/// Compares a header with the Message-ID of a mail, in a time that reveals nothing about it.
fn is_same(header: &str, id: &str) -> bool {
    use subtle::ConstantTimeEq;
    let named = header.trim().trim_start_matches('<').split('@').next().unwrap_or_default();
    named.to_lowercase().as_bytes().ct_eq(id.as_bytes()).into()
}

fn oldest(app: &App) -> DateTime<Utc> {
    app.clock.now() - reports::RETENTION
}

/// Records a report and does what follows from it.
async fn record(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    mail: &SentMail,
    verdict: &Verdict,
    source: Source,
) -> Result<Received> {
    let now = app.clock.now();
    let bounced = matches!(verdict.kind, Kind::Hard | Kind::Soft);
    let is_late = bounced && suppression::was_allowed_after(tx, mail.sent_at, &mail.email).await?;
    let report = NewReport {
        notification_id: mail.notification_id,
        email: &mail.email,
        kind: verdict.kind,
        cause: verdict.cause,
        reason: &verdict.reason,
        source: source.text(),
        is_late,
    };
    if !reports::insert(tx, now, &report).await? {
        return Ok(Received::Repeated);
    }
    match verdict.kind {
        // Staff have allowed mail to this address since the mail was sent, so they know better.
        Kind::Hard | Kind::Soft if is_late => {}
        Kind::Hard => refuse(tx, app, &mail.email, &verdict.reason).await?,
        Kind::Soft => count_soft(tx, app, settings, mail, &verdict.reason).await?,
        Kind::Blocked => {}
        Kind::Complaint => {
            if let Some(list) = MailList::of(&mail.kind, mail.category) {
                unsubscribe::stop(tx, app, now, &mail.email, list, Scope::Category).await?;
            }
        }
    }
    metrics::counter!("camp_mail_reports_total", "kind" => kind_label(verdict.kind)).increment(1);
    Ok(Received::Recorded(verdict.kind))
}

async fn count_soft(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    mail: &SentMail,
    reason: &str,
) -> Result<()> {
    let now = app.clock.now();
    let times = reports::soft_since(tx, &mail.email, now - SOFT_WITHIN).await?;
    let mut days: Vec<_> = times.into_iter().map(|at| day_in(settings.timezone, at)).collect();
    days.dedup();
    if days.len() >= SOFT_DAYS {
        reports::mark_counted(tx, now, &mail.email).await?;
        refuse(tx, app, &mail.email, reason).await?;
    }
    Ok(())
}

fn kind_label(kind: Kind) -> &'static str {
    match kind {
        Kind::Hard => "hard",
        Kind::Soft => "soft",
        Kind::Blocked => "blocked",
        Kind::Complaint => "complaint",
    }
}
