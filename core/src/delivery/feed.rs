//! Hands out the mails of one notification: claims them in batches, and gives back what was not begun.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use uuid::Uuid;

use super::persist;
use crate::db::{On, Sql, Texts};
use crate::mail::{Admission, DomainPass};
use crate::notifications::Delivery;
use crate::{App, Result};

/// A claim expires after this time, in case its worker is alive but stuck.
const LEASE: TimeDelta = TimeDelta::minutes(5);
/// A claim that is older is checked before its mail is sent, since other workers may take this one for
/// dead meanwhile, and recipients may opt out.
const FRESH: Duration = Duration::from_secs(5);
/// A mail that is sent now takes less than this.
const SENDING: TimeDelta = TimeDelta::minutes(2);
/// If only domains that get no more at the moment are left, others are looked for so often.
const LOOK_FOR_OTHERS: Duration = Duration::from_secs(1);
/// As many mails may wait for domains that get no more at the moment.
const MOST_WAITING: usize = 1_000;

pub(super) struct Feed {
    notification_id: Uuid,
    /// Claimed and not begun.
    waiting: Mutex<VecDeque<Claim>>,
    /// Claimed for domains that have enough, which are given back until later.
    resting: Mutex<Vec<(Claim, DateTime<Utc>)>>,
    /// One claims at a time.
    claiming: tokio::sync::Mutex<Option<Instant>>,
    /// Nothing else is due.
    is_dry: AtomicBool,
}

pub(super) struct Claim {
    pub delivery: Delivery,
    at: Instant,
}

pub(super) enum Next {
    Mail(Claim, DomainPass),
    /// Nothing could be had for a moment.
    Later,
    End,
}

enum Taken {
    Mail(Claim, DomainPass),
    /// All that wait are for these domains.
    Full(Vec<String>),
    Nothing,
}

impl Feed {
    pub fn of(notification_id: Uuid) -> Feed {
        Feed {
            notification_id,
            waiting: Mutex::default(),
            resting: Mutex::default(),
            claiming: tokio::sync::Mutex::default(),
            is_dry: AtomicBool::new(false),
        }
    }

    /// Claims the first mails. Returns for how many senders there is work.
    pub async fn open(&self, app: &App) -> Result<usize> {
        self.claim(app, &[]).await?;
        Ok(self.waiting().min(app.mailer.connections as usize))
    }

    /// Returns the next mail. It is sent by the caller or passed to [`Feed::put_back`].
    pub async fn next(&self, app: &App) -> Result<Next> {
        loop {
            match self.take(app) {
                Taken::Mail(claim, pass) => {
                    if let Err(error) = self.claim_ahead(app).await {
                        self.put_back(claim);
                        return Err(error);
                    }
                    return Ok(Next::Mail(claim, pass));
                }
                Taken::Nothing if self.is_dry() => return Ok(Next::End),
                Taken::Nothing => {
                    let _claiming = self.claiming.lock().await;
                    // Another sender may have claimed some meanwhile.
                    if self.waiting() == 0 && !self.is_dry() {
                        self.claim(app, &[]).await?;
                    }
                }
                Taken::Full(domains) => {
                    self.claim_others(app, &domains).await?;
                    app.mailer.domains.changed().await;
                    return Ok(Next::Later);
                }
            }
        }
    }

    pub fn put_back(&self, claim: Claim) {
        self.waiting.lock().expect("no panic inside").push_front(claim);
    }

    /// Whether a claim may be sent: it is fresh, or still ours, and then renewed.
    pub async fn keep(&self, app: &App, claim: &Claim) -> Result<bool> {
        if claim.at.elapsed() < FRESH {
            return Ok(true);
        }
        let now = app.clock.now();
        let mut tx = app.db.begin().await?;
        // Another job of this process would have claimed it until another time.
        let kept = tx
            .sql(
                "update deliveries set due_at = $4, updated_at = $5
                 where notification_id = $1 and email = $2 and status = 'sending'
                   and claimed_by = $3 and due_at = $6",
            )
            .bind(self.notification_id)
            .bind(&claim.delivery.email)
            .bind(app.process)
            .bind(now + LEASE)
            .bind(now)
            .bind(claim.delivery.claimed_until)
            .execute()
            .await?;
        tx.commit().await?;
        Ok(kept > 0)
    }

    /// Whether another sender would find nothing to do.
    fn is_dry(&self) -> bool {
        self.is_dry.load(Ordering::Relaxed)
    }

    /// Takes the first mail whose domain gets more.
    fn take(&self, app: &App) -> Taken {
        let mut waiting = self.waiting.lock().expect("no panic inside");
        let mut full: Vec<String> = Vec::new();
        let mut at = 0;
        while at < waiting.len() {
            let domain = waiting[at].delivery.email.domain();
            if full.iter().any(|name| name == domain) {
                at += 1;
                continue;
            }
            match app.mailer.domains.admit(domain) {
                Admission::Full => full.push(domain.to_owned()),
                Admission::Granted(pass) => {
                    let claim = waiting.remove(at).expect("it is there");
                    return Taken::Mail(claim, pass);
                }
                Admission::Resting(rest) => {
                    let claim = waiting.remove(at).expect("it is there");
                    let until = app.clock.now() + TimeDelta::from_std(rest).unwrap_or_default();
                    self.resting.lock().expect("no panic inside").push((claim, until));
                }
            }
        }
        match full.is_empty() {
            true => Taken::Nothing,
            false => Taken::Full(full),
        }
    }

    fn waiting(&self) -> usize {
        self.waiting.lock().expect("no panic inside").len()
    }

    /// Claims mails for other domains than these.
    async fn claim_others(&self, app: &App, full: &[String]) -> Result<()> {
        let Ok(mut last) = self.claiming.try_lock() else { return Ok(()) };
        let is_recent = last.is_some_and(|at: Instant| at.elapsed() < LOOK_FOR_OTHERS);
        if self.is_dry() || is_recent || self.waiting() >= MOST_WAITING {
            return Ok(());
        }
        *last = Some(Instant::now());
        if self.claim(app, full).await? {
            // There are more of them.
            *last = None;
        }
        Ok(())
    }

    /// Claims more before the last mail is taken, so that no sender waits for it.
    async fn claim_ahead(&self, app: &App) -> Result<()> {
        let few = app.mailer.read_ahead() / 2;
        let is_low = || self.waiting() < few;
        if self.is_dry() || !is_low() {
            return Ok(());
        }
        match self.claiming.try_lock() {
            Ok(_claiming) if is_low() => self.claim(app, &[]).await.map(drop),
            _ => Ok(()),
        }
    }

    /// Claims as many mails as may wait in memory, but none for these domains. Returns whether it got
    /// so many.
    async fn claim(&self, app: &App, without: &[String]) -> Result<bool> {
        let most = app.mailer.read_ahead().max(app.mailer.connections as usize) as i64;
        let begun = Instant::now();
        let now = app.clock.now();
        let mut tx = app.db.begin().await?;
        let claimed: Vec<Delivery> = On::from(&mut tx)
            .either(claim_texts())
            .bind(self.notification_id)
            .bind(now)
            .bind(app.process)
            .bind(now + LEASE)
            .bind(most)
            .bind(json!(without).to_string())
            .all()
            .await?;
        tx.commit().await?;
        let is_full = (claimed.len() as i64) >= most;
        // Other domains may still be due.
        if !is_full && without.is_empty() {
            self.is_dry.store(true, Ordering::Relaxed);
        }
        let claims = claimed.into_iter().map(|delivery| Claim { delivery, at: begun });
        self.waiting.lock().expect("no panic inside").extend(claims);
        Ok(is_full)
    }

    /// Gives back what was claimed and not begun.
    pub async fn close(&self, app: &App) -> Result<()> {
        let now = app.clock.now();
        let waiting = std::mem::take(&mut *self.waiting.lock().expect("no panic inside"));
        let resting = std::mem::take(&mut *self.resting.lock().expect("no panic inside"));
        let mut groups: BTreeMap<DateTime<Utc>, Vec<String>> = BTreeMap::new();
        let waiting = waiting.into_iter().map(|claim| (claim, now));
        for (claim, due) in waiting.chain(resting) {
            // What has expired may be somebody else's.
            if claim.delivery.claimed_until > now + SENDING {
                groups.entry(due).or_default().push(claim.delivery.email.to_string());
            }
        }
        if groups.is_empty() {
            return Ok(());
        }
        persist(app, "mails that were not begun could not be given back", || {
            Box::pin(self.give_back(app, now, &groups))
        })
        .await
    }

    async fn give_back(
        &self,
        app: &App,
        now: DateTime<Utc>,
        groups: &BTreeMap<DateTime<Utc>, Vec<String>>,
    ) -> Result<()> {
        let mut tx = app.db.begin().await?;
        for (due, emails) in groups {
            On::from(&mut tx)
                .either(give_back_texts())
                .bind(self.notification_id)
                .bind(app.process)
                .bind(*due)
                .bind(now)
                .bind(json!(emails).to_string())
                .execute()
                .await?;
        }
        tx.commit().await
    }
}

/// Finds the rows by their place, without another search for each.
fn claim_texts() -> Texts {
    const CLAIM: &str = "update deliveries
         set status = 'sending', claimed_by = $3, attempts = attempts + 1, due_at = $4, updated_at = $2
         where ";
    const DUE: &str = " from deliveries
           where notification_id = $1 and status = 'queued' and collected = false and due_at <= $2
             and ";
    const CLAIMED: &str =
        " returning email, full_name, profile_id, attempts, created_at, due_at as claimed_until";
    Texts {
        sqlite: Sql::from([
            CLAIM,
            "rowid in (select rowid",
            DUE,
            "substr(email, instr(email, '@') + 1) not in (select value from json_each($6)) limit $5)",
            CLAIMED,
        ]),
        postgres: Sql::from([
            CLAIM,
            "ctid = any(array(select ctid",
            DUE,
            "split_part(email, '@', 2) not in (select jsonb_array_elements_text(cast($6 as jsonb)))
               limit $5
               for update skip locked))",
            CLAIMED,
        ]),
    }
}

fn give_back_texts() -> Texts {
    const GIVE_BACK: &str = "update deliveries
         set status = 'queued', attempts = attempts - 1, due_at = $3, updated_at = $4
         where notification_id = $1 and status = 'sending' and claimed_by = $2 and ";
    Texts {
        sqlite: Sql::from([GIVE_BACK, "email in (select value from json_each($5))"]),
        postgres: Sql::from([
            GIVE_BACK,
            "email = any(array(select jsonb_array_elements_text(cast($5 as jsonb))))",
        ]),
    }
}
