//! The store over HTTP: the public page, the admin pages, and the pictures.

use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use portal::App;
use portal::audit::Actor;
use portal::pagination::PageRequest;
use portal::store::{
    self, AdminProduct, Category, Changes, NewProduct, Product, Search, Sort, Stats, pictures,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use crate::Api;
use crate::auth::{CurrentStaff, CurrentViewer};
use crate::error::{Answer, Problem};
use crate::input::{Id, Input, Key, Page, Params, Picture, Segments};
use crate::json::Json;
use crate::videos::PageQuery;
use crate::webp;

pub fn routes() -> OpenApiRouter<Api> {
    let pictures = OpenApiRouter::new()
        .routes(routes!(add_image))
        .layer(DefaultBodyLimit::max(portal::pictures::LARGEST + 1024));
    OpenApiRouter::new()
        .routes(routes!(on_show))
        .routes(routes!(list, add))
        .routes(routes!(stats))
        .routes(routes!(find, change, delete))
        .routes(routes!(order_images))
        .routes(routes!(remove_image))
        .merge(pictures)
}

pub fn media() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(image)).routes(routes!(thumb))
}

#[derive(Serialize, ToSchema)]
struct Store {
    items: Vec<Product>,
    /// Pass it as `cursor` for the following page; null at the end.
    next: Option<String>,
    /// The currency of all prices.
    currency: String,
    /// The embedded shop, when the camp has one.
    shop_url: Option<String>,
}

/// What the store shows
#[utoipa::path(get, path = "/api/store", tag = "store", security(()), params(PageQuery),
    responses((status = 200, body = Store)))]
async fn on_show(State(app): State<App>, Params(query): Params<PageQuery>) -> Answer<Json<Store>> {
    let settings = app.settings().await?;
    let shop_url = (!settings.shop_url.is_empty()).then(|| settings.shop_url.clone());
    let currency = settings.currency.clone();
    let page = store::on_show(&app.db, &query.into()).await?;
    Ok(Json(Store { items: page.items, next: page.next, currency, shop_url }))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ProductQuery {
    /// In title and description.
    q: Option<String>,
    #[param(inline)]
    category: Option<Category>,
    #[param(inline)]
    sort: Option<Sort>,
    cursor: Option<String>,
    limit: Option<i64>,
}

/// All products
#[utoipa::path(get, path = "/api/admin/products", tag = "admin store", security(("staff" = [])), params(ProductQuery),
    responses((status = 200, body = Page<AdminProduct>)))]
async fn list(
    State(app): State<App>,
    _staff: CurrentStaff,
    Params(query): Params<ProductQuery>,
) -> Answer<Json<Page<AdminProduct>>> {
    let search = Search {
        q: query.q.unwrap_or_default(),
        category: query.category,
        sort: query.sort.unwrap_or_default(),
        part: PageRequest { cursor: query.cursor, limit: query.limit },
    };
    Ok(Json(store::list(&app.db, &search).await?.into()))
}

/// How many products there are
#[utoipa::path(get, path = "/api/admin/products/stats", tag = "admin store", security(("staff" = [])),
    responses((status = 200, body = Stats)))]
async fn stats(State(app): State<App>, _staff: CurrentStaff) -> Answer<Json<Stats>> {
    Ok(Json(store::stats(&app.db).await?))
}

/// Add a product
///
/// The same `Idempotency-Key` with the same body is answered with the record that the first one made.
#[utoipa::path(post, path = "/api/admin/products", tag = "admin store", security(("staff" = [])),
    params(("Idempotency-Key" = Option<Uuid>, Header, description = "A fresh UUID for each form that is filled in.")),
    request_body = NewProduct,
    responses((status = 201, body = AdminProduct), (status = 401, body = Problem),
              (status = 409, body = Problem), (status = 410, body = Problem), (status = 422, body = Problem)))]
async fn add(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Key(key): Key,
    Input(new): Input<NewProduct>,
) -> Answer<(StatusCode, Json<AdminProduct>)> {
    let mut tx = app.db.begin().await?;
    let id = store::add(&mut tx, &app, Actor::Staff(me.id), &new, key).await?;
    tx.commit().await?;
    Ok((StatusCode::CREATED, Json(store::find(&app.db, id).await?)))
}

/// One product
#[utoipa::path(get, path = "/api/admin/products/{id}", tag = "admin store", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 200, body = AdminProduct), (status = 404, body = Problem)))]
async fn find(
    State(app): State<App>,
    _staff: CurrentStaff,
    Id(id): Id,
) -> Answer<Json<AdminProduct>> {
    Ok(Json(store::find(&app.db, id).await?))
}

/// Change a product
#[utoipa::path(patch, path = "/api/admin/products/{id}", tag = "admin store", security(("staff" = [])),
    params(("id" = Uuid, Path)), request_body = Changes,
    responses((status = 200, body = AdminProduct), (status = 404, body = Problem), (status = 409, body = Problem), (status = 422, body = Problem)))]
async fn change(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id,
    Input(changes): Input<Changes>,
) -> Answer<Json<AdminProduct>> {
    let mut tx = app.db.begin().await?;
    store::change(&mut tx, &app, Actor::Staff(me.id), id, &changes).await?;
    tx.commit().await?;
    Ok(Json(store::find(&app.db, id).await?))
}

/// Delete a product
#[utoipa::path(delete, path = "/api/admin/products/{id}", tag = "admin store", security(("staff" = [])),
    params(("id" = Uuid, Path)), responses((status = 204), (status = 404, body = Problem)))]
async fn delete(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id,
) -> Answer<StatusCode> {
    let mut tx = app.db.begin().await?;
    store::delete(&mut tx, &app, Actor::Staff(me.id), id).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Add a picture: the body is the file itself
#[utoipa::path(post, path = "/api/admin/products/{id}/images", tag = "admin store", security(("staff" = [])),
    params(("id" = Uuid, Path)),
    request_body(content = String, content_type = "image/*", description = "JPEG, PNG or WebP, at most 10 MB"),
    responses((status = 201, body = AdminProduct), (status = 404, body = Problem), (status = 409, body = Problem), (status = 413, body = Problem), (status = 422, body = Problem)))]
async fn add_image(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id,
    Picture(body): Picture,
) -> Answer<(StatusCode, Json<AdminProduct>)> {
    store::find(&app.db, id).await?;
    let sizes = pictures::prepare(body).await?;
    pictures::add(&app, Actor::Staff(me.id), id, sizes).await?;
    Ok((StatusCode::CREATED, Json(store::find(&app.db, id).await?)))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ImageOrder)]
struct Order {
    ids: Vec<Uuid>,
}

/// Put the pictures of a product in order
#[utoipa::path(put, path = "/api/admin/products/{id}/images/order", tag = "admin store", security(("staff" = [])),
    params(("id" = Uuid, Path)), request_body = Order,
    responses((status = 200, body = AdminProduct), (status = 404, body = Problem)))]
async fn order_images(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Id(id): Id,
    Input(order): Input<Order>,
) -> Answer<Json<AdminProduct>> {
    let mut tx = app.db.begin().await?;
    pictures::order(&mut tx, &app, Actor::Staff(me.id), id, &order.ids).await?;
    tx.commit().await?;
    Ok(Json(store::find(&app.db, id).await?))
}

/// Remove a picture
#[utoipa::path(delete, path = "/api/admin/products/{id}/images/{image_id}", tag = "admin store", security(("staff" = [])),
    params(("id" = Uuid, Path), ("image_id" = Uuid, Path)),
    responses((status = 200, body = AdminProduct), (status = 404, body = Problem)))]
async fn remove_image(
    State(app): State<App>,
    CurrentStaff(me): CurrentStaff,
    Segments((id, image_id)): Segments<(Uuid, Uuid)>,
) -> Answer<Json<AdminProduct>> {
    let mut tx = app.db.begin().await?;
    pictures::remove(&mut tx, &app, Actor::Staff(me.id), id, image_id).await?;
    tx.commit().await?;
    Ok(Json(store::find(&app.db, id).await?))
}

/// A picture of a product
#[utoipa::path(get, path = "/media/products/{id}", tag = "media", security(()), params(("id" = Uuid, Path)),
    responses((status = 200, content_type = "image/*"), (status = 404, body = Problem)))]
async fn image(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Id(id): Id,
    headers: HeaderMap,
) -> Answer<Response> {
    send(&app, id, false, viewer.staff_id.is_some(), &headers).await
}

/// A small picture of a product
#[utoipa::path(get, path = "/media/products/{id}/thumb", tag = "media", security(()), params(("id" = Uuid, Path)),
    responses((status = 200, content_type = "image/*"), (status = 404, body = Problem)))]
async fn thumb(
    State(app): State<App>,
    CurrentViewer(viewer): CurrentViewer,
    Id(id): Id,
    headers: HeaderMap,
) -> Answer<Response> {
    send(&app, id, true, viewer.staff_id.is_some(), &headers).await
}

async fn send(
    app: &App,
    id: Uuid,
    small: bool,
    staff: bool,
    headers: &HeaderMap,
) -> Answer<Response> {
    let key = pictures::key(&app.db, id, small, staff).await?;
    // The picture of an id never changes.
    let cache = [(header::CACHE_CONTROL, "private, max-age=31536000, immutable")];
    webp::send(app, &key, "image/jpeg", headers, cache).await
}
