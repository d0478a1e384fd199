//! The client address that decides rate limits and access to loopback-only endpoints (safety 33).

use axum::http::Method;
use serde_json::json;

use crate::camp::{Browser, Camp, PASSWORD};

/// The number of wrong tokens that one address may send per hour.
const TAKEN: usize = 60;

async fn tries(browser: &Browser, forwarded: &str) -> u16 {
    let headers = [("x-forwarded-for", forwarded)];
    let body = Some(json!({ "token": "guessed" }));
    browser.send(Method::POST, "/api/auth/verify", body, &headers).await.status.as_u16()
}

async fn behind_proxies(camp: &Camp) -> Camp {
    let proxies = ["10.0.0.0/8", "fd00::/8"].map(|net| net.parse().expect("a network"));
    camp.beside_as(|config| config.trusted_proxies = proxies.to_vec()).await
}

story! {
    async fn an_address_that_a_stranger_writes_herself_is_not_believed(camp) {
        let stranger = camp.browser_at("203.0.113.9");
        for n in 0..TAKEN {
            assert_eq!(tries(&stranger, &format!("198.51.100.{n}")).await, 410);
        }
        for forwarded in ["198.51.100.200", "127.0.0.1", "", "10.0.0.1, 198.51.100.7"] {
            assert_eq!(tries(&stranger, forwarded).await, 429, "{forwarded}");
        }
        let forwarded = [("x-forwarded-for", "127.0.0.1")];
        stranger.send(Method::GET, "/metrics", None, &forwarded).await.refused(404, "not_found");
    }
}

story! {
    async fn behind_a_proxy_the_last_address_that_is_not_ours_counts(camp) {
        let camp = behind_proxies(&camp).await;
        let proxy = camp.browser_at("10.0.0.1");
        let guesser = "198.51.100.1";
        for n in 0..TAKEN {
            // The attacker wrote everything to the left of the last address.
            assert_eq!(tries(&proxy, &format!("192.0.2.{n}, {guesser}")).await, 410);
        }
        for forwarded in [
            guesser.to_owned(),
            format!("{guesser}, 10.0.0.2"),
            format!("192.0.2.77,{guesser},10.0.0.2, fd00::1"),
            format!("junk, {guesser}"),
            format!("::ffff:{guesser}"),
        ] {
            assert_eq!(tries(&proxy, &forwarded).await, 429, "{forwarded}");
        }
        for forwarded in ["198.51.100.2", &format!("{guesser}, 198.51.100.3")] {
            assert_eq!(tries(&proxy, forwarded).await, 410, "{forwarded}: somebody else");
        }
        // The same header from a client that is not a proxy is ignored.
        assert_eq!(tries(&camp.browser_at("203.0.113.50"), guesser).await, 410);
        let forwarded = [("x-forwarded-for", "127.0.0.1")];
        proxy.send(Method::GET, "/metrics", None, &forwarded).await.refused(404, "not_found");
    }
}

story! {
    async fn a_site_with_thousands_of_ipv6_networks_gets_eight_times_the_tries(camp) {
        for n in 0..8 * TAKEN {
            let stranger = camp.browser_at(&format!("2001:db8:7:{n:x}::1"));
            assert_eq!(tries(&stranger, "").await, 410);
        }
        assert_eq!(tries(&camp.browser_at("2001:db8:7:ffff::1"), "").await, 429);
        assert_eq!(tries(&camp.browser_at("2001:db8:8::1"), "").await, 410, "the site beside it");
    }
}

story! {
    async fn all_spellings_of_an_address_share_its_tries(camp) {
        camp.parent("Chaya", "chaya@family.example").await;
        let guesser = camp.browser_at("203.0.113.9");
        let mut statuses = Vec::new();
        for n in 0..10 {
            let email = format!("chaya{}@family.example", "\u{200b}".repeat(n));
            let guess = json!({ "email": email, "password": "a wrong password" });
            statuses.push(guesser.post("/api/auth/sign-in", guess).await.status.as_u16());
        }
        assert!(statuses.contains(&429), "{statuses:?}");
    }
}

story! {
    async fn a_login_from_before_international_addresses_became_ascii_still_works(camp) {
        camp.parent("Chaya", "chaya@family.example").await;
        for stored in ["chaya@bücher.example", "jürgen@family.example"] {
            crate::erasure::run(&camp, format!("update users set email = '{stored}'")).await;
            let given = json!({ "email": stored, "password": PASSWORD });
            camp.browser().post("/api/auth/sign-in", given).await.expect(200);
            camp.browser().post("/api/auth/forgot", json!({ "email": stored })).await.expect(202);
            camp.work().await;
            let reset = camp.mails().last().expect("a mail").clone();
            assert!(reset.text.contains("/auth/reset?token="), "{stored}: {}", reset.text);
        }
    }
}
