//! Views that are counted in memory and not written yet.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::device::Device;
use crate::ids::UserId;

/// The maximum number of views that wait. Further ones are not counted.
const MAX_WAITING: usize = 20_000;

/// What was viewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Subject {
    Video,
    /// An answer of the FAQ.
    Answer,
}

/// What is counted once: a viewer, what was viewed, and the hour.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Once {
    pub subject: Subject,
    pub id: Uuid,
    /// A keyed hash.
    pub viewer: Vec<u8>,
    pub hour: i64,
}

#[derive(Clone, Debug)]
pub(crate) struct View {
    pub at: DateTime<Utc>,
    pub device: Device,
    pub user_id: Option<UserId>,
    /// The networks by which it is limited, with the maximum of each. Empty if the viewer is signed
    /// in.
    pub networks: Vec<(String, i64)>,
}

/// Views in an order that is the same in all processes, so that processes never wait for each other
/// in a circle.
pub(crate) type Views = BTreeMap<Once, View>;

#[derive(Debug, Default)]
pub struct PendingViews {
    waiting: Mutex<Waiting>,
    /// Held by whoever is writing.
    pub(crate) writing: tokio::sync::Mutex<()>,
}

#[derive(Debug, Default)]
struct Waiting {
    views: Views,
    /// How many came from each network.
    of_networks: HashMap<(Subject, String), i64>,
    /// Whether somebody will write them.
    is_planned: bool,
}

impl PendingViews {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, once: Once, view: View) {
        self.waiting().add(once, view);
    }

    /// Returns what waits, and keeps nothing.
    pub(crate) fn take(&self) -> Views {
        let mut waiting = self.waiting();
        waiting.of_networks.clear();
        std::mem::take(&mut waiting.views)
    }

    /// Takes back what could not be written.
    pub(crate) fn take_back(&self, views: Views) {
        let mut waiting = self.waiting();
        for (once, view) in views {
            waiting.add(once, view);
        }
    }

    /// Whether something waits that nobody will write yet. The caller then has to.
    pub(crate) fn plan(&self) -> bool {
        let mut waiting = self.waiting();
        !waiting.views.is_empty() && !std::mem::replace(&mut waiting.is_planned, true)
    }

    /// Whether nothing waits. Then nobody plans to write anymore.
    pub(crate) fn end_plan(&self) -> bool {
        let mut waiting = self.waiting();
        waiting.is_planned = !waiting.views.is_empty();
        !waiting.is_planned
    }
}

impl Waiting {
    fn add(&mut self, once: Once, view: View) {
        if self.views.len() >= MAX_WAITING || self.views.contains_key(&once) {
            return;
        }
        let subject = once.subject;
        let of = |network: &String| (subject, network.clone());
        // Further views from this network would not be counted, and must not use up the places of
        // others.
        let is_full = |(network, most): &(String, i64)| {
            self.of_networks.get(&of(network)).is_some_and(|count| count >= most)
        };
        if view.networks.iter().any(is_full) {
            return;
        }
        for (network, _) in &view.networks {
            *self.of_networks.entry(of(network)).or_default() += 1;
        }
        self.views.insert(once, view);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(views: &PendingViews, id: u128, viewer: u8, network: &str) {
        let (id, viewer) = (Uuid::from_u128(id), vec![viewer]);
        let once = Once { subject: Subject::Video, id, viewer, hour: 7 };
        let networks = vec![(network.to_owned(), 2)];
        let view = View { at: DateTime::default(), device: Device::Phone, user_id: None, networks };
        views.add(once, view);
    }

    #[test]
    fn one_network_does_not_use_up_the_room_of_others() {
        let views = PendingViews::default();
        for viewer in 0..5 {
            add(&views, 1, viewer, "one");
        }
        add(&views, 1, 0, "other");
        add(&views, 1, 9, "other");
        assert_eq!(views.take().len(), 3);
        add(&views, 2, 0, "one");
        assert_eq!(views.take().len(), 1, "the next ones");
    }

    #[test]
    fn what_waits_is_written_by_one() {
        let views = PendingViews::default();
        assert!(!views.plan(), "nothing waits");
        add(&views, 1, 0, "one");
        assert!(views.plan());
        assert!(!views.plan(), "somebody does it already");
        let taken = views.take();
        views.take_back(taken);
        assert!(!views.end_plan(), "it still waits");
        assert_eq!(views.take().len(), 1);
        assert!(views.end_plan());
        add(&views, 1, 0, "one");
        assert!(views.plan(), "a new one");
    }
}
