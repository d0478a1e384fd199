//! Tells whether anybody has committed to a SQLite database since a given moment, without asking
//! SQLite, whose answer takes a change of threads.
//!
//! With write-ahead logging, a commit of any process becomes visible through a new header in the
//! file `…-shm`. The header has a counter and checksums. Two copies of it are at the beginning of
//! the file; they differ while somebody writes them (<https://www.sqlite.org/walformat.html>, 2.1).

use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

/// The bytes of one copy of the header.
const HEADER: usize = 48;
/// Whether the header has been written, in each copy.
const IS_WRITTEN: usize = 12;

/// A version of the database. As long as it is the current one, a statement always reads the same
/// data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    /// How many files were opened. A new file may begin with the header of the one before.
    file: u64,
    header: [u8; HEADER],
}

#[derive(Debug)]
pub(super) struct Commits {
    place: PathBuf,
    index: RwLock<Option<Index>>,
    /// How many files were opened.
    opened: AtomicU64,
}

impl Commits {
    /// Watches the database in this file.
    pub(super) fn of(database: PathBuf) -> Commits {
        let mut place = database.into_os_string();
        place.push("-shm");
        Commits { place: place.into(), index: RwLock::default(), opened: AtomicU64::default() }
    }

    /// The current version, or `None` if it cannot be determined: somebody is committing at this
    /// moment, or the database does not use write-ahead logging.
    pub(super) fn version(&self) -> Option<Version> {
        let index = self.index.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = index.as_ref().filter(|index| !index.is_gone()) {
            return index.version();
        }
        drop(index);
        let mut index = self.index.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have opened it meanwhile.
        if index.as_ref().is_none_or(Index::is_gone) {
            let number = self.opened.fetch_add(1, Ordering::Relaxed);
            let open = |file| Index { file: Some(file), number };
            *index = File::open(&self.place).ok().map(open);
        }
        index.as_ref()?.version()
    }
}

#[derive(Debug)]
struct Index {
    file: Option<File>,
    number: u64,
}

impl Index {
    /// Whether SQLite has removed the file, because no connection was left.
    fn is_gone(&self) -> bool {
        self.file
            .as_ref()
            .and_then(|file| file.metadata().ok())
            .is_none_or(|data| data.nlink() == 0)
    }

    fn version(&self) -> Option<Version> {
        let mut copies = [0; 2 * HEADER];
        self.file.as_ref()?.read_exact_at(&mut copies, 0).ok()?;
        let (one, other) = copies.split_at(HEADER);
        let is_whole = one == other && one[IS_WRITTEN] == 1;
        let header = one.try_into().ok().filter(|_| is_whole)?;
        Some(Version { file: self.number, header })
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        // Closing the file would end the locks that SQLite holds on it in this process (POSIX), so
        // it stays open. Once the file is removed, they no longer matter.
        if !self.is_gone()
            && let Some(file) = self.file.take()
        {
            std::mem::forget(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode};
    use sqlx::{ConnectOptions, Connection, SqliteConnection};

    use super::*;

    async fn connection(file: &std::path::Path) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
        options.journal_mode(SqliteJournalMode::Wal).connect().await.expect("a connection")
    }

    async fn run(connection: &mut SqliteConnection, text: &'static str) {
        sqlx::query(text).execute(connection).await.expect(text);
    }

    #[tokio::test]
    async fn each_commit_of_anybody_makes_another_version_and_nothing_else_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("camp.db");
        let commits = Commits::of(file.clone());
        assert_eq!(commits.version(), None, "there is no database");
        let mut one = connection(&file).await;
        run(&mut one, "create table videos (id)").await;
        let mut seen = vec![commits.version().expect("a version")];
        for _ in 0..3 {
            let mut other = connection(&file).await;
            run(&mut other, "begin immediate").await;
            run(&mut other, "insert into videos values (1)").await;
            assert_eq!(commits.version(), seen.last().copied(), "nothing is committed");
            run(&mut other, "commit").await;
            let new = commits.version().expect("a version");
            assert!(!seen.contains(&new));
            seen.push(new);
            run(&mut one, "select * from videos").await;
            run(&mut one, "pragma wal_checkpoint(passive)").await;
            assert_eq!(commits.version(), Some(new), "a checkpoint changes nothing that is read");
            other.close().await.expect("closed");
        }
        // The last connection removes the file, and the next one makes another.
        one.close().await.expect("closed");
        assert_eq!(commits.version(), None);
        let mut again = connection(&file).await;
        run(&mut again, "insert into videos values (2)").await;
        let new = commits.version().expect("a version");
        assert!(!seen.contains(&new));
        again.close().await.expect("closed");
        // Both files begin with a header of a log without commits.
        let mut empty = Vec::new();
        for _ in 0..2 {
            let mut reader = connection(&file).await;
            run(&mut reader, "select * from videos").await;
            empty.push(commits.version().expect("a version"));
            reader.close().await.expect("closed");
        }
        assert_ne!(empty[0], empty[1]);
    }

    #[tokio::test]
    async fn looking_does_not_end_the_locks_of_sqlite() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("camp.db");
        let mut one = connection(&file).await;
        run(&mut one, "create table videos (id)").await;
        run(&mut one, "begin immediate").await;
        let commits = Commits::of(file.clone());
        commits.version().expect("a version");
        drop(commits);
        // Another process must still be refused.
        let script = "import sqlite3, sys; d = sqlite3.connect(sys.argv[1], timeout=0); d.execute('begin immediate')";
        let other = std::process::Command::new("python3").args(["-c", script]).arg(&file).output();
        let said = String::from_utf8(other.expect("python3 runs").stderr).expect("text");
        assert!(said.contains("database is locked"), "{said}");
        one.close().await.expect("closed");
    }
}
