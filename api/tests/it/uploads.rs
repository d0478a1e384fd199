//! Staff upload the camp's own videos in pieces that survive broken connections. Files are checked
//! by their bytes, and published when they are ready.

mod content;
mod videos;

use std::io::Write;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Method, Request};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chrono::TimeDelta;
use portal::uploads;
use serde_json::{Value, json};
use sha1::{Digest, Sha1};
use sha2::Sha256;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use crate::camp::{Browser, Camp, Reply};

/// H.264 and AAC with the index in front, which every phone plays.
pub const LAKE: &[u8] = include_bytes!("../../../core/src/seed/media/lake.mp4");

const TUS: (&str, &str) = ("tus-resumable", "1.0.0");

pub async fn begin(staff: &Browser, name: &str, size: usize) -> Reply {
    let size = size.to_string();
    let metadata = format!("filetype dmlkZW8vbXA0,filename {}", STANDARD.encode(name));
    let headers = [TUS, ("upload-length", size.as_str()), ("upload-metadata", metadata.as_str())];
    staff.send(Method::POST, "/api/admin/uploads", None, &headers).await
}

/// Starts an upload and returns its URL.
pub async fn begun(staff: &Browser, name: &str, size: usize) -> String {
    begin(staff, name, size).await.expect(201).header("location").to_owned()
}

pub async fn send(staff: &Browser, path: &str, offset: usize, bytes: &[u8]) -> Reply {
    send_with(staff, path, offset, bytes, &[]).await
}

async fn send_with(
    staff: &Browser,
    path: &str,
    offset: usize,
    bytes: &[u8],
    headers: &[(&str, &str)],
) -> Reply {
    let mut request = Request::patch(path)
        .header("tus-resumable", "1.0.0")
        .header("upload-offset", offset.to_string())
        .header("content-type", "application/offset+octet-stream")
        .header("sec-fetch-site", "same-origin")
        .header("cookie", staff.cookie_header().expect("a session"));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    staff.send_raw(request.body(Body::from(bytes.to_vec())).expect("a request")).await
}

pub async fn offset(staff: &Browser, path: &str) -> usize {
    let reply = staff.send(Method::HEAD, path, None, &[TUS]).await.expect(200);
    assert_eq!(reply.header("cache-control"), "no-store");
    reply.header("upload-offset").parse().expect("a number")
}

/// Uploads a whole file; returns its id.
pub async fn uploaded(staff: &Browser, name: &str, bytes: &[u8]) -> String {
    let path = begun(staff, name, bytes.len()).await;
    send(staff, &path, 0, bytes).await.expect(204);
    id_of(&path)
}

pub fn id_of(path: &str) -> String {
    path.rsplit('/').next().expect("an id").to_owned()
}

pub async fn open_uploads(staff: &Browser) -> Vec<Value> {
    let list = staff.get("/api/admin/uploads").await.expect(200).json();
    list["items"].as_array().expect("items").clone()
}

/// The camp on a machine without ffmpeg, which stores files unchanged.
pub async fn without_converter(camp: &Camp) -> Camp {
    camp.beside_as(|config| config.ffmpeg = Some("/nowhere/ffmpeg".into())).await
}

/// Whether the bytes of an upload are still staged.
pub fn is_staged(camp: &Camp, id: &str) -> bool {
    uploads::staged(&camp.app, id.parse().expect("an id")).exists()
}

story! {
    async fn a_file_comes_in_pieces_and_every_offset_is_kept(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        let reply = begin(&staff, "C:\\clips\\ל״ג בעומר.mp4", LAKE.len()).await.expect(201);
        assert_eq!(reply.header("tus-resumable"), "1.0.0");
        assert!(reply.header("upload-expires").ends_with(" GMT"));
        let path = reply.header("location").to_owned();
        assert_eq!(offset(&staff, &path).await, 0);
        let half = LAKE.len() / 2;
        let sent = send(&staff, &path, 0, &LAKE[..half]).await.expect(204);
        assert_eq!(sent.header("upload-offset"), half.to_string());
        assert_eq!(offset(&staff, &path).await, half);
        let known = staff.send(Method::HEAD, &path, None, &[TUS]).await;
        assert_eq!(known.header("upload-length"), LAKE.len().to_string());
        // The server stops, and another process continues with the same folder.
        let later = camp.beside().await;
        let staff = later.of(&staff);
        let seen = &open_uploads(&staff).await[0];
        assert_eq!(seen["id"], id_of(&path));
        assert_eq!(seen["file_name"], "ל״ג בעומר.mp4");
        assert_eq!(seen["size_bytes"], LAKE.len());
        assert_eq!(seen["received_bytes"], half);
        assert_eq!((&seen["state"], &seen["video_id"]), (&json!("uploading"), &Value::Null));
        let conflict = send(&staff, &path, 10, &LAKE[10..]).await;
        assert_eq!(conflict.header("upload-offset"), half.to_string());
        conflict.refused(409, "conflict");
        send(&staff, &path, half, &LAKE[half..]).await.expect(204);
        assert_eq!(offset(&staff, &path).await, LAKE.len());
        assert_eq!(open_uploads(&staff).await[0]["state"], "waiting");
        send(&staff, &path, LAKE.len(), b"").await.refused(409, "conflict");
    }
}

story! {
    async fn the_first_bytes_may_come_with_the_beginning(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        let request = Request::post("/api/admin/uploads")
            .header("tus-resumable", "1.0.0")
            .header("upload-length", LAKE.len().to_string())
            .header("content-type", "application/offset+octet-stream")
            .header("sec-fetch-site", "same-origin")
            .header("cookie", staff.cookie_header().expect("a session"))
            .body(Body::from(LAKE[..1000].to_vec()));
        let reply = staff.send_raw(request.expect("a request")).await.expect(201);
        assert_eq!(reply.header("upload-offset"), "1000");
        assert_eq!(offset(&staff, reply.header("location")).await, 1000);
        assert_eq!(open_uploads(&staff).await[0]["file_name"], "video");
    }
}

/// Everything that arrives over a connection until it contains the text.
async fn heard(stream: &mut TcpStream, text: &str) -> String {
    let (mut all, mut buffer) = (String::new(), [0; 4096]);
    while !all.contains(text) {
        let read = stream.read(&mut buffer).await.expect("an answer");
        assert_ne!(read, 0, "the connection ended: {all}");
        all += &String::from_utf8_lossy(&buffer[..read]);
    }
    all
}

story! {
    async fn a_broken_or_silent_connection_loses_nothing_that_arrived(camp) {
        let camp = without_converter(&camp).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let at = listener.local_addr().expect("an address");
        let stop = CancellationToken::new();
        let serving = tokio::spawn(api::serve_on(listener, camp.app.clone(), stop.clone()));
        let staff = camp.staff().await;
        let path = begun(&staff, "lake.mp4", LAKE.len()).await;
        let cookies = staff.cookie_header().expect("a session");
        let cookies = cookies.to_str().expect("a text");
        let head = |method: &str, offset: usize, length: usize| format!(
            "{method} {path} HTTP/1.1\r\nhost: {at}\r\ncookie: {cookies}\r\nsec-fetch-site: same-origin\r\n\
             tus-resumable: 1.0.0\r\nupload-offset: {offset}\r\ncontent-length: {length}\r\n\
             content-type: application/offset+octet-stream\r\n\r\n");
        // One connection breaks in the middle of a request.
        let mut broken = TcpStream::connect(at).await.expect("connected");
        broken.write_all(head("PATCH", 0, LAKE.len()).as_bytes()).await.expect("sent");
        broken.write_all(&LAKE[..30_000]).await.expect("sent");
        while open_uploads(&staff).await[0]["received_bytes"] != 30_000 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        drop(broken);
        // The next connection goes silent but stays open, as when a phone loses its network.
        let mut silent = TcpStream::connect(at).await.expect("connected");
        silent.write_all(head("PATCH", 30_000, LAKE.len() - 30_000).as_bytes()).await.expect("sent");
        silent.write_all(&LAKE[30_000..60_000]).await.expect("sent");
        while open_uploads(&staff).await[0]["received_bytes"] != 60_000 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let mut third = TcpStream::connect(at).await.expect("connected");
        third.write_all(head("HEAD", 0, 0).as_bytes()).await.expect("sent");
        let reply = heard(&mut third, "\r\n\r\n").await;
        assert!(reply.starts_with("HTTP/1.1 200") && reply.contains("upload-offset: 60000"), "{reply}");
        let reply = heard(&mut silent, "\r\n\r\n").await;
        assert!(reply.starts_with("HTTP/1.1 409"), "the silent one was ended: {reply}");
        third.write_all(head("PATCH", 60_000, LAKE.len() - 60_000).as_bytes()).await.expect("sent");
        third.write_all(&LAKE[60_000..]).await.expect("sent");
        let reply = heard(&mut third, "\r\n\r\n").await;
        assert!(reply.starts_with("HTTP/1.1 204"), "{reply}");
        let kept = std::fs::read(uploads::staged(&camp.app, id_of(&path).parse().expect("an id")));
        assert!(kept.expect("the file") == LAKE, "every byte is there once");
        assert_eq!(open_uploads(&staff).await[0]["state"], "waiting");
        stop.cancel();
        serving.await.expect("no panic").expect("served");
    }
}

story! {
    async fn a_picture_that_is_refused_is_read_to_its_end_so_that_a_proxy_hears_why(camp) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let at = listener.local_addr().expect("an address");
        let stop = CancellationToken::new();
        let serving = tokio::spawn(api::serve_on(listener, camp.app.clone(), stop.clone()));
        let mut proxy = TcpStream::connect(at).await.expect("connected");
        let length = 6_000_000;
        let head = format!(
            "PUT /api/admin/videos/0190a5b0-0000-7000-8000-000000000000/picture HTTP/1.1\r\nhost: {at}\r\n\
             sec-fetch-site: same-origin\r\ncontent-type: image/jpeg\r\ncontent-length: {length}\r\n\r\n");
        proxy.write_all(head.as_bytes()).await.expect("sent");
        for part in vec![0; length].chunks(100_000) {
            proxy.write_all(part).await.expect("the connection is open until all is sent");
        }
        let reply = heard(&mut proxy, "\r\n\r\n").await;
        assert!(reply.starts_with("HTTP/1.1 401"), "{reply}");
        proxy.write_all(format!("GET /healthz HTTP/1.1\r\nhost: {at}\r\n\r\n").as_bytes()).await.expect("sent");
        heard(&mut proxy, "HTTP/1.1 200").await;
        stop.cancel();
        serving.await.expect("no panic").expect("served");
    }
}

story! {
    async fn a_sender_that_falls_silent_is_told_where_to_go_on(camp) {
        let camp = without_converter(&camp).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let at = listener.local_addr().expect("an address");
        let stop = CancellationToken::new();
        let serving = tokio::spawn(api::serve_on(listener, camp.app.clone(), stop.clone()));
        let staff = camp.staff().await;
        let path = begun(&staff, "lake.mp4", LAKE.len()).await;
        let cookies = staff.cookie_header().expect("a session");
        let head = format!(
            "PATCH {path} HTTP/1.1\r\nhost: {at}\r\ncookie: {}\r\nsec-fetch-site: same-origin\r\n\
             tus-resumable: 1.0.0\r\nupload-offset: 0\r\ncontent-length: {}\r\n\
             content-type: application/offset+octet-stream\r\n\r\n", cookies.to_str().expect("a text"), LAKE.len());
        let mut silent = TcpStream::connect(at).await.expect("connected");
        silent.write_all(head.as_bytes()).await.expect("sent");
        // At the rate so far, a minute and a half would still be allowed.
        silent.write_all(&LAKE[..80_000]).await.expect("sent");
        let begun = std::time::Instant::now();
        let reply = heard(&mut silent, "too_slow").await;
        assert!(reply.starts_with("HTTP/1.1 408"), "{reply}");
        let after = begun.elapsed().as_secs();
        assert!((28..60).contains(&after), "after {after} seconds");
        assert_eq!(offset(&staff, &path).await, 80_000);
        stop.cancel();
        serving.await.expect("no panic").expect("served");
    }
}

story! {
    async fn somebody_who_is_disabled_while_a_file_arrives_cannot_complete_it(camp) {
        let camp = without_converter(&camp).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let at = listener.local_addr().expect("an address");
        let stop = CancellationToken::new();
        let serving = tokio::spawn(api::serve_on(listener, camp.app.clone(), stop.clone()));
        let owner = camp.owner().await;
        let staff = camp.staff().await;
        let cookies = staff.cookie_header().expect("a session");
        let path = begun(&staff, "lake.mp4", LAKE.len()).await;
        let mut sending = TcpStream::connect(at).await.expect("connected");
        let head = format!(
            "PATCH {path} HTTP/1.1\r\nhost: {at}\r\ncookie: {}\r\nsec-fetch-site: same-origin\r\n\
             tus-resumable: 1.0.0\r\nupload-offset: 0\r\ncontent-length: {}\r\n\
             content-type: application/offset+octet-stream\r\n\r\n", cookies.to_str().expect("a text"), LAKE.len());
        sending.write_all(head.as_bytes()).await.expect("sent");
        sending.write_all(&LAKE[..30_000]).await.expect("sent");
        while open_uploads(&owner).await[0]["received_bytes"] != 30_000 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        crate::staff_accounts::change(&owner, "feder", json!({ "disabled": true })).await;
        sending.write_all(&LAKE[30_000..]).await.expect("sent");
        let reply = heard(&mut sending, "\r\n\r\n").await;
        assert!(reply.starts_with("HTTP/1.1 401"), "{reply}");
        assert_eq!(open_uploads(&owner).await[0]["state"], "uploading");
        // What arrived is kept, and somebody else may continue the upload.
        offset(&owner, &path).await;
        stop.cancel();
        serving.await.expect("no panic").expect("served");
    }
}

/// A small disk for the staged files, removed after the test.
struct Disk(std::path::PathBuf);

impl Disk {
    /// `None` if this user may not mount.
    fn mount(camp: &Camp) -> Option<Disk> {
        let staged = uploads::staged(&camp.app, uuid::Uuid::nil());
        let folder = staged.parent().expect("a folder").to_owned();
        std::fs::create_dir_all(&folder).expect("a folder");
        let disk = Disk(folder);
        disk.mounts(&["-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs"]).then_some(disk)
    }

    fn mounts(&self, arguments: &[&str]) -> bool {
        let mut mount = std::process::Command::new("mount");
        mount.args(arguments).arg(&self.0).status().is_ok_and(|status| status.success())
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        std::process::Command::new("umount").arg("--lazy").arg(&self.0).status().ok();
    }
}

story! {
    async fn a_disk_that_fills_up_costs_one_piece_and_the_upload_goes_on(camp) {
        let camp = without_converter(&camp).await;
        let Some(disk) = Disk::mount(&camp) else {
            // A passing test's output is hidden, but not what it writes here.
            writeln!(std::io::stderr(), "Not tested: only root can mount the small disk that this test fills.").ok();
            return;
        };
        let staff = camp.staff().await;
        let path = begun(&staff, "lake.mp4", LAKE.len()).await;
        send(&staff, &path, 0, &LAKE[..20_000]).await.expect(204);
        for _ in 0..2 {
            send(&staff, &path, 20_000, &LAKE[20_000..]).await.refused(507, "full");
            let kept = std::fs::metadata(uploads::staged(&camp.app, id_of(&path).parse().expect("an id")));
            assert_eq!(kept.expect("the file").len(), 20_000, "the rest is given back");
            assert_eq!(offset(&staff, &path).await, 20_000);
        }
        assert!(disk.mounts(&["-o", "remount,size=1m"]), "a larger disk");
        send(&staff, &path, 20_000, &LAKE[20_000..]).await.expect(204);
        assert_eq!(open_uploads(&staff).await[0]["state"], "waiting");
    }
}

story! {
    async fn bytes_with_another_checksum_are_not_kept(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        let path = begun(&staff, "lake.mp4", LAKE.len()).await;
        let sha1 = |bytes: &[u8]| format!("sha1 {}", STANDARD.encode(Sha1::digest(bytes)));
        let wrong = send_with(&staff, &path, 0, &LAKE[..5000], &[("upload-checksum", &sha1(b"other"))]).await;
        wrong.refused(460, "bad_request");
        assert_eq!(offset(&staff, &path).await, 0);
        send_with(&staff, &path, 0, &LAKE[..5000], &[("upload-checksum", &sha1(&LAKE[..5000]))]).await.expect(204);
        let sha256 = format!("sha256 {}", STANDARD.encode(Sha256::digest(&LAKE[5000..9000])));
        send_with(&staff, &path, 5000, &LAKE[5000..9000], &[("upload-checksum", &sha256)]).await.expect(204);
        for unknown in ["md5 abcd", "sha1", "sha1 %%"] {
            let refused = send_with(&staff, &path, 9000, b"x", &[("upload-checksum", unknown)]).await;
            refused.refused(400, "bad_request");
        }
        assert_eq!(offset(&staff, &path).await, 9000);
    }
}

story! {
    async fn what_the_protocol_forbids_is_refused(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        let able = staff.send(Method::OPTIONS, "/api/admin/uploads", None, &[]).await.expect(204);
        assert_eq!(able.header("tus-version"), "1.0.0");
        assert_eq!(able.header("tus-extension"), "creation,creation-with-upload,termination,expiration,checksum");
        assert_eq!(able.header("tus-checksum-algorithm"), "sha1,sha256");
        let path = begun(&staff, "lake.mp4", 100).await;
        let other = staff.send(Method::HEAD, &path, None, &[("tus-resumable", "0.2.2")]).await.expect(412);
        assert_eq!(other.header("tus-version"), "1.0.0");
        staff.send(Method::POST, "/api/admin/uploads", None, &[("upload-length", "5")]).await.expect(412);
        for headers in [&[TUS][..], &[TUS, ("upload-length", "-5")], &[TUS, ("upload-length", "many")],
                        &[TUS, ("upload-defer-length", "1")], &[TUS, ("upload-length", "5"), ("upload-concat", "partial")],
                        &[TUS, ("upload-length", "5"), ("upload-metadata", "filename %")]] {
            staff.send(Method::POST, "/api/admin/uploads", None, headers).await.refused(400, "bad_request");
        }
        for method in ["POST", "PURGE"] {
            let headers = [TUS, ("x-http-method-override", method)];
            staff.send(Method::POST, &path, None, &headers).await.refused(405, "bad_request");
        }
        staff.patch(&path, json!({})).await.expect(412);
        staff.send(Method::PATCH, &path, Some(json!({})), &[TUS]).await.refused(415, "bad_request");
        let long = send(&staff, &path, 0, &LAKE[..101]).await.refused(422, "validation");
        assert_eq!(long["errors"][0]["field"], "file");
        assert_eq!(offset(&staff, &path).await, 0);
        let unknown = "/api/admin/uploads/0190a5b0-0000-7000-8000-000000000000";
        send(&staff, unknown, 0, b"x").await.refused(404, "not_found");
        assert!(!is_staged(&camp, &id_of(unknown)), "nothing is kept of it");
        staff.send(Method::HEAD, unknown, None, &[TUS]).await.expect(404);
        let elsewhere = [TUS, ("upload-length", "5"), ("sec-fetch-site", "cross-site")];
        staff.send(Method::POST, "/api/admin/uploads", None, &elsewhere).await.refused(403, "forbidden");
    }
}

story! {
    async fn a_cancelled_upload_gives_back_its_room(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        let path = begun(&staff, "lake.mp4", LAKE.len()).await;
        send(&staff, &path, 0, &LAKE[..1000]).await.expect(204);
        let used = staff.get("/api/admin/uploads").await.expect(200).json();
        assert_eq!((&used["used_bytes"], &used["quota_bytes"]), (&json!(LAKE.len()), &json!(100_i64 << 30)));
        staff.send(Method::DELETE, &path, None, &[TUS]).await.expect(204);
        staff.send(Method::HEAD, &path, None, &[TUS]).await.expect(404);
        camp.work().await;
        assert!(!is_staged(&camp, &id_of(&path)));
        let used = staff.get("/api/admin/uploads").await.expect(200).json();
        assert_eq!((&used["used_bytes"], &used["items"]), (&json!(0), &json!([])));
        staff.delete(&path).await.refused(404, "not_found");
    }
}

story! {
    async fn a_video_whose_upload_is_cancelled_is_a_draft_until_it_has_a_file(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        let path = begun(&staff, "lake.mp4", LAKE.len()).await;
        let form = json!({ "title": "Lake", "upload_id": id_of(&path), "status": "published" });
        let saved = staff.post("/api/admin/videos", form).await.expect(201).json()["video"].clone();
        assert_eq!((&saved["publishes_when_ready"], &saved["has_no_file"]), (&json!(true), &json!(false)));
        staff.send(Method::DELETE, &path, None, &[TUS]).await.expect(204);

        let video = format!("/api/admin/videos/{}", saved["id"].as_str().expect("an id"));
        let left = staff.get(&video).await.expect(200).json();
        assert_eq!((&left["status"], &left["has_no_file"], &left["publishes_when_ready"]), (&json!("draft"), &json!(true), &json!(false)), "{left}");
        let publish = json!({ "version": left["version"], "status": "published" });
        let refused = staff.patch(&video, publish).await.refused(422, "validation");
        let message = json!("“Lake” has no file yet. Please choose one first.");
        assert_eq!((&refused["errors"][0]["field"], &refused["errors"][0]["message"]), (&json!("video_url"), &message));
        let bulk = json!({ "action": "publish", "ids": [saved["id"]] });
        staff.post("/api/admin/videos/bulk", bulk).await.refused(422, "validation");
        let renamed = json!({ "version": left["version"], "title": "The lake" });
        staff.patch(&video, renamed).await.expect(200);

        let other = uploaded(&staff, "lake.mp4", LAKE).await;
        let left = staff.get(&video).await.expect(200).json();
        let again = json!({ "version": left["version"], "upload_id": other, "status": "published" });
        let saved = staff.patch(&video, again).await.expect(200).json()["video"].clone();
        assert_eq!((&saved["has_no_file"], &saved["publishes_when_ready"]), (&json!(false), &json!(true)), "{saved}");
    }
}

story! {
    async fn room_is_checked_before_the_first_byte(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        let sentence = |reply: Reply| {
            let refused = reply.refused(422, "validation");
            assert_eq!(refused["errors"][0]["field"], "file");
            refused["detail"].as_str().expect("a sentence").to_owned()
        };
        assert_eq!(sentence(begin(&staff, "lake.mp4", 0).await), "This file is empty. Please choose another one.");
        assert!(sentence(begin(&staff, "lake.mp4", 600 << 30).await).contains("at most 500 GB"));
        camp.set("uploadQuota", 1).await;
        begin(&staff, "a.mp4", 600 << 20).await.expect(201);
        assert_eq!(
            sentence(begin(&staff, "b.mp4", 600 << 20).await),
            "There is not enough room for this file. It is 600 MB, and 424 MB of the 1 GB for videos are free. \
             Please delete a video, or ask an owner to raise “Upload quota” in the settings.",
        );
        begin(&staff, "b.mp4", 400 << 20).await.expect(201);
        let owner = camp.owner().await;
        let list = owner.get("/api/admin/settings").await.expect(200).json();
        let quota = list["items"].as_array().expect("settings").iter().find(|one| one["key"] == "uploadQuota");
        let quota = quota.expect("the quota");
        assert_eq!(quota["help"], "How much space video files may use, in gigabytes; 1000 MB are taken");
        assert_eq!((&quota["value"], &quota["unavailable"]), (&json!(1), &Value::Null));
        camp.set("uploadQuota", 100_000).await;
        let free = portal::alerts::free_bytes(&camp.app).expect("a disk") as usize;
        assert!(sentence(begin(&staff, "c.mp4", (free / 2).min(499 << 30)).await).contains("not have enough free space"));
        begin(&staff, "c.mp4", 1 << 20).await.expect(201);
    }
}

story! {
    async fn two_members_of_staff_upload_at_once_and_one_goes_on_for_the_other(camp) {
        let camp = without_converter(&camp).await;
        let feder = camp.staff().await;
        let owner = camp.owner().await;
        let (first, second) = (begun(&feder, "a.mp4", LAKE.len()).await, begun(&owner, "b.mp4", LAKE.len()).await);
        let half = LAKE.len() / 2;
        let (one, other) = tokio::join!(send(&feder, &first, 0, &LAKE[..half]), send(&owner, &second, 0, &LAKE[..half]));
        one.expect(204);
        other.expect(204);
        send(&owner, &first, half, &LAKE[half..]).await.expect(204);
        send(&feder, &second, half, &LAKE[half..]).await.expect(204);
        let states: Vec<_> = open_uploads(&feder).await.into_iter().map(|one| one["state"].clone()).collect();
        assert_eq!(states, ["waiting", "waiting"]);
    }
}

story! {
    async fn the_original_of_a_converted_video_that_was_left_over_is_removed_after_a_day(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        let shown = uploaded(&staff, "shown.mp4", LAKE).await;
        let form = json!({ "title": "Hike", "upload_id": shown, "status": "draft" });
        staff.post("/api/admin/videos", form).await.expect(201);
        camp.work().await;
        assert!(!is_staged(&camp, &shown));
        // A process was killed before it removed the file.
        std::fs::write(uploads::staged(&camp.app, shown.parse().expect("an id")), LAKE).expect("written");
        uploads::prune(&camp.app).await.expect("it works");
        assert!(is_staged(&camp, &shown));
        camp.wait(TimeDelta::hours(25));
        uploads::prune(&camp.app).await.expect("it works");
        assert!(!is_staged(&camp, &shown));
    }
}

story! {
    async fn an_upload_that_nobody_goes_on_with_is_removed_after_a_day(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        let stalled = begun(&staff, "stalled.mp4", LAKE.len()).await;
        send(&staff, &stalled, 0, &LAKE[..1000]).await.expect(204);
        let finished = uploaded(&staff, "finished.mp4", LAKE).await;
        camp.work().await;
        // A process was killed before it recorded which upload this file belongs to.
        let lost = uploads::staged(&camp.app, uuid::Uuid::now_v7());
        std::fs::write(&lost, LAKE).expect("written");
        // Another process received bytes of this upload until it was killed.
        let long = begun(&staff, "long.mp4", LAKE.len()).await;
        send(&staff, &long, 0, &LAKE[..1000]).await.expect(204);
        let bytes = std::fs::File::open(uploads::staged(&camp.app, id_of(&long).parse().expect("an id"))).expect("the file");
        let later = std::time::SystemTime::now() + Duration::from_secs(30 * 3600);
        bytes.set_modified(later).expect("a time");
        let awaited = begun(&staff, "awaited.mp4", LAKE.len()).await;
        let form = json!({ "title": "Hike", "upload_id": id_of(&awaited), "status": "draft" });
        staff.post("/api/admin/videos", form).await.expect(201);
        camp.wait(TimeDelta::hours(23));
        let alive = begun(&staff, "alive.mp4", LAKE.len()).await;
        uploads::prune(&camp.app).await.expect("it works");
        assert_eq!(open_uploads(&staff).await.len(), 5);
        assert!(lost.exists());
        send(&staff, &awaited, 0, &LAKE[..1000]).await.expect(204);
        camp.wait(TimeDelta::hours(25));
        send(&staff, &alive, 0, &LAKE[..1000]).await.expect(204);
        uploads::prune(&camp.app).await.expect("it works");
        // Its bytes are about to be removed, so it must not be converted any more.
        assert!(is_staged(&camp, &id_of(&awaited)));
        staff.post(&format!("{awaited}/retry"), json!({})).await.refused(409, "conflict");
        staff.send(Method::HEAD, &awaited, None, &[TUS]).await.expect(410);
        camp.work().await;
        let left = open_uploads(&staff).await;
        let names: Vec<_> = left.iter().map(|one| one["file_name"].as_str().expect("a name")).collect();
        assert_eq!(names, ["long.mp4", "awaited.mp4", "alive.mp4"]);
        assert_eq!((&left[0]["state"], &left[1]["state"]), (&json!("uploading"), &json!("failed")));
        assert_eq!(left[1]["problem"], "The upload was not finished within a day. Please upload the file again.");
        assert!(!lost.exists() && !is_staged(&camp, &id_of(&stalled)) && !is_staged(&camp, &finished));
        assert_eq!(camp.app.files.list().await.expect("files"), []);
        send(&staff, &alive, 1000, &LAKE[1000..]).await.expect(204);
    }
}
