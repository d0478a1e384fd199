//! Attempts to make the portal's memory grow without limit.

use axum::http::Method;
use serde_json::json;

use crate::camp::Camp;

async fn figures(camp: &Camp) -> String {
    camp.browser_at("127.0.0.1").get("/metrics").await.expect(200).text()
}

story! {
    async fn invented_methods_paths_and_headers_make_no_series_of_their_own(camp) {
        let stranger = camp.browser();
        let word = format!("W{}", uuid::Uuid::new_v4().simple()).to_uppercase();
        let method = Method::from_bytes(word.as_bytes()).expect("a method");
        for path in ["/", "/api/videos", "/api/site", "/nothing", "/media/videos/7", "/healthz"] {
            stranger.send(method.clone(), path, None, &[]).await.expect(405);
        }
        for path in [format!("/{word}"), format!("/api/{word}"), format!("/api/videos/{word}"), format!("/video/{word}")] {
            stranger.get(&path).await;
            stranger.post(&path, json!({ &word: word })).await;
        }
        let odd = [("host", word.as_str()), ("x-forwarded-for", &word), ("user-agent", &word), ("cookie", &word)];
        stranger.send(Method::GET, "/api/site", None, &odd).await;
        let figures = figures(&camp).await;
        assert!(!figures.contains(&word), "{figures}");
        assert!(figures.contains(r#"camp_http_requests_total{method="other",route="other",status="405"}"#), "{figures}");
    }
}

story! {
    async fn a_wrong_method_on_a_known_address_makes_no_series_for_that_address(camp) {
        for method in [Method::DELETE, Method::PATCH, Method::PUT, Method::OPTIONS] {
            camp.browser().send(method, "/api/site", None, &[]).await.expect(405);
        }
        let figures = figures(&camp).await;
        let wrong = figures.lines().find(|line| line.contains(r#"route="/api/site""#) && !line.contains(r#""GET""#) && !line.contains(r#""HEAD""#));
        assert_eq!(wrong, None);
    }
}

story! {
    async fn times_are_kept_in_a_fixed_number_of_buckets(camp) {
        camp.browser().get("/healthz").await.expect(200);
        let figures = figures(&camp).await;
        let buckets = figures.lines()
            .filter(|line| line.starts_with("camp_http_request_seconds_bucket") && line.contains(r#"method="GET",route="/healthz""#));
        assert_eq!(buckets.count(), 13, "{figures}");
        assert!(!figures.contains("quantile="), "{figures}");
    }
}
