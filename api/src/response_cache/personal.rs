//! The parts of a response that are the reader's own: which videos are new to a parent, where the
//! parent stopped watching, and what the parent likes.
//!
//! The response itself is made for nobody in particular, with these parts as for somebody who never
//! watched anything, and is the same for all parents who may see the same. Here they are put in.

use std::fmt::Write;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use axum::body::Bytes;
use moka::future::Cache;
use portal::db::content::Version;
use portal::videos::{self, Watched};
use portal::{App, UserId};
use uuid::Uuid;

use super::stored::Stored;

/// The maximum size of what is known of readers, in bytes.
const MAX_BYTES: u64 = 4 << 20;
/// How many responses of a reader are found without comparing all their placeholders.
const MAX_MADE: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    New,
    Position,
    Like,
}

/// Each part, as it appears in a response for somebody who never watched anything. No quotation
/// mark inside a text of JSON is followed by one of these, because it has a backslash before the
/// next one.
const PARTS: [(&str, &str, Part); 3] = [
    ("\"is_new\":", "true", Part::New),
    ("\"resume_seconds\":", "null", Part::Position),
    ("\"liked\":", "false", Part::Like),
];
const ID: &str = "\"id\":\"";

/// A place in a response that depends on the reader.
#[derive(Debug, PartialEq)]
struct Placeholder {
    part: Part,
    video: Uuid,
    at: Range<usize>,
}

/// All such places of a response, in their order.
#[derive(Debug, Default, PartialEq)]
pub struct Placeholders(Vec<Placeholder>);

impl Placeholders {
    pub fn of(bytes: &[u8]) -> Placeholders {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let (mut placeholders, mut video) = (Vec::new(), None);
        for (at, _) in text.match_indices('"') {
            let rest = &text[at..];
            if let Some(id) = rest.strip_prefix(ID).and_then(|rest| rest.get(..36)) {
                video = id.parse().ok();
            }
            let is_here = |(name, value, _): &&(&str, &str, Part)| {
                rest.strip_prefix(name).is_some_and(|rest| rest.starts_with(value))
            };
            if let (Some(video), Some((name, value, part))) = (video, PARTS.iter().find(is_here)) {
                let start = at + name.len();
                placeholders.push(Placeholder {
                    part: *part,
                    video,
                    at: start..start + value.len(),
                });
            }
        }
        Placeholders(placeholders)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is different for this reader, and a short text that is the same for the same differences.
    pub fn changes(&self, of: &Watched) -> (String, Vec<(Range<usize>, String)>) {
        let (mut key, mut changes) = (String::new(), Vec::new());
        for (n, Placeholder { part, video, at }) in self.0.iter().enumerate() {
            let value = match part {
                Part::New => of.begun.contains_key(video).then(|| "false".to_owned()),
                Part::Position => of.begun.get(video).map(i64::to_string),
                Part::Like => of.liked.contains(video).then(|| "true".to_owned()),
            };
            if let Some(value) = value {
                write!(key, "{n}={value},").ok();
                changes.push((at.clone(), value));
            }
        }
        (key, changes)
    }
}

/// The response with these changes.
pub fn changed(bytes: &[u8], changes: &[(Range<usize>, String)]) -> Bytes {
    let mut out = Vec::with_capacity(bytes.len() + 32);
    let mut from = 0;
    for (at, value) in changes {
        out.extend_from_slice(&bytes[from..at.start]);
        out.extend_from_slice(value.as_bytes());
        from = at.end;
    }
    out.extend_from_slice(&bytes[from..]);
    out.into()
}

/// What a reader watched and likes in one version.
pub struct Known {
    version: Version,
    pub watched: Watched,
    /// Responses, and what was made of them for this reader.
    made: Mutex<Vec<(Weak<Stored>, Weak<Stored>)>>,
}

impl Known {
    fn made(&self) -> MutexGuard<'_, Vec<(Weak<Stored>, Weak<Stored>)>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was made of this response for the reader, if it is still kept.
    pub fn made_of(&self, response: &Arc<Stored>) -> Option<Arc<Stored>> {
        let is_this = |of: &Weak<Stored>| std::ptr::eq(of.as_ptr(), Arc::as_ptr(response));
        let made = self.made();
        made.iter().find(|(of, _)| is_this(of)).and_then(|(_, own)| own.upgrade())
    }

    pub fn remember(&self, response: &Arc<Stored>, own: &Arc<Stored>) {
        let mut made = self.made();
        made.retain(|(of, own)| of.strong_count() > 0 && own.strong_count() > 0);
        if made.len() == MAX_MADE {
            made.remove(0);
        }
        made.push((Arc::downgrade(response), Arc::downgrade(own)));
    }
}

/// What readers watched and like, as long as no reader changes that.
pub struct Readers(Cache<UserId, Arc<Known>>);

impl Readers {
    pub fn new() -> Readers {
        let size = |_: &UserId, known: &Arc<Known>| {
            let own = size_of::<Known>() + 2 * MAX_MADE * size_of::<Stored>();
            (own + 48 * (known.watched.begun.len() + known.watched.liked.len())) as u32
        };
        Readers(Cache::builder().max_capacity(MAX_BYTES).weigher(size).build())
    }

    /// `version` must be from before this call.
    pub async fn of(&self, app: &App, id: UserId, version: Version) -> portal::Result<Arc<Known>> {
        if let Some(known) = self.0.get(&id).await.filter(|known| known.version == version) {
            return Ok(known);
        }
        let watched = videos::watched(app, id).await?;
        let known = Arc::new(Known { version, watched, made: Mutex::default() });
        self.0.insert(id, known.clone()).await;
        Ok(known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAKE: &str = "0192f0c1-2345-7abc-8def-0123456789ab";
    const HIKE: &str = "0192f0c1-2345-7abc-8def-0123456789ac";

    #[test]
    fn only_the_parts_of_the_reader_are_changed() {
        let title = r#"a \"is_new\":true and \"id\":\"x"#;
        let text = format!(
            r#"[{{"id":"{LAKE}","title":"{title}","is_new":true}},{{"id":"{HIKE}","title":"is_new","is_new":true}}]"#
        );
        let placeholders = Placeholders::of(text.as_bytes());
        assert_eq!(placeholders.0.len(), 2, "{placeholders:?}");
        let mut watched = Watched::default();
        let (key, changes) = placeholders.changes(&watched);
        assert!(key.is_empty() && changes.is_empty());
        watched.begun.insert(HIKE.parse().expect("an id"), 7);
        let (key, changes) = placeholders.changes(&watched);
        assert_eq!(key, "1=false,");
        let changed = changed(text.as_bytes(), &changes);
        let before: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let after: serde_json::Value = serde_json::from_slice(&changed).expect("JSON");
        assert_eq!((&after[0], &after[1]["is_new"]), (&before[0], &serde_json::json!(false)));
        assert_eq!(after[1]["title"], "is_new");
    }

    #[test]
    fn the_parts_of_a_record_belong_to_it_and_not_to_its_neighbors() {
        let text = format!(
            r#"{{"id":"{LAKE}","is_new":true,"resume_seconds":null,"liked":false,"next":{{"id":"{HIKE}"}}}}"#
        );
        let placeholders = Placeholders::of(text.as_bytes());
        let lake: Uuid = LAKE.parse().expect("an id");
        let mut watched = Watched::default();
        watched.begun.insert(HIKE.parse().expect("an id"), 7);
        assert!(placeholders.changes(&watched).1.is_empty());
        watched.begun.insert(lake, 42);
        watched.liked.insert(lake);
        let changed = changed(text.as_bytes(), &placeholders.changes(&watched).1);
        let after: serde_json::Value = serde_json::from_slice(&changed).expect("JSON");
        let parts = [&after["is_new"], &after["resume_seconds"], &after["liked"]];
        assert_eq!(parts.map(ToString::to_string), ["false", "42", "true"]);
        watched.begun.insert(lake, 0);
        assert_eq!(placeholders.changes(&watched).0, "0=false,1=0,2=true,");
    }
}
