//! A page that receives live events.

use std::time::Duration;

use axum::body::BodyDataStream;
use futures_util::StreamExt;
use serde_json::Value;

/// A page with an open event stream.
pub struct Listener {
    pub(super) body: BodyDataStream,
    pub(super) text: String,
}

/// An event that a page received.
#[derive(Debug, PartialEq)]
pub struct Heard {
    pub kind: String,
    pub id: String,
    pub data: Value,
}

impl Listener {
    /// The next event, or nothing once the stream has ended. Waits at most six seconds.
    pub async fn next(&mut self) -> Option<Heard> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    let value = event.lines().find_map(|line| line.strip_prefix(name));
                    value.unwrap_or_default().to_owned()
                };
                let data = field("data: ");
                let heard = Heard {
                    kind: field("event: "),
                    id: field("id: "),
                    data: serde_json::from_str(&data).unwrap_or(Value::Null),
                };
                self.text = rest.to_owned();
                // Heartbeats are not events.
                if heard.kind.is_empty() {
                    continue;
                }
                return Some(heard);
            }
            let bytes = tokio::time::timeout(Duration::from_secs(120), self.body.next());
            match bytes.await.expect("nothing was heard for two minutes") {
                Some(bytes) => {
                    let bytes = bytes.expect("a stream");
                    self.text.push_str(std::str::from_utf8(&bytes).expect("text"));
                }
                None => return None,
            }
        }
    }

    /// The next event, which must be of this kind.
    #[track_caller]
    pub fn hears(&mut self, kind: &str) -> impl Future<Output = Heard> {
        let at = std::panic::Location::caller();
        async move {
            let heard = tokio::time::timeout(Duration::from_secs(60), self.next()).await;
            let heard = heard.unwrap_or_else(|_| panic!("no “{kind}” within a minute, at {at}"));
            let heard = heard.unwrap_or_else(|| panic!("the stream ended, at {at}"));
            assert_eq!(heard.kind, kind, "at {at}: {heard:?}");
            heard
        }
    }

    /// Asserts that no event arrives for longer than the portal's polling interval.
    pub async fn hears_nothing(&mut self) {
        let wait = Duration::from_millis(700);
        let heard = tokio::time::timeout(wait, self.next()).await;
        assert!(heard.is_err(), "{heard:?}");
    }

    /// Asserts that the stream ends, after any remaining events.
    pub async fn ends(&mut self) {
        while self.next().await.is_some() {}
    }
}
