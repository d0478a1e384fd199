//! The audit log for owners: the newest first, filtered by actor, action, record and days.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::line::{self, Line};
use super::{Action, SubjectKind, topic};
use crate::clock::moment_in;
use crate::dates::check_days;
use crate::db::{On, Query, Sql};
use crate::pagination::{Page, PageRequest};
use crate::settings::Settings;
use crate::{App, Error, Result};

/// One line of the audit log.
#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[schema(as = AuditEntry)]
pub struct Entry {
    pub id: Uuid,
    pub at: DateTime<Utc>,
    /// `staff`, `user`, `operator` (the command line), `system` or `nobody` (a stranger).
    pub actor_kind: String,
    pub actor_id: Option<Uuid>,
    /// The user name of a staff account, also of one that was deleted.
    pub actor_name: Option<String>,
    /// The family of a user that still exists.
    pub actor_family: Option<Uuid>,
    pub action: String,
    pub subject_kind: String,
    pub subject_id: Option<Uuid>,
    /// The title of a record that still exists, the user name of a staff account, and the address of a login
    /// whose sign-in was refused; never the name of a member of a family.
    pub subject_name: Option<String>,
    /// The family that the record is or belongs to, if it still exists.
    pub subject_family: Option<Uuid>,
    /// What changed, before and after, and other details.
    #[sqlx(skip)]
    pub lines: Vec<Line>,
}

#[derive(sqlx::FromRow)]
struct Row {
    #[sqlx(flatten)]
    entry: Entry,
    details: String,
}

/// The kind of actor.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, sqlx::Type, utoipa::ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
#[schema(as = AuditActorKind)]
pub enum ActorKind {
    Staff,
    User,
    /// Somebody on the server's command line.
    Operator,
    /// The portal itself.
    System,
    /// A stranger.
    Nobody,
}

/// The filter of the log.
#[derive(Debug, Default, Clone)]
pub struct Filter {
    pub actor_kind: Option<ActorKind>,
    /// The user name of a staff account, or the id of any account.
    pub actor: Option<String>,
    /// A whole action (`payment.record`) or all of a topic (`payment`).
    pub action: Option<String>,
    pub subject_kind: Option<String>,
    pub subject_id: Option<Uuid>,
    /// Days in the camp's time zone, both included.
    pub from: Option<NaiveDate>,
    pub to: Option<NaiveDate>,
}

/// A validated filter with the values for the database.
#[derive(Clone)]
pub(super) struct Wanted {
    pub actor_kind: Option<ActorKind>,
    pub actor_id: Option<Uuid>,
    pub topic: Option<String>,
    pub action: Option<String>,
    pub subject_kind: Option<String>,
    pub subject_id: Option<Uuid>,
    from: DateTime<Utc>,
    /// Only rows older than this one.
    before: (DateTime<Utc>, Uuid),
}

impl Filter {
    /// Validates the filter.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] names the wrong field.
    pub(super) async fn read(&self, on: impl Into<On<'_>>, settings: &Settings) -> Result<Wanted> {
        let action = self.action.as_deref().filter(|action| !action.is_empty());
        let topic_only = action.filter(|action| topic(action) == *action);
        known("action", action)?;
        known("subject_kind", self.subject_kind.as_deref())?;
        let (from, before) = self.days(settings)?;
        Ok(Wanted {
            actor_kind: self.actor_kind,
            actor_id: actor(on, self.actor.as_deref()).await?,
            topic: topic_only.map(str::to_owned),
            action: action.filter(|_| topic_only.is_none()).map(str::to_owned),
            subject_kind: self.subject_kind.clone().filter(|kind| !kind.is_empty()),
            subject_id: self.subject_id,
            from,
            before: (before, Uuid::nil()),
        })
    }

    fn days(&self, settings: &Settings) -> Result<(DateTime<Utc>, DateTime<Utc>)> {
        check_days(self.from, self.to)?;
        let begin = |day: NaiveDate| moment_in(settings.timezone, day.and_time(NaiveTime::MIN));
        let ever = (DateTime::UNIX_EPOCH, DateTime::UNIX_EPOCH + Days::new(400 * 365));
        Ok((
            self.from.map_or(ever.0, begin),
            self.to.map_or(ever.1, |day| begin(day + Days::new(1))),
        ))
    }
}

/// Actions and kinds consist of lower-case letters. An unknown one finds nothing.
fn known(field: &str, word: Option<&str>) -> Result<()> {
    let fits = |word: &str| {
        word.len() <= 60 && word.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'.'))
    };
    match word.is_none_or(fits) {
        true => Ok(()),
        false => Err(Error::invalid(field, "The log has nothing under this name.")),
    }
}

async fn actor(on: impl Into<On<'_>>, named: Option<&str>) -> Result<Option<Uuid>> {
    let Some(named) = named.map(str::trim).filter(|named| !named.is_empty()) else {
        return Ok(None);
    };
    if let Ok(id) = named.parse() {
        return Ok(Some(id));
    }
    let unknown = || Error::invalid("actor", "There is no staff account with this name.");
    if named.contains('\0') {
        return Err(unknown());
    }
    let found: Option<(Uuid,)> = on
        .into()
        .sql(
            "select id from (select id, 0 as gone, created_at as since from staff
                             where username_folded = $1
                             union all
                             select id, 1, deleted_at from former_staff
                             where username_folded = $1) named
             order by gone, since desc limit 1",
        )
        .bind(named.to_lowercase())
        .optional()
        .await?;
    found.map(|(id,)| Some(id)).ok_or_else(unknown)
}

const WANTED: &str = "l.at >= $1 and (l.at, l.id) < ($2, $3)
         and (cast($4 as text) is null or l.actor_kind = $4)
         and ($5 is null or l.actor_id = $5)
         and (cast($6 as text) is null or l.topic = $6)
         and (cast($7 as text) is null or l.action = $7)
         and (cast($8 as text) is null or l.subject_kind = $8)
         and ($9 is null or l.subject_id = $9) ";

impl Wanted {
    pub(super) fn older_than(mut self, at: DateTime<Utc>, id: Uuid) -> Wanted {
        self.before = self.before.min((at, id));
        self
    }

    pub(super) async fn count(&self, on: impl Into<On<'_>>) -> Result<i64> {
        let text = ["select count(*) from audit_log l where ", WANTED, self.indexed()];
        self.bound(on, text).scalar().await
    }

    /// Returns the newest rows, at most `most`.
    pub(super) async fn newest(&self, on: impl Into<On<'_>>, most: i64) -> Result<Vec<Entry>> {
        let text = [
            "select l.id, l.at, l.actor_kind, l.actor_id, l.action, l.subject_kind, l.subject_id,
                    l.details,
                    case l.actor_kind
                      when 'staff' then (select username from staff where id = l.actor_id
                                         union all
                                         select username from former_staff where id = l.actor_id)
                    end as actor_name,
                    case l.actor_kind
                      when 'user' then (select profile_id from users where id = l.actor_id)
                    end as actor_family,
                    case l.subject_kind
                      when 'video' then (select title from videos where id = l.subject_id)
                      when 'product' then (select title from products where id = l.subject_id)
                      when 'faq' then (select question from faq where id = l.subject_id)
                      when 'letter' then (select subject from letters where id = l.subject_id)
                      when 'staff' then (select username from staff where id = l.subject_id
                                         union all
                                         select username from former_staff where id = l.subject_id)
                      when 'user' then (select email from users
                                        where id = l.subject_id
                                          and l.action = 'user.sign_in_refused')
                      when 'live_update' then (select title from live_updates
                                               where id = l.subject_id and deleted_at is null)
                    end as subject_name,
                    case l.subject_kind
                      when 'user' then (select profile_id from users where id = l.subject_id)
                      when 'profile' then (select id from profiles
                                           where id = l.subject_id and deleted_at is null)
                    end as subject_family
             from audit_log l
             where ",
            WANTED,
            self.indexed(),
            "order by l.at desc, l.id desc limit $10",
        ];
        let rows: Vec<Row> = self.bound(on, text).bind(most).all().await?;
        let entry =
            |Row { entry, details }| Entry { lines: line::read(&entry.action, &details), ..entry };
        Ok(rows.into_iter().map(entry).collect())
    }

    /// A condition that an index serves: SQLite uses an index only if its condition is not optional.
    fn indexed(&self) -> &'static str {
        match self {
            Wanted { subject_id: Some(_), .. } => "and l.subject_id = $9 ",
            Wanted { action: Some(_), .. } => "and l.action = $7 ",
            Wanted { actor_id: Some(_), .. } => "and l.actor_id = $5 ",
            Wanted { topic: Some(_), .. } => "and l.topic = $6 ",
            Wanted { subject_kind: Some(_), .. } => "and l.subject_kind = $8 ",
            Wanted { actor_kind: Some(_), .. } => "and l.actor_kind = $4 ",
            _ => "",
        }
    }

    fn bound<'c>(&self, on: impl Into<On<'c>>, text: impl Into<Sql>) -> Query<'c> {
        on.into()
            .sql(text)
            .bind(self.from)
            .bind(self.before.0)
            .bind(self.before.1)
            .bind(self.actor_kind)
            .bind(self.actor_id)
            .bind(self.topic.clone())
            .bind(self.action.clone())
            .bind(self.subject_kind.clone())
            .bind(self.subject_id)
    }
}

/// Returns the log, the newest first.
///
/// # Errors
///
/// [`Error::Invalid`]
pub async fn list(app: &App, filter: &Filter, part: &PageRequest) -> Result<Page<Entry>> {
    let settings = app.settings().await?;
    let mut wanted = filter.read(&app.db, &settings).await?;
    if let Some((at, id)) = part.after("audit")? {
        wanted = wanted.older_than(at, id);
    }
    let rows = wanted.newest(&app.db, part.limit() + 1).await?;
    Ok(part.page("audit", rows, |row| (row.at, row.id)))
}

/// What the log can be filtered by.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = AuditFilters)]
pub struct Filters {
    pub actions: Vec<&'static str>,
    pub subjects: Vec<&'static str>,
    /// The current accounts, by name.
    pub staff: Vec<StaffName>,
    /// The currency of the amounts.
    pub currency: String,
}

#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct StaffName {
    pub id: Uuid,
    pub username: String,
}

/// Returns the values to choose from in the filters.
pub async fn filters(app: &App) -> Result<Filters> {
    let currency = app.settings().await?.currency.clone();
    let staff = app
        .db
        .sql("select id, username from staff order by username_folded limit 500")
        .all()
        .await?;
    let actions = Action::ALL.iter().map(|action| action.text()).collect();
    let subjects = SubjectKind::ALL.iter().map(|kind| kind.text()).collect();
    Ok(Filters { actions, subjects, staff, currency })
}
