//! Begins an upload. The space for it is checked first, so that nobody sends a file for an hour in
//! vain.

use uuid::Uuid;

use super::{NOT_FOUND, Row, State, Upload, find, folder, received, shown};
use crate::data_folder::free_space;
use crate::db::{On, Tx};
use crate::ids::StaffId;
use crate::settings::Settings;
use crate::{App, Error, Result, file_permissions, text};

/// More than any recording of a camp.
const LARGEST: i64 = 500 << 30;
/// Free bytes that stay for everything else.
const RESERVE: u64 = 1 << 30;
const LONGEST_NAME: usize = 200;
const GIGABYTE: i64 = 1 << 30;

/// A file that staff begin to send.
#[derive(Debug, Clone)]
pub struct NewUpload {
    pub file_name: String,
    pub size_bytes: i64,
}

/// How much space the camp's own videos take, and may take.
#[derive(Debug, Clone, Copy)]
pub struct Space {
    pub used_bytes: i64,
    pub quota_bytes: i64,
}

/// Begins an upload of a member of the staff.
///
/// # Errors
///
/// [`Error::Invalid`] on `file` for a file without bytes or one for which there is no space.
pub async fn create(
    app: &App,
    settings: &Settings,
    staff_id: StaffId,
    new: &NewUpload,
) -> Result<Upload> {
    let row = begin(app, settings, Some(staff_id), new).await?;
    shown(app, vec![row]).await?.pop().ok_or(NOT_FOUND)
}

/// Begins an upload of a member of the staff, or of the command line.
///
/// # Errors
///
/// As for [`create`].
pub(super) async fn begin(
    app: &App,
    settings: &Settings,
    staff_id: Option<StaffId>,
    new: &NewUpload,
) -> Result<Row> {
    let size = new.size_bytes;
    if size <= 0 {
        return refuse("This file is empty. Please choose another one.");
    }
    if size > LARGEST {
        return refuse(format!(
            "This file is too large. A video can be at most {}.",
            shown_size(LARGEST)
        ));
    }
    file_permissions::folder(&folder(app))?;
    let now = app.clock.now();
    let id = Uuid::now_v7();
    let mut tx = app.db.begin().await?;
    // Two files that begin at the same time must not both take the last space.
    tx.lock("uploads").await?;
    check_quota(space(&mut tx, settings).await?, size)?;
    check_disk(app, &mut tx, size).await?;
    tx.sql(
        "insert into uploads
           (id, staff_id, file_name, size_bytes, state, progress, attempts, created_at, updated_at)
         values ($1, $2, $3, $4, 'uploading', 0, 0, $5, $5)",
    )
    .bind(id)
    .bind(staff_id)
    .bind(shown_name(&new.file_name))
    .bind(size)
    .bind(now)
    .execute()
    .await?;
    let row = find(&mut tx, id).await?.ok_or(NOT_FOUND)?;
    tx.commit().await?;
    Ok(row)
}

/// Returns the space that all uploads take: finished videos with all their files, and what is
/// promised to those that are on their way.
pub async fn space(on: impl Into<On<'_>>, settings: &Settings) -> Result<Space> {
    // Nothing is kept of a file that was not a video, nor of a cut that failed.
    let used_bytes = on
        .into()
        .sql(
            "select cast(coalesce(sum(case when state = 'ready' then coalesce(stored_bytes, size_bytes)
                                           else size_bytes end), 0) as bigint)
             from uploads
             where not (state = 'failed' and (attempts = 0 or trim_end_seconds is not null))",
        )
        .scalar()
        .await?;
    Ok(Space { used_bytes, quota_bytes: settings.upload_quota.saturating_mul(GIGABYTE) })
}

fn check_quota(space: Space, size: i64) -> Result<()> {
    let left = space.quota_bytes.saturating_sub(space.used_bytes).max(0);
    match size <= left {
        true => Ok(()),
        false => refuse(format!(
            "There is not enough room for this file. It is {}, and {} of the {} for videos are free. \
             Please delete a video, or ask an owner to raise “Upload quota” in the settings.",
            shown_size(size),
            shown_size(left),
            shown_size(space.quota_bytes),
        )),
    }
}

/// The disk must have space for what is on its way, for this file, for its conversion, and some for
/// everything else.
async fn check_disk(app: &App, tx: &mut Tx, size: i64) -> Result<()> {
    let Some(free) = free_space(&app.config.data_dir, app.files.folder.as_deref()) else {
        return Ok(());
    };
    let arriving: Vec<(Uuid, i64)> = tx
        .sql("select id, size_bytes from uploads where state = $1")
        .bind(State::Uploading)
        .all()
        .await?;
    let mut promised = 0;
    for (id, size) in arriving {
        promised += size - received(app, id).await?;
    }
    let needed = (promised + 2 * size) as u64 + RESERVE;
    match needed <= free {
        true => Ok(()),
        false => refuse(format!(
            "The camp's server does not have enough free space for this file of {}. Please tell \
             the person who runs it.",
            shown_size(size),
        )),
    }
}

fn refuse<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::invalid("file", text))
}

/// The name as people are shown it: without folders and invisible characters.
fn shown_name(sent: &str) -> String {
    let name = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = text::clean(name).chars().filter(|c| !c.is_control()).collect();
    match name.trim().chars().take(LONGEST_NAME).collect::<String>() {
        empty if empty.is_empty() => "video".into(),
        name => name,
    }
}

/// A size for people: `1.4 GB`, `38 MB`.
pub fn shown_size(size: i64) -> String {
    match size {
        ..1_048_576 => format!("{} KB", (size + 1023) >> 10),
        1_048_576..GIGABYTE => format!("{} MB", (size + (1 << 19)) >> 20),
        _ => format!("{:.1} GB", size as f64 / GIGABYTE as f64).replace(".0 ", " "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_as_on_the_computer_of_the_sender() {
        assert_eq!(shown_name("IMG_0042.MOV"), "IMG_0042.MOV");
        assert_eq!(shown_name("C:\\Users\\Feder\\ל״ג בעומר.mp4"), "ל״ג בעומר.mp4");
        assert_eq!(shown_name("../../etc/passwd"), "passwd");
        assert_eq!(shown_name("swim\u{202e}4pm.\u{0}exe\n"), "swim4pm.exe");
        assert_eq!(shown_name("/"), "video");
        assert_eq!(shown_name(&"a".repeat(500)).len(), LONGEST_NAME);
    }

    #[test]
    fn sizes_are_written_for_people() {
        for (size, text) in [
            (1, "1 KB"),
            (38 << 20, "38 MB"),
            (GIGABYTE, "1 GB"),
            (GIGABYTE * 14 / 10, "1.4 GB"),
            (LARGEST, "500 GB"),
        ] {
            assert_eq!(shown_size(size), text);
        }
    }
}
