//! Commands that root runs work as the user who owns the data folder, so that what they create
//! there is that user's, and no link in the folder leads root to other files. Only files and
//! folders that the operator names, such as the destination of a backup, are still used with root's
//! permissions where they must be.

use std::ffi::CString;
use std::fs::{DirBuilder, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;
use std::sync::OnceLock;

use nix::unistd::{Gid, Uid, User, initgroups, setfsuid, setgroups, setresgid, setresuid};
use rustix::fs::{
    Access, AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, chownat, openat, openat2,
};
use rustix::io::Errno;
use rustix::path::Arg;

use crate::config::{Config, Storage};
use crate::data_folder::is_denied;
use crate::{Error, Result, file_permissions};

/// Whom root became.
static BECAME: OnceLock<Owner> = OnceLock::new();

/// What a command needs of root after it has become another user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// The files and folders that the operator named.
    ForNamedFiles,
    /// The same, and first gives the owner of the data folder what is root's in it, as a restore does.
    ForNamedFilesAndOwnership,
    /// Nothing: a process that serves must never become root again.
    Never,
}

/// The user and the group that own the data folder.
#[derive(Debug, Clone)]
struct Owner {
    user: Uid,
    group: Gid,
    /// Name and home, if the machine knows that user.
    known: Option<User>,
}

/// If root runs this program and the data folder belongs to another user, goes on as that user. A data folder
/// that does not exist will belong to the owner of the nearest folder above it. Call it before there are threads.
///
/// # Errors
///
/// [`Error::Setup`] when that is not possible, [`Error::Unforeseen`] when what is root's cannot be given.
pub fn become_owner(config: &Config, root: Root) -> Result<()> {
    if !Uid::effective().is_root() {
        return Ok(());
    }
    let Some(owner) = Owner::of(&config.data_dir) else { return Ok(()) };
    if owner.user.is_root() {
        return Ok(());
    }
    if root == Root::ForNamedFilesAndOwnership {
        owner.give_all(config)?;
    }
    owner.become_it(root).map_err(|error| {
        Error::Setup(format!(
            "{} belongs to {}, and this program cannot go on as that user: {}. Please run the command as that user.",
            config.data_dir.display(),
            owner.name(),
            error.desc()
        ))
    })?;
    BECAME.set(owner).ok();
    Ok(())
}

impl Owner {
    fn of(data_dir: &Path) -> Option<Owner> {
        let data_dir = std::path::absolute(data_dir).ok()?;
        let folder = data_dir.ancestors().find_map(|folder| folder.metadata().ok())?;
        let user = Uid::from_raw(folder.uid());
        let known = User::from_uid(user).ok().flatten();
        let group = known.as_ref().map_or(Gid::from_raw(folder.gid()), |known| known.gid);
        Some(Owner { user, group, known })
    }

    fn name(&self) -> String {
        match &self.known {
            Some(known) => format!("the user {}", known.name),
            None => format!("the user with the number {}", self.user),
        }
    }

    fn become_it(&self, root: Root) -> nix::Result<()> {
        match self.known.as_ref().and_then(|known| CString::new(known.name.as_str()).ok()) {
            Some(name) => initgroups(&name, self.group)?,
            None => setgroups(&[])?,
        }
        setresgid(self.group, self.group, self.group)?;
        let saved = if root == Root::Never { self.user } else { Uid::from_raw(0) };
        setresuid(self.user, self.user, saved)
    }

    /// Gives this user what an earlier version, which root ran, left to root in the data folder and in the folder
    /// of the files, and creates that folder where only root can.
    fn give_all(&self, config: &Config) -> io::Result<()> {
        let data_dir = open_folder(&config.data_dir, ResolveFlags::empty());
        if let Ok(data_dir) = data_dir
            && rustix::fs::fstat(&data_dir)?.st_uid == self.user.as_raw()
        {
            for entry in file_permissions::own_entries(&config.data_dir)? {
                self.give(&data_dir, entry.file_name().unwrap_or_default())?;
            }
        }
        let storage = Storage::of(config.storage_url.as_deref(), &config.data_dir);
        let Ok(Storage::Folder(folder)) = storage else { return Ok(()) };
        let folder = std::path::absolute(folder)?;
        self.create(&folder)?;
        // The user may be able to put a link in this path.
        match open_folder(&folder, ResolveFlags::NO_SYMLINKS) {
            Ok(folder) => self.give(&folder, "."),
            Err(_) => Ok(()),
        }
    }

    /// Creates a folder, and gives it, if nobody but root can.
    fn create(&self, folder: &Path) -> io::Result<()> {
        let missing: Vec<&Path> =
            folder.ancestors().take_while(|above| above.symlink_metadata().is_err()).collect();
        let above = folder.ancestors().nth(missing.len()).and_then(|above| above.metadata().ok());
        if missing.is_empty() || above.is_none_or(|above| above.uid() != 0) {
            return Ok(());
        }
        for folder in missing.into_iter().rev() {
            DirBuilder::new().mode(0o700).create(folder)?;
            self.give(CWD, folder)?;
        }
        Ok(())
    }

    /// Gives the user what is root's: a file, or a folder with its content. This never follows a
    /// link, and gives exactly the file that was examined, even if the user replaces it in the
    /// meantime.
    fn give(&self, below: impl AsFd, name: impl Arg) -> io::Result<()> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let found = match openat(below, name, flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(()),
            found => found?,
        };
        let data = rustix::fs::fstat(&found)?;
        let kind = FileType::from_raw_mode(data.st_mode);
        if data.st_uid == 0 && (kind == FileType::RegularFile || kind == FileType::Directory) {
            let user = rustix::fs::Uid::from_raw(self.user.as_raw());
            let group = rustix::fs::Gid::from_raw(self.group.as_raw());
            chownat(&found, "", Some(user), Some(group), AtFlags::EMPTY_PATH)?;
        }
        if kind != FileType::Directory {
            return Ok(());
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(&found, ".", flags, Mode::empty())?;
        for entry in Dir::read_from(&folder)? {
            let entry = entry?;
            if ![&b"."[..], b".."].contains(&entry.file_name().to_bytes()) {
                self.give(&folder, entry.file_name())?;
            }
        }
        Ok(())
    }
}

fn open_folder(folder: &Path, how: ResolveFlags) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat2(CWD, folder, flags, Mode::empty(), how)
}

/// The home of the user that root became, for programs that look for their files there.
pub(crate) fn home() -> Option<&'static Path> {
    Some(BECAME.get()?.known.as_ref()?.dir.as_path())
}

/// Whose permissions are used for files that the operator named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Permissions {
    Own,
    Roots,
}

impl Permissions {
    /// Those that are needed to write to a folder.
    pub(crate) fn to_write_in(folder: &Path) -> Permissions {
        match is_denied(folder, Access::WRITE_OK | Access::EXEC_OK) {
            true => Permissions::Roots,
            false => Permissions::Own,
        }
    }

    /// Does a short piece of work on files with these permissions. Other threads keep their own.
    pub(crate) fn with<T>(self, work: impl FnOnce() -> T) -> T {
        let Some(owner) = BECAME.get().filter(|_| self == Permissions::Roots) else {
            return work();
        };
        /// Gives up root's permissions when dropped, even after a panic.
        struct Back(Uid);
        impl Drop for Back {
            fn drop(&mut self) {
                setfsuid(self.0);
            }
        }
        let _back = Back(owner.user);
        setfsuid(Uid::from_raw(0));
        work()
    }
}

/// Does something with a file or folder that the operator named: if the user that root became may not, as root.
///
/// # Errors
///
/// Those of the work.
pub fn on_named<T>(work: impl Fn() -> io::Result<T>) -> io::Result<T> {
    match work() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Permissions::Roots.with(work)
        }
        done => done,
    }
}

/// Opens a file that the operator named.
///
/// # Errors
///
/// When it cannot be opened.
pub fn open_named(path: &Path) -> io::Result<File> {
    on_named(|| File::open(path))
}

/// Gives a file that was written as root to the user that root became.
///
/// # Errors
///
/// When that is not possible.
pub fn give_written(file: &File) -> io::Result<()> {
    let Some(owner) = BECAME.get() else { return Ok(()) };
    Permissions::Roots.with(|| {
        std::os::unix::fs::fchown(file, Some(owner.user.as_raw()), Some(owner.group.as_raw()))
    })
}

/// Does a short piece of work in a folder that the operator named, which may be created. If the
/// user that root became may not write there, the work is done as root.
pub fn in_named_folder<T>(folder: &Path, work: impl FnOnce() -> T) -> T {
    let nearest = folder.ancestors().find(|folder| {
        !folder.as_os_str().is_empty() && Permissions::Roots.with(|| folder.is_dir())
    });
    Permissions::to_write_in(nearest.unwrap_or(Path::new("."))).with(work)
}
