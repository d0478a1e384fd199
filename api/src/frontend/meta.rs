//! Metadata in the head of a page, for search engines and link previews (decision V14).

use axum::http::StatusCode;
use portal::access::Viewer;
use portal::branding::{self, Pictures};
use portal::settings::Settings;
use portal::updates::{self, LiveUpdate};
use portal::{App, Error, videos};
use uuid::Uuid;

use super::trimmed;
use crate::error::Answer;

pub struct Meta {
    title: String,
    description: String,
    /// Absolute.
    picture: String,
    /// The picture that the page shows first, with the URL that the page uses.
    pub shown: Option<String>,
    kind: &'static str,
    /// Whether search engines may list it.
    listed: bool,
    pub status: StatusCode,
}

/// A page that is the same for everybody. An empty description means the camp's description.
struct Known {
    path: &'static str,
    title: &'static str,
    description: &'static str,
    listed: bool,
}

const fn listed(path: &'static str, title: &'static str, description: &'static str) -> Known {
    Known { path, title, description, listed: true }
}

const fn private(path: &'static str, title: &'static str, description: &'static str) -> Known {
    Known { path, title, description, listed: false }
}

const KNOWN: [Known; 17] = [
    listed("/", "Home", ""),
    listed("/current-videos", "This Year Videos", "This summer's videos from camp, newest first."),
    listed("/past-videos", "Gallery", "Videos of past summers at camp, year by year."),
    listed(
        "/about",
        "About",
        "Who we are: a boys' camp in the mountains, its story in Yiddish, and what you will find on this site.",
    ),
    listed("/store", "Camp Store", "Caps, shirts and more from camp, and how to order them."),
    listed(
        "/privacy",
        "Privacy Policy",
        "What we store about families and children, why, for how long, and what you can ask for.",
    ),
    listed(
        "/terms",
        "Terms of Service",
        "The rules for using this site: accounts, videos of children, comments, payments and the store.",
    ),
    listed("/updates", "Live Updates", "Short announcements from camp."),
    listed("/auth", "Sign In", "Sign in or create an account."),
    listed(
        "/faq",
        "FAQ",
        "Frequently asked questions about the videos, notifications, access and privacy.",
    ),
    listed("/contact", "Contact", "Write to the camp staff or the video team."),
    private("/profile", "Profile", "Your family, your payments and your emails from camp."),
    private("/auth/verify", "Confirm your email", "Confirm your email."),
    private("/auth/forgot", "Forgot your password?", ""),
    private("/auth/reset", "Choose a new password", ""),
    private("/subscribe/confirm", "Stay Updated", ""),
    private("/unsubscribe", "Unsubscribe", "Stop emails from camp."),
];

/// The metadata of the page at `path`, as far as a stranger may see it. `staff_title` is that of a
/// page in the staff area.
pub async fn of(
    app: &App,
    settings: &Settings,
    pictures: &Pictures,
    path: &str,
    staff_title: Option<&str>,
) -> Answer<Meta> {
    let page = Page { settings, picture: branding::social_picture(app, pictures) };
    if let Some(known) = KNOWN.iter().find(|known| known.path == trimmed(path)) {
        return Ok(page.known(known));
    }
    if let Some(title) = staff_title {
        return Ok(page.unlisted(title));
    }
    if let Some(id) = path.strip_prefix("/updates/") {
        return Ok(match update(app, settings, id).await? {
            Some(Some(update)) => page.of(&update.title, &update.message),
            // Withdrawn, or hidden from strangers.
            Some(None) => page.unlisted("Live Update"),
            None => page.missing("Update not found"),
        });
    }
    let Some(id) = path.strip_prefix("/video/") else {
        return Ok(page.missing("Page not found"));
    };
    let preview = match id.parse() {
        Ok(id) => videos::preview(app, settings, id).await?,
        Err(_) => None,
    };
    let Some(video) = preview else {
        return Ok(page.missing("Video not found"));
    };
    let said = page.of(&video.title, video.description.as_deref().unwrap_or(""));
    Ok(Meta {
        picture: match &video.picture {
            Some(picture) if picture.starts_with('/') => app.url(picture),
            Some(picture) => picture.clone(),
            None => said.picture,
        },
        shown: video.picture,
        kind: "video.other",
        ..said
    })
}

/// The metadata that all pages share.
struct Page<'a> {
    settings: &'a Settings,
    picture: String,
}

impl Page<'_> {
    fn of(&self, title: &str, description: &str) -> Meta {
        let described =
            if description.is_empty() { &self.settings.site_description } else { description };
        Meta {
            title: format!("{title} - {}", self.settings.camp_name()),
            description: described.to_owned(),
            picture: self.picture.clone(),
            shown: None,
            kind: "website",
            listed: true,
            status: StatusCode::OK,
        }
    }

    fn known(&self, known: &Known) -> Meta {
        Meta { listed: known.listed, ..self.of(known.title, known.description) }
    }

    fn unlisted(&self, title: &str) -> Meta {
        Meta { listed: false, ..self.of(title, "") }
    }

    fn missing(&self, title: &str) -> Meta {
        Meta { status: StatusCode::NOT_FOUND, ..self.unlisted(title) }
    }
}

/// The update with this id, as far as a stranger may see it; nothing if it never existed.
async fn update(app: &App, settings: &Settings, id: &str) -> Answer<Option<Option<LiveUpdate>>> {
    let Ok(id) = id.parse::<Uuid>() else { return Ok(None) };
    match updates::find(app, settings, &Viewer::default(), id).await {
        Ok(page) => Ok(Some((!page.withdrawn).then_some(page.update))),
        Err(Error::NotFound(_)) => Ok(None),
        Err(Error::SignInRequired | Error::Forbidden { .. }) => Ok(Some(None)),
        Err(error) => Err(error.into()),
    }
}

/// The tags of the head.
pub fn tags(app: &App, settings: &Settings, path: &str, meta: &Meta) -> String {
    let title = escape(&meta.title);
    let description = escape(&meta.description);
    let url = escape(&app.url(path));
    let picture = escape(&meta.picture);
    let site = escape(settings.camp_name());
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

pub fn escape(text: &str) -> String {
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

#[cfg(test)]
mod tests {
    #[test]
    fn a_title_cannot_break_out_of_its_tag() {
        assert_eq!(super::escape("\"><script>'&"), "&quot;&gt;&lt;script&gt;&#39;&amp;");
    }
}
