//! Reads reports: delivery status notifications (RFC 3464) and abuse reports (RFC 5965). Anybody can
//! write one, so what a report says counts only for the mail that it proves to be about.

use mail_parser::{MessageParser, MimeHeaders};

use super::token;
use super::verdict::{self, Action, Verdict};
use crate::email_address::EmailAddress;
use crate::text;

/// How much of a message is read. The parts for programs come before the returned mail. The
/// parser's time grows with the square of the size of a message that was crafted for that.
pub const MAX_BYTES: usize = 256 * 1024;

/// How many addresses of a report are looked up.
const MAX_ADDRESSES: usize = 20;
/// How many recipients a report may have.
const MAX_GROUPS: usize = 10_000;
/// How many tokens of a report are looked up. A report has one or two.
const MAX_TOKENS: usize = 3;

/// A message that came to the address for bounces.
pub(super) enum Message {
    Report(Report),
    /// Nothing to do: an automatic reply, a notice of delivery.
    Ignored(&'static str),
    /// Not a report. A person may have written it.
    Other,
}

pub(super) struct Report {
    content: Content,
    pub marks: Marks,
}

enum Content {
    Statuses(Vec<Status>),
    Complaint(String),
}

/// What a report says about one recipient.
struct Status {
    addresses: Vec<EmailAddress>,
    action: Action,
    code: String,
    diagnostic: String,
}

/// What may prove which mail a report is about.
#[derive(Default)]
pub(crate) struct Marks {
    pub tokens: Vec<String>,
    pub message_ids: Vec<String>,
    /// Addresses to which the mail may have gone.
    pub addresses: Vec<EmailAddress>,
}

impl Marks {
    fn add_address(&mut self, typed: &str) {
        if self.addresses.len() < MAX_ADDRESSES
            && let Some(address) = EmailAddress::parse(typed)
            && !self.addresses.contains(&address)
        {
            self.addresses.push(address);
        }
    }

    fn add_tokens(&mut self, text: &str) {
        for token in token::in_text(text) {
            if self.tokens.len() < MAX_TOKENS && !self.tokens.contains(&token) {
                self.tokens.push(token);
            }
        }
    }
}

impl Report {
    /// What the report means for the mail to this address. `None` if it arrived or is still being
    /// tried.
    pub fn verdict(&self, email: &EmailAddress) -> Option<Verdict> {
        match &self.content {
            Content::Complaint(kind) => Some(Verdict::complaint(kind)),
            Content::Statuses(statuses) => {
                if let Some(named) = statuses.iter().find(|one| one.addresses.contains(email)) {
                    return verdict::judge(named.action, &named.code, &named.diagnostic);
                }
                // The mailbox forwards to others, and one of them took no mail.
                let verdicts = statuses
                    .iter()
                    .filter_map(|one| verdict::judge(one.action, &one.code, &one.diagnostic));
                verdicts.map(Verdict::of_forwarded).next()
            }
        }
    }
}

/// Reads a message. `recipient` is the address to which it came, if the mail server says so.
pub(super) fn read(message: &[u8], recipient: Option<&str>) -> Message {
    let message = &message[..message.len().min(MAX_BYTES)];
    // The parser promises not to panic, but earlier versions did.
    let parts = std::panic::catch_unwind(|| parts(message)).unwrap_or_default();
    let headers = head(message);
    let mut marks = Marks::default();
    marks.add_tokens(recipient.unwrap_or_default());
    for header in ["to", "delivered-to", "x-original-to", "envelope-to", "x-envelope-to"] {
        headers.all(header).for_each(|value| marks.add_tokens(value));
    }
    for part in parts.iter().filter(|part| part.kind == PartKind::Returned) {
        let returned = head(&part.bytes);
        returned.all("message-id").take(3).for_each(|id| marks.message_ids.push(id.to_owned()));
        returned.all("to").flat_map(|to| to.split(['<', '>', ','])).for_each(|to| {
            marks.add_address(to);
        });
        returned.all("return-path").for_each(|value| marks.add_tokens(value));
    }
    let complaint = parts.iter().find(|part| part.kind == PartKind::Feedback);
    if let Some(part) = complaint {
        return feedback(&part.bytes, marks);
    }
    let statuses = parts.iter().filter(|part| part.kind == PartKind::Status);
    let statuses = statuses.flat_map(|part| groups(&part.bytes, MAX_GROUPS));
    let statuses: Vec<Status> = statuses.filter_map(|group| status(&group)).collect();
    if statuses.is_empty() {
        return without_report(&headers);
    }
    if statuses.iter().all(|status| status.action != Action::Failed) {
        return Message::Ignored(super::ONLY_A_NOTICE);
    }
    statuses
        .iter()
        .flat_map(|status| &status.addresses)
        .take(MAX_ADDRESSES)
        .for_each(|address| marks.add_address(address));
    Message::Report(Report { content: Content::Statuses(statuses), marks })
}

/// Automatic replies come to the envelope sender too. Nobody answers them.
fn without_report(headers: &Fields) -> Message {
    let says = |name, no: &str| headers.all(name).any(|value| !value.eq_ignore_ascii_case(no));
    let bulk = ["bulk", "junk", "list", "auto_reply"];
    let automatic = says("auto-submitted", "no")
        || says("x-autoreply", "no")
        || says("x-autorespond", "no")
        || headers.all("precedence").any(|value| bulk.contains(&&*value.to_lowercase()));
    match automatic {
        true => Message::Ignored("an automatic reply"),
        false => Message::Other,
    }
}

fn feedback(bytes: &[u8], mut marks: Marks) -> Message {
    let fields = head(bytes);
    let kind = fields.all("feedback-type").next().unwrap_or_default().to_lowercase();
    if !["abuse", "fraud", "opt-out", "opt-out-list"].contains(&&*kind) {
        return Message::Ignored("feedback that is no complaint");
    }
    fields.all("original-mail-from").for_each(|value| marks.add_tokens(value));
    for to in fields.all("original-rcpt-to") {
        marks.add_address(typed_address(to));
    }
    Message::Report(Report { content: Content::Complaint(kind), marks })
}

/// Reads the fields about one recipient. The first group of a report is about the message.
fn status(group: &Fields) -> Option<Status> {
    let action = Action::read(group.all("action").next()?)?;
    let named = ["original-recipient", "final-recipient", "x-actual-recipient"];
    let addresses = named.into_iter().flat_map(|name| group.all(name)).take(6);
    Some(Status {
        addresses: addresses.filter_map(|to| EmailAddress::parse(typed_address(to))).collect(),
        action,
        code: group.all("status").next().unwrap_or_default().to_owned(),
        diagnostic: group.all("diagnostic-code").next().map(said).unwrap_or_default(),
    })
}

/// The address of `rfc822; <chaya@family.example>`.
fn typed_address(field: &str) -> &str {
    let address = field.split_once(';').map_or(field, |(_, address)| address);
    address.trim().trim_start_matches('<').trim_end_matches('>')
}

/// The text of `smtp; 550 No such user`.
fn said(field: &str) -> String {
    let said = match field.split_once(';') {
        Some((kind, said)) if !kind.trim().contains(' ') => said,
        _ => field,
    };
    said.trim().to_owned()
}

#[derive(Clone, Copy, PartialEq)]
enum PartKind {
    Status,
    Feedback,
    /// The mail that came back, or its headers.
    Returned,
}

struct Part {
    kind: PartKind,
    bytes: Vec<u8>,
}

fn parts(message: &[u8]) -> Vec<Part> {
    let Some(parsed) = MessageParser::default().parse(message) else { return Vec::new() };
    let kind = |part: &mail_parser::MessagePart<'_>| {
        let content = part.content_type()?;
        let subtype = content.subtype()?.to_lowercase();
        match (&*content.ctype().to_lowercase(), &*subtype) {
            ("message", "delivery-status" | "global-delivery-status") => Some(PartKind::Status),
            ("message", "feedback-report") => Some(PartKind::Feedback),
            ("message", "rfc822" | "global") | ("text", "rfc822-headers") => {
                Some(PartKind::Returned)
            }
            ("message", "global-headers") => Some(PartKind::Returned),
            _ => None,
        }
    };
    // A report has three parts.
    let known = parsed.parts.iter().filter_map(|part| Some((kind(part)?, part))).take(10);
    known.map(|(kind, part)| Part { kind, bytes: part.contents().to_vec() }).collect()
}

/// Fields `Name: value` of one group, with lower-case names.
#[derive(Default)]
struct Fields(Vec<(String, String)>);

impl Fields {
    fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// The headers of a message.
fn head(bytes: &[u8]) -> Fields {
    groups(bytes, 1).into_iter().next().unwrap_or_default()
}

/// Splits text into groups of fields, which are separated by empty lines, and reads no more than `most`.
/// Folded lines are joined.
fn groups(bytes: &[u8], most: usize) -> Vec<Fields> {
    let text = String::from_utf8_lossy(bytes);
    let mut groups = vec![Fields::default()];
    for line in text.split('\n').map(|line| line.trim_end_matches('\r')) {
        let is_enough = groups.len() == most;
        let last = groups.last_mut().map(|group| &mut group.0);
        let Some(fields) = last else { continue };
        match line.split_once(':') {
            _ if line.trim().is_empty() && fields.is_empty() => {}
            _ if line.trim().is_empty() && is_enough => break,
            _ if line.trim().is_empty() => groups.push(Fields::default()),
            _ if line.starts_with([' ', '\t']) => {
                if let Some((_, value)) = fields.last_mut()
                    && value.len() < 4000
                {
                    value.push(' ');
                    value.push_str(line.trim());
                }
            }
            Some((name, value)) => {
                fields.push((name.trim().to_lowercase(), value.trim().to_owned()));
            }
            None => {}
        }
    }
    groups
}

/// What a mail server said, in one line of at most 500 characters.
pub(crate) fn one_line(said: &str) -> String {
    let clean = text::clean(said);
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(500).collect()
}
