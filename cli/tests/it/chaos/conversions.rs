//! Workers are killed while they convert a video: nothing of it is half there, nothing is lost, and the
//! space is given back.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use portal::App;

use super::long;
use crate::camp::{Camp, count};
use crate::on_both_engines;

on_both_engines! {
    async fn whoever_kills_the_worker_loses_no_video(camp: Camp) {
        let kills = if long() { 10 } else { 1 };
        camp.begin();
        let folder = camp.folder().join("films");
        std::fs::create_dir(&folder).expect("a folder");
        film(&folder.join("2024-07-15 Lake.mkv"));
        let said = camp.run(&["gallery", "import", folder.to_str().expect("UTF-8"), "--year", "2024"]);
        assert_eq!(said.code, 0, "{said:?}");
        let app = camp.app().await;
        for kill in 0..kills {
            let mut worker = worker(&camp);
            until_attempt(&app, kill + 1).await;
            // Each kill happens at another moment of the conversion.
            tokio::time::sleep(Duration::from_millis(200 + kill as u64 * 317 % 1900)).await;
            worker.kill().expect("killed");
            worker.wait().expect("ended");
            assert_eq!(count(&app.db, "select count(*) from videos where status = 'published'").await, 0);
            assert_eq!(app.files.list().await.expect("files").len(), 0, "nothing is half there");
        }
        let mut worker = worker(&camp);
        let published = "select count(*) from videos where status = 'published' and file_key is not null";
        while count(&app.db, published).await == 0 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        let folders = || ["converting", "uploads"].map(|name| {
            std::fs::read_dir(camp.folder().join("data").join(name)).map_or(0, Iterator::count)
        });
        while folders() != [0, 0] {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        worker.kill().expect("killed");
        worker.wait().expect("ended");
        let attempts = count(&app.db, "select attempts from uploads").await;
        let files = app.files.list().await.expect("files");
        println!("{}: {kills} kills, {attempts} attempts, {} files", app.db.engine(), files.len());
        assert_eq!(attempts, kills + 1);
        let last = format!("/{attempts}/");
        assert!(files.iter().all(|(key, _)| key.contains(&last)), "{files:?}");
        app.db.close().await;
    }
}

/// Takes some seconds to convert.
fn film(path: &std::path::Path) {
    let mut command = Command::new("ffmpeg");
    let words = "-v error -f lavfi -i testsrc2=s=1280x720:r=24:d=40 -c:v mpeg4 -q:v 12";
    let made = command.args(words.split(' ')).arg(path).status().expect("ffmpeg is installed");
    assert!(made.success());
}

fn worker(camp: &Camp) -> Child {
    let mut command = camp.command(&["worker"]);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts")
}

/// Waits until the conversion was begun so many times. The claim of a killed worker ends half a minute
/// after its last sign of life.
async fn until_attempt(app: &App, attempt: i64) {
    while count(&app.db, "select coalesce(max(attempts), 0) from uploads").await < attempt {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
