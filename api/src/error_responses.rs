//! Adds the error responses that any operation may have to the OpenAPI document.

use std::collections::BTreeSet;

use axum::http::StatusCode;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::{
    ContentBuilder, HttpMethod, OpenApi, Ref, RefOr, Response, ResponseBuilder, ResponsesBuilder,
};

/// Takes what any mail program sends.
const ONE_CLICK: &str = "/api/unsubscribe/one-click";
const PROBLEM: &str = "#/components/schemas/Problem";

/// Adds the common error responses to every operation, in addition to those that it declares itself,
/// and sets the media type of problems.
pub fn describe(document: &mut OpenApi) {
    let mut used = BTreeSet::new();
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in [
            (HttpMethod::Get, &mut item.get),
            (HttpMethod::Post, &mut item.post),
            (HttpMethod::Put, &mut item.put),
            (HttpMethod::Patch, &mut item.patch),
            (HttpMethod::Delete, &mut item.delete),
            (HttpMethod::Head, &mut item.head),
            (HttpMethod::Options, &mut item.options),
        ] {
            if let Some(operation) = operation {
                used.extend(refer(operation, of(path, &method, operation)));
            }
        }
    }
    let components = document.components.get_or_insert_default();
    for status in used {
        components.responses.insert(name(status), RefOr::T(problem(status)));
    }
}

/// The error statuses of the middleware and the extractors.
fn of(path: &str, method: &HttpMethod, operation: &Operation) -> Vec<u16> {
    let takes = |place: &ParameterIn| {
        operation.parameters.iter().flatten().any(
            |parameter| matches!(parameter, RefOr::T(parameter) if parameter.parameter_in == *place),
        )
    };
    // Malformed queries, paths and cookies.
    let mut statuses = vec![400, 500];
    if path.starts_with("/api/") || path.starts_with("/media/") {
        statuses.extend([401, 403, 429, 503]);
    }
    if takes(&ParameterIn::Path) {
        statuses.push(404);
    }
    if takes(&ParameterIn::Query) {
        statuses.push(422);
    }
    if !matches!(method, HttpMethod::Get | HttpMethod::Head | HttpMethod::Options) {
        statuses.push(507);
        if path != ONE_CLICK {
            statuses.push(415);
        }
    }
    if operation.request_body.is_some() {
        statuses.extend([408, 413, 422]);
    }
    statuses
}

/// Adds references to the common responses; returns their statuses.
fn refer(operation: &mut Operation, statuses: Vec<u16>) -> BTreeSet<u16> {
    let declared = std::mem::take(&mut operation.responses.responses);
    let mut used: BTreeSet<u16> = statuses.into_iter().collect();
    let mut responses = ResponsesBuilder::new();
    for (status, response) in declared {
        match status.parse::<u16>() {
            Ok(status) if status >= 400 && is_problem(&response) => {
                used.insert(status);
            }
            Ok(code) => {
                used.remove(&code);
                responses = responses.response(status, described(code, response));
            }
            Err(_) => responses = responses.response(status, response),
        }
    }
    for status in &used {
        let common = Ref::from_response_name(name(*status));
        responses = responses.response(status.to_string(), common);
    }
    operation.responses = responses.build();
    used
}

fn is_problem(response: &RefOr<Response>) -> bool {
    let RefOr::T(response) = response else { return false };
    let text = serde_json::to_string(&response.content).unwrap_or_default();
    response.content.is_empty() || text.contains(PROBLEM)
}

/// Gives a response without a description the name of its status, because OpenAPI requires one.
fn described(status: u16, response: RefOr<Response>) -> RefOr<Response> {
    match response {
        RefOr::T(mut response) if response.description.is_empty() => {
            response.description = reason(status).to_owned();
            RefOr::T(response)
        }
        other => other,
    }
}

fn reason(status: u16) -> &'static str {
    StatusCode::from_u16(status).ok().and_then(|s| s.canonical_reason()).unwrap_or("Refused")
}

fn name(status: u16) -> String {
    reason(status).replace([' ', '-'], "")
}

fn problem(status: u16) -> Response {
    let content = ContentBuilder::new().schema(Some(Ref::new(PROBLEM))).build();
    ResponseBuilder::new()
        .description(reason(status))
        .content("application/problem+json", content)
        .build()
}
