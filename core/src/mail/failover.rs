//! Sends a message to the first mail server that can be reached, and tries the others again later.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::SendError;
use super::mailer::{Announced, BeforeText, Mailer, Message, Transport};
use super::smtp::{Smtp, Transmission, Unsent};

impl Mailer {
    /// Sends the message to the first server that takes it. If that fails, the caller tries again
    /// (`is_retried`) or reports it.
    pub(super) async fn try_servers(
        &self,
        message: &Message,
        mut announced: Option<Announced>,
        next: Option<&Message>,
        before: &mut impl BeforeText,
        is_retried: bool,
    ) -> (Result<bool, SendError>, Option<Announced>) {
        let Transport::Smtp(servers) = &self.transport else {
            return (Err(SendError::Unreachable("there is no mail server".into())), None);
        };
        let mut outcome = Err(SendError::Unreachable("no mail server can be reached".into()));
        for (n, smtp) in servers.iter().enumerate() {
            if !self.health.may_try(n) {
                self.look_again(servers, n);
                continue;
            }
            let if_another = (n + 1..servers.len()).any(|other| self.health.may_try(other));
            let announced = announced.take_if(|one| one.server == n).map(|one| one.on);
            let mail = Transmission { message, announced, next };
            let (sent, announced) = smtp.send(mail, if_another, before).await;
            let is_up = !matches!(&sent, Err(Unsent { error: SendError::Unreachable(_), .. }));
            if self.health.record(n, is_up) && (is_retried || if_another) {
                let cause = sent.as_ref().err().map(|unsent| unsent.error.to_string());
                report(smtp, is_up, cause.as_deref(), if_another);
            }
            match sent {
                // Another server takes it, unless this one may have it already.
                Err(Unsent { error, in_doubt: false }) if !is_up => outcome = Err(error),
                sent => {
                    self.in_use.store(n, Ordering::Relaxed);
                    let announced = announced.map(|on| Announced { server: n, on });
                    return (sent.map_err(Unsent::into_error), announced);
                }
            }
        }
        (outcome, None)
    }

    /// Finds out in the background whether a server is back. In the meantime, mails go to another
    /// one.
    fn look_again(&self, servers: &Arc<Vec<Smtp>>, n: usize) {
        if !self.health.is_worth_a_look(n) {
            return;
        }
        let (servers, health) = (servers.clone(), self.health.clone());
        tokio::spawn(async move {
            if servers[n].probe().await.is_ok() && health.record(n, true) {
                report(&servers[n], true, None, true);
            }
        });
    }

    /// If many domains in a row refuse mail, the server is the cause.
    pub(super) fn judge_domain(
        &self,
        domain: &str,
        sent: Result<bool, SendError>,
    ) -> Result<bool, SendError> {
        match &sent {
            Ok(true) => self.domains.accepted(domain),
            Err(SendError::DomainBusy(text)) => {
                if self.domains.refused(domain).is_none() {
                    self.back_off(text);
                    return Err(SendError::Unreachable(text.clone()));
                }
            }
            Err(SendError::Refused { text, address: true })
                if !self.domains.refused_address(domain) =>
            {
                return Err(SendError::Later(text.clone()));
            }
            Ok(false) | Err(_) => {}
        }
        sent
    }

    /// Sends nothing to the server in use for a while.
    fn back_off(&self, cause: &str) {
        let n = self.in_use.load(Ordering::Relaxed);
        let is_news = self.health.record(n, false);
        if let (true, Transport::Smtp(servers)) = (is_news, &self.transport) {
            let if_another = (0..servers.len()).any(|other| self.health.may_try(other));
            report(&servers[n], false, Some(cause), if_another);
        }
    }
}

/// Logs that a server went down or came back. Called only when that is news, not for every mail.
fn report(smtp: &Smtp, is_up: bool, cause: Option<&str>, if_another: bool) {
    let (server, cause) = (smtp.address(), without_addresses(cause.unwrap_or_default()));
    match (is_up, if_another) {
        (true, _) => tracing::info!(server, "the mail server is back"),
        (false, true) => {
            tracing::warn!(server, cause, "the mail server cannot be used; another one is used");
        }
        (false, false) => {
            tracing::warn!(
                server,
                cause,
                "the mail server cannot be used; mail waits and is tried again"
            );
        }
    }
}

/// A server's text without addresses that it repeats, which stay out of the logs (safety 29).
fn without_addresses(text: &str) -> String {
    let words = text.split(' ').map(|word| if word.contains('@') { "…" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_does_not_show_addresses_that_a_server_repeats() {
        let said = "421 4.7.0 <leah@family.example>: too much mail";
        assert_eq!(without_addresses(said), "421 4.7.0 … too much mail");
    }
}
