//! Sends valid and invalid requests, generated from the contract, in every role. The portal always
//! responds with a status that the contract declares, and its errors are problem documents.
//!
//! `CAMP_CHAOS=1` makes a run long. `CAMP_GENERATED_REQUESTS` sets its length on each engine, and
//! `CAMP_GENERATED_SEED` its random seed.

mod contract;
mod people;
mod request;
mod values;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use axum::http::header;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::camp::{Camp, Reply};

use self::contract::Operation;
use self::people::People;
use self::values::Known;

/// The time limit for a short run on one engine.
const SHORT: Duration = Duration::from_secs(15);
/// Longer than any response may take.
const HANGS: Duration = Duration::from_secs(30);

story! {
    async fn no_generated_request_breaks_the_portal(camp) {
        let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let long = std::env::var("CAMP_CHAOS").is_ok();
        let most = number("CAMP_GENERATED_REQUESTS").unwrap_or(if long { 500_000 } else { 20_000 });
        let seed = number("CAMP_GENERATED_SEED").unwrap_or(1);
        let limit = if long { Duration::MAX } else { SHORT };
        let run = Run::through(&camp, seed, most, limit).await;
        run.print(&camp, seed);
        assert!(run.wrong.is_empty(), "{}", run.wrong.join("\n\n"));
        // The stored data does not break the worker either. `story!` checks for failed jobs.
        camp.work().await;
    }
}

#[derive(Default)]
struct Run {
    sent: u64,
    statuses: BTreeMap<u16, u64>,
    operations: usize,
    wrong: Vec<String>,
    took: Duration,
    memory: (u64, u64),
}

impl Run {
    async fn through(camp: &Camp, seed: u64, most: u64, limit: Duration) -> Run {
        let operations = contract::operations();
        let mut rng = StdRng::seed_from_u64(seed);
        let mut people = People::arrive(camp).await;
        let mut known = Known::default();
        let mut run = Run { operations: operations.len(), ..Run::default() };
        let began = Instant::now();
        // Starts with each operation in turn, so that a short run covers all of them.
        let turns = (operations.len() * people::ROLES.len()) as u64;
        while run.sent < most && began.elapsed() < limit && run.wrong.len() < 20 {
            if run.sent.is_multiple_of(50) {
                people.stay(camp).await;
            }
            let (operation, role) = match run.sent < turns {
                true => {
                    let turn = run.sent as usize;
                    (turn / people::ROLES.len(), turn % people::ROLES.len())
                }
                false => {
                    let operation = rng.random_range(0..operations.len());
                    (operation, people::likely(&operations[operation].security, &mut rng))
                }
            };
            let operation = &operations[operation];
            let mut sent = request::make(&mut rng, operation, &known);
            let browser = people.somewhere(role, &mut rng);
            if let Some(cookies) = browser.cookie_header() {
                sent.request.headers_mut().entry(header::COOKIE).or_insert(cookies);
            }
            let shown = format!("{} as {} (seed {seed})", sent.shown, people::ROLES[role]);
            let answer = browser.send_raw(sent.request);
            match tokio::time::timeout(HANGS, answer).await {
                Ok(reply) => run.judge(operation, sent.bare, &shown, &reply, &mut known, &mut rng),
                Err(_) => run.wrong.push(format!("{shown}: no answer after {HANGS:?}")),
            }
            run.sent += 1;
            // The first requests fill caches and pools.
            if run.sent == turns {
                camp.forget_mails();
                run.memory.0 = resident();
            }
        }
        run.took = began.elapsed();
        camp.forget_mails();
        run.memory.1 = resident();
        run
    }

    fn judge(
        &mut self,
        operation: &Operation,
        bare: bool,
        shown: &str,
        reply: &Reply,
        known: &mut Known,
        rng: &mut StdRng,
    ) {
        let status = reply.status.as_u16();
        *self.statuses.entry(status).or_default() += 1;
        let mut wrong = |what: &str| {
            self.wrong.push(format!("{shown}\n  {what}: {status} {}", reply.text()));
        };
        if status >= 500 && status != 503 {
            return wrong("failed");
        }
        if !operation.statuses.contains(&status) {
            return wrong("answered with a status that the contract does not name");
        }
        let json = serde_json::from_slice::<serde_json::Value>(&reply.bytes);
        if status < 400 {
            if let Ok(json) = json {
                known.learn(&json, rng);
            }
            return;
        }
        // `HEAD` has no body, and `/readyz` responds with its own body.
        if bare || reply.header("content-type") == "application/json" && status == 503 {
            return;
        }
        let problem = json.unwrap_or_default();
        if reply.header("content-type") != "application/problem+json"
            || problem["status"] != status
            || problem["request_id"] != reply.header("x-request-id")
        {
            wrong("is no problem");
        }
    }

    fn print(&self, camp: &Camp, seed: u64) {
        let (before, after) = self.memory;
        println!(
            "{}: {} generated requests for {} operations in {:.0} s (seed {seed}); answers {:?}; \
             resident memory {before} MB, then {after} MB",
            camp.app.db.engine(),
            self.sent,
            self.operations,
            self.took.as_secs_f32(),
            self.statuses,
        );
    }
}

/// Memory of this process in MB; 0 if unknown.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() / 1024
}
