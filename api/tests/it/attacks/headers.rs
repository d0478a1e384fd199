//! The security headers of every response (safety 19).

use crate::camp::{Browser, Reply};

const ALWAYS: [(&str, &str); 4] = [
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "strict-origin-when-cross-origin"),
    ("x-frame-options", "DENY"),
    ("cross-origin-opener-policy", "same-origin"),
];

/// The sources that a policy allows for one directive.
fn sources<'a>(policy: &'a str, kind: &str) -> Vec<&'a str> {
    let mut rules = policy.split(';').map(str::trim);
    let rule = rules.find(|rule| rule.split(' ').next() == Some(kind));
    let rule = rule.unwrap_or_else(|| panic!("no {kind} in {policy}"));
    rule.split(' ').skip(1).collect()
}

async fn guarded(browser: &Browser, path: &str) -> Reply {
    let reply = browser.get(path).await;
    for (name, value) in ALWAYS {
        assert_eq!(reply.header(name), value, "{name} of {path}");
    }
    assert!(reply.header("permissions-policy").contains("camera=()"), "{path}");
    let policy = reply.header("content-security-policy");
    assert_eq!(sources(policy, "frame-ancestors"), ["'none'"], "{path}");
    reply
}

story! {
    async fn pages_run_no_script_but_ours_and_stand_in_no_frame(camp) {
        let browser = camp.browser();
        let mut asset = None;
        for path in ["/", "/videos", "/gallery", "/faq", "/admin/login", "/admin/settings", "/no-such-page", "/video/x"] {
            let reply = guarded(&browser, path).await;
            assert!(reply.header("content-type").starts_with("text/html"), "{path}: {}", reply.text());
            let policy = reply.header("content-security-policy");
            assert_eq!(sources(policy, "default-src"), ["'self'"], "{path}");
            assert_eq!(sources(policy, "script-src"), ["'self'"], "{path}");
            assert_eq!(sources(policy, "object-src"), ["'none'"], "{path}");
            assert_eq!(sources(policy, "base-uri"), ["'none'"], "{path}");
            assert_eq!(sources(policy, "form-action"), ["'self'"], "{path}");
            assert_eq!(sources(policy, "connect-src"), ["'self'"], "{path}");
            let frames = sources(policy, "frame-src");
            assert_eq!(frames, ["https://www.youtube-nocookie.com", "https://drive.google.com"], "{path}");
            let html = reply.text();
            // The policy would block an inline script, so there must be none.
            for script in html.split("<script").skip(1) {
                let tag = script.split('>').next().expect("a tag");
                assert!(tag.contains("src=\"/") || tag.contains("application/json"), "{path}: {tag}");
            }
            asset = html.split('"').find(|part| part.starts_with("/assets/") && part.ends_with(".js")).map(str::to_owned);
        }
        let asset = asset.expect("a script of ours");
        guarded(&browser, &asset).await.expect(200);
    }
}

story! {
    async fn what_is_no_page_may_load_nothing(camp) {
        let browser = camp.browser();
        for path in [
            "/api/site", "/api/nothing", "/api/videos?year=x", "/media/videos/x", "/media/nothing", "/robots.txt",
            "/sitemap.xml", "/manifest.webmanifest", "/nothing.js", "/healthz", "/%00",
        ] {
            let reply = guarded(&browser, path).await;
            assert_eq!(sources(reply.header("content-security-policy"), "default-src"), ["'none'"], "{path}");
            assert_eq!(reply.header("strict-transport-security"), "", "{path}: over http it would be a lie");
            if path.starts_with("/api/") {
                assert_eq!(reply.header("cache-control"), "no-store", "{path}");
            }
        }
    }
}

story! {
    async fn over_https_browsers_come_back_by_https_only(camp) {
        let camp = camp.beside_as(|config| config.public_url = "https://camp.example".parse().ok()).await;
        let browser = camp.browser();
        for path in ["/", "/gallery", "/api/site", "/nothing.js", "/media/nothing"] {
            let reply = guarded(&browser, path).await;
            assert!(reply.header("strict-transport-security").starts_with("max-age=31536000"), "{path}");
        }
    }
}
