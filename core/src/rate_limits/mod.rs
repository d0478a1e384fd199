//! Rate limits against guessing and flooding (decision P8, safety 6). They are stored in the
//! database, so that all processes share them. They expire on their own and never lock anybody out
//! permanently. Their keys are keyed hashes, so no address is stored.

mod mail;
mod sign_in;

use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};
use ipnet::{Ipv4Net, Ipv6Net};

pub(crate) use mail::{Quota, count_asked_mail, count_mail, count_own_mail, count_test};
pub use sign_in::{Attempt, By};
pub(crate) use sign_in::{clear_account, clear_networks};

use crate::access::Viewer;
use crate::db::Tx;
use crate::{App, Error, Result};

/// A maximum count within a period.
#[derive(Clone, Copy)]
pub struct RateLimit {
    pub name: &'static str,
    pub most: i64,
    pub within: TimeDelta,
}

pub(crate) const SIGN_UP_BY_ADDRESS: RateLimit = limit("sign-up", 30, 60);
pub(crate) const FORGOT_BY_ADDRESS: RateLimit = limit("forgot-address", 20, 60);
pub(crate) const FORGOT_BY_RECIPIENT: RateLimit = limit("forgot-recipient", 3, 60);
/// Confirmations that are sent again.
pub(crate) const VERIFY_BY_ADDRESS: RateLimit = limit("verify-address", 20, 60);
pub(crate) const VERIFY_BY_RECIPIENT: RateLimit = limit("verify-recipient", 5, 60);
pub(crate) const TOKENS_BY_ADDRESS: RateLimit = limit("tokens", 60, 60);
/// Enrollment codes of an authenticator app, from one staff account.
pub(crate) const CODES_BY_STAFF: RateLimit = limit("codes", 10, 15);
pub(crate) const CHANGES_BY_USER: RateLimit = limit("changes", 10, 60);
pub(crate) const CONTACT_BY_ADDRESS: RateLimit = limit("contact-address", 20, 60);
/// The typed address, from one network: a stranger who types somebody else's keeps nobody from writing.
pub(crate) const CONTACT_BY_SENDER: RateLimit = limit("contact-sender", 5, 60);
pub(crate) const CONTACT_BY_USER: RateLimit = limit("contact-user", 5, 60);
pub(crate) const CONTACT_BY_MAILBOX: RateLimit = limit("contact-mailbox", 30, 60);
pub(crate) const SUBSCRIBE_BY_ADDRESS: RateLimit = limit("subscribe-address", 20, 60);
pub(crate) const SUBSCRIBE_BY_RECIPIENT: RateLimit = limit("subscribe-recipient", 3, 60);
pub(crate) const COMMENTS_BY_USER: RateLimit = limit("comments", 30, 10);
pub(crate) const REPORTS_BY_ADDRESS: RateLimit = limit("reports-address", 20, 60);
pub(crate) const VIEWS_BY_ADDRESS: RateLimit = limit("views-address", 300, 60);
/// Test mails, from one staff account to itself.
pub(crate) const TESTS_BY_STAFF: RateLimit = limit("tests", 10, 60);
/// Calls of webhooks that no mail provider made.
pub const WEBHOOKS_BY_ADDRESS: RateLimit = limit("webhooks", 60, 60);
/// Certificates that are fetched to check calls of webhooks, all together.
pub(crate) const CERTIFICATES: RateLimit = limit("webhook-certificates", 600, 60);
/// The same, for calls from one network.
pub(crate) const CERTIFICATES_BY_ADDRESS: RateLimit = limit("webhook-certificates-address", 20, 60);
pub(crate) const FAQ_VIEWS_BY_ADDRESS: RateLimit = limit("faq-views-address", 300, 60);

/// The limit of an IPv6 /48, as a multiple of the limit of a /64 in it. A site or a hosting
/// customer usually has a whole /48, which contains 65,536 networks of size /64.
const SITE: i64 = 8;

const fn limit(name: &'static str, most: i64, minutes: i64) -> RateLimit {
    RateLimit { name, most, within: TimeDelta::minutes(minutes) }
}

/// The network that counts as one address. For IPv6 it is the /64, since a household has a whole
/// one.
pub(crate) fn network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(v4) => Ipv4Net::from(v4).to_string(),
        IpAddr::V6(v6) => Ipv6Net::new_assert(v6, 64).trunc().to_string(),
    }
}

/// The networks by which an address is counted, each with the factor for its limit.
fn networks(address: IpAddr) -> Vec<(String, i64)> {
    let mut networks = vec![(network(address), 1)];
    if let IpAddr::V6(v6) = address.to_canonical() {
        networks.push((Ipv6Net::new_assert(v6, 48).trunc().to_string(), SITE));
    }
    networks
}

/// Counts one more request.
///
/// # Errors
///
/// [`Error::TooMany`] above the limit.
pub(crate) async fn count(app: &App, limit: RateLimit, who: &str) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let until = count_in(&mut tx, app, limit, who).await?;
    tx.commit().await?;
    match until {
        Some(until) => Err(too_many(until, app.clock.now())),
        None => Ok(()),
    }
}

/// Counts one more request for the network of an address, and for the site around it.
///
/// # Errors
///
/// [`Error::TooMany`] above the limit.
pub async fn count_network(app: &App, limit: RateLimit, address: IpAddr) -> Result<()> {
    let mut tx = app.db.begin().await?;
    let mut refused = None;
    for (network, times) in networks(address) {
        let limit = RateLimit { most: limit.most * times, ..limit };
        refused = refused.max(count_in(&mut tx, app, limit, &network).await?);
    }
    tx.commit().await?;
    match refused {
        Some(until) => Err(too_many(until, app.clock.now())),
        None => Ok(()),
    }
}

/// Counts one more. Returns until when the limit is exceeded, if it is.
async fn count_in(
    tx: &mut Tx,
    app: &App,
    limit: RateLimit,
    who: &str,
) -> Result<Option<DateTime<Utc>>> {
    let (count, first_at) = counted(tx, app, limit, who, 1).await?;
    Ok((count > limit.most).then(|| first_at + limit.within))
}

/// Counts `more` at once. Returns how many of them are within the limit.
pub(crate) async fn count_several(
    tx: &mut Tx,
    app: &App,
    limit: RateLimit,
    who: &str,
    more: i64,
) -> Result<i64> {
    let (count, _) = counted(tx, app, limit, who, more).await?;
    Ok((limit.most - (count - more)).clamp(0, more))
}

/// Adds `more` to the count. Returns the count and the start of the period.
async fn counted(
    tx: &mut Tx,
    app: &App,
    limit: RateLimit,
    who: &str,
    more: i64,
) -> Result<(i64, DateTime<Utc>)> {
    let now = app.clock.now();
    let key = app.keys.hash("limit", &[limit.name.as_bytes(), who.as_bytes()]);
    tx.sql(
        "insert into attempts (key, count, first_at, last_at) values ($1, $4, $2, $2)
             on conflict (key) do update set
               count = case when attempts.first_at <= $3 then $4 else attempts.count + $4 end,
               first_at = case when attempts.first_at <= $3 then $2 else attempts.first_at end,
               last_at = $2
             returning count, first_at",
    )
    .bind(key)
    .bind(now)
    .bind(now - limit.within)
    .bind(more)
    .one()
    .await
}

/// The networks by which views from this address are limited, with the maximum of each. Viewers who
/// are not signed in are identified only by a cookie, and get a new one by sending none.
pub(crate) fn of_views(limit: RateLimit, viewer: &Viewer, from: IpAddr) -> Vec<(String, i64)> {
    match viewer.user_id {
        Some(_) => Vec::new(),
        None => networks(from).into_iter().map(|(at, times)| (at, limit.most * times)).collect(),
    }
}

fn too_many(until: DateTime<Utc>, now: DateTime<Utc>) -> Error {
    Error::TooMany { retry_after: seconds(until, now) }
}

fn seconds(until: DateTime<Utc>, now: DateTime<Utc>) -> u64 {
    (until - now).num_seconds().max(1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_household_counts_as_one_address() {
        let one: IpAddr = "2001:db8:1:2:aaaa::1".parse().expect("an address");
        let other: IpAddr = "2001:db8:1:2:bbbb::9".parse().expect("an address");
        let else_where: IpAddr = "2001:db8:1:3::1".parse().expect("an address");
        assert_eq!(network(one), network(other));
        assert_ne!(network(one), network(else_where));
        let mapped: IpAddr = "::ffff:192.0.2.1".parse().expect("an address");
        assert_eq!(network(mapped), "192.0.2.1/32");
    }
}
