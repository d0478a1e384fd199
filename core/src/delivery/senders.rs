//! The senders of one notification, as many as connections to the mail server. Each sends one mail after
//! another.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::compose::{Drafts, Outgoing};
use super::feed::{Claim, Feed, Next};
use super::quiet::QuietCheck;
use super::results::{Finished, Ledger, Outcome, Results};
use crate::mail::{Announced, BeforeText, DomainPermit, Message, SendError};
use crate::notifications::{Delivery, Notification};
use crate::{App, Error, Result};

pub(super) struct Senders {
    app: App,
    notification: Notification,
    feed: Feed,
    quiet_check: QuietCheck,
    drafts: Drafts,
}

/// A mail that a sender has taken.
struct Upcoming {
    claim: Claim,
    permit: DomainPermit,
    written: Option<Result<Outgoing, Outcome>>,
    announced: Option<Announced>,
}

impl Upcoming {
    fn message(&self) -> Option<&Message> {
        match &self.written {
            Some(Ok(Outgoing::Message(message))) => Some(message),
            _ => None,
        }
    }
}

enum Decision {
    Send,
    /// The mail is no longer ours.
    Skip,
    /// No mail may be sent now.
    Stop,
}

impl Senders {
    pub fn new(app: &App, notification: Notification) -> Arc<Senders> {
        Arc::new(Senders {
            app: app.clone(),
            feed: Feed::of(notification.id),
            notification,
            quiet_check: QuietCheck::default(),
            drafts: Drafts::default(),
        })
    }

    pub fn notification(&self) -> &Notification {
        &self.notification
    }

    /// Sends all mails that are due, or as many as may be sent now. Returns whether nobody else sends them.
    pub async fn run(self: Arc<Self>) -> Result<bool> {
        if self.must_stop() {
            return Ok(true);
        }
        let Some(count) = self.feed.open(&self.app).await? else { return Ok(false) };
        let mut tasks = JoinSet::new();
        let (results, ledger) =
            Ledger::of(&self.app, &self.notification, self.feed.lease(), self.feed.recorded());
        for _ in 0..count {
            tasks.spawn(self.clone().send_all(results.another()));
        }
        drop(results);
        tasks.spawn(ledger.run());
        let mut outcome = Ok(());
        while let Some(ended) = tasks.join_next().await {
            outcome = outcome.and(ended.map_err(Error::unforeseen).flatten());
        }
        outcome.and(self.feed.close(&self.app).await).map(|()| true)
    }

    fn must_stop(&self) -> bool {
        self.app.mailer.is_paused() || self.app.mailer.backing_off().is_some()
    }

    async fn send_all(self: Arc<Self>, mut results: Results) -> Result<()> {
        let outcome = self.send_until_stopped(&mut results).await;
        outcome.and(results.finish().await)
    }

    async fn send_until_stopped(&self, results: &mut Results) -> Result<()> {
        let mut following: Option<Upcoming> = None;
        loop {
            if self.must_stop() {
                self.put_back(following);
                return Ok(());
            }
            let taken = match following.take() {
                Some(following) => following,
                None => match self.next(results).await? {
                    Next::Mail(claim, permit) => {
                        Upcoming { claim, permit, written: None, announced: None }
                    }
                    Next::Later => continue,
                    Next::End => return Ok(()),
                },
            };
            match self.may_go(&taken, results).await {
                Ok(Decision::Send) => {}
                Ok(Decision::Skip) => continue,
                stopped => {
                    self.put_back(Some(taken));
                    return stopped.map(drop);
                }
            }
            following = self.send_and_announce(taken, results).await?;
        }
    }

    async fn may_go(&self, mail: &Upcoming, results: &mut Results) -> Result<Decision> {
        let app = &self.app;
        let may_go = results.permit(&app.mailer, mail.announced.is_none()).await?
            && self.quiet_check.may_go(app, &self.notification).await?;
        Ok(match may_go {
            false => Decision::Stop,
            true if self.feed.keep(app, &mail.claim).await? => Decision::Send,
            true => Decision::Skip,
        })
    }

    fn put_back(&self, mail: Option<Upcoming>) {
        if let Some(mail) = mail {
            self.feed.put_back(mail.claim);
        }
    }

    /// Sends a mail, and announces the next one with it if there is one.
    async fn send_and_announce(
        &self,
        mail: Upcoming,
        results: &mut Results,
    ) -> Result<Option<Upcoming>> {
        let Upcoming { claim, mut permit, written, announced } = mail;
        permit.begin();
        let written = match written {
            Some(written) => written,
            None => self.write(&claim.delivery).await,
        };
        let mut following = match self.look_ahead().await {
            Ok(following) => following,
            Err(error) => {
                self.feed.put_back(claim);
                return Err(error);
            }
        };
        let outcome = match written {
            Ok(mail) => self.send(&mail, announced, following.as_mut(), results).await,
            Err(outcome) => Some(outcome),
        };
        drop(permit);
        match outcome {
            Some(outcome) => results.add(Finished { delivery: claim.delivery, outcome })?,
            None => {
                self.put_back(following.take());
                self.feed.put_back(claim);
                results.finish().await?;
            }
        }
        Ok(following)
    }

    async fn look_ahead(&self) -> Result<Option<Upcoming>> {
        if !self.app.mailer.looks_ahead() {
            return Ok(None);
        }
        let Some((claim, permit)) = self.feed.next_at_once(&self.app).await? else {
            return Ok(None);
        };
        let written = Some(self.write(&claim.delivery).await);
        Ok(Some(Upcoming { claim, permit, written, announced: None }))
    }

    async fn next(&self, results: &mut Results) -> Result<Next> {
        if let Some((claim, permit)) = self.feed.next_at_once(&self.app).await? {
            return Ok(Next::Mail(claim, permit));
        }
        // Others may need the permit before there is a mail again.
        results.finish().await?;
        self.feed.next(&self.app).await
    }

    /// Writes a mail.
    ///
    /// # Errors
    ///
    /// The outcome if there is none to send.
    async fn write(&self, delivery: &Delivery) -> Result<Outgoing, Outcome> {
        match self.drafts.mail(&self.app, &self.notification, delivery).await {
            Ok(Some(mail)) => Ok(mail),
            Ok(None) => Err(Outcome::Withdrawn),
            // It may be written later (database unavailable).
            Err(error) => Err(Outcome::NotSent(SendError::Later(error.reason()))),
        }
    }

    /// Sends a mail. `None` if it was not sent because the result of the last one is not stored yet.
    async fn send(
        &self,
        mail: &Outgoing,
        announced: Option<Announced>,
        mut following: Option<&mut Upcoming>,
        results: &mut Results,
    ) -> Option<Outcome> {
        let mailer = &self.app.mailer;
        let sent = match mail {
            Outgoing::Message(message) => {
                let next = following.as_deref().and_then(Upcoming::message);
                let (sent, announced) =
                    mailer.send_written(message, announced, next, results).await;
                if let Some(following) = &mut following {
                    following.announced = announced;
                }
                sent
            }
            Outgoing::Mail(_) if !results.may_go().await => Ok(false),
            Outgoing::Mail(mail) => mailer.send(mail).await.map(|()| true),
        };
        match sent {
            Ok(true) => Some(Outcome::Sent),
            Ok(false) => None,
            Err(error) => Some(Outcome::NotSent(error)),
        }
    }
}
