//! Contact messages, the inbox and replies.

use chrono::TimeDelta;
use futures_util::future::join_all;
use portal::accounts::staff::Role;
use serde_json::{Value, json};

use crate::answers::approved;
use crate::camp::{Browser, Camp, PASSWORD};

fn form(more: Value) -> Value {
    let mut form = json!({
        "name": "Chaya Weiss", "email": "Chaya@Family.Example", "child_name": "Mendy",
        "subject": "Which bunk is he in?", "user_type": "parent", "department": "staff",
        "message": "I want to send a package.\n\nThank you & <good> night!",
    });
    let fields = more.as_object().expect("fields").clone();
    form.as_object_mut().expect("fields").extend(fields);
    form
}

async fn write(browser: &Browser, more: Value) {
    browser.post("/api/contact", form(more)).await.expect(202);
}

async fn inbox(staff: &Browser, query: &str) -> Vec<Value> {
    let list = staff.get(&format!("/api/admin/messages{query}")).await.expect(200).json();
    list["items"].as_array().expect("items").clone()
}

async fn first(staff: &Browser) -> Value {
    inbox(staff, "").await[0].clone()
}

fn path(message: &Value) -> String {
    format!("/api/admin/messages/{}", message["id"].as_str().expect("an id"))
}

async fn change(staff: &Browser, message: &Value, changes: Value) -> Value {
    staff.patch(&path(message), changes).await.expect(200).json()
}

fn subjects(camp: &Camp, address: &str) -> Vec<String> {
    camp.mails_to(address).into_iter().map(|mail| mail.subject).collect()
}

story! {
    async fn a_message_reaches_the_camp_and_the_sender_is_told_that_it_arrived(camp) {
        write(&camp.browser(), json!({})).await;
        let mail = camp.mail_to("office@camp.example").await;
        assert_eq!(mail.subject, "Message: Which bunk is he in?");
        assert_eq!(mail.reply_to.expect("a sender").to_string(), "Chaya Weiss <chaya@family.example>");
        for part in ["Chaya Weiss", "Mendy", "I want to send a package.", "http://camp.example/admin/messages"] {
            assert!(mail.text.contains(part), "{part}");
        }
        assert!(mail.html.contains("&#60;good&#62;") && !mail.html.contains("<good>"));
        let told = camp.mail_to("chaya@family.example").await;
        assert!(told.text.contains("within 24 hours during season"));
        assert!(told.reply_to.expect("the camp").to_string().contains("office@camp.example"));
        assert!(told.unsubscribe_url.is_none());
        // Anybody can enter any address, so the email contains none of the typed text.
        for typed in ["Chaya", "bunk", "package", "Mendy"] {
            assert!(!told.text.contains(typed) && !told.subject.contains(typed) && !told.to.to_string().contains(typed), "{typed}");
        }
        let staff = camp.staff().await;
        approved("new_message", &first(&staff).await);
    }
}

story! {
    async fn a_copy_of_the_message_goes_only_to_the_proved_address_of_whoever_is_signed_in(camp) {
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let unproved = camp.unconfirmed_parent("Zev", "zev@family.example").await;
        let guest = camp.browser();
        camp.work().await;
        for (who, address, copied) in [
            (&chaya, "Chaya@family.example ", true),
            // Another user's address, a parent's own unverified address, and an address typed by
            // somebody signed out.
            (&chaya, "victim@family.example", false),
            (&unproved, "zev@family.example", false),
            (&guest, "chaya@family.example", false),
            (&guest, "guest@family.example", false),
        ] {
            let sent = who.post("/api/contact", form(json!({ "email": address, "subject": "Buy cheap watches" }))).await.expect(202).json();
            assert_eq!(sent, json!({ "copy_mailed": copied }), "{address}");
            camp.work().await;
            let mail = camp.mail_to(address.trim().to_lowercase().as_str()).await;
            assert!(mail.subject.ends_with("got your message"), "{}", mail.subject);
            let all = format!("{} {} {} {}", mail.to, mail.subject, mail.text, mail.html);
            for typed in ["Buy cheap watches", "I want to send a package.", "night!"] {
                assert_eq!(all.contains(typed), copied, "{address}: {typed}");
            }
        }
        let copy = camp.mails_to("chaya@family.example").into_iter().find(|mail| mail.text.contains("package")).expect("a copy");
        assert!(copy.text.contains("> I want to send a package.\n>\n> Thank you & <good> night!"), "{}", copy.text);
        assert!(!copy.html.contains("<good>") && copy.unsubscribe_url.is_none());
    }
}

story! {
    async fn each_department_has_its_own_mailbox_once_it_is_set(camp) {
        let browser = camp.browser();
        camp.set("videoTeamEmail", "film@camp.example").await;
        write(&browser, json!({ "department": "video_team" })).await;
        write(&browser, json!({ "department": "staff" })).await;
        camp.work().await;
        assert_eq!(camp.mails_to("film@camp.example").len(), 1);
        assert_eq!(camp.mails_to("office@camp.example").len(), 1);
        camp.set("staffEmail", "bunks@camp.example").await;
        write(&browser, json!({})).await;
        camp.work().await;
        assert_eq!(camp.mails_to("bunks@camp.example").len(), 1);
        camp.set("staffEmail", "").await;
        write(&browser, json!({})).await;
        camp.work().await;
        assert_eq!(camp.mails_to("office@camp.example").len(), 2);
    }
}

story! {
    async fn programs_and_floods_are_kept_out(camp) {
        let staff = camp.staff().await;
        let browser = camp.browser();
        write(&browser, json!({ "website": "https://spam.example" })).await;
        assert!(inbox(&staff, "").await.is_empty());
        for _ in 0..5 {
            write(&browser, json!({})).await;
        }
        let wait = browser.post("/api/contact", form(json!({}))).await.refused(429, "too_many_requests");
        assert!(wait["retry_after"].as_i64().expect("seconds") > 0);
        for n in 0..14 {
            write(&browser, json!({ "email": format!("somebody{n}@family.example") })).await;
        }
        browser.post("/api/contact", form(json!({ "email": "one.more@family.example" }))).await
            .refused(429, "too_many_requests");
        write(&camp.browser_at("198.51.100.9"), json!({ "email": "else@family.example" })).await;
        camp.wait(TimeDelta::minutes(61));
        write(&browser, json!({})).await;
    }
}

story! {
    async fn the_form_says_what_is_missing(camp) {
        let browser = camp.browser();
        let empty = json!({ "name": " ", "email": "nowhere", "subject": "", "message": "\n" });
        let wrong = browser.post("/api/contact", form(empty)).await.refused(422, "validation");
        let fields: Vec<&str> = wrong["errors"].as_array().expect("errors").iter()
            .filter_map(|error| error["field"].as_str()).collect();
        assert_eq!(fields, ["name", "email", "subject", "message"]);
        for bad in [
            json!({ "name": "Evil\r\nBcc: all@family.example" }),
            json!({ "subject": "one\ntwo" }),
            json!({ "message": "a\u{0}b" }),
            json!({ "message": "x".repeat(5001) }),
            json!({ "department": "kitchen" }),
            json!({ "status": "replied" }),
        ] {
            browser.post("/api/contact", form(bad)).await.refused(422, "validation");
        }
        camp.work().await;
        assert!(camp.mails().is_empty());
    }
}

story! {
    async fn a_reply_is_mailed_once_and_its_state_is_shown(camp) {
        camp.set("staffEmail", "bunks@camp.example").await;
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        write(&chaya, json!({})).await;
        let staff = camp.staff().await;
        let message = first(&staff).await;
        let drafted = change(&staff, &message, json!({ "draft": "Good morning! Mendy is in" })).await;
        assert_eq!(drafted["draft"], "Good morning! Mendy is in");
        let given = json!({ "body": "Good morning!\n\nMendy is in bunk 6.", "draft": drafted["draft"] });
        let to = format!("{}/reply", path(&message));
        let clicks = join_all((0..4).map(|_| staff.post(&to, given.clone()))).await;
        for click in clicks {
            click.expect(200);
        }
        let replied = first(&staff).await;
        approved("message_with_a_reply", &replied);
        camp.work().await;
        camp.work().await;
        let re = subjects(&camp, "chaya@family.example");
        assert_eq!(re.iter().filter(|subject| *subject == "Re: Which bunk is he in?").count(), 1, "{re:?}");
        let mail = camp.mail_to("chaya@family.example").await;
        assert!(mail.text.contains("Mendy is in bunk 6.") && mail.text.contains("> I want to send a package."));
        assert!(mail.unsubscribe_url.is_none(), "an answer is not category mail");
        assert!(mail.reply_to.expect("the camp").to_string().contains("bunks@camp.example"));
        assert_eq!(first(&staff).await["replies"][0]["delivery"], "sent");
        let hello = staff.post(&to, json!({ "body": "And he says hello.", "last_reply": replied["replies"][0]["id"] })).await.expect(200).json();
        let twice = staff.post(&format!("{}/retry", path(&message)), json!({})).await.expect(200).json();
        let bodies = |message: &Value| -> Vec<Value> { message["replies"].as_array().expect("replies").iter().map(|r| r["body"].clone()).collect() };
        assert_eq!(bodies(&twice), ["Good morning!\n\nMendy is in bunk 6.", "And he says hello."]);
        // The same words, sent on purpose after the first reply was seen, are another reply.
        let again = json!({ "body": "And he says hello.", "last_reply": hello["replies"][1]["id"] });
        let third = staff.post(&to, again.clone()).await.expect(200).json();
        assert_eq!(bodies(&third).len(), 3, "{third}");
        assert_eq!(bodies(&staff.post(&to, again).await.expect(200).json()).len(), 3, "a double click");
        // Marking it as read keeps it answered.
        assert_eq!(change(&staff, &message, json!({ "status": "unread" })).await["status"], "unread");
        assert_eq!(change(&staff, &message, json!({ "status": "read" })).await["status"], "replied");
        staff.post(&to, json!({ "body": " " })).await.refused(422, "validation");
    }
}

story! {
    async fn an_address_is_a_link_where_staff_wrote_it_and_nowhere_else(camp) {
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        write(&chaya, json!({ "message": "Look at https://spam.example/now" })).await;
        let told = camp.mail_to("office@camp.example").await;
        assert!(told.html.contains("https://spam.example/now") && !told.html.contains("href=\"https://spam"), "{}", told.html);
        let staff = camp.staff().await;
        let answer = json!({ "body": "The list is at https://camp.example/list." });
        staff.post(&format!("{}/reply", path(&first(&staff).await)), answer).await.expect(200);
        let mail = camp.mail_to("chaya@family.example").await;
        assert!(mail.html.contains("<a href=\"https://camp.example/list\" dir=\"ltr\""), "{}", mail.html);
        assert!(mail.html.contains("https://spam.example/now") && !mail.html.contains("href=\"https://spam"), "{}", mail.html);
    }
}

story! {
    async fn nobody_answers_over_what_a_colleague_wrote_unseen(camp) {
        write(&camp.browser(), json!({})).await;
        let (staff, miriam) = (camp.staff().await, camp.staff_member("miriam", Role::Staff).await);
        let seen = first(&staff).await;
        let to = format!("{}/reply", path(&seen));
        change(&miriam, &seen, json!({ "draft": "Dear Chaya, I am looking" })).await;
        let mine = json!({ "body": "He is in bunk 6." });
        let begun = staff.post(&to, mine.clone()).await.refused(409, "drafted");
        assert_eq!(begun["detail"], "Someone else started a reply to this message.");
        assert_eq!(first(&staff).await["draft"], "Dear Chaya, I am looking");
        // Of two simultaneous replies, the second is refused and names the first.
        let sent = json!({ "body": "Dear Chaya, he is in bunk 7.", "draft": "Dear Chaya, I am looking" });
        let theirs = miriam.post(&to, sent.clone()).await.expect(200).json();
        let late = staff.post(&to, mine.clone()).await.refused(409, "answered");
        assert_eq!(late["detail"], "miriam already replied to this message.");
        // Sending the same reply again after a lost response creates no second one, and keeps a draft that
        // was started since.
        change(&staff, &seen, json!({ "draft": "Or bunk 6" })).await;
        let again = miriam.post(&to, sent).await.expect(200).json();
        assert_eq!(again["replies"].as_array().expect("replies").len(), 1);
        assert_eq!(again["draft"], "Or bunk 6");
        change(&staff, &seen, json!({ "draft": null, "status": "read" })).await;
        // Somebody who has seen the first reply may still send another one.
        let mut after_all = mine;
        after_all["last_reply"] = theirs["replies"][0]["id"].clone();
        let both = staff.post(&to, after_all).await.expect(200).json();
        assert_eq!(both["replies"].as_array().expect("replies").len(), 2);
    }
}

story! {
    async fn of_two_answers_at_one_moment_one_goes_out(camp) {
        write(&camp.browser(), json!({})).await;
        let (staff, miriam) = (camp.staff().await, camp.staff_member("miriam", Role::Staff).await);
        let to = format!("{}/reply", path(&first(&staff).await));
        let (one, two) = tokio::join!(staff.post(&to, json!({ "body": "Bunk 6." })), miriam.post(&to, json!({ "body": "Bunk 7." })));
        let mut statuses = [one.status.as_u16(), two.status.as_u16()];
        statuses.sort();
        assert_eq!(statuses, [200, 409]);
        assert_eq!(first(&staff).await["replies"].as_array().expect("replies").len(), 1);
    }
}

story! {
    async fn staff_sort_the_inbox(camp) {
        let browser = camp.browser();
        for (name, subject, child) in [
            ("Chaya Weiss", "Which bunk is he in?", "Mendy"),
            ("Moshe Adler", "Sound is quiet", ""),
            ("רבקה", "אַ פראַגע", "יואל"),
        ] {
            let email = format!("{}@family.example", subject.len());
            write(&browser, json!({ "name": name, "email": email, "subject": subject, "child_name": child, "department": if child.is_empty() { "video_team" } else { "staff" } })).await;
        }
        let staff = camp.staff().await;
        let owner = camp.owner().await;
        let count = async |query: &str| inbox(&staff, query).await.len();
        assert_eq!(count("").await, 3);
        assert_eq!(count("?q=BUNK").await, 1);
        assert_eq!(count("?q=mendy").await, 1);
        assert_eq!(count("?q=%D7%A4%D7%A8%D7%90%D7%92%D7%A2").await, 1, "points do not matter");
        assert_eq!(count("?q=%25").await, 0, "a wildcard is only a character");
        assert_eq!(count("?department=video_team").await, 1);
        let newest = first(&staff).await;
        assert_eq!(change(&staff, &newest, json!({ "status": "read", "assigned_to": "KORNBLUH" })).await["assigned_to"], "kornbluh");
        assert_eq!(count("?status=unread").await, 2);
        assert_eq!(count("?status=read").await, 1);
        let problem = staff.patch(&path(&newest), json!({ "assigned_to": "nobody" })).await.refused(422, "validation");
        assert_eq!(problem["errors"], json!([{ "field": "assigned_to", "message": "There is no active account with this name." }]));
        staff.patch(&path(&newest), json!({ "status": "replied" })).await.refused(422, "validation");
        assert_eq!(change(&staff, &newest, json!({ "assigned_to": null })).await["assigned_to"], Value::Null);
        change(&staff, &newest, json!({ "spam": true })).await;
        assert_eq!(count("").await, 2);
        assert_eq!(count("?spam=true").await, 1);
        let counts = staff.get("/api/admin/messages/counts").await.expect(200).json();
        assert_eq!(counts, json!({ "unread": 2, "read": 0, "replied": 0, "spam": 1, "all": 2 }));
        // A request with an outdated version does not overwrite another draft.
        let other = first(&staff).await;
        change(&staff, &other, json!({ "version": other["version"], "draft": "Mine" })).await;
        owner.patch(&path(&other), json!({ "version": other["version"], "draft": "Ours" })).await.refused(409, "stale");
        assert_eq!(first(&staff).await["draft"], "Mine");
        assert_eq!(staff.get(&path(&other)).await.expect(200).json(), first(&staff).await);
        staff.delete(&path(&other)).await.expect(204);
        staff.get(&path(&other)).await.refused(404, "not_found");
        owner.delete(&path(&other)).await.refused(404, "not_found");
        assert_eq!(count("").await, 1);
        let page = staff.get("/api/admin/messages?limit=1&spam=false").await.expect(200).json();
        assert_eq!(page["next"], Value::Null);
    }
}

story! {
    async fn work_is_given_to_those_who_are_there(camp) {
        write(&camp.browser(), json!({})).await;
        let (staff, owner) = (camp.staff().await, camp.owner().await);
        camp.staff_member("adler", Role::Staff).await;
        let message = first(&staff).await;
        assert_eq!(change(&staff, &message, json!({ "assigned_to": "adler" })).await["assigned_to"], "adler");
        let accounts = owner.get("/api/admin/accounts").await.expect(200).json();
        let adler = accounts["items"].as_array().expect("items").iter().find(|a| a["username"] == "adler").expect("an account").clone();
        let count = async |query: &str| inbox(&staff, query).await.len();
        write(&camp.browser(), json!({ "subject": "And which bus?", "email": "bus@family.example" })).await;
        assert_eq!(count("?assigned_to=Adler").await, 1);
        assert_eq!(count("?assigned_to=feder").await, 0);
        assert_eq!(count("?assigned_to=nobody").await, 0);
        assert_eq!(count("?unassigned=true").await, 1);
        assert_eq!(count("?unassigned=false").await, 2);
        assert_eq!(inbox(&staff, "?assigned_to=adler&status=unread").await[0]["subject"], message["subject"]);
        let at = format!("/api/admin/accounts/{}", adler["id"].as_str().expect("an id"));
        owner.patch(&at, json!({ "version": adler["version"], "disabled": true, "current_password": PASSWORD })).await.expect(200);
        assert_eq!(count("?assigned_to=adler").await, 1, "and is found");
        assert_eq!(count("?unassigned=true").await, 2, "also among those that nobody works on");
        assert_eq!(staff.get(&path(&message)).await.expect(200).json()["assigned_to"], "adler", "what was given stays given");
        staff.patch(&path(&message), json!({ "assigned_to": null })).await.expect(200);
        let problem = staff.patch(&path(&message), json!({ "assigned_to": "adler" })).await.refused(422, "validation");
        assert_eq!(problem["errors"][0]["field"], "assigned_to");
    }
}

story! {
    async fn every_message_of_a_page_has_its_own_answers(camp) {
        let staff = camp.staff().await;
        for name in ["Chaya", "Rivka", "Zev"] {
            write(&camp.browser(), json!({ "subject": name, "email": format!("{name}@family.example") })).await;
        }
        for message in inbox(&staff, "").await {
            let answer = format!("Dear {}", message["subject"].as_str().expect("a subject"));
            staff.post(&format!("{}/reply", path(&message)), json!({ "body": answer })).await.expect(200);
        }
        let newest: Vec<Value> = inbox(&staff, "").await;
        let mut oldest = Vec::new();
        let mut at = "/api/admin/messages?sort=oldest&limit=2".to_owned();
        loop {
            let page = staff.get(&at).await.expect(200).json();
            oldest.extend(page["items"].as_array().expect("items").iter().cloned());
            let Some(next) = page["next"].as_str() else { break };
            staff.get(&format!("/api/admin/messages?cursor={next}")).await.refused(422, "validation");
            at = format!("/api/admin/messages?sort=oldest&limit=2&cursor={next}");
        }
        oldest.reverse();
        assert_eq!(oldest, newest);
        // All of them have the same time, so pages cannot depend on the time alone.
        let page = staff.get("/api/admin/messages?limit=2").await.expect(200).json();
        let rest = staff.get(&format!("/api/admin/messages?cursor={}", page["next"].as_str().expect("more"))).await.expect(200).json();
        for (page, rows) in [(&page, 2), (&rest, 1)] {
            let items = page["items"].as_array().expect("items");
            assert_eq!(items.len(), rows);
            for message in items {
                let answers = message["replies"].as_array().expect("replies");
                assert_eq!(answers.len(), 1);
                assert_eq!(answers[0]["body"].as_str(), Some(format!("Dear {}", message["subject"].as_str().expect("a subject")).as_str()));
            }
        }
    }
}

story! {
    async fn what_somebody_wrote_is_among_what_is_held_about_them(camp) {
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        let typed = camp.unconfirmed_parent("Somebody", "moshe@family.example").await;
        write(&camp.browser(), json!({})).await;
        write(&camp.browser(), json!({ "email": "moshe@family.example" })).await;
        let mine = chaya.get("/api/profile/download").await.expect(200).json();
        assert_eq!(mine["messages"][0]["subject"], "Which bunk is he in?");
        let theirs = typed.get("/api/profile/download").await.expect(200).json();
        assert_eq!(theirs["messages"], json!([]), "the address is not proved");
    }
}
