//! A file is what its bytes say, whatever its name is.

use serde_json::json;

use super::{LAKE, begun, id_of, is_staged, open_uploads, send, uploaded, without_converter};

/// The sample with its boxes in this order, or without some of them.
fn parts(kinds: &[&[u8; 4]]) -> Vec<u8> {
    let part = |wanted: &[u8; 4]| {
        let mut at = 0;
        loop {
            let length =
                u32::from_be_bytes(LAKE[at..at + 4].try_into().expect("four bytes")) as usize;
            if &LAKE[at + 4..at + 8] == wanted {
                return &LAKE[at..at + length];
            }
            at += length;
        }
    };
    kinds.iter().flat_map(|kind| part(kind).to_vec()).collect()
}

/// The sample with some bytes replaced everywhere by others of the same length.
fn with(old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut bytes = LAKE.to_vec();
    let places: Vec<usize> =
        (0..bytes.len() - old.len()).filter(|at| &LAKE[*at..at + old.len()] == old).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + old.len()].copy_from_slice(new);
    }
    bytes
}

const NO_VIDEO: &str = "This file is not a video.";
const INCOMPLETE: &str = "This file is not complete";

story! {
    async fn what_is_no_video_is_refused_in_words_and_not_kept(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        let many = 5000;
        let parts_without_end = [LAKE, &b"\0\0\0\x08free".repeat(200_000)].concat();
        for (bytes, sentence) in [
            (parts_without_end, NO_VIDEO),
            (b"Dear parents, today we went to the lake.".repeat(9), NO_VIDEO),
            ([&b"PK\x03\x04"[..], &[7; 600]].concat(), NO_VIDEO),
            (b"#EXTM3U\n#EXTINF:9,\nfile:///etc/passwd\nhttps://evil.example/a.ts\n".to_vec(), NO_VIDEO),
            (b"ffconcat version 1.0\nfile /etc/passwd\n".to_vec(), NO_VIDEO),
            (vec![0; many], NO_VIDEO),
            (vec![b'G'], NO_VIDEO),
            ([&b"\0\0\0\x18ftypheic\0\0\0\0"[..], &[0; 200]].concat(), NO_VIDEO),
            (LAKE[..many].to_vec(), INCOMPLETE),
            (LAKE[..LAKE.len() - 1].to_vec(), INCOMPLETE),
            (parts(&[b"ftyp", b"mdat"]), INCOMPLETE),
            (parts(&[b"ftyp", b"moov"]), INCOMPLETE),
            (with(b"vide", b"text"), "There is only sound in this file."),
        ] {
            let path = begun(&staff, "film.mp4", bytes.len()).await;
            let refused = send(&staff, &path, 0, &bytes).await.refused(422, "validation");
            assert_eq!(refused["errors"][0]["field"], "file");
            let said = refused["detail"].as_str().expect("a sentence").to_owned();
            assert!(said.starts_with(sentence), "{said}");
            let id = id_of(&path);
            assert!(!is_staged(&camp, &id));
            let known = open_uploads(&staff).await.pop().expect("the upload");
            assert_eq!((&known["state"], &known["problem"]), (&json!("failed"), &json!(said)));
            assert_eq!(known["can_retry"], false);
            staff.post(&format!("{path}/retry"), json!({})).await.refused(409, "conflict");
            staff.send(axum::http::Method::HEAD, &path, None, &[("tus-resumable", "1.0.0")]).await.expect(410);
            let form = staff.post("/api/admin/videos", json!({ "title": "Lake", "upload_id": id })).await;
            assert_eq!(form.refused(422, "validation")["errors"][0], json!({ "field": "upload_id", "message": said }));
        }
        let used = staff.get("/api/admin/uploads").await.expect(200).json();
        assert_eq!(used["used_bytes"], 0);
        let log = camp.owner().await.get("/api/admin/audit?action=video.upload_failed").await.expect(200).json();
        assert_eq!(log["items"].as_array().expect("lines").len(), 13);
    }
}

story! {
    async fn without_a_converter_only_what_every_phone_plays_is_taken(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        for (bytes, obstacle) in [
            (with(b"avc1", b"hvc1"), "it is HEVC (“High Efficiency”)"),
            (with(b"avc1", b"av01"), "it is not H.264"),
            (with(b"mp4a", b"ac-3"), "its sound is not AAC"),
            (with(b"ftypisom", b"ftypqt  "), "it is a QuickTime file"),
            (parts(&[b"ftyp", b"mdat", b"moov"]), "its index is at the end"),
            ([&[0x1a, 0x45, 0xdf, 0xa3][..], &[0; 300]].concat(), "it is not an MP4 file"),
        ] {
            let path = begun(&staff, "IMG_0042.MOV", bytes.len()).await;
            let refused = send(&staff, &path, 0, &bytes).await.refused(422, "validation");
            let said = refused["detail"].as_str().expect("a sentence");
            assert!(said.starts_with(&format!("This video would not play on every phone: {obstacle}. Please export it as MP4")), "{said}");
        }
        for bytes in [LAKE.to_vec(), [LAKE, b"\0\0\0"].concat(), [LAKE, b"recorder 7.1"].concat()] {
            uploaded(&staff, "text.txt", &bytes).await;
            assert_eq!(open_uploads(&staff).await.last().expect("the upload")["state"], "waiting");
        }
    }
}

story! {
    async fn a_file_that_is_not_converted_is_published_without_the_place_where_it_was_filmed(camp) {
        let camp = without_converter(&camp).await;
        let staff = camp.staff().await;
        // The sample contains no location. A phone's index does, in front of the same frames.
        let place = b"+41.7036-074.6497/";
        let tag = [&26_u32.to_be_bytes()[..], b"\xa9xyz", place].concat();
        let tags = [&34_u32.to_be_bytes()[..], b"udta", &tag].concat();
        let film = [&parts(&[b"ftyp"])[..], &tags, &parts(&[b"moov", b"mdat"])].concat();
        let upload = uploaded(&staff, "20260729_201500.mp4", &film).await;
        let form = json!({ "title": "Lake day", "upload_id": upload, "status": "published" });
        let video = staff.post("/api/admin/videos", form).await.expect(201).json()["video"].clone();
        camp.work().await;
        let id = video["id"].as_str().expect("an id");
        let seen = camp.browser().get(&format!("/media/videos/{id}")).await.expect(200).bytes.to_vec();
        assert_eq!(seen.len(), film.len());
        assert!(!seen.windows(place.len()).any(|part| part == place));
        assert!(seen.ends_with(&parts(&[b"mdat"])));
    }
}
