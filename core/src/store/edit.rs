//! Staff add, change and delete products.

use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Category, Changes, NOT_FOUND, NewProduct};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::idempotency::{self, Claim};
use crate::money::{Cents, MAX_AMOUNT};
use crate::search_text::normalize;
use crate::unused_files::{RemoveFiles, remove_unused};
use crate::validation::Validator;
use crate::{App, Error, Result};

const MISSING: &str = "Please fill in all required fields.";

struct Clean {
    title: Option<String>,
    description: Option<String>,
}

fn check(
    title: Option<&str>,
    description: Option<&str>,
    price: Option<Cents>,
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
    checks.require(price.is_none_or(|p| (Cents::ZERO..=MAX_AMOUNT).contains(&p)), "price", bounds);
    let bounds = "Please enter a stock from 0 to 1,000,000.";
    checks.require(stock.is_none_or(|n| (0..=1_000_000).contains(&n)), "stock_quantity", bounds);
    checks.done()?;
    Ok(Clean { title, description })
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
    price: Cents,
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
        remove_unused(tx, app, &job).await?;
    }
    Ok(())
}
