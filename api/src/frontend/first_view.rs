//! Speeds up the first view on slow connections. Names what a page requests first, the picture that it shows first,
//! and its scripts, so that those of the page load together with the first one.

use std::collections::{HashMap, HashSet};

use portal::access::{Access, Viewer};
use portal::branding::Pictures;
use portal::settings::Settings;
use portal::videos::{self, Collection};
use portal::{App, Result};
use serde::Deserialize;
use uuid::Uuid;

use super::meta::escape;
use super::shells::FirstPicture;

/// The manifest of the front end's build: its files by source module.
pub type Manifest = HashMap<String, Chunk>;

#[derive(Deserialize)]
pub struct Chunk {
    file: String,
    #[serde(default)]
    imports: Vec<String>,
    #[serde(default)]
    css: Vec<String>,
}

/// The front end's entry script, which the HTML already names with all its imports.
const ENTRY: &str = "index.html";

/// How many videos the pages ask for first (`web/src/videos/queries.ts`).
const FIRST_VIDEOS: usize = 24;

/// What one page needs first.
#[derive(Debug, Default)]
pub struct FirstView {
    /// API requests, with exactly the URLs that the page uses.
    pub data: Vec<String>,
    pub picture: Option<FirstPicture>,
}

/// The first view of the page at `path`. `plain` means that the URL has no query, which could select
/// other data. `picture` is the picture of the video that the page shows.
pub async fn of(
    app: &App,
    settings: &Settings,
    pictures: &Pictures,
    path: &str,
    plain: bool,
    picture: Option<String>,
) -> Result<FirstView> {
    let mut first = FirstView::default();
    let mut ask = |address: String| first.data.push(address);
    let alone = |url: String| FirstPicture { url, small: None };
    ask("/api/session".into());
    match path {
        "/" => {
            ask("/api/videos?collection=home".into());
            ask("/api/videos?limit=4".into());
            first.picture = pictures.hero.first().map(FirstPicture::from);
        }
        "/current-videos" if plain => {
            ask(format!("/api/videos?collection=current&sort=newest&limit={FIRST_VIDEOS}"));
            let newest = newest(app, settings, Collection::Current).await?;
            first.picture = newest.and_then(|newest| newest.thumbnail_url).map(alone);
        }
        "/past-videos" if plain => {
            ask("/api/videos/years".into());
            if let Some(newest) = newest(app, settings, Collection::Archive).await? {
                let year = newest.year;
                ask(format!("/api/videos?collection=archive&year={year}&limit={FIRST_VIDEOS}"));
                first.picture = newest.thumbnail_url.map(alone);
            }
        }
        "/faq" => ask("/api/faq?limit=100".into()),
        "/store" => ask("/api/store".into()),
        // The browser does not reuse a preloaded error response, so only for public videos.
        _ if settings.watch_access() == Access::Everyone => {
            if let Some(id) = path.strip_prefix("/video/").and_then(|id| id.parse::<Uuid>().ok()) {
                ask(format!("/api/videos/{id}"));
                first.picture = picture.map(alone);
            }
        }
        _ => {}
    }
    Ok(first)
}

/// Whether a page is in the staff area.
pub fn is_of_staff(path: &str) -> bool {
    path == "/admin" || path.starts_with("/admin/")
}

/// What the pages of the staff area ask for first besides [`FOR_ALL_STAFF`], with the limits of their scripts.
const FOR_STAFF: [(&str, &[&str]); 14] = [
    ("/admin/reports", &["/api/admin/videos/counts", "/api/admin/videos?limit=25"]),
    ("/admin/gallery", &["/api/admin/videos/years"]),
    (
        "/admin/comments",
        &["/api/admin/comments/counts", "/api/admin/comments?filter=to_review&limit=100"],
    ),
    (
        "/admin/users",
        &["/api/admin/users/summary", "/api/admin/users?sort=joined&direction=desc&limit=50"],
    ),
    ("/admin/payments", &["/api/admin/payments/totals", "/api/admin/payments?limit=50"]),
    ("/admin/live-updates", &["/api/admin/live-updates?limit=25"]),
    ("/admin/messages", &["/api/admin/messages/counts", "/api/admin/messages?limit=30"]),
    ("/admin/mail", &["/api/admin/mail/failed?limit=50"]),
    ("/admin/faq", &["/api/admin/faq/stats", "/api/admin/faq?limit=100"]),
    ("/admin/store", &["/api/admin/products/stats", "/api/admin/products?limit=24"]),
    ("/admin/analytics", &["/api/admin/analytics?period=30"]),
    ("/admin/admin-management", &["/api/admin/accounts?limit=50"]),
    ("/admin/settings", &["/api/admin/settings"]),
    ("/admin/audit", &["/api/admin/audit/filters", "/api/admin/audit?limit=50"]),
];

/// Who is signed in, and the figures of the dashboard, which all pages show in their menu.
const FOR_ALL_STAFF: [&str; 2] = ["/api/admin/session", "/api/admin/dashboard"];

/// The first view of a page of the staff area, for somebody who may be signed in there. `plain` is as in [`of`].
pub fn of_staff(path: &str, plain: bool) -> FirstView {
    let page = FOR_STAFF.iter().find(|(page, _)| plain && *page == path);
    let of_page = page.map_or(&[][..], |(_, addresses)| addresses);
    let data = FOR_ALL_STAFF.iter().chain(of_page).map(|address| (*address).into()).collect();
    FirstView { data, picture: None }
}

async fn newest(
    app: &App,
    settings: &Settings,
    collection: Collection,
) -> Result<Option<videos::VideoCard>> {
    let filter = videos::Filter {
        collection: Some(collection),
        part: portal::pagination::PageRequest { limit: Some(1), cursor: None },
        ..Default::default()
    };
    Ok(videos::list(app, settings, &Viewer::default(), &filter).await?.items.into_iter().next())
}

/// The `<link>` elements of the scripts and style sheets of these modules, which load together with the first one.
/// `applied` style sheets take effect at once; the others when the script that needs them runs.
pub fn scripts(modules: &[&str], manifest: &Manifest, applied: bool) -> String {
    let there = with_imports(manifest, ENTRY);
    let needed: HashSet<&str> =
        modules.iter().flat_map(|module| with_imports(manifest, module)).collect();
    let chunks: Vec<&Chunk> =
        needed.difference(&there).filter_map(|key| manifest.get(*key)).collect();
    let mut links: Vec<String> = chunks
        .iter()
        .map(|chunk| format!("<link rel=\"modulepreload\" crossorigin href=\"/{}\">", chunk.file))
        .collect();
    links.extend(chunks.iter().flat_map(|chunk| &chunk.css).map(|file| {
        if applied {
            return style_sheet(file);
        }
        format!("<link rel=\"preload\" as=\"style\" crossorigin href=\"/{file}\">")
    }));
    links.sort_unstable();
    links.dedup();
    links.concat()
}

/// The page without the style sheets of public pages. The style sheet of the staff area includes
/// all of theirs and is loaded alone, since with both the page would look different until the
/// second one is loaded.
pub fn without_public_sheets(html: &str, manifest: &Manifest) -> String {
    let sheets = manifest.get(ENTRY).map(|entry| entry.css.as_slice()).unwrap_or_default();
    sheets.iter().fold(html.to_owned(), |html, file| html.replacen(&style_sheet(file), "", 1))
}

fn style_sheet(file: &str) -> String {
    format!("<link rel=\"stylesheet\" crossorigin href=\"/{file}\">")
}

/// The `<link>` that requests what the API answers at an address.
pub fn preload(address: &str) -> String {
    format!("<link rel=\"preload\" as=\"fetch\" crossorigin href=\"{}\">", escape(address))
}

fn with_imports<'a>(manifest: &'a Manifest, key: &'a str) -> HashSet<&'a str> {
    let mut seen = HashSet::new();
    let mut next = vec![key];
    while let Some(key) = next.pop() {
        let Some(chunk) = manifest.get(key) else { continue };
        if seen.insert(key) {
            next.extend(chunk.imports.iter().map(String::as_str));
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_html_names_what_a_page_needs_and_the_first_script_does_not() {
        let manifest: Manifest = serde_json::from_str(
            r#"{
                "index.html": { "file": "index.js", "imports": ["_shared.js"], "css": ["index.css"] },
                "_shared.js": { "file": "shared.js" },
                "admin.tsx": { "file": "admin.js", "imports": ["_shared.js", "_form.js"], "css": ["admin.css"] },
                "users.tsx": { "file": "users.js", "imports": ["_form.js"] },
                "_form.js": { "file": "form.js" }
            }"#,
        )
        .expect("a manifest");
        let modules = ["admin.tsx", "users.tsx", "unknown.tsx"];
        let links = scripts(&modules, &manifest, false);
        let addresses: Vec<&str> = links.split('"').filter(|part| part.starts_with('/')).collect();
        assert_eq!(addresses, ["/admin.js", "/form.js", "/users.js", "/admin.css"]);
        assert!(links.contains("rel=\"preload\" as=\"style\""), "{links}");
        assert_eq!(scripts(&[], &manifest, false), "");

        let links = scripts(&modules, &manifest, true);
        assert!(
            links.ends_with("<link rel=\"stylesheet\" crossorigin href=\"/admin.css\">"),
            "{links}"
        );
        let public = "<i></i><link rel=\"stylesheet\" crossorigin href=\"/index.css\">";
        assert_eq!(without_public_sheets(public, &manifest), "<i></i>");
    }
}
