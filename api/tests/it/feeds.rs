//! The feed, the sitemap and other documents for programs.

use serde_json::json;

use crate::camp::Camp;
use crate::updates::{id, patch, posted};
use crate::videos::posted as posted_video;

async fn read(camp: &Camp, path: &str) -> String {
    let reply = camp.browser().get(path).await.expect(200);
    assert_eq!(reply.header("cache-control"), "no-cache");
    reply.text()
}

story! {
    async fn the_feed_holds_what_everybody_may_see_the_newest_first(camp) {
        camp.set_clock("2026-07-29T16:00:00Z");
        camp.set("siteName", "Camp <One> & \"Two\"").await;
        let staff = camp.staff().await;
        let lake = posted_video(&staff, "Lake & <shore>", json!({ "description": "Cold 'water'" })).await;
        posted_video(&staff, "Draft", json!({ "status": "draft" })).await;
        camp.wait(chrono::TimeDelta::minutes(5));
        let trip = posted(&staff, "טריפ", json!({ "author": "R. & S." })).await;
        let hidden = posted(&staff, "Hidden", json!({})).await;
        patch(&staff, &hidden, json!({ "is_active": false })).await.expect(200);
        let reply = camp.browser().get("/feed.xml").await.expect(200);
        assert_eq!(reply.header("content-type"), "application/atom+xml; charset=utf-8");
        let feed = reply.text();
        assert!(feed.starts_with("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">"), "{feed}");
        for part in [
            "<title>Camp &lt;One&gt; &amp; &quot;Two&quot;</title>",
            "<link rel=\"self\" type=\"application/atom+xml\" href=\"http://camp.example/feed.xml\"/>",
            "<title>Lake &amp; &lt;shore&gt;</title>",
            "<content type=\"text\">Cold &#39;water&#39;</content>",
            "<author><name>R. &amp; S.</name></author>",
            "<updated>2026-07-29T16:05:0",
            &format!("<id>urn:uuid:{}</id>", id(&lake)),
            &format!("href=\"http://camp.example/updates/{}\"", id(&trip)),
        ] {
            assert!(feed.contains(part), "{part} in {feed}");
        }
        assert!(feed.find("טריפ") < feed.find("Lake"), "{feed}");
        assert!(!feed.contains("Hidden") && !feed.contains("Draft"), "{feed}");
        assert_eq!(feed.matches("<entry>").count(), 2);
        assert_eq!(feed.matches("</entry>").count(), 2);
        let tag = reply.header("etag").to_owned();
        let again = [("if-none-match", tag.as_str())];
        camp.browser().send(axum::http::Method::GET, "/feed.xml", None, &again).await.expect(304);
        camp.set("siteName", "Other").await;
        camp.browser().send(axum::http::Method::GET, "/feed.xml", None, &again).await.expect(200);
    }
}

story! {
    async fn a_restriction_empties_feed_and_sitemap_for_everybody(camp) {
        let staff = camp.staff().await;
        let lake = posted_video(&staff, "Lake", json!({})).await;
        let trip = posted(&staff, "Trip", json!({})).await;
        let sitemap = read(&camp, "/sitemap.xml").await;
        for path in [format!("/video/{}", id(&lake)), format!("/updates/{}", id(&trip)), "/faq".into()] {
            assert!(sitemap.contains(&format!("<loc>http://camp.example{path}</loc>")), "{path} in {sitemap}");
        }
        for access in ["signed_in", "families"] {
            camp.set("access", access).await;
            let feed = staff.get("/feed.xml").await.expect(200).text();
            assert!(!feed.contains("<entry>") && !feed.contains("Lake") && !feed.contains("Trip"), "{feed}");
            assert!(feed.contains("</feed>"));
            let sitemap = read(&camp, "/sitemap.xml").await;
            assert!(!sitemap.contains("/video/") && !sitemap.contains("/updates"), "{sitemap}");
            assert!(sitemap.contains("<loc>http://camp.example/faq</loc>"), "{sitemap}");
        }
    }
}

story! {
    async fn robots_are_told_where_not_to_look(camp) {
        let robots = read(&camp, "/robots.txt").await;
        assert!(robots.contains("Disallow: /admin\n"), "{robots}");
        assert!(robots.ends_with("Sitemap: http://camp.example/sitemap.xml\n"), "{robots}");
    }
}
