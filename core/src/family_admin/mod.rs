//! Families as staff see and change them: list, details and the printed statement.

mod edit;
pub mod export;
pub mod import;
mod list;
mod logins;
mod membership;
pub mod merge;
mod summary;

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;

pub use edit::{FamilyChanges, NewFamily, add, edit};
pub(crate) use list::family;
pub use list::{Direction, Filter, Search, Sort, list};
pub use logins::remove_login;
pub use membership::{
    Decided, Decision, Standing, Told, clear_limits, decide, delete, invitation_link, invite,
};
pub use summary::{Summary, summary};

use membership::remove;

use crate::accounts::UserType;
use crate::email_address::EmailAddress;
use crate::ids::{FamilyId, UserId};
use crate::notifications::{Category, suppression};
use crate::payments::reminders::{self, Reminders};
use crate::payments::{self, FamilyPayment, Payment, PaymentPlan};
use crate::{App, Result};

/// A family in the list of the staff.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
#[schema(as = FamilyRow)]
pub struct Family {
    #[schema(value_type = Uuid)]
    pub id: FamilyId,
    pub full_name: String,
    pub child_name: String,
    pub email: Option<String>,
    pub secondary_email: Option<String>,
    /// Typed at sign-up and not verified. It gets no mail, since it may be anybody's.
    pub unconfirmed_email: Option<String>,
    /// A second address that a member typed and its owner has not confirmed.
    pub unconfirmed_secondary_email: Option<String>,
    pub user_type: UserType,
    /// The number of users of this family.
    pub logins: i64,
    /// Whether an invitation was sent to one of its addresses, or a copied link works.
    pub invited: bool,
    pub approved_at: Option<DateTime<Utc>>,
    pub refused_at: Option<DateTime<Utc>>,
    /// Whether one of its addresses refused mail permanently.
    pub suppressed: bool,
    /// What at least one of its addresses receives.
    pub email_notifications: bool,
    pub daily_video_email: bool,
    pub camp_updates_email: bool,
    /// Kinds of mail that every address of the family opted out of. Only its members can resume
    /// them.
    pub stopped: Vec<Category>,
    pub plan: Option<PaymentPlan>,
    pub created_at: DateTime<Utc>,
    /// Payments change it too.
    pub version: i64,
}

/// A family with its ledger and all its addresses.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = FamilyDetail)]
pub struct Detail {
    #[serde(flatten)]
    pub family: Family,
    /// The latest first.
    pub payments: Vec<Payment>,
    /// The primary one first.
    pub emails: Vec<Address>,
    pub reminders: Reminders,
}

#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[schema(as = FamilyAddress)]
pub struct Address {
    #[schema(value_type = String)]
    pub email: EmailAddress,
    /// `primary`, `secondary`, `login` for one that only a login uses, or `pending` for a second one
    /// that a member typed and its owner has not confirmed.
    pub kind: String,
    /// The login with this address, if staff can take it off the family.
    #[schema(value_type = Option<Uuid>)]
    pub user_id: Option<UserId>,
    pub verified: bool,
    /// Why it refused mail permanently, as the mail server said; null if it gets mail.
    pub refused: Option<String>,
    /// Kinds of mail that it opted out of, on the profile page or by the link in a mail.
    #[sqlx(skip)]
    pub stopped: Vec<Category>,
}

/// Returns one family with all details.
///
/// # Errors
///
/// [`crate::Error::NotFound`]
pub async fn detail(app: &App, id: FamilyId) -> Result<Detail> {
    let settings = app.settings().await?;
    let family = family(&app.db, app, &settings, id).await?;
    let mut emails: Vec<Address> = app
        .db
        .sql(
            "select a.email, a.kind, a.verified_at is not null as verified, s.reason as refused, 1,
                    u.id as user_id
             from profile_addresses a
             left join users u on u.profile_id = a.profile_id and u.email = a.email
                              and a.kind = 'secondary' and not a.entered_by_staff
             left join suppressed_addresses s on s.email = a.email
             where a.profile_id = $1
             union all
             select u.email, 'login', u.verified_at is not null, s.reason, 3, u.id
             from users u
             left join suppressed_addresses s on s.email = u.email
             where u.profile_id = $1
               and not exists (select 1 from profile_addresses b
                               where b.profile_id = $1 and b.email = u.email)
             union all
             select w.email, 'pending', 1 = 0, s.reason, 2, null
             from pending_addresses w
             left join suppressed_addresses s on s.email = w.email
             where w.profile_id = $1
             order by 5, 2, 1",
        )
        .bind(id)
        .all()
        .await?;
    for address in &mut emails {
        address.stopped = suppression::opted_out(&app.db, &address.email).await?;
    }
    let payments = payments::history(&app.db, id).await?;
    let reminders = reminders::of_family(app, id).await?;
    Ok(Detail { family, payments, emails, reminders })
}

/// Everything that is printed on a family's statement.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = FamilyStatement)]
pub struct Statement {
    pub family: Family,
    pub plan: Option<PaymentPlan>,
    /// The latest first.
    pub payments: Vec<FamilyPayment>,
    pub site_name: String,
    pub contact_email: String,
    pub contact_phone: String,
    pub currency: String,
    /// The date in the camp's time zone.
    pub date: NaiveDate,
}

/// Returns the content of a family's printed statement.
///
/// # Errors
///
/// [`crate::Error::NotFound`]
pub async fn statement(app: &App, id: FamilyId) -> Result<Statement> {
    let settings = app.settings().await?;
    let family = family(&app.db, app, &settings, id).await?;
    Ok(Statement {
        plan: family.plan.clone(),
        family,
        payments: payments::family_history(&app.db, id).await?,
        site_name: settings.site_name.clone(),
        contact_email: settings.contact_email.clone(),
        contact_phone: settings.contact_phone.clone(),
        currency: settings.currency.clone(),
        date: payments::today(&settings, app.clock.now()),
    })
}
