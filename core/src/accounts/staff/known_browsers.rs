//! Browsers in which a staff account signed in before. A sign-in from any other browser is reported
//! by mail, and known browsers have their own failure count, separate from their network.

use chrono::{DateTime, TimeDelta, Utc};

use crate::accounts::sessions::{random_token, token_hash};
use crate::db::Tx;
use crate::ids::StaffId;
use crate::rate_limits::By;
use crate::{App, Result};

/// How long a browser is remembered after its last sign-in, and the lifetime of its cookie, in
/// days.
pub const DAYS: i64 = 365;

/// Records that the account signs in from the browser of this cookie. Returns the new cookie, and
/// whether the account signed in there before.
pub(super) async fn note(
    tx: &mut Tx,
    app: &App,
    id: StaffId,
    cookie: Option<&str>,
) -> Result<(String, bool)> {
    let now = app.clock.now();
    let mut kept = random_token();
    if let Some(cookie) = cookie {
        // Two accounts may share a browser. A cookie that was not created here is not reused.
        let made_here: i64 = tx
            .sql("select count(*) from staff_browsers where token_hash = $1")
            .bind(token_hash(cookie))
            .scalar()
            .await?;
        if made_here > 0 {
            kept = cookie.to_owned();
        }
    }
    let known = tx
        .sql("update staff_browsers set last_used_at = $3 where staff_id = $1 and token_hash = $2 and last_used_at > $4")
        .bind(id)
        .bind(token_hash(&kept))
        .bind(now)
        .bind(now - TimeDelta::days(DAYS))
        .execute()
        .await?;
    if known > 0 {
        return Ok((kept, true));
    }
    tx.sql("insert into staff_browsers (staff_id, token_hash, created_at, last_used_at) values ($1, $2, $3, $3)
         on conflict (staff_id, token_hash) do update set last_used_at = excluded.last_used_at")
        .bind(id)
        .bind(token_hash(&kept))
        .bind(now)
        .execute()
        .await?;
    Ok((kept, false))
}

/// What an attempt with this name from the browser of this cookie is counted by, if the account
/// signed in there before.
pub(super) async fn known(
    app: &App,
    username_folded: &str,
    cookie: Option<&str>,
) -> Result<Option<By>> {
    let Some(cookie) = cookie else { return Ok(None) };
    let known: i64 = app
        .db
        .sql(
            "select count(*) from staff_browsers b join staff s on s.id = b.staff_id
             where s.username_folded = $1 and b.token_hash = $2 and b.last_used_at > $3",
        )
        .bind(username_folded)
        .bind(token_hash(cookie))
        .bind(app.clock.now() - TimeDelta::days(DAYS))
        .scalar()
        .await?;
    Ok((known > 0).then(|| By::Browser(cookie.to_owned())))
}

pub(in crate::accounts) async fn prune(tx: &mut Tx, now: DateTime<Utc>) -> Result<()> {
    tx.sql("delete from staff_browsers where last_used_at < $1")
        .bind(now - TimeDelta::days(DAYS))
        .execute()
        .await?;
    Ok(())
}
