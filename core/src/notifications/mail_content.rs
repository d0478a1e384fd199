//! The content of a mail and the template of all mails: HTML and plain text, with the site's name,
//! readable without images, right-to-left where the text is.

use std::borrow::Cow;

use askama::Template;
use lettre::message::Mailbox;

use super::text_block::{Block, Heading, blocks};
use crate::bidi::{Direction, without_controls, without_overrides};
use crate::settings::Settings;
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
    /// Parts with headings of their own, above the button.
    pub sections: Vec<Section>,
    /// What to do next. Every mail has one.
    pub button: Option<Button>,
    /// Small print below the button.
    pub notes: Vec<String>,
    /// The address for replies. The default is the camp's contact address.
    pub reply_to: Option<Mailbox>,
}

#[derive(Debug, Clone)]
pub struct Quote {
    /// "On July 14, 2026 you wrote:"
    pub from: String,
    pub paragraphs: Vec<String>,
}

/// A picture above the heading, which links to the same page as the button.
#[derive(Debug, Clone)]
pub struct Picture {
    /// Absolute, and on the portal: others must not learn who reads the camp's mail.
    pub url: String,
    pub alt: String,
    /// How long the video is, as players show it.
    pub length: Option<String>,
}

impl Picture {
    fn cleaned(&self) -> Picture {
        Picture { alt: header_text(&self.alt), ..self.clone() }
    }

    /// The direction of the text that is shown where pictures are blocked.
    pub(crate) fn dir(&self) -> &'static str {
        Direction::of(&self.alt).unwrap_or(Direction::LeftToRight).attribute()
    }

    /// The line below the picture.
    pub(crate) fn caption(&self) -> String {
        match &self.length {
            Some(length) => format!("Play the video ({length})"),
            None => "Play the video".into(),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Button {
    pub label: &'static str,
    /// Absolute.
    pub url: String,
}

/// A part of a mail that could be a mail of its own.
#[derive(Debug, Clone)]
pub struct Section {
    /// What it is: "New video".
    pub label: String,
    pub heading: String,
    pub paragraphs: Vec<String>,
    /// As in [`MailContent`].
    pub linked: bool,
    pub picture: Option<Picture>,
    pub button: Option<Button>,
}

impl Section {
    /// Makes a section of a mail. Its label is the beginning of the subject, or `label` if the
    /// subject is no more than the heading.
    pub(crate) fn of(content: MailContent, label: &str) -> Section {
        let before = content.subject.strip_suffix(&content.heading).unwrap_or_default();
        let said = before.trim_end().trim_end_matches(':');
        Section {
            label: if said.is_empty() { label } else { said }.to_owned(),
            heading: content.heading,
            paragraphs: content.paragraphs,
            linked: content.linked,
            picture: content.picture,
            button: content.button,
        }
    }

    fn cleaned(&self) -> Section {
        Section {
            label: header_text(&self.label),
            heading: header_text(&self.heading),
            paragraphs: self.paragraphs.iter().map(|text| clean(text)).collect(),
            linked: self.linked,
            picture: self.picture.as_ref().map(Picture::cleaned),
            button: self.button.clone(),
        }
    }
}

/// What is below every mail.
#[derive(Debug)]
pub(crate) struct Footer {
    /// Why the recipient gets the mail.
    pub reason: String,
    pub unsubscribe: Option<String>,
    /// The page with the mail preferences of a family.
    pub preferences: Option<String>,
}

/// Splits typed text into paragraphs at empty lines.
pub(crate) fn paragraphs(text: &str) -> Vec<String> {
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
    mail: &'a Prepared<'a>,
    site: &'a Settings,
    home: &'a str,
    logo: Option<String>,
    footer: &'a Footer,
    colors: Colors,
}

/// The texts of a mail as the templates need them.
struct Prepared<'a> {
    site_name: String,
    camp_name: String,
    length: Option<&'a str>,
    /// Mail programs show it beside the subject.
    preview: String,
    heading: Heading<'a>,
    paragraphs: Vec<Block<'a>>,
    quote: Vec<Block<'a>>,
    sections: Vec<PreparedSection<'a>>,
}

struct PreparedSection<'a> {
    section: &'a Section,
    heading: Heading<'a>,
    paragraphs: Vec<Block<'a>>,
}

impl<'a> PreparedSection<'a> {
    fn of(section: &'a Section) -> PreparedSection<'a> {
        let paragraphs = section.paragraphs.iter();
        PreparedSection {
            section,
            heading: Heading::of(&section.heading),
            paragraphs: paragraphs.flat_map(|text| blocks(text, section.linked, 14)).collect(),
        }
    }
}

/// Accent colors of a mail: the defaults, or those that the camp chose.
struct Colors {
    mark: String,
    dark_mark: String,
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
            dark_mark: dark("amber", "#e9a94f"),
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
    mail: &'a Prepared<'a>,
    site: &'a Settings,
    home: &'a str,
    footer: &'a Footer,
}

impl MailContent {
    /// Marks the mail as a test, which staff send to themselves before they send it to others.
    pub(crate) fn marked_as_test(mut self) -> MailContent {
        self.subject = format!("Test: {}", self.subject);
        self.notes.push("This is a test. It was sent only to you.".into());
        self
    }

    /// The beginning of the text, which mail programs show beside the subject.
    pub(crate) fn preview(&self) -> String {
        let caption = self.picture.iter().map(|picture| format!("{}.", picture.caption()));
        let titles: Vec<&str> = self.sections.iter().map(|part| part.heading.as_str()).collect();
        let rest = self.paragraphs.iter().cloned().chain([titles.join(" · ")]);
        let all: Vec<String> = caption.chain(rest).collect();
        let words = all.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
        match words.char_indices().nth(140) {
            Some((end, _)) => format!("{}…", words[..end].trim_end()),
            None => words,
        }
    }

    /// The same content without control characters and without those that turn other letters
    /// around, which older rows may still contain.
    fn cleaned(&self) -> MailContent {
        let clean = |text: &String| clean(text);
        MailContent {
            subject: header_text(&self.subject),
            heading: header_text(&self.heading),
            paragraphs: self.paragraphs.iter().map(clean).collect(),
            linked: self.linked,
            figures: self.figures.clone(),
            quote: self.quote.as_ref().map(|quote| Quote {
                from: clean(&quote.from),
                paragraphs: quote.paragraphs.iter().map(clean).collect(),
            }),
            picture: self.picture.as_ref().map(Picture::cleaned),
            sections: self.sections.iter().map(Section::cleaned).collect(),
            button: self.button.clone(),
            notes: self.notes.iter().map(clean).collect(),
            reply_to: self.reply_to.clone(),
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
        footer: &Footer,
    ) -> Result<(String, String)> {
        let content = &self.cleaned();
        let home = app.url("/");
        let home = home.as_str();
        let quoted = content.quote.iter().flat_map(|quote| &quote.paragraphs);
        let mail = &Prepared {
            site_name: clean(&site.site_name),
            camp_name: clean(site.camp_name()),
            length: content.picture.as_ref().and_then(|picture| picture.length.as_deref()),
            preview: content.preview(),
            heading: Heading::of(&content.heading),
            paragraphs: content
                .paragraphs
                .iter()
                .flat_map(|paragraph| blocks(paragraph, content.linked, 14))
                .collect(),
            quote: quoted.flat_map(|paragraph| blocks(paragraph, false, 10)).collect(),
            sections: content.sections.iter().map(PreparedSection::of).collect(),
        };
        let text = Text { content, mail, site, home, footer }.render();
        let logo = site.logo.map(|id| app.url(&format!("/media/site/{id}")));
        let colors = Colors::of(site);
        let html = Html { content, mail, site, home, logo, footer, colors }.render();
        Ok((text.map_err(Error::unforeseen)?, html.map_err(Error::unforeseen)?))
    }
}

/// One line for a header: a name or a subject. A word joiner keeps what somebody typed in the form of
/// an encoded word (RFC 2047) from being decoded by mail programs.
pub(crate) fn header_text(text: &str) -> String {
    let is_plain = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
    let spaced = match text.bytes().all(is_plain) && !text.contains("=?") {
        true => Cow::Borrowed(text),
        false => {
            let spaced = without_controls(text).replace(char::is_control, " ");
            Cow::Owned(spaced.replace("=?", "=\u{2060}?"))
        }
    };
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn clean(text: &str) -> String {
    let kept = |c: &char| !c.is_control() || *c == '\n';
    without_overrides(text).chars().filter(kept).collect()
}
