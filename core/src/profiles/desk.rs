//! Families on the desk of the staff: the list, adding, editing, inviting, approving, deleting.

use chrono::{DateTime, NaiveDate, Utc};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{
    DEFAULT_PREFERENCES, EXISTS, NO_FAMILY, UserType, find, insert, refold, refresh_list_email,
};
use crate::accounts::tokens::{self, Bearer, Purpose};
use crate::accounts::{letters, limits, users};
use crate::audit::{self, Actor, Subject};
use crate::checks::Checks;
use crate::db::{Db, On, Tx};
use crate::error::OrTaken;
use crate::fold::pattern;
use crate::notifications::{self, Notice};
use crate::pages::{Page, Part};
use crate::payments::{self, Payment, PaymentPlan, Plan, PlanChanges, standing};
use crate::settings::Settings;
use crate::{App, Error, Result};

/// A family in the list of the staff.
#[derive(Debug, Clone, Serialize, utoipa::ToSchema)]
#[schema(as = FamilyRow)]
pub struct Family {
    pub id: Uuid,
    pub full_name: String,
    pub child_name: String,
    pub email: Option<String>,
    pub secondary_email: Option<String>,
    pub user_type: UserType,
    /// How many logins point at this family.
    pub logins: i64,
    /// Was sent an invitation, or its link was copied.
    pub invited: bool,
    pub approved_at: Option<DateTime<Utc>>,
    pub refused_at: Option<DateTime<Utc>>,
    /// One of its addresses refused mail for good.
    pub suppressed: bool,
    pub email_notifications: bool,
    pub daily_video_email: bool,
    pub camp_updates_email: bool,
    pub plan: Option<PaymentPlan>,
    pub created_at: DateTime<Utc>,
    /// Changes with every payment too.
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
    pub emails: Vec<Address>,
}

#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[schema(as = FamilyAddress)]
pub struct Address {
    pub email: String,
    /// `primary`, `secondary`, or `login` for one that only a login uses.
    pub kind: String,
    pub verified: bool,
}

/// The "Add New User" form.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewFamily {
    pub full_name: String,
    pub email: String,
    pub child_name: String,
}

/// The edit dialog; what is left out stays.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FamilyPatch)]
pub struct FamilyChanges {
    /// Of the family as it was read; somebody else's change in between is not overwritten.
    pub version: i64,
    pub full_name: Option<String>,
    pub child_name: Option<String>,
    /// Empty or null removes it. Logins keep the addresses that they sign in with.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub email: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub secondary_email: Option<Option<String>>,
    /// Cents. Makes a plan where there is none.
    pub total_amount: Option<i64>,
    /// Cents. The difference is recorded as an adjustment and needs `adjustment_note`.
    pub paid_amount: Option<i64>,
    pub adjustment_note: Option<String>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<NaiveDate>)]
    pub due_date: Option<Option<NaiveDate>>,
    pub email_notifications: Option<bool>,
    pub daily_video_email: Option<bool>,
    pub camp_updates_email: Option<bool>,
}

/// Tells `null` from "left out".
fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FamilyFilter)]
pub enum Filter {
    #[default]
    All,
    /// Paid in full.
    Paid,
    /// Not paid in full and not overdue, with those that have no plan (decision $3).
    Due,
    Overdue,
    NoPlan,
    /// Parents who registered themselves and wait for the camp to say that it knows them.
    ToApprove,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FamilySort)]
pub enum Sort {
    Name,
    /// Who owes first, by due date; then those without a plan, then those that have paid.
    Payment,
    /// What was paid.
    Amount,
    Email,
    #[default]
    Joined,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SortDirection)]
pub enum Direction {
    Asc,
    Desc,
}

/// What staff look for among families.
#[derive(Debug, Default)]
pub struct Search {
    /// In names, children's names and addresses.
    pub q: String,
    pub filter: Filter,
    pub sort: Sort,
    /// By default the latest first, and otherwise from A to Z.
    pub direction: Option<Direction>,
    pub part: Part,
}

/// How many families stand how, and what all have paid.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = FamilySummary)]
pub struct Summary {
    pub total_users: i64,
    pub paid_in_full: i64,
    /// Cents, with what families paid that were deleted since.
    pub total_revenue: i64,
    pub overdue: i64,
    pub to_approve: i64,
    pub no_plan: i64,
    /// As the filter has it: with those that have no plan.
    pub due: i64,
    pub currency: String,
}

/// A family as it is read, with the places that it has in lists.
#[derive(Debug, sqlx::FromRow)]
struct Record {
    id: Uuid,
    full_name: String,
    child_name: String,
    email: Option<String>,
    secondary_email: Option<String>,
    user_type: UserType,
    logins: i64,
    invited: bool,
    approved_at: Option<DateTime<Utc>>,
    refused_at: Option<DateTime<Utc>>,
    suppressed: bool,
    email_notifications: bool,
    daily_video_email: bool,
    camp_updates_email: bool,
    created_at: DateTime<Utc>,
    version: i64,
    plan_id: Option<Uuid>,
    total_amount: Option<i64>,
    paid_amount: Option<i64>,
    due_date: Option<NaiveDate>,
    plan_version: Option<i64>,
    search_text: String,
    list_email: String,
    list_standing: i64,
    list_paid: i64,
}

impl Record {
    fn family(self, today: NaiveDate) -> Family {
        let plan = match (self.plan_id, self.total_amount, self.paid_amount, self.plan_version) {
            (Some(id), Some(total_amount), Some(paid_amount), Some(version)) => {
                let (profile_id, due_date) = (self.id, self.due_date);
                Some(
                    Plan { id, profile_id, total_amount, paid_amount, due_date, version }.on(today),
                )
            }
            _ => None,
        };
        Family {
            id: self.id,
            full_name: self.full_name,
            child_name: self.child_name,
            email: self.email,
            secondary_email: self.secondary_email,
            user_type: self.user_type,
            logins: self.logins,
            invited: self.invited,
            approved_at: self.approved_at,
            refused_at: self.refused_at,
            suppressed: self.suppressed,
            email_notifications: self.email_notifications,
            daily_video_email: self.daily_video_email,
            camp_updates_email: self.camp_updates_email,
            plan,
            created_at: self.created_at,
            version: self.version,
        }
    }
}

macro_rules! families {
    () => {
        "select p.id, p.full_name, p.child_name, a.email, s.email as secondary_email, p.user_type,
                (select count(*) from users u where u.profile_id = p.id) as logins,
                (exists (select 1 from notifications n
                         where n.subject_id = p.id and n.kind = 'invitation')
                 or exists (select 1 from mail_tokens t
                            where t.profile_id = p.id and t.purpose = 'invite')) as invited,
                p.approved_at, p.refused_at,
                exists (select 1 from suppressed_addresses x
                        where x.email in (a.email, s.email)) as suppressed,
                p.email_notifications, p.daily_video_email, p.camp_updates_email, p.created_at,
                p.version, l.id as plan_id, l.total_amount, l.paid_amount, l.due_date,
                l.version as plan_version, p.search_text, p.list_email, p.list_standing,
                p.list_paid
         from profiles p
         left join payment_plans l on l.profile_id = p.id
         left join profile_addresses a on a.profile_id = p.id and a.kind = 'primary'
         left join profile_addresses s on s.profile_id = p.id and s.kind = 'secondary'
         where p.deleted_at is null "
    };
}

macro_rules! to_approve {
    () => {
        "p.approved_at is null and p.refused_at is null and p.user_type = 'parent'"
    };
}

macro_rules! ordered {
    ($key:literal, $way:literal, $beyond:literal) => {
        concat!(
            families!(),
            "and ($1 is null or p.search_text like $1 escape '\\' or a.email like $1 escape '\\'
                  or s.email like $1 escape '\\')
             and ($2 is null or p.list_standing >= $2)
             and ($3 is null or p.list_standing <= $3)
             and (not $4 or (",
            to_approve!(),
            "))
             and ($6 is null or (",
            $key,
            ", p.id) ",
            $beyond,
            " ($6, $7))
             order by ",
            $key,
            " ",
            $way,
            ", p.id ",
            $way,
            " limit $5"
        )
    };
}

/// Families, in pages of 50 unless another size is asked for.
pub async fn list(app: &App, settings: &Settings, search: &Search) -> Result<Page<Family>> {
    use Direction::{Asc, Desc};
    let db = &app.db;
    let today = payments::today(settings, app.clock.now());
    let usual = if search.sort == Sort::Joined { Desc } else { Asc };
    match (search.sort, search.direction.unwrap_or(usual)) {
        (Sort::Name, Asc) => {
            let text = ordered!("p.search_text", "asc", ">");
            page(db, search, today, "families name", text, |r| r.search_text.clone()).await
        }
        (Sort::Name, Desc) => {
            let text = ordered!("p.search_text", "desc", "<");
            page(db, search, today, "families name back", text, |r| r.search_text.clone()).await
        }
        (Sort::Email, Asc) => {
            let text = ordered!("p.list_email", "asc", ">");
            page(db, search, today, "families email", text, |r| r.list_email.clone()).await
        }
        (Sort::Email, Desc) => {
            let text = ordered!("p.list_email", "desc", "<");
            page(db, search, today, "families email back", text, |r| r.list_email.clone()).await
        }
        (Sort::Payment, Asc) => {
            let text = ordered!("p.list_standing", "asc", ">");
            page(db, search, today, "families payment", text, |r| r.list_standing).await
        }
        (Sort::Payment, Desc) => {
            let text = ordered!("p.list_standing", "desc", "<");
            page(db, search, today, "families payment back", text, |r| r.list_standing).await
        }
        (Sort::Amount, Asc) => {
            let text = ordered!("p.list_paid", "asc", ">");
            page(db, search, today, "families amount", text, |r| r.list_paid).await
        }
        (Sort::Amount, Desc) => {
            let text = ordered!("p.list_paid", "desc", "<");
            page(db, search, today, "families amount back", text, |r| r.list_paid).await
        }
        (Sort::Joined, Asc) => {
            let text = ordered!("p.created_at", "asc", ">");
            page(db, search, today, "families joined", text, |r| r.created_at).await
        }
        (Sort::Joined, Desc) => {
            let text = ordered!("p.created_at", "desc", "<");
            page(db, search, today, "families joined back", text, |r| r.created_at).await
        }
    }
}

/// How many stand on a page unasked (issue 4).
const PAGE: i64 = 50;

async fn page<K>(
    db: &Db,
    search: &Search,
    today: NaiveDate,
    order: &str,
    text: &'static str,
    key: impl Fn(&Record) -> K,
) -> Result<Page<Family>>
where
    K: Serialize + DeserializeOwned,
    Option<K>: crate::db::Value,
{
    let part = Part { cursor: search.part.cursor.clone(), limit: search.part.limit.or(Some(PAGE)) };
    let (after, last): (Option<K>, Option<Uuid>) = part.after(order)?.unzip();
    let (from, to) = standings(search.filter, today);
    let rows: Vec<Record> = db
        .sql(text)
        .bind((!search.q.trim().is_empty()).then(|| pattern(&search.q)))
        .bind(from)
        .bind(to)
        .bind(search.filter == Filter::ToApprove)
        .bind(part.limit() + 1)
        .bind(after)
        .bind(last)
        .all()
        .await?;
    let page = part.page(order, rows, |row| (key(row), row.id));
    let items = page.items.into_iter().map(|record| record.family(today)).collect();
    Ok(Page { items, next: page.next })
}

/// The first and the last standing that a filter leaves.
fn standings(filter: Filter, today: NaiveDate) -> (Option<i64>, Option<i64>) {
    let today = payments::day_number(today);
    match filter {
        Filter::All | Filter::ToApprove => (None, None),
        Filter::Overdue => (None, Some(today - 1)),
        Filter::Due => (Some(today), Some(standing::NO_PLAN)),
        Filter::NoPlan => (Some(standing::NO_PLAN), Some(standing::NO_PLAN)),
        Filter::Paid => (Some(standing::PAID), Some(standing::PAID)),
    }
}

/// The figures above the list.
pub async fn summary(app: &App, settings: &Settings) -> Result<Summary> {
    let today = payments::today(settings, app.clock.now());
    let (total_users, paid_in_full, overdue, no_plan, to_approve, total_revenue): (
        i64,
        i64,
        i64,
        i64,
        i64,
        i64,
    ) = app
        .db
        .sql(concat!(
            "select count(*), count(case when list_standing = $1 then 1 end),
                    count(case when list_standing < $2 then 1 end),
                    count(case when list_standing = $3 then 1 end),
                    (select count(*) from profiles p where p.deleted_at is null and ",
            to_approve!(),
            "),
                    (select coalesce(cast(sum(l.paid_amount) as bigint), 0) from payment_plans l)
             from profiles
             where deleted_at is null"
        ))
        .bind(standing::PAID)
        .bind(payments::day_number(today))
        .bind(standing::NO_PLAN)
        .one()
        .await?;
    Ok(Summary {
        total_users,
        paid_in_full,
        total_revenue,
        overdue,
        to_approve,
        no_plan,
        due: total_users - paid_in_full - overdue,
        currency: settings.currency.clone(),
    })
}

/// One family as a row of the list. Errors: [`Error::NotFound`].
pub async fn family(
    on: impl Into<On<'_>>,
    app: &App,
    settings: &Settings,
    id: Uuid,
) -> Result<Family> {
    let record: Option<Record> =
        on.into().sql(concat!(families!(), "and p.id = $1")).bind(id).optional().await?;
    Ok(record.ok_or(NO_FAMILY)?.family(payments::today(settings, app.clock.now())))
}

/// One family with everything. Errors: [`Error::NotFound`].
pub async fn detail(app: &App, id: Uuid) -> Result<Detail> {
    let settings = app.settings().await?;
    let family = family(&app.db, app, &settings, id).await?;
    let emails = app
        .db
        .sql(
            "select a.email, a.kind, a.verified_at is not null as verified
             from profile_addresses a
             where a.profile_id = $1
             union all
             select u.email, 'login', u.verified_at is not null
             from users u
             where u.profile_id = $1
               and not exists (select 1 from profile_addresses b
                               where b.profile_id = $1 and b.email = u.email)
             order by 2, 1",
        )
        .bind(id)
        .all()
        .await?;
    Ok(Detail { family, payments: payments::history(&app.db, id).await?, emails })
}

/// Everything that is printed on a family's statement.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = FamilyStatement)]
pub struct Statement {
    pub family: Family,
    pub plan: Option<PaymentPlan>,
    /// The latest first.
    pub payments: Vec<Payment>,
    pub site_name: String,
    pub contact_email: String,
    pub contact_phone: String,
    pub currency: String,
    /// The day in camp.
    pub date: NaiveDate,
}

pub async fn statement(app: &App, id: Uuid) -> Result<Statement> {
    let settings = app.settings().await?;
    let family = family(&app.db, app, &settings, id).await?;
    Ok(Statement {
        plan: family.plan.clone(),
        family,
        payments: payments::history(&app.db, id).await?,
        site_name: settings.site_name.clone(),
        contact_email: settings.contact_email.clone(),
        contact_phone: settings.contact_phone.clone(),
        currency: settings.currency.clone(),
        date: payments::today(&settings, app.clock.now()),
    })
}

/// Staff add a family: the record, its address, its plan and its invitation, in one transaction
/// (decision $4). Errors: [`Error::Invalid`], [`Error::Taken`] on `email`.
pub async fn add(app: &App, actor: Actor, new: NewFamily) -> Result<Family> {
    let mut checks = Checks::new();
    let full_name = checks.line("full_name", &new.full_name, 120);
    let child_name = checks.line("child_name", &new.child_name, 200);
    let missing = "All fields are required";
    checks.require(!full_name.is_empty(), "full_name", missing);
    checks.require(!child_name.is_empty(), "child_name", missing);
    let email = match new.email.trim().is_empty() {
        true => {
            checks.refuse("email", missing);
            String::new()
        }
        false => checks.email("email", &new.email),
    };
    checks.done()?;
    let settings = app.settings().await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let id = insert(
        &mut tx,
        now,
        "staff",
        Some(now),
        &full_name,
        &child_name,
        UserType::Parent,
        DEFAULT_PREFERENCES,
        &email,
    )
    .await?;
    release(&mut tx, &email).await?;
    put_address(&mut tx, now, id, &Kept::typed(&email), Place::Primary).await?;
    payments::open(&mut tx, now, id, settings.default_plan_amount, None, None).await?;
    notifications::tell(&mut tx, app, Notice::new(letters::INVITATION, id), &email, &full_name)
        .await?;
    audit::record(&mut tx, now, actor, "profile.add", Subject::new("profile", id), json!({}))
        .await?;
    let family = family(&mut tx, app, &settings, id).await?;
    tx.commit().await?;
    Ok(family)
}

/// Saves what staff changed about a family, all or nothing. Errors: [`Error::Stale`],
/// [`Error::Invalid`], [`Error::Taken`] on `email` or `secondary_email`.
pub async fn edit(app: &App, actor: Actor, id: Uuid, changes: FamilyChanges) -> Result<Detail> {
    let settings = app.settings().await?;
    let now = app.clock.now();
    let mut checks = Checks::new();
    let full_name = changes.full_name.as_deref().map(|n| checks.line("full_name", n, 120));
    let child_name = changes.child_name.as_deref().map(|n| checks.line("child_name", n, 200));
    let mut typed = |field: &str, given: &Option<Option<String>>| {
        given.as_ref().map(|given| match given.as_deref().map(str::trim) {
            None | Some("") => None,
            Some(email) => Some(checks.email(field, email)),
        })
    };
    let email = typed("email", &changes.email);
    let secondary = typed("secondary_email", &changes.secondary_email);
    let plan = PlanChanges {
        total_amount: changes.total_amount,
        paid_amount: changes.paid_amount,
        adjustment_note: changes.adjustment_note,
        due_date: changes.due_date,
    };
    plan.check(&mut checks, &settings);
    checks.done()?;
    let mut tx = app.db.begin().await?;
    let before = family(&mut tx, app, &settings, id).await?;
    let written = tx
        .sql(
            "update profiles
             set full_name = coalesce($3, full_name), child_name = coalesce($4, child_name),
                 email_notifications = coalesce($5, email_notifications),
                 daily_video_email = coalesce($6, daily_video_email),
                 camp_updates_email = coalesce($7, camp_updates_email),
                 version = version + 1, updated_at = $8
             where id = $1 and version = $2 and deleted_at is null",
        )
        .bind(id)
        .bind(changes.version)
        .bind(full_name.clone())
        .bind(child_name.clone())
        .bind(changes.email_notifications)
        .bind(changes.daily_video_email)
        .bind(changes.camp_updates_email)
        .bind(now)
        .execute()
        .await?;
    if written == 0 {
        return Err(Error::Stale);
    }
    // A name may stay empty, but nobody takes one away.
    if full_name.is_some_and(|name| name.is_empty()) && !before.full_name.is_empty() {
        return Err(Error::invalid("full_name", "Please enter a name."));
    }
    refold(&mut tx, id).await?;
    let emails_changed = change_addresses(&mut tx, now, id, email, secondary).await?;
    payments::change(&mut tx, app, &settings, actor, id, &plan).await?;
    let after = family(&mut tx, app, &settings, id).await?;
    let details = differences(&before, &after, emails_changed);
    audit::record(&mut tx, now, actor, "profile.change", Subject::new("profile", id), details)
        .await?;
    tx.commit().await?;
    detail(app, id).await
}

/// What changed, for the audit log: of names and addresses only that they changed.
fn differences(before: &Family, after: &Family, emails_changed: bool) -> Value {
    let mut changed = Map::new();
    let mut note = |key: &str, value: Value| drop(changed.insert(key.to_owned(), value));
    if before.full_name != after.full_name {
        note("full_name", json!("changed"));
    }
    if before.child_name != after.child_name {
        note("child_name", json!("changed"));
    }
    if emails_changed {
        note("emails", json!("changed"));
    }
    for (key, old, new) in [
        ("email_notifications", before.email_notifications, after.email_notifications),
        ("daily_video_email", before.daily_video_email, after.daily_video_email),
        ("camp_updates_email", before.camp_updates_email, after.camp_updates_email),
    ] {
        if old != new {
            note(key, json!({ "before": old, "after": new }));
        }
    }
    Value::Object(changed)
}

/// An address with what is known about it.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub(super) struct Kept {
    pub email: String,
    pub entered_by_staff: bool,
    pub verified_at: Option<DateTime<Utc>>,
}

impl Kept {
    /// One that staff have just entered.
    pub fn typed(email: &str) -> Kept {
        Kept { email: email.to_owned(), entered_by_staff: true, verified_at: None }
    }
}

/// The primary and the secondary address of a family.
pub(super) async fn addresses(tx: &mut Tx, id: Uuid) -> Result<(Option<Kept>, Option<Kept>)> {
    let mut found: [Option<Kept>; 2] = [None, None];
    for (place, kind) in found.iter_mut().zip(["primary", "secondary"]) {
        *place = tx
            .sql(
                "select email, entered_by_staff, verified_at from profile_addresses
                 where profile_id = $1 and kind = $2",
            )
            .bind(id)
            .bind(kind)
            .optional()
            .await?;
    }
    let [primary, secondary] = found;
    Ok((primary, secondary))
}

/// Sets the addresses that were typed; returns whether anything changed by it.
async fn change_addresses(
    tx: &mut Tx,
    now: DateTime<Utc>,
    id: Uuid,
    email: Option<Option<String>>,
    secondary: Option<Option<String>>,
) -> Result<bool> {
    let before = addresses(tx, id).await?;
    // What is known about an address goes with it when it changes its place.
    let place = |typed: Option<Option<String>>, old: &Option<Kept>| match typed {
        None => old.clone(),
        Some(None) => None,
        Some(Some(email)) => {
            let known = [&before.0, &before.1].into_iter().flatten().find(|k| k.email == email);
            Some(known.cloned().unwrap_or_else(|| Kept::typed(&email)))
        }
    };
    let after = (place(email, &before.0), place(secondary, &before.1));
    if after == before {
        return Ok(false);
    }
    if let (Some(one), Some(other)) = &after
        && one.email == other.email
    {
        let text = "The second address must be another one than the first.";
        return Err(Error::invalid("secondary_email", text));
    }
    // A family with one address has a primary one.
    let (primary, secondary) = match after {
        (None, Some(only)) => (Some(only), None),
        both => both,
    };
    set_addresses(tx, now, id, primary, secondary).await?;
    Ok(true)
}

/// Writes the addresses of a family anew. Errors: [`Error::Taken`].
pub(super) async fn set_addresses(
    tx: &mut Tx,
    now: DateTime<Utc>,
    id: Uuid,
    primary: Option<Kept>,
    secondary: Option<Kept>,
) -> Result<()> {
    tx.sql("delete from profile_addresses where profile_id = $1").bind(id).execute().await?;
    for (address, place) in [(primary, Place::Primary), (secondary, Place::Secondary)] {
        let Some(address) = address else { continue };
        release(tx, &address.email).await?;
        put_address(tx, now, id, &address, place).await?;
    }
    refresh_list_email(tx, id).await
}

/// An address that somebody typed at sign-up and never proved does not keep the camp from entering
/// it; when it is proved later, the login is linked to the family that has it.
pub(super) async fn release(tx: &mut Tx, email: &str) -> Result<()> {
    let released: Option<(Uuid,)> = tx
        .sql(
            "delete from profile_addresses
             where email = $1 and verified_at is null and not entered_by_staff
               and kind = 'primary'
             returning profile_id",
        )
        .bind(email)
        .optional()
        .await?;
    match released {
        Some((other,)) => refresh_list_email(tx, other).await,
        None => Ok(()),
    }
}

#[derive(Clone, Copy)]
pub(super) enum Place {
    Primary,
    Secondary,
}

pub(super) async fn put_address(
    tx: &mut Tx,
    now: DateTime<Utc>,
    id: Uuid,
    address: &Kept,
    place: Place,
) -> Result<()> {
    let (kind, field) = match place {
        Place::Primary => ("primary", "email"),
        Place::Secondary => ("secondary", "secondary_email"),
    };
    tx.sql(
        "insert into profile_addresses
           (email, profile_id, kind, entered_by_staff, verified_at, created_at)
         values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(&address.email)
    .bind(id)
    .bind(kind)
    .bind(address.entered_by_staff)
    .bind(address.verified_at)
    .bind(now)
    .execute()
    .await
    .or_taken(field, EXISTS)?;
    Ok(())
}

/// Takes the brakes off the sign-in of a family's logins; returns how many there were.
pub async fn clear_limits(app: &App, actor: Actor, id: Uuid) -> Result<u64> {
    let mut tx = app.db.begin().await?;
    find(&mut tx, id).await?;
    let logins: Vec<(String,)> =
        tx.sql("select email from users where profile_id = $1").bind(id).all().await?;
    let mut cleared = 0;
    for (email,) in logins {
        cleared += limits::clear_account(&mut tx, app, &email).await?;
    }
    let (now, subject) = (app.clock.now(), Subject::new("profile", id));
    audit::record(&mut tx, now, actor, "profile.clear_limits", subject, json!({})).await?;
    tx.commit().await?;
    Ok(cleared)
}

/// Sends a family's invitation again. Errors: [`Error::Conflict`] for a family without an address.
pub async fn invite(app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let profile = find(&mut tx, id).await?;
    let address: Option<(String,)> = tx
        .sql("select email from profile_addresses where profile_id = $1 and kind = 'primary'")
        .bind(id)
        .optional()
        .await?;
    let Some((email,)) = address else {
        return Err(Error::Conflict(
            "This family has no e-mail address. Copy the invitation link instead.",
        ));
    };
    notifications::tell(
        &mut tx,
        app,
        Notice::new(letters::INVITATION, id),
        &email,
        &profile.full_name,
    )
    .await?;
    audit::record(&mut tx, now, actor, "profile.invite", Subject::new("profile", id), json!({}))
        .await?;
    tx.commit().await
}

/// A fresh invitation link to hand over by other means. It proves no address.
pub async fn invitation_link(app: &App, actor: Actor, id: Uuid) -> Result<String> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    find(&mut tx, id).await?;
    let bearer = Bearer { profile_id: Some(id), ..Bearer::default() };
    let token = tokens::make(&mut tx, app, Purpose::Invite, &bearer).await?;
    audit::record(
        &mut tx,
        now,
        actor,
        "profile.copy_invitation",
        Subject::new("profile", id),
        json!({}),
    )
    .await?;
    tx.commit().await?;
    Ok(app.url(&format!("/auth?invite={token}")))
}

/// Whether staff take somebody who registered for a family of the camp (decision P9).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    Approve,
    Refuse,
}

/// Approves or refuses, tells the family by mail and writes it down. Saying the same again
/// changes nothing and tells nobody.
pub async fn decide(app: &App, actor: Actor, id: Uuid, decision: Decision) -> Result<Family> {
    let settings = app.settings().await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let profile = find(&mut tx, id).await?;
    let (approved, refused, letter, action) = match decision {
        Decision::Approve => (Some(now), None, letters::APPROVED, "profile.approve"),
        Decision::Refuse => (None, Some(now), letters::REFUSED, "profile.refuse"),
    };
    let changed = tx
        .sql(
            "update profiles set approved_at = $2, refused_at = $3, updated_at = $4, version = version + 1
             where id = $1 and ((approved_at is null) <> ($2 is null) or (refused_at is null) <> ($3 is null))",
        )
        .bind(id)
        .bind(approved)
        .bind(refused)
        .bind(now)
        .execute()
        .await?;
    if changed > 0 {
        let logins: Vec<(String,)> =
            tx.sql("select email from users where profile_id = $1").bind(id).all().await?;
        for (email,) in logins {
            notifications::tell(&mut tx, app, Notice::new(letter, id), &email, &profile.full_name)
                .await?;
        }
        audit::record(&mut tx, now, actor, action, Subject::new("profile", id), json!({})).await?;
    }
    let family = family(&mut tx, app, &settings, id).await?;
    tx.commit().await?;
    Ok(family)
}

/// Removes a family from all lists, with its logins and addresses. Its plan and ledger stay
/// (decision P10).
pub async fn delete(app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    find(&mut tx, id).await?;
    let logins: Vec<(Uuid,)> =
        tx.sql("select id from users where profile_id = $1").bind(id).all().await?;
    for (user_id,) in logins {
        users::remove(&mut tx, user_id).await?;
    }
    tx.sql("delete from profile_addresses where profile_id = $1").bind(id).execute().await?;
    tx.sql(
        "update profiles set deleted_at = $2, updated_at = $2, full_name = '', child_name = '',
             search_text = '', list_email = '', version = version + 1
         where id = $1 or merged_into = $1",
    )
    .bind(id)
    .bind(now)
    .execute()
    .await?;
    audit::record(&mut tx, now, actor, "profile.delete", Subject::new("profile", id), json!({}))
        .await?;
    tx.commit().await
}
