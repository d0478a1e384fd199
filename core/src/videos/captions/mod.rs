//! Captions of videos, one file for each language.

mod text;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::admin::must_exist;
use super::own_file::emit_change;
use super::{NOT_FOUND, Status};
use crate::access::Viewer;
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{On, Tx, with_ids};
use crate::ffmpeg::Cut;
use crate::settings::Settings;
use crate::{App, Error, Result};

/// The maximum size of a file in bytes.
pub const MAX_BYTES: usize = 2 << 20;

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = CaptionLanguage)]
pub enum Language {
    En,
    He,
    Yi,
}

impl Language {
    /// The code, as in the attribute `lang` of HTML.
    pub fn code(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::He => "he",
            Language::Yi => "yi",
        }
    }
}

/// Captions of a video, as staff see them.
#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct AdminCaptions {
    #[serde(skip)]
    video_id: Uuid,
    pub language: Language,
    /// How many texts are shown.
    pub cues: i64,
    pub updated_at: DateTime<Utc>,
}

/// Captions that viewers can turn on.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
pub struct Captions {
    pub language: Language,
    /// WebVTT.
    pub url: String,
}

/// Sets the captions of a video in a language, from a WebVTT or SubRip file.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Invalid`] on `file` with a sentence about what is wrong.
pub async fn set(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    id: Uuid,
    language: Language,
    file: &[u8],
) -> Result<AdminCaptions> {
    let text::Captions { vtt, cues } =
        text::read(file).map_err(|problem| Error::invalid("file", problem))?;
    must_exist(&mut *tx, id).await?;
    let captions = tx
        .sql(
            "insert into video_captions (video_id, language, vtt, cues, updated_at)
             values ($1, $2, $3, $4, $5)
             on conflict (video_id, language) do update
             set vtt = excluded.vtt, cues = excluded.cues, updated_at = excluded.updated_at
             returning video_id, language, cues, updated_at",
        )
        .bind(id)
        .bind(language)
        .bind(vtt)
        .bind(cues)
        .bind(app.clock.now())
        .one()
        .await?;
    changed(tx, app, actor, id, json!({ "language": language, "captions": cues })).await?;
    Ok(captions)
}

/// Removes the captions of a video in a language.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn remove(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    id: Uuid,
    language: Language,
) -> Result<()> {
    let removed = tx
        .sql("delete from video_captions where video_id = $1 and language = $2")
        .bind(id)
        .bind(language)
        .execute()
        .await?;
    if removed == 0 {
        return Err(NOT_FOUND);
    }
    changed(tx, app, actor, id, json!({ "language": language, "captions": 0 })).await
}

async fn changed(tx: &mut Tx, app: &App, actor: Actor, id: Uuid, details: Value) -> Result<()> {
    let subject = Subject::new(SubjectKind::Video, id);
    audit::record(tx, app.clock.now(), actor, Action::VideoCaptions, subject, details).await?;
    emit_change(tx, app, id).await
}

/// Moves the captions of a video along with a cut.
pub(super) async fn cut(tx: &mut Tx, now: DateTime<Utc>, id: Uuid, cut: Cut) -> Result<()> {
    let millis = |seconds: f64| (seconds * 1000.0).round().max(0.0) as u64;
    let stored: Vec<(Language, String)> = tx
        .sql("select language, vtt from video_captions where video_id = $1")
        .bind(id)
        .all()
        .await?;
    for (language, vtt) in stored {
        let text::Captions { vtt, cues } = text::cut(&vtt, millis(cut.start), millis(cut.end));
        let query = match cues {
            0 => tx.sql("delete from video_captions where video_id = $1 and language = $2"),
            _ => tx.sql(
                "update video_captions set vtt = $3, cues = $4, updated_at = $5
                 where video_id = $1 and language = $2",
            ),
        };
        let query = query.bind(id).bind(language);
        let query = if cues == 0 { query } else { query.bind(vtt).bind(cues).bind(now) };
        query.execute().await?;
    }
    Ok(())
}

/// Returns the captions of these videos, sorted by language.
pub(super) async fn of_videos(
    on: impl Into<On<'_>>,
    videos: impl Iterator<Item = Uuid>,
) -> Result<Vec<AdminCaptions>> {
    on.into()
        .either(with_ids(
            ["select video_id, language, cues, updated_at from video_captions where video_id in "],
            "$1",
            " order by language",
        ))
        .bind_ids(videos)
        .all()
        .await
}

impl AdminCaptions {
    pub(super) fn is_of(&self, id: Uuid) -> bool {
        self.video_id == id
    }

    /// As viewers get them. The address changes with the text.
    pub(super) fn shown(&self) -> Captions {
        let AdminCaptions { video_id, language, updated_at, .. } = self;
        let version = updated_at.timestamp_millis();
        let url = format!("/media/videos/{video_id}/captions/{}.vtt?v={version}", language.code());
        Captions { language: *language, url }
    }
}

/// Returns WebVTT. `name` is a file name such as `yi.vtt`.
///
/// # Errors
///
/// As for the files of the video.
pub async fn vtt(
    app: &App,
    settings: &Settings,
    viewer: &Viewer,
    id: Uuid,
    name: &str,
) -> Result<String> {
    let language = name.strip_suffix(".vtt").ok_or(NOT_FOUND)?;
    let row: Option<(Status, String)> = app
        .db
        .sql(
            "select v.status, c.vtt
             from videos v
             join video_captions c on c.video_id = v.id
             where v.id = $1 and c.language = $2",
        )
        .bind(id)
        .bind(language)
        .optional()
        .await?;
    let (status, vtt) = row.ok_or(NOT_FOUND)?;
    if status != Status::Published && viewer.staff_id.is_none() {
        return Err(NOT_FOUND);
    }
    viewer.must_watch(settings.watch_access())?;
    Ok(vtt)
}
