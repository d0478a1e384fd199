//! Writes mails to a folder instead of sending them.

use std::path::Path;

use super::{Mail, SendError};

/// Writes the mail under a name that sorts by time. A mail that is sent twice has the same
/// Message-ID but two files, like two copies in a mailbox.
pub(super) async fn write(folder: &Path, mail: &Mail, text: &str) -> Result<(), SendError> {
    let stamp = mail.date.format("%Y%m%d-%H%M%S");
    let who: String = mail
        .to
        .email
        .to_string()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || ".-_@".contains(c) { c } else { '_' })
        .collect();
    let name = format!("{stamp}-{who}-{}", uuid::Uuid::now_v7().simple());
    let unfinished = folder.join(format!(".{name}.part"));
    let finished = folder.join(format!("{name}.eml"));
    let written = async {
        tokio::fs::create_dir_all(folder).await?;
        tokio::fs::write(&unfinished, text).await?;
        tokio::fs::rename(&unfinished, &finished).await
    };
    written.await.map_err(|e| SendError::Unreachable(e.to_string()))
}
