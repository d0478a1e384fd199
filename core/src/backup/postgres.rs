//! Copies PostgreSQL databases with its own programs: `pg_dump`, `pg_restore` and `psql`.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use chrono::{DateTime, SecondsFormat, Utc};
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, PgConnection};
use url::Url;

use super::inspect::{self, Facts};
use super::{Held, hold_mail, stamp};
use crate::db::Db;
use crate::{Error, Result, root};

/// The prefix of the schemas of a camp that was set aside. They are never part of a backup.
const ASIDE: &str = "before_restore_";

/// Copies a snapshot of the database and returns what this copy contains.
pub(super) async fn dump(db: &Db, url: &str, to: &Path) -> Result<Facts> {
    let tools = Tools::find(db, url).await?;
    let mut tx = db.snapshot().await?;
    let schema: Option<String> = tx.sql("select cast(current_schema() as text)").scalar().await?;
    if schema.as_deref() != Some("public") {
        return Err(Error::Setup(
            "Backups are made of the schema public only, and this camp is in another one. Please \
             use pg_dump itself."
                .into(),
        ));
    }
    let snapshot: String = tx.sql("select pg_export_snapshot()").scalar().await?;
    let facts = inspect::facts(&mut tx).await?;
    let mut dump = tools.on_database("pg_dump");
    dump.args(["--format=custom", "--compress=0", "--no-owner", "--no-privileges"])
        .arg(format!("--exclude-schema={ASIDE}*"))
        .arg(format!("--snapshot={snapshot}"))
        .arg("--file")
        .arg(to);
    run(dump).await?;
    tx.rollback().await?;
    // A dump can be restored only if its table of contents can be read.
    let mut list = tools.program("pg_restore");
    list.arg("--list").arg(to);
    run(list).await?;
    Ok(facts)
}

/// What the target database of a restore contains.
pub(super) struct Present {
    pub lived_in: bool,
    /// Whether it has any table.
    pub anything: bool,
    queue: bool,
    tables: Vec<String>,
}

pub(super) async fn present(db: &Db) -> Result<Present> {
    let mut tx = db.snapshot().await?;
    let facts = inspect::facts(&mut tx).await?;
    let queue: i64 =
        tx.sql("select count(*) from pg_namespace where nspname = 'apalis'").scalar().await?;
    let tables: Vec<(String,)> = tx
        .sql(
            "select cast(table_name as text) from information_schema.tables
             where table_schema = 'public' and table_type = 'BASE TABLE' order by 1",
        )
        .all()
        .await?;
    tx.rollback().await?;
    Ok(Present {
        lived_in: inspect::has_data(&facts),
        anything: !tables.is_empty(),
        queue: queue > 0,
        tables: tables.into_iter().map(|(name,)| name).collect(),
    })
}

/// Counts the connections of `camp` to this database, from any machine. The connection that counts
/// uses another application name.
pub(super) async fn connections(url: &str) -> Result<i64> {
    let options = url.parse::<PgConnectOptions>()?.application_name("camp-restore");
    let mut alone = PgConnection::connect_with(&options).await?;
    let count = sqlx::query_scalar(
        "select count(*) from pg_stat_activity
         where datname = current_database() and application_name = 'camp'",
    )
    .fetch_one(&mut alone)
    .await?;
    alone.close().await?;
    Ok(count)
}

/// Restores the dump in one transaction: existing schemas are renamed, and mail that may have been
/// sent already is held back.
pub(super) async fn put(
    tools: &Tools,
    present: &Present,
    dump: &Path,
    work: &Path,
    now: DateTime<Utc>,
    hold: bool,
) -> Result<(Held, Option<String>)> {
    let script = work.join("restore.sql");
    let mut write = tools.program("pg_restore");
    // Only the owner of an extension can comment on it.
    write.args(["--no-owner", "--no-privileges", "--no-comments", "--file"]).arg(&script).arg(dump);
    run(write).await?;
    without_newer_settings(&script, tools.server)?;

    let aside = present.anything.then(|| format!("{ASIDE}{}", stamp(now)).to_lowercase());
    let before = work.join("before.sql");
    std::fs::write(&before, set_aside(present, aside.as_deref()))?;
    let after = work.join("after.sql");
    std::fs::write(&after, if hold { hold_back(now) } else { String::new() })?;

    let mut psql = tools.on_database("psql");
    psql.args(["--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--single-transaction"])
        .args(["--set=ON_ERROR_STOP=1", "--file"])
        .arg(&before)
        .arg("--file")
        .arg(&script)
        .arg("--file")
        .arg(&after);
    let said = run(psql).await?;
    let number = |what: &str| {
        said.lines().find_map(|line| line.strip_prefix(what)?.trim().parse().ok()).unwrap_or(0)
    };
    Ok((Held { mails: number("held mails"), videos: number("held videos") }, aside))
}

/// pg_restore of version 17 sets a parameter that older servers refuse. The line becomes a comment
/// of the same length.
fn without_newer_settings(script: &Path, server: u32) -> Result<()> {
    const NEWER: &[u8] = b"\nSET transaction_timeout = 0;\n";
    if server >= 17 {
        return Ok(());
    }
    let mut file = File::options().read(true).write(true).open(script)?;
    let mut head = Vec::new();
    Read::by_ref(&mut file).take(4096).read_to_end(&mut head)?;
    if let Some(at) = head.windows(NEWER.len()).position(|text| text == NEWER) {
        file.seek(SeekFrom::Start(at as u64 + 1))?;
        file.write_all(b"-- ")?;
    }
    Ok(())
}

fn set_aside(present: &Present, aside: Option<&str>) -> String {
    let mut sql = String::new();
    let Some(aside) = aside else { return sql };
    // One by one: extensions stay in this schema, since only a superuser can move them.
    writeln!(sql, "create schema {aside};").ok();
    for table in &present.tables {
        let name = table.replace('"', "\"\"");
        writeln!(sql, "alter table public.\"{name}\" set schema {aside};").ok();
    }
    // The triggers of its tables call them. A camp of an earlier version has fewer or none.
    writeln!(
        sql,
        "do $$ declare called regprocedure; begin
           for called in select oid from pg_proc
                         where pronamespace = cast('public' as regnamespace)
                           and (proname = 'content_changed'
                                or starts_with(cast(proname as text), 'tally_')) loop
             execute format('alter function %s set schema {aside}', called);
           end loop;
         end $$;"
    )
    .ok();
    if present.queue {
        writeln!(sql, "alter schema apalis rename to {aside}_queue;").ok();
    }
    sql
}

fn hold_back(now: DateTime<Utc>) -> String {
    let moment = format!("timestamptz '{}'", now.to_rfc3339_opts(SecondsFormat::Micros, true));
    let mut sql = format!("set search_path = public;\n{}\n", hold_mail::NOTED_ON_POSTGRES);
    for (what, update) in [("mails", hold_mail::MAILS), ("videos", hold_mail::VIDEOS)] {
        let update = update.replace("$1", &moment);
        writeln!(
            sql,
            "with held as ({update} returning 1) select 'held {what} ' || count(*) from held;"
        )
        .ok();
    }
    sql
}

/// The location of PostgreSQL's programs, and how they connect to the database.
pub(super) struct Tools {
    /// `None` if they are found in the path.
    folder: Option<PathBuf>,
    address: String,
    password: Option<String>,
    /// The major version of the server.
    server: u32,
}

impl Tools {
    /// Finds the programs of the server's version or of a newer one: an older pg_dump refuses to
    /// work.
    ///
    /// # Errors
    ///
    /// [`Error::Usage`] when `url` is not an address, [`Error::Setup`] when there are no such programs.
    pub async fn find(db: &Db, url: &str) -> Result<Tools> {
        let number: String =
            db.sql("select current_setting('server_version_num')").scalar().await?;
        let wanted = number.parse::<u32>().map_err(Error::unforeseen)? / 10_000;
        let (address, password) = without_password(url)?;
        let tools = |folder| Tools { folder, address, password, server: wanted };
        let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
            .into_iter()
            .flatten()
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let version = entry.file_name().to_str()?.parse().ok()?;
                let folder = entry.path().join("bin");
                let whole = ["pg_dump", "pg_restore", "psql"];
                whole.iter().all(|name| folder.join(name).exists()).then_some((version, folder))
            })
            .filter(|(version, _)| *version >= wanted)
            .collect();
        versions.sort();
        if let Some((_, folder)) = versions.into_iter().next() {
            return Ok(tools(Some(folder)));
        }
        let said = Command::new("pg_dump").arg("--version").output();
        let found = said.ok().and_then(|said| {
            let said = String::from_utf8(said.stdout).ok()?;
            let version =
                said.split_whitespace().find(|word| word.starts_with(char::is_numeric))?;
            version.split('.').next()?.parse::<u32>().ok()
        });
        match found {
            Some(version) if version >= wanted => Ok(tools(None)),
            _ => Err(Error::Setup(format!(
                "The programs pg_dump, pg_restore and psql of PostgreSQL {wanted} or newer are \
                 needed for this. On Debian: apt install postgresql-client-{wanted}"
            ))),
        }
    }

    fn program(&self, name: &str) -> Command {
        let mut command = match &self.folder {
            Some(folder) => Command::new(folder.join(name)),
            None => Command::new(name),
        };
        // PostgreSQL's programs look for certificates in the home folder, and must be able to read
        // it.
        if let Some(home) = root::home() {
            command.env("HOME", home);
        }
        command
    }

    fn on_database(&self, name: &str) -> Command {
        let mut command = self.program(name);
        command.arg("--no-password").arg("--dbname").arg(&self.address);
        // Everybody on the machine can read a command line, but not the environment.
        if let Some(password) = &self.password {
            command.env("PGPASSWORD", password);
        }
        command
    }
}

/// Splits the address into connection parameters for PostgreSQL's programs and the password.
fn without_password(url: &str) -> Result<(String, Option<String>)> {
    const KNOWN: &[&str] = &[
        "host",
        "hostaddr",
        "port",
        "user",
        "dbname",
        "sslmode",
        "sslrootcert",
        "sslcert",
        "sslkey",
    ];
    let mut url =
        Url::parse(url).map_err(|_| Error::Usage("--database-url is not an address.".into()))?;
    let decode = |text: &str| {
        let text = format!("v={}", text.replace('+', "%2B"));
        url::form_urlencoded::parse(text.as_bytes()).next().map(|(_, v)| v.into_owned())
    };
    let mut password = url.password().and_then(decode);
    let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    password = pairs.iter().find(|(k, _)| k == "password").map(|(_, v)| v.clone()).or(password);
    url.set_password(None).ok();
    url.set_query(None);
    let kept: Vec<_> = pairs
        .into_iter()
        .map(|(key, value)| match key.as_str() {
            "ssl-mode" => ("sslmode".to_owned(), value),
            "ssl-root-cert" | "ssl-ca" => ("sslrootcert".to_owned(), value),
            "ssl-cert" => ("sslcert".to_owned(), value),
            "ssl-key" => ("sslkey".to_owned(), value),
            _ => (key, value),
        })
        .filter(|(key, _)| KNOWN.contains(&key.as_str()))
        .collect();
    if !kept.is_empty() {
        url.query_pairs_mut().extend_pairs(kept);
    }
    Ok((url.into(), password))
}

/// Runs a program to its end. Returns its output.
async fn run(mut command: Command) -> Result<String> {
    let name = Path::new(command.get_program()).file_name().unwrap_or_default().to_owned();
    let name = name.to_string_lossy().into_owned();
    let ended = tokio::task::spawn_blocking(move || command.stdin(Stdio::null()).output());
    let output = ended
        .await
        .map_err(Error::unforeseen)?
        .map_err(|error| Error::Setup(format!("The program {name} cannot be started: {error}.")))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = complaint.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines[lines.len().saturating_sub(3)..].join(" ");
    Err(Error::Unforeseen(format!("{name} said: {last}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_older_servers_are_spared_the_newer_setting() {
        let folder = tempfile::tempdir().expect("a folder");
        let script = folder.path().join("restore.sql");
        let written = "SET lock_timeout = 0;\nSET transaction_timeout = 0;\nSET x = 1;\n";
        for (server, kept) in
            [(17, written.to_owned()), (16, written.replace("SET transaction", "--  transaction"))]
        {
            std::fs::write(&script, written).expect("written");
            without_newer_settings(&script, server).expect("read");
            assert_eq!(std::fs::read_to_string(&script).expect("read"), kept);
        }
    }

    #[test]
    fn a_password_is_never_part_of_a_command_line() {
        for (url, address, password) in [
            (
                "postgres://camp:p%40ss+word@db.example:5433/camp?ssl-mode=require&statement-cache-capacity=0",
                "postgres://camp@db.example:5433/camp?sslmode=require",
                Some("p@ss+word"),
            ),
            (
                "postgres:///camp?host=/run/pg&user=camp&password=s",
                "postgres:///camp?host=%2Frun%2Fpg&user=camp",
                Some("s"),
            ),
            ("postgresql://localhost/camp", "postgresql://localhost/camp", None),
        ] {
            let (shown, secret) = super::without_password(url).expect("an address");
            assert_eq!(shown.as_str(), address);
            assert_eq!(secret.as_deref(), password);
        }
    }
}
