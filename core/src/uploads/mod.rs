//! Video files that staff upload: they arrive in resumable pieces, are checked and wait for their
//! conversion.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::App;

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = UploadState)]
pub enum State {
    /// Its bytes are arriving.
    Uploading,
    /// Complete and checked; its conversion has not begun.
    Waiting,
    Converting,
    Ready,
    Failed,
}

/// Where the bytes of an upload are until it is ready.
pub fn staged(app: &App, id: Uuid) -> PathBuf {
    app.config.data_dir.join("uploads").join(id.to_string())
}
