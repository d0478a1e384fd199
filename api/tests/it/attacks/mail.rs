//! Strangers' attempts to fill somebody's mailbox.

use axum::http::header;
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, PASSWORD, sign_up};

const PARENT: &str = "chaya@family.example";

async fn delete_account(browser: &Browser) {
    let given = json!({ "current_password": PASSWORD });
    browser.post("/api/auth/delete-account", given).await.expect(204);
}

/// The number of emails that reached any spelling of a mailbox.
async fn mails_like(camp: &Camp, local: &str) -> usize {
    camp.work().await;
    let reached =
        |mail: &portal::mail::Mail| mail.to.email.to_string().replace('.', "").starts_with(local);
    camp.mails().iter().filter(|mail| reached(mail)).count()
}

fn contact(email: &str) -> Value {
    json!({
        "name": "A Stranger", "email": email, "subject": "Hello", "user_type": "guest",
        "department": "staff", "message": "Is anybody there?",
    })
}

story! {
    async fn signing_up_and_deleting_the_account_again_and_again_fills_nobodys_mailbox(camp) {
        for _ in 0..8 {
            let stranger = camp.unconfirmed_parent("A Stranger", PARENT).await;
            camp.work().await;
            delete_account(&stranger).await;
        }
        assert_eq!(mails_like(&camp, "chaya").await, 4);

        // The parent herself can still sign up. She gets the email when she requests it, and learns
        // when she may request it again.
        let chaya = camp.unconfirmed_parent("Chaya", PARENT).await;
        for mails in [5, 6] {
            chaya.post("/api/auth/verify/resend", json!({})).await.expect(202);
            assert_eq!(mails_like(&camp, "chaya").await, mails);
        }
        let refusal = chaya.post("/api/auth/verify/resend", json!({})).await;
        assert!(refusal.headers.contains_key(header::RETRY_AFTER));
        let refusal = refusal.refused(429, "too_many_mails");
        assert_eq!(refusal["detail"], "We have already emailed this address several times. Please try again in 60 minutes.");
        assert_eq!(mails_like(&camp, "chaya").await, 6);
        camp.wait(TimeDelta::minutes(61));
        chaya.post("/api/auth/verify/resend", json!({})).await.expect(202);
        let token = camp.token_for(PARENT).await;
        chaya.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
    }
}

story! {
    async fn other_spellings_of_an_address_are_the_same_mailbox(camp) {
        for spelling in ["chaya+1@family.example", "chaya+2@family.example", "Chaya@Family.Example"] {
            camp.unconfirmed_parent("A Stranger", spelling).await;
            camp.browser().post("/api/contact", contact(spelling)).await.expect(202);
        }
        assert_eq!(mails_like(&camp, "chaya").await, 4);
        for i in 0..8 {
            let spelling = match i % 2 {
                0 => format!("per.l+{i}@gmail.com"),
                _ => format!("p.er.l+{i}@googlemail.com"),
            };
            camp.unconfirmed_parent("A Stranger", &spelling).await;
        }
        assert_eq!(mails_like(&camp, "perl").await, 4);
        assert_eq!(mails_like(&camp, "chaya").await, 4, "each mailbox has its own limit");
    }
}

story! {
    async fn all_ways_to_cause_a_mail_share_one_limit_and_no_answer_tells(camp) {
        camp.parent("Chaya", PARENT).await;
        let stranger = camp.parent("A Stranger", "stranger@town.example").await;
        camp.wait(TimeDelta::hours(2));
        let (before, mut hours) = (camp.mails_to(PARENT).len(), 0);
        for round in 0..24 {
            let anyone = camp.browser_at(&format!("198.51.100.{round}"));
            anyone.post("/api/auth/forgot", json!({ "email": PARENT })).await.expect(202);
            anyone.post("/api/subscribe", json!({ "email": PARENT })).await.expect(202);
            anyone.post("/api/contact", contact(&format!("chaya+{round}@family.example"))).await.expect(202);
            if round % 3 == 0 {
                let change = json!({ "current_password": PASSWORD, "new_email": "chaya+x@family.example" });
                let answer = stranger.post("/api/auth/email", change).await;
                assert!(matches!(answer.status.as_u16(), 202 | 429), "{}", answer.text());
                let taken = json!({ "current_password": PASSWORD, "new_email": PARENT });
                let told = stranger.post("/api/auth/email", taken).await;
                assert!(matches!(told.status.as_u16(), 202 | 429), "{}", told.text());
            }
            camp.work().await;
            if round == 3 {
                let sent = mails_like(&camp, "chaya").await - before;
                // A request for a taken address counts but sends nothing, so that the response
                // reveals nothing.
                assert!((4..=6).contains(&sent), "{sent} in the first hour");
            }
            if round % 4 == 3 {
                camp.wait(TimeDelta::minutes(61));
                hours += 1;
            }
        }
        assert_eq!(hours, 6);
        let sent = mails_like(&camp, "chaya").await - before;
        // Besides the 15 emails a day, one password email an hour is allowed.
        assert!((12..=21).contains(&sent), "{sent} in six hours");

        // A stranger's family may not add the second address yet: the refusal says when to try
        // again, and nothing is saved.
        let second = json!({ "full_name": "Another", "secondary_email": "chaya+s@family.example" });
        let refusal = stranger.patch("/api/profile", second).await.refused(429, "too_many_mails");
        assert!(refusal["detail"].as_str().expect("a sentence").ends_with(" hours."), "{refusal}");
        assert_eq!(stranger.get("/api/profile").await.json()["full_name"], "A Stranger");
        camp.wait(TimeDelta::hours(24));
        let again = camp.browser_at("192.0.2.9");
        again.post("/api/auth/forgot", json!({ "email": PARENT })).await.expect(202);
        assert_eq!(mails_like(&camp, "chaya").await - before, sent + 1);
    }
}

story! {
    async fn changing_the_password_of_an_unproved_login_fills_nobodys_mailbox(camp) {
        let stranger = camp.unconfirmed_parent("A Stranger", PARENT).await;
        assert_eq!(mails_like(&camp, "chaya").await, 1, "the confirmation");
        let mut current = PASSWORD.to_owned();
        for i in 0..8 {
            let new = format!("{PASSWORD} {i}");
            let change = json!({ "current_password": current, "new_password": new });
            stranger.post("/api/auth/password", change).await.expect(204);
            current = new;
        }
        assert_eq!(mails_like(&camp, "chaya").await, 1);
        // A verified address gets an email about every change.
        let perl = camp.parent("Perl", "perl@family.example").await;
        let mut current = PASSWORD.to_owned();
        for i in 0..8 {
            let new = format!("{PASSWORD} {i}");
            let change = json!({ "current_password": current, "new_password": new });
            perl.post("/api/auth/password", change).await.expect(204);
            current = new;
        }
        assert_eq!(mails_like(&camp, "perl").await, 9);
    }
}

story! {
    async fn what_strangers_did_does_not_keep_the_office_from_writing(camp) {
        let staff = camp.staff().await;
        for _ in 0..8 {
            let stranger = camp.browser();
            stranger.post("/api/auth/sign-up", sign_up("A Stranger", PARENT)).await.expect(201);
            camp.work().await;
            delete_account(&stranger).await;
        }
        let new = json!({ "full_name": "Chaya", "child_name": "Yossi", "email": PARENT });
        let family = staff.post("/api/admin/users", new).await.expect(201).json();
        assert!(camp.mail_to(PARENT).await.subject.starts_with("You are invited"));
        for _ in 0..6 {
            let invite = format!("/api/admin/users/{}/invite", family["id"].as_str().expect("an id"));
            staff.post(&invite, json!({})).await.expect(202);
        }
        camp.work().await;
        let invitations = camp.mails_to(PARENT).iter().filter(|mail| mail.subject.starts_with("You are invited")).count();
        assert_eq!(invitations, 7);
    }
}

story! {
    async fn a_login_with_somebody_elses_address_neither_stops_that_mail_nor_removes_anything(camp) {
        let staff = camp.staff().await;
        let new = json!({ "full_name": "Chaya", "child_name": "Yossi", "email": PARENT });
        staff.post("/api/admin/users", new).await.expect(201);
        camp.browser().post("/api/contact", contact(PARENT)).await.expect(202);
        camp.work().await;
        let stranger = camp.unconfirmed_parent("A Stranger", PARENT).await;
        let off = json!({ "daily_video_email": false, "camp_updates_email": false, "email_notifications": false });
        stranger.patch("/api/profile", off).await.expect(200);
        delete_account(&stranger).await;

        let family = staff.get("/api/admin/users?q=chaya").await.json()["items"][0].clone();
        assert_eq!(family["email"], PARENT);
        assert_eq!(family["daily_video_email"], true);
        assert_eq!(family["stopped"], json!([]));
        let message = staff.get("/api/admin/messages").await.json()["items"][0].clone();
        assert_eq!(message["email"], PARENT);
        let letter = json!({ "subject": "Come at ten", "body": "The gates open.", "audience": "families" });
        staff.post("/api/admin/letters", letter).await.expect(200);
        assert_eq!(camp.mail_to(PARENT).await.subject, "Come at ten");
    }
}

story! {
    async fn strangers_who_fill_a_mailbox_all_day_do_not_keep_its_owner_from_a_new_password(camp) {
        camp.parent("Chaya", PARENT).await;
        let perl = camp.unconfirmed_parent("Perl", "perl@family.example").await;
        let resets = async || {
            camp.work().await;
            camp.mails_to(PARENT).iter().filter(|mail| mail.text.contains("/auth/reset?token=")).count()
        };
        for hour in 0..24 {
            let stranger = camp.browser_at(&format!("198.51.100.{hour}"));
            for n in 0..5 {
                for victim in ["chaya", "perl"] {
                    let spelling = format!("{victim}+{n}@family.example");
                    stranger.post("/api/subscribe", json!({ "email": spelling })).await.expect(202);
                    stranger.post("/api/contact", contact(&spelling)).await.expect(202);
                }
            }
            let owner = camp.browser_at("192.0.2.9");
            owner.post("/api/auth/forgot", json!({ "email": PARENT })).await.expect(202);
            assert!(resets().await > hour, "hour {hour}");
            perl.post("/api/auth/verify/resend", json!({})).await.expect(202);
            camp.wait(TimeDelta::minutes(61));
        }
        // The first verification email, 15 emails a day, and one password email an hour.
        let all = mails_like(&camp, "chaya").await;
        assert!(all <= 1 + 15 + 24, "{all} mails in a day");
    }
}

story! {
    async fn full_width_spellings_are_the_same_mailbox_and_international_names_are_ascii(camp) {
        let stranger = camp.browser();
        for spelling in ["perl@gmail.com", "p.erl@ｇmail.com", "pe.rl@gmail。com", "per.l@ＧＭＡＩＬ.com", "p.e.rl@gmail．com"] {
            stranger.post("/api/contact", contact(spelling)).await.expect(202);
        }
        assert_eq!(mails_like(&camp, "perl").await, 4);
        stranger.post("/api/subscribe", json!({ "email": "a@bücher.example" })).await.expect(202);
        assert!(camp.mail_to("a@xn--bcher-kva.example").await.subject.starts_with("Please confirm"));
        let refused = stranger.post("/api/subscribe", json!({ "email": "jürgen@family.example" })).await;
        let refused = refused.refused(422, "validation").to_string();
        assert!(refused.contains("only plain letters, digits and signs before the @"), "{refused}");
    }
}

story! {
    async fn a_login_with_somebody_elses_address_learns_nothing_about_that_mailbox(camp) {
        let staff = camp.staff().await;
        let new = json!({ "full_name": "Chaya", "child_name": "Yossi", "email": PARENT });
        staff.post("/api/admin/users", new).await.expect(201);
        camp.work().await;
        assert!(!camp.mails_to(PARENT).is_empty());
        let stranger = camp.unconfirmed_parent("A Stranger", PARENT).await;
        camp.work().await;
        let held = stranger.get("/api/profile/download").await.expect(200).json();
        assert_eq!(held["mails"], json!([]), "what camp wrote to the owner");
        let token = camp.token_for(PARENT).await;
        stranger.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
        let held = stranger.get("/api/profile/download").await.expect(200).json();
        assert!(!held["mails"].as_array().expect("mails").is_empty(), "the owner sees them");
    }
}

story! {
    async fn confirmations_that_are_sent_again_are_limited_by_network(camp) {
        for n in 0..5 {
            let stranger = camp.unconfirmed_parent("A Stranger", &format!("perl@town{n}.example")).await;
            for _ in 0..4 {
                stranger.post("/api/auth/verify/resend", json!({})).await.expect(202);
            }
        }
        let more = camp.unconfirmed_parent("A Stranger", "perl@town5.example").await;
        more.post("/api/auth/verify/resend", json!({})).await.refused(429, "too_many_requests");
        // People elsewhere are not affected, and after an hour nobody is.
        let elsewhere = camp.browser_at("198.51.100.77");
        let sign_in = json!({ "email": "perl@town5.example", "password": PASSWORD });
        elsewhere.post("/api/auth/sign-in", sign_in).await.expect(200);
        elsewhere.post("/api/auth/verify/resend", json!({})).await.expect(202);
        camp.wait(TimeDelta::minutes(61));
        more.post("/api/auth/verify/resend", json!({})).await.expect(202);
    }
}

story! {
    async fn requests_to_join_a_family_that_are_sent_again_are_limited_by_network(camp) {
        let (mut refused, mut sent) = (0, 0);
        for n in 0..8 {
            let parent = camp.parent("Chaya", &format!("chaya@town{n}.example")).await;
            parent.patch("/api/profile", json!({ "secondary_email": format!("perl@town{n}.example") })).await.expect(200);
            for _ in 0..4 {
                match parent.post("/api/profile/second-email/resend", json!({})).await.status.as_u16() {
                    202 => sent += 1,
                    429 => refused += 1,
                    other => panic!("{other}"),
                }
            }
            camp.wait(TimeDelta::minutes(1));
        }
        assert!(sent <= 20 && refused > 0, "{sent} were sent, {refused} refused");
    }
}

story! {
    async fn nobody_has_the_portal_send_words_of_their_own_to_a_stranger(camp) {
        let words = "You have won, see evil.example";
        let stranger = camp.unconfirmed_parent(words, PARENT).await;
        stranger.post("/api/auth/verify/resend", json!({})).await.expect(202);
        camp.browser().post("/api/auth/forgot", json!({ "email": PARENT })).await.expect(202);
        let proved = camp.parent(words, "stranger@town.example").await;
        let change = json!({ "current_password": PASSWORD, "new_email": "perl@family.example" });
        proved.post("/api/auth/email", change).await.expect(202);
        camp.work().await;
        let mails = [camp.mails_to(PARENT), camp.mails_to("perl@family.example")].concat();
        assert_eq!(mails.len(), 4);
        for mail in mails {
            let whole = format!("{:?} {} {} {}", mail.to, mail.subject, mail.text, mail.html);
            assert!(!whole.contains("evil.example"), "{whole}");
        }
    }
}
