//! Branding: the camp's logo, pictures and colors (decision S3). Defaults apply where the camp
//! chose nothing.

pub mod colors;

use std::fmt::Write;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::audit::Actor;
use crate::db::{Db, On, Tx};
use crate::settings::{self, Settings};
use crate::{App, Error, Result, jobs, pictures, videos};

use colors::{Color, Shade};

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
pub const MOST_HERO: usize = 3;
/// The longest sides of stored pictures, in pixels.
const LOGO: u32 = 512;
const LARGE: u32 = 2000;
const SMALL: u32 = 1080;

/// A picture of the camp's own, as pages show it.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct SitePicture {
    pub url: String,
    /// For phones.
    pub small_url: Option<String>,
    pub width: i64,
    pub height: i64,
}

/// The pictures that the camp chose. Empty where the defaults apply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Pictures {
    pub logo: Option<SitePicture>,
    pub hero: Vec<SitePicture>,
}

/// The stored sizes of an uploaded picture.
struct Kept {
    large: Vec<u8>,
    small: Option<Vec<u8>>,
    width: u32,
    height: u32,
}

/// Adds a picture to its slot: a logo replaces the previous one, a picture of the camp is appended.
///
/// # Errors
///
/// [`Error::Invalid`] on `file`, [`Error::Conflict`] for a fourth picture.
pub async fn add(app: &App, actor: Actor, place: PictureSlot, sent: Bytes) -> Result<()> {
    let kept = prepare(place, sent).await?;
    let id = Uuid::now_v7();
    let (file_key, small_key) = match place {
        PictureSlot::Logo => (format!("site/{id}.png"), None),
        PictureSlot::Hero => (format!("site/{id}.jpg"), Some(format!("site/{id}-small.jpg"))),
    };
    let mut tx = app.db.begin().await?;
    let current = settings::locked(&mut tx).await?;
    let (name, value) = match place {
        PictureSlot::Logo => ("logo", json!(id)),
        PictureSlot::Hero if current.hero_pictures.len() >= MOST_HERO => {
            return Err(Error::Conflict(
                "There are three pictures of the camp already. Please remove one first.",
            ));
        }
        PictureSlot::Hero => {
            let ids: Vec<Uuid> = current.hero_pictures.into_iter().chain([id]).collect();
            ("heroPictures", json!(ids))
        }
    };
    tx.sql(
        "insert into site_pictures
           (id, place, file_key, small_key, width, height, created_by, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(id)
    .bind(place)
    .bind(&file_key)
    .bind(small_key.clone())
    .bind(i64::from(kept.width))
    .bind(i64::from(kept.height))
    .bind(actor.staff_id())
    .bind(app.clock.now())
    .execute()
    .await?;
    settings::set(&mut tx, app, actor, [(name.to_owned(), value)].into()).await?;
    // Files first, so that a visible picture always has its file. An unused file does no harm.
    app.files.put(&file_key, kept.large).await?;
    if let (Some(key), Some(small)) = (small_key, kept.small) {
        app.files.put(&key, small).await?;
    }
    tx.commit().await
}

async fn prepare(place: PictureSlot, sent: Bytes) -> Result<Kept> {
    pictures::open(sent, move |picture| {
        Ok(match place {
            PictureSlot::Logo => {
                let fitted = pictures::fit(&picture, LOGO);
                let (width, height) = (fitted.width(), fitted.height());
                Kept { large: pictures::png(&fitted)?, small: None, width, height }
            }
            PictureSlot::Hero => {
                let fitted = pictures::fit(&picture, LARGE);
                let (width, height) = (fitted.width(), fitted.height());
                let small = Some(pictures::jpeg(&picture, SMALL)?);
                Kept { large: pictures::jpeg(&fitted, LARGE)?, small, width, height }
            }
        })
    })
    .await
}

/// Whether all of these pictures are in that slot and not deleted.
pub(crate) async fn are_there(
    on: impl Into<On<'_>>,
    place: PictureSlot,
    ids: &[Uuid],
) -> Result<bool> {
    if ids.is_empty() {
        return Ok(true);
    }
    let there: Vec<(Uuid,)> =
        on.into().sql("select id from site_pictures where place = $1").bind(place).all().await?;
    Ok(ids.iter().all(|id| there.contains(&(*id,))))
}

/// Deletes pictures that are no longer used in that slot. They cannot be restored.
pub(crate) async fn remove_unused(
    tx: &mut Tx,
    app: &App,
    place: PictureSlot,
    standing: &[Uuid],
) -> Result<()> {
    let rows: Vec<(Uuid, String, Option<String>)> = tx
        .sql("select id, file_key, small_key from site_pictures where place = $1")
        .bind(place)
        .all()
        .await?;
    for (id, file_key, thumbnail_key) in rows {
        if !standing.contains(&id) {
            tx.sql("delete from site_pictures where id = $1").bind(id).execute().await?;
            let job = videos::RemoveFiles { file_key: Some(file_key), thumbnail_key };
            jobs::enqueue(tx, app, &job).await?;
        }
    }
    Ok(())
}

/// The pictures that a setting names. The value has been validated.
pub(crate) fn named(value: &Value) -> Vec<Uuid> {
    match value {
        Value::String(id) => id.parse().into_iter().collect(),
        Value::Array(ids) => ids.iter().filter_map(|id| id.as_str()?.parse().ok()).collect(),
        _ => Vec::new(),
    }
}

/// Returns the pictures that pages show now.
pub async fn shown(db: &Db, settings: &Settings) -> Result<Pictures> {
    if settings.logo.is_none() && settings.hero_pictures.is_empty() {
        return Ok(Pictures::default());
    }
    let rows: Vec<(Uuid, i64, i64, Option<String>)> =
        db.sql("select id, width, height, small_key from site_pictures").all().await?;
    let find = |wanted: &Uuid| {
        rows.iter().find(|(id, ..)| id == wanted).map(|(id, width, height, small)| SitePicture {
            url: format!("/media/site/{id}"),
            small_url: small.as_ref().map(|_| format!("/media/site/{id}/small")),
            width: *width,
            height: *height,
        })
    };
    Ok(Pictures {
        logo: settings.logo.as_ref().and_then(find),
        hero: settings.hero_pictures.iter().filter_map(find).collect(),
    })
}

/// Returns the file key of a picture, and its media type.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn key(db: &Db, id: Uuid, small: bool) -> Result<(String, &'static str)> {
    let found: Option<(String, Option<String>)> = db
        .sql("select file_key, small_key from site_pictures where id = $1")
        .bind(id)
        .optional()
        .await?;
    let (large_key, small_key) = found.ok_or(Error::NotFound("There is no such picture."))?;
    let key = if small { small_key.unwrap_or(large_key) } else { large_key };
    let kind = if key.ends_with(".png") { "image/png" } else { "image/jpeg" };
    Ok((key, kind))
}

/// The shades of the colors that the camp chose.
pub fn shades(settings: &Settings) -> Vec<Shade> {
    let main = Color::read(&settings.main_color).map(colors::main);
    let accent = Color::read(&settings.accent_color).map(colors::accent);
    main.into_iter().chain(accent).flatten().collect()
}

/// The style sheet that pages load after their own. `None` if the camp chose no color.
pub fn style_sheet(settings: &Settings) -> Option<String> {
    let shades = shades(settings);
    let mut sheet = String::new();
    if !shades.is_empty() {
        let (mut light, mut dark) = (String::new(), String::new());
        for (name, on_light, on_dark) in &shades {
            write!(light, "--color-{name}:{on_light};").ok()?;
            write!(dark, "--color-{name}:{on_dark};").ok()?;
        }
        write!(
            sheet,
            ":root{{{light}}}\n\
             @media(prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}\n\
             :root[data-theme=dark]{{{dark}}}\n"
        )
        .ok()?;
    }
    if !settings.hero_pictures.is_empty() {
        sheet.push_str(VEIL);
    }
    (!sheet.is_empty()).then_some(sheet)
}

/// The brightness of a photograph is unknown, so its text has an overlay that is dark enough even
/// on white.
const VEIL: &str = "\
.hero[data-tone]{--on-scene-soft:var(--on-scene)}
.hero-art{object-position:50% 50%;scale:none}
.hero:dir(rtl)::after{scale:-1 1}
.hero::after{content:'';position:absolute;z-index:-1;inset-inline:0;inset-block-start:0;block-size:320px;background:rgb(8 22 26/.66)}
@media(width>=47.5rem){.hero::after{block-size:100%;background:linear-gradient(to right,rgb(8 22 26/.68) 42%,rgb(8 22 26/.5) 58%,rgb(8 22 26/.28) 80%)}}
";
