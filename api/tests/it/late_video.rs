//! The note that tonight's video is late: staff decide, and only families that asked for it get it.

use chrono::TimeDelta;
use portal::alerts;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, token};
use crate::videos::{posted, two_families};

const CHAYA: &str = "chaya@family.example";
const NOTE: &str = "Tonight’s video is late";
const PATH: &str = "/api/admin/videos/late-note";
/// Half past nine in the evening of July 29 in camp, a Wednesday.
pub const LATE: &str = "2026-07-30T01:30:00Z";

fn notes(camp: &Camp) -> Vec<String> {
    let notes = camp.mails().into_iter().filter(|mail| mail.subject == NOTE);
    notes.map(|mail| mail.to.email.to_string()).collect()
}

/// A camp that promises a video by nine, with yesterday's video and a family that wants the note.
pub async fn promising(camp: &Camp) -> (Browser, Browser) {
    let (chaya, _) = two_families(camp).await;
    camp.set_clock("2026-07-29T00:30:00Z");
    let staff = camp.staff().await;
    assert_eq!(chaya.get("/api/profile").await.expect(200).json()["late_video_note"], Value::Null);
    camp.set("postingDeadline", "21:00").await;
    posted(&staff, "Tuesday", json!({})).await;
    camp.work().await;
    camp.set_clock("2026-07-29T16:00:00Z");
    assert_eq!(chaya.get("/api/profile").await.expect(200).json()["late_video_note"], false);
    let wish = json!({ "late_video_note": true });
    assert_eq!(chaya.patch("/api/profile", wish).await.expect(200).json()["late_video_note"], true);
    (chaya, staff)
}

async fn late_video(staff: &Browser) -> Value {
    staff.get("/api/admin/dashboard").await.expect(200).json()["attention"]["late_video"].clone()
}

story! {
    async fn staff_hear_of_a_late_video_and_tell_the_families_that_asked_once(camp) {
        let (_chaya, staff) = promising(&camp).await;
        camp.owner().await;
        let alerts = || camp.mails_to("kornbluh@camp.example").iter().filter(|mail| {
            mail.text.contains("No video for tonight was published by 9:00 PM.") && mail.text.contains("clear “Alert if no video by”")
        }).count();
        camp.set_clock("2026-07-30T00:59:00Z");
        alerts::check(&camp.app).await.expect("checked");
        assert_eq!((late_video(&staff).await, alerts()), (Value::Null, 0));
        staff.post(PATH, json!({})).await.refused(409, "conflict");
        camp.set_clock(LATE);
        for _ in 0..2 {
            alerts::check(&camp.app).await.expect("checked");
            camp.work().await;
            // After midnight it is still the same evening.
            camp.wait(TimeDelta::hours(3));
        }
        assert_eq!((alerts(), notes(&camp).len()), (1, 0), "families hear nothing by themselves");
        camp.set_clock(LATE);
        assert_eq!(late_video(&staff).await, json!({ "posting_time": "2026-07-30T01:00:00Z", "families": 1, "told": null }));
        assert_eq!(staff.post(PATH, json!({})).await.expect(200).json()["families"], 1);
        assert_eq!(staff.post(PATH, json!({})).await.refused(409, "conflict")["detail"], "The families were already told this evening.");
        camp.work().await;
        assert_eq!(notes(&camp), [CHAYA]);
        assert_eq!(late_video(&staff).await["told"], 1);
        posted(&staff, "Wednesday", json!({})).await;
        assert_eq!(late_video(&staff).await, Value::Null);
        staff.post(PATH, json!({})).await.refused(409, "conflict");
    }
}

story! {
    async fn a_note_that_was_not_sent_yet_is_withdrawn_by_the_video(camp) {
        let (_chaya, staff) = promising(&camp).await;
        camp.set_clock(LATE);
        staff.post(PATH, json!({})).await.expect(200);
        camp.work_without_mail().await;
        posted(&staff, "Wednesday", json!({})).await;
        camp.wait(TimeDelta::minutes(5));
        camp.work().await;
        assert!(camp.mails_to(CHAYA).iter().any(|mail| mail.subject == "New video: Wednesday"));
        assert_eq!(notes(&camp).len(), 0);
    }
}

story! {
    async fn nobody_waits_for_a_video_in_quiet_time_or_after_the_season(camp) {
        let (_chaya, staff) = promising(&camp).await;
        camp.set("quietPlace", "Monsey, NY").await;
        camp.set("shabbosMode", "quiet").await;
        camp.set("postingDeadline", "20:30").await;
        camp.set_clock("2026-07-31T00:30:00Z");
        posted(&staff, "Thursday", json!({})).await;
        // Friday night, the end of Shabbos after the posting time, and Sunday night.
        for (at, late) in [("2026-08-01T01:30:00Z", false), ("2026-08-02T02:30:00Z", false), ("2026-08-03T01:30:00Z", true)] {
            camp.set_clock(at);
            assert_eq!(late_video(&staff).await != Value::Null, late, "{at}");
            let reply = staff.post(PATH, json!({})).await;
            assert_eq!(reply.status.as_u16(), if late { 200 } else { 409 }, "{at}");
        }
        camp.set_clock("2026-08-04T01:30:00Z");
        assert_eq!(late_video(&staff).await, Value::Null, "four days without a video");
        posted(&staff, "Camp of old", json!({ "upload_date": "2019-07-15" })).await;
        assert_eq!(late_video(&staff).await, Value::Null, "an earlier summer is no season");
    }
}

story! {
    async fn a_posting_time_after_midnight_belongs_to_the_evening(camp) {
        let (_chaya, staff) = promising(&camp).await;
        camp.set("postingDeadline", "00:30").await;
        camp.set_clock("2026-07-30T04:29:00Z");
        assert_eq!(late_video(&staff).await, Value::Null);
        camp.set_clock("2026-07-30T04:31:00Z");
        assert_eq!(late_video(&staff).await["posting_time"], "2026-07-30T04:30:00Z");
        camp.set("postingDeadline", "").await;
        assert_eq!(late_video(&staff).await, Value::Null, "switched off");
        let owner = camp.owner().await;
        owner.patch("/api/admin/settings", json!({ "postingDeadline": "25:00" })).await.refused(422, "validation");
        owner.patch("/api/admin/settings", json!({ "postingDeadline": "9:05" })).await.expect(200);
        assert_eq!(camp.app.settings().await.expect("settings").posting_deadline, "09:05");
    }
}

story! {
    async fn whoever_stops_the_daily_videos_gets_no_note(camp) {
        let (_chaya, staff) = promising(&camp).await;
        camp.set_clock(LATE);
        staff.post(PATH, json!({})).await.expect(200);
        camp.work().await;
        let note = camp.mails_to(CHAYA).pop().expect("a note");
        assert!(note.subject == NOTE && note.unsubscribe_url.is_some());
        let stop = json!({ "token": token(&note), "scope": "category" });
        camp.browser().post("/api/unsubscribe", stop).await.expect(204);
        camp.wait(TimeDelta::days(1));
        assert_eq!(late_video(&staff).await["families"], 0);
        assert_eq!(staff.post(PATH, json!({})).await.refused(409, "conflict")["detail"], "No family asked for this email.");
    }
}
