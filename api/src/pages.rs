//! The static front end, with what other programs read (title, description, social tags) written
//! into the HTML of every route by the server (decision V14).

use std::sync::{Arc, OnceLock};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use portal::access::Viewer;
use portal::look::{self, Pictures};
use portal::settings::Settings;
use portal::updates::{self, LiveUpdate};
use portal::{App, Error, videos};
use rust_embed::{EmbeddedFile, RustEmbed};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::Api;
use crate::error::{Answer, Problem};
use crate::{first_paint, site};

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../web/dist"]
#[allow_missing = true]
struct Web;

/// What a page says of itself before any script runs.
struct Meta {
    title: String,
    description: String,
    /// Absolute.
    picture: String,
    /// The picture that the page itself shows first, as it names it.
    shown: Option<String>,
    kind: &'static str,
    /// Whether search engines may list it.
    listed: bool,
    status: StatusCode,
}

/// Everything that no other route answers: a file of the front end, or a page.
pub async fn serve(State(api): State<Api>, request: Request) -> Answer<Response> {
    let path = request.uri().path().to_owned();
    if path.starts_with("/api/") || path.starts_with("/media/") {
        return Err(Error::NotFound("There is nothing at this address.").into());
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let status = StatusCode::METHOD_NOT_ALLOWED;
        return Err(Problem::new(status, "bad_request", "This address can only be read."));
    }
    let name = path.trim_start_matches('/');
    if name == "manifest.webmanifest" {
        return manifest(&api.app).await;
    }
    if name == STYLE_SHEET {
        return style_sheet(&api.app).await;
    }
    if !name.is_empty() && name != "index.html" && Web::get(name).is_some() {
        return Ok(file(name, request.headers()));
    }
    if name.contains('.') {
        return Err(Error::NotFound("There is no such file.").into());
    }
    page(&api.app, &path, request.uri().query().is_none()).await
}

/// A file of the front end, in the smallest form that the browser takes. Names under `assets/`
/// carry a hash of what is in them, so they are kept for ever.
fn file(name: &str, headers: &HeaderMap) -> Response {
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|v| v.to_str().ok()).unwrap_or("");
    let takes = |coding: &str| {
        accepted.split(',').any(|part| part.trim().split(';').next() == Some(coding))
    };
    let forms = [("br", ".br"), ("gzip", ".gz")];
    let packed = forms.iter().find_map(|(coding, suffix)| {
        let found = takes(coding).then(|| Web::get(&format!("{name}{suffix}"))).flatten();
        found.map(|file| (Some(*coding), file))
    });
    let Some((coding, file)) = packed.or_else(|| Web::get(name).map(|file| (None, file))) else {
        return Problem::from(Error::NotFound("There is no such file.")).into_response();
    };
    let tag = tag(&file);
    if headers.get(header::IF_NONE_MATCH).is_some_and(|seen| seen.as_bytes() == tag.as_bytes()) {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    let mime = mime_guess::from_path(name).first_or_octet_stream().to_string();
    let mut response = Response::new(Body::from(file.data));
    let out = response.headers_mut();
    set(out, header::CONTENT_TYPE, &mime);
    set(out, header::ETAG, &tag);
    set(out, header::VARY, "accept-encoding");
    let keep = match name {
        _ if name.starts_with("assets/") => "public, max-age=31536000, immutable",
        // Stays in the browser for as long as it is switched on there.
        "sw.js" => "no-cache",
        _ => "public, max-age=3600",
    };
    set(out, header::CACHE_CONTROL, keep);
    if let Some(coding) = coding {
        set(out, header::CONTENT_ENCODING, coding);
    }
    response
}

fn tag(file: &EmbeddedFile) -> String {
    let hash: String =
        file.metadata.sha256_hash()[..12].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\"{hash}\"")
}

fn set(headers: &mut HeaderMap, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// What a phone shows when the portal is put on its home screen: the front end's file, in the
/// camp's name.
async fn manifest(app: &App) -> Answer<Response> {
    let file = Web::get("manifest.webmanifest").ok_or(Error::NotFound("There is no such file."))?;
    let settings = app.settings().await?;
    let name = &settings.site_name;
    let mut manifest: Value = serde_json::from_slice(&file.data).unwrap_or_default();
    manifest["name"] = json!(name);
    // A phone has room for one script under an icon.
    manifest["short_name"] = json!(name.split(" · ").next());
    if !settings.site_description.is_empty() {
        manifest["description"] = json!(settings.site_description);
    }
    let mut response = manifest.to_string().into_response();
    let out = response.headers_mut();
    set(out, header::CONTENT_TYPE, "application/manifest+json");
    set(out, header::CACHE_CONTROL, "no-cache");
    Ok(response)
}

/// The camp's own colours, on top of the front end's style sheet.
const STYLE_SHEET: &str = "look.css";

async fn style_sheet(app: &App) -> Answer<Response> {
    let sheet = look::style_sheet(&*app.settings().await?);
    let sheet = sheet.ok_or(Error::NotFound("There is no such file."))?;
    let mut response = sheet.into_response();
    let out = response.headers_mut();
    set(out, header::CONTENT_TYPE, "text/css; charset=utf-8");
    // Its address changes with it.
    set(out, header::CACHE_CONTROL, "public, max-age=31536000, immutable");
    Ok(response)
}

/// The address of the camp's own style sheet, if there is one; another for every content.
pub fn style_sheet_url(app: &App, settings: &Settings) -> Option<String> {
    let sheet = look::style_sheet(settings)?;
    let hash = app.keys.hash("style sheet", &[sheet.as_bytes()]);
    let short: String = hash[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    Some(format!("/{STYLE_SHEET}?v={short}"))
}

/// `plain` when the address has no query.
async fn page(app: &App, path: &str, plain: bool) -> Answer<Response> {
    let Some(template) = Web::get("index.html") else {
        return Err(Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "not_built",
            "The front end is not built yet. Run `npm run build` in web/, or `just demo`.",
        ));
    };
    let settings = app.settings().await?;
    let site = site::describe(app, &settings).await?;
    let meta = meta(app, &settings, path, &social(app, &site.pictures)).await?;
    let boot = json!({ "site": site }).to_string();
    let template = String::from_utf8_lossy(&template.data);
    // `<` in JSON could end the element that it stands in.
    let boot = format!(
        "<script type=\"application/json\" id=\"boot\">{}</script>",
        boot.replace('<', "\\u003c")
    );
    let mut head = head(app, &settings, path, &meta);
    if let Some(url) = &site.style_sheet {
        head.push_str(&format!("<link rel=\"stylesheet\" href=\"{url}\">"));
    }
    let first = match meta.status {
        StatusCode::OK => {
            first_paint::of(app, &settings, &site.pictures, trimmed(path), plain, meta.shown)
                .await?
        }
        _ => Default::default(),
    };
    // Behind the style sheet, which the first paint waits for.
    let links = first_paint::links(&first, &manifest_of_build(), escape) + "</head>";
    let top = first_paint::top(&first, &site, escape);
    let html = template
        .replacen("<!--head-->", &head, 1)
        .replacen("</head>", &links, 1)
        .replacen("<!--top-->", &top, 1)
        .replacen("<!--boot-->", &boot, 1);
    let mut response = (meta.status, html).into_response();
    let out = response.headers_mut();
    set(out, header::CONTENT_TYPE, "text/html; charset=utf-8");
    set(out, header::CACHE_CONTROL, "no-cache");
    set(out, header::CONTENT_SECURITY_POLICY, &policy(app, &settings).await?);
    Ok(response)
}

fn trimmed(path: &str) -> &str {
    if path.len() > 1 { path.trim_end_matches('/') } else { path }
}

/// Which files the front end was built into. Read anew while developing, where they change.
fn manifest_of_build() -> Arc<first_paint::Manifest> {
    static BUILT: OnceLock<Arc<first_paint::Manifest>> = OnceLock::new();
    let read = || {
        let file = Web::get(".vite/manifest.json");
        Arc::new(file.and_then(|file| serde_json::from_slice(&file.data).ok()).unwrap_or_default())
    };
    if cfg!(debug_assertions) { read() } else { BUILT.get_or_init(read).clone() }
}

/// The picture of pages that have none of their own: the camp's first one if it lies flat, as
/// previews of links do.
fn social(app: &App, pictures: &Pictures) -> String {
    let own = pictures.hero.first().filter(|picture| picture.width > picture.height);
    app.url(own.and_then(|own| own.small_url.as_deref()).unwrap_or("/art/social.jpg"))
}

async fn meta(app: &App, settings: &Settings, path: &str, social: &str) -> Answer<Meta> {
    let site = &settings.site_name;
    let said = |text: &str| match text.is_empty() {
        true => settings.site_description.clone(),
        false => text.to_owned(),
    };
    let plain = |title: &str, description: &str, listed: bool, status: StatusCode| Meta {
        title: format!("{title} - {site}"),
        description: said(description),
        picture: social.to_owned(),
        shown: None,
        kind: "website",
        listed,
        status,
    };
    let ok = StatusCode::OK;
    let meta = match trimmed(path) {
        "/" => plain("Home", "", true, ok),
        "/current-videos" => plain(
            "This Year Videos",
            "The videos of this summer at camp, night by night, the newest first.",
            true,
            ok,
        ),
        "/past-videos" => {
            plain("Gallery", "The videos of earlier summers at camp, year by year.", true, ok)
        }
        "/about" => plain(
            "About",
            "Who we are: a boys' camp in the mountains, its story in Yiddish, and what this portal offers parents.",
            true,
            ok,
        ),
        "/store" => plain(
            "Camp Store",
            "Caps, shirts and other things from camp, and how to order them.",
            true,
            ok,
        ),
        "/privacy" => plain(
            "Privacy Policy",
            "What the camp's portal stores about families and children, why, for how long, and what you can ask for.",
            true,
            ok,
        ),
        "/terms" => plain(
            "Terms of Service",
            "The rules for using the camp's portal: accounts, videos of children, comments, payments and the store.",
            true,
            ok,
        ),
        "/updates" => {
            plain("Live Updates", "Short announcements from camp, the newest first.", true, ok)
        }
        "/auth" => plain("Sign In", "Sign in or make an account.", true, ok),
        "/profile" => {
            plain("Profile", "Your family, your payments and your emails from camp.", false, ok)
        }
        "/auth/verify" => plain(
            "Confirm your email",
            "Confirm your email address for the camp's portal.",
            false,
            ok,
        ),
        "/auth/forgot" => plain("Forgot your password?", "", false, ok),
        "/auth/reset" => plain("Choose a new password", "", false, ok),
        "/faq" => plain(
            "FAQ",
            "Frequently asked questions about the videos, notifications, access and privacy.",
            true,
            ok,
        ),
        "/contact" => plain("Contact", "Write to the staff or to the video team.", true, ok),
        "/subscribe/confirm" => plain("Stay Updated", "", false, ok),
        "/unsubscribe" => plain("Unsubscribe", "Stop emails from camp.", false, ok),
        _ if path == "/admin" || path.starts_with("/admin/") => plain("Staff", "", false, ok),
        _ if path.starts_with("/updates/") => {
            match update(app, settings, path.trim_start_matches("/updates/")).await? {
                Some(Some(update)) => plain(&update.title, &update.message, true, ok),
                // Withdrawn, or not for strangers.
                Some(None) => plain("Live Update", "", false, ok),
                None => plain("Update not found", "", false, StatusCode::NOT_FOUND),
            }
        }
        _ => {
            let id = path.strip_prefix("/video/").and_then(|id| id.parse::<Uuid>().ok());
            let found = match id {
                Some(id) => videos::preview(app, settings, id).await?,
                None => None,
            };
            match found {
                Some(video) => Meta {
                    title: format!("{} - {site}", video.title),
                    description: said(video.description.as_deref().unwrap_or("")),
                    shown: video.picture.clone(),
                    picture: match video.picture {
                        Some(picture) if picture.starts_with('/') => app.url(&picture),
                        Some(picture) => picture,
                        None => social.to_owned(),
                    },
                    kind: "video.other",
                    listed: true,
                    status: ok,
                },
                None if path.starts_with("/video/") => {
                    plain("Video not found", "", false, StatusCode::NOT_FOUND)
                }
                None => plain("Page not found", "", false, StatusCode::NOT_FOUND),
            }
        }
    };
    Ok(meta)
}

/// The update with this id as far as a stranger may read it; nothing when there never was one.
async fn update(app: &App, settings: &Settings, id: &str) -> Answer<Option<Option<LiveUpdate>>> {
    let Ok(id) = id.parse::<Uuid>() else { return Ok(None) };
    match updates::find(app, settings, &Viewer::default(), id).await {
        Ok(page) => Ok(Some((!page.withdrawn).then_some(page.update))),
        Err(Error::NotFound(_)) => Ok(None),
        Err(Error::SignInRequired) => Ok(Some(None)),
        Err(error) => Err(error.into()),
    }
}

fn head(app: &App, settings: &Settings, path: &str, meta: &Meta) -> String {
    let title = escape(&meta.title);
    let description = escape(&meta.description);
    let url = escape(&app.url(path));
    let picture = escape(&meta.picture);
    let site = escape(&settings.site_name);
    let kind = meta.kind;
    let robots = match meta.listed {
        true => "",
        false => "<meta name=\"robots\" content=\"noindex\">",
    };
    format!(
        "<title>{title}</title>\
         <meta name=\"description\" content=\"{description}\">\
         <link rel=\"canonical\" href=\"{url}\">\
         <link rel=\"alternate\" type=\"application/atom+xml\" title=\"{site}\" href=\"/feed.xml\">\
         <meta property=\"og:type\" content=\"{kind}\">\
         <meta property=\"og:site_name\" content=\"{site}\">\
         <meta property=\"og:title\" content=\"{title}\">\
         <meta property=\"og:description\" content=\"{description}\">\
         <meta property=\"og:url\" content=\"{url}\">\
         <meta property=\"og:image\" content=\"{picture}\">\
         <meta name=\"twitter:card\" content=\"summary_large_image\">\
         <meta name=\"twitter:title\" content=\"{title}\">\
         <meta name=\"twitter:description\" content=\"{description}\">\
         <meta name=\"twitter:image\" content=\"{picture}\">{robots}"
    )
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// What a page may load (safety 19). Media from elsewhere only while there are such videos.
async fn policy(app: &App, settings: &Settings) -> Answer<String> {
    let elsewhere = match videos::media_elsewhere(app).await? {
        true if app.config.https() => " https:",
        true => " https: http://127.0.0.1:* http://localhost:*",
        false => "",
    };
    let frames = frames(settings);
    Ok(format!(
        "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
         img-src 'self' data: https://i.ytimg.com https://drive.google.com https://*.googleusercontent.com; \
         media-src 'self' blob:{elsewhere}; font-src 'self'; connect-src 'self'; \
         frame-src {frames}; \
         object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ))
}

/// Whose pages may stand inside ours.
fn frames(settings: &Settings) -> String {
    let mut frames = "https://www.youtube-nocookie.com https://drive.google.com".to_owned();
    if let Some(shop) = settings.shop_origin() {
        frames.push(' ');
        frames.push_str(&shop);
    }
    frames
}

#[cfg(test)]
mod tests {
    use portal::settings::Settings;

    #[test]
    fn the_shop_may_be_framed_once_its_address_is_set() {
        let mut settings = Settings::default();
        assert!(super::frames(&settings).ends_with("drive.google.com"));
        settings.shop_url = "https://shop.example:8443/camp?x=;script-src *".into();
        assert!(super::frames(&settings).ends_with("drive.google.com https://shop.example:8443"));
    }

    #[test]
    fn a_title_cannot_break_out_of_its_tag() {
        assert_eq!(super::escape("\"><script>'&"), "&quot;&gt;&lt;script&gt;&#39;&amp;");
    }
}
