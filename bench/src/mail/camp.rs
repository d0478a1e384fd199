//! A camp of many families, and its worker.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use portal::audit::Actor;
use portal::db::Db;
use portal::videos::{self, NewVideo, Status};
use portal::{App, Config};
use sqlx::AssertSqlSafe;

use crate::scratch::Scratch;

pub struct Camp {
    program: PathBuf,
    scratch: Scratch,
    app: App,
}

impl Camp {
    /// Creates a camp with a new video, about which nobody was told yet.
    pub async fn with(program: &Path, server: Option<&str>, families: usize) -> Camp {
        let scratch = Scratch::new(server).await;
        let app = scratch.open().await;
        let camp = Camp { program: program.to_owned(), scratch, app };
        camp.add_families(families).await;
        assert_eq!(camp.publish().await, families, "all want mail");
        camp
    }

    pub fn config(&self, smtp_url: &str) -> Config {
        self.scratch.config(&["--smtp-url", smtp_url])
    }

    pub fn start_worker(&self, smtp_url: &str, connections: usize) -> Running {
        let connections = connections.to_string();
        let options = ["--smtp-url", smtp_url, "--mail-rate", "1000000"];
        let child = Command::new(&self.program)
            .arg("worker")
            .args(self.scratch.arguments())
            .args(options)
            .args(["--mail-connections", &connections])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Running(child.expect("the program starts"))
    }

    /// Waits until all mails are recorded as sent.
    pub async fn wait_until_recorded(&self, families: usize) {
        let begun = Instant::now();
        while self.sent().await < families as i64 {
            assert!(begun.elapsed() < Duration::from_secs(60), "all are recorded as sent");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn sent(&self) -> i64 {
        const COUNT: &str = "select count(*) from deliveries where status = 'sent'";
        let count = match &self.app.db {
            Db::Sqlite { read, .. } => sqlx::query_scalar(COUNT).fetch_one(read).await,
            Db::Postgres(pool) => sqlx::query_scalar(COUNT).fetch_one(pool).await,
        };
        count.expect("a number")
    }

    async fn add_families(&self, families: usize) {
        let numbers = match &self.app.db {
            Db::Sqlite { .. } => format!(
                "with recursive numbers (n) as
                   (select 1 union all select n + 1 from numbers where n < {families})"
            ),
            Db::Postgres(_) => {
                format!("with numbers as (select n from generate_series(1, {families}) g (n))")
            }
        };
        let id = match &self.app.db {
            Db::Sqlite { .. } => "randomblob(16)",
            Db::Postgres(_) => "gen_random_uuid()",
        };
        self.execute(format!(
            "{numbers}
             insert into profiles
               (id, full_name, child_name, user_type, origin, email_notifications, daily_video_email,
                camp_updates_email, welcome_popup_shown, approved_at, search_text, version,
                created_at, updated_at)
             select {id}, 'Family ' || n, 'A child', 'parent', 'staff', true, true, true, true, $1, '', 1, $1, $1
             from numbers"
        ))
        .await;
        self.execute(
            "insert into profile_addresses
               (email, profile_id, kind, entered_by_staff, verified_at, created_at)
             select 'family-' || substr(full_name, 8) || '@provider-' || substr(full_name, length(full_name)) || '.example',
                    id, 'primary', true, null, $1
             from profiles"
                .into(),
        )
        .await;
    }

    async fn execute(&self, text: String) {
        let query = AssertSqlSafe(text);
        let now = chrono::Utc::now();
        match &self.app.db {
            Db::Sqlite { write, .. } => sqlx::query(query).bind(now).execute(write).await.map(drop),
            Db::Postgres(pool) => sqlx::query(query).bind(now).execute(pool).await.map(drop),
        }
        .expect("written");
    }

    async fn publish(&self) -> usize {
        let settings = self.app.settings().await.expect("settings");
        let new = NewVideo {
            title: "Swim test at the lake".into(),
            video_url: Some("https://youtu.be/aBcDeFgHiJk".into()),
            upload_id: None,
            description: Some("The whole camp was at the lake, and everybody swam.".into()),
            upload_date: None,
            status: Status::Published,
            scheduled_date: None,
            is_featured: false,
        };
        let app = &self.app;
        let mut tx = app.db.begin().await.expect("a transaction");
        let saved = videos::create(&mut tx, app, &settings, Actor::System, &new, None).await;
        tx.commit().await.expect("committed");
        saved.expect("a video").notified as usize
    }

    pub async fn remove(self) {
        self.app.db.close().await;
        self.scratch.remove().await;
    }
}

/// A worker, killed when it is dropped.
pub struct Running(Child);

impl Running {
    /// The processor time since its start, and the most memory that it ever had, in MiB.
    pub fn cost(&self) -> (Duration, u64) {
        let read = |name| std::fs::read_to_string(format!("/proc/{}/{name}", self.0.id()));
        let stat = read("stat").expect("it runs");
        // After the name of the program, which may contain spaces.
        let fields: Vec<u64> = stat.rsplit(')').next().map_or_else(Vec::new, |rest| {
            rest.split_whitespace().skip(11).take(2).filter_map(|n| n.parse().ok()).collect()
        });
        // In hundredths of a second on Linux.
        let cpu = Duration::from_millis(fields.iter().sum::<u64>() * 10);
        let status = read("status").expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
        let memory = line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") >> 10;
        (cpu, memory)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}
