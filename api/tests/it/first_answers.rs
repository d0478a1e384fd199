//! A page's HTML contains the API responses that the page needs first.

use serde_json::{Value, json};

use crate::camp::Browser;
use crate::videos;

/// The responses in a page, by their URL.
async fn brought(browser: &Browser, path: &str) -> Vec<(String, Value)> {
    let html = browser.get(path).await.expect(200).text();
    let parts = html.split("data-answer=\"").skip(1);
    let answer = |part: &str| {
        let (address, rest) = part.split_once("\">").expect("an address");
        let (json, _) = rest.split_once("</script>").expect("an end");
        (address.replace("&amp;", "&"), serde_json::from_str(json).expect("JSON"))
    };
    parts.map(answer).collect()
}

fn addresses(brought: &[(String, Value)]) -> Vec<&str> {
    brought.iter().map(|(address, _)| address.as_str()).collect()
}

story! {
    async fn a_page_brings_what_the_api_answers_to_anybody(camp) {
        let staff = camp.staff().await;
        let title = "</script><script>alert(1)";
        let lake = videos::posted(&staff, title, json!({})).await;
        let page = format!("/video/{}", videos::id(&lake));
        for access in ["everyone", "signed_in", "families"] {
            camp.set("access", access).await;
            for path in ["/", "/current-videos", "/past-videos", "/faq", "/store", "/about", &page] {
                for (address, json) in brought(&camp.browser(), path).await {
                    let answer = camp.browser().get(&address).await.expect(200).json();
                    assert_eq!(json, answer, "{path} with {access}");
                }
            }
            let is_public = access == "everyone";
            assert_eq!(addresses(&brought(&camp.browser(), &page).await).len(), usize::from(is_public));
        }
        let home = brought(&camp.browser(), "/").await;
        assert_eq!(addresses(&home), ["/api/videos?collection=home", "/api/videos?limit=4"]);
        assert_eq!(home[0].1["items"][0]["title"], title);
    }
}

story! {
    async fn a_page_for_somebody_with_a_session_brings_nothing_and_a_closed_site_no_video(camp) {
        camp.set_clock("2026-07-31T16:00:00Z");
        let staff = camp.staff().await;
        let lake = videos::posted(&staff, "Lake", json!({})).await;
        let page = format!("/video/{}", videos::id(&lake));
        let chaya = camp.parent("Chaya Weiss", "chaya@family.example").await;
        for reader in [&chaya, &staff] {
            assert!(brought(reader, "/").await.is_empty());
            let html = reader.get("/").await.expect(200).text();
            assert!(html.contains("as=\"fetch\" crossorigin href=\"/api/videos?collection=home\""));
        }
        camp.set("shabbosMode", "closed").await;
        let settings = camp.app.settings().await.expect("settings");
        let start = settings.next_quiet_change(camp.now(), camp.now() + chrono::TimeDelta::days(8));
        camp.app.clock.set(start.expect("a window"));
        assert!(brought(&camp.browser(), &page).await.is_empty());
        for (address, json) in brought(&camp.browser(), "/").await {
            assert_eq!(json, camp.browser().get(&address).await.expect(200).json());
            assert!(json["items"].as_array().expect("videos").iter().all(|one| one["restricted"] == true));
        }
    }
}
