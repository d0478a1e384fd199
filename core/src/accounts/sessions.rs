//! Sessions of signed-in browsers. The cookie is 256 random bits. The database stores only its
//! hash.

use std::collections::HashSet;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use sha2::{Digest, Sha256};
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::{Staff, StaffRow, User};
use crate::db::{On, Tx, with_ids};
use crate::device::Device;
use crate::ids::{StaffId, UserId};
use crate::settings::Settings;
use crate::{App, Error, Result};

/// The account of a session.
#[derive(Clone, Copy)]
pub enum Holder {
    User(UserId),
    Staff(StaffId),
}

impl Holder {
    /// The values of the two columns, of which one is set.
    pub(super) fn ids(self) -> (Option<UserId>, Option<StaffId>) {
        match self {
            Holder::User(id) => (Some(id), None),
            Holder::Staff(id) => (None, Some(id)),
        }
    }
}

/// A session as its owner sees it.
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[schema(as = LoginSession)]
pub struct SessionInfo {
    pub id: Uuid,
    pub device: Device,
    pub created_at: DateTime<Utc>,
    pub last_seen_at: DateTime<Utc>,
    /// Whether this is the session of the request.
    pub current: bool,
}

const USER_IDLE: TimeDelta = TimeDelta::days(14);
const USER_LONGEST: TimeDelta = TimeDelta::days(90);
const STAFF_LONGEST: TimeDelta = TimeDelta::hours(12);

/// 256 random bits for a cookie or a link.
pub(crate) fn random_token() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

pub(crate) fn token_hash(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}

/// Begins a session and returns the token for its cookie.
pub(crate) async fn begin(
    tx: &mut Tx,
    app: &App,
    holder: Holder,
    device: Device,
) -> Result<String> {
    let now = app.clock.now();
    let token = random_token();
    let (user_id, staff_id) = holder.ids();
    let longest = match holder {
        Holder::User(_) => USER_LONGEST,
        Holder::Staff(_) => STAFF_LONGEST,
    };
    tx.sql(
        "insert into sessions (id, token_hash, user_id, staff_id, device, created_at, last_seen_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $6, $7)",
    )
    .bind(Uuid::now_v7())
    .bind(token_hash(&token))
    .bind(user_id)
    .bind(staff_id)
    .bind(device)
    .bind(now)
    .bind(now + longest)
    .execute()
    .await?;
    Ok(token)
}

/// Returns the user of this cookie, with the session's id, or `None` if the session was ended, is
/// idle or has expired.
pub async fn user(app: &App, token: &str) -> Result<Option<(Uuid, User)>> {
    let now = app.clock.now();
    let found: Option<SessionRow> = app
        .db
        .sql(
            "select id, user_id, staff_id, last_seen_at from sessions
             where token_hash = $1 and user_id is not null and expires_at > $2 and last_seen_at > $3",
        )
        .bind(token_hash(token))
        .bind(now)
        .bind(now - USER_IDLE)
        .optional()
        .await?;
    let Some(session) = found else { return Ok(None) };
    touch(app, &session).await;
    let Some(id) = session.user_id else { return Ok(None) };
    Ok(super::find_user(&app.db, id).await?.map(|user| (session.id, user)))
}

/// Returns the staff account of this cookie, with the session's id.
pub async fn staff(app: &App, settings: &Settings, token: &str) -> Result<Option<(Uuid, Staff)>> {
    let now = app.clock.now();
    let found: Option<SessionRow> = app
        .db
        .sql(
            "select id, user_id, staff_id, last_seen_at from sessions
             where token_hash = $1 and staff_id is not null and expires_at > $2 and last_seen_at > $3",
        )
        .bind(token_hash(token))
        .bind(now)
        .bind(now - TimeDelta::minutes(settings.session_timeout))
        .optional()
        .await?;
    let Some(session) = found else { return Ok(None) };
    touch(app, &session).await;
    let row: Option<StaffRow> = app
        .db
        .sql("select * from staff where id = $1 and disabled_at is null")
        .bind(session.staff_id)
        .optional()
        .await?;
    Ok(row.map(|row| (session.id, row.to_staff(settings))))
}

/// What a session may watch.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct SessionAccess {
    pub id: Uuid,
    pub user_id: Option<UserId>,
    /// Linked to a family that staff created or approved.
    pub family: bool,
    /// Set for active staff: not disabled, and with the second factor if it is required.
    pub staff_id: Option<StaffId>,
}

/// The columns of [`SessionAccess`] and the condition for valid sessions: $1 now, $2 and $3 the
/// last use from which users and staff count as present, $4 whether staff need a second factor.
const STANDING: &str = "select s.id, u.id as user_id, t.id as staff_id,
                coalesce(p.approved_at is not null and p.refused_at is null, 1 = 0) as family
         from sessions s
         left join users u on u.id = s.user_id
         left join profiles p on p.id = u.profile_id
         left join staff t
           on t.id = s.staff_id
          and t.disabled_at is null
          and (t.totp_confirmed_at is not null or not $4)
         where s.expires_at > $1
           and (s.last_seen_at > $2 or s.staff_id is not null)
           and (s.last_seen_at > $3 or s.staff_id is null)
           and p.deleted_at is null
           and (u.id is not null or t.id is not null) ";

/// Returns what the session of this token may watch now. This does not count as use: an open page
/// alone does not keep anybody signed in.
pub async fn access_of(
    app: &App,
    settings: &Settings,
    token: &str,
) -> Result<Option<SessionAccess>> {
    let now = app.clock.now();
    app.db
        .sql([STANDING, "and s.token_hash = $5"])
        .bind(now)
        .bind(now - USER_IDLE)
        .bind(now - TimeDelta::minutes(settings.session_timeout))
        .bind(settings.enable_two_factor)
        .bind(token_hash(token))
        .optional()
        .await
}

/// Like [`access_of`], for many sessions at once. Ended sessions are left out.
pub async fn access_of_all(
    app: &App,
    settings: &Settings,
    ids: &[Uuid],
) -> Result<Vec<SessionAccess>> {
    let now = app.clock.now();
    On::from(&app.db)
        .either(with_ids([STANDING, "and s.id in "], "$5", ""))
        .bind(now)
        .bind(now - USER_IDLE)
        .bind(now - TimeDelta::minutes(settings.session_timeout))
        .bind(settings.enable_two_factor)
        .bind_ids(ids.iter().copied())
        .all()
        .await
}

/// Whether each of these sessions may still watch what it could when it was read. Much cheaper than
/// [`access_of_all`], because no rows are returned.
pub async fn are_unchanged(
    app: &App,
    settings: &Settings,
    sessions: &[&SessionAccess],
) -> Result<bool> {
    let now = app.clock.now();
    for family in [true, false] {
        let ids = sessions.iter().filter(|session| session.family == family);
        let ids: HashSet<Uuid> = ids.map(|session| session.id).collect();
        if ids.is_empty() {
            continue;
        }
        let count: i64 = On::from(&app.db)
            .either(with_ids(
                ["select count(*) from (", STANDING, "and s.id in "],
                "$5",
                ") standing where family = $6",
            ))
            .bind(now)
            .bind(now - USER_IDLE)
            .bind(now - TimeDelta::minutes(settings.session_timeout))
            .bind(settings.enable_two_factor)
            .bind_ids(ids.iter().copied())
            .bind(family)
            .scalar()
            .await?;
        if count != ids.len() as i64 {
            return Ok(false);
        }
    }
    Ok(true)
}

#[derive(sqlx::FromRow)]
struct SessionRow {
    id: Uuid,
    user_id: Option<UserId>,
    staff_id: Option<StaffId>,
    last_seen_at: DateTime<Utc>,
}

/// How long a request waits for [`touch`].
const TOUCH_WAIT: Duration = Duration::from_millis(250);

/// The maximum number of sessions that wait to be touched. While the database cannot write, any
/// others are touched by their next request.
static TOUCHES: Semaphore = Semaphore::const_new(64);

/// Records that the session is in use, at most once a minute. A request that only reads must not wait
/// for a database that cannot write: the update continues by itself, and a failure is only logged.
async fn touch(app: &App, session: &SessionRow) {
    let now = app.clock.now();
    if now - session.last_seen_at < TimeDelta::minutes(1) {
        return;
    }
    let Ok(permit) = TOUCHES.try_acquire() else { return };
    let (db, id) = (app.db.clone(), session.id);
    let update = tokio::spawn(async move {
        let _permit = permit;
        let text = "update sessions set last_seen_at = $2 where id = $1";
        if let Err(error) = db.sql(text).bind(id).bind(now).execute().await {
            tracing::debug!(error = error.reason(), "a session could not be refreshed");
        }
    });
    tokio::time::timeout(TOUCH_WAIT, update).await.ok();
}

/// Ends the session of this cookie.
pub async fn end(tx: &mut Tx, token: &str) -> Result<()> {
    tx.sql("delete from sessions where token_hash = $1").bind(token_hash(token)).execute().await?;
    Ok(())
}

/// Ends one session of its holder.
///
/// # Errors
///
/// [`crate::Error::NotFound`] for another holder's session.
pub async fn end_one(tx: &mut Tx, holder: Holder, id: Uuid) -> Result<()> {
    let (user_id, staff_id) = holder.ids();
    let ended = tx
        .sql("delete from sessions where id = $1 and (user_id = $2 or staff_id = $3)")
        .bind(id)
        .bind(user_id)
        .bind(staff_id)
        .execute()
        .await?;
    match ended {
        0 => Err(Error::NotFound("This session has already ended.")),
        _ => Ok(()),
    }
}

/// Ends all sessions of a holder, except `save` if given. Returns how many.
pub(crate) async fn end_all(tx: &mut Tx, holder: Holder, save: Option<Uuid>) -> Result<u64> {
    let (user_id, staff_id) = holder.ids();
    tx.sql(
        "delete from sessions
         where (user_id = $1 or staff_id = $2) and ($3 is null or id <> $3)",
    )
    .bind(user_id)
    .bind(staff_id)
    .bind(save)
    .execute()
    .await
}

/// Deletes the sessions that have expired or were not used for too long.
pub(super) async fn prune(tx: &mut Tx, now: DateTime<Utc>, settings: &Settings) -> Result<()> {
    tx.sql(
        "delete from sessions
         where expires_at <= $1
            or (user_id is not null and last_seen_at <= $2)
            or (staff_id is not null and last_seen_at <= $3)",
    )
    .bind(now)
    .bind(now - USER_IDLE)
    .bind(now - TimeDelta::minutes(settings.session_timeout))
    .execute()
    .await?;
    Ok(())
}

/// Ends the sessions of all users and all staff.
pub(crate) async fn end_everyones(tx: &mut Tx) -> Result<()> {
    tx.sql("delete from sessions").execute().await?;
    Ok(())
}

/// Returns the valid sessions of a user, the newest first.
pub async fn of_user(app: &App, user_id: UserId, current: Uuid) -> Result<Vec<SessionInfo>> {
    let now = app.clock.now();
    app.db
        .sql(
            "select id, device, created_at, last_seen_at, id = $2 as current
             from sessions where user_id = $1 and expires_at > $3 and last_seen_at > $4
             order by last_seen_at desc limit 100",
        )
        .bind(user_id)
        .bind(current)
        .bind(now)
        .bind(now - USER_IDLE)
        .all()
        .await
}

/// Returns the valid sessions of a staff account, the newest first.
pub(crate) async fn of_staff(
    app: &App,
    settings: &Settings,
    staff_id: StaffId,
    current: Uuid,
) -> Result<Vec<SessionInfo>> {
    let now = app.clock.now();
    app.db
        .sql(
            "select id, device, created_at, last_seen_at, id = $2 as current
             from sessions where staff_id = $1 and expires_at > $3 and last_seen_at > $4
             order by last_seen_at desc limit 100",
        )
        .bind(staff_id)
        .bind(current)
        .bind(now)
        .bind(now - TimeDelta::minutes(settings.session_timeout))
        .all()
        .await
}
