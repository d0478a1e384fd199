//! Tables in responses.

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};

/// A table in CSV that browsers save under this name.
pub struct Csv<T>(pub &'static str, pub T);

impl<T: Into<Body>> IntoResponse for Csv<T> {
    fn into_response(self) -> Response {
        let Csv(name, table) = self;
        let headers = [
            (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned()),
            (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        ];
        (headers, table.into()).into_response()
    }
}
