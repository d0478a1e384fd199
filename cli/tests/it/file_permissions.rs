//! Only the user that the portal runs as can read its data.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::backup::path;
use crate::camp::{Camp, Said};

const PASSWORD: &str = "lantern over the lake\n";

/// Runs a command with umask 0.
fn careless(camp: &Camp, arguments: &[&str], input: &str) {
    use std::io::Write;
    let program = camp.command(&[]);
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "umask 0; exec \"$@\"", "sh"]).arg(program.get_program()).args(arguments);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CAMP_")) {
        command.env_remove(name);
    }
    for (name, value) in program.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("sh");
    child.stdin.take().expect("piped").write_all(input.as_bytes()).ok();
    assert!(child.wait().expect("it ends").success(), "{arguments:?}");
}

/// Everything in a folder that others can access, including the folder itself.
fn open_to_others(folder: &Path) -> Vec<(PathBuf, u32)> {
    let mode = folder.symlink_metadata().expect("it is there").permissions().mode() & 0o777;
    let mut found: Vec<_> =
        if mode & 0o077 != 0 { vec![(folder.to_owned(), mode)] } else { vec![] };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        found.extend(open_to_others(&entry.path()));
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_else_can_read_what_the_portal_keeps_whatever_the_umask() {
    let camp = Camp::on_sqlite();
    careless(&camp, &["seed", "--sample", "general", "--sample-logins"], "");
    let add = ["admin", "add", "miriam", "--email", "m@camp.example"];
    careless(&camp, &add, PASSWORD);
    careless(&camp, &["mail", "test", "leah@family.example"], "");
    let file = camp.folder().join("camp.tar.zst");
    careless(&camp, &["backup", path(&file)], "");
    // While the database is open, the files beside it exist as well.
    let app = camp.app().await;
    for name in ["camp.db", "camp.db-wal", "camp.db-shm", "mail", "files"] {
        assert!(camp.data(name).exists(), "{name}");
    }
    assert!(std::fs::read_dir(camp.data("mail")).expect("a folder").count() > 0);
    assert_eq!(open_to_others(&camp.data("")), []);
    assert_eq!(open_to_others(&file), []);
    app.db.close().await;
    // The camp must not be in use.
    drop(app);
    careless(&camp, &["restore", path(&file), "--replace"], "");
    assert_eq!(open_to_others(&camp.data("")), []);
}

#[test]
fn what_an_earlier_version_left_open_is_closed() {
    let camp = Camp::on_sqlite();
    camp.run(&["seed", "--sample", "general"]);
    let open = |name: &str, mode| {
        std::fs::set_permissions(camp.data(name), Permissions::from_mode(mode)).expect("ours");
    };
    for folder in ["uploads", "converting"] {
        std::fs::create_dir_all(camp.data(folder)).expect("a folder");
        std::fs::write(camp.data(folder).join("lake.mp4"), "frames").expect("written");
    }
    for folder in ["", "files", "files/samples", "uploads", "converting"] {
        open(folder, 0o755);
    }
    for file in [
        "camp.db",
        "files/samples/lake.jpg",
        "migrate.lock",
        "uploads/lake.mp4",
        "converting/lake.mp4",
    ] {
        open(file, 0o644);
    }
    assert_eq!(camp.run(&["admin", "list"]).code, 0);
    assert_eq!(open_to_others(&camp.data("")), []);
}

#[test]
fn a_data_folder_behind_a_link_is_closed_as_well() {
    let camp = Camp::on_sqlite();
    let disk = camp.folder().join("disk");
    std::fs::create_dir(&disk).expect("a folder");
    std::fs::set_permissions(&disk, Permissions::from_mode(0o755)).expect("ours");
    symlink(&disk, camp.folder().join("data")).expect("a link");
    assert_eq!(camp.run(&["migrate"]).code, 0);
    assert_eq!(open_to_others(&disk), []);
}

#[test]
fn a_folder_with_other_things_in_it_is_not_closed() {
    let camp = Camp::on_sqlite();
    let theirs = camp.data("notes.txt");
    std::fs::create_dir_all(camp.data("")).expect("a folder");
    std::fs::write(&theirs, "theirs").expect("written");
    std::fs::set_permissions(camp.data(""), Permissions::from_mode(0o755)).expect("ours");
    std::fs::set_permissions(&theirs, Permissions::from_mode(0o644)).expect("ours");
    assert_eq!(camp.run(&["migrate"]).code, 0);
    let open: Vec<_> = open_to_others(&camp.data("")).into_iter().map(|(path, _)| path).collect();
    assert_eq!(open, [camp.data(""), theirs], "the camp's own files are closed, theirs are theirs");
}

/// An attacker puts a symbolic link at the destination of a backup, in a folder that others may
/// write to.
#[test]
fn a_backup_is_never_written_through_somebodys_link() {
    let camp = Camp::on_sqlite();
    let add = ["admin", "add", "miriam", "--email", "m@camp.example"];
    camp.run_with(&add, PASSWORD);
    let victim = camp.folder().join("victim");
    std::fs::write(&victim, "precious").expect("written");
    for part in [".camp.tar.zst.part", ".camp.tar.zst.database.part"] {
        symlink(&victim, camp.folder().join(part)).expect("a link");
    }
    let file = camp.backup("camp.tar.zst");
    assert_eq!(std::fs::read_to_string(&victim).expect("a text"), "precious");
    assert!(file.symlink_metadata().expect("a backup").is_file());
    assert_eq!(open_to_others(&file), []);
}

/// The user and group “nobody”.
const NOBODY: u32 = 65534;

fn is_root() -> bool {
    Path::new("/proc/self").metadata().expect("Linux").uid() == 0
}

/// Runs a command as the user nobody. `None` if that is not possible here.
fn as_nobody(camp: &Camp, arguments: &[&str]) -> Option<Said> {
    if !is_root() {
        println!("skipped: only root can run a command as another user");
        return None;
    }
    std::fs::set_permissions(camp.folder(), Permissions::from_mode(0o711)).expect("ours");
    let mut command = camp.command(arguments);
    command.uid(NOBODY).gid(NOBODY).current_dir("/").stdin(Stdio::null());
    let Ok(output) = command.output() else {
        println!("skipped: other users cannot run the program in {:?}", command.get_program());
        return None;
    };
    Some(Said {
        code: output.status.code().expect("it was not killed"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    })
}

/// Everything in a folder that does not belong to the user nobody, including the folder itself.
fn not_nobodys(folder: &Path) -> Vec<PathBuf> {
    let data = folder.symlink_metadata().expect("it is there");
    let is_theirs = (data.uid(), data.gid()) == (NOBODY, NOBODY);
    let mut found = if is_theirs { vec![] } else { vec![folder.to_owned()] };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        found.extend(not_nobodys(&entry.path()));
    }
    found
}

#[test]
fn what_root_restores_belongs_to_the_owner_of_the_data_folder() {
    if !is_root() {
        println!("skipped: only root can give files to another user");
        return;
    }
    let none: [PathBuf; 0] = [];
    let nobody = Some(NOBODY);
    let camp = Camp::on_sqlite();
    camp.run(&["seed", "--sample", "general"]);
    let file = camp.backup("camp.tar.zst");
    let other = Camp::on_sqlite();
    reachable(&other);
    std::fs::create_dir(other.data("")).expect("a folder");
    chown(other.data(""), nobody, nobody).expect("we are root");
    assert_eq!(other.run(&["restore", path(&file)]).code, 0);
    assert!(other.data("files/samples").is_dir());
    assert_eq!(not_nobodys(&other.data("")), none);
    let replaced = other.run(&["restore", path(&file), "--replace"]);
    assert!(replaced.code == 0 && replaced.out.contains("before-restore-"), "{replaced:?}");
    assert_eq!(not_nobodys(&other.data("")), none);
    if let Some(said) = as_nobody(&other, &["admin", "list"]) {
        assert_eq!(said.code, 0, "{said:?}");
    }

    let new = Camp::on_sqlite();
    reachable(&new);
    let home = new.folder().join("home");
    std::fs::create_dir(&home).expect("a folder");
    chown(&home, nobody, nobody).expect("we are root");
    let data = home.join("camp/data");
    let said = new.run(&["restore", path(&file), "--data-dir", path(&data)]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(not_nobodys(&home), none);
}

#[test]
fn the_doctor_finds_a_folder_of_files_that_the_portal_cannot_write_to() {
    let camp = Camp::on_sqlite();
    camp.run(&["seed", "--sample", "general"]);
    if is_root() {
        for theirs in not_nobodys(&camp.data("")) {
            chown(theirs, Some(NOBODY), Some(NOBODY)).expect("we are root");
        }
        chown(camp.data("files/samples"), Some(0), Some(0)).expect("we are root");
    }
    let Some(said) = as_nobody(&camp, &["doctor"]) else { return };
    let samples = camp.data("files/samples").display().to_string();
    let says = format!("Nothing can be written to {samples}.");
    assert!(said.code == 1 && said.out.contains(&says), "{said:?}");
    // When root runs the doctor, it leaves nothing behind that other users cannot remove.
    let (nobody, doctor) = (Some(NOBODY), camp.data("files/doctor"));
    std::fs::create_dir(&doctor).expect("a folder");
    chown(camp.data("files/samples"), nobody, nobody).expect("we are root");
    camp.run(&["doctor"]);
    assert!(!doctor.exists());
    std::fs::create_dir(&doctor).expect("a folder");
    let Some(said) = as_nobody(&camp, &["doctor"]) else { return };
    assert!(said.out.contains("Files can be written to"), "{said:?}");
    assert_eq!(not_nobodys(&camp.data("files")), [] as [PathBuf; 0]);
}

#[test]
fn what_root_restored_with_an_earlier_version_is_given_back_by_the_next_restore() {
    if !is_root() {
        println!("skipped: only root can give files to another user");
        return;
    }
    let (nobody, root) = (Some(NOBODY), Some(0));
    let camp = Camp::on_sqlite();
    reachable(&camp);
    camp.run(&["seed", "--sample", "general"]);
    let file = camp.backup("camp.tar.zst");
    let elsewhere = camp.folder().join("elsewhere");
    for more in [&[][..], &["--storage-url", path(&elsewhere)]] {
        let data = camp.data("");
        chown(&data, nobody, nobody).expect("we are root");
        let restore = [&["restore", path(&file), "--replace"], more].concat();
        assert_eq!(camp.run(&restore).code, 0);
        let storage = if more.is_empty() { camp.data("files") } else { elsewhere.clone() };
        std::fs::create_dir_all(camp.data("mail")).expect("a folder");
        let left = [storage.join("samples"), storage.clone(), camp.data("mail")];
        for left in left.iter().chain([&camp.data("in-use.lock"), &camp.data("notes.txt")]) {
            if !left.exists() {
                std::fs::write(left, "").expect("a file");
            }
            chown(left, root, root).expect("we are root");
        }
        assert_eq!(camp.run(&restore).code, 0);
        let kept = [camp.data("notes.txt")];
        assert_eq!(not_nobodys(&data), kept, "what is not the portal's stays");
        assert!(not_nobodys(&storage).is_empty());
    }
}

#[test]
fn a_data_folder_that_one_may_not_read_is_not_called_missing() {
    let camp = Camp::on_sqlite();
    camp.run(&["seed", "--sample", "general"]);
    for command in
        [&["admin", "list"][..], &["serve"], &["migrate"], &["restore", "/dev/null"], &["doctor"]]
    {
        let Some(said) = as_nobody(&camp, command) else { return };
        assert_eq!(said.code, 4, "{command:?}: {said:?}");
        let text = format!("{}{}", said.out, said.err);
        let says = text.contains("as this user") && text.contains("as the user of the portal");
        assert!(
            says && text.contains(path(&camp.data("").join(""))[..].trim_end_matches('/')),
            "{command:?}: {said:?}"
        );
        assert!(!text.contains("There is no"), "{command:?}: {said:?}");
    }
    // Root restored this camp with an earlier version.
    chown(camp.data(""), Some(NOBODY), Some(NOBODY)).expect("we are root");
    let Some(said) = as_nobody(&camp, &["doctor"]) else { return };
    let says = "camp.db belongs to the user with the number 0";
    assert!(said.code == 4 && said.out.contains(says) && said.out.contains("chown -R"), "{said:?}");
    let Some(said) = as_nobody(&camp, &["serve"]) else { return };
    assert!(said.code == 4 && said.err.contains("camp.db cannot be read as this user"), "{said:?}");
}

/// A camp whose data folder belongs to the user nobody, beside a folder that only root can use.
/// `None` if this user is not root.
fn nobodys() -> Option<(Camp, PathBuf)> {
    if !is_root() {
        println!("skipped: only root can work as another user");
        return None;
    }
    let camp = Camp::on_sqlite();
    reachable(&camp);
    std::fs::create_dir(camp.data("")).expect("a folder");
    chown(camp.data(""), Some(NOBODY), Some(NOBODY)).expect("we are root");
    let roots = camp.folder().join("root");
    std::fs::create_dir(&roots).expect("a folder");
    std::fs::set_permissions(&roots, Permissions::from_mode(0o700)).expect("ours");
    Some((camp, roots))
}

/// Lets other users reach the data folder, as in `/var/lib`.
fn reachable(camp: &Camp) {
    std::fs::set_permissions(camp.folder(), Permissions::from_mode(0o711)).expect("ours");
}

#[test]
fn whatever_root_runs_leaves_nothing_to_root_in_the_data_folder_of_another_user() {
    let Some((camp, roots)) = nobodys() else { return };
    let write = |name: &str, text: &[u8]| {
        let file = roots.join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(&file, text).expect("written");
        file.display().to_string()
    };
    let videos = write("videos.csv", b"title,url\nLake,https://youtu.be/dQw4w9WgXcQ\n");
    let families = write("families.csv", b"name,child\nLeah Katz,Moshe\n");
    let settings = write("settings.json", br#"{"siteName":"Camp Lake"}"#);
    write("films/2024-07-15 Lake.mp4", crate::videos::LAKE);
    let films = roots.join("films").display().to_string();
    let backup = roots.join("camp.tar.zst").display().to_string();
    let beside = camp.data("own.tar.zst").display().to_string();
    let previews = roots.join("previews/new").display().to_string();
    let key = roots.join("keys/dkim.pem").display().to_string();
    for (command, input) in [
        (&["migrate"][..], ""),
        (&["admin", "add", "miriam", "--email", "m@camp.example", "--role", "owner"], PASSWORD),
        (&["mail", "test", "leah@family.example"], ""),
        (&["gallery", "import", &videos, "--year", "2024"], ""),
        (&["gallery", "import", &films, "--year", "2024"], ""),
        (&["family", "import", &families], ""),
        (&["settings", "import", &settings], ""),
        (&["mail", "preview", &previews], ""),
        (
            &[
                "mail",
                "dkim",
                "--ed25519",
                "--dkim-key",
                &camp.data("dkim.pem").display().to_string(),
            ],
            "",
        ),
        (&["jobs", "list"], ""),
        (&["doctor"], ""),
        (&["backup", &backup], ""),
        (&["backup", &backup, "--force"], ""),
        (&["backup", &beside], ""),
        (&["restore", &backup, "--replace"], ""),
    ] {
        let said = camp.run_with(command, input);
        // Without a worker, the doctor reports a problem.
        let expected = i32::from(command == ["doctor"]);
        assert_eq!(said.code, expected, "{command:?}: {said:?}");
        assert_eq!(not_nobodys(&camp.data("")), [] as [PathBuf; 0], "{command:?}");
    }
    assert!(camp.data("mail").is_dir() && Path::new(&previews).join("index.html").is_file());
    let backup = Path::new(&backup).metadata().expect("a backup");
    assert_eq!((backup.uid(), backup.mode() & 0o777), (0, 0o600), "root's folder, root's file");
    // The portal's own user reads the key, and may not look into this folder.
    let said = camp.run(&["mail", "dkim", "--ed25519", "--dkim-key", &key]);
    assert_eq!(Path::new(&key).metadata().expect("a key").uid(), NOBODY, "{said:?}");
    if let Some(said) = as_nobody(&camp, &["mail", "test", "leah@family.example"]) {
        assert_eq!(said.code, 0, "{said:?}");
    }
}

#[tokio::test]
async fn a_site_that_root_starts_serves_as_the_owner_of_the_data_folder() {
    let Some((camp, _)) = nobodys() else { return };
    let mut child = camp.start(&["serve", "--with-worker", "--bind", "127.0.0.1:0"]);
    let database = camp.data("camp.db");
    crate::mail::eventually("a database", std::time::Duration::from_secs(60), || database.exists())
        .await;
    let ids = child.status_line("Uid:");
    assert_eq!(ids.split_whitespace().collect::<Vec<_>>(), ["65534"; 4], "it cannot go back");
    assert_eq!(child.stop().await, Some(0));
    assert_eq!(not_nobodys(&camp.data("")), [] as [PathBuf; 0]);
}

/// The portal's user put links into the data folder, to make root write or give away other files.
#[test]
fn a_link_in_the_data_folder_leads_root_nowhere() {
    let Some((camp, roots)) = nobodys() else { return };
    assert_eq!(camp.run(&["seed", "--sample", "general"]).code, 0);
    let file = camp.backup("camp.tar.zst");
    std::fs::write(roots.join("secret"), "root's").expect("written");
    std::fs::remove_dir_all(camp.data("mail")).ok();
    for link in ["mail", "uploads", "converting"] {
        symlink(&roots, camp.data(link)).expect("a link");
    }
    symlink(roots.join("secret"), camp.data("files/secret")).expect("a link");
    let said = camp.run(&["mail", "test", "leah@family.example"]);
    assert_ne!(said.code, 0, "{said:?}");
    camp.run(&["restore", path(&file), "--replace"]);
    for theirs in [roots.join("secret"), roots.clone()] {
        assert_eq!(theirs.metadata().expect("there").uid(), 0);
    }
    assert_eq!(std::fs::read_dir(&roots).expect("a folder").count(), 1);
}
