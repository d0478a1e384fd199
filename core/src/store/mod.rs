//! The camp's store: products with prices and pictures (decisions S1, S2). There are no orders
//! here. People write to the camp.

pub mod pictures;

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{self, Db, On, Tx, with_ids};
use crate::idempotency::{self, Claim};
use crate::pagination::{CursorKey, Page, PageRequest};
use crate::search_text::{like_pattern, normalize};
use crate::unused_files::RemoveFiles;
use crate::validation::Validator;
use crate::{App, Error, Result, jobs};

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[schema(as = ProductCategory)]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Category {
    Clothing,
    Accessories,
    Equipment,
    Memorabilia,
    Digital,
}

/// A picture of a product, in two sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ProductImage {
    pub id: Uuid,
    pub image_url: String,
    pub thumb_url: String,
    pub alt_text: String,
    pub display_order: i64,
}

/// A product as everybody sees it.
#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct Product {
    pub id: Uuid,
    pub title: String,
    pub description: Option<String>,
    /// Cents.
    pub price: i64,
    pub category: Category,
    pub stock_quantity: i64,
    pub is_new: bool,
    pub is_bestseller: bool,
    pub is_featured: bool,
    #[sqlx(skip)]
    pub images: Vec<ProductImage>,
}

/// A product as staff see it.
#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct AdminProduct {
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub product: Product,
    pub is_active: bool,
    /// The name of the account that made it.
    pub created_by: Option<String>,
    pub created_at: DateTime<Utc>,
    pub version: i64,
    /// The sort key in lists by title.
    #[serde(skip)]
    title_place: String,
}

#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewProduct {
    pub title: String,
    pub description: Option<String>,
    /// Cents.
    pub price: i64,
    pub category: Category,
    pub stock_quantity: i64,
    #[serde(default)]
    pub is_new: bool,
    #[serde(default)]
    pub is_bestseller: bool,
    #[serde(default)]
    pub is_featured: bool,
}

/// Changes to a product. Omitted fields stay as they are.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ProductPatch)]
pub struct Changes {
    /// The version that was read.
    pub version: i64,
    pub title: Option<String>,
    /// Empty to remove it.
    pub description: Option<String>,
    pub price: Option<i64>,
    pub category: Option<Category>,
    pub stock_quantity: Option<i64>,
    pub is_new: Option<bool>,
    pub is_bestseller: Option<bool>,
    pub is_featured: Option<bool>,
    pub is_active: Option<bool>,
}

#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[schema(as = ProductStats)]
pub struct Stats {
    pub total: i64,
    pub active: i64,
    pub featured: i64,
    pub total_stock: i64,
}

/// The filter of the staff's list.
#[derive(Debug, Default)]
pub struct Search {
    pub q: String,
    pub category: Option<Category>,
    pub sort: Sort,
    pub part: PageRequest,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ProductOrder)]
pub enum Sort {
    #[default]
    Newest,
    Title,
    /// The cheapest first.
    Price,
    /// The lowest stock first.
    Stock,
}

/// The maximum number of pictures of a product.
pub const MOST_IMAGES: i64 = 4;
const MISSING: &str = "Please fill in all required fields.";
const NOT_FOUND: Error = Error::NotFound("This product is not there any more.");
/// The maximum price: a million dollars, in cents.
const DEAREST: i64 = 100_000_000;

struct Clean {
    title: Option<String>,
    description: Option<String>,
}

fn check(
    title: Option<&str>,
    description: Option<&str>,
    price: Option<i64>,
    stock: Option<i64>,
) -> Result<Clean> {
    let mut checks = Validator::new();
    let title = title.map(|title| {
        let title = checks.line("title", title, 120);
        checks.require(!title.is_empty(), "title", MISSING);
        title
    });
    let description = description.map(|text| checks.block("description", text, 2000));
    let bounds = "Please enter a price from 0 to 1,000,000.";
    checks.require(price.is_none_or(|p| (0..=DEAREST).contains(&p)), "price", bounds);
    let bounds = "Please enter a stock from 0 to 1,000,000.";
    checks.require(stock.is_none_or(|n| (0..=1_000_000).contains(&n)), "stock_quantity", bounds);
    checks.done()?;
    Ok(Clean { title, description })
}

/// Returns the products in the store: featured first, then the newest; at most 100.
pub async fn on_show(db: &Db) -> Result<Vec<Product>> {
    let mut products: Vec<Product> = db
        .sql(
            "select id, title, description, price, category, stock_quantity, is_new, is_bestseller, is_featured
             from products
             where is_active
             order by is_featured desc, created_at desc, id desc
             limit 100",
        )
        .all()
        .await?;
    load_images(db, products.iter_mut()).await?;
    Ok(products)
}

/// Loads all product images in one query.
async fn load_images<'a>(db: &Db, products: impl Iterator<Item = &'a mut Product>) -> Result<()> {
    let products: Vec<_> = products.collect();
    let rows: Vec<(Uuid, Uuid, String, i64)> = On::from(db)
        .either(with_ids(
            ["select product_id, id, alt_text, display_order from product_images
             where product_id in "],
            "$1",
            " order by display_order, id",
        ))
        .bind_ids(products.iter().map(|product| product.id))
        .all()
        .await?;
    let mut images: HashMap<Uuid, Vec<ProductImage>> = HashMap::new();
    for (product_id, id, alt_text, display_order) in rows {
        images.entry(product_id).or_default().push(ProductImage {
            id,
            image_url: format!("/media/products/{id}"),
            thumb_url: format!("/media/products/{id}/thumb"),
            alt_text,
            display_order,
        });
    }
    for product in products {
        product.images = images.remove(&product.id).unwrap_or_default();
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
pub async fn list(db: &Db, search: &Search) -> Result<Page<AdminProduct>> {
    let mut page = match search.sort {
        Sort::Newest => by(db, search, "products", BY_ADDITION, |p| p.created_at).await?,
        Sort::Title => {
            by(db, search, "product titles", BY_TITLE, |p| p.title_place.clone()).await?
        }
        Sort::Price => by(db, search, "product prices", BY_PRICE, |p| p.product.price).await?,
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
/// [`Error::NotFound`]
pub async fn find(db: &Db, id: Uuid) -> Result<AdminProduct> {
    let mut found: AdminProduct =
        db.sql([ADMIN_PRODUCT, "where p.id = $1"]).bind(id).optional().await?.ok_or(NOT_FOUND)?;
    load_images(db, std::iter::once(&mut found.product)).await?;
    Ok(found)
}

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

/// Adds a product, once for each `key`. It is visible immediately.
///
/// # Errors
///
/// [`Error::Invalid`], and those of [`idempotency`].
pub async fn add(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    new: &NewProduct,
    key: Option<Uuid>,
) -> Result<Uuid> {
    let id = match idempotency::claim(tx, app, "product", key, new).await? {
        Claim::New(id) => id,
        Claim::Made(id) => {
            let found = kept(tx, id).await?.map(|_| id).ok_or(NOT_FOUND);
            return idempotency::unless_deleted(found);
        }
    };
    let clean = check(
        Some(&new.title),
        new.description.as_deref(),
        Some(new.price),
        Some(new.stock_quantity),
    )?;
    let now = app.clock.now();
    let title = clean.title.unwrap_or_default();
    let description = clean.description.filter(|text| !text.is_empty());
    tx.sql(
        "insert into products
           (id, title, description, price, category, stock_quantity, is_new, is_bestseller,
            is_featured, is_active, created_by, search_text, version, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, true, $10, $11, 1, $12, $12)",
    )
    .bind(id)
    .bind(&title)
    .bind(description.clone())
    .bind(new.price)
    .bind(new.category)
    .bind(new.stock_quantity)
    .bind(new.is_new)
    .bind(new.is_bestseller)
    .bind(new.is_featured)
    .bind(actor.staff_id())
    .bind(normalize(&format!("{title} {}", description.unwrap_or_default())))
    .bind(now)
    .execute()
    .await?;
    let details = json!(kept(tx, id).await?);
    audit::record(
        tx,
        now,
        actor,
        Action::ProductAdd,
        Subject::new(SubjectKind::Product, id),
        details,
    )
    .await?;
    Ok(id)
}

/// Changes a product.
///
/// # Errors
///
/// [`Error::Invalid`], [`Error::Stale`], [`Error::NotFound`]
pub async fn change(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    id: Uuid,
    changes: &Changes,
) -> Result<()> {
    let clean = check(
        changes.title.as_deref(),
        changes.description.as_deref(),
        changes.price,
        changes.stock_quantity,
    )?;
    let now = app.clock.now();
    let before = kept(tx, id).await?.ok_or(NOT_FOUND)?;
    let changed = tx
        .sql(
            "update products
             set title = coalesce($3, title),
                 description = case when $4 is null then description else nullif($4, '') end,
                 price = coalesce($5, price),
                 category = coalesce($6, category),
                 stock_quantity = coalesce($7, stock_quantity),
                 is_new = coalesce($8, is_new),
                 is_bestseller = coalesce($9, is_bestseller),
                 is_featured = coalesce($10, is_featured),
                 is_active = coalesce($11, is_active),
                 version = version + 1, updated_at = $12
             where id = $1 and version = $2",
        )
        .bind(id)
        .bind(changes.version)
        .bind(clean.title)
        .bind(clean.description)
        .bind(changes.price)
        .bind(changes.category)
        .bind(changes.stock_quantity)
        .bind(changes.is_new)
        .bind(changes.is_bestseller)
        .bind(changes.is_featured)
        .bind(changes.is_active)
        .bind(now)
        .execute()
        .await?;
    let after = kept(tx, id).await?.filter(|_| changed > 0).ok_or(Error::Stale)?;
    let text = format!("{} {}", after.title, after.description.as_deref().unwrap_or_default());
    tx.sql("update products set search_text = $2 where id = $1")
        .bind(id)
        .bind(normalize(&text))
        .execute()
        .await?;
    let details = Value::Object(audit::differences(&json!(before), &json!(after)));
    audit::record(
        tx,
        now,
        actor,
        Action::ProductChange,
        Subject::new(SubjectKind::Product, id),
        details,
    )
    .await
}

/// The fields that staff decide, as recorded in the audit log.
#[derive(Serialize, sqlx::FromRow)]
struct Kept {
    title: String,
    description: Option<String>,
    price: i64,
    category: Category,
    stock_quantity: i64,
    is_new: bool,
    is_bestseller: bool,
    is_featured: bool,
    is_active: bool,
}

async fn kept(tx: &mut Tx, id: Uuid) -> Result<Option<Kept>> {
    tx.sql(
        "select title, description, price, category, stock_quantity, is_new, is_bestseller,
                is_featured, is_active
         from products where id = $1",
    )
    .bind(id)
    .optional()
    .await
}

/// Deletes a product with its pictures.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn delete(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let files: Vec<(String, String)> = tx
        .sql("select file_key, thumb_key from product_images where product_id = $1")
        .bind(id)
        .all()
        .await?;
    let gone = kept(tx, id).await?.ok_or(NOT_FOUND)?;
    if tx.sql("delete from products where id = $1").bind(id).execute().await? == 0 {
        return Err(NOT_FOUND);
    }
    let mut details = json!(gone);
    details["images"] = json!(files.len());
    remove_later(tx, app, files).await?;
    let now = app.clock.now();
    audit::record(
        tx,
        now,
        actor,
        Action::ProductDelete,
        Subject::new(SubjectKind::Product, id),
        details,
    )
    .await
}

pub(super) async fn remove_later(
    tx: &mut Tx,
    app: &App,
    files: Vec<(String, String)>,
) -> Result<()> {
    for (file_key, thumb_key) in files {
        let job = RemoveFiles { file_key: Some(file_key), thumbnail_key: Some(thumb_key) };
        jobs::enqueue(tx, app, &job).await?;
    }
    Ok(())
}
