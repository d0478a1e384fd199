//! What the sample camp has in its store.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;

use super::content::Content;
use super::dice::Dice;
use super::people::People;
use crate::Result;
use crate::db::Tx;
use crate::fold::fold;
use crate::store::Category;

#[derive(Deserialize)]
pub struct Product {
    category: Category,
    title: String,
    description: Option<String>,
    price_cents: i64,
    stock_quantity: i64,
    is_new: bool,
    is_bestseller: bool,
    is_featured: bool,
    is_active: bool,
}

pub async fn write(
    tx: &mut Tx,
    content: &Content,
    people: &People,
    now: DateTime<Utc>,
    dice: &mut Dice,
) -> Result<()> {
    let owner = people.staff.first().map(|member| member.id);
    for product in &content.products {
        let made = now - TimeDelta::minutes(dice.between(60 * 24, 60 * 24 * 120));
        tx.sql(
            "insert into products
               (id, title, description, price, category, stock_quantity, is_new, is_bestseller,
                is_featured, is_active, created_by, search_text, version, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1, $13, $13)",
        )
        .bind(dice.id(made))
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
        .bind(fold(&format!("{} {}", product.title, product.description.as_deref().unwrap_or(""))))
        .bind(made)
        .execute()
        .await?;
    }
    Ok(())
}
