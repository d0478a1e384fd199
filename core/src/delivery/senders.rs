//! The senders of one notification, as many as connections to the mail server. Each sends one mail after
//! another.

use std::sync::Arc;

use tokio::task::JoinSet;

use super::compose::{Drafts, Outgoing};
use super::feed::{Feed, Next};
use super::quiet::Gate;
use super::results::{Finished, Ledger, Outcome, Results};
use crate::mail::SendError;
use crate::notifications::{Delivery, Notification};
use crate::{App, Error, Result};

pub(super) struct Senders {
    app: App,
    notification: Notification,
    feed: Feed,
    gate: Gate,
    drafts: Drafts,
}

impl Senders {
    pub fn new(app: &App, notification: Notification) -> Arc<Senders> {
        Arc::new(Senders {
            app: app.clone(),
            feed: Feed::of(notification.id),
            notification,
            gate: Gate::default(),
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
            tasks.spawn(self.clone().send_all(results.clone()));
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

    async fn send_all(self: Arc<Self>, results: Results) -> Result<()> {
        let app = &self.app;
        while !self.must_stop() {
            let (claim, mut domain) = match self.feed.next(app).await? {
                Next::Mail(claim, domain) => (claim, domain),
                Next::Later => continue,
                Next::End => break,
            };
            // Held until the result is stored, so that no more mails than connections are in doubt.
            let Some(turn) = app.mailer.turn().await else {
                self.feed.put_back(claim);
                break;
            };
            match self.gate.is_open(app, &self.notification).await {
                Ok(true) => {}
                closed => {
                    self.feed.put_back(claim);
                    return closed.map(drop);
                }
            }
            match self.feed.keep(app, &claim).await {
                Ok(true) => {}
                Ok(false) => continue,
                Err(error) => {
                    self.feed.put_back(claim);
                    return Err(error);
                }
            }
            let sending = async {
                domain.begin();
                let outcome = self.send_one(&claim.delivery).await;
                drop(domain);
                Finished { delivery: claim.delivery, outcome }
            };
            results.of(sending).await?;
            drop(turn);
        }
        Ok(())
    }

    async fn send_one(&self, delivery: &Delivery) -> Outcome {
        // A mail that cannot be written now (database unavailable) may be written later.
        let mail = match self.drafts.mail(&self.app, &self.notification, delivery).await {
            Ok(Some(mail)) => mail,
            Ok(None) => return Outcome::Withdrawn,
            Err(error) => return Outcome::NotSent(SendError::Later(error.to_string())),
        };
        let sent = match &mail {
            Outgoing::Message(message) => self.app.mailer.send_written(message).await,
            Outgoing::Mail(mail) => self.app.mailer.send(mail).await,
        };
        match sent {
            Ok(()) => Outcome::Sent,
            Err(error) => Outcome::NotSent(error),
        }
    }
}
