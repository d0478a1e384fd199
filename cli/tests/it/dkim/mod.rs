//! Signed email, verified by an independent program (dkimpy).

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::camp::Camp;
use crate::mail::{eventually, families, publish};

/// Python with dkimpy, as `just test` installs it.
fn python() -> PathBuf {
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or(home).unwrap_or_default();
    let python = cache.join("visiting-day/dkimpy/bin/python");
    assert!(python.is_file(), "dkimpy checks signatures for this test; `just test` installs it");
    python
}

fn is_genuine(mail: &[u8], record: &str) -> bool {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/dkim/verify.py");
    let mut child = Command::new(python())
        .arg(script)
        .arg(record)
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("Python starts");
    child.stdin.take().expect("piped").write_all(mail).expect("read");
    child.wait().expect("it ends").success()
}

fn mails(camp: &Camp) -> Vec<PathBuf> {
    let files = std::fs::read_dir(camp.folder().join("data/mail")).into_iter().flatten();
    let files = files.filter_map(Result::ok).map(|file| file.path());
    files.filter(|file| file.extension().is_some_and(|end| end == "eml")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signature_is_genuine_and_a_changed_mail_is_found_out() {
    for kind in [&[][..], &["--ed25519"][..]] {
        let camp = Camp::on_sqlite();
        let key = camp.folder().join("dkim.pem");
        let key_name = key.to_str().expect("a plain path");
        let options = ["--dkim-key", key_name, "--mail-from", "hello@camp.example"];
        let make = [&["mail", "dkim"][..], &options, kind].concat();
        let said = camp.run(&make);
        assert_eq!(said.code, 0, "{said:?}");
        assert!(said.err.contains("camp._domainkey.camp.example"), "{said:?}");
        let record = said.out.trim().to_owned();
        let mode = std::fs::metadata(&key).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "only its owner may read the key");
        let before = std::fs::read(&key).expect("a key");
        assert_eq!(camp.run(&make).out.trim(), record, "the key stays");
        assert_eq!(std::fs::read(&key).expect("a key"), before);

        let app = camp.app().await;
        families(&app, ["leah@family.example".to_owned()]).await;
        publish(&app).await;
        let mut running = camp.start(&[&["worker"][..], &options].concat());
        eventually("the mail is there", Duration::from_secs(60), || !mails(&camp).is_empty()).await;
        running.stop().await;
        let mail = std::fs::read(&mails(&camp)[0]).expect("a mail");
        let text = String::from_utf8(mail.clone()).expect("ASCII");
        assert!(text.contains("d=camp.example; s=camp;"), "{text}");
        assert!(text.contains("list-unsubscribe:list-unsubscribe-post"), "RFC 8058: {text}");
        assert!(is_genuine(&mail, &record), "{record}\n{text}");
        for (old, new) in [
            ("Swim test", "Swim rest"),
            ("From: ", "From: Somebody <x@other.example>\r\nFrom: "),
            ("Subject: ", "Subject: Another\r\nSubject: "),
            ("MIME-Version: ", "Cc: x@other.example\r\nMIME-Version: "),
        ] {
            let forged = text.replace(old, new);
            assert_ne!(forged, text);
            assert!(!is_genuine(forged.as_bytes(), &record), "{forged}");
        }
    }
}
