//! The store: managing products and their pictures, and the public page.

use serde_json::{Value, json};

use crate::answers::approved;
use crate::camp::{Browser, Reply};

fn cap() -> Value {
    json!({ "title": "Camp cap", "description": "Green, with the lantern.", "price": 1850, "category": "clothing", "stock_quantity": 12 })
}

/// A PNG of one color.
fn picture(side: u32) -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    image::DynamicImage::new_rgb8(side, side)
        .write_to(&mut out, image::ImageFormat::Png)
        .expect("a picture");
    out.into_inner()
}

async fn send(staff: &Browser, product: &str, bytes: Vec<u8>) -> Reply {
    staff.send_picture(&format!("/api/admin/products/{product}/images"), bytes).await
}

story! {
    async fn a_product_is_on_show_until_it_is_hidden(camp) {
        let staff = camp.staff().await;
        let made = staff.post("/api/admin/products", cap()).await.expect(201).json();
        approved("new_product", &made);
        let seen = camp.browser().get("/api/store").await.expect(200).json();
        approved("store_with_one_product", &seen);
        camp.set("currency", "GBP").await;
        assert_eq!(camp.browser().get("/api/store").await.json()["currency"], "GBP");
        assert!(seen["items"][0].get("version").is_none());
        let path = format!("/api/admin/products/{}", made["id"].as_str().expect("an id"));
        staff.patch(&path, json!({ "version": 1, "is_active": false, "is_featured": true })).await.expect(200);
        assert_eq!(camp.browser().get("/api/store").await.json()["items"], json!([]));
        staff.patch(&path, json!({ "version": 1, "price": 5 })).await.refused(409, "stale");
        assert_eq!(staff.get(&path).await.expect(200).json(), staff.get("/api/admin/products").await.json()["items"][0]);
        let stats = staff.get("/api/admin/products/stats").await.json();
        assert_eq!(stats, json!({ "total": 1, "active": 0, "featured": 1, "total_stock": 12 }));
        staff.delete(&path).await.expect(204);
        staff.delete(&path).await.refused(404, "not_found");
        staff.get(&path).await.refused(404, "not_found");
    }
}

story! {
    async fn what_is_missing_or_out_of_bounds_is_said(camp) {
        let staff = camp.staff().await;
        for (field, value) in [("title", json!("  ")), ("price", json!(-1)), ("price", json!(100_000_001)), ("stock_quantity", json!(-1)), ("title", json!("x".repeat(121)))] {
            let mut bad = cap();
            bad[field] = value;
            let problem = staff.post("/api/admin/products", bad).await.refused(422, "validation");
            assert_eq!(problem["errors"][0]["field"], field);
        }
        let mut bad = cap();
        bad["category"] = json!("food");
        staff.post("/api/admin/products", bad).await.refused(422, "validation");
        assert_eq!(staff.get("/api/admin/products").await.json()["items"], json!([]));
    }
}

story! {
    async fn products_are_found_by_words_and_category(camp) {
        let staff = camp.staff().await;
        staff.post("/api/admin/products", cap()).await.expect(201);
        let mut mug = cap();
        mug["title"] = json!("קאַוועטעפּל");
        mug["category"] = json!("accessories");
        staff.post("/api/admin/products", mug).await.expect(201);
        let found = |reply: Reply| reply.json()["items"].as_array().expect("a list").len();
        assert_eq!(found(staff.get("/api/admin/products?q=LANTERN").await), 2);
        assert_eq!(found(staff.get("/api/admin/products?q=%D7%A7%D7%90%D7%95%D7%95%D7%A2%D7%98%D7%A2%D7%A4%D7%9C").await), 1);
        assert_eq!(found(staff.get("/api/admin/products?category=clothing").await), 1);
        assert_eq!(found(staff.get("/api/admin/products?q=100%25").await), 0);
    }
}

story! {
    async fn products_are_sorted_page_by_page(camp) {
        let staff = camp.staff().await;
        for (title, price, stock) in [("mug", 900, 3), ("Cap", 1_500, 0), ("Bag", 900, 12)] {
            let mut product = cap();
            (product["title"], product["price"], product["stock_quantity"]) = (json!(title), json!(price), json!(stock));
            staff.post("/api/admin/products", product).await.expect(201);
        }
        for (sort, titles) in [
            ("newest", ["Bag", "Cap", "mug"]),
            ("title", ["Bag", "Cap", "mug"]),
            ("price", ["mug", "Bag", "Cap"]),
            ("stock", ["Cap", "mug", "Bag"]),
        ] {
            let page = staff.get(&format!("/api/admin/products?limit=1&sort={sort}")).await.expect(200).json();
            let next = page["next"].as_str().expect("more");
            let rest = staff.get(&format!("/api/admin/products?sort={sort}&cursor={next}")).await.expect(200).json();
            let found: Vec<Value> = [&page, &rest].iter().flat_map(|page| page["items"].as_array().expect("items").clone()).map(|item| item["title"].clone()).collect();
            assert_eq!(found, titles, "{sort}");
            let other = if sort == "title" { "price" } else { "title" };
            staff.get(&format!("/api/admin/products?sort={other}&cursor={next}")).await.refused(422, "validation");
        }
    }
}

story! {
    async fn the_store_shows_every_product_page_by_page_featured_ones_first(camp) {
        let staff = camp.staff().await;
        for number in 0..103 {
            let mut product = cap();
            product["title"] = json!(format!("Cap {number}"));
            product["is_featured"] = json!(number == 40 || number == 50);
            staff.post("/api/admin/products", product).await.expect(201);
        }
        let newest_first = (0..103).rev().filter(|number| ![40, 50].contains(number));
        let order: Vec<_> = [50, 40].into_iter().chain(newest_first).map(|number| json!(format!("Cap {number}"))).collect();
        let titles = |page: &Value| page["items"].as_array().expect("items").iter().map(|item| item["title"].clone()).collect::<Vec<_>>();
        let browser = camp.browser();
        let first = browser.get("/api/store").await.expect(200).json();
        assert_eq!(titles(&first), order[..100]);
        let next = first["next"].as_str().expect("more");
        let rest = browser.get(&format!("/api/store?cursor={next}")).await.expect(200).json();
        assert_eq!(titles(&rest), order[100..]);
        assert_eq!((&rest["next"], &rest["currency"]), (&Value::Null, &json!("USD")));

        let first = browser.get("/api/store?limit=1").await.expect(200).json();
        let next = first["next"].as_str().expect("more");
        let rest = browser.get(&format!("/api/store?limit=2&cursor={next}")).await.expect(200).json();
        assert_eq!([titles(&first), titles(&rest)].concat(), order[..3]);
        browser.get("/api/store?cursor=x").await.refused(422, "validation");
        browser.get("/api/store?colour=red").await.refused(400, "bad_request");
    }
}

async fn camp_version(staff: &Browser, id: &str) -> Value {
    staff.get(&format!("/api/admin/products/{id}")).await.expect(200).json()["version"].clone()
}

story! {
    async fn a_product_has_at_most_four_pictures_also_when_they_come_at_once(camp) {
        let staff = camp.staff().await;
        let made = staff.post("/api/admin/products", cap()).await.expect(201).json();
        let id = made["id"].as_str().expect("an id");
        let sent = (0..6).map(|_| send(&staff, id, picture(40)));
        let mut statuses: Vec<_> = futures_util::future::join_all(sent).await.iter().map(|r| r.status.as_u16()).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 201, 201, 201, 409, 409]);
        let seen = camp.browser().get("/api/store").await.json();
        let images = seen["items"][0]["images"].as_array().expect("pictures").clone();
        assert_eq!(images.len(), 4);
        staff.patch(&format!("/api/admin/products/{id}"), json!({ "version": camp_version(&staff, id).await, "title": "Blue hoodie" })).await.expect(200);
        let renamed = camp.browser().get("/api/store").await.json();
        assert_eq!(renamed["items"][0]["images"][3]["alt_text"], "Blue hoodie, picture 4");
        let files = camp.app.files.list().await.expect("files");
        assert_eq!(files.iter().filter(|(key, _)| key.starts_with("products/")).count(), 8, "none of a refused picture");
        let reply = camp.browser().get(images[0]["image_url"].as_str().expect("an address")).await.expect(200);
        assert_eq!(reply.header("content-type"), "image/jpeg");
        assert_eq!(&reply.bytes[..2], &b"\xff\xd8"[..]);
        camp.browser().get(images[0]["thumb_url"].as_str().expect("an address")).await.expect(200);

        let ids: Vec<_> = images.iter().rev().map(|image| image["id"].clone()).collect();
        let path = format!("/api/admin/products/{id}/images/order");
        let method = axum::http::Method::PUT;
        let ordered = staff.send(method, &path, Some(json!({ "ids": ids })), &[]).await.expect(200).json();
        assert_eq!(ordered["images"][0]["id"], ids[0]);
        let gone = format!("/api/admin/products/{id}/images/{}", ids[0].as_str().expect("an id"));
        let left = staff.delete(&gone).await.expect(200).json();
        assert_eq!(left["images"].as_array().expect("pictures").len(), 3);
        staff.delete(&format!("/api/admin/products/{id}")).await.expect(204);
        camp.work().await;
        camp.browser().get(images[1]["image_url"].as_str().expect("an address")).await.refused(404, "not_found");
    }
}

story! {
    async fn what_is_no_picture_or_too_large_is_refused(camp) {
        let staff = camp.staff().await;
        let made = staff.post("/api/admin/products", cap()).await.expect(201).json();
        let id = made["id"].as_str().expect("an id");
        send(&staff, id, b"<svg onload='alert(1)'/>".to_vec()).await.refused(422, "validation");
        send(&staff, id, vec![0; 11 << 20]).await.refused(413, "too_large");
        send(&staff, id, vec![0; (10 << 20) + 1]).await.refused(422, "validation");
        send(&staff, "0190a5b0-0000-7000-8000-000000000000", picture(10)).await.refused(404, "not_found");
        camp.browser().post(&format!("/api/admin/products/{id}/images"), json!({})).await.refused(401, "staff_required");
        assert_eq!(staff.get("/api/admin/products").await.json()["items"][0]["images"], json!([]));
    }
}

story! {
    async fn the_embedded_shop_must_be_https(camp) {
        let owner = camp.owner().await;
        owner.patch("/api/admin/settings", json!({ "shopUrl": "http://shop.example" })).await.refused(422, "validation");
        owner.patch("/api/admin/settings", json!({ "shopUrl": "javascript:alert(1)" })).await.refused(422, "validation");
        owner.patch("/api/admin/settings", json!({ "shopUrl": "https://shop.example/camp" })).await.expect(200);
        assert_eq!(camp.browser().get("/api/store").await.json()["shop_url"], "https://shop.example/camp");
    }
}
