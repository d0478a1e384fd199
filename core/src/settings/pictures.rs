//! The settings whose values are pictures.

use serde_json::Value;
use uuid::Uuid;

/// Where a picture is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, sqlx::Type, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = PicturePlace)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum PictureSlot {
    Logo,
    Hero,
}

/// The maximum number of rotating pictures on the home page.
pub const MAX_HERO: usize = 3;
/// The pictures that a setting names. The value has been validated.
pub(crate) fn named(value: &Value) -> Vec<Uuid> {
    match value {
        Value::String(id) => id.parse().into_iter().collect(),
        Value::Array(ids) => ids.iter().filter_map(|id| id.as_str()?.parse().ok()).collect(),
        _ => Vec::new(),
    }
}
