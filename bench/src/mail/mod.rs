//! Measures how fast mail is sent: the real worker and a mail server on this machine, compared with a
//! loop that sends the same number of bytes over the same transport and does nothing else.
//! `just bench mail` runs it, on SQLite and, where `CAMP_TEST_POSTGRES_URL` names a server, on PostgreSQL.

mod camp;
pub mod sink;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use camp::Camp;
use portal::mail::{Mail, Mailer};
use sink::{Arrived, Sink};

const CONNECTIONS: usize = 16;
/// Families.
const SIZES: [usize; 2] = [2_000, 20_000];
const LIMIT: Duration = Duration::from_secs(600);
/// Each is measured so often, since other programs slow down now this and now that.
const ROUNDS: usize = 5;
/// The least ratio, as the median of the rounds.
const GOAL: f64 = 0.5;

/// Measures with the program `camp` at this path. Returns whether the goal was reached.
pub async fn measure_all(program: &str) -> bool {
    let program = PathBuf::from(program);
    let server = crate::scratch::postgres_server();
    println!(
        "{:<9} {:>8} {:>8} {:>10} {:>10} {:>6} {:>15} {:>12} {:>10} {:>12}",
        "engine",
        "families",
        "workers",
        "mails/s",
        "bare",
        "ratio",
        "range",
        "CPU a mail",
        "memory",
        "marked after"
    );
    let mut is_reached = true;
    for postgres in std::iter::once(None).chain(server.as_deref().map(Some)) {
        for families in SIZES {
            is_reached &= measure(&program, postgres, families, 1).await >= GOAL;
        }
        if postgres.is_some() {
            measure(&program, postgres, SIZES[1], 2).await;
        }
    }
    is_reached
}

/// One measurement.
struct Round {
    /// Mails a second.
    rate: f64,
    bare: f64,
    /// The processor time of the workers for each mail.
    cpu: Duration,
    /// The most that a worker ever had, in MiB.
    memory: u64,
    /// From the last mail until all were marked as sent.
    marked: Duration,
}

impl Round {
    fn ratio(&self) -> f64 {
        self.rate / self.bare
    }
}

/// Prints the median of the rounds and returns its ratio.
async fn measure(program: &Path, postgres: Option<&str>, families: usize, workers: usize) -> f64 {
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push(round(program, postgres, families, workers).await);
    }
    rounds.sort_by(|one, other| one.ratio().total_cmp(&other.ratio()));
    let engine = if postgres.is_some() { "postgres" } else { "sqlite" };
    let (median, memory) = (&rounds[ROUNDS / 2], rounds.iter().map(|round| round.memory).max());
    let range = format!("{:.2} to {:.2}", rounds[0].ratio(), rounds[ROUNDS - 1].ratio());
    println!(
        "{engine:<9} {families:>8} {workers:>8} {:>10.0} {:>10.0} {:>6.2} {range:>15} {:>9} µs {:>6} MiB {:>9} ms",
        median.rate,
        median.bare,
        median.ratio(),
        median.cpu.as_micros(),
        memory.unwrap_or_default(),
        median.marked.as_millis(),
    );
    median.ratio()
}

/// Lets the workers send one mail to each family, and then the bare loop as many.
async fn round(program: &Path, postgres: Option<&str>, families: usize, workers: usize) -> Round {
    let sink = Sink::start().await;
    let camp = Camp::with(program, postgres, families).await;
    let running: Vec<_> = (0..workers).map(|_| camp.start_worker(&sink.url, CONNECTIONS)).collect();
    let arrived = all(&sink, families).await;
    let last = Instant::now();
    camp.wait_until_recorded(families).await;
    let marked = last.elapsed();
    let (cpu, memory) = running
        .iter()
        .map(camp::Running::cost)
        .fold((Duration::ZERO, 0), |(cpu, memory), (more, peak)| (cpu + more, memory.max(peak)));
    drop(running);
    assert_eq!(
        (arrived.recipients, sink.arrived().await.mails),
        (families, families),
        "everybody once"
    );
    let bare = bare(&camp, &sink, families, arrived.bytes / families).await;
    camp.remove().await;
    let (rate, bare) = (per_second(&arrived), per_second(&bare));
    Round { rate, bare, cpu: cpu / families as u32, memory, marked }
}

fn per_second(arrived: &Arrived) -> f64 {
    arrived.mails as f64 / arrived.took.as_secs_f64()
}

async fn all(sink: &Sink, mails: usize) -> Arrived {
    let begun = Instant::now();
    loop {
        let arrived = sink.arrived().await;
        if arrived.mails >= mails {
            return arrived;
        }
        assert!(begun.elapsed() < LIMIT, "only {} mails", arrived.mails);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// The same number of mails and bytes, without a database.
async fn bare(camp: &Camp, sink: &Sink, mails: usize, bytes: usize) -> Arrived {
    sink.clear().await;
    let mailer = Mailer::open(&camp.config(&sink.url)).expect("a mailer");
    let line = format!("{}\r\n", "x".repeat(74));
    let mail = Mail {
        from: "office@camp.example".parse().expect("an address"),
        to: "family@family.example".parse().expect("an address"),
        reply_to: None,
        subject: "New video".into(),
        text: line.repeat(10),
        html: line.repeat((bytes / line.len()).saturating_sub(18)),
        encoded: None,
        message_id: "<mail@camp.example>".into(),
        envelope_sender: None,
        provider_header: None,
        list_id: None,
        unsubscribe_url: None,
        date: chrono::Utc::now(),
    };
    let message = mailer.prepare(&mail).expect("a message");
    let senders = (0..CONNECTIONS).map(|n| {
        let (mailer, message) = (mailer.clone(), message.clone());
        let share = mails / CONNECTIONS + usize::from(n < mails % CONNECTIONS);
        tokio::spawn(async move {
            for _ in 0..share {
                mailer.send_message(&message).await.expect("sent");
            }
        })
    });
    for sender in futures_util::future::join_all(senders).await {
        sender.expect("no panic");
    }
    let arrived = sink.arrived().await;
    let size = arrived.bytes / arrived.mails;
    assert!(size.abs_diff(bytes) < bytes / 10, "{size} instead of {bytes} bytes");
    arrived
}
