//! Attempts to use up shared resources. No network gets more than its share.

use std::time::Duration;

use super::wire::serve;

story! {
    async fn one_network_cannot_hold_all_connections(camp) {
        let portal = serve(&camp, |config| config.connections_per_network = 10).await;
        let mut held = Vec::new();
        for _ in 0..10 {
            let mut wire = portal.connect(2).await;
            assert!(wire.works().await);
            held.push(wire);
        }
        assert!(!portal.connect(2).await.works().await, "it is closed at once");
        assert!(portal.connect(3).await.works().await, "others get in");
        for _ in 0..20 {
            let mut own = portal.connect(1).await;
            assert!(own.works().await, "and so does the machine itself");
            held.push(own);
        }
        held.remove(0);
        let freed = async { while !portal.connect(2).await.works().await {} };
        tokio::time::timeout(Duration::from_secs(60), freed).await.expect("a share that is given back");
        portal.stop().await;
    }
}

story! {
    async fn behind_a_proxy_one_network_cannot_hold_all_requests(camp) {
        let portal = serve(&camp, |config| {
            config.connections_per_network = 10;
            config.trusted_proxies = vec!["127.0.0.2/32".parse().expect("a network")];
        }).await;
        let slow = |from: &str| format!("POST /api/contact HTTP/1.1\r\nHost: camp.example\r\nX-Forwarded-For: {from}\r\n\
            Content-Type: application/json\r\nContent-Length: 900\r\n\r\n");
        let mut held = Vec::new();
        for _ in 0..10 {
            let mut wire = portal.connect(2).await;
            wire.send(slow("203.0.113.9")).await;
            let mut one = [0];
            let answered = tokio::time::timeout(Duration::from_millis(300), wire.stream.peek(&mut one)).await;
            assert!(answered.is_err(), "its body is waited for");
            held.push(wire);
        }
        let mut more = portal.connect(2).await;
        more.send(slow("203.0.113.9")).await;
        let said = more.answer().await.to_lowercase();
        assert!(said.starts_with("http/1.1 429 ") && said.contains("retry-after: 5"), "{said}");
        assert!(said.contains("application/problem+json"), "{said}");
        let mut other = portal.connect(2).await;
        other.send("GET /healthz HTTP/1.1\r\nHost: camp.example\r\nX-Forwarded-For: 203.0.113.10\r\n\r\n").await;
        assert!(other.answer().await.starts_with("HTTP/1.1 200 "));
        portal.stop().await;
    }
}

story! {
    async fn one_network_cannot_hold_all_event_streams(camp) {
        let mut few = camp.clone();
        few.app.config = std::sync::Arc::new({
            let mut config = (*camp.app.config).clone();
            config.event_streams_per_network = 2;
            config
        });
        let few = few.beside().await;
        let home = |n: u32| few.browser_at(&format!("2001:db8:7:7::{n:x}"));
        let (one, _two) = (home(1).listen(None).await, home(2).listen(None).await);
        let refused = home(3).get("/api/events").await;
        assert_eq!(refused.header("retry-after"), "30");
        refused.refused(429, "too_many_requests");
        home(3).get("/api/live-updates").await.expect(200);
        few.browser_at("2001:db8:7:8::1").listen(None).await;
        let pages: Vec<_> = [few.browser_at("127.0.0.1").listen(None).await, few.browser_at("127.0.0.1").listen(None).await,
            few.browser_at("127.0.0.1").listen(None).await].into();
        drop((one, pages));
        home(3).listen(None).await;
    }
}
