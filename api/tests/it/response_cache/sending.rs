//! How a cached response is sent: headers, compression, and limits.

use axum::http::Method;
use serde_json::json;

use super::{UNCACHED, cached, get};
use crate::videos;

story! {
    async fn a_cached_response_is_guarded_compressed_and_sent_once(camp) {
        let stranger = camp.browser();
        let staff = camp.staff().await;
        for n in 0..5 {
            videos::posted(&staff, &format!("Lake {n}"), json!({ "description": "Cold water. ".repeat(50) })).await;
        }
        for path in ["/api/videos", "/feed.xml", "/", "/faq"] {
            let plain = cached(&stranger, path, &[]).await.expect(200);
            assert_eq!(plain.header("x-content-type-options"), "nosniff", "{path}");
            assert!(plain.header("content-security-policy").contains("frame-ancestors 'none'"), "{path}");
            for (accepted, coding) in [("gzip, deflate, br", "br"), ("gzip", "gzip"), ("br;q=0", "")] {
                let packed = cached(&stranger, path, &[("accept-encoding", accepted)]).await.expect(200);
                assert_eq!(packed.header("content-encoding"), coding, "{path}");
                assert_eq!(packed.header("vary"), "accept-encoding", "{path}");
                assert_eq!(packed.bytes.len() < plain.bytes.len(), !coding.is_empty(), "{path}");
                let known = [("if-none-match", packed.header("etag"))];
                let again = cached(&stranger, path, &known).await.expect(304);
                assert!(again.bytes.is_empty() && again.header("content-type").is_empty(), "{path}");
                assert_eq!(again.header("cache-control"), plain.header("cache-control"), "{path}");
            }
        }
        let figures = camp.browser_at("127.0.0.1").get("/metrics").await.expect(200).text();
        assert!(figures.contains(r#"camp_http_requests_total{method="GET",route="/api/videos",status="304"}"#), "{figures}");
    }
}

story! {
    async fn pages_that_are_never_cached_are_compressed_too(camp) {
        let stranger = camp.browser();
        for path in ["/faq?question=1", "/admin/users", "/auth/verify?token=x", "/no-such-page"] {
            let plain = get(&stranger, path, &[]).await;
            assert_eq!((plain.header("content-encoding"), plain.header("vary")), ("", "accept-encoding"), "{path}");
            for (accepted, coding) in [("gzip, deflate, br", "br"), ("gzip", "gzip")] {
                let accepted = [("accept-encoding", accepted)];
                let packed = get(&stranger, path, &accepted).await;
                assert_eq!(packed.header("content-encoding"), coding, "{path}");
                assert!(packed.bytes.len() < plain.bytes.len() / 2, "{path}");
                assert_eq!(packed.header("vary"), "accept-encoding", "{path}");
                assert_eq!(packed.header("content-security-policy").is_empty(), plain.header("content-security-policy").is_empty());
                assert_eq!(packed.status, plain.status, "{path}");
                let head = stranger.send(Method::HEAD, path, None, &accepted).await;
                assert!(head.bytes.is_empty() && head.status == plain.status, "{path}");
            }
        }
    }
}

story! {
    async fn a_file_of_the_front_end_is_kept_as_the_router_answers_it(camp) {
        let stranger = camp.browser();
        let page = stranger.get("/about").await.expect(200).text();
        let named = |end: &str| {
            let mut addresses = page.split('"').filter(|part| part.starts_with("/assets/"));
            addresses.find(|address| address.ends_with(end)).expect("a file").to_owned()
        };
        for path in [named(".js"), named(".woff2")] {
            let mut sizes = Vec::new();
            for (accepted, coding) in [("gzip, deflate, br", "br"), ("gzip", "gzip"), ("identity", "")] {
                // Fonts are compressed already.
                let (asked, coding) = if path.ends_with(".woff2") { ("identity", "") } else { (accepted, coding) };
                let new = [("accept-encoding", asked)];
                let new = stranger.send(Method::GET, &path, Some(UNCACHED), &new).await.expect(200);
                let accepted = [("accept-encoding", accepted)];
                let kept = cached(&stranger, &path, &accepted).await.expect(200);
                assert_eq!(kept.header("content-encoding"), coding, "{path}");
                assert!(kept.bytes == new.bytes, "{path} {coding}");
                let own = ["x-request-id", "content-length", "vary"];
                for (name, value) in new.headers.iter().filter(|(name, _)| !own.contains(&name.as_str())) {
                    assert_eq!(kept.headers.get(name), Some(value), "{path} {coding}: {name}");
                }
                assert_eq!(kept.header("cache-control"), "public, max-age=31536000, immutable", "{path}");
                let known = [("if-none-match", kept.header("etag"))];
                assert!(get(&stranger, &path, &known).await.expect(304).bytes.is_empty(), "{path}");
                let head = stranger.send(Method::HEAD, &path, None, &accepted).await.expect(200);
                assert!(head.bytes.is_empty() && head.header("etag") == kept.header("etag"), "{path}");
                sizes.push(kept.bytes.len());
            }
            assert!(path.ends_with(".woff2") || sizes.is_sorted(), "{path}: {sizes:?}");
        }
        stranger.get("/assets/gone-12345678.js").await.refused(404, "not_found");
        stranger.get("/assets/").await.expect(404);
    }
}

story! {
    async fn one_network_cannot_take_all_responses_at_once(camp) {
        let camp = camp.beside_as(|config| config.connections_per_network = 8).await;
        let stranger = camp.browser();
        cached(&stranger, "/api/site", &[]).await;
        let mut unread = Vec::new();
        for _ in 0..8 {
            unread.push(stranger.unread("/api/site").await);
        }
        stranger.get("/api/site").await.refused(429, "too_many_requests");
        drop(unread);
        stranger.get("/api/site").await.expect(200);
    }
}
