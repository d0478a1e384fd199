//! A browser that keeps its cookies, and its responses.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use axum::{Router, body};
use serde_json::Value;
use tower::ServiceExt;

use super::Listener;

#[derive(Clone)]
pub struct Browser {
    pub(super) router: Router,
    pub(super) cookies: Arc<Mutex<Vec<(String, String)>>>,
    pub(super) address: IpAddr,
}

#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: body::Bytes,
}

impl Reply {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    /// Returns the reply, which must have this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Reply {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        self
    }

    /// Returns the reply's JSON, which must be a refusal with this status and code.
    #[track_caller]
    pub fn refused(self, status: u16, code: &str) -> Value {
        let reply = self.expect(status);
        assert_eq!(reply.headers[header::CONTENT_TYPE], "application/problem+json");
        let json = reply.json();
        assert_eq!(json["code"], code, "{json}");
        assert!(json["request_id"].is_string(), "{json}");
        json
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("")
    }
}

impl Browser {
    pub async fn get(&self, path: &str) -> Reply {
        self.send(Method::GET, path, None, &[]).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Reply {
        self.send(Method::POST, path, Some(body), &[]).await
    }

    pub async fn patch(&self, path: &str, body: Value) -> Reply {
        self.send(Method::PATCH, path, Some(body), &[]).await
    }

    pub async fn put(&self, path: &str) -> Reply {
        self.send(Method::PUT, path, None, &[]).await
    }

    pub async fn put_with(&self, path: &str, body: Value) -> Reply {
        self.send(Method::PUT, path, Some(body), &[]).await
    }

    pub async fn delete(&self, path: &str) -> Reply {
        self.send(Method::DELETE, path, None, &[]).await
    }

    pub async fn delete_with(&self, path: &str, body: Value) -> Reply {
        self.send(Method::DELETE, path, Some(body), &[]).await
    }

    /// Sends a request with an idempotency key, and repeats it while the portal is too busy (503),
    /// as the front end does.
    pub async fn send_with_retry(
        &self,
        method: Method,
        path: &str,
        body: Value,
        key: &str,
    ) -> Reply {
        loop {
            let headers = [("idempotency-key", key)];
            let reply = self.send(method.clone(), path, Some(body.clone()), &headers).await;
            if reply.status != StatusCode::SERVICE_UNAVAILABLE {
                return reply;
            }
        }
    }

    /// Sends a request as a browser on the portal's pages would; the given headers override its own.
    pub async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> Reply {
        self.send_raw(self.request(method, path, body, headers)).await
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        headers: &[(&str, &str)],
    ) -> Request<Body> {
        let mut request = Request::builder().method(method).uri(path);
        let out = request.headers_mut().expect("a request");
        out.insert(header::HOST, "camp.example".parse().expect("a header"));
        out.insert("sec-fetch-site", "same-origin".parse().expect("a header"));
        out.insert(header::USER_AGENT, "Mozilla/5.0 (iPhone) Mobile".parse().expect("a header"));
        if body.is_some() {
            out.insert(header::CONTENT_TYPE, "application/json".parse().expect("a header"));
        }
        if let Some(cookies) = self.cookie_header() {
            out.insert(header::COOKIE, cookies);
        }
        for (name, value) in headers {
            let name: header::HeaderName = name.parse().expect("a name");
            match *value {
                "" => drop(out.remove(name)),
                value => drop(out.insert(name, value.parse().expect("a header"))),
            }
        }
        let body = body.map_or(Body::empty(), |body| Body::from(body.to_string()));
        request.body(body).expect("a request")
    }

    /// The `Cookie` header that this browser sends.
    pub fn cookie_header(&self) -> Option<HeaderValue> {
        let cookies = self.cookies.lock().expect("no panic");
        let pairs: Vec<_> = cookies.iter().map(|(k, v)| format!("{k}={v}")).collect();
        (!pairs.is_empty()).then(|| pairs.join("; ").parse().expect("a header"))
    }

    /// The same browser at another address.
    pub fn at(&self, address: IpAddr) -> Browser {
        Browser { address, ..self.clone() }
    }

    pub fn without_cookies(&self) -> Browser {
        Browser { cookies: Arc::default(), ..self.clone() }
    }

    /// Opens the event stream as a page does, or reopens it after the event with this id.
    pub async fn listen(&self, last: Option<&str>) -> Listener {
        let mut request = self.request(Method::GET, "/api/events", None, &[]);
        if let Some(last) = last {
            request.headers_mut().insert("last-event-id", last.parse().expect("an id"));
        }
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(self.address, 40_000)));
        let response = self.router.clone().oneshot(request).await.expect("an answer");
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
        assert!(!response.headers().contains_key(header::CONTENT_ENCODING));
        let mut listener =
            Listener { body: response.into_body().into_data_stream(), text: String::new() };
        assert_eq!(listener.next().await.expect("a greeting").kind, "hello");
        listener
    }

    /// Returns a response without reading its body.
    pub async fn unread(&self, path: &str) -> Response<Body> {
        let mut request = self.request(Method::GET, path, None, &[]);
        request.extensions_mut().insert(ConnectInfo(SocketAddr::new(self.address, 40_000)));
        self.router.clone().oneshot(request).await.expect("an answer")
    }

    /// Uploads a picture, as a page of the staff area does.
    pub async fn send_picture(&self, path: &str, bytes: Vec<u8>) -> Reply {
        let request = Request::post(path)
            .header("content-type", "image/png")
            .header("sec-fetch-site", "same-origin")
            .header("cookie", format!("staff={}", self.cookie("staff").expect("a session")))
            .body(Body::from(bytes));
        self.send_raw(request.expect("a request")).await
    }

    /// Sends this request unchanged.
    pub async fn send_raw(&self, mut request: Request<Body>) -> Reply {
        let peer = SocketAddr::new(self.address, 40_000);
        request.extensions_mut().insert(ConnectInfo(peer));
        let response = self.router.clone().oneshot(request).await.expect("an answer");
        let (parts, body) = response.into_parts();
        for cookie in parts.headers.get_all(header::SET_COOKIE) {
            self.keep(cookie.to_str().expect("a cookie"));
        }
        let bytes = body::to_bytes(body, 64 << 20).await.expect("a body");
        Reply { status: parts.status, headers: parts.headers, bytes }
    }

    fn keep(&self, cookie: &str) {
        let (pair, rest) = cookie.split_once(';').unwrap_or((cookie, ""));
        let (name, value) = pair.split_once('=').expect("a pair");
        let mut cookies = self.cookies.lock().expect("no panic");
        cookies.retain(|(kept, _)| kept != name);
        if !value.is_empty() && !rest.contains("Max-Age=0") {
            cookies.push((name.to_owned(), value.to_owned()));
        }
    }

    pub fn cookie(&self, name: &str) -> Option<String> {
        let cookies = self.cookies.lock().expect("no panic");
        cookies.iter().find(|(kept, _)| kept == name).map(|(_, value)| value.clone())
    }
}
