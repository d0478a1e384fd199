//! The content of a mail and the template of all mails: HTML and plain text, with the site's name,
//! readable without images, right-to-left where the text is.

use askama::Template;
use lettre::message::Mailbox;

use crate::settings::Settings;
use crate::text_links::{self, Part};
use crate::{App, Error, Result, branding};

/// The parts of a mail. Both the HTML and the text form are rendered from them.
#[derive(Debug, Default)]
pub struct MailContent {
    pub subject: String,
    pub heading: String,
    pub paragraphs: Vec<String>,
    /// Web addresses in the paragraphs become links. Only for texts that staff wrote: strangers must
    /// not place links in the camp's mails.
    pub linked: bool,
    /// A list of labeled figures, such as amounts. The last one is emphasized.
    pub figures: Vec<(&'static str, String)>,
    /// The text that the mail replies to.
    pub quote: Option<Quote>,
    pub picture: Option<Picture>,
    pub button: Option<Button>,
    /// Small print below the button.
    pub notes: Vec<String>,
    /// The address for replies. The default is the camp's contact address.
    pub reply_to: Option<Mailbox>,
}

#[derive(Debug)]
pub struct Quote {
    /// "On July 14, 2026 you wrote:"
    pub from: String,
    pub paragraphs: Vec<String>,
}

#[derive(Debug)]
pub struct Picture {
    /// Absolute.
    pub url: String,
    pub alt: String,
}

#[derive(Debug)]
pub struct Button {
    pub label: &'static str,
    /// Absolute.
    pub url: String,
}

/// Splits typed text into paragraphs at empty lines.
pub fn paragraphs(text: &str) -> Vec<String> {
    text.split("\n\n").map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()).collect()
}

impl Quote {
    /// Quotes the text as mail programs do in plain text.
    fn marked(&self) -> String {
        let marked = |line: &str| format!("> {line}").trim_end().to_owned();
        self.paragraphs.join("\n\n").lines().map(marked).collect::<Vec<_>>().join("\n")
    }
}

#[derive(Template)]
#[template(path = "notifications/mail.html")]
struct Html<'a> {
    content: &'a MailContent,
    site: &'a Settings,
    home: &'a str,
    unsubscribe: Option<&'a str>,
    colors: Colors,
}

/// Accent colors of a mail: the defaults, or those that the camp chose.
struct Colors {
    mark: String,
    button: String,
    on_button: String,
    dark_button: String,
    on_dark_button: String,
}

impl Colors {
    fn of(site: &Settings) -> Colors {
        let shades = branding::shades(site);
        let find = |wanted: &str| shades.iter().find(|(name, ..)| *name == wanted);
        let light = |name: &str, built_in: &str| {
            find(name).map_or(built_in.to_owned(), |(_, light, _)| light.to_string())
        };
        let dark = |name: &str, built_in: &str| {
            find(name).map_or(built_in.to_owned(), |(.., dark)| dark.to_string())
        };
        Colors {
            mark: light("amber", "#c9822a"),
            button: light("pine", "#1b5a40"),
            on_button: light("on-pine", "#fdf9f0"),
            dark_button: dark("pine", "#79cfa0"),
            on_dark_button: dark("on-pine", "#0f2622"),
        }
    }
}

#[derive(Template)]
#[template(path = "notifications/mail.txt", escape = "none")]
struct Text<'a> {
    content: &'a MailContent,
    site: &'a Settings,
    home: &'a str,
    unsubscribe: Option<&'a str>,
}

impl MailContent {
    /// Marks the mail as a test, which staff send to themselves before they send it to others.
    pub(crate) fn marked_as_test(mut self) -> MailContent {
        self.subject = format!("Test: {}", self.subject);
        self.notes.push("This is a test. It was sent only to you.".into());
        self
    }

    /// The text and the links of a paragraph.
    fn parts<'a>(&self, paragraph: &'a str) -> Vec<Part<'a>> {
        match self.linked {
            true => text_links::parts(paragraph),
            false => vec![Part { text: paragraph, url: None }],
        }
    }

    /// Renders plain text and HTML.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when a template cannot be rendered.
    pub(crate) fn render(
        &self,
        app: &App,
        site: &Settings,
        unsubscribe: Option<&str>,
    ) -> Result<(String, String)> {
        let home = app.url("/");
        let home = home.as_str();
        let text = Text { content: self, site, home, unsubscribe }.render();
        let colors = Colors::of(site);
        let html = Html { content: self, site, home, unsubscribe, colors }.render();
        Ok((text.map_err(Error::unforeseen)?, html.map_err(Error::unforeseen)?))
    }
}
