//! A camp for one test: its own database on either engine, its own mailbox, a clock to move, and
//! browsers that keep their cookies.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Method, Request, StatusCode, header};
use axum::{Router, body};
use chrono::{DateTime, TimeDelta, Utc};
use clap::Parser;
use futures_util::StreamExt;
use portal::accounts::staff::{self, NewStaff, Role};
use portal::audit::Actor;
use portal::db::Db;
use portal::mail::{Mail, Mailer};
use portal::{App, Config, jobs, settings};
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Engine {
    Sqlite,
    Postgres,
}

/// Runs a story on both engines, as `sqlite` and `postgres` in a module of its name.
#[macro_export]
macro_rules! story {
    ($(#[$meta:meta])* async fn $name:ident($camp:ident) $body:block) => {
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            async fn story($camp: $crate::camp::Camp) $body
            #[tokio::test]
            async fn sqlite() {
                $crate::camp::run($crate::camp::Engine::Sqlite, story).await;
            }
            #[tokio::test]
            async fn postgres() {
                $crate::camp::run($crate::camp::Engine::Postgres, story).await;
            }
        }
    };
}

/// The password of everybody in the tests.
pub const PASSWORD: &str = "lantern over the lake";

#[derive(Clone)]
pub struct Camp {
    pub app: App,
    pub router: Router,
    mails: Arc<Mutex<Vec<Mail>>>,
    _folder: Arc<tempfile::TempDir>,
}

#[derive(clap::Parser)]
struct Options {
    #[command(flatten)]
    config: Config,
}

fn config(folder: &std::path::Path, database: &str) -> Config {
    let folder = folder.to_str().expect("a plain path");
    let args = ["camp", "--data-dir", folder, "--database-url", database, "--public-url"];
    let options = Options::try_parse_from(args.into_iter().chain(["http://camp.example"]));
    options.expect("options").config
}

pub async fn run<F: Future<Output = ()>>(engine: Engine, story: impl FnOnce(Camp) -> F) {
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    let database = match engine {
        Engine::Sqlite => {
            let file = folder.path().join("camp.db");
            std::fs::copy(sqlite_template().await, &file).expect("a copy of the empty database");
            format!("sqlite://{}", file.display())
        }
        Engine::Postgres => postgres_copy().await,
    };
    let db = Db::open(&database).await.expect("the database opens");
    let mut app = App::with(db, config(folder.path(), &database)).await.expect("the camp opens");
    let (mailer, mails) = Mailer::memory();
    app.mailer = mailer;
    let router = api::router(app.clone(), CancellationToken::new());
    let camp = Camp { app: app.clone(), router, mails, _folder: folder.clone() };
    story(camp).await;
    // The folder stays until the last look at the database.
    let failed = jobs::failed(&app.db).await.expect("jobs");
    assert_eq!(failed, 0, "the story left failed jobs behind");
    app.db.close().await;
    drop(folder);
    if engine == Engine::Postgres {
        let name = database.rsplit('/').next().expect("a name");
        postgres_command(&format!("drop database if exists {name} with (force)")).await;
    }
}

/// An empty database that is up to date, to be copied.
async fn sqlite_template() -> &'static std::path::Path {
    static TEMPLATE: OnceCell<(tempfile::TempDir, std::path::PathBuf)> = OnceCell::const_new();
    let (_, path) = TEMPLATE
        .get_or_init(|| async {
            let folder = tempfile::tempdir().expect("a folder");
            let file = folder.path().join("template.db");
            let url = format!("sqlite://{}", file.display());
            let app = App::open(config(folder.path(), &url)).await.expect("the template opens");
            app.db.close().await;
            (folder, file)
        })
        .await;
    path
}

fn postgres_url() -> String {
    std::env::var("CAMP_TEST_POSTGRES_URL")
        .expect("CAMP_TEST_POSTGRES_URL names no server; `just test` starts one for these tests")
}

async fn postgres_command(sql: &str) {
    use sqlx::{Connection, Executor};
    let mut connection =
        sqlx::PgConnection::connect(&postgres_url()).await.expect("the server answers");
    connection.execute(sqlx::AssertSqlSafe(sql.to_owned())).await.expect("the command works");
    connection.close().await.ok();
}

async fn postgres_copy() -> String {
    static TEMPLATE: OnceCell<String> = OnceCell::const_new();
    static ONE_AT_A_TIME: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    let url = postgres_url();
    let base = url.rsplit_once('/').expect("a database in the address").0;
    let template = TEMPLATE
        .get_or_init(|| async {
            let name = format!("template_{}", uuid::Uuid::new_v4().simple());
            postgres_command(&format!("create database {name}")).await;
            let folder = tempfile::tempdir().expect("a folder");
            let app = App::open(config(folder.path(), &format!("{base}/{name}"))).await;
            app.expect("the template opens").db.close().await;
            name
        })
        .await;
    let name = format!("test_{}", uuid::Uuid::new_v4().simple());
    let _alone = ONE_AT_A_TIME.lock().await;
    postgres_command(&format!("create database {name} template {template}")).await;
    format!("{base}/{name}")
}

impl Camp {
    /// Another process of the portal on the same database: its own pool, its own memory.
    pub async fn beside(&self) -> Camp {
        let config = (*self.app.config).clone();
        let db = Db::open(&config.database_url()).await.expect("the database opens");
        let mut app = App::with(db, config).await.expect("the camp opens");
        app.clock = self.app.clock.clone();
        let (mailer, mails) = Mailer::memory();
        app.mailer = mailer;
        let router = api::router(app.clone(), CancellationToken::new());
        Camp { app, router, mails, _folder: self._folder.clone() }
    }

    /// The same browser at another process.
    pub fn of(&self, browser: &Browser) -> Browser {
        Browser { router: self.router.clone(), ..browser.clone() }
    }

    /// A browser that has never been here.
    pub fn browser(&self) -> Browser {
        self.browser_at("203.0.113.7")
    }

    pub fn browser_at(&self, address: &str) -> Browser {
        Browser {
            router: self.router.clone(),
            cookies: Arc::default(),
            address: address.parse().expect("an address"),
        }
    }

    pub fn now(&self) -> DateTime<Utc> {
        self.app.clock.now()
    }

    pub fn set_clock(&self, at: &str) {
        self.app.clock.set(at.parse().expect("a moment"));
    }

    pub fn wait(&self, by: TimeDelta) {
        self.app.clock.advance(by);
    }

    pub async fn set(&self, key: &str, value: impl Into<Value>) {
        let mut tx = self.app.db.begin().await.expect("a transaction");
        let changes = [(key.to_owned(), value.into())].into();
        settings::set(&mut tx, &self.app, Actor::Operator, changes).await.expect("a setting");
        tx.commit().await.expect("a commit");
        self.app.forget_settings();
    }

    /// Lets the worker do whatever is due.
    pub async fn work(&self) {
        worker::drain(&self.app).await.expect("the worker works");
    }

    /// All mails that went out so far.
    pub fn mails(&self) -> Vec<Mail> {
        self.mails.lock().expect("no panic").clone()
    }

    pub fn mails_to(&self, address: &str) -> Vec<Mail> {
        self.mails().into_iter().filter(|mail| mail.to.email.to_string() == address).collect()
    }

    /// The newest mail to somebody, after the worker has worked.
    pub async fn mail_to(&self, address: &str) -> Mail {
        self.work().await;
        let mails = self.mails_to(address);
        mails.last().unwrap_or_else(|| panic!("no mail to {address}")).clone()
    }

    /// The token in the link of the newest mail to somebody.
    pub async fn token_for(&self, address: &str) -> String {
        token(&self.mail_to(address).await)
    }

    /// A parent who has signed up and confirmed the address.
    pub async fn parent(&self, name: &str, email: &str) -> Browser {
        let browser = self.unconfirmed_parent(name, email).await;
        let token = self.token_for(email).await;
        browser.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
        browser
    }

    pub async fn unconfirmed_parent(&self, name: &str, email: &str) -> Browser {
        let browser = self.browser();
        browser.post("/api/auth/sign-up", sign_up(name, email)).await.expect(201);
        browser
    }

    pub async fn owner(&self) -> Browser {
        self.staff_member("kornbluh", Role::Owner).await
    }

    pub async fn staff(&self) -> Browser {
        self.staff_member("feder", Role::Staff).await
    }

    pub async fn staff_member(&self, username: &str, role: Role) -> Browser {
        let new = NewStaff {
            username: username.into(),
            email: format!("{username}@camp.example"),
            role,
            password: PASSWORD.into(),
        };
        staff::add(&self.app, Actor::Operator, new).await.expect("an account");
        let browser = self.browser();
        let given = json!({ "username": username, "password": PASSWORD });
        browser.post("/api/admin/auth/sign-in", given).await.expect(200);
        browser
    }
}

/// What the sign-up page sends.
pub fn sign_up(name: &str, email: &str) -> Value {
    json!({
        "name": name, "email": email, "password": PASSWORD, "user_type": "parent",
        "child_name": "Yossi", "email_notifications": true, "daily_video_email": true,
        "camp_updates_email": false,
    })
}

/// The token in the link of a mail.
pub fn token(mail: &Mail) -> String {
    let at = mail
        .text
        .find("token=")
        .map(|at| at + 6)
        .or_else(|| mail.text.find("invite=").map(|at| at + 7));
    let rest = &mail.text[at.unwrap_or_else(|| panic!("no link in: {}", mail.text))..];
    rest.split_whitespace().next().expect("a token").to_owned()
}

/// A page that listens.
pub struct Listener {
    body: BodyDataStream,
    text: String,
}

/// What a page heard.
#[derive(Debug, PartialEq)]
pub struct Heard {
    pub kind: String,
    pub id: String,
    pub data: Value,
}

impl Listener {
    /// The next event, or nothing when the stream has ended. Waits at most six seconds.
    pub async fn next(&mut self) -> Option<Heard> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    let value = event.lines().find_map(|line| line.strip_prefix(name));
                    value.unwrap_or_default().to_owned()
                };
                let data = field("data: ");
                let heard = Heard {
                    kind: field("event: "),
                    id: field("id: "),
                    data: serde_json::from_str(&data).unwrap_or(Value::Null),
                };
                self.text = rest.to_owned();
                // Signs of life are no events.
                if heard.kind.is_empty() {
                    continue;
                }
                return Some(heard);
            }
            let bytes = tokio::time::timeout(Duration::from_secs(6), self.body.next());
            match bytes.await.expect("nothing was heard for six seconds") {
                Some(bytes) => {
                    let bytes = bytes.expect("a stream");
                    self.text.push_str(std::str::from_utf8(&bytes).expect("text"));
                }
                None => return None,
            }
        }
    }

    /// The next event, which is of that kind.
    #[track_caller]
    pub fn hears(&mut self, kind: &str) -> impl Future<Output = Heard> {
        let at = std::panic::Location::caller();
        async move {
            let heard = self.next().await.unwrap_or_else(|| panic!("the stream ended, at {at}"));
            assert_eq!(heard.kind, kind, "at {at}: {heard:?}");
            heard
        }
    }

    /// That nothing is to be heard for more than a look of the portal.
    pub async fn hears_nothing(&mut self) {
        let wait = Duration::from_millis(700);
        let heard = tokio::time::timeout(wait, self.next()).await;
        assert!(heard.is_err(), "{heard:?}");
    }

    /// That the stream ends, after whatever it still tells.
    pub async fn ends(&mut self) {
        while self.next().await.is_some() {}
    }
}

#[derive(Clone)]
pub struct Browser {
    router: Router,
    cookies: Arc<Mutex<Vec<(String, String)>>>,
    address: IpAddr,
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

    /// The reply, if it has that status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Reply {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        self
    }

    /// The reply's JSON, if it is a refusal with that status and code.
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

    pub async fn delete(&self, path: &str) -> Reply {
        self.send(Method::DELETE, path, None, &[]).await
    }

    /// Sends a request as a browser on our own pages would, with headers that overrule its own.
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
        let cookies = self.cookies.lock().expect("no panic").clone();
        if !cookies.is_empty() {
            let cookies: Vec<_> = cookies.iter().map(|(k, v)| format!("{k}={v}")).collect();
            out.insert(header::COOKIE, cookies.join("; ").parse().expect("a header"));
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

    /// Opens the stream of events as a page does, or again after the event with this id.
    pub async fn listen(&self, last: Option<&str>) -> Listener {
        let mut request = self.request(Method::GET, "/api/events", None, &[]);
        if let Some(last) = last {
            request.headers_mut().insert("last-event-id", last.parse().expect("an id"));
        }
        let response = self.router.clone().oneshot(request).await.expect("an answer");
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "text/event-stream");
        assert!(!response.headers().contains_key(header::CONTENT_ENCODING));
        let mut listener =
            Listener { body: response.into_body().into_data_stream(), text: String::new() };
        assert_eq!(listener.next().await.expect("a greeting").kind, "hello");
        listener
    }

    /// Sends exactly this.
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
