//! How staff write, publish and order questions and answers.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Category, Faq, NOT_FOUND, NewEntry, Texts, insert, placeholders, searchable};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{Db, Tx};
use crate::idempotency::{self, Claim};
use crate::pagination::{Page, PageRequest};
use crate::search_text::{optional_pattern, without_marks};
use crate::validation::{Validator, given};
use crate::{App, Error, Result};

const QUESTION: usize = 300;
const ANSWER: usize = 5000;
const TOPIC: usize = 60;
/// The maximum number of letters and digits of the question in an address.
const SLUG: usize = 60;

/// An entry for staff, with the placeholders in its answer.
#[derive(Debug, Clone, Serialize, sqlx::FromRow, utoipa::ToSchema)]
pub struct AdminFaq {
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub faq: Faq,
    pub is_published: bool,
    pub position: i64,
    pub views: i64,
    pub updated_at: DateTime<Utc>,
    pub version: i64,
}

#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// In question and answer.
    pub q: Option<String>,
    pub category: Option<Category>,
    pub part: PageRequest,
}

#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewFaq {
    pub question: String,
    pub answer: String,
    pub category: Category,
    pub topic: Option<String>,
    #[serde(default)]
    pub is_published: bool,
}

/// Changes to an entry. Omitted fields stay as they are.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FaqPatch)]
pub struct Changes {
    /// The version that was read. A change by somebody else since then is not overwritten.
    pub version: i64,
    pub question: Option<String>,
    pub answer: Option<String>,
    pub category: Option<Category>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub topic: Option<Option<String>>,
    pub is_published: Option<bool>,
}

#[derive(Debug, Serialize, sqlx::FromRow, utoipa::ToSchema)]
#[schema(as = FaqStats)]
pub struct Stats {
    pub total: i64,
    pub published: i64,
    pub draft: i64,
    pub total_views: i64,
}

const ENTRY: &str = "select id, slug, question, answer, category, topic, position, is_published,
                view_count as views, updated_at, version
         from faq ";

/// Returns all entries in their order.
pub async fn admin_list(app: &App, filter: &Filter) -> Result<Page<AdminFaq>> {
    let after: Option<(i64, Uuid)> = filter.part.after("faq for staff")?;
    let rows: Vec<AdminFaq> = app
        .db
        .sql([
            ENTRY,
            "where (cast($1 as text) is null or search_text like $1 escape '\\')
               and (cast($2 as text) is null or category = $2)
               and ($4 is null or (position, id) > ($4, $5))
             order by position, id
             limit $3",
        ])
        .bind(optional_pattern(filter.q.as_deref()))
        .bind(filter.category)
        .bind(filter.part.limit() + 1)
        .bind(after.map(|a| a.0))
        .bind(after.map(|a| a.1))
        .all()
        .await?;
    Ok(filter.part.page("faq for staff", rows, |row| (row.position, row.faq.id)))
}

/// Counts the entries, and how often they were opened.
pub async fn stats(db: &Db) -> Result<Stats> {
    db.sql(
        "select count(*) as total, count(case when is_published then 1 end) as published,
                count(case when not is_published then 1 end) as draft,
                cast(coalesce(sum(view_count), 0) as bigint) as total_views
         from faq",
    )
    .one()
    .await
}

async fn find(tx: &mut Tx, id: Uuid) -> Result<AdminFaq> {
    tx.sql([ENTRY, "where id = $1"]).bind(id).optional().await?.ok_or(NOT_FOUND)
}

fn check_question(checks: &mut Validator, question: &str) -> String {
    let question = checks.line("question", question, QUESTION);
    checks.require(!question.is_empty(), "question", "Please enter a question.");
    if let Some(message) = placeholders::left_in_question(&question) {
        checks.refuse("question", message);
    }
    question
}

fn check_answer(checks: &mut Validator, answer: &str) -> String {
    let answer = checks.block("answer", answer, ANSWER);
    checks.require(!answer.is_empty(), "answer", "Please enter an answer.");
    if let Some(message) = placeholders::left_in_answer(&answer) {
        checks.refuse("answer", message);
    }
    answer
}

fn check_topic(checks: &mut Validator, topic: Option<&str>) -> Option<String> {
    let topic = checks.line("topic", topic.unwrap_or_default(), TOPIC);
    (!topic.is_empty()).then_some(topic)
}

/// Adds an entry at the end, once for each `key`.
///
/// # Errors
///
/// [`Error::Invalid`], and those of [`idempotency`].
pub async fn add(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    new: &NewFaq,
    key: Option<Uuid>,
) -> Result<AdminFaq> {
    let id = match idempotency::claim(tx, app, "faq", key, new).await? {
        Claim::New(id) => id,
        Claim::Made(id) => return idempotency::unless_deleted(find(tx, id).await),
    };
    let mut checks = Validator::new();
    let texts = Texts {
        question: check_question(&mut checks, &new.question),
        answer: check_answer(&mut checks, &new.answer),
        topic: check_topic(&mut checks, new.topic.as_deref()),
    };
    checks.done()?;
    tx.lock("faq").await?;
    let slug = free_slug(tx, &texts.question).await?;
    let position: i64 = tx.sql("select coalesce(max(position), 0) + 1 from faq").scalar().await?;
    let now = app.clock.now();
    let entry = NewEntry {
        id,
        slug: &slug,
        category: new.category,
        texts: &texts,
        is_published: new.is_published,
        position,
    };
    insert(tx, now, entry).await?;
    let added = find(tx, id).await?;
    let details = shown(&added);
    audit::record(tx, now, actor, Action::FaqAdd, Subject::new(SubjectKind::Faq, id), details)
        .await?;
    Ok(added)
}

/// Returns the question as part of an address, with a number if it is taken.
async fn free_slug(tx: &mut Tx, question: &str) -> Result<String> {
    let slug = slug(question);
    let taken: Vec<(String,)> = tx.sql("select slug from faq").all().await?;
    let taken: HashSet<String> = taken.into_iter().map(|(slug,)| slug).collect();
    let mut free = slug.clone();
    let mut n = 2;
    while taken.contains(&free) {
        free = format!("{slug}-{n}");
        n += 1;
    }
    Ok(free)
}

fn slug(question: &str) -> String {
    let letters = without_marks(question);
    let mut slug = String::new();
    for word in letters.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        if slug.chars().count() + word.chars().count() >= SLUG {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(word);
    }
    if slug.is_empty() { "question".into() } else { slug }
}

/// Changes an entry.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Invalid`], [`Error::Stale`]
pub async fn change(
    tx: &mut Tx,
    app: &App,
    actor: Actor,
    id: Uuid,
    changes: &Changes,
) -> Result<AdminFaq> {
    let before = find(tx, id).await?;
    let mut checks = Validator::new();
    let question = match &changes.question {
        Some(question) => check_question(&mut checks, question),
        None => before.faq.question.clone(),
    };
    let answer = match &changes.answer {
        Some(answer) => check_answer(&mut checks, answer),
        None => before.faq.answer.clone(),
    };
    let topic = match &changes.topic {
        Some(topic) => check_topic(&mut checks, topic.as_deref()),
        None => before.faq.topic.clone(),
    };
    checks.done()?;
    let now = app.clock.now();
    let changed = tx
        .sql(
            "update faq
             set question = $3, answer = $4, category = $5, topic = $6, is_published = $7,
                 search_text = $8, version = version + 1, updated_at = $9
             where id = $1 and version = $2",
        )
        .bind(id)
        .bind(changes.version)
        .bind(&question)
        .bind(&answer)
        .bind(changes.category.unwrap_or(before.faq.category))
        .bind(topic)
        .bind(changes.is_published.unwrap_or(before.is_published))
        .bind(searchable(&question, &answer))
        .bind(now)
        .execute()
        .await?;
    if changed == 0 {
        return Err(Error::Stale);
    }
    let after = find(tx, id).await?;
    let details = Value::Object(audit::differences(&shown(&before), &shown(&after)));
    audit::record(tx, now, actor, Action::FaqChange, Subject::new(SubjectKind::Faq, id), details)
        .await?;
    Ok(after)
}

/// An entry as recorded in the audit log.
fn shown(AdminFaq { faq, is_published, .. }: &AdminFaq) -> Value {
    json!({
        "question": faq.question, "answer": faq.answer, "category": faq.category,
        "topic": faq.topic, "is_published": is_published,
    })
}

/// Deletes an entry.
///
/// # Errors
///
/// [`Error::NotFound`]
pub async fn delete(tx: &mut Tx, app: &App, actor: Actor, id: Uuid) -> Result<()> {
    let gone = find(tx, id).await?;
    if tx.sql("delete from faq where id = $1").bind(id).execute().await? == 0 {
        return Err(NOT_FOUND);
    }
    let details = shown(&gone);
    audit::record(
        tx,
        app.clock.now(),
        actor,
        Action::FaqDelete,
        Subject::new(SubjectKind::Faq, id),
        details,
    )
    .await
}

/// Reorders these entries among the positions that they occupy. All others stay where they are.
///
/// # Errors
///
/// [`Error::Invalid`] for a repeated id, [`Error::Stale`] when an entry was deleted.
pub async fn order(tx: &mut Tx, app: &App, actor: Actor, ids: &[Uuid]) -> Result<()> {
    let wanted: HashSet<Uuid> = ids.iter().copied().collect();
    if wanted.len() != ids.len() {
        return Err(Error::invalid("ids", "An entry is listed twice."));
    }
    tx.lock("faq").await?;
    let all: Vec<(Uuid, String)> =
        tx.sql("select id, slug from faq order by position, id").all().await?;
    let slugs: HashMap<Uuid, String> = all.iter().cloned().collect();
    let mut next = ids.iter();
    let mut order: Vec<Uuid> = all.into_iter().map(|(id, _)| id).collect();
    let before = order.clone();
    for place in &mut order {
        if wanted.contains(place) {
            *place = *next.next().ok_or(Error::Stale)?;
        }
    }
    if next.next().is_some() {
        return Err(Error::Stale);
    }
    for (position, id) in (1i64..).zip(&order) {
        tx.sql("update faq set position = $2 where id = $1 and position <> $2")
            .bind(*id)
            .bind(position)
            .execute()
            .await?;
    }
    // Updates only the entries between the first and the last one that moved.
    let moved = |at: &usize| before[*at] != order[*at];
    let span = (0..order.len()).find(moved).zip((0..order.len()).rfind(moved));
    let named = |ids: &[Uuid]| {
        let span = span.map(|(first, last)| &ids[first..=last]).unwrap_or_default();
        span.iter().map(|id| slugs[id].clone()).collect::<Vec<_>>()
    };
    let details = json!({ "order": audit::changed(named(&before), named(&order)) });
    audit::record(
        tx,
        app.clock.now(),
        actor,
        Action::FaqOrder,
        Subject::none(SubjectKind::Faq),
        details,
    )
    .await
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn a_slug_keeps_letters_of_every_alphabet() {
        assert_eq!(slug("What’s for lunch, & when?"), "whats-for-lunch-when");
        assert_eq!(slug("ווען איז וויזיטינג דעי?"), "ווען-איז-וויזיטינג-דעי");
        assert_eq!(slug("װאָס ברענגט מען?"), "װאס-ברענגט-מען");
        assert_eq!(slug("?!"), "question");
    }
}
