//! Pictures as WebP for browsers that accept it.

use axum::http::Method;
use portal::videos::Status;
use serde_json::json;

use crate::camp::{Browser, Reply};
use crate::media::own_video;

/// A PNG with some detail.
fn photo() -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    let picture = image::RgbImage::from_fn(800, 450, |x, y| {
        image::Rgb([(x / 4) as u8, (y / 2) as u8, (x * y / 1500) as u8])
    });
    picture.write_to(&mut out, image::ImageFormat::Png).expect("a picture");
    out.into_inner()
}

async fn get(browser: &Browser, path: &str, accept: &str) -> Reply {
    browser.send(Method::GET, path, None, &[("accept", accept)]).await
}

const BROWSER: &str = "image/avif,image/webp,image/apng,*/*;q=0.8";

/// Waits for the copy, which is made after the first request.
async fn copy(browser: &Browser, path: &str) -> Reply {
    loop {
        let reply = get(browser, path, BROWSER).await.expect(200);
        if reply.header("content-type") == "image/webp" {
            return reply;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

story! {
    async fn a_browser_that_takes_webp_gets_a_smaller_picture(camp) {
        let (staff, owner) = (camp.staff().await, camp.owner().await);
        owner.send_picture("/api/admin/settings/pictures/hero", photo()).await.expect(201);
        let site = camp.browser().get("/api/site").await.json();
        let hero = &site["pictures"]["hero"][0];
        let cap = json!({ "title": "Camp cap", "price": 1850, "category": "clothing", "stock_quantity": 12 });
        let cap = staff.post("/api/admin/products", cap).await.expect(201).json();
        let images = format!("/api/admin/products/{}/images", cap["id"].as_str().expect("an id"));
        let cap = staff.send_picture(&images, photo()).await.expect(201).json();
        let image = &cap["images"][0];
        let home = camp.browser();
        for address in [&hero["url"], &hero["small_url"], &image["image_url"], &image["thumb_url"]] {
            let path = address.as_str().expect("an address");
            let small = copy(&home, path).await;
            assert_eq!(small.header("vary"), "accept", "{path}");
            let seen = image::load_from_memory(&small.bytes).expect("a WebP");
            for accept in ["*/*", "image/*", "image/jpeg", "image/webp2", "image/webp;q=0, */*"] {
                let jpeg = get(&home, path, accept).await.expect(200);
                assert_eq!(jpeg.header("content-type"), "image/jpeg", "{accept}");
                assert_eq!(jpeg.header("vary"), "accept");
                assert_eq!(jpeg.header("cache-control"), small.header("cache-control"));
                assert!(small.bytes.len() < jpeg.bytes.len(), "{path}");
                let whole = image::load_from_memory(&jpeg.bytes).expect("a JPEG");
                assert_eq!((seen.width(), seen.height()), (whole.width(), whole.height()));
            }
        }
        owner.patch("/api/admin/settings", json!({ "heroPictures": [] })).await.expect(200);
        get(&home, hero["url"].as_str().expect("an address"), BROWSER).await.refused(404, "not_found");
    }
}

story! {
    async fn the_copy_of_a_videos_picture_obeys_the_same_rule(camp) {
        let id = own_video(&camp, "Lake", Status::Published, "films/lake.mp4").await;
        let picture = image::load_from_memory(&photo()).expect("a picture");
        let jpeg = portal::pictures::jpeg(&picture, 640).expect("a JPEG");
        camp.app.files.put("pictures/lake.jpg", jpeg).await.expect("stored");
        let path = format!("/media/thumbnails/{id}");
        let stranger = camp.browser();
        let small = copy(&stranger, &path).await;
        assert_eq!(small.header("cache-control"), "private, max-age=600");
        let etag = small.header("etag").to_owned();
        assert_ne!(etag, stranger.get(&path).await.expect(200).header("etag"));
        let again = [("accept", BROWSER), ("if-none-match", &etag)];
        assert_eq!(stranger.send(Method::GET, &path, None, &again).await.status, 304);
        for access in ["signed_in", "families"] {
            camp.set("access", access).await;
            get(&stranger, &path, BROWSER).await.refused(401, "sign_in_required");
            assert_eq!(stranger.send(Method::GET, &path, None, &again).await.status, 401);
        }
    }
}

story! {
    async fn what_is_no_picture_stays_as_it_is(camp) {
        let id = own_video(&camp, "Lake", Status::Published, "films/lake.mp4").await;
        let path = format!("/media/thumbnails/{id}");
        for _ in 0..3 {
            let reply = get(&camp.browser(), &path, BROWSER).await.expect(200);
            assert_eq!((reply.header("content-type"), &reply.bytes[..]), ("image/jpeg", &b"picture"[..]));
        }
    }
}
