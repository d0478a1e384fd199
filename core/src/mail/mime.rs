//! Writes a mail with its headers and both forms of its content (RFC 5322).

use lettre::address::Envelope;
use lettre::message::header::{ContentTransferEncoding, ContentType, HeaderName, HeaderValue};
use lettre::message::{Body, MessageBuilder, MultiPart, SinglePart};

use super::{Encoded, Mail, Personal};
use crate::{Error, Result};

impl Mail {
    /// The mail as it is sent (RFC 5322).
    ///
    /// # Errors
    ///
    /// [`Error::Unforeseen`] when a header cannot be written.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        Ok(compose(self)?.formatted())
    }

    pub(super) fn personal(&self) -> Personal {
        Personal {
            to: self.to.clone(),
            envelope_sender: self.envelope_sender.clone(),
            message_id: self.message_id.clone(),
            provider_header: self.provider_header.clone(),
            unsubscribe_url: self.unsubscribe_url.clone(),
        }
    }
}

pub(super) fn compose(mail: &Mail) -> Result<lettre::Message> {
    let personal = mail.personal();
    let builder = personal
        .headers()
        .into_iter()
        .fold(common(mail)?, |builder, header| builder.raw_header(header));
    builder.multipart(parts(mail)).map_err(Error::unforeseen)
}

/// What does not depend on the recipient.
pub(super) fn common(mail: &Mail) -> Result<MessageBuilder> {
    let name = |name: &'static str| HeaderName::new_from_ascii_str(name);
    let sender = mail.envelope_sender.clone().unwrap_or_else(|| mail.from.email.clone());
    let envelope = Envelope::new(Some(sender), vec![mail.to.email.clone()]);
    let mut builder = lettre::Message::builder()
        .envelope(envelope.map_err(Error::unforeseen)?)
        .from(mail.from.clone())
        .subject(&mail.subject)
        .date(mail.date.into())
        .raw_header(HeaderValue::new(name("Auto-Submitted"), "auto-generated".into()));
    if let Some(reply_to) = &mail.reply_to {
        builder = builder.reply_to(reply_to.clone());
    }
    if let Some(list) = &mail.list_id {
        builder = builder.raw_header(HeaderValue::new(name("List-Id"), list.clone()));
    }
    Ok(builder)
}

pub(super) fn parts(mail: &Mail) -> MultiPart {
    match &mail.encoded {
        Some(Encoded { text, html }) => MultiPart::alternative()
            .singlepart(encoded_part(ContentType::TEXT_PLAIN, text))
            .singlepart(encoded_part(ContentType::TEXT_HTML, html)),
        None => MultiPart::alternative_plain_html(mail.text.clone(), mail.html.clone()),
    }
}

fn encoded_part(kind: ContentType, text: &str) -> SinglePart {
    let bytes = text.as_bytes().to_vec();
    let body = Body::dangerous_pre_encoded(bytes, ContentTransferEncoding::QuotedPrintable);
    SinglePart::builder().header(kind).body(body)
}

#[cfg(test)]
mod tests {
    use chrono::Utc;

    use super::*;

    #[test]
    fn other_mail_servers_report_to_the_address_for_bounces_and_people_see_the_sender() {
        let mut mail = Mail {
            from: "Camp <hello@camp.example>".parse().expect("a sender"),
            envelope_sender: Some("bounces+token@camp.example".parse().expect("an address")),
            to: "chaya@family.example".parse().expect("a recipient"),
            reply_to: None,
            subject: "Hello".into(),
            text: "Hello.".into(),
            html: "<p>Hello.</p>".into(),
            encoded: None,
            message_id: "<1@camp.example>".into(),
            provider_header: Some(("X-Name", "token".into())),
            list_id: None,
            unsubscribe_url: None,
            date: Utc::now(),
        };
        let from =
            |message: &lettre::Message| message.envelope().from().expect("a sender").to_string();
        let message = compose(&mail).expect("a message");
        assert_eq!(from(&message), "bounces+token@camp.example");
        let text = String::from_utf8(message.formatted()).expect("ASCII");
        assert!(text.contains("From: Camp <hello@camp.example>\r\n"), "{text}");
        assert!(text.contains("X-Name: token\r\n") && !text.contains("bounces+token"), "{text}");
        mail.envelope_sender = None;
        assert_eq!(from(&compose(&mail).expect("a message")), "hello@camp.example");
    }
}
