//! Bounce reports in the formats of several mail servers.

use portal::mail::Mail;

/// What a report says about one recipient: address, action, status, what the other server said.
pub type Line<'a> = (&'a str, &'a str, &'a str, &'a str);

/// Writes a report in one mail server's format.
pub type Style = fn(&Mail, &str, &[Line<'_>]) -> String;

/// All formats. Each takes the returned email, the address that the report goes to, and what it
/// says.
pub const STYLES: [(&str, Style); 4] =
    [("postfix", postfix), ("exim", exim), ("exchange", exchange), ("gmail", gmail)];

/// The headers of an email as it was sent.
fn headers(mail: &Mail) -> String {
    format!(
        "From: {}\r\nTo: {}\r\nSubject: {}\r\nMessage-ID: {}\r\nMIME-Version: 1.0\r\n",
        mail.from, mail.to, "Returned", mail.message_id
    )
}

pub fn postfix(mail: &Mail, to: &str, lines: &[Line<'_>]) -> String {
    let recipients: String = lines
        .iter()
        .map(|(address, action, status, said)| {
            format!("Final-Recipient: rfc822; {address}\nOriginal-Recipient: rfc822;{address}\nAction: {action}\nStatus: {status}\nRemote-MTA: dns; mx.family.example\nDiagnostic-Code: smtp; {said}\n\n")
        })
        .collect();
    format!(
        "Return-Path: <>\nDelivered-To: {to}\nDate: Wed, 29 Jul 2026 16:02:11 +0000 (UTC)\nFrom: MAILER-DAEMON@relay.camp.example (Mail Delivery System)\nSubject: Undelivered Mail Returned to Sender\nTo: {to}\nAuto-Submitted: auto-replied\nMIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status;\n\tboundary=\"4B2F1.1785340931/relay.camp.example\"\n\nThis is a MIME-encapsulated message.\n\n--4B2F1.1785340931/relay.camp.example\nContent-Description: Notification\nContent-Type: text/plain; charset=us-ascii\n\nYour mail could not be delivered to one or more recipients.\n\n--4B2F1.1785340931/relay.camp.example\nContent-Description: Delivery report\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; relay.camp.example\nX-Postfix-Queue-ID: 4B2F1\nArrival-Date: Wed, 29 Jul 2026 16:02:10 +0000 (UTC)\n\n{recipients}--4B2F1.1785340931/relay.camp.example\nContent-Description: Undelivered Message\nContent-Type: message/rfc822\n\n{}\nThe text.\n--4B2F1.1785340931/relay.camp.example--\n",
        headers(mail).replace("\r\n", "\n"),
    )
}

pub fn exim(mail: &Mail, to: &str, lines: &[Line<'_>]) -> String {
    let failed: Vec<&str> = lines.iter().map(|(address, ..)| *address).collect();
    let recipients: String = lines
        .iter()
        .map(|(address, action, status, said)| {
            format!("Action: {action}\nFinal-Recipient: rfc822;{address}\nStatus: {status}\nRemote-MTA: dns; mail.family.example\nDiagnostic-Code: smtp; {said}\n\n")
        })
        .collect();
    format!(
        "X-Failed-Recipients: {}\nAuto-Submitted: auto-replied\nFrom: Mail Delivery System <Mailer-Daemon@host.camp.example>\nEnvelope-To: {to}\nTo: {to}\nReferences: {}\nContent-Type: multipart/report; report-type=delivery-status; boundary=1785340931-eximdsn-42\nMIME-Version: 1.0\nSubject: Mail delivery failed: returning message to sender\n\n--1785340931-eximdsn-42\nContent-type: text/plain; charset=us-ascii\n\nA message that you sent could not be delivered.\n\n--1785340931-eximdsn-42\nContent-type: message/delivery-status\n\nReporting-MTA: dns; host.camp.example\n\n{recipients}--1785340931-eximdsn-42\nContent-type: text/rfc822-headers\n\nReturn-path: <{to}>\n{}\n--1785340931-eximdsn-42--\n",
        failed.join(", "),
        mail.message_id,
        headers(mail).replace("\r\n", "\n"),
    )
}

pub fn exchange(mail: &Mail, to: &str, lines: &[Line<'_>]) -> String {
    let recipients: String = lines
        .iter()
        .map(|(address, action, status, said)| {
            format!("Final-recipient: RFC822;{address}\r\nAction: {action}\r\nStatus: {status}\r\nDiagnostic-code: smtp;{said}\r\nX-Display-Name: {address}\r\n\r\n")
        })
        .collect();
    format!(
        "From: <postmaster@family.example>\r\nTo: <{to}>\r\nMIME-Version: 1.0\r\nX-MS-Exchange-Message-Is-Ndr:\r\nContent-Language: en-US\r\nMessage-ID: <ndr-17@mail.family.example>\r\nAuto-Submitted: auto-replied\r\nSubject: Undeliverable: Returned\r\nContent-Type: multipart/report; report-type=delivery-status;\r\n boundary=\"a1b2_ndr\"\r\n\r\n--a1b2_ndr\r\nContent-Type: multipart/alternative; differences=Content-Type;\r\n boundary=\"c3d4_text\"\r\n\r\n--c3d4_text\r\nContent-Type: text/plain; charset=\"us-ascii\"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nYour message couldn't be delivered.=0D=0A\r\n--c3d4_text\r\nContent-Type: text/html; charset=\"us-ascii\"\r\n\r\n<html><body><b>It couldn't be delivered.</b></body></html>\r\n--c3d4_text--\r\n--a1b2_ndr\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns;mail.family.example\r\nReceived-From-MTA: dns;relay.camp.example\r\n\r\n{recipients}--a1b2_ndr\r\nContent-Type: message/rfc822\r\n\r\nReceived: from relay.camp.example (203.0.113.5)\r\n by mail.family.example\r\n{}\r\nThe text.\r\n--a1b2_ndr--\r\n",
        headers(mail),
    )
}

pub fn gmail(mail: &Mail, to: &str, lines: &[Line<'_>]) -> String {
    let recipients: String = lines
        .iter()
        .map(|(address, action, status, said)| {
            let folded = said.replace(' ', "\r\n ");
            format!("Final-Recipient: rfc822; {address}\r\nAction: {action}\r\nStatus: {status}\r\nDiagnostic-Code: smtp; {folded}\r\nLast-Attempt-Date: Wed, 29 Jul 2026 09:02:12 -0700 (PDT)\r\n\r\n")
        })
        .collect();
    format!(
        "Delivered-To: {to}\r\nFrom: Mail Delivery Subsystem <mailer-daemon@mail.example>\r\nTo: {to}\r\nAuto-Submitted: auto-replied\r\nSubject: Delivery Status Notification (Failure)\r\nContent-Type: multipart/report; boundary=\"000000000000d0c5\"; report-type=delivery-status\r\n\r\n--000000000000d0c5\r\nContent-Type: multipart/related; boundary=\"000000000000d0c6\"\r\n\r\n--000000000000d0c6\r\nContent-Type: text/html; charset=\"UTF-8\"\r\n\r\n<p>Address not found</p>\r\n--000000000000d0c6\r\nContent-Type: image/png; name=\"icon.png\"\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--000000000000d0c6--\r\n--000000000000d0c5\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mail.example\r\nX-Original-Message-ID: {}\r\n\r\n{recipients}--000000000000d0c5\r\nContent-Type: message/rfc822\r\n\r\n{}\r\n----- Message truncated -----\r\n--000000000000d0c5--\r\n",
        mail.message_id,
        headers(mail),
    )
}

/// A complaint (RFC 5965).
pub fn complaint(mail: &Mail, kind: &str) -> String {
    format!(
        "From: <feedback@provider.example>\r\nTo: <abuse@camp.example>\r\nSubject: FW: Returned\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=feedback-report; boundary=\"arf-7\"\r\n\r\n--arf-7\r\nContent-Type: text/plain; charset=\"US-ASCII\"\r\n\r\nThis is an email abuse report.\r\n--arf-7\r\nContent-Type: message/feedback-report\r\n\r\nFeedback-Type: {kind}\r\nUser-Agent: Feedback/1.0\r\nVersion: 1\r\nOriginal-Rcpt-To: <{}>\r\n\r\n--arf-7\r\nContent-Type: message/rfc822\r\n\r\n{}\r\nThe text.\r\n--arf-7--\r\n",
        mail.to.email,
        headers(mail),
    )
}
