//! Long lists in pages. Where the next page begins is told by the last row of this one, so a list
//! neither repeats nor loses anything while rows are added before it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Error, Result};

/// The most rows in one answer.
pub const MOST: i64 = 100;

/// One page, and the cursor of the next if there is one.
#[derive(Debug)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub next: Option<String>,
}

/// Which part of a list is asked for.
#[derive(Debug, Clone, Default)]
pub struct Part {
    pub cursor: Option<String>,
    pub limit: Option<i64>,
}

impl Part {
    /// How many rows to show: 1 to [`MOST`], by default all of these.
    pub fn limit(&self) -> i64 {
        self.limit.unwrap_or(MOST).clamp(1, MOST)
    }

    /// The place that the cursor tells, or nothing at the beginning of the list. `list` names the
    /// order: a cursor of another one is refused like any that the portal did not make.
    pub(crate) fn after<K: DeserializeOwned>(&self, list: &str) -> Result<Option<K>> {
        let Some(cursor) = &self.cursor else { return Ok(None) };
        let read = || {
            let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
            let (of, key): (String, K) = serde_json::from_slice(&bytes).ok()?;
            (of == list).then_some(key)
        };
        match read() {
            Some(key) => Ok(Some(key)),
            None => Err(Error::invalid("cursor", "This list has changed. Please reload the page.")),
        }
    }

    /// Makes the page of up to `limit() + 1` rows; the last one only tells that there are more.
    pub(crate) fn page<T, K: Serialize>(
        &self,
        list: &str,
        mut items: Vec<T>,
        key: impl Fn(&T) -> K,
    ) -> Page<T> {
        let limit = self.limit() as usize;
        let more = items.len() > limit;
        items.truncate(limit);
        let next = items.last().filter(|_| more).map(|last| {
            let place = serde_json::to_vec(&(list, key(last))).unwrap_or_default();
            URL_SAFE_NO_PAD.encode(place)
        });
        Page { items, next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_leads_to_its_own_list_only() {
        let part = Part { cursor: None, limit: Some(2) };
        let page = part.page("newest", vec![9, 8, 7], |n| *n);
        assert_eq!(page.items, [9, 8]);
        let next = Part { cursor: page.next, limit: None };
        assert_eq!(next.after::<i32>("newest").ok(), Some(Some(8)));
        assert!(next.after::<i32>("popular").is_err());
        let forged = Part { cursor: Some("%%%".into()), limit: None };
        assert!(forged.after::<i32>("newest").is_err());
        assert_eq!(Part { cursor: None, limit: Some(-5) }.limit(), 1);
        assert_eq!(Part { cursor: None, limit: Some(5000) }.limit(), MOST);
    }
}
