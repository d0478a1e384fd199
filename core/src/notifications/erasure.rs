//! Erases names and addresses from mails: at once when people are deleted, otherwise after a retention
//! period. The rows stay, so that the figures stay right; what still waits is not sent.

use chrono::TimeDelta;
use uuid::Uuid;

use super::opt_outs;
use crate::db::{On, Texts, Tx};
use crate::{App, Result};

/// Mails keep name and address of their recipient this long: 13 months, so that this summer can be
/// compared with the last one. The privacy page and the README say the same.
const KEPT: TimeDelta = TimeDelta::days(396);

/// At most so many notifications lose their names in one transaction.
const AT_ONCE: i64 = 200;

/// The address is part of the primary key, so each row gets an address of its own that is none.
macro_rules! blank_where {
    ($status:literal, $which:literal) => {
        Texts {
            sqlite: concat!(
                "update deliveries set email = 'removed:' || lower(hex(randomblob(16))), ",
                $status,
                ", full_name = '', last_error = null where ",
                $which
            ),
            postgres: concat!(
                "update deliveries
                 set email = 'removed:' || replace(cast(gen_random_uuid() as text), '-', ''), ",
                $status,
                ", full_name = '', last_error = null where ",
                $which
            ),
        }
    };
}

/// What was not sent is taken back; a mail that a worker has in hand right now may still arrive.
macro_rules! forget_where {
    ($which:literal) => {
        (
            // Counted anew, since a mail that failed is withdrawn now.
            concat!(
                "update notifications set sent = null, failed = null, suppressed = null
                 where sent is not null
                   and id in (select notification_id from deliveries
                              where status = 'failed' and ",
                $which,
                ")"
            ),
            blank_where!(
                "status = case when status = 'sent' then 'sent' else 'suppressed' end",
                $which
            ),
        )
    };
}

/// Forgets a person's address: on all mails, and that it refused mail. That it left a kind of mail
/// is kept, under a hash where nobody has the address any more. After its owner's records are gone.
pub(crate) async fn erase_address(tx: &mut Tx, app: &App, email: &str) -> Result<()> {
    let (recount, blank) = forget_where!("email = $1");
    tx.sql(recount).bind(email).execute().await?;
    On::from(&mut *tx).either(blank).bind(email).execute().await?;
    opt_outs::keep_hashed(tx, app, email).await?;
    tx.sql(
        "delete from suppressed_addresses
         where email = $1
           and not exists (select 1 from profile_addresses where email = $1)
           and not exists (select 1 from users where email = $1)
           and not exists (select 1 from staff where email = $1)
           and not exists (select 1 from subscribers where email = $1)",
    )
    .bind(email)
    .execute()
    .await?;
    Ok(())
}

/// Takes names and addresses off all mails about a family or a login, also those to addresses that
/// it had earlier.
pub(crate) async fn erase_about(tx: &mut Tx, id: Uuid) -> Result<()> {
    let (recount, blank) = forget_where!(
        "(profile_id = $1
          or notification_id in (select id from notifications where subject_id = $1)
          or notification_id in (select n.id from notifications n
                                 join payments p on p.id = n.subject_id
                                 join payment_plans l on l.id = p.plan_id
                                 where l.profile_id = $1))"
    );
    tx.sql(recount).bind(id).execute().await?;
    On::from(&mut *tx).either(blank).bind(id).execute().await?;
    tx.sql("update notifications set data = 'null' where subject_id = $1")
        .bind(id)
        .execute()
        .await?;
    Ok(())
}

/// Takes names and addresses off mails of long ago. Run hourly.
pub async fn erase_old(app: &App) -> Result<()> {
    let now = app.clock.now();
    loop {
        let mut tx = app.db.begin().await?;
        let old: Vec<(Uuid,)> = tx
            .sql(
                "update notifications set forgotten_at = $2, data = 'null'
                 where id in (select n.id from notifications n
                              where n.forgotten_at is null and n.created_at < $1
                                and not exists (select 1 from deliveries d
                                                where d.notification_id = n.id
                                                  and d.status in ('queued', 'sending'))
                              order by n.created_at
                              limit $3)
                 returning id",
            )
            .bind(now - KEPT)
            .bind(now)
            .bind(AT_ONCE)
            .all()
            .await?;
        for (id,) in &old {
            let blank = blank_where!("status = status", "notification_id = $1");
            On::from(&mut tx).either(blank).bind(*id).execute().await?;
        }
        tx.commit().await?;
        if (old.len() as i64) < AT_ONCE {
            return Ok(());
        }
    }
}
