//! Mails that differ only in their recipients: what they have in common is written once.

use lettre::Address;
use lettre::address::Envelope;
use lettre::message::header::{Header, HeaderName, HeaderValue, Headers, MessageId, To};
use lettre::message::{Mailbox, Mailboxes};

use super::Mail;
use super::mime::{common, parts};
use super::template::quoted_printable;
use crate::{Error, Result};

/// What differs between the mails of a notification, besides the token in their links.
pub(crate) struct Personal {
    pub to: Mailbox,
    pub envelope_sender: Option<Address>,
    pub message_id: String,
    pub provider_header: Option<(&'static str, String)>,
    pub unsubscribe_url: Option<String>,
}

impl Personal {
    pub(super) fn headers(&self) -> Vec<HeaderValue> {
        let name = HeaderName::new_from_ascii_str;
        let to = To::from(Mailboxes::from_iter([self.to.clone()]));
        let mut headers = vec![to.display(), MessageId::from(self.message_id.clone()).display()];
        if let Some((header, value)) = &self.provider_header {
            headers.push(HeaderValue::new(name(header), value.clone()));
        }
        if let Some(url) = &self.unsubscribe_url {
            let post = "List-Unsubscribe=One-Click";
            headers.extend([
                HeaderValue::dangerous_new_pre_encoded(
                    name("List-Unsubscribe"),
                    String::new(),
                    format!("<{url}>"),
                ),
                HeaderValue::new(name("List-Unsubscribe-Post"), post.into()),
            ]);
        }
        headers
    }
}

/// What the mails have in common, as it is sent to the server.
pub(crate) struct Shared {
    sender: Address,
    /// Headers and content. A token follows each part but the last.
    parts: Vec<String>,
    length: usize,
}

impl Shared {
    /// Takes the common parts from one of the mails, which has this token in its links. `None` if
    /// each must be written as a whole.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when a header cannot be written.
    pub fn of(mail: &Mail, token: &str) -> Result<Option<Shared>> {
        if mail.encoded.is_none() {
            return Ok(None);
        }
        let message = common(mail)?.multipart(parts(mail)).map_err(Error::unforeseen)?;
        let text = String::from_utf8(message.formatted()).map_err(Error::unforeseen)?;
        let parts = text.split(&quoted_printable(token)).map(str::to_owned).collect();
        Ok(Some(Shared { sender: mail.from.email.clone(), parts, length: text.len() }))
    }

    /// Writes the mail to a recipient, as it is before it is signed.
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when there is no recipient.
    pub fn fill(&self, own: Personal, token: &str) -> Result<(Envelope, String)> {
        let mut headers = Headers::with_capacity(5);
        for header in own.headers() {
            headers.insert_raw(header);
        }
        let sender = own.envelope_sender.unwrap_or_else(|| self.sender.clone());
        let envelope =
            Envelope::new(Some(sender), vec![own.to.email]).map_err(Error::unforeseen)?;
        let (headers, token) = (headers.to_string(), quoted_printable(token));
        let length = headers.len() + self.length + self.parts.len() * token.len();
        // With some space for the end.
        let mut text = String::with_capacity(length + 16);
        text.push_str(&headers);
        for (n, part) in self.parts.iter().enumerate() {
            if n > 0 {
                text.push_str(&token);
            }
            text.push_str(part);
        }
        Ok((envelope, text))
    }
}

#[cfg(test)]
mod tests {
    use mail_parser::MessageParser;

    use super::*;
    use crate::mail::mime::compose;
    use crate::mail::{Encoded, Template};

    fn mail(to: &str, token: &str) -> Mail {
        let template = |text: &str| Template::new(text, "MARK");
        let text = template("Shalom\n\nLeave: https://camp.example/unsubscribe?token=MARK\n.\n");
        let html = template("<p>גוט</p><p><a href=\"https://camp.example/u?token=MARK\">Leave</a>");
        Mail {
            from: "Camp <hello@camp.example>".parse().expect("a sender"),
            envelope_sender: Some(
                format!("bounces+{}@camp.example", token.len()).parse().expect("one"),
            ),
            to: to.parse().expect("a recipient"),
            reply_to: Some("office@camp.example".parse().expect("an address")),
            subject: "גוטע וואך, a new video".into(),
            text: text.fill(token),
            html: html.fill(token),
            encoded: Encoded::fill(&text, &html, token),
            message_id: format!("<{token}@camp.example>"),
            provider_header: Some(("X-Name", token.into())),
            list_id: Some("<daily-videos.camp.example>".into()),
            unsubscribe_url: Some(format!("https://camp.example/one-click?token={token}")),
            date: "2026-07-15T01:00:00Z".parse().expect("a time"),
        }
    }

    /// The headers, the text and the HTML, as a mail program reads them.
    fn read(text: &str) -> (Vec<(String, String)>, String, String) {
        let message = MessageParser::default().parse(text).expect("a mail");
        let mut headers: Vec<_> = message
            .headers_raw()
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .filter(|(name, _)| name != "Content-Type")
            .collect();
        headers.sort();
        let body = |body: Option<std::borrow::Cow<'_, str>>| body.expect("a body").into_owned();
        (headers, body(message.body_text(0)), body(message.body_html(0)))
    }

    #[test]
    fn a_filled_mail_is_the_one_that_is_written_for_its_recipient_alone() {
        let long = "eyJlIjoi".repeat(20);
        let first = mail("Chaya <chaya@family.example>", "eyJ-_.first");
        let shared = Shared::of(&first, "eyJ-_.first").expect("written").expect("shared");
        for (to, token) in [
            ("\"Weiss, מרים\" <miriam@family.example>", long.as_str()),
            ("leah@family.example", "eyJ-_.other"),
        ] {
            let alone = mail(to, token);
            let (envelope, filled) = shared.fill(alone.personal(), token).expect("filled");
            let composed = compose(&alone).expect("a message");
            let text = String::from_utf8(composed.formatted()).expect("ASCII");
            assert_eq!(read(&filled), read(&text), "{filled}");
            assert_eq!(envelope, *composed.envelope());
            assert!(!filled.contains("first"), "{filled}");
        }
        let by_each = Mail { encoded: None, ..first };
        assert!(Shared::of(&by_each, "eyJ-_.first").expect("no error").is_none());
    }
}
