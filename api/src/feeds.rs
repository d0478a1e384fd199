//! Output for other programs: the feed of videos and updates, sitemap and robots.txt. Such programs
//! send no cookie, so they see what strangers see, and nothing if access is restricted.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use portal::access::{Access, Viewer};
use portal::pagination::PageRequest;
use portal::settings::Settings;
use portal::videos::{self, Filter};
use portal::{App, event_feed, updates};
use tokio::sync::Mutex;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::Api;
use crate::error::Answer;
use crate::negotiation::is_known;

/// The maximum number of entries of each kind.
const ENTRIES: i64 = 30;
/// The maximum number of entries of one sitemap.
const PAGES: i64 = 50_000;
/// How long a sitemap is cached if nothing changes, because updates expire without an event.
const MAX_AGE: TimeDelta = TimeDelta::minutes(1);

/// Pages that everybody may see, whatever the access setting.
const OPEN: &[&str] = &[
    "/",
    "/current-videos",
    "/past-videos",
    "/about",
    "/faq",
    "/contact",
    "/store",
    "/privacy",
    "/terms",
];

pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(feed)).routes(routes!(sitemap)).routes(routes!(robots))
}

/// One entry of the feed.
struct Entry {
    id: Uuid,
    title: String,
    text: String,
    author: Option<String>,
    at: DateTime<Utc>,
    /// Path of its page.
    page: String,
}

/// The newest videos and updates as an Atom feed, empty unless everybody may watch
#[utoipa::path(get, path = "/feed.xml", tag = "feeds", security(()),
    responses((status = 200, content_type = "application/atom+xml", body = String), (status = 304)))]
async fn feed(State(app): State<App>, headers: HeaderMap) -> Answer<Response> {
    let settings = app.settings().await?;
    let feed = atom(&app, &settings, &entries(&app, &settings).await?);
    Ok(Document::new(&app, feed).answer(&headers, "application/atom+xml; charset=utf-8"))
}

async fn entries(app: &App, settings: &Settings) -> Answer<Vec<Entry>> {
    let stranger = Viewer::default();
    if !stranger.may_watch(settings.watch_access()) {
        return Ok(Vec::new());
    }
    let part = PageRequest { cursor: None, limit: Some(ENTRIES) };
    let videos =
        videos::list(app, settings, &stranger, &Filter { part, ..Filter::default() }).await?;
    let videos = videos.items.into_iter().map(|video| Entry {
        id: video.id,
        title: video.title,
        text: video.description.unwrap_or_default(),
        author: None,
        at: video.published_at,
        page: format!("/video/{}", video.id),
    });
    let updates = updates::public(app, settings, ENTRIES).await?;
    let updates = updates.into_iter().map(|update| Entry {
        id: update.id,
        title: update.title,
        text: update.message,
        author: Some(update.author),
        at: update.created_at,
        page: format!("/updates/{}", update.id),
    });
    let mut entries: Vec<Entry> = videos.chain(updates).collect();
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.at));
    Ok(entries)
}

/// RFC 4287.
fn atom(app: &App, settings: &Settings, entries: &[Entry]) -> String {
    let (home, own) = (xml(&app.url("/")), xml(&app.url("/feed.xml")));
    let site = xml(settings.camp_name());
    let about = xml(&settings.site_description);
    let newest = moment(entries.iter().map(|entry| entry.at).max().unwrap_or_default());
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <feed xmlns=\"http://www.w3.org/2005/Atom\">\n\
         <id>{own}</id>\n<title>{site}</title>\n<subtitle>{about}</subtitle>\n\
         <updated>{newest}</updated>\n<author><name>{site}</name></author>\n\
         <link rel=\"self\" type=\"application/atom+xml\" href=\"{own}\"/>\n\
         <link rel=\"alternate\" type=\"text/html\" href=\"{home}\"/>\n"
    );
    for Entry { id, title, text, author, at, page } in entries {
        let (title, text, page, at) = (xml(title), xml(text), xml(&app.url(page)), moment(*at));
        out += &format!(
            "<entry>\n<id>urn:uuid:{id}</id>\n<title>{title}</title>\n<published>{at}</published>\n\
             <updated>{at}</updated>\n<link rel=\"alternate\" type=\"text/html\" href=\"{page}\"/>\n"
        );
        if let Some(author) = author {
            out += &format!("<author><name>{}</name></author>\n", xml(author));
        }
        out += &format!("<content type=\"text\">{text}</content>\n</entry>\n");
    }
    out + "</feed>\n"
}

/// Caches the sitemap, because strangers can request it often and it reads all videos.
#[derive(Default)]
pub struct SitemapCache(Mutex<Option<Kept>>);

struct Kept {
    at: DateTime<Utc>,
    /// The id of the newest event; every change of a video, an update or the settings adds one.
    newest: i64,
    access: Access,
    document: Document,
}

/// The pages that search engines may list
#[utoipa::path(get, path = "/sitemap.xml", tag = "feeds", security(()),
    responses((status = 200, content_type = "application/xml", body = String), (status = 304)))]
async fn sitemap(State(api): State<Api>, headers: HeaderMap) -> Answer<Response> {
    let app = &api.app;
    let settings = app.settings().await?;
    let (now, access) = (app.clock.now(), settings.watch_access());
    // Held while the sitemap is written, so that simultaneous requests write it once.
    let mut kept = api.sitemap.0.lock().await;
    let newest = event_feed::newest(&app.db).await?;
    let good = |kept: &&Kept| {
        let age = now - kept.at;
        kept.newest == newest
            && kept.access == access
            && (TimeDelta::zero()..MAX_AGE).contains(&age)
    };
    let document = match kept.as_ref().filter(good) {
        Some(kept) => kept.document.clone(),
        None => {
            let document = Document::new(app, write_sitemap(app, &settings).await?);
            *kept = Some(Kept { at: now, newest, access, document: document.clone() });
            document
        }
    };
    drop(kept);
    Ok(document.answer(&headers, "application/xml; charset=utf-8"))
}

async fn write_sitemap(app: &App, settings: &Settings) -> Answer<String> {
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for page in OPEN {
        out += &format!("<url><loc>{}</loc></url>\n", xml(&app.url(page)));
    }
    if Viewer::default().may_watch(settings.watch_access()) {
        out += &format!("<url><loc>{}</loc></url>\n", xml(&app.url("/updates")));
        let mut page = |path: String, at: DateTime<Utc>| {
            let (address, at) = (xml(&app.url(&path)), moment(at));
            out += &format!("<url><loc>{address}</loc><lastmod>{at}</lastmod></url>\n");
        };
        let left = PAGES - OPEN.len() as i64 - 1;
        let updates = updates::public(app, settings, 1000).await?;
        for (id, at) in videos::published(app, left - updates.len() as i64).await? {
            page(format!("/video/{id}"), at);
        }
        for update in updates {
            page(format!("/updates/{}", update.id), update.created_at);
        }
    }
    Ok(out + "</urlset>\n")
}

/// What search engines should not index
#[utoipa::path(get, path = "/robots.txt", tag = "feeds", security(()),
    responses((status = 200, content_type = "text/plain", body = String), (status = 304)))]
async fn robots(State(app): State<App>, headers: HeaderMap) -> Answer<Response> {
    let out = format!(
        "User-agent: *\nDisallow: /admin\nDisallow: /api/\nDisallow: /auth/\nDisallow: /profile\n\
         Disallow: /unsubscribe\n\nSitemap: {}\n",
        app.url("/sitemap.xml")
    );
    Ok(Document::new(&app, out).answer(&headers, "text/plain; charset=utf-8"))
}

/// A document with its ETag.
#[derive(Clone)]
pub struct Document {
    text: Bytes,
    tag: String,
}

impl Document {
    pub fn new(app: &App, text: String) -> Document {
        let tag = format!("\"{}\"", app.keys.sign("etag", &text));
        Document { text: text.into(), tag }
    }

    /// The document, or 304 if the client has it. Clients must revalidate each time, so that a
    /// restriction of access takes effect at once.
    pub fn answer(&self, headers: &HeaderMap, kind: &str) -> Response {
        let Document { text, tag } = self;
        let about = [(header::ETAG, tag.as_str()), (header::CACHE_CONTROL, "no-cache")];
        if is_known(headers, tag) {
            return (StatusCode::NOT_MODIFIED, about).into_response();
        }
        (about, [(header::CONTENT_TYPE, kind)], text.clone()).into_response()
    }
}

fn moment(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}

/// Escapes text for XML elements and attributes. Removes characters that XML 1.0 does not allow.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(c),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_text_breaks_out_of_the_feed() {
        assert_eq!(
            super::xml("]]></title><x a=\"'&\u{0}\u{b}\u{fffe}שבת\n"),
            "]]&gt;&lt;/title&gt;&lt;x a=&quot;&#39;&amp;שבת\n"
        );
    }
}
