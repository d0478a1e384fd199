//! In quiet time, email that families can turn off waits. Afterwards it goes out once, in order.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::camp::{Browser, Camp};
use crate::updates::{follower, posted as posted_update, update};
use crate::videos::{posted as posted_video, titles, video};

/// Friday noon in the camp, eight hours before candle lighting.
const FRIDAY: &str = "2026-07-17T16:00:00Z";
/// Friday at ten in the evening.
const FRIDAY_NIGHT: &str = "2026-07-18T02:00:00Z";
/// When Shabbos begins and ends in Monsey.
const CANDLE_LIGHTING: &str = "2026-07-18T00:08:00Z";
const NIGHTFALL: &str = "2026-07-19T01:15:00Z";

async fn keeps_shabbos(camp: &Camp) {
    camp.set("quietPlace", "Monsey, NY").await;
    camp.set("shabbosMode", "quiet").await;
}

/// Closes the site from one hour ago until an hour from now.
pub async fn close(camp: &Camp) {
    let (now, zone) = (camp.app.clock.now(), camp.app.settings().await.expect("settings").timezone);
    let local = |at: DateTime<Utc>| at.with_timezone(&zone).format("%Y-%m-%dT%H:%M").to_string();
    let hour = TimeDelta::hours(1);
    let now = json!([{ "from": local(now - hour), "to": local(now + hour), "name": "Visit" }]);
    camp.set("quietDates", now).await;
    camp.set("shabbosMode", "closed").await;
}

/// The subjects of the emails to one address that families can turn off.
fn subjects(camp: &Camp, email: &str) -> Vec<String> {
    let mails = camp.mails_to(email).into_iter().filter(|mail| mail.unsubscribe_url.is_some());
    mails.map(|mail| mail.subject).collect()
}

/// Runs the worker for about 20 seconds. Each round of recovery wakes waiting jobs.
async fn work_a_while(camp: &Camp) {
    for _ in 0..7 {
        camp.work().await;
        camp.wait(TimeDelta::seconds(3));
    }
}

fn newsletter(subject: &str) -> Value {
    json!({ "subject": subject, "body": "Dear parents", "audience": "families" })
}

async fn quiet_time(staff: &Browser, query: &str) -> Value {
    staff.get(&format!("/api/admin/quiet-time{query}")).await.expect(200).json()
}

story! {
    async fn mail_of_shabbos_waits_and_goes_out_in_order_afterwards_once(camp) {
        camp.set_clock(FRIDAY);
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let _moshe = follower(&camp, "Moshe Adler", "moshe@family.example").await;
        let staff = camp.staff().await;
        keeps_shabbos(&camp).await;
        camp.set_clock(FRIDAY_NIGHT);
        let first = staff.post("/api/admin/live-updates", update("First", json!({}))).await.expect(201).json();
        assert_eq!((&first["notified"], &first["mail_at"]), (&json!(2), &json!(NIGHTFALL)));
        camp.wait(TimeDelta::hours(1));
        let second = staff.post("/api/admin/videos", video("Second", json!({}))).await.expect(201).json();
        assert_eq!(second["mail_at"], NIGHTFALL);
        let preview = json!({ "subject": "Third", "body": "Dear parents", "audience": "families", "preview": true });
        let preview = staff.post("/api/admin/letters", preview).await.expect(200).json();
        assert_eq!(preview["mail_at"], NIGHTFALL);
        staff.post("/api/admin/letters", newsletter("Third")).await.expect(200);
        camp.browser().post("/api/auth/forgot", json!({ "email": "chaya@family.example" })).await.expect(202);
        work_a_while(&camp).await;
        let reset = camp.mails_to("chaya@family.example");
        assert!(reset.iter().any(|mail| mail.text.contains("/auth/reset")), "a password cannot wait");
        camp.set_clock("2026-07-19T01:14:00Z");
        work_a_while(&camp).await;
        assert_eq!(subjects(&camp, "chaya@family.example"), Vec::<String>::new());
        camp.set_clock("2026-07-19T01:15:03Z");
        work_a_while(&camp).await;
        for family in ["chaya@family.example", "moshe@family.example"] {
            assert_eq!(subjects(&camp, family), ["Camp update: First", "New video: Second", "Third"]);
        }
        camp.wait(TimeDelta::days(1));
        work_a_while(&camp).await;
        assert_eq!(subjects(&camp, "chaya@family.example").len(), 3, "once");
    }
}

story! {
    async fn two_workers_keep_the_order_too(camp) {
        camp.set_clock(FRIDAY);
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        keeps_shabbos(&camp).await;
        camp.set_clock(FRIDAY_NIGHT);
        let titles: Vec<String> = (1..=8).map(|n| format!("News {n}")).collect();
        for title in &titles {
            posted_update(&staff, title, json!({})).await;
        }
        camp.set_clock("2026-07-19T01:15:03Z");
        let other = camp.beside().await;
        for _ in 0..12 {
            for worker in [&camp, &other] {
                portal::notifications::record_heartbeat(&worker.app).await.expect("a beat");
            }
            futures_util::future::join(camp.work(), other.work()).await;
            camp.wait(TimeDelta::seconds(3));
        }
        let mut mails = [camp.mails(), other.mails()].concat();
        mails.retain(|mail| mail.unsubscribe_url.is_some());
        mails.sort_by_key(|mail| mail.date);
        let sent: Vec<&str> = mails.iter().map(|mail| mail.subject.trim_start_matches("Camp update: ")).collect();
        assert_eq!(sent, titles);
    }
}

story! {
    async fn what_is_urgent_does_not_wait(camp) {
        camp.set_clock(FRIDAY);
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        keeps_shabbos(&camp).await;
        camp.set_clock(FRIDAY_NIGHT);
        posted_update(&staff, "Baseball results", json!({})).await;
        let urgent = staff.post("/api/admin/live-updates", update("The road is closed", json!({ "urgent": true }))).await.expect(201).json();
        assert_eq!((&urgent["mail_at"], &urgent["update"]["urgent"]), (&Value::Null, &json!(true)));
        work_a_while(&camp).await;
        assert_eq!(subjects(&camp, "chaya@family.example"), ["Camp update: The road is closed"]);
    }
}

story! {
    async fn open_pages_learn_until_when_their_notifications_wait(camp) {
        camp.set_clock(FRIDAY);
        let staff = camp.staff().await;
        keeps_shabbos(&camp).await;
        let mut page = camp.browser().listen(None).await;
        posted_update(&staff, "Before", json!({})).await;
        assert_eq!(page.hears("update.created").await.data["quiet_until"], Value::Null);
        camp.set_clock(FRIDAY_NIGHT);
        posted_update(&staff, "Inside", json!({})).await;
        assert_eq!(page.hears("update.created").await.data["quiet_until"], NIGHTFALL);
        posted_video(&staff, "Inside", json!({})).await;
        assert_eq!(page.hears("video.published").await.data["quiet_until"], NIGHTFALL);
        posted_update(&staff, "Urgent", json!({ "urgent": true })).await;
        assert_eq!(page.hears("update.created").await.data["quiet_until"], Value::Null);
    }
}

story! {
    async fn mail_that_is_late_does_not_reach_into_shabbos(camp) {
        camp.set_clock(FRIDAY);
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        keeps_shabbos(&camp).await;
        camp.set_clock("2026-07-18T00:00:00Z");
        let saved = staff.post("/api/admin/live-updates", update("Late", json!({}))).await.expect(201).json();
        assert_eq!(saved["mail_at"], Value::Null, "before candle lighting it goes out at once");
        camp.work_without_mail().await;
        camp.set_clock("2026-07-18T00:08:30Z");
        work_a_while(&camp).await;
        assert_eq!(subjects(&camp, "chaya@family.example"), Vec::<String>::new());
        camp.set_clock("2026-07-19T01:16:00Z");
        work_a_while(&camp).await;
        assert_eq!(subjects(&camp, "chaya@family.example"), ["Camp update: Late"]);
    }
}

story! {
    async fn mails_about_a_video_that_was_taken_back_while_they_waited_go_out_when_it_is_published_again(camp) {
        camp.set_clock(FRIDAY);
        let chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let moshe = follower(&camp, "Moshe Adler", "moshe@family.example").await;
        let perl = follower(&camp, "Perl Adler", "perl@family.example").await;
        for login in [&chaya, &moshe, &perl] {
            login.patch("/api/profile", json!({ "daily_video_email": true })).await.expect(200);
        }
        perl.patch("/api/profile", json!({ "daily_digest": true })).await.expect(200);
        let staff = camp.staff().await;
        keeps_shabbos(&camp).await;
        camp.set_clock(FRIDAY_NIGHT);
        let made = staff.post("/api/admin/videos", video("Swim", json!({}))).await.expect(201).json();
        assert_eq!(made["notified"], 3);
        let address = format!("/api/admin/videos/{}", made["video"]["id"].as_str().expect("an id"));
        let set = async |status: &str| {
            let version = staff.get(&address).await.expect(200).json()["version"].clone();
            staff.patch(&address, json!({ "version": version, "status": status })).await.expect(200).json()
        };
        set("draft").await;
        camp.set_clock("2026-07-19T01:15:03Z");
        work_a_while(&camp).await;
        camp.set_clock("2026-07-20T02:00:00Z");
        work_a_while(&camp).await;
        for name in ["chaya", "moshe", "perl"] {
            assert_eq!(subjects(&camp, &format!("{name}@family.example")), [""; 0]);
        }
        moshe.patch("/api/profile", json!({ "daily_video_email": false })).await.expect(200);
        assert_eq!(staff.get(&address).await.expect(200).json()["recipients"], 2);
        assert_eq!(staff.get("/api/admin/videos").await.expect(200).json()["items"][0]["recipients"], 2);
        assert_eq!(set("published").await["notified"], 2);
        work_a_while(&camp).await;
        assert_eq!(subjects(&camp, "chaya@family.example"), ["New video: Swim"]);
        camp.set_clock("2026-07-21T02:00:00Z");
        work_a_while(&camp).await;
        assert_eq!(subjects(&camp, "perl@family.example").len(), 1, "in the email of the day");
        assert_eq!(set("draft").await["video"]["recipients"], Value::Null);
        assert_eq!(set("published").await["notified"], 0, "nobody gets it twice");
        work_a_while(&camp).await;
        for (name, mails) in [("chaya", 1), ("moshe", 0), ("perl", 1)] {
            assert_eq!(subjects(&camp, &format!("{name}@family.example")).len(), mails, "{name}");
        }
    }
}

story! {
    async fn three_quiet_days_do_not_use_up_the_time_in_which_a_mail_is_tried(camp) {
        // Rosh Hashanah on Thursday and Friday, then Shabbos: 73 hours.
        camp.set_clock("2024-10-02T16:00:00Z");
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        keeps_shabbos(&camp).await;
        posted_update(&staff, "A good year", json!({})).await;
        camp.work_without_mail().await;
        camp.set_clock("2024-10-05T23:30:00Z");
        camp.work_without_mail().await;
        camp.wait(TimeDelta::minutes(2));
        work_a_while(&camp).await;
        assert_eq!(subjects(&camp, "chaya@family.example"), ["Camp update: A good year"]);
    }
}

story! {
    async fn the_time_in_which_a_mail_is_tried_begins_with_the_first_try(camp) {
        camp.set_clock("2026-07-13T16:00:00Z");
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        // No worker runs for three days, and the mail server is away when one comes back.
        posted_update(&staff, "Swim", json!({})).await;
        camp.wait(TimeDelta::days(3));
        camp.work_without_mail().await;
        camp.wait(TimeDelta::minutes(2));
        work_a_while(&camp).await;
        assert_eq!(subjects(&camp, "chaya@family.example"), ["Camp update: Swim"]);
        posted_update(&staff, "Hike", json!({})).await;
        camp.work_without_mail().await;
        camp.wait(TimeDelta::hours(49));
        camp.work_without_mail().await;
        camp.wait(TimeDelta::minutes(2));
        work_a_while(&camp).await;
        assert_eq!(subjects(&camp, "chaya@family.example").len(), 1, "it has failed");
    }
}

story! {
    async fn what_waits_goes_out_when_quiet_time_is_switched_off(camp) {
        camp.set_clock(FRIDAY);
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        keeps_shabbos(&camp).await;
        camp.set_clock(FRIDAY_NIGHT);
        posted_update(&staff, "News", json!({})).await;
        work_a_while(&camp).await;
        assert_eq!(subjects(&camp, "chaya@family.example").len(), 0);
        camp.set("shabbosMode", "none").await;
        camp.wait(TimeDelta::seconds(5));
        work_a_while(&camp).await;
        assert_eq!(subjects(&camp, "chaya@family.example"), ["Camp update: News"]);
    }
}

story! {
    async fn changed_settings_hold_and_release_mail_that_waits_already(camp) {
        camp.set_clock(FRIDAY);
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        let sent = || subjects(&camp, "chaya@family.example").len();
        posted_update(&staff, "Queued while there was no quiet time", json!({})).await;
        keeps_shabbos(&camp).await;
        camp.set("quietDates", json!([{ "from": "2026-07-17T11:00", "to": "2026-07-17T15:00" }])).await;
        work_a_while(&camp).await;
        assert_eq!(sent(), 0, "a new date holds it");
        camp.set("quietDates", json!([])).await;
        work_a_while(&camp).await;
        assert_eq!(sent(), 1);
        camp.set_clock(FRIDAY_NIGHT);
        posted_update(&staff, "Night", json!({})).await;
        work_a_while(&camp).await;
        camp.set("nightfall", "72 minutes").await;
        camp.set_clock("2026-07-19T01:16:00Z");
        work_a_while(&camp).await;
        assert_eq!(sent(), 1, "a later nightfall holds it longer");
        camp.set("nightfall", "42 minutes").await;
        work_a_while(&camp).await;
        assert_eq!(sent(), 2, "an earlier one sends it");
    }
}

story! {
    async fn a_clock_that_jumps_and_a_new_time_zone_lose_nothing_and_double_nothing(camp) {
        camp.set_clock(FRIDAY);
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        let sent = || subjects(&camp, "chaya@family.example");
        keeps_shabbos(&camp).await;
        camp.set_clock(FRIDAY_NIGHT);
        posted_update(&staff, "First", json!({})).await;
        work_a_while(&camp).await;
        camp.set_clock("2026-07-19T02:00:00Z");
        work_a_while(&camp).await;
        assert_eq!(sent(), ["Camp update: First"]);
        camp.set_clock("2026-07-18T12:00:00Z");
        posted_update(&staff, "Second", json!({})).await;
        camp.set("timezone", "Asia/Jerusalem").await;
        work_a_while(&camp).await;
        assert_eq!(sent(), ["Camp update: First"], "the sun sets when it sets");
        // The clock jumps from one Shabbos into the next, and then past it.
        camp.set_clock("2026-07-25T12:00:00Z");
        work_a_while(&camp).await;
        assert_eq!(sent(), ["Camp update: First"]);
        camp.set_clock("2026-07-26T12:00:00Z");
        work_a_while(&camp).await;
        assert_eq!(sent(), ["Camp update: First", "Camp update: Second"]);
    }
}

story! {
    async fn scheduled_videos_wait_where_the_camp_wants_that(camp) {
        camp.set_clock(FRIDAY);
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        keeps_shabbos(&camp).await;
        let scheduled = |at: &str| json!({ "status": "scheduled", "scheduled_date": at });
        posted_video(&staff, "Shows at once", scheduled("2026-07-17T21:00")).await;
        let at = quiet_time(&staff, "?at=2026-07-17T21:00").await;
        assert_eq!((&at["publishes_at"], &at["mail_at"]), (&json!("2026-07-18T01:00:00Z"), &json!(NIGHTFALL)));
        camp.set_clock(FRIDAY_NIGHT);
        work_a_while(&camp).await;
        assert_eq!(titles(&camp.browser(), "?collection=current").await, ["Shows at once"]);
        camp.set("quietHoldsVideos", true).await;
        posted_video(&staff, "Later", scheduled("2026-07-18T13:00")).await;
        let earlier = posted_video(&staff, "Earlier", scheduled("2026-07-18T10:00")).await;
        assert_eq!((&earlier["scheduled_date"], &earlier["publishes_at"]), (&json!("2026-07-18T14:00:00Z"), &json!(NIGHTFALL)));
        let next = staff.get("/api/admin/dashboard").await.expect(200).json()["attention"]["next_video"].clone();
        assert_eq!(next["scheduled_date"], NIGHTFALL);
        let at = quiet_time(&staff, "?at=2026-07-18T10:00").await;
        assert_eq!((&at["publishes_at"], &at["mail_at"]), (&json!(NIGHTFALL), &json!(NIGHTFALL)));
        camp.set_clock("2026-07-18T20:00:00Z");
        work_a_while(&camp).await;
        assert_eq!(titles(&camp.browser(), "?collection=current").await, ["Shows at once"]);
        let site = camp.browser().get("/api/site").await.expect(200).json();
        assert_eq!(site["posting_time_text"], "Next update: 9:15 PM");
        camp.set_clock("2026-07-19T01:15:03Z");
        work_a_while(&camp).await;
        let sent = ["New video: Shows at once", "New video: Earlier", "New video: Later"];
        assert_eq!(subjects(&camp, "chaya@family.example"), sent);
    }
}

story! {
    async fn pages_announce_quiet_time_as_the_settings_say(camp) {
        let shown = async || camp.browser().get("/api/site").await.expect(200).json()["quiet_time"].clone();
        camp.set_clock(FRIDAY);
        assert_eq!(shown().await, Value::Null);
        keeps_shabbos(&camp).await;
        let shabbos = json!({ "starts_at": CANDLE_LIGHTING, "ends_at": NIGHTFALL, "name": "Shabbos", "closes": false });
        assert_eq!(shown().await, shabbos);
        camp.set_clock(FRIDAY_NIGHT);
        assert_eq!(shown().await, shabbos);
        camp.set("quietNotice", false).await;
        assert_eq!(shown().await, Value::Null);
        camp.set("quietNotice", true).await;
        camp.set_clock("2026-07-20T16:00:00Z");
        assert_eq!(shown().await, Value::Null, "not days ahead");
        camp.set_clock(FRIDAY_NIGHT);
        camp.set("shabbosMode", "closed").await;
        assert_eq!(shown().await["closes"], true, "a closed site always says until when");
    }
}

story! {
    async fn a_closed_site_shows_nothing_to_families_and_everything_to_staff(camp) {
        camp.set_clock(FRIDAY);
        let chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        keeps_shabbos(&camp).await;
        camp.set("shabbosMode", "closed").await;
        let video = posted_video(&staff, "Lake", json!({})).await;
        let trip = posted_update(&staff, "Secret trip", json!({})).await;
        let path = format!("/api/videos/{}", video["id"].as_str().expect("an id"));
        chaya.get(&path).await.expect(200);
        camp.set_clock(FRIDAY_NIGHT);
        for browser in [&chaya, &camp.browser()] {
            browser.get(&path).await.refused(403, "closed");
            browser.get("/api/live-updates").await.refused(403, "closed");
            let card = browser.get("/api/videos?collection=current").await.expect(200).json();
            assert_eq!(card["items"][0]["thumbnail_url"], Value::Null);
            browser.get("/api/faq").await.expect(200);
        }
        chaya.post(&format!("{path}/comments"), json!({ "content": "Hello" })).await.refused(403, "closed");
        let update = format!("/updates/{}", trip["id"].as_str().expect("an id"));
        for page in [update, path.replace("/api/videos", "/video")] {
            let preview = camp.browser().get(&page).await;
            assert_ne!(preview.status.as_u16(), 500, "{page}");
            assert!(!preview.text().contains("Secret trip") && !preview.text().contains("i.ytimg.com"));
        }
        let feed = camp.browser().get("/feed.xml").await.expect(200).text();
        assert!(!feed.contains("Lake"), "{feed}");
        staff.get(&path).await.expect(200);
        assert_eq!(camp.browser().get("/api/site").await.expect(200).json()["access"], "everyone");
        camp.set_clock(NIGHTFALL);
        chaya.get(&path).await.expect(200);
    }
}

story! {
    async fn families_of_a_closed_site_still_get_its_mail_afterwards(camp) {
        camp.set_clock(FRIDAY);
        let _chaya = follower(&camp, "Chaya Weiss", "chaya@family.example").await;
        let staff = camp.staff().await;
        keeps_shabbos(&camp).await;
        camp.set("shabbosMode", "closed").await;
        camp.set_clock(FRIDAY_NIGHT);
        posted_video(&staff, "Havdalah", json!({})).await;
        camp.set_clock("2026-07-19T01:15:03Z");
        work_a_while(&camp).await;
        assert_eq!(subjects(&camp, "chaya@family.example"), ["New video: Havdalah"]);
    }
}

story! {
    async fn owners_see_the_next_ten_quiet_times_of_what_they_typed(camp) {
        camp.set_clock(FRIDAY);
        let owner = camp.owner().await;
        let path = "/api/admin/quiet-time/preview";
        let typed = json!({ "quietPlace": "monsey, ny", "quietDates": [{ "from": "2026-07-23", "to": "2026-07-23", "name": "Tisha B'Av" }] });
        let windows = owner.post(path, typed).await.expect(200).json()["items"].clone();
        assert_eq!(windows.as_array().expect("windows").len(), 10);
        assert_eq!(windows[0], json!({ "starts_at": CANDLE_LIGHTING, "ends_at": NIGHTFALL, "name": "Shabbos" }));
        assert_eq!(windows[1]["name"], "Tisha B'Av");
        for (typed, field) in [
            (json!({ "quietPlace": "Atlantis" }), "quietPlace"),
            (json!({ "nightfall": "soon" }), "nightfall"),
            (json!({ "quietStart": "Friday" }), "quietStart"),
            (json!({ "quietHours": "fixed", "quietStart": "Friday 18:00", "quietEnd": "friday 18:00" }), "quietEnd"),
            (json!({ "quietHours": "fixed", "quietStart": "Saturday 22:00", "quietEnd": "Friday 18:00" }), "quietEnd"),
            (json!({ "quietDates": [{ "from": "2026-07-23", "to": "2026-07-22" }] }), "quietDates"),
            (json!({ "quietDates": "2026-07-23" }), "quietDates"),
        ] {
            for reply in [owner.post(path, typed.clone()).await, owner.patch("/api/admin/settings", typed.clone()).await] {
                assert_eq!(reply.refused(422, "validation")["errors"][0]["field"], field, "{typed}");
            }
        }
        camp.staff().await.post(path, json!({})).await.refused(403, "owner_required");
        let places = owner.get("/api/admin/quiet-time/places").await.expect(200).json();
        assert!(places["items"].as_array().expect("places").contains(&json!("Monsey, NY")));
    }
}

story! {
    async fn a_fixed_week_that_ends_after_midnight_lasts_through_holidays_too(camp) {
        camp.set_clock("2026-05-11T16:00:00Z");
        let owner = camp.owner().await;
        let typed = json!({
            "quietHours": "fixed", "quietStart": "Friday 18:00", "quietEnd": "Sunday 00:30", "yomTov": "diaspora",
            "quietDates": [{ "from": "2026-05-13", "to": "2026-05-13", "name": "Visit" }],
        });
        let windows = owner.post("/api/admin/quiet-time/preview", typed).await.expect(200).json()["items"].clone();
        for (at, starts_at, ends_at, name) in [
            (0, "2026-05-12T22:00:00Z", "2026-05-14T04:30:00Z", "Visit"),
            (1, "2026-05-15T22:00:00Z", "2026-05-17T04:30:00Z", "Shabbos"),
            // Shavuos is on Friday and Shabbos.
            (2, "2026-05-21T22:00:00Z", "2026-05-24T04:30:00Z", "Shavuos and Shabbos"),
        ] {
            assert_eq!(windows[at], json!({ "starts_at": starts_at, "ends_at": ends_at, "name": name }));
        }
    }
}

story! {
    async fn a_calendar_file_is_read_and_its_dates_can_be_saved(camp) {
        camp.set_clock(FRIDAY);
        let owner = camp.owner().await;
        let text = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20260723\r\nSUMMARY:Tisha B'Av\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20260801\r\nRRULE:FREQ=YEARLY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
        let read = owner.post("/api/admin/quiet-time/calendar", json!({ "text": text })).await.expect(200).json();
        assert_eq!(read, json!({ "dates": [{ "from": "2026-07-23", "to": "2026-07-23", "name": "Tisha B'Av" }], "repeating": 1, "past": 0, "unusable": 0 }));
        owner.patch("/api/admin/settings", json!({ "quietDates": read["dates"], "shabbosMode": "quiet" })).await.expect(200);
        let staff = camp.staff().await;
        assert_eq!(quiet_time(&staff, "?at=2026-07-23T12:00").await["window"]["name"], "Tisha B'Av");
        assert_eq!(quiet_time(&staff, "?at=2026-07-27T12:00").await["window"], Value::Null);
        for at in ["soon", "1999-12-31T12:00", "262000-01-01T00:00"] {
            staff.get(&format!("/api/admin/quiet-time?at={at}")).await.refused(422, "validation");
        }
        owner.post("/api/admin/quiet-time/calendar", json!({ "text": "<html>" })).await.refused(422, "validation");
    }
}
