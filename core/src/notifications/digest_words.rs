//! The words of a daily email.

use super::{Button, MailContent, MailKind, Section};
use crate::App;
use crate::bidi::isolated;
use crate::settings::Settings;

/// What a kind of mail is called in a daily email, in the singular and the plural.
const NAMES: [(MailKind, &str, &str); 3] = [
    (MailKind::Video, "new video", "new videos"),
    (MailKind::Update, "camp update", "camp updates"),
    (MailKind::Newsletter, "newsletter", "newsletters"),
];

/// Joins the mails of a day. A single one stays as it is. Returns `None` if there is none.
pub(crate) fn digest_content(
    app: &App,
    settings: &Settings,
    mut parts: Vec<(MailKind, MailContent)>,
) -> Option<MailContent> {
    if parts.len() < 2 {
        return parts.pop().map(|(_, content)| content);
    }
    let counts = counts(&parts);
    let camp = settings.camp_name();
    let site = app.url("/");
    let section = |content: MailContent| {
        let mut section = Section::of(content, "Newsletter");
        // The button below leads there.
        section.button.take_if(|button| button.url == site);
        section
    };
    Some(MailContent {
        // A Yiddish name in front of a number would take it out of its place.
        subject: format!("{} from {camp}", counts.join(", ")),
        heading: format!("What is new at {}", isolated(camp)),
        paragraphs: vec![format!("In this email: {}.", counts.join(", "))],
        sections: parts.into_iter().map(|(_, content)| section(content)).collect(),
        button: Some(Button { label: "Visit our site", url: site.clone() }),
        ..MailContent::default()
    })
}

/// "2 new videos" and "1 newsletter"
fn counts(parts: &[(MailKind, MailContent)]) -> Vec<String> {
    let of = |kind| parts.iter().filter(|(other, _)| *other == kind).count();
    let counted = NAMES.iter().map(|(kind, one, several)| (of(*kind), one, several));
    let named = counted.filter(|(n, ..)| *n > 0);
    named.map(|(n, one, several)| format!("{n} {}", if n == 1 { one } else { several })).collect()
}
