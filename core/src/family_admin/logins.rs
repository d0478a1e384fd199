//! Removes a login from a family that its user does not belong to.

use chrono::{DateTime, Utc};
use serde_json::json;

use crate::accounts::sessions::{self, Holder};
use crate::accounts::{UserType, tokens};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{Tx, again_after_deadlock};
use crate::email_address::EmailAddress;
use crate::families::{DEFAULT_PREFERENCES, create_own, lock, move_user, refresh_search_text};
use crate::ids::{FamilyId, UserId};
use crate::notifications;
use crate::{App, Error, Result};

/// Gives a login of a family a record of its own, as if it had signed up as a visitor, with the
/// second address that it verified, and ends its sessions and the family's copied invitation links.
/// It no longer sees anything of the family; its comments and likes stay.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Conflict`] for a login with the primary address, or one that staff
/// entered: it would join again.
pub async fn remove_login(app: &App, actor: Actor, id: FamilyId, user_id: UserId) -> Result<()> {
    again_after_deadlock(|| async {
        let now = app.clock.now();
        let mut tx = app.db.begin().await?;
        lock(&mut tx, now, id).await?;
        separate(&mut tx, now, id, user_id).await?;
        audit::record(
            &mut tx,
            now,
            actor,
            Action::ProfileRemoveLogin,
            Subject::new(SubjectKind::Profile, id),
            json!({ "user_id": user_id }),
        )
        .await?;
        tx.commit().await
    })
    .await
}

async fn separate(tx: &mut Tx, now: DateTime<Utc>, id: FamilyId, user_id: UserId) -> Result<()> {
    // Whoever joins a family first by an invitation gets its name, which is not theirs.
    let login: Option<(EmailAddress, String)> = tx
        .sql(
            "update users set full_name = case when full_name = (select p.full_name from profiles p where p.id = $2)
                                               then '' else full_name end
             where id = $1 and profile_id = $2
             returning email, full_name",
        )
        .bind(user_id)
        .bind(id)
        .optional()
        .await?;
    let (email, full_name) = login.ok_or(Error::NotFound("This login is no longer there."))?;
    let of_family: i64 = tx
        .sql(
            "select count(*) from profile_addresses
             where profile_id = $1 and email = $2 and (entered_by_staff or kind = 'primary')",
        )
        .bind(id)
        .bind(&email)
        .scalar()
        .await?;
    if of_family > 0 {
        return Err(Error::Conflict(
            "This login has one of the family's addresses. Remove the address from the family first.",
        ));
    }
    let own = create_own(tx, now, &full_name, "", UserType::Visitor, DEFAULT_PREFERENCES).await?;
    move_user(tx, now, user_id, own).await?;
    // Mail that waits belongs to the family; what was sent belongs to its reader.
    notifications::follow_addresses(tx, now, id).await?;
    notifications::move_mails_of_user(tx, user_id, id, own).await?;
    sessions::end_all(tx, Holder::User(user_id), None).await?;
    tokens::revoke_all(tx, Holder::User(user_id)).await?;
    tokens::revoke_copied(tx, now, id).await?;
    refresh_search_text(tx, id).await
}
