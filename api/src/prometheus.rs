//! Metrics for Prometheus. Labels come from closed sets only: a client must not be able to add series,
//! because a series stays in memory as long as the process runs.

use std::sync::OnceLock;
use std::time::Duration;

use axum::extract::MatchedPath;
use axum::http::{Method, StatusCode};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

/// How often the recorder moves measured times into its histograms; until then it keeps each value.
const UPKEEP: Duration = Duration::from_secs(5);
/// Upper bounds of the histograms, in seconds.
const BUCKETS: &[f64] = &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// The recorder of this process, which all routers share.
pub fn recorder() -> Option<PrometheusHandle> {
    static RECORDER: OnceLock<Option<PrometheusHandle>> = OnceLock::new();
    let install = || {
        let builder = PrometheusBuilder::new().set_buckets(BUCKETS).ok()?;
        builder.install_recorder().ok()
    };
    RECORDER.get_or_init(install).clone()
}

/// Runs the recorder's upkeep, which limits its memory, until it is dropped.
pub async fn run_upkeep_regularly() {
    let Some(recorder) = recorder() else { return };
    let mut ticks = tokio::time::interval(UPKEEP);
    loop {
        ticks.tick().await;
        recorder.run_upkeep();
    }
}

/// Counts an answered request.
pub fn answered(method: &Method, route: Option<&MatchedPath>, status: StatusCode, took: Duration) {
    let method = method_label(method);
    let route = match route {
        // A client can send any method to any route: only methods that the route has get their own series.
        _ if status == StatusCode::METHOD_NOT_ALLOWED => "other",
        Some(route) => route.as_str(),
        None => "page",
    };
    let labels = [("method", method.to_owned()), ("route", route.to_owned())];
    metrics::histogram!("camp_http_request_seconds", &labels).record(took.as_secs_f64());
    let [method, route] = labels;
    let labels = [method, route, ("status", status.as_u16().to_string())];
    metrics::counter!("camp_http_requests_total", &labels).increment(1);
}

/// The series of one method, route and status, for responses that are counted without looking them up.
pub struct Series {
    requests: metrics::Counter,
    seconds: metrics::Histogram,
}

impl Series {
    pub fn of(method: &Method, route: &'static str, status: StatusCode) -> Series {
        let method = method_label(method);
        let status = status.as_u16().to_string();
        Series {
            seconds: metrics::histogram!("camp_http_request_seconds", "method" => method, "route" => route),
            requests: metrics::counter!(
                "camp_http_requests_total", "method" => method, "route" => route, "status" => status
            ),
        }
    }

    pub fn answered(&self, took: Duration) {
        self.seconds.record(took.as_secs_f64());
        self.requests.increment(1);
    }
}

/// Counts a connection that was closed by the portal, and why.
pub fn closed(reason: &'static str) {
    metrics::counter!("camp_connections_closed_total", "reason" => reason).increment(1);
}

fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
