//! Rows that SQLite returns as one text. sqlx hands rows from thread to thread one by one, with a copy of each
//! value, which costs several times as much as reading them.

use serde::de::DeserializeOwned;

use super::query::{POSTGRES_IDS, Query, Row, Rows, SQLITE_IDS, Sql, Texts};
use crate::{Error, Result};

/// A statement for [`Query::unpacked`], with the same columns for each engine: for SQLite as values of JSON, ids
/// by `hex`. `rest` begins with `from`. The rows come in any order.
pub(crate) fn packed(sqlite: &'static str, postgres: &'static str, rest: &'static str) -> Texts {
    Texts {
        sqlite: Sql::from([PACK, sqlite, ") as packed ", rest, ")"]),
        postgres: Sql::from(["select ", postgres, " ", rest]),
    }
}

/// The same for ids, which [`Query::bind_ids`] binds as `$1`. `rest` ends with `in `.
pub(crate) fn packed_by_id(
    sqlite: &'static str,
    postgres: &'static str,
    rest: &'static str,
) -> Texts {
    Texts {
        sqlite: Sql::from([PACK, sqlite, ") as packed ", rest, SQLITE_IDS, "$1)))"]),
        postgres: Sql::from(["select ", postgres, " ", rest, POSTGRES_IDS, "$1 as jsonb)))"]),
    }
}

const PACK: &str =
    "select '[' || coalesce(group_concat(packed, ','), '') || ']' from (select json_array(";

impl Query<'_> {
    /// Returns the rows of [`packed`], each with its columns in their order.
    pub(crate) async fn unpacked<T: Row + DeserializeOwned>(self) -> Result<Vec<T>> {
        match self.rows().await? {
            rows @ Rows::Sqlite(_) => {
                let (text,) = rows.read::<(String,)>()?.pop().unwrap_or_default();
                serde_json::from_str(&text).map_err(Error::unforeseen)
            }
            rows @ Rows::Postgres(_) => rows.read(),
        }
    }
}
