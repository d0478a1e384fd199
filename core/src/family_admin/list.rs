//! The list of families with its filters.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Family;
use crate::accounts::UserType;
use crate::db::{Db, On, Sql};
use crate::families::NO_FAMILY;
use crate::ids::FamilyId;
use crate::money::Cents;
use crate::notifications::Category;
use crate::pagination::{CursorKey, Page, PageRequest};
use crate::payments::{self, Plan, standing};
use crate::search_text::word_patterns;
use crate::settings::Settings;
use crate::{App, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FamilyFilter)]
pub enum Filter {
    #[default]
    All,
    /// Paid in full.
    Paid,
    /// Not paid in full and not overdue, including families without a plan (decision $3).
    Due,
    Overdue,
    NoPlan,
    /// Self-registered families that wait for approval.
    ToApprove,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FamilySort)]
pub enum Sort {
    Name,
    /// Families that owe first, by due date; then those without a plan, then those that have paid.
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

/// The search, filter and order of the list.
#[derive(Debug, Default)]
pub struct Search {
    /// In names, children's names and addresses; words in any order.
    pub q: String,
    pub filter: Filter,
    pub sort: Sort,
    /// By default the latest first, and otherwise from A to Z.
    pub direction: Option<Direction>,
    pub part: PageRequest,
}

/// A family as read from the database, with its sort keys.
#[derive(Debug, sqlx::FromRow)]
struct Record {
    id: FamilyId,
    full_name: String,
    child_name: String,
    email: Option<String>,
    secondary_email: Option<String>,
    unconfirmed_email: Option<String>,
    unconfirmed_secondary_email: Option<String>,
    user_type: UserType,
    logins: i64,
    invited: bool,
    approved_at: Option<DateTime<Utc>>,
    refused_at: Option<DateTime<Utc>>,
    suppressed: bool,
    email_notifications: bool,
    daily_video_email: bool,
    camp_updates_email: bool,
    general_stopped: bool,
    videos_stopped: bool,
    updates_stopped: bool,
    created_at: DateTime<Utc>,
    version: i64,
    plan_id: Option<Uuid>,
    total_amount: Option<Cents>,
    paid_amount: Option<Cents>,
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
        let stopped = [
            (self.videos_stopped, Category::DailyVideos),
            (self.updates_stopped, Category::CampUpdates),
            (self.general_stopped, Category::General),
        ];
        Family {
            id: self.id,
            full_name: self.full_name,
            child_name: self.child_name,
            email: self.email,
            secondary_email: self.secondary_email,
            unconfirmed_email: self.unconfirmed_email,
            unconfirmed_secondary_email: self.unconfirmed_secondary_email,
            user_type: self.user_type,
            logins: self.logins,
            invited: self.invited,
            approved_at: self.approved_at,
            refused_at: self.refused_at,
            suppressed: self.suppressed,
            email_notifications: self.email_notifications && !self.general_stopped,
            daily_video_email: self.daily_video_email && !self.videos_stopped,
            camp_updates_email: self.camp_updates_email && !self.updates_stopped,
            stopped: stopped.into_iter().filter_map(|(all, kind)| all.then_some(kind)).collect(),
            plan,
            created_at: self.created_at,
            version: self.version,
        }
    }
}

/// Whether the family has an address and every address opted out of the kind of mail that stands
/// between the parts.
const STOPPED: [&str; 3] = [
    "(a.email is not null
              and exists (select 1 from unsubscribes x
                          where x.email = a.email and x.category = '",
    "')
              and (s.email is null
                   or exists (select 1 from unsubscribes x
                              where x.email = s.email and x.category = '",
    "')))",
];

fn families() -> Sql {
    Sql::from([
        "select p.id, p.full_name, p.child_name, a.email, s.email as secondary_email,
                case when a.email is null
                     then (select min(u.email) from users u
                           where u.profile_id = p.id and u.verified_at is null)
                end as unconfirmed_email,
                w.email as unconfirmed_secondary_email, p.user_type,
                (select count(*) from users u where u.profile_id = p.id) as logins,
                (exists (select 1 from notifications n
                         join deliveries d on d.notification_id = n.id
                         where n.subject_id = p.id and n.kind = 'invitation'
                           and d.email in (a.email, s.email))
                 or exists (select 1 from mail_tokens t
                            where t.profile_id = p.id and t.purpose = 'invite'
                              and t.email is null and t.used_at is null)) as invited,
                p.approved_at, p.refused_at,
                exists (select 1 from suppressed_addresses x
                        where x.email in (a.email, s.email, w.email)
                           or x.email in (select u.email from users u
                                          where u.profile_id = p.id and u.verified_at is null))
                  as suppressed,
                p.email_notifications, p.daily_video_email, p.camp_updates_email, ",
        STOPPED[0],
        "general",
        STOPPED[1],
        "general",
        STOPPED[2],
        " as general_stopped, ",
        STOPPED[0],
        "daily_videos",
        STOPPED[1],
        "daily_videos",
        STOPPED[2],
        " as videos_stopped, ",
        STOPPED[0],
        "camp_updates",
        STOPPED[1],
        "camp_updates",
        STOPPED[2],
        " as updates_stopped, p.created_at,
                p.version, l.id as plan_id, l.total_amount, l.paid_amount, l.due_date,
                l.version as plan_version, p.search_text, p.list_email, p.list_standing,
                p.list_paid
         from profiles p
         left join payment_plans l on l.profile_id = p.id
         left join profile_addresses a on a.profile_id = p.id and a.kind = 'primary'
         left join profile_addresses s on s.profile_id = p.id and s.kind = 'secondary'
         left join pending_addresses w on w.profile_id = p.id
         where p.deleted_at is null ",
    ])
}

/// The filter of the list, except for [`Filter::ToApprove`].
const WANTED: &str = "and ($1 is null or p.search_text like $1 escape '\\')
             and ($7 is null or p.search_text like $7 escape '\\')
             and ($8 is null or p.search_text like $8 escape '\\')
             and ($9 is null or p.search_text like $9 escape '\\')
             and ($10 is null or p.search_text like $10 escape '\\')
             and ($11 is null or p.search_text like $11 escape '\\')
             and ($2 is null or p.list_standing >= $2)
             and ($3 is null or p.list_standing <= $3) ";

/// Families that wait for approval, written as in the indexes.
const TO_APPROVE: &str =
    "and p.approved_at is null and p.refused_at is null and p.user_type = 'parent' ";

/// Returns a page of families.
///
/// # Errors
///
/// [`crate::Error::Invalid`] on `cursor` when it belongs to another order or list.
pub async fn list(app: &App, settings: &Settings, search: &Search) -> Result<Page<Family>> {
    let today = payments::today(settings, app.clock.now());
    let page = Listing { db: &app.db, search, today };
    match search.sort {
        Sort::Name => page.by("families name", "p.search_text", |r| r.search_text.clone()).await,
        Sort::Email => page.by("families email", "p.list_email", |r| r.list_email.clone()).await,
        Sort::Payment => page.by("families payment", "p.list_standing", |r| r.list_standing).await,
        Sort::Amount => page.by("families amount", "p.list_paid", |r| r.list_paid).await,
        Sort::Joined => page.by("families joined", "p.created_at", |r| r.created_at).await,
    }
}

struct Listing<'a> {
    db: &'a Db,
    search: &'a Search,
    today: NaiveDate,
}

impl Listing<'_> {
    /// A page in the order of a column. `list` names the order when it is ascending.
    async fn by<K>(
        &self,
        list: &str,
        column: &'static str,
        key: impl Fn(&Record) -> K,
    ) -> Result<Page<Family>>
    where
        K: Serialize + CursorKey,
        Option<K>: crate::db::Value,
    {
        let Listing { db, search, today } = *self;
        let usual = match search.sort {
            Sort::Joined => Direction::Desc,
            _ => Direction::Asc,
        };
        let (way, beyond, list) = match search.direction.unwrap_or(usual) {
            Direction::Asc => ("asc", ">", list.to_owned()),
            Direction::Desc => ("desc", "<", format!("{list} back")),
        };
        let part = &search.part;
        let (after, last): (Option<K>, Option<FamilyId>) = part.after(&list)?.unzip();
        let (from, to) = standings(search.filter, today);
        let only = match search.filter {
            Filter::ToApprove => TO_APPROVE,
            _ => "",
        };
        let [first, second, third, fourth, fifth, rest] = word_patterns(&search.q);
        let rows: Vec<Record> = db
            .sql(families().and(WANTED).and([
                only,
                "and ($5 is null or (",
                column,
                ", p.id) ",
                beyond,
                " ($5, $6)) order by ",
                column,
                " ",
                way,
                ", p.id ",
                way,
                " limit $4",
            ]))
            .bind(first)
            .bind(from)
            .bind(to)
            .bind(part.limit() + 1)
            .bind(after)
            .bind(last)
            .bind(second)
            .bind(third)
            .bind(fourth)
            .bind(fifth)
            .bind(rest)
            .all()
            .await?;
        let page = part.page(&list, rows, |row| (key(row), row.id));
        let items = page.items.into_iter().map(|record| record.family(today)).collect();
        Ok(Page { items, next: page.next })
    }
}

/// The lowest and the highest standing that match a filter.
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

/// Returns one family as a row of the list.
///
/// # Errors
///
/// [`crate::Error::NotFound`]
pub(crate) async fn family(
    on: impl Into<On<'_>>,
    app: &App,
    settings: &Settings,
    id: FamilyId,
) -> Result<Family> {
    let record: Option<Record> =
        on.into().sql(families().and("and p.id = $1")).bind(id).optional().await?;
    Ok(record.ok_or(NO_FAMILY)?.family(payments::today(settings, app.clock.now())))
}
