//! Hands out the mails of one notification, which it reads in batches.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use uuid::Uuid;

use super::persist;
use crate::db::{On, Sql, Texts};
use crate::email_address::EmailAddress;
use crate::mail::{Admission, DomainPermit};
use crate::notifications::lease::Lease;
use crate::notifications::{Delivery, sent};
use crate::{App, Result};

/// A mail that was read longer ago than this is checked before it is sent, since other workers may
/// have taken this one for dead in the meantime, and recipients may have opted out.
const FRESH: Duration = Duration::from_secs(5);
const RENEW_EVERY: Duration = Duration::from_secs(1);
/// How often mails for other domains are claimed while all waiting mails are for domains that take
/// no more.
const CLAIM_OTHERS_EVERY: Duration = Duration::from_secs(1);
/// How often reading begins again at the first mail, since some mails have become due again.
const RESTART_EVERY: Duration = Duration::from_secs(10);
/// How many mails may wait for domains that take no more at the moment.
const MAX_WAITING: usize = 1_000;

pub(super) struct Feed {
    lease: Lease,
    renewed: tokio::sync::Mutex<Instant>,
    /// Claimed mails that no connection has taken.
    waiting: Mutex<VecDeque<Claim>>,
    /// For domains that refused mail, until later.
    postponed: Mutex<Vec<(Claim, DateTime<Utc>)>>,
    /// Locked while a batch is read.
    claiming: tokio::sync::Mutex<Claiming>,
    recorded: Recorded,
    /// Nothing else is due.
    is_exhausted: AtomicBool,
}

/// How far the mails were read.
struct Claiming {
    /// When the reading began at the first mail.
    begun: Instant,
    /// The address of the last mail that was read.
    place: String,
    /// Mails whose results are not recorded in their deliveries yet, so that they still look as if
    /// they waited.
    held: HashSet<EmailAddress>,
    /// When mails to domains that did not refuse any were last looked for.
    others: Option<Instant>,
}

/// The mails whose results were recorded in their deliveries.
pub(super) type Recorded = Arc<Mutex<Vec<EmailAddress>>>;

pub(super) struct Claim {
    pub delivery: Delivery,
    /// When the lease was last known to be ours.
    at: Instant,
}

#[derive(sqlx::FromRow)]
struct Found {
    place: String,
    #[sqlx(flatten)]
    delivery: Delivery,
}

pub(super) enum Next {
    Mail(Claim, DomainPermit),
    /// No domain of the waiting mails takes more at the moment.
    Later,
    End,
}

enum Taken {
    Mail(Claim, DomainPermit),
    /// All waiting mails are for these domains, which take no more at the moment.
    Full(Vec<String>),
    Nothing,
}

impl Feed {
    pub fn of(notification_id: Uuid) -> Feed {
        let claiming = Claiming {
            begun: Instant::now(),
            place: String::new(),
            held: HashSet::new(),
            others: None,
        };
        Feed {
            lease: Lease::of(notification_id),
            renewed: tokio::sync::Mutex::new(Instant::now()),
            waiting: Mutex::default(),
            postponed: Mutex::default(),
            claiming: tokio::sync::Mutex::new(claiming),
            recorded: Recorded::default(),
            is_exhausted: AtomicBool::new(false),
        }
    }

    pub fn lease(&self) -> Lease {
        self.lease
    }

    pub fn recorded(&self) -> Recorded {
        self.recorded.clone()
    }

    /// Reads the first mails. Returns for how many senders there is work, or `None` if somebody else sends them.
    pub async fn open(&self, app: &App) -> Result<Option<usize>> {
        *self.renewed.lock().await = Instant::now();
        let mut tx = app.db.begin().await?;
        if !self.lease.take(&mut tx, app).await? {
            return Ok(None);
        }
        // These are notes of a worker that was killed.
        sent::mark_noted(&mut tx, self.lease.notification_id).await?;
        tx.commit().await?;
        self.claim(app, &mut *self.claiming.lock().await, &[]).await?;
        Ok(Some(self.waiting().min(app.mailer.connections as usize)))
    }

    /// Returns the next mail if there is one now. It is sent by the caller or passed to [`Feed::put_back`].
    pub async fn next_at_once(&self, app: &App) -> Result<Option<(Claim, DomainPermit)>> {
        match self.take(app) {
            Taken::Mail(claim, permit) => {
                self.claim_ahead_or_put_back(app, claim, permit).await.map(Some)
            }
            Taken::Full(_) | Taken::Nothing => Ok(None),
        }
    }

    /// Waits for the next mail.
    pub async fn next(&self, app: &App) -> Result<Next> {
        loop {
            match self.take(app) {
                Taken::Mail(claim, permit) => {
                    let (claim, permit) = self.claim_ahead_or_put_back(app, claim, permit).await?;
                    return Ok(Next::Mail(claim, permit));
                }
                Taken::Nothing if self.is_exhausted() => return Ok(Next::End),
                Taken::Nothing => {
                    let mut claiming = self.claiming.lock().await;
                    // Another sender may have read some meanwhile.
                    if self.waiting() == 0 && !self.is_exhausted() {
                        self.claim(app, &mut claiming, &[]).await?;
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

    async fn claim_ahead_or_put_back(
        &self,
        app: &App,
        claim: Claim,
        permit: DomainPermit,
    ) -> Result<(Claim, DomainPermit)> {
        match self.claim_ahead(app).await {
            Ok(()) => Ok((claim, permit)),
            Err(error) => {
                self.put_back(claim);
                Err(error)
            }
        }
    }

    pub fn put_back(&self, claim: Claim) {
        self.waiting.lock().expect("no panic inside").push_front(claim);
    }

    /// Whether a mail may be sent: it is fresh, or still ours and waits.
    pub async fn keep(&self, app: &App, claim: &Claim) -> Result<bool> {
        if claim.at.elapsed() < FRESH {
            return Ok(true);
        }
        if self.renew(app).await?.is_none() {
            return Ok(false);
        }
        app.db
            .sql(
                "select exists (select 1 from deliveries
                                where notification_id = $1 and email = $2 and status = 'queued')",
            )
            .bind(self.lease.notification_id)
            .bind(&claim.delivery.email)
            .scalar()
            .await
    }

    /// Renews the lease if that is due. Returns when it was last known to be ours, or `None` if it
    /// no longer is.
    async fn renew(&self, app: &App) -> Result<Option<Instant>> {
        let mut renewed = self.renewed.lock().await;
        if renewed.elapsed() > RENEW_EVERY {
            let now = Instant::now();
            let mut tx = app.db.begin().await?;
            if !self.lease.renew(&mut tx, app).await? {
                tracing::warn!("another worker took over the mails of a notification");
                return Ok(None);
            }
            tx.commit().await?;
            *renewed = now;
        }
        Ok(Some(*renewed))
    }

    /// Whether another sender would find nothing to do.
    fn is_exhausted(&self) -> bool {
        self.is_exhausted.load(Ordering::Relaxed)
    }

    /// Takes the first mail whose domain takes more.
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
                Admission::Granted(permit) => {
                    let claim = waiting.remove(at).expect("it is there");
                    return Taken::Mail(claim, permit);
                }
                Admission::BackingOff(backoff) => {
                    let claim = waiting.remove(at).expect("it is there");
                    let until = app.clock.now() + TimeDelta::from_std(backoff).unwrap_or_default();
                    self.postponed.lock().expect("no panic inside").push((claim, until));
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
        let Ok(mut claiming) = self.claiming.try_lock() else { return Ok(()) };
        let is_recent = claiming.others.is_some_and(|at| at.elapsed() < CLAIM_OTHERS_EVERY);
        if self.is_exhausted() || is_recent || self.waiting() >= MAX_WAITING {
            return Ok(());
        }
        // Looks again at once if there may be more of them.
        claiming.others = match self.claim(app, &mut claiming, full).await? {
            true => None,
            false => Some(Instant::now()),
        };
        Ok(())
    }

    /// Claims more before the last mail is taken, so that no sender waits for it.
    async fn claim_ahead(&self, app: &App) -> Result<()> {
        let few = app.mailer.read_ahead() / 2;
        let is_low = || self.waiting() < few;
        if self.is_exhausted() || !is_low() {
            return Ok(());
        }
        match self.claiming.try_lock() {
            Ok(mut claiming) if is_low() => self.claim(app, &mut claiming, &[]).await.map(drop),
            _ => Ok(()),
        }
    }

    /// Claims as many mails as may wait in memory, but none for these domains. Returns whether it got
    /// that many.
    async fn claim(&self, app: &App, claiming: &mut Claiming, without: &[String]) -> Result<bool> {
        let Some(renewed) = self.renew(app).await? else {
            self.is_exhausted.store(true, Ordering::Relaxed);
            return Ok(false);
        };
        // Committed before they are read: what is due again may be sent again.
        let recorded = std::mem::take(&mut *self.recorded.lock().expect("no panic inside"));
        for email in &recorded {
            claiming.held.remove(email);
        }
        if claiming.begun.elapsed() > RESTART_EVERY {
            (claiming.begun, claiming.place) = (Instant::now(), String::new());
        }
        let mut most = app.mailer.read_ahead().max(app.mailer.connections as usize);
        if !without.is_empty() {
            most += claiming.held.len();
        }
        let mut tx = app.db.snapshot().await?;
        tx.without_sorting().await?;
        let found: Vec<Found> = On::from(&mut tx)
            .either(due_texts())
            .bind(self.lease.notification_id)
            .bind(app.clock.now())
            .bind(&claiming.place)
            .bind(json!(without).to_string())
            .bind(most as i64)
            .all()
            .await?;
        tx.rollback().await?;
        let is_full = found.len() >= most;
        // Other domains may still be due.
        if !is_full && without.is_empty() {
            self.is_exhausted.store(true, Ordering::Relaxed);
        }
        if without.is_empty()
            && let Some(last) = found.last()
        {
            claiming.place.clone_from(&last.place);
        }
        let mut waiting = self.waiting.lock().expect("no panic inside");
        for Found { delivery, .. } in found {
            if claiming.held.insert(delivery.email.clone()) {
                waiting.push_back(Claim { delivery, at: renewed });
            }
        }
        Ok(is_full)
    }

    /// Lets other workers send the mails of the notification.
    pub async fn close(&self, app: &App) -> Result<()> {
        let postponed = std::mem::take(&mut *self.postponed.lock().expect("no panic inside"));
        let mut groups: BTreeMap<DateTime<Utc>, Vec<String>> = BTreeMap::new();
        for (claim, due) in postponed {
            groups.entry(due).or_default().push(claim.delivery.email.to_string());
        }
        persist(app, "the mails of a notification could not be left to others", || {
            Box::pin(self.give_back(app, &groups))
        })
        .await
    }

    async fn give_back(
        &self,
        app: &App,
        groups: &BTreeMap<DateTime<Utc>, Vec<String>>,
    ) -> Result<()> {
        let now = app.clock.now();
        let mut tx = app.db.begin().await?;
        for (due, emails) in groups {
            On::from(&mut tx)
                .either(postpone_texts())
                .bind(self.lease.notification_id)
                .bind(*due)
                .bind(now)
                .bind(json!(emails).to_string())
                .execute()
                .await?;
        }
        self.lease.end(&mut tx).await?;
        tx.commit().await
    }
}

/// Reads in the order in which the rows are stored on SQLite, so that the ones which change
/// together are close by, and by address on PostgreSQL. There the status is hidden from the
/// planner: without statistics it would sort all mails of the notification each time.
fn due_texts() -> Texts {
    const COLUMNS: &str =
        ", email, full_name, profile_id, attempts + 1 as attempts, may_have_left, first_tried_at
         from deliveries
         where notification_id = $1 and collected = false and due_at <= $2 and ";
    Texts {
        sqlite: Sql::from([
            "select cast(rowid as text) as place",
            COLUMNS,
            "status = 'queued' and rowid > cast($3 as integer)
             and substr(email, instr(email, '@') + 1) not in (select value from json_each($4))
             order by rowid
             limit $5",
        ]),
        postgres: Sql::from([
            "select email as place",
            COLUMNS,
            "status || '' = 'queued' and email > $3
             and split_part(email, '@', 2) not in (select jsonb_array_elements_text(cast($4 as jsonb)))
             order by email
             limit $5",
        ]),
    }
}

fn postpone_texts() -> Texts {
    const POSTPONE: &str = "update deliveries set due_at = $2, updated_at = $3
         where notification_id = $1 and status = 'queued' and ";
    Texts {
        sqlite: Sql::from([POSTPONE, "email in (select value from json_each($4))"]),
        postgres: Sql::from([
            POSTPONE,
            "email = any(array(select jsonb_array_elements_text(cast($4 as jsonb))))",
        ]),
    }
}
