//! Unsubscribing from a kind of email stops it and is shown everywhere, and only the user can undo
//! it.

use chrono::TimeDelta;
use portal::notifications::Category;
use portal::unsubscribe;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, PASSWORD, address, sign_up};
use crate::newsletters::subscribed;

const MOTHER: &str = "chaya@family.example";
const FATHER: &str = "moshe@family.example";

/// Opens the link in an email and presses "Stop all emails".
async fn stop_all(camp: &Camp, email: &str) {
    let link = unsubscribe::token(&camp.app.keys, &address(email), Category::DailyVideos);
    let wanted = json!({ "token": link, "scope": "everything" });
    camp.browser().post("/api/unsubscribe", wanted).await.expect(204);
}

async fn profile(browser: &Browser) -> Value {
    browser.get("/api/profile").await.expect(200).json()
}

/// The choices of daily videos, camp updates and general mail.
fn mail_of(shown: &Value) -> [bool; 3] {
    ["daily_video_email", "camp_updates_email", "email_notifications"]
        .map(|kind| shown[kind].as_bool().expect("on or off"))
}

/// How many emails about a new video an address gets.
async fn mails_about_a_video(camp: &Camp, staff: &Browser, title: &str, email: &str) -> usize {
    // Uses the date in New York, where it may still be yesterday.
    let day = (camp.now() - TimeDelta::hours(5)).format("%Y-%m-%d").to_string();
    let video = json!({ "title": title, "video_url": "https://youtu.be/aBcDeFgHiJk", "status": "published", "upload_date": day });
    staff.post("/api/admin/videos", video).await.expect(201);
    camp.work().await;
    camp.mails_to(email).iter().filter(|mail| mail.subject.contains(title)).count()
}

/// A family with two addresses, each with its own user.
async fn two_guardians(camp: &Camp, staff: &Browser) -> (Browser, Browser, String) {
    let new = json!({ "full_name": "Chaya Lindenfeld", "child_name": "Yossi", "email": MOTHER });
    let family = staff.post("/api/admin/users", new).await.expect(201).json();
    let path = format!("/api/admin/users/{}", family["id"].as_str().expect("an id"));
    let more = json!({ "version": family["version"], "secondary_email": FATHER });
    staff.patch(&path, more).await.expect(200);
    let mother = camp.parent("Chaya Lindenfeld", MOTHER).await;
    let father = camp.parent("Moshe Lindenfeld", FATHER).await;
    assert_eq!(profile(&father).await["email"], MOTHER, "one family");
    (mother, father, path)
}

story! {
    async fn who_stopped_all_emails_is_shown_so_and_saving_brings_none_back(camp) {
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya", MOTHER).await;
        assert_eq!(mails_about_a_video(&camp, &staff, "Swim", MOTHER).await, 1);
        stop_all(&camp, MOTHER).await;
        assert_eq!(mail_of(&profile(&chaya).await), [false; 3]);
        // Saving a page without touching the email choices leaves them off.
        for saved in [json!({}), json!({ "full_name": "Chaya Sarah" }), json!({ "child_name": "Yossi", "welcome_popup_shown": true })] {
            let shown = chaya.patch("/api/profile", saved).await.expect(200).json();
            assert_eq!(mail_of(&shown), [false; 3]);
        }
        assert_eq!(mails_about_a_video(&camp, &staff, "Hike", MOTHER).await, 0);
        let row = staff.get("/api/admin/users").await.json()["items"][0].clone();
        assert_eq!(mail_of(&row), [false; 3]);
        assert_eq!(row["stopped"], json!(["daily_videos", "camp_updates", "general"]));

        let shown = chaya.patch("/api/profile", json!({ "daily_video_email": true })).await.expect(200).json();
        assert_eq!(mail_of(&shown), [true, false, false]);
        assert_eq!(mails_about_a_video(&camp, &staff, "Lake", MOTHER).await, 1);
        let row = staff.get("/api/admin/users").await.json()["items"][0].clone();
        assert_eq!(mail_of(&row), [true, false, false]);
        assert_eq!(row["stopped"], json!(["camp_updates", "general"]));
    }
}

story! {
    async fn saving_nothing_is_no_change(camp) {
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya", MOTHER).await;
        let version = |list: Value| list["items"][0]["version"].clone();
        let before = version(staff.get("/api/admin/users").await.json());
        chaya.patch("/api/profile", json!({})).await.expect(200);
        assert_eq!(version(staff.get("/api/admin/users").await.json()), before);
    }
}

story! {
    async fn of_two_guardians_each_chooses_for_the_own_address(camp) {
        let staff = camp.staff().await;
        let (mother, father, path) = two_guardians(&camp, &staff).await;
        stop_all(&camp, MOTHER).await;
        let (hers, his) = (profile(&mother).await, profile(&father).await);
        assert_eq!(mail_of(&hers), [false; 3]);
        assert_eq!(mail_of(&his), [true, false, true]);
        let other = &hers["other_addresses"][0];
        assert_eq!(other["email"], FATHER);
        assert_eq!(other["confirmed"], true);
        assert_eq!(mail_of(other), [true, false, true]);
        assert_eq!(mail_of(&his["other_addresses"][0]), [false; 3]);
        assert_eq!(hers["address_in_family"], true);
        assert_eq!(his["address_in_family"], true);
        mother.patch("/api/profile", json!({ "full_name": "Chaya Sarah" })).await.expect(200);
        assert_eq!(mails_about_a_video(&camp, &staff, "Swim", MOTHER).await, 0);
        assert_eq!(camp.mails_to(FATHER).iter().filter(|mail| mail.subject.contains("Swim")).count(), 1);

        // Each of them turns mail on or off only for their own address.
        mother.patch("/api/profile", json!({ "daily_video_email": true, "camp_updates_email": true })).await.expect(200);
        father.patch("/api/profile", json!({ "daily_video_email": false })).await.expect(200);
        assert_eq!(mail_of(&profile(&mother).await), [true, true, false]);
        assert_eq!(mail_of(&profile(&father).await), [false, false, true]);
        assert_eq!(mails_about_a_video(&camp, &staff, "Hike", MOTHER).await, 1);
        assert!(camp.mails_to(FATHER).iter().all(|mail| !mail.subject.contains("Hike")));

        let detail = staff.get(&path).await.expect(200).json();
        assert_eq!(mail_of(&detail), [true; 3], "what goes to at least one of them");
        assert_eq!(detail["stopped"], json!([]));
        let stopped = |email: &str| {
            let addresses = detail["emails"].as_array().expect("addresses");
            addresses.iter().find(|address| address["email"] == email).expect("it is there")["stopped"].clone()
        };
        assert_eq!(stopped(MOTHER), json!(["general"]));
        assert_eq!(stopped(FATHER), json!(["camp_updates", "daily_videos"]));
    }
}

story! {
    async fn staff_do_not_switch_on_what_the_family_stopped(camp) {
        let staff = camp.staff().await;
        let (_, father, path) = two_guardians(&camp, &staff).await;
        stop_all(&camp, MOTHER).await;
        stop_all(&camp, FATHER).await;
        let family = staff.get(&path).await.json();
        assert_eq!(mail_of(&family), [false; 3]);
        let on = json!({ "version": family["version"], "daily_video_email": true });
        let refusal = staff.patch(&path, on).await.refused(409, "conflict");
        assert!(refusal["detail"].as_str().expect("a sentence").contains("turned these emails off"));
        let both = json!({ "version": family["version"], "child_name": "Yossi & Ber", "daily_video_email": false });
        staff.patch(&path, both).await.expect(200);
        assert_eq!(mails_about_a_video(&camp, &staff, "Swim", FATHER).await, 0);
        // The father can turn it on, even after staff turned it off, and only for himself.
        father.patch("/api/profile", json!({ "daily_video_email": true })).await.expect(200);
        assert_eq!(mails_about_a_video(&camp, &staff, "Hike", FATHER).await, 1);
        assert!(camp.mails_to(MOTHER).iter().all(|mail| !mail.subject.contains("Hike")));
    }
}

story! {
    async fn a_third_login_is_told_that_no_such_mail_goes_to_its_address(camp) {
        let staff = camp.staff().await;
        let (_, _, path) = two_guardians(&camp, &staff).await;
        let link = staff.post(&format!("{path}/invitation-link"), json!({})).await.expect(200).json();
        let token = link["url"].as_str().expect("a link").rsplit('=').next().expect("a token").to_owned();
        let uncle = camp.browser();
        let mut form = sign_up("Uncle Ber", "ber@family.example");
        form["invite"] = json!(token);
        uncle.post("/api/auth/sign-up", form).await.expect(201);
        let token = camp.token_for("ber@family.example").await;
        uncle.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
        let shown = profile(&uncle).await;
        assert_eq!(shown["address_in_family"], false);
        assert_eq!(shown["other_addresses"].as_array().map(Vec::len), Some(2));
        uncle.patch("/api/profile", json!({ "daily_video_email": false })).await.refused(409, "conflict");
        uncle.patch("/api/profile", json!({ "full_name": "Ber" })).await.expect(200);
        assert_eq!(mails_about_a_video(&camp, &staff, "Swim", MOTHER).await, 1);
    }
}

story! {
    async fn deleting_a_login_stops_its_mail_and_nobody_elses(camp) {
        let staff = camp.staff().await;
        let (mother, ..) = two_guardians(&camp, &staff).await;
        let given = json!({ "current_password": PASSWORD });
        mother.post("/api/auth/delete-account", given).await.expect(204);
        assert_eq!(mails_about_a_video(&camp, &staff, "Swim", MOTHER).await, 0);
        assert_eq!(camp.mails_to(FATHER).iter().filter(|mail| mail.subject.contains("Swim")).count(), 1);
    }
}

story! {
    async fn a_subscriber_of_the_mailing_list_may_want_newsletters_to_families_again(camp) {
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya", MOTHER).await;
        chaya.patch("/api/profile", json!({ "email_notifications": false })).await.expect(200);
        subscribed(&camp, MOTHER).await;
        let saved = chaya.patch("/api/profile", json!({ "email_notifications": true })).await.expect(200).json();
        assert_eq!(mail_of(&saved), [true, false, true]);
        let letter = json!({ "subject": "Visiting day", "body": "Dear parents", "audience": "families" });
        staff.post("/api/admin/letters", letter).await.expect(200);
        camp.work().await;
        assert_eq!(camp.mails_to(MOTHER).iter().filter(|mail| mail.subject == "Visiting day").count(), 1);
    }
}
