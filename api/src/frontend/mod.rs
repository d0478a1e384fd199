//! Serves the static front end. The server writes title, description and social tags into the HTML of
//! every page (decision V14).

pub mod first_answers;
mod first_view;
mod meta;
mod shells;
mod unavailable;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use portal::branding;
use portal::settings::Settings;
use portal::{App, Error};
use rust_embed::{EmbeddedFile, RustEmbed};
use serde_json::{Value, json};

use self::first_answers::{FirstAnswers, WithoutAnswers};
use crate::Api;
use crate::content_security_policy;
use crate::error::{Answer, Problem};
use crate::negotiation::{accepted, is_known};
use crate::response_cache::may_have_a_session;
use crate::site;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../web/dist"]
#[allow_missing = true]
struct Web;

/// The fallback route: a file of the front end, or a page.
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
    // Scripts and pictures of an earlier build, for example. Somebody who follows a link gets a page.
    if name.contains('.') && !wants_page(request.headers()) {
        return Err(Error::NotFound("There is no such file.").into());
    }
    let may_have_a_session = may_have_a_session(request.headers());
    let plain = request.uri().query().is_none();
    let mut response = match page(&api.app, &path, plain, may_have_a_session).await {
        Err(problem) if problem.is_busy() && wants_page(request.headers()) => {
            return Ok(unavailable::page(problem));
        }
        other => other?,
    };
    let is_without = request.extensions().get::<WithoutAnswers>().is_some();
    if is_without || may_have_a_session {
        response.extensions_mut().remove::<FirstAnswers>();
    }
    Ok(response)
}

/// Whether the address was opened in a browser. What a page loads for itself does not ask for HTML.
fn wants_page(headers: &HeaderMap) -> bool {
    accepted(headers, header::ACCEPT).any(|kind| kind == "text/html")
}

/// A file of the front end, in the smallest encoding that the browser accepts. Names under `assets/`
/// contain a hash of the content, so browsers cache them forever.
fn file(name: &str, headers: &HeaderMap) -> Response {
    let takes = |coding: &str| accepted(headers, header::ACCEPT_ENCODING).any(|one| one == coding);
    let Some(plain) = Web::get(name) else {
        return Problem::from(Error::NotFound("There is no such file.")).into_response();
    };
    let tag = tag(&plain);
    let packed = [Coding::Brotli, Coding::Gzip].into_iter().find_map(|coding| {
        let found = takes(coding.name()).then(|| packed(name, coding)).flatten();
        found.map(|bytes| (coding, bytes))
    });
    let (coding, bytes) = match packed {
        Some((coding, bytes)) => (Some(coding.name()), bytes),
        None => (None, bytes(plain)),
    };
    if is_known(headers, &tag) {
        return StatusCode::NOT_MODIFIED.into_response();
    }
    let mime = mime_guess::from_path(name).first_or_octet_stream().to_string();
    let mut response = Response::new(Body::from(bytes));
    let out = response.headers_mut();
    set(out, header::CONTENT_TYPE, &mime);
    set(out, header::ETAG, &tag);
    set(out, header::VARY, "accept-encoding");
    let keep = match name {
        _ if name.starts_with("assets/") => "public, max-age=31536000, immutable",
        // Revalidated each time, because a browser keeps a service worker until it gets a new one.
        "sw.js" => "no-cache",
        _ => "public, max-age=3600",
    };
    set(out, header::CACHE_CONTROL, keep);
    if let Some(coding) = coding {
        set(out, header::CONTENT_ENCODING, coding);
    }
    response
}

/// An encoding in which the build stores files.
#[derive(Clone, Copy)]
pub enum Coding {
    Gzip,
    Brotli,
}

impl Coding {
    /// As in `Content-Encoding`.
    pub fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Brotli => "br",
        }
    }
}

/// A file in this encoding. `None` if the build has not made it, as for fonts, which are compressed
/// already, and for files that are too small.
pub fn packed(name: &str, coding: Coding) -> Option<Bytes> {
    let suffix = match coding {
        Coding::Gzip => "gz",
        Coding::Brotli => "br",
    };
    Web::get(&format!("{name}.{suffix}")).map(bytes)
}

/// The bytes of a file, without copying what is part of the program.
fn bytes(file: EmbeddedFile) -> Bytes {
    match file.data {
        Cow::Borrowed(data) => Bytes::from_static(data),
        Cow::Owned(data) => data.into(),
    }
}

/// The ETag of a file. It is weak, because all encodings of the file share it.
fn tag(file: &EmbeddedFile) -> String {
    let hash: String =
        file.metadata.sha256_hash()[..12].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("W/\"{hash}\"")
}

fn set(headers: &mut HeaderMap, name: header::HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// The web app manifest, with the camp's name.
async fn manifest(app: &App) -> Answer<Response> {
    let file = Web::get("manifest.webmanifest").ok_or(Error::NotFound("There is no such file."))?;
    let settings = app.settings().await?;
    let name = settings.camp_name();
    let mut manifest: Value = serde_json::from_slice(&file.data).unwrap_or_default();
    manifest["name"] = json!(name);
    manifest["short_name"] = json!(name);
    if !settings.site_description.is_empty() {
        manifest["description"] = json!(settings.site_description);
    }
    let mut response = manifest.to_string().into_response();
    let out = response.headers_mut();
    set(out, header::CONTENT_TYPE, "application/manifest+json");
    set(out, header::CACHE_CONTROL, "no-cache");
    Ok(response)
}

/// The style sheet with the camp's own colors, which overrides the front end's.
const STYLE_SHEET: &str = "look.css";

async fn style_sheet(app: &App) -> Answer<Response> {
    let sheet = branding::style_sheet(&*app.settings().await?);
    let sheet = sheet.ok_or(Error::NotFound("There is no such file."))?;
    let mut response = sheet.into_response();
    let out = response.headers_mut();
    set(out, header::CONTENT_TYPE, "text/css; charset=utf-8");
    // The URL changes with the content.
    set(out, header::CACHE_CONTROL, "public, max-age=31536000, immutable");
    Ok(response)
}

/// The URL of the camp's own style sheet, if there is one. It contains a hash of the content.
pub fn style_sheet_url(app: &App, settings: &Settings) -> Option<String> {
    let sheet = branding::style_sheet(settings)?;
    let hash = app.keys.hash("style sheet", &[sheet.as_bytes()]);
    let short: String = hash[..6].iter().map(|byte| format!("{byte:02x}")).collect();
    Some(format!("/{STYLE_SHEET}?v={short}"))
}

/// `plain` means that the URL has no query. Only pages of the staff area depend on whether there is a session.
async fn page(app: &App, path: &str, plain: bool, may_have_a_session: bool) -> Answer<Response> {
    let Some(template) = Web::get("index.html") else {
        return Err(Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "not_built",
            "The front end is not built yet. Run `npm run build` in web/, or `just demo`.",
        ));
    };
    let settings = app.settings().await?;
    let site = site::describe(app, &settings).await?;
    let shells = shells::of_build();
    let staff_title = first_view::is_of_staff(path)
        .then(|| shells.title_for_staff(trimmed(path), may_have_a_session));
    let meta = meta::of(app, &settings, &site.pictures, path, staff_title).await?;
    let mut head = meta::tags(app, &settings, path, &meta);
    if let Some(url) = &site.style_sheet {
        head.push_str(&format!("<link rel=\"stylesheet\" href=\"{url}\">"));
    }
    let path = trimmed(path);
    let first = match meta.status {
        StatusCode::OK if !first_view::is_of_staff(path) => {
            first_view::of(app, &settings, &site.pictures, path, plain, meta.shown).await?
        }
        StatusCode::OK if may_have_a_session => first_view::of_staff(path, plain),
        _ => Default::default(),
    };
    let picture = first.picture.as_ref();
    let shell = shells.find(path);
    let mut modules = shell.map(|shell| shells.modules(shell, path)).unwrap_or_default();
    if first_view::is_of_staff(path) && !may_have_a_session {
        // The page leads to the page for signing in.
        modules.extend(shell.into_iter().flat_map(|shell| shells.modules(shell, "/admin/login")));
    }
    let manifest = manifest_of_build();
    let scripts = first_view::scripts(&modules, &manifest, first_view::is_of_staff(path));
    let template = String::from_utf8_lossy(&template.data).into_owned();
    let staff_top = may_have_a_session.then(|| shells.fill_for_staff(path, &site)).flatten();
    let html = match first_view::is_of_staff(path) {
        true => for_staff(&template, &shells, &manifest, staff_top.is_some()),
        false => template,
    };
    let top = staff_top.or_else(|| Some(shells.fill(shell?, &site, picture))).unwrap_or_default();
    let boot = json!({ "site": site, "picture": picture.map(|picture| &picture.url) });
    let links: String = first.data.iter().map(|address| first_view::preload(address)).collect();
    let html = html
        .replacen("<!--head-->", &head, 1)
        .replacen("</head>", &(links + "</head>"), 1)
        .replacen("<!--contact-->", &contact(&settings), 1)
        .replacen("<!--top-->", &top, 1)
        .replacen("<!--boot-->", &json_element("boot", &boot), 1)
        .replacen("<!--scripts-->", &scripts, 1);
    let policy = content_security_policy::of_page(app, &settings, path).await?;
    let mut response = (meta.status, html).into_response();
    // Who is signed in may change while a page stays in the browser's cache.
    let answers = first.data.into_iter().filter(|address| address != "/api/session").collect();
    response.extensions_mut().insert(FirstAnswers(answers));
    let out = response.headers_mut();
    set(out, header::CONTENT_TYPE, "text/html; charset=utf-8");
    set(out, header::CACHE_CONTROL, "no-cache");
    set(out, header::CONTENT_SECURITY_POLICY, &policy);
    Ok(response)
}

/// The template of a page in the staff area: with the style sheets that it needs.
fn for_staff(
    template: &str,
    shells: &shells::Shells,
    manifest: &first_view::Manifest,
    shell: bool,
) -> String {
    let html = first_view::without_public_sheets(template, manifest);
    if shell { shells.with_staff_style(&html) } else { html }
}

/// Data for the scripts, in an element of the HTML.
fn json_element(id: &str, data: &Value) -> String {
    // `<` in JSON could end the element that contains it.
    let data = data.to_string().replace('<', "\\u003c");
    format!("<script type=\"application/json\" id=\"{id}\">{data}</script>")
}

/// How to reach the camp, for browsers without scripts.
fn contact(settings: &Settings) -> String {
    let email = meta::escape(&settings.contact_email);
    let link = format!("<a class=\"link\" href=\"mailto:{email}\">{email}</a>");
    match meta::escape(&settings.contact_phone) {
        phone if phone.is_empty() => link,
        phone => format!("{link} or <bdi dir=\"ltr\">{phone}</bdi>"),
    }
}

fn trimmed(path: &str) -> &str {
    if path.len() > 1 { path.trim_end_matches('/') } else { path }
}

/// The manifest of the front end's build. Read again in development, where it changes.
fn manifest_of_build() -> Arc<first_view::Manifest> {
    static BUILT: OnceLock<Arc<first_view::Manifest>> = OnceLock::new();
    let read = || {
        let file = Web::get(".vite/manifest.json");
        Arc::new(file.and_then(|file| serde_json::from_slice(&file.data).ok()).unwrap_or_default())
    };
    if cfg!(debug_assertions) { read() } else { BUILT.get_or_init(read).clone() }
}
