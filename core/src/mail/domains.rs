//! Limits for one recipient domain: many families share one provider, which refuses a sender that
//! sends too much at once.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

/// How long a domain gets no mail after its first refusal. It doubles with each one that follows.
const BACKOFF: Duration = Duration::from_secs(30);
const LONGEST_BACKOFF: Duration = Duration::from_secs(300);
/// How many domains in a row must refuse mail for the mail server to be the cause.
const SAME_TROUBLE: usize = 3;

pub(crate) struct Domains {
    connections: Option<u32>,
    /// Between two mails.
    gap: Option<Duration>,
    known: Mutex<HashMap<String, Domain>>,
    /// Domains that refused mail since the last mail was accepted.
    refused_in_a_row: AtomicUsize,
    /// Domains where the server refused an address since the last mail was accepted.
    with_refused_address: Mutex<HashSet<String>>,
    changed: Notify,
}

struct Domain {
    open: u32,
    /// The next mail is already chosen, but has not begun.
    is_reserved: bool,
    next: Instant,
    backing_off_until: Option<Instant>,
    /// In a row.
    refusals: u32,
}

pub(crate) enum Admission {
    Granted(DomainPermit),
    /// Too much mail is going there at the moment.
    Full,
    /// The domain refused mail and gets none for this time.
    BackingOff(Duration),
}

/// Held while a mail goes to its domain.
pub(crate) struct DomainPermit {
    domains: Arc<Domains>,
    domain: Option<String>,
    is_begun: bool,
}

impl DomainPermit {
    /// The mail goes out now; the next one for its domain may go after the gap.
    pub fn begin(&mut self) {
        self.is_begun = true;
        let Some(name) = &self.domain else { return };
        let mut known = self.domains.known.lock().expect("no panic inside");
        if let Some(domain) = known.get_mut(name) {
            domain.is_reserved = false;
            domain.next = Instant::now() + self.domains.gap.unwrap_or_default();
        }
    }
}

impl Drop for DomainPermit {
    fn drop(&mut self) {
        let Some(name) = &self.domain else { return };
        let mut known = self.domains.known.lock().expect("no panic inside");
        if let Some(domain) = known.get_mut(name) {
            domain.open -= 1;
            if !self.is_begun {
                domain.is_reserved = false;
            }
            let is_forgettable = domain.open == 0
                && domain.next <= Instant::now()
                && domain.backing_off_until.is_none();
            if is_forgettable {
                known.remove(name);
            }
        }
        self.domains.changed.notify_waiters();
    }
}

impl Domains {
    pub fn new(connections: Option<u32>, rate: Option<u32>) -> Domains {
        let gap = rate.map(|rate| Duration::from_secs(1) / rate.max(1));
        Domains {
            connections,
            gap,
            known: Mutex::default(),
            refused_in_a_row: AtomicUsize::new(0),
            with_refused_address: Mutex::default(),
            changed: Notify::new(),
        }
    }

    pub fn are_limited(&self) -> bool {
        self.connections.is_some() || self.gap.is_some()
    }

    pub fn admit(self: &Arc<Self>, name: &str) -> Admission {
        let mut known = self.known.lock().expect("no panic inside");
        let now = Instant::now();
        if let Some(domain) = known.get(name)
            && let Some(backoff) =
                domain.backing_off_until.and_then(|until| until.checked_duration_since(now))
        {
            return Admission::BackingOff(backoff);
        }
        if !self.are_limited() {
            return Admission::Granted(self.permit(None));
        }
        let domain = known.entry(name.to_owned()).or_insert_with(|| Domain::at(now));
        let is_full = self.connections.is_some_and(|most| domain.open >= most);
        if is_full || domain.is_reserved || domain.next > now {
            return Admission::Full;
        }
        domain.open += 1;
        domain.is_reserved = self.gap.is_some();
        Admission::Granted(self.permit(Some(name.to_owned())))
    }

    fn permit(self: &Arc<Self>, domain: Option<String>) -> DomainPermit {
        DomainPermit { domains: self.clone(), domain, is_begun: false }
    }

    /// Waits until a mail has been sent, but only for a moment, since limits per second pass by
    /// themselves.
    pub async fn changed(&self) {
        tokio::time::timeout(Duration::from_millis(20), self.changed.notified()).await.ok();
    }

    /// Records that the server closed the connection because of this domain. Returns how long the
    /// domain gets no mail, or `None` if so many refused that the server itself is the cause.
    pub fn refused(&self, name: &str) -> Option<Duration> {
        let mut known = self.known.lock().expect("no panic inside");
        let now = Instant::now();
        let domain = known.entry(name.to_owned()).or_insert_with(|| Domain::at(now));
        // Mails that were on their way already say nothing new.
        if let Some(backoff) =
            domain.backing_off_until.and_then(|until| until.checked_duration_since(now))
        {
            return Some(backoff);
        }
        domain.refusals += 1;
        let backoff = (BACKOFF * (1 << (domain.refusals - 1).min(5))).min(LONGEST_BACKOFF);
        domain.backing_off_until = Some(now + backoff);
        let in_a_row = self.refused_in_a_row.fetch_add(1, Ordering::Relaxed) + 1;
        (in_a_row < SAME_TROUBLE).then_some(backoff)
    }

    /// How long a domain that refused mail still gets none.
    pub fn backoff(&self, name: &str) -> Duration {
        let known = self.known.lock().expect("no panic inside");
        let until = known.get(name).and_then(|domain| domain.backing_off_until);
        until.map_or(BACKOFF, |until| until.saturating_duration_since(Instant::now()))
    }

    /// Records that the server refused an address of this domain. Returns whether that is believed: if
    /// it refuses addresses of many domains and accepts nothing between, the server has trouble.
    pub fn refused_address(&self, name: &str) -> bool {
        let mut domains = self.with_refused_address.lock().expect("no panic inside");
        if domains.len() < SAME_TROUBLE {
            domains.insert(name.to_owned());
        }
        domains.len() < SAME_TROUBLE
    }

    /// Records that a mail of this domain was accepted.
    pub fn accepted(&self, name: &str) {
        self.refused_in_a_row.store(0, Ordering::Relaxed);
        self.with_refused_address.lock().expect("no panic inside").clear();
        let mut known = self.known.lock().expect("no panic inside");
        if let Some(domain) = known.get_mut(name) {
            (domain.refusals, domain.backing_off_until) = (0, None);
        }
        let now = Instant::now();
        known.retain(|_, domain| {
            domain.open > 0
                || domain.next > now
                || domain.backing_off_until.is_some_and(|until| until + LONGEST_BACKOFF > now)
        });
    }
}

impl Domain {
    fn at(now: Instant) -> Domain {
        Domain { open: 0, is_reserved: false, next: now, backing_off_until: None, refusals: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn granted(domains: &Arc<Domains>, name: &str) -> Option<DomainPermit> {
        match domains.admit(name) {
            Admission::Granted(permit) => Some(permit),
            _ => None,
        }
    }

    #[test]
    fn a_domain_gets_its_share_and_others_theirs() {
        let domains = Arc::new(Domains::new(Some(2), None));
        let first = granted(&domains, "family.example").expect("one");
        let _second = granted(&domains, "family.example").expect("two");
        assert!(granted(&domains, "family.example").is_none());
        assert!(granted(&domains, "other.example").is_some());
        drop(first);
        assert!(granted(&domains, "family.example").is_some());

        let slow = Arc::new(Domains::new(None, Some(1)));
        drop(granted(&slow, "family.example").expect("one that does not begin"));
        let mut first = granted(&slow, "family.example").expect("the first");
        assert!(granted(&slow, "family.example").is_none(), "it may begin any moment");
        assert!(granted(&slow, "other.example").is_some());
        first.begin();
        drop(first);
        assert!(granted(&slow, "family.example").is_none(), "it has just gone");
    }

    #[test]
    fn addresses_of_three_domains_that_are_refused_in_a_row_are_trouble_of_the_server() {
        let domains = Domains::new(None, None);
        assert!((0..9).all(|_| domains.refused_address("family.example")), "one provider");
        assert!(domains.refused_address("second.example"));
        assert!(!domains.refused_address("third.example"));
        assert!(!domains.refused_address("family.example"));
        domains.accepted("fourth.example");
        assert!(domains.refused_address("third.example"));
    }

    #[test]
    fn a_domain_that_refuses_gets_no_mail_for_a_while_and_three_are_trouble_of_the_server() {
        let domains = Arc::new(Domains::new(None, None));
        assert!(domains.refused("family.example").is_some());
        assert!(matches!(domains.admit("family.example"), Admission::BackingOff(_)));
        assert!(granted(&domains, "other.example").is_some());
        assert!(domains.refused("family.example").is_some(), "the same mail server");
        assert!(domains.refused("second.example").is_some());
        assert!(domains.refused("third.example").is_none());
        domains.accepted("third.example");
        assert!(granted(&domains, "third.example").is_some());
    }
}
