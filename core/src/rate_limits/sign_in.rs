//! Limits and delays of attempts to sign in.

use std::net::IpAddr;

use chrono::{DateTime, TimeDelta, Utc};

use super::{networks, too_many};
use crate::db::Tx;
use crate::{App, Result};

/// Failures of one address over all accounts before delays begin.
const ADDRESS_FAILURES: i64 = 30;
/// Failures expire after this time without another one.
const MEMORY: TimeDelta = TimeDelta::minutes(30);
const LONGEST_DELAY: TimeDelta = TimeDelta::minutes(15);

/// An attempt to sign in or to confirm the password. It is counted as a failure before the password is verified, so
/// that a thousand concurrent guesses count as a thousand. [`Attempt::succeeded`] reverts this.
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
            count_failure(&mut tx, app.clock.now(), key, account, most).await?;
        }
        tx.commit().await?;
        Ok(Attempt { accounts: accounts.into_iter().map(|(key, _)| key).collect(), addresses })
    }

    /// Deletes the failures of this account from this client, and does not count this attempt for
    /// the network: an office in which many people sign in is not an attack.
    pub(crate) async fn succeeded(&self, tx: &mut Tx) -> Result<()> {
        for key in &self.accounts {
            tx.sql("delete from attempts where key = $1").bind(key).execute().await?;
        }
        for (key, most) in &self.addresses {
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
        Ok(())
    }
}

/// Counts one more failure of a client, and delays the next attempt once there are `most`.
async fn count_failure(
    tx: &mut Tx,
    now: DateTime<Utc>,
    key: Vec<u8>,
    account: Option<Vec<u8>>,
    most: i64,
) -> Result<()> {
    // Counting first locks the row, so that each of several concurrent attempts sees those before
    // it.
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
            .bind(key)
            .bind(now + delay(count - most))
            .execute()
            .await?;
    }
    Ok(())
}

/// 15 seconds after the last free failure, doubling up to 15 minutes.
fn delay(over: i64) -> TimeDelta {
    TimeDelta::seconds(15i64 << over.clamp(0, 10)).min(LONGEST_DELAY)
}

/// Clears the rate limits of an account's sign-in, from all addresses.
pub(crate) async fn clear_account(
    tx: &mut Tx,
    app: &App,
    kind: &str,
    account: &str,
) -> Result<u64> {
    tx.sql("delete from attempts where account = $1")
        .bind(account_hash(app, kind, account))
        .execute()
        .await
}

/// Clears the delays of networks in which sign-ins to many accounts failed. Which of them a person uses is
/// not stored.
pub(crate) async fn clear_networks(tx: &mut Tx, now: DateTime<Utc>) -> Result<u64> {
    tx.sql("delete from attempts where account is null and blocked_until > $1")
        .bind(now)
        .execute()
        .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_a_quarter_of_an_hour() {
        assert_eq!(delay(0), TimeDelta::seconds(15));
        assert_eq!(delay(1), TimeDelta::seconds(30));
        assert_eq!(delay(40), TimeDelta::minutes(15));
    }
}
