//! Pagination by keyset cursors: the last row of a page defines where the next one begins. New rows
//! before it cause neither duplicates nor gaps.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use serde::Serialize;
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::ids::FamilyId;
use crate::{Error, Result};

/// The maximum number of rows in one response.
pub(crate) const MAX_LIMIT: i64 = 100;

/// A page, and the cursor of the next one if there is one.
#[derive(Debug)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub next: Option<String>,
}

/// The requested part of a list.
#[derive(Debug, Clone, Default)]
pub struct PageRequest {
    pub cursor: Option<String>,
    pub limit: Option<i64>,
}

/// The value in a cursor. Clients can forge cursors, so each value is checked before it reaches a
/// database: PostgreSQL fails on dates and texts that SQLite accepts.
pub(crate) trait CursorKey: DeserializeOwned {
    fn is_plausible(&self) -> bool;
}

impl CursorKey for i64 {
    fn is_plausible(&self) -> bool {
        self.unsigned_abs() < 1 << 53
    }
}

impl CursorKey for NaiveDate {
    fn is_plausible(&self) -> bool {
        (1..=9999).contains(&self.year())
    }
}

impl CursorKey for DateTime<Utc> {
    fn is_plausible(&self) -> bool {
        self.date_naive().is_plausible()
    }
}

impl CursorKey for String {
    fn is_plausible(&self) -> bool {
        self.len() <= 16_384 && !self.contains('\0')
    }
}

impl CursorKey for bool {
    fn is_plausible(&self) -> bool {
        true
    }
}

impl CursorKey for Uuid {
    fn is_plausible(&self) -> bool {
        true
    }
}

impl CursorKey for FamilyId {
    fn is_plausible(&self) -> bool {
        true
    }
}

macro_rules! cursor_of {
    ($($key:ident),+) => {
        impl<$($key: CursorKey),+> CursorKey for ($($key,)+) {
            fn is_plausible(&self) -> bool {
                #[allow(non_snake_case)]
                let ($($key,)+) = self;
                $($key.is_plausible())&&+
            }
        }
    };
}
cursor_of!(A, B);
cursor_of!(A, B, C);
cursor_of!(A, B, C, D);

impl PageRequest {
    /// The number of rows to return: 1 to [`MAX_LIMIT`], which is the default.
    pub fn limit(&self) -> i64 {
        self.limit.unwrap_or(MAX_LIMIT).clamp(1, MAX_LIMIT)
    }

    /// Decodes the position in the cursor, or `None` at the beginning of the list. `list` names the
    /// order. A cursor of another order is refused like an invalid one.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`]
    pub(crate) fn after<K: CursorKey>(&self, list: &str) -> Result<Option<K>> {
        let Some(cursor) = &self.cursor else { return Ok(None) };
        let read = || {
            let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
            let (of, key): (String, K) = serde_json::from_slice(&bytes).ok()?;
            (of == list && key.is_plausible()).then_some(key)
        };
        match read() {
            Some(key) => Ok(Some(key)),
            None => Err(Error::invalid("cursor", "This list has changed. Please reload the page.")),
        }
    }

    /// Builds the page from up to `limit() + 1` rows. The last one only shows that there are more.
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
        let part = PageRequest { cursor: None, limit: Some(2) };
        let page = part.page("newest", vec![9_i64, 8, 7], |n| *n);
        assert_eq!(page.items, [9, 8]);
        let next = PageRequest { cursor: page.next, limit: None };
        assert_eq!(next.after::<i64>("newest").ok(), Some(Some(8)));
        assert!(next.after::<i64>("popular").is_err());
        let forged = PageRequest { cursor: Some("%%%".into()), limit: None };
        assert!(forged.after::<i64>("newest").is_err());
        for (key, wrong) in
            [("\"-9999-01-01\"", true), ("\"+262142-12-31\"", true), ("\"2026-07-01\"", false)]
        {
            let cursor = URL_SAFE_NO_PAD.encode(format!("[\"newest\",{key}]"));
            let part = PageRequest { cursor: Some(cursor), limit: None };
            assert_eq!(part.after::<NaiveDate>("newest").is_err(), wrong, "{key}");
        }
        assert_eq!(PageRequest { cursor: None, limit: Some(-5) }.limit(), 1);
        assert_eq!(PageRequest { cursor: None, limit: Some(5000) }.limit(), MAX_LIMIT);
    }
}
