//! Stops mail to an address that takes none, and tells the family's other address once.

use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::ids::FamilyId;
use crate::notifications::{self, AccountMail, Notice, suppression};
use crate::{App, Result};

/// Stops mail to an address. The family's other address keeps getting the family's mail and is told
/// so, after quiet time if it is quiet now.
pub(crate) async fn refuse(
    tx: &mut Tx,
    app: &App,
    email: &EmailAddress,
    reason: &str,
) -> Result<()> {
    let now = app.clock.now();
    if !suppression::refuse(tx, now, email, reason).await? {
        return Ok(());
    }
    let others: Vec<(EmailAddress, String, FamilyId)> = tx
        .sql([
            "select a.email, p.full_name, p.id
             from profile_addresses b
             join profiles p on p.id = b.profile_id
             join profile_addresses a on a.profile_id = p.id and a.email <> b.email
             where b.email = $1 and p.deleted_at is null and p.refused_at is null and not ",
            suppression::REFUSED,
        ])
        .bind(email)
        .all()
        .await?;
    if others.is_empty() {
        return Ok(());
    }
    let due = app.settings().await?.mail_time(now);
    for (other, full_name, family) in others {
        let notice = Notice::new(AccountMail::AddressRefused, family);
        notifications::notify_at(tx, app, notice, (&other, &full_name), due).await?;
    }
    Ok(())
}
