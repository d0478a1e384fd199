//! Products of the sample camp's store. Their pictures are drawn in `art/` by
//! `web/scripts/products.mjs`, in the two sizes that the portal stores.

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use uuid::Uuid;

use super::content::Content;
use super::people::People;
use super::random::Random;
use crate::db::Tx;
use crate::money::Cents;
use crate::search_text::normalize;
use crate::store::{Category, pictures};
use crate::{App, Result};

#[derive(Deserialize)]
pub struct Product {
    category: Category,
    title: String,
    /// Some products have no picture.
    picture: Option<String>,
    description: Option<String>,
    price_cents: Cents,
    stock_quantity: i64,
    is_new: bool,
    is_bestseller: bool,
    is_featured: bool,
    is_active: bool,
}

/// Fails with the errors of [`crate::files::Files::put`] when a picture cannot be stored.
pub async fn write(
    tx: &mut Tx,
    app: &App,
    content: &Content,
    people: &People,
    now: DateTime<Utc>,
    random: &mut Random,
) -> Result<()> {
    let owner = people.staff.first().map(|member| member.id);
    for product in &content.products {
        let made = now - TimeDelta::minutes(random.between(60 * 24, 60 * 24 * 120));
        let id = random.id(made);
        tx.sql(
            "insert into products
               (id, title, description, price, category, stock_quantity, is_new, is_bestseller,
                is_featured, is_active, created_by, search_text, version, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1, $13, $13)",
        )
        .bind(id)
        .bind(&product.title)
        .bind(product.description.clone())
        .bind(product.price_cents)
        .bind(product.category)
        .bind(product.stock_quantity)
        .bind(product.is_new)
        .bind(product.is_bestseller)
        .bind(product.is_featured)
        .bind(product.is_active)
        .bind(owner)
        .bind(normalize(&format!(
            "{} {}",
            product.title,
            product.description.as_deref().unwrap_or("")
        )))
        .bind(made)
        .execute()
        .await?;
        if let Some(picture) = product.picture.as_deref().and_then(picture) {
            add_picture(tx, app, id, &product.title, picture, made).await?;
        }
    }
    Ok(())
}

async fn add_picture(
    tx: &mut Tx,
    app: &App,
    product_id: Uuid,
    title: &str,
    picture: &Picture,
    made: DateTime<Utc>,
) -> Result<()> {
    // A generator for this product only, so that its picture does not influence the rest of the
    // camp.
    let id = Random::new(product_id.as_u64_pair().1).id(made);
    let (file_key, thumb_key) = pictures::keys(id);
    app.files.put(&file_key, Bytes::from_static(picture.large)).await?;
    app.files.put(&thumb_key, Bytes::from_static(picture.small)).await?;
    tx.sql(
        "insert into product_images (id, product_id, file_key, thumb_key, alt_text, display_order, created_at)
         values ($1, $2, $3, $4, $5, 0, $6)",
    )
    .bind(id)
    .bind(product_id)
    .bind(file_key)
    .bind(thumb_key)
    .bind(pictures::alt_text(title, 0))
    .bind(made)
    .execute()
    .await?;
    Ok(())
}

struct Picture {
    name: &'static str,
    large: &'static [u8],
    small: &'static [u8],
}

fn picture(name: &str) -> Option<&'static Picture> {
    PICTURES.iter().find(|picture| picture.name == name)
}

macro_rules! drawn {
    ($($name:literal),* $(,)?) => {
        &[$(Picture {
            name: $name,
            large: include_bytes!(concat!("media/products/", $name, ".jpg")),
            small: include_bytes!(concat!("media/products/", $name, "-small.jpg")),
        }),*]
    };
}

static PICTURES: &[Picture] = drawn![
    "sweatshirt",
    "tshirt",
    "blue-team",
    "red-team",
    "rain-jacket",
    "wool-socks",
    "fleece-vest",
    "cap",
    "backpack",
    "steel-bottle",
    "laundry-bag",
    "key-ring",
    "flashlight",
    "sleeping-bag",
    "camp-chair",
    "swim-goggles",
    "softball-glove",
    "summer-album",
    "bunk-picture",
    "wooden-lantern",
    "puzzle",
    "all-videos",
    "summer-songs",
    "hoodie",
    "camp-tee",
    "bucket-hat",
    "loon-bottle",
    "dry-bag",
    "headlamp",
    "session-photo",
    "session-videos",
];

#[cfg(test)]
mod tests {
    use super::super::{Sample, content};
    use super::*;

    #[test]
    fn every_picture_is_there_and_hangs_at_one_product() {
        let both = [Sample::Yiddish, Sample::General]
            .map(|sample| content::read(sample).expect("readable"));
        let mut hung: Vec<&str> = both
            .iter()
            .flat_map(|content| &content.products)
            .filter_map(|product| product.picture.as_deref())
            .collect();
        let mut drawn: Vec<&str> = PICTURES.iter().map(|picture| picture.name).collect();
        hung.sort_unstable();
        drawn.sort_unstable();
        assert_eq!(hung, drawn);
    }
}
