//! Attempts to abuse the contact form: to make the camp email others, or to flood the camp.

use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::camp::Camp;

fn form(email: &str, more: Value) -> Value {
    let mut form = json!({
        "name": "Cheap Watches", "email": email, "child_name": "Best Offers", "subject": "Buy now at watches.example",
        "user_type": "parent", "department": "staff", "message": "Only today.\n\nhttps://watches.example",
    });
    let fields = more.as_object().expect("fields").clone();
    form.as_object_mut().expect("fields").extend(fields);
    form
}

story! {
    async fn an_answer_says_nothing_that_a_stranger_typed_to_an_address_of_somebody_else(camp) {
        camp.set_clock("2026-07-14T16:00:00Z");
        let staff = camp.staff().await;
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let unproved = camp.unconfirmed_parent("Zev", "zev@family.example").await;
        let guest = camp.browser();
        for (who, address, proved) in [
            (&guest, "victim@family.example", false),
            (&guest, "chaya@family.example", false),
            (&chaya, "bubby@family.example", false),
            (&unproved, "zev@family.example", false),
            (&chaya, "Chaya@family.example", true),
        ] {
            who.post("/api/contact", form(address, json!({}))).await.expect(202);
            camp.work().await;
            let list = staff.get("/api/admin/messages").await.expect(200).json();
            let message = &list["items"][0];
            assert_eq!(message["sender_proved"], proved, "{address}");
            let reply = format!("/api/admin/messages/{}/reply", message["id"].as_str().expect("an id"));
            staff.post(&reply, json!({ "body": "Thank you, we have seen it." })).await.expect(200);
            let mail = camp.mail_to(address.to_lowercase().as_str()).await;
            assert!(mail.text.contains("Thank you, we have seen it."), "{address}: {}", mail.text);
            let all = format!("{} {} {} {}", mail.to, mail.subject, mail.text, mail.html);
            for typed in ["Cheap Watches", "Buy now", "Only today", "watches.example"] {
                assert_eq!(all.contains(typed), proved, "{address}: {typed}: {all}");
            }
            assert!(!all.contains("Best Offers"));
            if !proved {
                assert!(mail.subject.starts_with("Re: Your message to "), "{}", mail.subject);
                assert!(mail.text.contains("July 14, 2026"), "{}", mail.text);
            }
        }
    }
}

story! {
    async fn a_stranger_who_types_an_address_keeps_its_owner_from_writing_nowhere(camp) {
        let chaya = camp.parent("Chaya", "chaya@family.example").await;
        let stranger = camp.browser_at("203.0.113.7");
        let theirs = || form("chaya@family.example", json!({}));
        for _ in 0..5 {
            stranger.post("/api/contact", theirs()).await.expect(202);
        }
        stranger.post("/api/contact", theirs()).await.refused(429, "too_many_requests");
        // Others can still write: somebody signed out elsewhere, and a signed-in parent behind the
        // same network.
        camp.browser_at("198.51.100.9").post("/api/contact", theirs()).await.expect(202);
        for _ in 0..5 {
            chaya.post("/api/contact", theirs()).await.expect(202);
        }
        chaya.post("/api/contact", theirs()).await.refused(429, "too_many_requests");
    }
}

/// Sends a message from a new network and with a new address each time.
async fn flood(camp: &Camp, which: std::ops::Range<usize>, department: &str) {
    for n in which {
        let stranger = camp.browser_at(&format!("2001:db8:{n:x}::1"));
        let given = form(
            &format!("n{n}@elsewhere.example"),
            json!({ "subject": format!("Number {n}."), "department": department }),
        );
        stranger.post("/api/contact", given).await.expect(202);
    }
    camp.work().await;
}

story! {
    async fn a_flood_of_messages_fills_the_inbox_of_the_portal_and_not_the_camps_mailbox(camp) {
        camp.set("videoTeamEmail", "film@camp.example").await;
        let subjects = |address: &str| -> Vec<String> {
            camp.mails_to(address).into_iter().map(|mail| mail.subject).collect()
        };
        flood(&camp, 0..30, "staff").await;
        assert_eq!(subjects("office@camp.example").len(), 30);
        assert!(subjects("office@camp.example").iter().all(|subject| subject.starts_with("Message: Number ")));
        flood(&camp, 30..35, "staff").await;
        let sent = subjects("office@camp.example");
        assert_eq!(sent.len(), 31, "{sent:?}");
        assert_eq!(sent[30], "More messages in the portal");
        let notice = camp.mail_to("office@camp.example").await;
        assert!(notice.text.contains("http://camp.example/admin/messages"), "{}", notice.text);
        assert!(!notice.text.contains("watches.example") && notice.reply_to.is_none_or(|to| !to.to_string().contains("elsewhere")));
        // The other department has a separate mailbox.
        flood(&camp, 35..36, "video_team").await;
        assert_eq!(subjects("film@camp.example"), ["Message: Number 35."]);
        // No message is lost, and every sender gets an acknowledgement.
        let staff = camp.staff().await;
        assert_eq!(staff.get("/api/admin/messages/counts").await.expect(200).json()["unread"], 36);
        assert_eq!(subjects("n34@elsewhere.example").len(), 1);
        // An hour later the camp gets email again.
        camp.wait(TimeDelta::minutes(61));
        flood(&camp, 36..37, "staff").await;
        assert_eq!(subjects("office@camp.example").last().map(String::as_str), Some("Message: Number 36."));
    }
}
