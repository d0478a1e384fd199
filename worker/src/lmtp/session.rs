//! One connection of a mail server. Lines end with CR LF and nothing else does, so that what a report
//! contains is never taken for a command.

use std::borrow::Cow;

use portal::App;
use portal::bounces::{self, MAX_BYTES, Received, Source};
use smtp_proto::request::receiver::{DataReceiver, DummyDataReceiver};
use smtp_proto::{MAIL_BODY_7BIT, MAIL_BODY_8BITMIME, MailFrom, RcptTo, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::{Limits, Stream};

/// The largest message. Only its first [`MAX_BYTES`] are kept and read.
const MAX_SIZE: usize = 16 << 20;
/// The longest line of a command.
const MAX_LINE: usize = 2048;
const MAX_RECIPIENTS: usize = 100;
const MAX_COMMANDS: usize = 10_000;
/// Commands that were not understood.
const MAX_ERRORS: usize = 10;
const BUFFER: usize = 8192;

pub(super) struct Session {
    app: App,
    stream: Box<dyn Stream>,
    limits: Limits,
    stop: CancellationToken,
    /// What was read and not handled.
    input: Vec<u8>,
    /// What was said and not written.
    output: Vec<u8>,
    is_greeted: bool,
    has_sender: bool,
    recipients: Vec<String>,
    errors: usize,
}

/// Why a connection ends, with what is said last.
enum End {
    Silent,
    Saying(&'static str),
}

impl Session {
    pub fn new(
        app: App,
        stream: Box<dyn Stream>,
        limits: Limits,
        stop: CancellationToken,
    ) -> Session {
        Session {
            app,
            stream,
            limits,
            stop,
            input: Vec::new(),
            output: Vec::new(),
            is_greeted: false,
            has_sender: false,
            recipients: Vec::new(),
            errors: 0,
        }
    }

    pub async fn run(mut self) {
        let last = match timeout(self.limits.whole, self.talk()).await {
            Ok(End::Silent) => None,
            Ok(End::Saying(text)) => Some(text),
            Err(_) => Some("421 4.4.2 This connection takes too long"),
        };
        if let Some(text) = last {
            self.say(text);
            self.flush().await.ok();
        }
        timeout(self.limits.idle, self.stream.shutdown()).await.ok();
    }

    async fn talk(&mut self) -> End {
        self.say(&format!("220 {} LMTP ready", self.name()));
        for _ in 0..MAX_COMMANDS {
            let handled = match self.line().await {
                Ok(line) => self.handle(&line).await,
                Err(end) => Err(end),
            };
            if let Err(end) = handled {
                return end;
            }
            if self.errors > MAX_ERRORS {
                return End::Saying("421 4.7.0 Too many errors");
            }
        }
        End::Saying("421 4.7.0 Too many commands")
    }

    async fn handle(&mut self, line: &[u8]) -> Result<(), End> {
        match Request::parse(&mut line.iter()) {
            Ok(Request::Lhlo { .. }) => {
                self.is_greeted = true;
                self.reset();
                let name = self.name();
                self.say(&format!(
                    "250-{name}\r\n250-PIPELINING\r\n250-ENHANCEDSTATUSCODES\r\n250-8BITMIME\r\n250 SIZE {MAX_SIZE}"
                ));
            }
            Ok(Request::Mail { from }) => self.sender(&from),
            Ok(Request::Rcpt { to }) => self.recipient(to),
            Ok(Request::Data) => return self.data().await,
            Ok(Request::Rset) => {
                self.reset();
                self.say("250 2.0.0 OK");
            }
            Ok(Request::Noop { .. }) => self.say("250 2.0.0 OK"),
            Ok(Request::Vrfy { .. }) => self.say("252 2.0.0 Send the message to find out"),
            Ok(Request::Quit) => return Err(End::Saying("221 2.0.0 Bye")),
            Ok(Request::Ehlo { .. } | Request::Helo { .. }) => {
                self.refuse("500 5.5.1 This is LMTP, which begins with LHLO");
            }
            Ok(_) => self.refuse("502 5.5.1 There is no such command"),
            Err(smtp_proto::Error::UnknownCommand) => {
                self.refuse("500 5.5.1 There is no such command");
            }
            Err(smtp_proto::Error::UnsupportedParameter { .. }) => {
                self.refuse("555 5.5.4 This parameter is not supported");
            }
            Err(_) => self.refuse("501 5.5.4 This cannot be understood"),
        }
        Ok(())
    }

    fn sender(&mut self, from: &MailFrom<Cow<'_, str>>) {
        if !self.is_greeted || self.has_sender {
            return self.refuse("503 5.5.1 Not now");
        }
        if from.flags & !(MAIL_BODY_7BIT | MAIL_BODY_8BITMIME) != 0 {
            return self.refuse("555 5.5.4 This parameter is not supported");
        }
        if from.size > MAX_SIZE {
            return self.say("552 5.3.4 The message is too large");
        }
        self.has_sender = true;
        self.say("250 2.1.0 OK");
    }

    fn recipient(&mut self, to: RcptTo<Cow<'_, str>>) {
        if !self.has_sender {
            return self.refuse("503 5.5.1 Not now");
        }
        if self.recipients.len() == MAX_RECIPIENTS {
            return self.say("452 4.5.3 Too many recipients");
        }
        if !bounces::is_for_bounces(&self.app.config, &to.address) {
            return self.say("550 5.1.1 Only the address for bounces is known here");
        }
        self.recipients.push(to.address.into_owned());
        self.say("250 2.1.5 OK");
    }

    /// Takes a message. The reply for each recipient is its own.
    async fn data(&mut self) -> Result<(), End> {
        if self.recipients.is_empty() {
            // If a client has sent the text without waiting, it would be read as commands.
            if !self.input.is_empty() {
                return Err(End::Saying("421 4.5.1 There is no recipient"));
            }
            self.refuse("503 5.5.1 There is no recipient");
            return Ok(());
        }
        self.say("354 Send the message, then a line with only a dot");
        let (message, size) = self.message().await?;
        for recipient in std::mem::take(&mut self.recipients) {
            let reply = match size > MAX_SIZE {
                true => "552 5.3.4 The message is too large",
                false => self.record(&message, &recipient).await,
            };
            self.say(reply);
        }
        self.reset();
        Ok(())
    }

    /// Reads a message up to its last line. Returns what is kept of it, and its size.
    async fn message(&mut self) -> Result<(Vec<u8>, usize), End> {
        let mut message = Vec::new();
        let mut kept = DataReceiver::new();
        // The message begins in a line of its own.
        kept.ingest(&mut b"\r\n".iter(), &mut message);
        message.clear();
        let mut dropped: Option<DummyDataReceiver> = None;
        let mut size = 0;
        loop {
            if self.input.is_empty() {
                self.flush().await?;
                self.fill().await?;
            }
            let bytes = std::mem::take(&mut self.input);
            let mut rest = bytes.iter();
            let is_whole = match &mut dropped {
                Some(receiver) => receiver.ingest(&mut rest),
                None => kept.ingest(&mut rest, &mut message),
            };
            size += bytes.len() - rest.len();
            self.input = rest.as_slice().to_vec();
            if dropped.is_none() && message.len() > MAX_BYTES {
                message.truncate(MAX_BYTES);
                dropped = Some(DummyDataReceiver::new_data(&kept));
            }
            if is_whole {
                return Ok((message, size));
            }
        }
    }

    async fn record(&self, message: &[u8], recipient: &str) -> &'static str {
        match bounces::receive(&self.app, message, Some(recipient), Source::Lmtp).await {
            Ok(Received::Recorded(_)) => "250 2.0.0 Recorded",
            Ok(Received::Repeated) => "250 2.0.0 Reported before",
            Ok(Received::Ignored(_)) => "250 2.0.0 Nothing to do",
            Ok(Received::NotOurs) => "250 2.0.0 Not about a mail of the portal, dropped",
            Ok(Received::NoReport) => "250 2.0.0 Not a report, dropped",
            Err(error) => {
                tracing::warn!(error = error.reason(), "a bounce must come again");
                "451 4.3.0 The portal cannot take it now"
            }
        }
    }

    fn reset(&mut self) {
        self.has_sender = false;
        self.recipients.clear();
    }

    /// Reads one line of a command.
    async fn line(&mut self) -> Result<Vec<u8>, End> {
        loop {
            if let Some(end) = self.input.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.input.drain(..=end).collect();
                let text = line.strip_suffix(b"\r\n").unwrap_or(b"\n");
                return match text.iter().any(|byte| b"\r\n\0".contains(byte)) {
                    true => Err(End::Saying("500 5.5.2 Lines end with CR LF")),
                    false if text.len() > MAX_LINE => Err(TOO_LONG),
                    false => Ok(line),
                };
            }
            if self.input.len() > MAX_LINE {
                return Err(TOO_LONG);
            }
            self.flush().await?;
            let stop = self.stop.clone();
            tokio::select! {
                () = stop.cancelled() => return Err(End::Saying("421 4.3.2 The portal stops now")),
                filled = self.fill() => filled?,
            }
        }
    }

    async fn fill(&mut self) -> Result<(), End> {
        let mut buffer = [0; BUFFER];
        match timeout(self.limits.idle, self.stream.read(&mut buffer)).await {
            Ok(Ok(0) | Err(_)) => Err(End::Silent),
            Ok(Ok(read)) => {
                self.input.extend_from_slice(&buffer[..read]);
                Ok(())
            }
            Err(_) => Err(End::Saying("421 4.4.2 Nothing was said for too long")),
        }
    }

    fn say(&mut self, text: &str) {
        self.output.extend_from_slice(text.as_bytes());
        self.output.extend_from_slice(b"\r\n");
    }

    fn refuse(&mut self, text: &str) {
        self.errors += 1;
        self.say(text);
    }

    async fn flush(&mut self) -> Result<(), End> {
        let output = std::mem::take(&mut self.output);
        match timeout(self.limits.idle, self.stream.write_all(&output)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(End::Silent),
        }
    }

    fn name(&self) -> String {
        let domain = self.app.config.mail_domain();
        if domain.is_ascii() { domain } else { "localhost".to_owned() }
    }
}

const TOO_LONG: End = End::Saying("500 5.5.2 This line is too long");
