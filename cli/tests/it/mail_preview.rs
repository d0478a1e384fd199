//! `camp mail preview` writes sample emails into a folder.

use std::fs;

use serde_json::Value;

use crate::camp::Camp;
use crate::on_both_engines;

on_both_engines! {
    async fn every_email_is_written_into_a_folder(camp: Camp) {
        let folder = camp.folder().join("mails");
        let path = folder.to_str().expect("a plain path");
        assert_eq!(camp.run(&["mail", "preview", path]).code, 4, "there is no camp");
        camp.begin();
        camp.run(&["settings", "set", "siteName", "Camp <Naarim>"]);
        camp.run(&["settings", "set", "mainColor", "#7a1f3d"]);
        let said = camp.run(&["mail", "preview", path]);
        assert_eq!(said.code, 0, "{said:?}");
        assert!(said.out.contains(" emails are in ") && said.out.contains("index.html"), "{said:?}");
        let read = |name: &str| fs::read_to_string(folder.join(name)).expect(name);
        assert!(read("index.html").contains("<title>Emails of Camp &lt;Naarim&gt;</title>"));
        let html = read("video.html");
        assert!(html.contains("Camp &#60;Naarim&#62;") && !html.contains("#1b5a40"), "{html}");
        assert!(read("video.eml").contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"));

        // With `--json`, every listed file exists.
        let said = camp.run(&["mail", "preview", path, "--json"]);
        assert_eq!(said.code, 0, "{said:?}");
        let list: Vec<Value> = serde_json::from_str(&said.out).expect("JSON");
        assert!(list.len() > 30, "{}", list.len());
        for item in &list {
            for name in item["files"].as_array().expect("files") {
                assert!(!read(name.as_str().expect("a name")).is_empty(), "{name}");
            }
        }
    }

    async fn a_file_of_somebody_else_is_not_overwritten(camp: Camp) {
        camp.begin();
        let folder = camp.folder().join("mine");
        fs::create_dir(&folder).expect("a folder");
        fs::write(folder.join("video.html"), "My own page").expect("written");
        let path = folder.to_str().expect("a plain path");
        let said = camp.run(&["mail", "preview", path]);
        assert_eq!(said.code, 3, "{said:?}");
        assert!(said.err.contains("video.html already exists"), "{said:?}");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1, "nothing was written");
        assert_eq!(fs::read_to_string(folder.join("video.html")).expect("it"), "My own page");
        let file = folder.join("video.html");
        let target = file.to_str().expect("a plain path");
        let said = camp.run(&["mail", "preview", target]);
        assert_eq!(said.code, 3, "{said:?}");

        // Nothing is overwritten beside an earlier run's index that does not list the file, and
        // links are not followed.
        let folder = camp.folder().join("mails");
        let path = folder.to_str().expect("a plain path");
        assert_eq!(camp.run(&["mail", "preview", path]).code, 0);
        let index = folder.join("index.html");
        let full = fs::read_to_string(&index).expect("an index");
        fs::write(&index, full.replace("\"video.txt\"", "\"old.txt\"")).expect("written");
        fs::write(folder.join("video.txt"), "My own text").expect("written");
        let said = camp.run(&["mail", "preview", path]);
        assert_eq!(said.code, 3, "{said:?}");
        assert!(said.err.contains("video.txt already exists"), "{said:?}");
        assert_eq!(fs::read_to_string(folder.join("video.txt")).expect("it"), "My own text");
        fs::write(&index, full).expect("written");
        fs::remove_file(folder.join("video.txt")).expect("removed");
        std::os::unix::fs::symlink(&file, folder.join("video.txt")).expect("a link");
        let said = camp.run(&["mail", "preview", path]);
        assert_eq!(said.code, 3, "{said:?}");
        assert_eq!(fs::read_to_string(file).expect("it"), "My own page");
    }
}
