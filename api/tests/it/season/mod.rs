//! Plays a ten-week season with a moved clock: a video every evening, an update every noon, a
//! newsletter every week, reminders, notes and a mailbox that bounces, with ten times Shabbos and
//! one Shavuos. Compares every email with what its reader expects.

mod model;

use std::collections::BTreeSet;

use chrono::{DateTime, Days, NaiveDate, NaiveDateTime, TimeDelta, Utc};
use portal::bounces::Received;
use portal::clock::moment_in;
use portal::mail::Mail;
use portal::notifications::reports;
use serde_json::{Value, json};

use self::model::{Got, Kind, Model, is_quiet};
use crate::bounces::{GONE, bounce};
use crate::camp::{Browser, Camp, PASSWORD, sign_up, token};
use crate::digest::parts;
use crate::payments::{Family, record, shown};
use crate::updates::posted as posted_update;
use crate::videos::posted as posted_video;

const DAYS: u64 = 70;
/// Gets each email at once. The plan is paid in parts.
const CHAYA: &str = "chaya@family.example";
/// Gets each email at once. The plan is never paid.
const MOSHE: &str = "moshe@family.example";
/// Gets one email a day. The plan is paid in full at once.
const GITTY: &str = "gitty@family.example";
/// Unsubscribes from updates, and later from everything, while emails wait for the end of Shabbos.
const SARAH: &str = "sarah@family.example";
/// A mailbox that does not exist for some weeks, and the family's other mailbox.
const RIVKA: &str = "rivka@family.example";
const SHIMON: &str = "shimon@family.example";
/// Gets each email at once, and the note about a late video.
const LEAH: &str = "leah@family.example";
/// Gets one email a day and that note, and later each email at once.
const DINA: &str = "dina@family.example";

/// A Sunday. Shavuos is on the Friday and the Shabbos after it.
fn first_day() -> NaiveDate {
    "2026-05-17".parse().expect("a day")
}

fn day(number: u64) -> NaiveDate {
    first_day() + Days::new(number)
}

struct Season {
    camp: Camp,
    staff: Browser,
    model: Model,
    /// When something happened, in the camp's zone and in UTC.
    moments: BTreeSet<(DateTime<Utc>, NaiveDateTime)>,
    today: u64,
    now: NaiveDateTime,
}

impl Season {
    async fn open(camp: Camp) -> Season {
        camp.set_clock("2026-05-17T12:00:00Z");
        let staff = camp.staff().await;
        let mut season = Season {
            camp,
            staff,
            model: Model::default(),
            moments: BTreeSet::new(),
            today: 0,
            now: NaiveDateTime::default(),
        };
        season.at("09:00").await;
        for (key, value) in [
            ("quietPlace", json!("Monsey, NY")),
            ("shabbosMode", json!("quiet")),
            ("digestHour", json!(22)),
            ("postingDeadline", json!("21:00")),
        ] {
            season.camp.set(key, value).await;
        }
        for address in [CHAYA, MOSHE, GITTY, SARAH, RIVKA, LEAH, DINA] {
            season.joins(address).await;
        }
        season.changes(RIVKA, json!({ "secondary_email": SHIMON })).await;
        season.model.joins(SHIMON, RIVKA, false, false);
        season.owes(CHAYA, 2_800, 6).await;
        season.owes(MOSHE, 2_800, 24).await;
        season.owes(GITTY, 2_800, 27).await;
        season.camp.work().await;
        season.camp.forget_mails();
        season
    }

    async fn joins(&mut self, address: &'static str) {
        let browser = self.camp.browser();
        let mut form = sign_up(address.split('@').next().expect("a name"), address);
        form["camp_updates_email"] = json!(true);
        browser.post("/api/auth/sign-up", form).await.expect(201);
        let token = self.camp.token_for(address).await;
        browser.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
        let (daily, note) = ([GITTY, DINA].contains(&address), [LEAH, DINA].contains(&address));
        let wishes = json!({ "daily_digest": daily, "late_video_note": note });
        browser.patch("/api/profile", wishes).await.expect(200);
        self.model.joins(address, address, daily, note);
    }

    async fn at(&mut self, time: &str) {
        self.now = day(self.today).and_time(format!("{time}:00").parse().expect("a time"));
        let zone = self.camp.app.settings().await.expect("settings").timezone;
        let moment = moment_in(zone, self.now);
        self.moments.insert((moment, self.now));
        self.camp.app.clock.set(moment);
    }

    /// Runs the worker. Each round of recovery wakes waiting jobs.
    async fn works(&mut self, rounds: usize) {
        for _ in 0..rounds {
            self.camp.work().await;
            self.camp.wait(TimeDelta::seconds(3));
        }
        self.model.works(self.now);
    }

    async fn family(&self, address: &str) -> (Family, Value) {
        let path = format!("/api/admin/users?q={address}");
        let found = self.staff.get(&path).await.expect(200).json()["items"][0].clone();
        let family = Family { id: found["id"].as_str().expect("an id").to_owned() };
        let shown = shown(&self.staff, &family).await;
        (family, shown)
    }

    async fn changes(&self, address: &str, mut change: Value) {
        let (family, shown) = self.family(address).await;
        change["version"] = shown["version"].clone();
        self.staff.patch(&format!("/api/admin/users/{}", family.id), change).await.expect(200);
    }

    async fn owes(&mut self, family: &'static str, dollars: i64, due: u64) {
        self.changes(family, json!({ "total_amount": 280_000, "due_date": day(due) })).await;
        self.model.owes(family, dollars, day(due));
    }

    async fn pays(&mut self, family: &'static str, dollars: i64) {
        let paid =
            json!({ "kind": "payment", "amount": dollars * 100, "payment_date": day(self.today) });
        record(&self.staff, &self.family(family).await.0, paid).await.expect(201);
        self.model.pays(self.now, family, dollars);
    }

    /// Unsubscribes with the link in the newest email about an update.
    async fn leaves(&mut self, address: &str, scope: &str, kinds: &[Kind]) {
        let mails = self.camp.mails_to(address);
        let is_update = |mail: &&Mail| mail.subject.starts_with("Camp update");
        let link = token(mails.iter().rfind(is_update).expect("a mail"));
        let wish = json!({ "token": link, "scope": scope });
        self.camp.browser().post("/api/unsubscribe", wish).await.expect(204);
        self.model.leaves(address, kinds);
    }

    async fn bounces(&mut self, address: &str) {
        let mail = self.camp.mails_to(address).pop().expect("a mail");
        let received = bounce(&self.camp, &mail, GONE).await;
        assert_eq!(received, Received::Recorded(reports::Kind::Hard));
        let told = "Emails from Visiting Day to your family’s other address are bouncing";
        self.model.bounces(address, told);
    }

    async fn takes_mail_again(&mut self, address: &str) {
        let path = "/api/admin/mail/refused/let-through";
        self.staff.post(path, json!({ "email": address })).await.expect(204);
        self.model.takes_mail_again(address);
    }

    async fn wants_each_mail(&mut self, address: &str) {
        let browser = self.camp.browser();
        let login = json!({ "email": address, "password": PASSWORD });
        browser.post("/api/auth/sign-in", login).await.expect(200);
        browser.patch("/api/profile", json!({ "daily_digest": false })).await.expect(200);
        self.model.switches_back(address);
    }

    async fn posts_update(&mut self, urgent: bool) {
        let title = format!("Day {}", self.today);
        posted_update(&self.staff, &title, json!({ "urgent": urgent })).await;
        self.model.posts(self.now, Kind::Update, &title, urgent);
    }

    async fn posts_newsletter(&mut self) {
        let title = format!("Day {}", self.today);
        let new = json!({ "subject": title, "body": "Dear parents", "audience": "families" });
        self.staff.post("/api/admin/letters", new).await.expect(200);
        self.model.posts(self.now, Kind::Newsletter, &title, false);
    }

    /// Schedules a video at noon for half past eight.
    async fn schedules_video(&self) {
        let at = format!("{}T20:30", day(self.today));
        let new = json!({ "status": "scheduled", "scheduled_date": at });
        posted_video(&self.staff, &format!("Day {}", self.today), new).await;
    }

    async fn posts_video(&mut self) {
        let title = format!("Day {}", self.today);
        posted_video(&self.staff, &title, json!({})).await;
        self.model.posts(self.now, Kind::Video, &title, false);
    }

    async fn tells_that_video_is_late(&mut self) {
        let path = "/api/admin/videos/late-note";
        match is_quiet(self.now) {
            true => drop(self.staff.post(path, json!({})).await.refused(409, "conflict")),
            false => {
                self.staff.post(path, json!({})).await.expect(200);
                self.model.video_is_late(self.now);
            }
        }
    }

    /// Does what else families and staff do at noon.
    async fn something_happens(&mut self) {
        match self.today {
            10 => {
                self.pays(CHAYA, 1_000).await;
                self.owes(CHAYA, 1_800, 20).await;
            }
            15 => self.bounces(RIVKA).await,
            16 => self.leaves(SARAH, "category", &[Kind::Update]).await,
            22 => {
                self.pays(CHAYA, 1_000).await;
                self.owes(CHAYA, 800, 45).await;
            }
            30 => self.takes_mail_again(RIVKA).await,
            40 => self.pays(GITTY, 2_800).await,
            // On Shabbos, an email of the day before bounces: the note waits.
            48 => self.bounces(RIVKA).await,
            54 => self.pays(CHAYA, 800).await,
            55 => self.leaves(SARAH, "everything", &Kind::ALL).await,
            _ => {}
        }
    }

    async fn noon(&mut self) {
        self.at("12:30").await;
        self.something_happens().await;
        // The update of day 27, which is on a Shabbos, is urgent.
        self.posts_update(self.today == 27).await;
        if self.today % 7 == 1 {
            self.schedules_video().await;
        }
        self.works(1).await;
        if self.today % 7 == 4 {
            // Posts it separately: outside quiet time, things posted at the same time arrive in any
            // order.
            self.at("13:30").await;
            self.posts_newsletter().await;
            self.works(1).await;
        }
        if self.today == 50 {
            // What was posted at noon waits for the evening email.
            self.at("15:00").await;
            self.wants_each_mail(DINA).await;
            self.works(2).await;
        }
    }

    async fn evening(&mut self) {
        self.at("20:30").await;
        match self.today % 7 {
            1 => {
                let title = format!("Day {}", self.today);
                self.model.posts(self.now, Kind::Video, &title, false);
            }
            2 => {}
            _ => self.posts_video().await,
        }
        self.works(1).await;
        match self.today % 7 {
            2 => {
                self.at("21:30").await;
                self.tells_that_video_is_late().await;
                self.works(1).await;
                self.at("22:40").await;
                self.posts_video().await;
                self.works(1).await;
            }
            5 => {
                self.at("21:30").await;
                self.tells_that_video_is_late().await;
            }
            6 => {
                self.at("21:45").await;
                self.works(5).await;
            }
            _ => {}
        }
        self.at("23:00").await;
        self.works(1).await;
    }

    fn got(&self, mail: &Mail) -> Got {
        let parts = parts(mail);
        let shown = match mail.subject.ends_with(" from Visiting Day") {
            true => parts.join(" | "),
            false => mail.subject.clone(),
        };
        let moments = self.moments.range(..=(mail.date, NaiveDateTime::MAX));
        let (_, local) = moments.last().expect("a moment before the mail");
        (*local, shown)
    }

    fn assert_mails(&self) {
        let mut expected = 0;
        for (address, inbox) in &self.model.inboxes {
            let mails = self.camp.mails_to(address);
            let (category, others): (Vec<Mail>, Vec<Mail>) =
                mails.into_iter().partition(|mail| mail.unsubscribe_url.is_some());
            let of = |mails: &[Mail]| mails.iter().map(|mail| self.got(mail)).collect::<Vec<_>>();
            assert_same(address, &of(&category), &inbox.category);
            assert_same(address, &of(&others), &inbox.others);
            expected += inbox.category.len() + inbox.others.len();
        }
        let mails = self.camp.mails();
        assert_eq!(mails.len(), expected, "nobody else gets any");
        let ids: BTreeSet<&str> = mails.iter().map(|mail| mail.message_id.as_str()).collect();
        assert_eq!(ids.len(), mails.len());
        for mail in &mails {
            let (at, shown) = self.got(mail);
            assert!(!is_quiet(at) || shown == "Camp update: Day 27", "{at}: {shown}");
        }
    }

    /// The counts are worked out by hand, so that the model cannot agree with a portal that sends
    /// nothing.
    fn assert_counts(&self) {
        let count = |address| {
            let mails = self.camp.mails_to(address).into_iter();
            let (category, others): (Vec<Mail>, Vec<Mail>) =
                mails.partition(|mail| mail.unsubscribe_url.is_some());
            (category.len(), others.len())
        };
        // 70 videos, 70 updates, 10 newsletters; 8 reminders.
        assert_eq!(count(MOSHE), (150, 8));
        // Reminders of the three parts of the plan: one on the day; two, a week before and on the
        // day; three, these and one a week after. Then three receipts.
        assert_eq!(count(CHAYA), (150, 6 + 3));
        // Every day but Shabbos and the first of Shavuos, and one urgent update; reminders and a receipt.
        assert_eq!(count(GITTY), (70 - 10 - 1 + 1, 3 + 1));
        // Ten notes.
        assert_eq!(count(LEAH), (150 + 10, 0));
        // All of sixteen days; then 38 videos and 6 newsletters.
        assert_eq!(count(SARAH), (34 + 44, 0));
        // All of fifteen days; then 18 updates, 17 videos and 3 newsletters.
        assert_eq!(count(RIVKA), (32 + 38, 0));
        assert_eq!(count(SHIMON), (150, 2));
    }
}

fn assert_same(address: &str, got: &[Got], expected: &[Got]) {
    for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
        assert_eq!(got, expected, "mail {at} to {address}");
    }
    assert_eq!(got.len(), expected.len(), "{address}: {:?}", got.last());
}

story! {
    async fn a_season_writes_to_nobody_on_shabbos_and_yom_tov_and_forgets_nobody(camp) {
        let mut season = Season::open(camp).await;
        for today in 0..DAYS {
            season.today = today;
            season.noon().await;
            season.evening().await;
        }
        season.assert_mails();
        season.assert_counts();
    }
}
