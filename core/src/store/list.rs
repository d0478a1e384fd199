//! Lists of products: the store, and the list of staff in four orders.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

use super::pictures::alt_text;
use super::{AdminProduct, NOT_FOUND, Product, ProductImage, Search, Sort, Stats};
use crate::Result;
use crate::db::{self, Db, On, with_ids};
use crate::pagination::{CursorKey, Page, PageRequest};
use crate::search_text::like_pattern;

/// Returns the products in the store: featured first, then the newest.
///
/// # Errors
///
/// [`crate::Error::Invalid`] on `cursor` when it belongs to another list.
pub async fn on_show(db: &Db, part: &PageRequest) -> Result<Page<Product>> {
    #[derive(sqlx::FromRow)]
    struct Row {
        #[sqlx(flatten)]
        product: Product,
        created_at: DateTime<Utc>,
    }
    let after: Option<(bool, DateTime<Utc>, Uuid)> = part.after("store")?;
    let rows: Vec<Row> = db
        .sql(
            "select id, title, description, price, category, stock_quantity, is_new, is_bestseller, is_featured,
                    created_at
             from products
             where is_active
               and ($1 is null or (is_featured, created_at, id) < ($1, $2, $3))
             order by is_featured desc, created_at desc, id desc
             limit $4",
        )
        .bind(after.map(|a| a.0))
        .bind(after.map(|a| a.1))
        .bind(after.map(|a| a.2))
        .bind(part.limit() + 1)
        .all()
        .await?;
    let Page { items, next } =
        part.page("store", rows, |row| (row.product.is_featured, row.created_at, row.product.id));
    let mut items: Vec<Product> = items.into_iter().map(|row| row.product).collect();
    load_images(db, items.iter_mut()).await?;
    Ok(Page { items, next })
}

/// Loads all product images in one query.
async fn load_images<'a>(db: &Db, products: impl Iterator<Item = &'a mut Product>) -> Result<()> {
    let products: Vec<_> = products.collect();
    let rows: Vec<(Uuid, Uuid, i64)> = On::from(db)
        .either(with_ids(
            ["select product_id, id, display_order from product_images where product_id in "],
            "$1",
            " order by display_order, id",
        ))
        .bind_ids(products.iter().map(|product| product.id))
        .all()
        .await?;
    let mut images: HashMap<Uuid, Vec<ProductImage>> = HashMap::new();
    for (product_id, id, display_order) in rows {
        images.entry(product_id).or_default().push(ProductImage {
            id,
            image_url: format!("/media/products/{id}"),
            thumb_url: format!("/media/products/{id}/thumb"),
            alt_text: String::new(),
            display_order,
        });
    }
    for product in products {
        product.images = images.remove(&product.id).unwrap_or_default();
        for (place, image) in (0..).zip(&mut product.images) {
            image.alt_text = alt_text(&product.title, place);
        }
    }
    Ok(())
}

const ADMIN_PRODUCT: &str =
    "select p.id, p.title, p.description, p.price, p.category, p.stock_quantity, p.is_new,
                p.is_bestseller, p.is_featured, p.is_active, s.username as created_by,
                p.created_at, p.version, lower(p.title) as title_place
         from products p
         left join staff s on s.id = p.created_by ";

const WANTED: &str = "where p.search_text like $1 escape '\\'
                       and ($2 is null or p.category = $2) ";

const BY_ADDITION: &str = "and ($3 is null or (p.created_at, p.id) < ($3, $4))
                           order by p.created_at desc, p.id desc
                           limit $5";
const BY_TITLE: &str = "and ($3 is null or (lower(p.title), p.id) > ($3, $4))
                        order by lower(p.title), p.id
                        limit $5";
const BY_PRICE: &str = "and ($3 is null or (p.price, p.id) > ($3, $4))
                        order by p.price, p.id
                        limit $5";
const BY_STOCK: &str = "and ($3 is null or (p.stock_quantity, p.id) > ($3, $4))
                        order by p.stock_quantity, p.id
                        limit $5";

/// Returns the products that match the staff's filter.
///
/// # Errors
///
/// [`crate::Error::Invalid`] on `cursor` when it belongs to another order or list.
pub async fn list(db: &Db, search: &Search) -> Result<Page<AdminProduct>> {
    let mut page = match search.sort {
        Sort::Newest => by(db, search, "products", BY_ADDITION, |p| p.created_at).await?,
        Sort::Title => {
            by(db, search, "product titles", BY_TITLE, |p| p.title_place.clone()).await?
        }
        Sort::Price => {
            by(db, search, "product prices", BY_PRICE, |p| p.product.price.get()).await?
        }
        Sort::Stock => {
            by(db, search, "product stock", BY_STOCK, |p| p.product.stock_quantity).await?
        }
    };
    load_images(db, page.items.iter_mut().map(|row| &mut row.product)).await?;
    Ok(page)
}

/// The products in an order by one key and the id.
async fn by<K>(
    db: &Db,
    search: &Search,
    list: &str,
    order: &'static str,
    key: impl Fn(&AdminProduct) -> K,
) -> Result<Page<AdminProduct>>
where
    K: Serialize + CursorKey,
    Option<K>: db::Value,
{
    let (after, id): (Option<K>, Option<Uuid>) = search.part.after(list)?.unzip();
    let rows: Vec<AdminProduct> = db
        .sql([ADMIN_PRODUCT, WANTED, order])
        .bind(like_pattern(&search.q))
        .bind(search.category)
        .bind(after)
        .bind(id)
        .bind(search.part.limit() + 1)
        .all()
        .await?;
    Ok(search.part.page(list, rows, |row| (key(row), row.product.id)))
}

/// Returns one product.
///
/// # Errors
///
/// [`crate::Error::NotFound`]
pub async fn find(db: &Db, id: Uuid) -> Result<AdminProduct> {
    let mut found: AdminProduct =
        db.sql([ADMIN_PRODUCT, "where p.id = $1"]).bind(id).optional().await?.ok_or(NOT_FOUND)?;
    load_images(db, std::iter::once(&mut found.product)).await?;
    Ok(found)
}

/// Counts the products, and how many of them are in stock.
pub async fn stats(db: &Db) -> Result<Stats> {
    db.sql(
        "select count(*) as total,
                cast(coalesce(sum(case when is_active then 1 else 0 end), 0) as bigint) as active,
                cast(coalesce(sum(case when is_featured then 1 else 0 end), 0) as bigint) as featured,
                cast(coalesce(sum(stock_quantity), 0) as bigint) as total_stock
         from products",
    )
    .one()
    .await
}
