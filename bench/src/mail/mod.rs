//! Measures how fast mail is sent: the real worker and a mail server on this machine, compared with a
//! loop that sends the same number of bytes over the same transport and does nothing else.
//! `just bench mail` runs it, on SQLite and, where `CAMP_TEST_POSTGRES_URL` names a server, on PostgreSQL.

mod camp;
pub mod sink;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use camp::Camp;
use portal::mail::{Mail, Mailer};
use sink::{Arrived, Sink};

const CONNECTIONS: usize = 16;
/// Families.
const SIZES: [usize; 2] = [2_000, 20_000];
const LIMIT: Duration = Duration::from_secs(600);

/// Measures with the program `camp` at this path.
pub async fn measure_all(program: &str) {
    let program = PathBuf::from(program);
    let server = std::env::var("CAMP_TEST_POSTGRES_URL").ok().filter(|url| !url.is_empty());
    println!(
        "{:<9} {:>8} {:>8} {:>10} {:>10} {:>6} {:>12} {:>10}",
        "engine", "families", "workers", "mails/s", "bare", "ratio", "CPU a mail", "memory"
    );
    for postgres in std::iter::once(None).chain(server.as_deref().map(Some)) {
        for families in SIZES {
            measure(&program, postgres, families, 1).await;
        }
        if postgres.is_some() {
            measure(&program, postgres, SIZES[1], 2).await;
        }
    }
}

async fn measure(
    program: &std::path::Path,
    postgres: Option<&str>,
    families: usize,
    workers: usize,
) {
    let sink = Sink::start().await;
    let camp = Camp::with(program, postgres, families).await;
    let running: Vec<_> = (0..workers).map(|_| camp.start_worker(&sink.url, CONNECTIONS)).collect();
    let arrived = all(&sink, families).await;
    camp.wait_until_recorded(families).await;
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
    let (rate, bare) = (per_second(&arrived), per_second(&bare));
    println!(
        "{:<9} {families:>8} {workers:>8} {rate:>10.0} {bare:>10.0} {:>6.2} {:>9} µs {memory:>6} MiB",
        camp.engine(),
        rate / bare,
        cpu.as_micros() as usize / families,
    );
    camp.remove().await;
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
