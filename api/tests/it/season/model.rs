//! Predicts what families get in a season, from the text of decisions M1 to M9 alone. It uses
//! neither the database nor the code of the portal.

use std::collections::BTreeMap;

use chrono::{NaiveDate, NaiveDateTime, NaiveTime, Timelike};

use super::first_day;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Video,
    Update,
    Newsletter,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::Video, Kind::Update, Kind::Newsletter];
}

/// An email as its recipient sees it: when it came, and its subject or the headings of its parts.
pub type Got = (NaiveDateTime, String);

#[derive(Clone)]
struct Post {
    kind: Kind,
    title: String,
    at: NaiveDateTime,
}

impl Post {
    fn subject(&self) -> String {
        match self.kind {
            Kind::Newsletter => self.title.clone(),
            _ => self.heading(),
        }
    }

    fn heading(&self) -> String {
        let label = match self.kind {
            Kind::Video => "New video",
            Kind::Update => "Camp update",
            Kind::Newsletter => "Newsletter",
        };
        format!("{label}: {}", self.title)
    }
}

/// A mailbox of a family.
#[derive(Default)]
pub struct Inbox {
    family: &'static str,
    wants: Vec<Kind>,
    daily: bool,
    note: bool,
    bounces: bool,
    /// Waits for the end of quiet time.
    waiting: Vec<Post>,
    /// Collected for the one email a day.
    collected: Vec<Post>,
    last_daily: Option<NaiveDate>,
    others_waiting: Vec<String>,
    /// The emails that people can turn off, in order of arrival.
    pub category: Vec<Got>,
    /// Reminders, receipts and notes about addresses.
    pub others: Vec<Got>,
}

struct Plan {
    due: NaiveDate,
    owed: i64,
    looked: Option<NaiveDate>,
}

#[derive(Default)]
pub struct Model {
    pub inboxes: BTreeMap<&'static str, Inbox>,
    /// Keyed by the first address of the family.
    plans: BTreeMap<&'static str, Plan>,
}

/// Shabbos and Shavuos as a calendar prints them. In these weeks candles are lit between 7:45 and 8:20 in
/// the evening, and the night begins between 8:50 and 9:40; nothing happens in between.
pub fn is_quiet(at: NaiveDateTime) -> bool {
    let days = (at.date() - first_day()).num_days();
    let (eve, holy) = (days % 7 == 5 || days == 4, days % 7 == 6 || days == 5);
    let minutes = at.hour() * 60 + at.minute();
    let (lit, night) = (minutes >= 20 * 60 + 20, minutes >= 21 * 60 + 40);
    match (eve, holy) {
        (true, true) => true,
        (true, false) => lit,
        (false, holy) => holy && !night,
    }
}

impl Model {
    pub fn joins(&mut self, address: &'static str, family: &'static str, daily: bool, note: bool) {
        let wants = Kind::ALL.to_vec();
        let inbox = Inbox { family, wants, daily, note, ..Inbox::default() };
        self.inboxes.insert(address, inbox);
    }

    fn inbox(&mut self, address: &str) -> &mut Inbox {
        self.inboxes.get_mut(address).expect("a mailbox")
    }

    fn family<'a>(&'a mut self, family: &'a str) -> impl Iterator<Item = &'a mut Inbox> {
        self.inboxes.values_mut().filter(move |inbox| inbox.family == family && !inbox.bounces)
    }

    pub fn posts(&mut self, at: NaiveDateTime, kind: Kind, title: &str, urgent: bool) {
        let post = Post { kind, title: title.to_owned(), at };
        let reached = |inbox: &&mut Inbox| inbox.wants.contains(&kind) && !inbox.bounces;
        for inbox in self.inboxes.values_mut().filter(reached) {
            match (urgent, inbox.daily) {
                (true, _) => inbox.category.push((at, post.subject())),
                (false, true) => inbox.collected.push(post.clone()),
                (false, false) => inbox.waiting.push(post.clone()),
            }
        }
    }

    /// Staff tell families that tonight's video is late.
    pub fn video_is_late(&mut self, at: NaiveDateTime) {
        let reached =
            |inbox: &&mut Inbox| inbox.note && inbox.wants.contains(&Kind::Video) && !inbox.bounces;
        for inbox in self.inboxes.values_mut().filter(reached) {
            inbox.category.push((at, "Tonight’s video is late".into()));
        }
    }

    pub fn leaves(&mut self, address: &str, kinds: &[Kind]) {
        let inbox = self.inbox(address);
        inbox.wants.retain(|kind| !kinds.contains(kind));
        inbox.waiting.retain(|post| !kinds.contains(&post.kind));
        inbox.collected.retain(|post| !kinds.contains(&post.kind));
    }

    pub fn switches_back(&mut self, address: &str) {
        let inbox = self.inbox(address);
        inbox.daily = false;
        let collected = std::mem::take(&mut inbox.collected);
        inbox.waiting.extend(collected);
    }

    pub fn bounces(&mut self, address: &str, subject: &str) {
        let inbox = self.inbox(address);
        inbox.bounces = true;
        inbox.waiting.clear();
        inbox.collected.clear();
        let family = inbox.family;
        for other in self.family(family) {
            other.others_waiting.push(subject.to_owned());
        }
    }

    pub fn takes_mail_again(&mut self, address: &str) {
        self.inbox(address).bounces = false;
    }

    pub fn owes(&mut self, family: &'static str, owed: i64, due: NaiveDate) {
        self.plans.insert(family, Plan { due, owed, looked: None });
    }

    pub fn pays(&mut self, at: NaiveDateTime, family: &'static str, dollars: i64) {
        self.plans.get_mut(family).expect("a plan").owed -= dollars;
        for inbox in self.family(family) {
            let receipt = format!("Your payment of ${} to Visiting Day", grouped(dollars));
            inbox.others.push((at, receipt));
        }
    }

    /// What the worker does at this time.
    pub fn works(&mut self, at: NaiveDateTime) {
        self.remind(at);
        if is_quiet(at) {
            return;
        }
        for inbox in self.inboxes.values_mut() {
            let waiting = inbox.waiting.drain(..).map(|post| (at, post.subject()));
            inbox.category.extend(waiting);
            inbox.others.extend(inbox.others_waiting.drain(..).map(|subject| (at, subject)));
            inbox.get_daily(at);
        }
    }

    /// Reminders go out from ten in the morning: a week before, on the day, and every week after
    /// it.
    fn remind(&mut self, at: NaiveDateTime) {
        let mut reminders = Vec::new();
        for (family, plan) in &mut self.plans {
            let is_time = (10..20).contains(&at.hour()) && plan.looked < Some(at.date());
            if plan.owed == 0 || !is_time {
                continue;
            }
            plan.looked = Some(at.date());
            let owed = grouped(plan.owed);
            let subject = match (at.date() - plan.due).num_days() {
                -7 => {
                    format!("${owed} is due to Visiting Day on {}", plan.due.format("%B %-d, %Y"))
                }
                0 => format!("${owed} is due to Visiting Day today"),
                late if late > 0 && late % 7 == 0 => {
                    format!("Your payment to Visiting Day is overdue: ${owed}")
                }
                _ => continue,
            };
            reminders.push((*family, subject));
        }
        for (family, subject) in reminders {
            for inbox in self.family(family) {
                inbox.others_waiting.push(subject.clone());
            }
        }
    }
}

impl Inbox {
    /// The daily email comes at ten in the evening, or after quiet time if that was in it, once for
    /// each evening.
    fn get_daily(&mut self, at: NaiveDateTime) {
        let hour = NaiveTime::from_hms_opt(22, 0, 0).expect("a time");
        let tonight = at.date().and_time(hour);
        let last = if tonight <= at { at.date() } else { at.date().pred_opt().expect("a day") };
        let is_due = self.collected.iter().any(|post| post.at <= last.and_time(hour));
        if !is_due || self.last_daily == Some(last) {
            return;
        }
        self.last_daily = Some(last);
        let parts: Vec<Post> = self.collected.drain(..).collect();
        let shown = match &parts[..] {
            [post] => post.subject(),
            _ => parts.iter().map(Post::heading).collect::<Vec<_>>().join(" | "),
        };
        self.category.push((at, shown));
    }
}

/// "2,800"
fn grouped(dollars: i64) -> String {
    match dollars / 1000 {
        0 => dollars.to_string(),
        thousands => format!("{thousands},{:03}", dollars % 1000),
    }
}
