//! The camp's store: products with prices and pictures (decisions S1, S2). There are no orders
//! here. People write to the camp.

pub mod pictures;

mod edit;
mod list;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use edit::{add, change, delete};
pub use list::{find, list, on_show, stats};

use crate::Error;
use crate::money::Cents;
use crate::pagination::PageRequest;

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
    #[schema(value_type = i64)]
    pub price: Cents,
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
    #[schema(value_type = i64)]
    pub price: Cents,
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
    /// Cents.
    #[schema(value_type = Option<i64>)]
    pub price: Option<Cents>,
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
pub(crate) const MAX_IMAGES: i64 = 4;
const NOT_FOUND: Error = Error::NotFound("This product no longer exists.");
