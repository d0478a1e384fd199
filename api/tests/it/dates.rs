//! Dates that do not exist are refused.

use serde_json::{Value, json};

use crate::camp::{Browser, Camp};
use crate::videos::{id, patch, posted};

fn said(problem: &Value) -> (&str, &str) {
    let wrong = &problem["errors"][0];
    (wrong["field"].as_str().unwrap_or_default(), wrong["message"].as_str().unwrap_or_default())
}

async fn a_day_in_july(camp: &Camp) -> Browser {
    camp.set_clock("2026-07-29T16:00:00Z");
    camp.staff().await
}

story! {
    async fn a_form_with_a_day_that_is_not_in_the_calendar_hears_which(camp) {
        let staff = a_day_in_july(&camp).await;
        let video = posted(&staff, "Lake", json!({})).await;
        let new = json!({ "full_name": "Chaya", "child_name": "Yossi", "email": "chaya@family.example" });
        let family = staff.post("/api/admin/users", new).await.expect(201).json();
        let user = format!("/api/admin/users/{}", id(&family));
        let link = "https://youtu.be/aBcDeFgHiJk";
        let update = json!({ "title": "Rain", "message": "Inside", "author": "Camp", "priority": "low", "expires_at": "2026-04-31T20:00" });
        for (reply, field, message) in [
            (staff.post("/api/admin/videos", json!({ "title": "Swim", "video_url": link, "status": "draft", "upload_date": "2026-02-30" })).await,
             "upload_date", "There is no February 30."),
            (staff.post("/api/admin/videos", json!({ "title": "Swim", "video_url": link, "status": "scheduled", "scheduled_date": "2026-09-31T09:00" })).await,
             "scheduled_date", "There is no September 31."),
            (patch(&staff, &video, json!({ "upload_date": "2026-02-29" })).await,
             "upload_date", "There is no February 29 in 2026."),
            (staff.patch(&user, json!({ "version": family["version"], "due_date": "2026-06-31" })).await,
             "due_date", "There is no June 31."),
            (staff.post(&format!("{user}/payments"), json!({ "amount": 100, "payment_date": "2026-13-01", "kind": "payment" })).await,
             "payment_date", "There is no month 13."),
            (staff.post("/api/admin/live-updates", update).await, "expires_at", "There is no April 31."),
        ] {
            let problem = reply.refused(422, "validation");
            assert_eq!(said(&problem), (field, message));
            assert_eq!(problem["detail"], message);
        }
        let other = staff.post("/api/admin/videos", json!({ "title": "Swim", "video_url": link, "status": "draft", "upload_date": "soon" })).await;
        let detail = other.refused(422, "validation")["detail"].clone();
        assert!(detail.as_str().expect("a sentence").contains("upload_date"), "{detail}");
    }
}

story! {
    async fn a_filter_and_an_import_hear_it_too(camp) {
        let staff = a_day_in_july(&camp).await;
        let owner = camp.owner().await;
        for path in ["/api/admin/audit?action=staff&from=2026-02-30", "/api/admin/audit.csv?from=2026-02-30"] {
            let problem = owner.get(path).await.refused(422, "validation");
            assert_eq!(said(&problem), ("from", "There is no February 30."));
        }
        let rows = "name,child,email,due date\nChaya,Yossi,chaya@family.example,2026-02-30\nRivka,Moishe,rivka@family.example,04/31/2026\n";
        let report = staff.post("/api/admin/users/import", json!({ "csv": rows })).await.expect(200).json();
        let messages: Vec<&Value> = report["problems"].as_array().expect("problems").iter().map(|problem| &problem["message"]).collect();
        assert_eq!(messages, ["There is no February 30.", "There is no April 31."]);
    }
}
