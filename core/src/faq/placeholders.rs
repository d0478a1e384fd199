//! Placeholders in answers that are replaced from the settings (decision P9).

use serde::Serialize;

use crate::access::Access;
use crate::settings::Settings;
use crate::{App, Result, videos};

#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = FaqPlaceholder)]
pub struct Placeholder {
    /// The placeholder as written in an answer: `{access_answer}`.
    pub name: &'static str,
    pub value: String,
}

const NAMES: [&str; 4] =
    ["{access_answer}", "{posting_time}", "{contact_email}", "{contact_phone}"];

/// The error for an answer with a placeholder that the portal does not know, if it has one.
pub(super) fn left_in_answer(answer: &str) -> Option<String> {
    let left = words_in_braces(answer).find(|name| !NAMES.contains(name))?;
    Some(format!(
        "“{left}” is not a placeholder of the portal. Please use one of: {}.",
        NAMES.join(", ")
    ))
}

/// The same for a question, in which no placeholder is replaced.
pub(super) fn left_in_question(question: &str) -> Option<String> {
    let left = words_in_braces(question).next()?;
    Some(format!("“{left}” is replaced in answers only. Please write the question without it."))
}

fn words_in_braces(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('{').filter_map(|(at, _)| {
        let (word, _) = text[at + 1..].split_once('}')?;
        let is_word = !word.is_empty() && word.chars().all(|c| c.is_alphabetic() || c == '_');
        is_word.then(|| &text[at..at + word.len() + 2])
    })
}

/// Returns every placeholder with its current value.
pub async fn placeholders(app: &App, settings: &Settings) -> Result<Vec<Placeholder>> {
    let (_, posting_time) = videos::posting_time(app, settings).await?;
    let values = [
        access_answer(settings).to_owned(),
        sentence(posting_time),
        settings.contact_email.clone(),
        settings.contact_phone.clone(),
    ];
    Ok(NAMES.into_iter().zip(values).map(|(name, value)| Placeholder { name, value }).collect())
}

/// Replaces every placeholder in an answer. Placeholders inside values are not replaced.
pub(super) fn fill(answer: &str, values: &[Placeholder]) -> String {
    let mut filled = String::with_capacity(answer.len());
    let mut rest = answer;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        filled.push_str(before);
        let found = values.iter().find(|placeholder| from.starts_with(placeholder.name));
        match found {
            // An empty value leaves no gap.
            Some(Placeholder { name, value }) if value.is_empty() => {
                rest = from[name.len()..].trim_start_matches(' ');
            }
            Some(Placeholder { name, value }) => {
                filled.push_str(value);
                rest = &from[name.len()..];
            }
            None => {
                filled.push('{');
                rest = &from[1..];
            }
        }
    }
    filled.push_str(rest);
    filled.trim().to_owned()
}

fn access_answer(settings: &Settings) -> &'static str {
    match settings.access {
        Access::Everyone => {
            "Anyone who has the address of this site can watch the videos and read the updates. You need an account to comment, to like videos and to see your payments."
        }
        Access::SignedIn => {
            "Anyone with an account can sign in, watch the videos and read the updates. Without an account you see only titles and dates."
        }
        Access::Families | Access::Closed => {
            "Only registered parents and authorized family members can watch the videos and read the updates. Sign in with the email the camp has on file, or use the link in your invitation. If you sign up without one, the camp confirms your family first."
        }
    }
}

fn sentence(mut text: String) -> String {
    if !text.is_empty() && !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_placeholders_are_filled_and_only_once() {
        let values = [
            Placeholder { name: "{contact_email}", value: "{contact_phone}".into() },
            Placeholder { name: "{contact_phone}", value: String::new() },
        ];
        let filled = fill("Write to {contact_email} {or} call {contact_phone} us. {", &values);
        assert_eq!(filled, "Write to {contact_phone} {or} call us. {");
    }
}
