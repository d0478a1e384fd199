//! The sign-up form of a family's second guardian sets only their own name and emails.

use axum::http::Method;
use chrono::TimeDelta;
use portal::notifications::Category;
use portal::unsubscribe;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, PASSWORD, address, sign_up, token};
use crate::family_membership::copy_link;

const MOTHER: &str = "chaya@family.example";
const FATHER: &str = "moshe@family.example";

/// A family with two addresses and no login.
async fn family(staff: &Browser) -> String {
    let new = json!({ "full_name": "Chaya Lindenfeld", "child_name": "Yossi", "email": MOTHER });
    let family = staff.post("/api/admin/users", new).await.expect(201).json();
    let path = format!("/api/admin/users/{}", family["id"].as_str().expect("an id"));
    let more = json!({ "version": family["version"], "secondary_email": FATHER });
    staff.patch(&path, more).await.expect(200);
    path
}

/// A sign-up form with these choices: daily videos, camp updates, general.
fn form(name: &str, email: &str, [videos, updates, general]: [bool; 3]) -> Value {
    let mut form = sign_up(name, email);
    form["daily_video_email"] = json!(videos);
    form["camp_updates_email"] = json!(updates);
    form["email_notifications"] = json!(general);
    form
}

async fn joined(camp: &Camp, form: Value) -> Browser {
    let email = form["email"].as_str().expect("an address").to_owned();
    let browser = camp.browser();
    browser.post("/api/auth/sign-up", form).await.expect(201);
    confirm(camp, &browser, &email).await;
    browser
}

async fn confirm(camp: &Camp, browser: &Browser, email: &str) {
    camp.work().await;
    let mails = camp.mails_to(email).into_iter().rev();
    let asks =
        mails.into_iter().find(|mail| mail.subject.starts_with("Please confirm your email for"));
    let token = token(&asks.expect("a mail"));
    browser.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
}

/// The name, and the choices of daily videos, camp updates and general mail.
async fn shown(browser: &Browser) -> (String, [bool; 3]) {
    let session = browser.get("/api/session").await.expect(200).json();
    let name = session["user"]["full_name"].as_str().expect("a name").to_owned();
    let profile = browser.get("/api/profile").await.expect(200).json();
    let kinds = ["daily_video_email", "camp_updates_email", "email_notifications"];
    (name, kinds.map(|kind| profile[kind].as_bool().expect("on or off")))
}

async fn post_update(camp: &Camp, staff: &Browser, title: &str) {
    let new = json!({ "title": title, "message": "Bring boots.", "author": "Office", "priority": "high", "send_mail": true });
    staff.post("/api/admin/live-updates", new).await.expect(201);
    camp.work_until_tomorrow().await;
}

fn mails_about(camp: &Camp, title: &str, email: &str) -> usize {
    camp.mails_to(email).iter().filter(|mail| mail.subject.contains(title)).count()
}

story! {
    async fn a_second_guardian_keeps_their_name_and_gets_no_mail_that_the_form_declined(camp) {
        let staff = camp.staff().await;
        family(&staff).await;
        let mother = joined(&camp, form("Chaya", MOTHER, [true; 3])).await;
        let father = joined(&camp, form("Moshe Lindenfeld", FATHER, [false; 3])).await;
        assert_eq!(shown(&mother).await, ("Chaya Lindenfeld".into(), [true; 3]), "the office's name for her");
        assert_eq!(shown(&father).await, ("Moshe Lindenfeld".into(), [false; 3]));
        post_update(&camp, &staff, "Rain").await;
        assert_eq!((mails_about(&camp, "Rain", MOTHER), mails_about(&camp, "Rain", FATHER)), (1, 0));
        let video = json!({ "title": "Swim", "video_url": "https://youtu.be/aBcDeFgHiJk" });
        let video = staff.post("/api/admin/videos", video).await.expect(201).json();
        let comments = format!("/api/videos/{}/comments", video["video"]["id"].as_str().expect("an id"));
        let said = father.post(&comments, json!({ "content": "Mazel tov!" })).await.expect(201).json();
        assert_eq!(said["author_name"], "Moshe Lindenfeld");
    }
}

story! {
    async fn whoever_of_two_guardians_comes_first_has_their_own_name(camp) {
        let staff = camp.staff().await;
        family(&staff).await;
        let father = joined(&camp, form("Moshe Lindenfeld", FATHER, [true, false, true])).await;
        let mother = joined(&camp, form("Chaya", MOTHER, [true, true, true])).await;
        assert_eq!(shown(&father).await, ("Moshe Lindenfeld".into(), [true, false, true]), "hers are hers alone");
        assert_eq!(shown(&mother).await, ("Chaya Lindenfeld".into(), [true; 3]));
        post_update(&camp, &staff, "Rain").await;
        assert_eq!((mails_about(&camp, "Rain", MOTHER), mails_about(&camp, "Rain", FATHER)), (1, 0));
    }
}

story! {
    async fn who_comes_by_an_invitation_is_asked_like_everybody_else(camp) {
        let staff = camp.staff().await;
        let path = family(&staff).await;
        let father = joined(&camp, form("Moshe Lindenfeld", FATHER, [true; 3])).await;
        let mut hers = form("Chaya", MOTHER, [false, true, true]);
        hers["invite"] = json!(invitation(&camp, &staff, &path).await);
        let mother = camp.browser();
        mother.post("/api/auth/sign-up", hers).await.expect(201);
        assert_eq!(shown(&mother).await, ("Chaya Lindenfeld".into(), [false, true, true]));
        assert_eq!(shown(&father).await, ("Moshe Lindenfeld".into(), [true; 3]));
    }
}

/// The token of an invitation that was emailed to the first address.
async fn invitation(camp: &Camp, staff: &Browser, path: &str) -> String {
    camp.wait(TimeDelta::hours(2));
    staff.send(Method::POST, &format!("{path}/invite"), None, &[]).await.expect(202);
    camp.work().await;
    let mails = camp.mails_to(MOTHER).into_iter().rev();
    token(&mails.into_iter().find(|mail| mail.text.contains("invite=")).expect("a mail"))
}

story! {
    async fn a_copied_invitation_keeps_the_choice_until_the_address_is_proved(camp) {
        let staff = camp.staff().await;
        let new = json!({ "full_name": "Chaya Lindenfeld", "child_name": "Yossi", "email": MOTHER });
        let family = staff.post("/api/admin/users", new).await.expect(201).json();
        let path = format!("/api/admin/users/{}", family["id"].as_str().expect("an id"));
        joined(&camp, form("Chaya", MOTHER, [true; 3])).await;
        let link = staff.post(&format!("{path}/invitation-link"), json!({})).await.expect(200).json();
        let mut his = form("Moshe Lindenfeld", FATHER, [true, true, false]);
        his["invite"] = json!(link["url"].as_str().expect("a link").rsplit('=').next());
        let father = joined(&camp, his).await;
        assert_eq!(shown(&father).await, ("Moshe Lindenfeld".into(), [true, true, false]));
    }
}

story! {
    async fn what_a_stranger_typed_is_not_the_invited_persons(camp) {
        let staff = camp.staff().await;
        let path = family(&staff).await;
        let father = joined(&camp, form("Moshe Lindenfeld", FATHER, [true; 3])).await;
        camp.browser().post("/api/auth/sign-up", form("Stranger", MOTHER, [false; 3])).await.expect(201);
        let mut hers = form("Chaya", MOTHER, [true, false, false]);
        hers["invite"] = json!(invitation(&camp, &staff, &path).await);
        let mother = camp.browser();
        mother.post("/api/auth/sign-up", hers).await.expect(201);
        assert_eq!(shown(&mother).await, ("Chaya Lindenfeld".into(), [true, false, false]));
        assert_eq!(shown(&father).await.1, [true; 3]);
    }
}

/// A sign-up from the sign-in page, which does not ask about emails.
fn unasked(name: &str, email: &str) -> Value {
    let mut form = sign_up(name, email);
    let fields = form.as_object_mut().expect("an object");
    for kind in ["daily_video_email", "camp_updates_email", "email_notifications"] {
        fields.remove(kind);
    }
    form
}

async fn unsubscribe(camp: &Camp, email: &str, scope: &str) {
    let link = unsubscribe::token(&camp.app.keys, &address(email), Category::DailyVideos);
    let wanted = json!({ "token": link, "scope": scope });
    camp.browser().post("/api/unsubscribe", wanted).await.expect(204);
}

async fn delete_family(staff: &Browser, email: &str) {
    let list = staff.get(&format!("/api/admin/users?q={email}")).await.json();
    let id = list["items"][0]["id"].as_str().expect("an id").to_owned();
    staff.delete(&format!("/api/admin/users/{id}")).await.expect(204);
}

story! {
    async fn who_signs_up_again_gets_what_they_choose_now(camp) {
        let staff = camp.staff().await;
        let chaya = joined(&camp, unasked("Chaya", MOTHER)).await;
        assert_eq!(shown(&chaya).await.1, [true, false, true]);
        unsubscribe(&camp, MOTHER, "everything").await;
        delete_family(&staff, MOTHER).await;
        let chaya = joined(&camp, form("Chaya", MOTHER, [true, true, false])).await;
        assert_eq!(shown(&chaya).await.1, [true, true, false]);
        post_update(&camp, &staff, "Rain").await;
        assert_eq!(mails_about(&camp, "Rain", MOTHER), 1);
        assert_eq!(shown(&chaya).await.1, [true, true, false]);
    }
}

story! {
    async fn who_unsubscribed_stays_so_where_the_form_does_not_ask(camp) {
        let staff = camp.staff().await;
        family(&staff).await;
        unsubscribe(&camp, MOTHER, "category").await;
        let chaya = joined(&camp, unasked("Chaya", MOTHER)).await;
        assert_eq!(shown(&chaya).await.1, [false, false, true]);
        chaya.patch("/api/profile", json!({ "daily_video_email": true })).await.expect(200);
        assert_eq!(shown(&chaya).await.1, [true, false, true]);
        // The opt-out holds for a new family too, until they turn the emails on.
        unsubscribe(&camp, MOTHER, "everything").await;
        delete_family(&staff, MOTHER).await;
        let chaya = joined(&camp, unasked("Chaya", MOTHER)).await;
        assert_eq!(shown(&chaya).await.1, [false; 3]);
        chaya.patch("/api/profile", json!({ "camp_updates_email": true })).await.expect(200);
        post_update(&camp, &staff, "Rain").await;
        assert_eq!(mails_about(&camp, "Rain", MOTHER), 1);
        assert_eq!(shown(&chaya).await.1, [false, true, false]);
    }
}

story! {
    async fn who_unsubscribes_before_they_confirm_stays_so(camp) {
        let chaya = camp.browser();
        chaya.post("/api/auth/sign-up", form("Chaya", MOTHER, [true; 3])).await.expect(201);
        camp.wait(TimeDelta::minutes(1));
        unsubscribe(&camp, MOTHER, "category").await;
        confirm(&camp, &chaya, MOTHER).await;
        assert_eq!(shown(&chaya).await.1, [false, true, true]);
    }
}

story! {
    async fn a_stranger_chooses_nothing_for_the_owner_of_an_address(camp) {
        camp.set("requireEmailVerification", false).await;
        let staff = camp.staff().await;
        for (n, wanted) in [[false; 3], [true; 3]].into_iter().enumerate() {
            let email = format!("owner{n}@family.example");
            // Somebody on the mailing list opted out.
            unsubscribe(&camp, &email, "category").await;
            camp.browser().post("/api/auth/sign-up", form("Stranger", &email, wanted)).await.expect(201);
            let video = json!({ "title": format!("Swim {n}"), "video_url": "https://youtu.be/aBcDeFgHiJk" });
            staff.post("/api/admin/videos", video).await.expect(201);
            camp.work_until_tomorrow().await;
            assert_eq!(mails_about(&camp, "Swim", &email), 0, "the opt-out holds for a login without a family's address");
            let mails = camp.mails_to(&email).into_iter().rev();
            let asks = mails.into_iter().find(|mail| mail.subject.starts_with("Please confirm")).expect("a mail");
            let owner = camp.browser();
            let claim = json!({ "token": token(&asks), "new_password": "lanterns over the lake" });
            owner.post("/api/auth/verify", claim).await.expect(200);
            assert_eq!(shown(&owner).await.1, [false, false, true], "{wanted:?}");
        }
    }
}

story! {
    async fn a_new_sign_up_ends_the_session_before_and_a_wrong_password_does_not(camp) {
        let browser = camp.parent("Chaya", MOTHER).await;
        let before = browser.cookie_header().expect("a cookie");
        let before = [("cookie", before.to_str().expect("a text"))];
        let wrong = json!({ "email": MOTHER, "password": "not this one" });
        browser.post("/api/auth/sign-in", wrong).await.refused(401, "invalid_credentials");
        assert_eq!(browser.get("/api/session").await.json()["user"]["email"], MOTHER);
        browser.post("/api/auth/sign-up", sign_up("Moshe", FATHER)).await.expect(201);
        assert_eq!(browser.get("/api/session").await.json()["user"]["email"], FATHER);
        let old = camp.browser().send(Method::GET, "/api/session", None, &before).await;
        assert_eq!(old.json()["user"], Value::Null);
        let right = json!({ "email": MOTHER, "password": PASSWORD });
        browser.post("/api/auth/sign-in", right).await.expect(200);
    }
}

story! {
    async fn only_the_login_with_the_primary_address_renames_the_family(camp) {
        let staff = camp.staff().await;
        let path = family(&staff).await;
        let link = copy_link(&staff, &path).await;
        let mut form = sign_up("Malka", "malka@other.example");
        form["invite"] = json!(link);
        let aunt = camp.browser();
        aunt.post("/api/auth/sign-up", form).await.expect(201);
        let name = || async { staff.get(&path).await.expect(200).json()["full_name"].clone() };
        let mother = joined(&camp, sign_up("Chaya", MOTHER)).await;
        aunt.patch("/api/profile", json!({ "full_name": "Malka Roth" })).await.expect(200);
        assert_eq!(name().await, "Chaya Lindenfeld");
        assert_eq!(shown(&aunt).await.0, "Malka Roth", "her own name is hers");
        mother.patch("/api/profile", json!({ "full_name": "Chaya Weiss" })).await.expect(200);
        assert_eq!(name().await, "Chaya Weiss");
    }
}

story! {
    async fn each_guardian_is_told_of_the_approval_by_their_own_name(camp) {
        camp.set("access", "families").await;
        let staff = camp.staff().await;
        camp.parent("Chaya Lindenfeld", MOTHER).await;
        let row = staff.get("/api/admin/users?filter=to_approve").await.expect(200).json()["items"][0].clone();
        let path = format!("/api/admin/users/{}", row["id"].as_str().expect("an id"));
        let second = json!({ "version": row["version"], "secondary_email": FATHER });
        staff.patch(&path, second).await.expect(200);
        joined(&camp, sign_up("Moshe Lindenfeld", FATHER)).await;
        staff.post(&format!("{path}/approve"), json!({})).await.expect(200);
        camp.work().await;
        for (email, name) in [(MOTHER, "Chaya Lindenfeld"), (FATHER, "Moshe Lindenfeld")] {
            let mails = camp.mails_to(email);
            let welcome = mails.iter().find(|mail| mail.subject.starts_with("Welcome")).expect("a mail");
            assert_eq!(welcome.to.name.as_deref(), Some(name));
        }
    }
}
