//! Reports that mail providers send by webhook. Each provider is one file and one line in
//! [`providers`].

mod certificate;
mod mailgun;
mod postmark;
mod ses;

use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use url::Url;
use uuid::Uuid;

use self::certificate::Signed;
use super::report::Marks;
use super::verdict::Verdict;
use super::{Received, Source, find, record, token};
use crate::app::Keys;
use crate::config::Config;
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::{App, Error, Result};

/// How long the tokens of signed calls are kept. Calls that are older are refused.
pub(super) const TOKENS_KEPT: TimeDelta = TimeDelta::hours(24);

/// A call of a webhook.
pub struct Call<'a> {
    /// The header `Authorization`.
    pub authorization: Option<&'a str>,
    pub body: &'a Value,
    pub now: DateTime<Utc>,
    /// The network address of whoever made it.
    pub address: IpAddr,
}

/// A mail provider.
trait Provider: Sync {
    /// Its name in the address of the webhook.
    fn name(&self) -> &'static str;

    fn source(&self) -> Source;

    /// What the operator configured to recognize its calls.
    fn secret<'a>(&self, config: &'a Config) -> Option<&'a str>;

    /// Checks that the provider made the call, as far as that needs no certificate. Returns the
    /// token that is unique to the call, if the provider's calls have one.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidCredentials`] for a call of somebody else.
    fn authenticate(&self, secret: &str, call: &Call<'_>) -> Result<Option<String>>;

    /// What the provider signed with the key of a certificate, if it signs its calls that way.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidCredentials`] for a call of somebody else.
    fn signed(&self, _secret: &str, _body: &Value) -> Result<Option<Signed>> {
        Ok(None)
    }

    /// The address to visit if the provider asks whether it may make calls.
    fn confirmation(&self, _secret: &str, _body: &Value) -> Option<Url> {
        None
    }

    /// Reads what happened. `None` if there is nothing to do.
    fn event(&self, body: &Value) -> Option<Event>;

    /// A header by which the provider names a mail in its reports, if it replaces the Message-ID.
    fn header(&self, _token: String) -> Option<(&'static str, String)> {
        None
    }
}

/// What a provider reports about a mail.
struct Event {
    marks: Marks,
    verdict: Verdict,
}

fn providers() -> [&'static dyn Provider; 3] {
    [&postmark::Postmark, &mailgun::Mailgun, &ses::Ses]
}

fn configured<'a>(config: &'a Config, name: &str) -> Option<(&'static dyn Provider, &'a str)> {
    let provider = providers().into_iter().find(|provider| provider.name() == name)?;
    Some((provider, provider.secret(config)?))
}

/// Whether the operator configured this provider.
pub fn is_configured(config: &Config, name: &str) -> bool {
    configured(config, name).is_some()
}

/// The names of the configured providers.
pub(crate) fn configured_names(config: &Config) -> Vec<&'static str> {
    let names = providers().into_iter().map(Provider::name);
    names.filter(|name| is_configured(config, name)).collect()
}

/// The header for the configured provider, if it needs one.
pub(crate) fn header(
    config: &Config,
    keys: &Keys,
    notification_id: Uuid,
    email: &EmailAddress,
) -> Option<(&'static str, String)> {
    let configured = providers().into_iter().filter(|provider| provider.secret(config).is_some());
    configured
        .filter_map(|provider| provider.header(token::of_mail(keys, notification_id, email)))
        .next()
}

/// Handles a call of a webhook.
///
/// # Errors
///
/// [`Error::NotFound`] for a provider that is not configured, [`Error::InvalidCredentials`] for a
/// call that it did not make, [`Error::Busy`] if that cannot be determined now.
pub async fn receive_call(app: &App, name: &str, call: &Call<'_>) -> Result<Received> {
    let (provider, secret) = configured(&app.config, name)
        .ok_or(Error::NotFound("No such mail provider is configured."))?;
    let once = provider.authenticate(secret, call)?;
    if let Some(signed) = provider.signed(secret, call.body)? {
        certificate::verify(app, &signed, call.address).await?;
    }
    if let Some(url) = provider.confirmation(secret, call.body) {
        // Confirming twice does no harm.
        match app.fetcher.fetch(&url).await? {
            Some(_) => tracing::info!(name, "the subscription to bounces is confirmed"),
            None => tracing::warn!(name, "the subscription to bounces cannot be confirmed"),
        }
    }
    let found = match provider.event(call.body) {
        Some(event) => find(app, &event.marks)
            .await?
            .map(|mail| (mail, event.verdict))
            .ok_or(Received::NotOurs),
        None => Err(Received::Ignored("an event that needs nothing")),
    };
    let settings = app.settings().await?;
    let mut tx = app.db.begin().await?;
    // Stored in every case, so that nobody who intercepted a call can repeat it with another event.
    if let Some(token) = once
        && !is_first(&mut tx, call.now, token).await?
    {
        return Ok(Received::Repeated);
    }
    let received = match found {
        Ok((mail, verdict)) => {
            record(&mut tx, app, &settings, &mail, &verdict, provider.source()).await?
        }
        Err(nothing) => nothing,
    };
    tx.commit().await?;
    Ok(received)
}

async fn is_first(tx: &mut Tx, now: DateTime<Utc>, token: String) -> Result<bool> {
    let inserted = tx
        .sql(
            "insert into mail_event_tokens (token, seen_at) values ($1, $2)
             on conflict (token) do nothing",
        )
        .bind(token)
        .bind(now)
        .execute()
        .await?;
    Ok(inserted > 0)
}

/// Deletes the tokens of calls that are too old to be made again. Runs hourly.
///
/// # Errors
///
/// Only those of the database.
pub async fn prune(app: &App) -> Result<()> {
    let mut tx = app.db.begin().await?;
    tx.sql("delete from mail_event_tokens where seen_at < $1")
        .bind(app.clock.now() - TOKENS_KEPT)
        .execute()
        .await?;
    tx.commit().await
}

fn not_theirs() -> Error {
    Error::InvalidCredentials("This call was not made by the configured mail provider.")
}

/// The text at a path of names, or nothing.
fn text<'a>(body: &'a Value, path: &[&str]) -> &'a str {
    let value = path.iter().try_fold(body, |value, name| value.get(name));
    value.and_then(Value::as_str).unwrap_or_default()
}
