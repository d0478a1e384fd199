//! Speeds up the first paint on slow connections. The HTML contains the style sheet and the top of the page,
//! until the scripts render the whole page. It preloads what the page will request, and names all scripts, so
//! that those of the page load together with the first one.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use portal::access::{Access, Viewer};
use portal::branding::{Pictures, SitePicture};
use portal::settings::{self, Settings};
use portal::videos::{self, Collection};
use portal::{App, Result};
use serde::Deserialize;
use uuid::Uuid;

use super::meta::escape;
use crate::site::Site;

/// The manifest of the front end's build: its files by source module.
pub type Manifest = HashMap<String, Chunk>;

#[derive(Deserialize)]
pub struct Chunk {
    file: String,
    #[serde(default)]
    imports: Vec<String>,
}

/// The picture of the home page and of the form for signing in.
const NIGHT: &str = "/art/hero-night.svg";

/// The front end's entry script, which the HTML already preloads with all its imports.
const ENTRY: &str = "index.html";

/// The resources that one page needs first.
#[derive(Debug, Default)]
pub struct FirstPaint {
    /// The source module that the router loads for the page (`web/src/app/routes.tsx`).
    module: Option<&'static str>,
    /// API requests, with exactly the URLs that the page uses.
    pub data: Vec<String>,
    picture: Option<String>,
    /// The `srcset` of the picture.
    sizes: Option<String>,
    top: Top,
}

#[derive(Clone, Copy, Debug)]
enum Sheet {
    High,
    Low,
    Text,
}

/// The content below the header before the script has run.
#[derive(Debug, Default)]
enum Top {
    #[default]
    Nothing,
    /// A heading in the page's width, or in the width of text.
    Heading(&'static str, Sheet),
    Hero,
    Player,
    /// The picture above the form for signing in.
    Scene,
}

/// The first paint of the page at `path`. `plain` means that the URL has no query, which could select
/// other data. `picture` is the picture of the video that the page shows.
pub async fn of(
    app: &App,
    settings: &Settings,
    pictures: &Pictures,
    path: &str,
    plain: bool,
    picture: Option<String>,
) -> Result<FirstPaint> {
    let Some(mut first) = page(path) else { return Ok(FirstPaint::default()) };
    let mut ask = |address: String| first.data.push(address);
    match path {
        "/" => {
            ask("/api/videos?collection=home".into());
            ask("/api/videos?collection=current&limit=4".into());
            let own = pictures.hero.first();
            first.picture = Some(own.map_or(NIGHT, |own| &own.url).to_owned());
            first.sizes = own.map(in_sizes);
        }
        "/current-videos" if plain => {
            ask("/api/videos?collection=current&sort=newest&limit=100".into());
            first.picture =
                newest(app, settings, Collection::Current).await?.and_then(|v| v.thumbnail_url);
        }
        "/past-videos" if plain => {
            ask("/api/videos/years".into());
            if let Some(newest) = newest(app, settings, Collection::Archive).await? {
                ask(format!("/api/videos?collection=archive&year={}&limit=100", newest.year));
                first.picture = newest.thumbnail_url;
            }
        }
        "/auth" => first.picture = Some(NIGHT.into()),
        "/faq" => ask("/api/faq?limit=100".into()),
        "/store" => ask("/api/store".into()),
        // The browser does not reuse a preloaded error response, so only for public videos.
        _ if settings.watch_access() == Access::Everyone => {
            if let Some(id) = path.strip_prefix("/video/").and_then(|id| id.parse::<Uuid>().ok()) {
                ask(format!("/api/videos/{id}"));
                first.picture = picture;
            }
        }
        _ => {}
    }
    Ok(first)
}

/// What does not depend on the data.
fn page(path: &str) -> Option<FirstPaint> {
    let page = |module: &'static str, top: Top| FirstPaint {
        module: Some(module),
        data: vec!["/api/session".into()],
        picture: None,
        sizes: None,
        top,
    };
    let first = match path {
        "/" => page("src/app/home.tsx", Top::Hero),
        "/current-videos" => {
            page("src/videos/current-videos.tsx", Top::Heading("This Year Videos", Sheet::High))
        }
        "/past-videos" => page("src/videos/past-videos.tsx", Top::Heading("Gallery", Sheet::High)),
        "/updates" => {
            page("src/updates/updates-page.tsx", Top::Heading("Live Updates", Sheet::High))
        }
        "/faq" => page("src/faq/faq.tsx", Top::Heading("Frequently Asked Questions", Sheet::Text)),
        "/contact" => page("src/messages/contact.tsx", Top::Heading("Contact Us", Sheet::Low)),
        "/store" => page("src/store/store.tsx", Top::Heading("Camp Store", Sheet::Low)),
        "/privacy" => page("src/legal/privacy.tsx", Top::Heading("Privacy Policy", Sheet::Low)),
        "/terms" => page("src/legal/terms.tsx", Top::Heading("Terms of Service", Sheet::Low)),
        "/about" => page("src/about/about.tsx", Top::Nothing),
        "/auth" => page("src/accounts/auth.tsx", Top::Scene),
        "/profile" => page("src/app/profile.tsx", Top::Nothing),
        _ if path.starts_with("/video/") => page("src/app/watch.tsx", Top::Player),
        _ => return None,
    };
    Some(first)
}

/// The same `srcset` as in `web/src/videos/hero.tsx`, so that the browser loads only one picture.
fn in_sizes(SitePicture { url, small_url, width, .. }: &SitePicture) -> String {
    format!("{} 1080w, {url} {width}w", small_url.as_deref().unwrap_or(url))
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

/// The `<link>` elements for the head.
pub fn links(first: &FirstPaint) -> String {
    let mut links = String::new();
    if let Some(picture) = &first.picture {
        let picture = escape(picture);
        let sizes = first.sizes.as_deref().map_or(String::new(), |sizes| {
            format!(" imagesrcset=\"{}\" imagesizes=\"100vw\"", escape(sizes))
        });
        let _ = write!(
            links,
            "<link rel=\"preload\" as=\"image\" href=\"{picture}\"{sizes} fetchpriority=\"high\" referrerpolicy=\"no-referrer\">"
        );
    }
    links.extend(first.data.iter().map(|address| preload(address)));
    links
}

/// The `<link>` elements of the page's scripts, which load together with the first one.
pub fn scripts(first: &FirstPaint, manifest: &Manifest) -> String {
    let mut links = String::new();
    if let Some(module) = first.module {
        let there = with_imports(manifest, ENTRY);
        let mut files: Vec<&str> = with_imports(manifest, module)
            .difference(&there)
            .filter_map(|key| manifest.get(*key))
            .map(|chunk| chunk.file.as_str())
            .collect();
        files.sort_unstable();
        for file in files {
            let _ = write!(links, "<link rel=\"modulepreload\" crossorigin href=\"/{file}\">");
        }
    }
    links
}

/// The `<link>` that requests what the API answers at an address.
pub fn preload(address: &str) -> String {
    format!("<link rel=\"preload\" as=\"fetch\" crossorigin href=\"{}\">", escape(address))
}

/// The top of the page, for the element that the script renders into. It is hidden from screen readers
/// because nothing in it is interactive.
pub fn top(first: &FirstPaint, site: &Site) -> String {
    let picture = first.picture.as_deref().map(escape);
    let sizes = first
        .sizes
        .as_deref()
        .map_or(String::new(), |sizes| format!(" srcset=\"{}\" sizes=\"100vw\"", escape(sizes)));
    let below = match (&first.top, picture) {
        (Top::Heading(heading, sheet), picture) => {
            // On phones and tablets the first card is below the search box and the choices, as wide as in a list of
            // `web/src/videos/video-card.tsx`.
            let card = picture.map_or(String::new(), |picture| {
                format!(
                    "<div class=\"xl:hidden\" style=\"margin-block-start:14.6rem\">\
                     <div class=\"grid grid-cols-[repeat(auto-fill,minmax(min(100%,17.5rem),1fr))] gap-x-6 gap-y-9\">\
                     <img class=\"aspect-video w-full rounded-md object-cover\" src=\"{picture}\" alt=\"\" \
                     referrerpolicy=\"no-referrer\" fetchpriority=\"high\"></div></div>"
                )
            });
            let (outer, inner) = match sheet {
                Sheet::High => ("wrap pt-8", ""),
                Sheet::Low => ("wrap pt-8 md:pt-12", ""),
                Sheet::Text => ("wrap pt-8 md:pt-12", "mx-auto max-w-[48rem]"),
            };
            format!(
                "<div class=\"{outer}\"><div class=\"{inner}\"><h1>{heading}</h1>{card}</div></div>"
            )
        }
        (Top::Hero, Some(picture)) => format!(
            "<div class=\"hero\" data-tone=\"night\">\
             <img class=\"hero-art\" src=\"{picture}\"{sizes} alt=\"\" fetchpriority=\"high\"></div>"
        ),
        // On wide screens a link is above the player.
        (Top::Player, Some(picture)) => format!(
            "<div class=\"xl:hidden aspect-video bg-player\">\
             <img class=\"size-full object-cover\" src=\"{picture}\" alt=\"\" \
             referrerpolicy=\"no-referrer\" fetchpriority=\"high\"></div>"
        ),
        // As in `web/src/ui/small-sheet.tsx`; on wide screens it is beside the form, as high as that is.
        (Top::Scene, Some(picture)) => format!(
            "<div class=\"wrap grid justify-items-center pt-8 md:pt-14 xl:hidden\">\
             <div class=\"sheet w-full max-w-[27.5rem] overflow-hidden shadow-low\">\
             <div class=\"relative min-h-28 bg-player\">\
             <img class=\"absolute inset-0 size-full object-cover object-bottom\" src=\"{picture}\" \
             alt=\"\" fetchpriority=\"high\"></div></div></div>"
        ),
        _ => String::new(),
    };
    // The name may be in two scripts; the header shows the first.
    let name = escape(settings::camp_name(&site.site_name));
    let logo = match &site.pictures.logo {
        Some(SitePicture { url, width, height, .. }) => format!(
            "<img class=\"h-9.5 w-auto\" src=\"{url}\" alt=\"\" width=\"{width}\" height=\"{height}\">"
        ),
        None => "<img class=\"size-9.5\" src=\"/logo.svg\" alt=\"\">".to_owned(),
    };
    format!(
        "<div aria-hidden=\"true\"><div class=\"border-b border-line bg-paper\">\
         <div class=\"wrap flex min-h-16 items-center gap-2.5 font-head\">\
         {logo}{name}</div></div>{below}</div>"
    )
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
