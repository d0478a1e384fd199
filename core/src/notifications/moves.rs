//! Mails of a family that become those of another one.

use crate::Result;
use crate::db::Tx;
use crate::ids::{FamilyId, UserId};

/// Moves all mails of a family, when it is merged.
pub(crate) async fn move_to_family(tx: &mut Tx, from: FamilyId, to: FamilyId) -> Result<()> {
    for text in [
        "update notifications set subject_id = $1 where subject_id = $2",
        "update deliveries set profile_id = $1 where profile_id = $2",
    ] {
        tx.sql(text).bind(to).bind(from).execute().await?;
    }
    Ok(())
}

/// Moves the mails to a user's address, unless it is one of the family that the user leaves.
pub(crate) async fn move_mails_of_user(
    tx: &mut Tx,
    id: UserId,
    from: FamilyId,
    to: FamilyId,
) -> Result<()> {
    tx.sql(
        "update deliveries set profile_id = $2
         where profile_id = $1 and email = (select email from users where id = $3)
           and email not in (select email from profile_addresses where profile_id = $1)",
    )
    .bind(from)
    .bind(to)
    .bind(id)
    .execute()
    .await?;
    Ok(())
}
