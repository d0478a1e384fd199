//! Authentication: the extractors by which every route declares who may call it.

use std::borrow::Cow;
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::{ConnectInfo, FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum_extra::extract::cookie::{Cookie, CookieJar, SameSite};
use futures_util::future::BoxFuture;
use moka::future::Cache;
use portal::access::Viewer;
use portal::accounts::{ClientInfo, Role, Staff, User, sessions, user_browsers};
use portal::device::Device;
use portal::{App, Config, Error, UserId};
use uuid::Uuid;

use crate::Api;
use crate::error::Problem;

/// No session token is longer. Longer values are not cached.
const LONGEST_TOKEN: usize = 64;

/// Caches for at most two seconds whom a cookie belongs to: a database query on every request would
/// be the most expensive part of most responses.
#[derive(Clone)]
pub struct SessionCache {
    users: Cache<String, Known<User>>,
    staff: Cache<String, Known<Staff>>,
    /// How many times all were invalidated.
    age: Arc<AtomicU64>,
}

/// The age of the cache before the session was read, and whose it is.
type Known<T> = (u64, Option<(Uuid, Arc<T>)>);

impl Default for SessionCache {
    fn default() -> SessionCache {
        fn cache<T: Clone + Send + Sync + 'static>() -> Cache<String, T> {
            Cache::builder().max_capacity(10_000).time_to_live(Duration::from_secs(2)).build()
        }
        SessionCache { users: cache(), staff: cache(), age: Arc::default() }
    }
}

impl SessionCache {
    /// Must be called after everything that ends sessions or changes users or staff, so that it takes
    /// effect at once in this process.
    pub fn invalidate_all(&self) {
        // What is being read at this moment must not be used later.
        self.age.fetch_add(1, Ordering::AcqRel);
        self.users.invalidate_all();
        self.staff.invalidate_all();
    }

    /// The user of a request, if this is known without asking the database. Always `None` for staff.
    pub async fn known_user(&self, config: &Config, headers: &HeaderMap) -> Option<Arc<User>> {
        if cookie_value(headers, staff_cookie(config)).is_some() {
            return None;
        }
        let token = cookie_value(headers, user_cookie(config))?;
        if token.len() > LONGEST_TOKEN {
            return None;
        }
        let (age, known) = self.users.get(token.as_ref()).await?;
        known.filter(|_| age == self.age()).map(|(_, user)| user)
    }

    fn age(&self) -> u64 {
        self.age.load(Ordering::Acquire)
    }
}

/// The viewer for whom the cache makes a response that several share. No request from outside has it.
#[derive(Clone)]
pub(crate) struct SharedViewer(pub Viewer);

/// The value that [`CookieJar`] has for this name, without the time and memory for all the others.
fn cookie_value<'a>(headers: &'a HeaderMap, name: &str) -> Option<Cow<'a, str>> {
    let lines = || headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    if lines().any(|line| line.contains('%')) {
        let jar = CookieJar::from_headers(headers);
        return jar.get(name).map(|cookie| cookie.value().to_owned().into());
    }
    let mut pairs =
        lines().flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    // The last one counts.
    pairs.rfind(|(found, _)| found.trim() == name).map(|(_, value)| value.trim().into())
}

pub(crate) fn user_cookie(config: &Config) -> &'static str {
    if config.https() { "__Host-session" } else { "session" }
}

pub(crate) fn staff_cookie(config: &Config) -> &'static str {
    if config.https() { "__Host-staff" } else { "staff" }
}

/// The cookie that recognizes browsers in which staff signed in before.
pub(crate) fn known_cookie(config: &Config) -> &'static str {
    if config.https() { "__Host-known" } else { "known" }
}

/// The cookie that recognizes browsers in which a user signed in before.
pub(crate) fn device_cookie(config: &Config) -> &'static str {
    if config.https() { "__Host-device" } else { "device" }
}

/// Sets the cookie that recognizes this browser at the next sign-in of this user.
pub(crate) async fn remember(app: &App, jar: CookieJar, id: UserId) -> Result<CookieJar, Problem> {
    let name = device_cookie(&app.config);
    let value =
        user_browsers::remember(app, jar.get(name).map(|cookie| cookie.value()), id).await?;
    Ok(jar.add(cookie(&app.config, name, value, Some(user_browsers::DAYS))))
}

const BROWSER_COOKIE: &str = "browser";

/// A cookie that scripts cannot read and other sites cannot send.
pub(crate) fn cookie(
    config: &Config,
    name: &'static str,
    value: String,
    days: Option<i64>,
) -> Cookie<'static> {
    let mut cookie = Cookie::build((name, value))
        .path("/")
        .http_only(true)
        .secure(config.https())
        .same_site(SameSite::Lax);
    if let Some(days) = days {
        cookie = cookie.max_age(time::Duration::days(days));
    }
    cookie.build()
}

pub(crate) fn no_cookie(config: &Config, name: &'static str) -> Cookie<'static> {
    let mut gone = cookie(config, name, String::new(), None);
    gone.make_removal();
    gone
}

/// Ends the session of the cookie with this name, if the browser sent one.
pub(crate) async fn end_session_in(
    api: &Api,
    jar: &CookieJar,
    name: &'static str,
) -> Result<(), Problem> {
    let Some(cookie) = jar.get(name) else { return Ok(()) };
    let mut tx = api.app.db.begin().await?;
    sessions::end(&mut tx, cookie.value()).await?;
    tx.commit().await?;
    api.sessions.invalidate_all();
    Ok(())
}

/// The cookie by which views of somebody who is not signed in are counted once. It is created when it
/// is first needed, and signed so that nobody can invent viewers.
pub(crate) fn browser_cookie(app: &App, id: Uuid) -> Cookie<'static> {
    let id = id.to_string();
    let signature = app.keys.sign(BROWSER_COOKIE, &id);
    cookie(&app.config, BROWSER_COOKIE, format!("{id}.{signature}"), Some(365))
}

fn browser_of(app: &App, value: &str) -> Option<Uuid> {
    let (id, signature) = value.split_once('.')?;
    app.keys.verify(BROWSER_COOKIE, id, signature).then(|| id.parse().ok()).flatten()
}

/// A parent or visitor who is signed in.
pub struct CurrentUser {
    pub user: Arc<User>,
    pub session: Uuid,
}

/// Any member of the staff who is signed in, with the second factor set up where it is required.
pub struct CurrentStaff(pub Arc<Staff>);

/// An owner.
pub struct Owner(pub Arc<Staff>);

/// Any member of the staff, including one who still has to set up the second factor.
pub struct AnyStaff(pub Arc<Staff>);

/// The same, with the session of the request.
pub struct AnyStaffSession {
    pub staff: Arc<Staff>,
    pub session: Uuid,
}

/// Anybody, as a viewer.
pub struct CurrentViewer(pub Viewer);

/// Anybody; the user if one is signed in.
pub struct MaybeUser(pub Option<Arc<User>>);

/// Where the request comes from.
pub struct Client(pub ClientInfo);

/// Who has the session of a request, if there is one. Boxed, so that the code of the caches of sessions is compiled
/// once and not into every handler.
type Identity<'a, T> = BoxFuture<'a, Result<Option<(Uuid, Arc<T>)>, Problem>>;

fn user_of<'a>(parts: &'a Parts, api: &'a Api) -> Identity<'a, User> {
    Box::pin(async move {
        let jar = CookieJar::from_headers(&parts.headers);
        let Some(cookie) = jar.get(user_cookie(&api.app.config)) else { return Ok(None) };
        let token = cookie.value();
        if token.len() > LONGEST_TOKEN {
            return Ok(None);
        }
        let age = api.sessions.age();
        if let Some((at, known)) = api.sessions.users.get(token).await
            && at == age
        {
            return Ok(known);
        }
        let found = sessions::user(&api.app, token).await?.map(|(id, user)| (id, Arc::new(user)));
        api.sessions.users.insert(token.to_owned(), (age, found.clone())).await;
        Ok(found)
    })
}

fn staff_of<'a>(parts: &'a Parts, api: &'a Api) -> Identity<'a, Staff> {
    Box::pin(async move {
        let jar = CookieJar::from_headers(&parts.headers);
        let Some(cookie) = jar.get(staff_cookie(&api.app.config)) else { return Ok(None) };
        let token = cookie.value();
        if token.len() > LONGEST_TOKEN {
            return Ok(None);
        }
        let age = api.sessions.age();
        if let Some((at, known)) = api.sessions.staff.get(token).await
            && at == age
        {
            return Ok(known);
        }
        let settings = api.app.settings().await?;
        let found = sessions::staff(&api.app, &settings, token).await?;
        let found = found.map(|(id, staff)| (id, Arc::new(staff)));
        api.sessions.staff.insert(token.to_owned(), (age, found.clone())).await;
        Ok(found)
    })
}

/// Whether the staff session of a long-running request still exists.
pub async fn is_still_staff(api: &Api, headers: &HeaderMap) -> Result<bool, Error> {
    let jar = CookieJar::from_headers(headers);
    let Some(cookie) = jar.get(staff_cookie(&api.app.config)) else { return Ok(false) };
    let settings = api.app.settings().await?;
    Ok(sessions::staff(&api.app, &settings, cookie.value()).await?.is_some())
}

impl<S: Send + Sync> FromRequestParts<S> for CurrentUser
where
    Api: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match user_of(parts, &Api::from_ref(state)).await? {
            Some((session, user)) => Ok(CurrentUser { user, session }),
            None => Err(Error::SignInRequired.into()),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for MaybeUser
where
    Api: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        Ok(MaybeUser(user_of(parts, &Api::from_ref(state)).await?.map(|(_, user)| user)))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for AnyStaff
where
    Api: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let AnyStaffSession { staff, .. } =
            AnyStaffSession::from_request_parts(parts, state).await?;
        Ok(AnyStaff(staff))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for AnyStaffSession
where
    Api: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match staff_of(parts, &Api::from_ref(state)).await? {
            Some((session, staff)) => Ok(AnyStaffSession { staff, session }),
            None => Err(Error::StaffRequired.into()),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for CurrentStaff
where
    Api: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let AnyStaff(staff) = AnyStaff::from_request_parts(parts, state).await?;
        match staff.must_enroll() {
            false => Ok(CurrentStaff(staff)),
            true => Err(Error::Forbidden {
                code: "second_factor_setup_required",
                text: "The camp requires an authenticator app. Please set it up first.",
            }
            .into()),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Owner
where
    Api: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let CurrentStaff(staff) = CurrentStaff::from_request_parts(parts, state).await?;
        match staff.role {
            Role::Owner => Ok(Owner(staff)),
            Role::Staff => {
                Err(Error::Forbidden { code: "owner_required", text: "Only an owner may do this." }
                    .into())
            }
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for CurrentViewer
where
    Api: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        if let Some(SharedViewer(viewer)) = parts.extensions.get() {
            return Ok(CurrentViewer(viewer.clone()));
        }
        let api = Api::from_ref(state);
        let user = user_of(parts, &api).await?.map(|(_, user)| user);
        let staff = staff_of(parts, &api).await?.map(|(_, staff)| staff);
        let jar = CookieJar::from_headers(&parts.headers);
        let browser = jar.get(BROWSER_COOKIE).and_then(|c| browser_of(&api.app, c.value()));
        Ok(CurrentViewer(Viewer {
            user_id: user.as_ref().map(|user| user.id),
            family: user.as_ref().is_some_and(|user| user.family),
            outsider: user.as_ref().is_some_and(|user| user.is_outsider()),
            staff_id: staff.filter(|staff| !staff.must_enroll()).map(|staff| staff.id),
            browser,
        }))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Client
where
    Api: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let api = Api::from_ref(state);
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
        let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let agent = parts.headers.get(header::USER_AGENT).and_then(|v| v.to_str().ok());
        let jar = CookieJar::from_headers(&parts.headers);
        let value = |name| jar.get(name).map(|cookie| cookie.value().to_owned());
        Ok(Client(ClientInfo {
            address: client_address(&api.app, peer, &parts.headers),
            device: Device::from_user_agent(agent.unwrap_or_default()),
            user_browser: value(device_cookie(&api.app.config)),
            staff_browser: value(known_cookie(&api.app.config)),
        }))
    }
}

/// The client's address: the last one in X-Forwarded-For that is not a trusted proxy, and only if the
/// request came from a trusted proxy (safety 33).
pub(crate) fn client_address(app: &App, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
    let trusted = |ip: IpAddr| {
        let ip = ip.to_canonical();
        app.config.trusted_proxies.iter().any(|net| net.contains(&ip))
    };
    if !trusted(peer) {
        return peer;
    }
    let hops: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    // From the right, because the client can write anything further left.
    let mut known = hops.iter().rev().map_while(|hop| hop.trim().parse::<IpAddr>().ok());
    known.find(|hop| !trusted(*hop)).unwrap_or(peer)
}

impl FromRef<Api> for App {
    fn from_ref(api: &Api) -> App {
        api.app.clone()
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_cookie_is_read_as_the_extractors_read_it() {
        let cases: [&[&str]; 9] = [
            &["session=abc"],
            &[" staff=1 ;session = abc ; known=x=y"],
            &["session=abc; session=def"],
            &["session=abc", "session=def; staff=1"],
            &["session=a%62c"],
            &["sess%69on=def; session=abc"],
            &["session; =abc; ;session"],
            &["session="],
            &["other=1"],
        ];
        for lines in cases {
            let line = |line: &&str| (header::COOKIE, HeaderValue::from_str(line).expect("text"));
            let headers = HeaderMap::from_iter(lines.iter().map(line));
            let jar = CookieJar::from_headers(&headers);
            for name in ["session", "staff", "known"] {
                let expected = jar.get(name).map(|cookie| cookie.value().to_owned());
                assert_eq!(
                    cookie_value(&headers, name).as_deref(),
                    expected.as_deref(),
                    "{lines:?}"
                );
            }
        }
    }
}
