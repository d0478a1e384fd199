//! Mail of a family whose readers have changed since it was made: mail for an address that no
//! longer gets its category goes to another address of the family, and mail that nobody takes is
//! withdrawn.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::Category;
use super::suppression::{FAMILY_READERS, REFUSED};
use crate::Result;
use crate::access::Access;
use crate::db::{Query, Sql, Tx};
use crate::email_address::EmailAddress;
use crate::settings::Settings;

/// Mails that follow the readers of their family.
#[derive(Clone, Copy)]
pub(super) enum Mails<'a> {
    /// What is collected for the next daily email.
    Collected,
    /// The failed mails of a notification.
    Failed(Uuid),
    /// The failed mail of a notification to an address.
    FailedTo(Uuid, &'a str),
    /// The failed parts of a daily email to an address.
    FailedParts(Uuid, &'a str),
}

impl Mails<'_> {
    fn condition(self) -> &'static str {
        match self {
            Mails::Collected => "collected and digest_id is null and status = 'queued'",
            Mails::Failed(_) => "status = 'failed' and notification_id = $5",
            Mails::FailedTo(..) => "status = 'failed' and notification_id = $5 and email = $6",
            Mails::FailedParts(..) => "status = 'failed' and digest_id = $5 and email = $6",
        }
    }

    /// Selects the mails whose address is no longer a reader.
    fn lost(self) -> Sql {
        Sql::from([" where ", self.condition()])
            .and(
                " and profile_id is not null
                  and notification_id in (select id from notifications where category = $1)
                  and email not in ",
            )
            .and(readers())
    }

    /// Moves mails to readers of their families and withdraws what no reader takes. Returns the addresses that
    /// mails were moved to.
    pub(super) async fn follow(
        self,
        tx: &mut Tx,
        settings: &Settings,
        category: Category,
        now: DateTime<Utc>,
    ) -> Result<Vec<EmailAddress>> {
        let moved =
            Sql::from("update deliveries set updated_at = $4, first_tried_at = null, email = ")
                .and(first())
                .and(self.lost())
                // Another reader has it, or gets it from another row.
                .and(
                    " and not exists (select 1 from deliveries o
                                  where o.notification_id = deliveries.notification_id
                                    and o.email <> deliveries.email
                                    and (o.status in ('queued', 'sending', 'sent') and o.email in ",
                )
                .and(readers())
                .and(
                    " or o.profile_id = deliveries.profile_id and o.status = deliveries.status
                     and o.email < deliveries.email and o.email not in ",
                )
                .and(readers())
                .and(")) and ")
                .and(first())
                .and(" is not null returning email");
        let to: Vec<(EmailAddress,)> = run(tx, moved, settings, category, now, self).all().await?;
        self.withdraw(tx, settings, category, now).await?;
        Ok(to.into_iter().map(|(email,)| email).collect())
    }

    /// Withdraws mails to addresses that are no longer readers.
    pub(super) async fn withdraw(
        self,
        tx: &mut Tx,
        settings: &Settings,
        category: Category,
        now: DateTime<Utc>,
    ) -> Result<()> {
        let left = Sql::from(
            "update deliveries set updated_at = $4, status = 'suppressed', last_error = 'withdrawn'",
        )
        .and(self.lost());
        run(tx, left, settings, category, now, self).execute().await?;
        Ok(())
    }

    /// Binds what [`Mails::condition`] compares with.
    fn bind(self, query: Query<'_>) -> Query<'_> {
        match self {
            Mails::Collected => query,
            Mails::Failed(id) => query.bind(id),
            Mails::FailedTo(id, email) | Mails::FailedParts(id, email) => {
                query.bind(id).bind(email)
            }
        }
    }
}

/// The readers among the addresses of a delivery's family.
fn readers() -> Sql {
    Sql::from([
        "(select a.email from (",
        FAMILY_READERS,
        ") a where a.profile_id = deliveries.profile_id)",
    ])
}

/// The first of the readers that takes mail and has no row of this notification yet.
fn first() -> Sql {
    Sql::from([
        "(select min(a.email) from (",
        FAMILY_READERS,
        ") a
          where a.profile_id = deliveries.profile_id
            and not exists (select 1 from deliveries o
                            where o.notification_id = deliveries.notification_id
                              and o.email = a.email)
            and not ",
        REFUSED,
        ")",
    ])
}

fn run<'c>(
    tx: &'c mut Tx,
    text: Sql,
    settings: &Settings,
    category: Category,
    now: DateTime<Utc>,
    mails: Mails<'_>,
) -> Query<'c> {
    let query = tx
        .sql(text)
        .bind(category)
        .bind(settings.require_email_verification)
        .bind(settings.access == Access::Families)
        .bind(now);
    mails.bind(query)
}
