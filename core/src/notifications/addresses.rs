//! Mail that waits while the addresses of its family change.

use chrono::{DateTime, Utc};

use super::suppression::REFUSED;
use crate::Result;
use crate::db::Tx;
use crate::ids::FamilyId;

/// What waits, apart from what is collected for one email a day, for an address that is no longer
/// the family's. An address that its user has not confirmed counts as the family's if the camp does
/// not require confirmation.
const LOST: &str = " where profile_id = $1 and status = 'queued' and not collected
       and notification_id in (select id from notifications where category is not null)
       and email not in (select email from profile_addresses where profile_id = $1)
       and email not in (select email from users where profile_id = $1 and verified_at is null)";

/// The first address of the family that takes mail of the category of a delivery and has no row of its
/// notification yet.
const FIRST: &str = "(select min(a.email) from profile_addresses a
      where a.profile_id = $1
        and not exists (select 1 from deliveries o
                        where o.notification_id = deliveries.notification_id and o.email = a.email)
        and not exists (select 1 from unsubscribes u
                        join notifications n on n.category = u.category
                        where n.id = deliveries.notification_id and u.email = a.email)
        and not ";

/// Moves waiting category mail from addresses that the family lost to one that it has, unless that has the
/// same mail already; what no address of the family takes is withdrawn. Call it after every change
/// of a family's addresses.
pub(crate) async fn follow_addresses(tx: &mut Tx, now: DateTime<Utc>, id: FamilyId) -> Result<()> {
    let moved = [
        "update deliveries set updated_at = $2, first_tried_at = null, email = ",
        FIRST,
        REFUSED,
        ")",
        LOST,
        // Another address has it, or gets it from another row.
        " and not exists (select 1 from deliveries o
                          where o.notification_id = deliveries.notification_id
                            and o.email <> deliveries.email
                            and (o.status in ('queued', 'sending', 'sent')
                                 and o.email in (select email from profile_addresses
                                                 where profile_id = $1)
                                 or o.status = 'queued' and o.profile_id = $1
                                 and o.email < deliveries.email
                                 and o.email not in (select email from profile_addresses
                                                     where profile_id = $1)))
          and ",
        FIRST,
        REFUSED,
        ") is not null",
    ];
    tx.sql(moved).bind(id).bind(now).execute().await?;
    let withdrawn = [
        "update deliveries set updated_at = $2, status = 'suppressed', last_error = 'withdrawn'",
        LOST,
    ];
    tx.sql(withdrawn).bind(id).bind(now).execute().await?;
    Ok(())
}
