//! Branding: the camp's logo, pictures and colors (decision S3). Defaults apply where the camp
//! chose nothing.

use std::fmt::Write;

use serde::Serialize;
use uuid::Uuid;

use crate::colors::{self, Color, Shade};
use crate::db::Db;
use crate::settings::Settings;
use crate::{App, Error, Result};

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

/// The default picture of link previews and of mails about videos.
pub(crate) const SOCIAL_PICTURE: &str = "/art/social.jpg";

/// The address of the picture for link previews and mails that have none of their own: the camp's
/// first picture if it is landscape, as link previews are.
pub fn social_picture(app: &App, pictures: &Pictures) -> String {
    let own = pictures.hero.first().filter(|picture| picture.width > picture.height);
    app.url(own.and_then(|own| own.small_url.as_deref()).unwrap_or(SOCIAL_PICTURE))
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
    let (large_key, small_key) = found.ok_or(Error::NotFound("This picture no longer exists."))?;
    let key = if small { small_key.unwrap_or(large_key) } else { large_key };
    let kind = if key.ends_with(".png") { "image/png" } else { "image/jpeg" };
    Ok((key, kind))
}

/// The shades of the colors that the camp chose.
pub(crate) fn shades(settings: &Settings) -> Vec<Shade> {
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
        sheet.push_str(HERO_OVERLAY);
    }
    (!sheet.is_empty()).then_some(sheet)
}

/// The brightness of a photograph is unknown, so its text has an overlay that is dark enough even
/// on white.
const HERO_OVERLAY: &str = "\
.hero[data-tone]{--on-scene-soft:var(--on-scene)}
.hero-art{object-position:50% 50%;scale:none}
.hero:dir(rtl)::after{scale:-1 1}
.hero::after{content:'';position:absolute;z-index:-1;inset-inline:0;inset-block-start:0;block-size:320px;background:rgb(8 22 26/.66)}
@media(width>=47.5rem){.hero::after{block-size:100%;background:linear-gradient(to right,rgb(8 22 26/.68) 42%,rgb(8 22 26/.5) 58%,rgb(8 22 26/.28) 80%)}}
";
