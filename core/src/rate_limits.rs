//! Rate limits against guessing and flooding (decision P8, safety 6). They are stored in the
//! database, so that all processes share them. They expire on their own and never lock anybody out
//! permanently. Their keys are keyed hashes, so no address is stored.

use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};
use ipnet::{Ipv4Net, Ipv6Net};

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

pub const SIGN_UP_BY_ADDRESS: RateLimit = limit("sign-up", 30, 60);
pub const FORGOT_BY_ADDRESS: RateLimit = limit("forgot-address", 20, 60);
pub const FORGOT_BY_RECIPIENT: RateLimit = limit("forgot-recipient", 3, 60);
pub const VERIFY_BY_RECIPIENT: RateLimit = limit("verify-recipient", 5, 60);
pub const TOKENS_BY_ADDRESS: RateLimit = limit("tokens", 60, 60);
/// Enrollment codes of an authenticator app, from one staff account.
pub const CODES_BY_STAFF: RateLimit = limit("codes", 10, 15);
pub const CHANGES_BY_USER: RateLimit = limit("changes", 10, 60);
pub const CONTACT_BY_ADDRESS: RateLimit = limit("contact-address", 20, 60);
pub const CONTACT_BY_SENDER: RateLimit = limit("contact-sender", 5, 60);
pub const CONTACT_BY_MAILBOX: RateLimit = limit("contact-mailbox", 30, 60);
pub const SUBSCRIBE_BY_ADDRESS: RateLimit = limit("subscribe-address", 20, 60);
pub const SUBSCRIBE_BY_RECIPIENT: RateLimit = limit("subscribe-recipient", 3, 60);
pub const COMMENTS_BY_USER: RateLimit = limit("comments", 30, 10);
pub const REPORTS_BY_ADDRESS: RateLimit = limit("reports-address", 20, 60);
pub const VIEWS_BY_ADDRESS: RateLimit = limit("views-address", 300, 60);
pub const FAQ_VIEWS_BY_ADDRESS: RateLimit = limit("faq-views-address", 300, 60);

/// Mails to one mailbox that anybody can cause: confirmations, password resets, acknowledgements.
/// Mails that staff cause are not counted.
const MAILS_BY_MAILBOX: [RateLimit; 2] =
    [limit("mails-hour", 5, 60), limit("mails-day", 15, 24 * 60)];

/// The share of mails that strangers can cause with only the address: sign-up, subscription,
/// contact form, change of address. The rest is reserved for [`ASKED_BY_MAILBOX`].
const UNASKED_BY_MAILBOX: [RateLimit; 2] =
    [limit("mails-unasked-hour", 4, 60), limit("mails-unasked-day", 12, 24 * 60)];

/// A password reset and a repeated confirmation each have their own limit of one mail an hour, so
/// that no stranger can use up what the owner of the mailbox needs to sign in. In total, a mailbox
/// gets at most 5 + 2 such mails in an hour and 15 + 2 * 24 in a day.
const ASKED_BY_MAILBOX: RateLimit = limit("mails-asked-hour", 1, 60);

/// The limit of an IPv6 /48, as a multiple of the limit of a /64 in it. A site or a hosting
/// customer usually has a whole /48, which contains 65,536 networks of size /64.
const SITE: i64 = 8;

const fn limit(name: &'static str, most: i64, minutes: i64) -> RateLimit {
    RateLimit { name, most, within: TimeDelta::minutes(minutes) }
}

/// Failures of one address over all accounts before delays begin.
const ADDRESS_FAILURES: i64 = 30;
/// Failures expire after this time without another one.
const MEMORY: TimeDelta = TimeDelta::minutes(30);
const LONGEST_DELAY: TimeDelta = TimeDelta::minutes(15);

/// The network that counts as one address. For IPv6 it is the /64, since a household has a whole
/// one.
pub fn network(address: IpAddr) -> String {
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
pub async fn count(app: &App, limit: RateLimit, who: &str) -> Result<()> {
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

/// Counts one more mail to a mailbox that anybody can cause. The count belongs to the transaction
/// that enqueues the mail. Returns the error to show, or `None` if the mail may be sent.
pub(crate) async fn count_mail(tx: &mut Tx, app: &App, email: &str) -> Result<Option<Error>> {
    let mailbox = mailbox(email);
    let caps = [UNASKED_BY_MAILBOX, MAILS_BY_MAILBOX].concat();
    let until = count_all(tx, app, &caps, &mailbox).await?;
    Ok(until.map(|until| too_many_mails(until, app.clock.now())))
}

/// Like [`count_mail`], for a mail that the owner of the mailbox needs to sign in.
pub(crate) async fn count_asked_mail(
    tx: &mut Tx,
    app: &App,
    kind: &str,
    email: &str,
) -> Result<Option<Error>> {
    let mailbox = mailbox(email);
    let own = format!("{kind} {mailbox}");
    let Some(own_until) = count_in(tx, app, ASKED_BY_MAILBOX, &own).await? else {
        return Ok(None);
    };
    let until = count_all(tx, app, &MAILS_BY_MAILBOX, &mailbox).await?;
    Ok(until.map(|until| too_many_mails(until.min(own_until), app.clock.now())))
}

async fn count_all(
    tx: &mut Tx,
    app: &App,
    caps: &[RateLimit],
    who: &str,
) -> Result<Option<DateTime<Utc>>> {
    for limit in caps {
        if let Some(until) = count_in(tx, app, *limit, who).await? {
            return Ok(Some(until));
        }
    }
    Ok(None)
}

/// One name for all spellings of an address that reach the same mailbox: `a.b+news@gmail.com` is
/// `ab@gmail.com`. If two people share a name this way, they only share a limit.
fn mailbox(email: &str) -> String {
    let email = email.trim().to_lowercase();
    let Some((local, domain)) = email.rsplit_once('@') else { return email };
    let local = match local.split_once('+') {
        Some((name, _)) if !name.is_empty() => name,
        _ => local,
    };
    match domain.trim_end_matches('.') {
        "gmail.com" | "googlemail.com" => format!("{}@gmail.com", local.replace('.', "")),
        domain => format!("{local}@{domain}"),
    }
}

/// How a mail fits into the limit of its mailbox.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    Enough,
    /// The first mail above the limit.
    FullNow,
    Full,
}

/// Counts one more mail to a mailbox of the camp.
pub(crate) async fn count_own_mail(
    tx: &mut Tx,
    app: &App,
    limit: RateLimit,
    email: &str,
) -> Result<Room> {
    let (count, _) = counted(tx, app, limit, &mailbox(email)).await?;
    Ok(match count - limit.most {
        ..=0 => Room::Enough,
        1 => Room::FullNow,
        _ => Room::Full,
    })
}

/// Counts one more. Returns until when the limit is exceeded, if it is.
async fn count_in(
    tx: &mut Tx,
    app: &App,
    limit: RateLimit,
    who: &str,
) -> Result<Option<DateTime<Utc>>> {
    let (count, first_at) = counted(tx, app, limit, who).await?;
    Ok((count > limit.most).then(|| first_at + limit.within))
}

/// Counts one more. Returns the count and the start of the period.
async fn counted(
    tx: &mut Tx,
    app: &App,
    limit: RateLimit,
    who: &str,
) -> Result<(i64, DateTime<Utc>)> {
    let now = app.clock.now();
    let key = app.keys.hash("limit", &[limit.name.as_bytes(), who.as_bytes()]);
    tx.sql(
        "insert into attempts (key, count, first_at, last_at) values ($1, 1, $2, $2)
             on conflict (key) do update set
               count = case when attempts.first_at <= $3 then 1 else attempts.count + 1 end,
               first_at = case when attempts.first_at <= $3 then $2 else attempts.first_at end,
               last_at = $2
             returning count, first_at",
    )
    .bind(key)
    .bind(now)
    .bind(now - limit.within)
    .one()
    .await
}

/// Whether a view from this address may still be counted. Viewers who are not signed in are
/// identified only by a cookie, and get a new one by sending none.
pub async fn may_view(app: &App, limit: RateLimit, viewer: &Viewer, from: IpAddr) -> Result<bool> {
    if viewer.user_id.is_some() {
        return Ok(true);
    }
    match count_network(app, limit, from).await {
        Err(Error::TooMany { .. }) => Ok(false),
        counted => counted.map(|()| true),
    }
}

/// An attempt to sign in or to confirm the password. It is counted as a failure before the password is verified, so that a
/// thousand concurrent guesses count as a thousand. [`Attempt::succeeded`] reverts this.
pub struct Attempt {
    accounts: Vec<Vec<u8>>,
    /// Each with the number of failures before delays begin.
    addresses: Vec<(Vec<u8>, i64)>,
}

/// Identifies an account independent of the client's address.
fn account_hash(app: &App, kind: &str, account: &str) -> Vec<u8> {
    app.keys.hash("sign-in-account", &[kind.as_bytes(), account.as_bytes()])
}

/// What an attempt is counted by, besides the account.
pub enum By {
    /// The network, both for this account and over all accounts.
    Network(IpAddr),
    /// The account alone, whatever the network: for somebody who is signed in to it. Strangers cannot
    /// use this limit up.
    Account,
    /// A browser in which this account signed in before ("device cookie", OWASP), identified by its
    /// cookie. Failures of others on the same network do not delay it. A stolen cookie allows as
    /// many attempts as an address does.
    Browser(String),
}

impl Attempt {
    /// Counts the attempt.
    ///
    /// # Errors
    ///
    /// [`Error::TooMany`] while the account from this client, or the network, has to wait.
    pub async fn begin(app: &App, kind: &str, account: &str, by: By, most: i64) -> Result<Attempt> {
        let now = app.clock.now();
        let (mut accounts, mut addresses) = (Vec::new(), Vec::new());
        let (kind_bytes, account_bytes) = (kind.as_bytes(), account.as_bytes());
        match by {
            By::Network(address) => {
                for (net, times) in networks(address) {
                    let net = net.as_bytes();
                    let key = app.keys.hash("sign-in", &[kind_bytes, account_bytes, net]);
                    accounts.push((key, most * times));
                    let key = app.keys.hash("sign-in-address", &[kind_bytes, net]);
                    addresses.push((key, ADDRESS_FAILURES * times));
                }
            }
            By::Account => {
                let key = app.keys.hash("confirm", &[kind_bytes, account_bytes]);
                accounts.push((key, most));
            }
            By::Browser(browser) => {
                let parts = [kind_bytes, account_bytes, browser.as_bytes()];
                accounts.push((app.keys.hash("sign-in-browser", &parts), most));
            }
        }
        let mut tx = app.db.begin().await?;
        let everywhere = account_hash(app, kind, account);
        let mut counted = Vec::new();
        for (key, most) in &accounts {
            counted.push((key.clone(), Some(everywhere.clone()), *most));
        }
        for (key, most) in &addresses {
            counted.push((key.clone(), None, *most));
        }
        for (key, account, most) in counted {
            // Counting first locks the row, so that each of several concurrent attempts sees those
            // before it.
            let (count, blocked_until): (i64, Option<DateTime<Utc>>) = tx
                .sql(
                    "insert into attempts (key, count, first_at, last_at, account)
                     values ($1, 1, $2, $2, $4)
                     on conflict (key) do update set
                       count = case when attempts.last_at <= $3 then 1 else attempts.count + 1 end,
                       last_at = $2
                     returning count, blocked_until",
                )
                .bind(key.clone())
                .bind(now)
                .bind(now - MEMORY)
                .bind(account)
                .one()
                .await?;
            if let Some(until) = blocked_until.filter(|until| *until > now) {
                return Err(too_many(until, now));
            }
            if count >= most {
                tx.sql("update attempts set blocked_until = $2 where key = $1")
                    .bind(key.clone())
                    .bind(now + delay(count - most))
                    .execute()
                    .await?;
            }
        }
        tx.commit().await?;
        Ok(Attempt { accounts: accounts.into_iter().map(|(key, _)| key).collect(), addresses })
    }

    /// Deletes the failures of this account from this client, and does not count this attempt for
    /// the network: an office in which many people sign in is not an attack.
    pub async fn succeeded(self, app: &App) -> Result<()> {
        let mut tx = app.db.begin().await?;
        for key in self.accounts {
            tx.sql("delete from attempts where key = $1").bind(key).execute().await?;
        }
        for (key, most) in self.addresses {
            tx.sql(
                "update attempts
                 set count = count - 1,
                     blocked_until = case when count - 1 < $2 then null else blocked_until end
                 where key = $1 and count > 0",
            )
            .bind(key)
            .bind(most)
            .execute()
            .await?;
        }
        tx.commit().await
    }
}

/// 15 seconds after the last free failure, doubling up to 15 minutes.
fn delay(over: i64) -> TimeDelta {
    TimeDelta::seconds(15i64 << over.clamp(0, 10)).min(LONGEST_DELAY)
}

fn too_many_mails(until: DateTime<Utc>, now: DateTime<Utc>) -> Error {
    Error::TooManyMails { retry_after: seconds(until, now) }
}

fn too_many(until: DateTime<Utc>, now: DateTime<Utc>) -> Error {
    Error::TooMany { retry_after: seconds(until, now) }
}

fn seconds(until: DateTime<Utc>, now: DateTime<Utc>) -> u64 {
    (until - now).num_seconds().max(1) as u64
}

/// Clears the rate limits of a user's sign-in, from all addresses.
pub(crate) async fn clear_account(tx: &mut Tx, app: &App, email: &str) -> Result<u64> {
    tx.sql("delete from attempts where account = $1")
        .bind(account_hash(app, "user", email))
        .execute()
        .await
}

/// Clears all rate limits, for staff and operators who help users.
pub async fn clear(app: &App) -> Result<u64> {
    let mut tx = app.db.begin().await?;
    let cleared = tx.sql("delete from attempts").execute().await?;
    tx.commit().await?;
    Ok(cleared)
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

    #[test]
    fn spellings_of_one_mailbox_share_a_limit() {
        for spelling in
            ["Chaya@Family.Example", "chaya+1@family.example", "chaya+a+b@family.example."]
        {
            assert_eq!(mailbox(spelling), "chaya@family.example", "{spelling}");
        }
        assert_eq!(mailbox("c.ha.ya+camp@googlemail.com"), "chaya@gmail.com");
        assert_ne!(mailbox("c.haya@family.example"), mailbox("chaya@family.example"));
        assert_eq!(mailbox("+@family.example"), "+@family.example");
    }

    #[test]
    fn delays_double_up_to_a_quarter_of_an_hour() {
        assert_eq!(delay(0), TimeDelta::seconds(15));
        assert_eq!(delay(1), TimeDelta::seconds(30));
        assert_eq!(delay(40), TimeDelta::minutes(15));
    }
}
