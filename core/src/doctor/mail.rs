//! Checks mail: whether the mail server accepts our mail, and whether receivers will trust it.

use std::net::SocketAddr;

use super::dns::{self, Answer};
use super::{Findings, Options, State};
use crate::config::Config;
use crate::mail::{DkimKey, Mailer, SendError, Trouble};

pub(super) async fn examine(config: &Config, options: &Options, found: &mut Findings) {
    const WHAT: &str = "mail-server";
    if config.smtp_urls().is_empty() {
        let says = "Nobody gets mail: without --smtp-url it is written to files.";
        found.warning(
            WHAT,
            says,
            "--smtp-url smtps://USER:PASSWORD@mail.camp.example (CAMP_SMTP_URL)",
        );
        return found.not_checked("mail-from", "The sender matters only once mail is really sent.");
    }
    match Mailer::open(config) {
        Err(error) => found.broken(WHAT, error.to_string(), "Correct --smtp-url (CAMP_SMTP_URL)."),
        Ok(mailer) => {
            for (server, answer) in mailer.probe().await {
                examine_server(&server, answer, found);
            }
        }
    }
    let domain = config.mail_domain();
    if sender(config, &domain, found) {
        records(config, &domain, options, found).await;
    }
}

fn examine_server(server: &str, answer: Result<&str, SendError>, found: &mut Findings) {
    const WHAT: &str = "mail-server";
    match answer {
        Ok(how) => {
            found.ok(WHAT, format!("{server} answers {how}. (`camp mail test` sends a mail.)"))
        }
        Err(answer) => {
            let Trouble { says, todo, passes } = answer.into();
            let state = if passes { State::Warning } else { State::Broken };
            found.add(WHAT, state, format!("{server} {says}."), Some(todo.to_owned()));
        }
    }
}

/// Whether the sender's domain is a complete name. Warns if it is unrelated to the site's domain.
fn sender(config: &Config, domain: &str, found: &mut Findings) -> bool {
    const WHAT: &str = "mail-from";
    const ADVICE: &str = "--mail-from \"Camp <hello@camp.example>\" (CAMP_MAIL_FROM)";
    if !domain.contains('.') || domain.starts_with('[') {
        let says = format!("Mail comes from an address at “{domain}”, so nobody can reply to it.");
        found.broken(WHAT, says, ADVICE);
        return false;
    }
    let site = config.public_url.as_ref().and_then(|url| url.domain()).unwrap_or_default();
    let related = site.is_empty()
        || is_within(site, domain)
        || is_within(domain, site)
        || family(site) == family(domain);
    match related {
        true => found.ok(WHAT, format!("Mail comes from {}.", config.mail_from("").email)),
        false => found.warning(
            WHAT,
            format!("Mail comes from {domain}, its links lead to {site}: spam filters may treat that as fraud."),
            ADVICE,
        ),
    }
    true
}

fn is_within(name: &str, domain: &str) -> bool {
    name == domain || name.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
}

/// The last two labels: a guess that is good enough for a warning.
fn family(domain: &str) -> Option<&str> {
    let (at, _) = domain.rmatch_indices('.').nth(1)?;
    Some(&domain[at + 1..])
}

async fn records(config: &Config, domain: &str, options: &Options, found: &mut Findings) {
    let servers = match options.name_server {
        Some(server) => vec![server],
        None => dns::servers().await,
    };
    spf(domain, &servers, found).await;
    dkim(config, &servers, found).await;
    dmarc(domain, &servers, found).await;
}

async fn spf(domain: &str, servers: &[SocketAddr], found: &mut Findings) {
    const WHAT: &str = "spf";
    const ADVICE: &str = "Add the TXT record that your mail provider names, such as \
                        “v=spf1 include:mail.example -all”.";
    let Some(texts) = look_up(WHAT, domain, servers, found).await else { return };
    let policies: Vec<&String> = texts
        .iter()
        .filter(|text| {
            text.split_whitespace().next().is_some_and(|v| v.eq_ignore_ascii_case("v=spf1"))
        })
        .collect();
    match policies.as_slice() {
        [] => found.warning(
            WHAT,
            format!("{domain} does not say who may send its mail (no SPF record)."),
            ADVICE,
        ),
        [one] if one.split_whitespace().any(|word| word == "+all" || word == "all") => found
            .warning(
                WHAT,
                format!("Anybody may send mail of {domain}: “{one}”."),
                "End the SPF record with “-all” or “~all”.",
            ),
        [one] => found.ok(WHAT, format!("{domain} says who may send its mail: “{one}”.")),
        many => found.broken(
            WHAT,
            format!("{domain} has {} SPF records, so none of them counts.", many.len()),
            "Make one record of them.",
        ),
    }
}

async fn dkim(config: &Config, servers: &[SocketAddr], found: &mut Findings) {
    const WHAT: &str = "dkim";
    let ours = match config.dkim_key.as_deref().map(DkimKey::read) {
        Some(Ok(key)) => Some(key.record()),
        Some(Err(error)) => {
            return found.broken(WHAT, error.to_string(), "`camp mail dkim` makes a key.");
        }
        None => None,
    };
    if ours.is_none() && config.dkim_selector.is_none() {
        let says = "Whether mails are signed (DKIM) was not looked at: --dkim-selector names the key, \
                    and the mail provider knows its name.";
        return found.not_checked(WHAT, says);
    }
    let name = config.dkim_name();
    let Some(texts) = look_up(WHAT, &name, servers, found).await else { return };
    let published = texts.iter().find_map(|text| public_key(text));
    match (published, &ours) {
        (None, None) => found.warning(
            WHAT,
            format!("No mail-signing key is published at {name}."),
            "Add the TXT record that your mail provider names, or correct --dkim-selector.",
        ),
        (None, Some(record)) => found.warning(
            WHAT,
            format!("No mail-signing key is published at {name}."),
            format!("Add this TXT record: {record}"),
        ),
        (Some(key), Some(record)) if Some(&key) != public_key(record).as_ref() => found.broken(
            WHAT,
            format!("The key at {name} does not match the one that signs mail, so receivers will not trust it."),
            format!("Replace it by this TXT record: {record}"),
        ),
        (Some(_), _) => found.ok(WHAT, format!("The key that signs mail is published at {name}.")),
    }
}

/// The key in a DKIM record, without the spaces that DNS forms put into it.
fn public_key(record: &str) -> Option<String> {
    let key = record.split(';').find_map(|part| part.trim().strip_prefix("p="))?;
    let key: String = key.split_whitespace().collect();
    (!key.is_empty()).then_some(key)
}

async fn dmarc(domain: &str, servers: &[SocketAddr], found: &mut Findings) {
    const WHAT: &str = "dmarc";
    // A domain without its own record uses that of the parent domain.
    let mut at = domain;
    loop {
        let name = format!("_dmarc.{at}");
        let Some(texts) = look_up(WHAT, &name, servers, found).await else { return };
        if let Some(policy) = texts.iter().find(|text| text.starts_with("v=DMARC1")) {
            return found.ok(WHAT, format!("{name} says what to do with forged mail: “{policy}”."));
        }
        match at.split_once('.') {
            Some((_, above)) if above.contains('.') => at = above,
            _ => break,
        }
    }
    found.warning(
        WHAT,
        format!("{domain} does not say what to do with mail that pretends to be from it (no DMARC record)."),
        format!("Add a TXT record _dmarc.{domain}, to begin with “v=DMARC1; p=none”. Large mailboxes ask for it."),
    );
}

async fn look_up(
    what: &'static str,
    name: &str,
    servers: &[SocketAddr],
    found: &mut Findings,
) -> Option<Vec<String>> {
    match dns::texts(name, servers).await {
        Answer::Texts(texts) => Some(texts),
        Answer::None(why) => {
            found.not_checked(what, format!("{name} could not be looked up: {why}."));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{family, is_within};

    #[test]
    fn a_site_and_its_sender_are_related_by_their_names() {
        assert!(is_within("videos.camp.example", "camp.example"));
        assert!(!is_within("summercamp.example", "camp.example"));
        assert_eq!(family("videos.camp.example"), family("mail.camp.example"));
        assert_ne!(family("videos.camp.example"), family("camp.test"));
    }
}
