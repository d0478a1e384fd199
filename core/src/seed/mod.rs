//! Generates a complete fictional camp for the demo and for tests, without real people. The same
//! seed and time give the same camp.
//!
//! This is the only module that writes the tables of all slices, because it generates their
//! history.

mod activity;
mod calendar;
mod content;
mod deliveries;
mod faq;
mod films;
mod messages;
mod payments;
mod people;
mod products;
mod random;
mod updates;
mod videos;

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::accounts::password;
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{Db, On, Tx};
use crate::{App, Error, Result, settings_admin};

use content::Content;
pub use films::convert_newest;
use random::Random;

/// Which camp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Sample {
    /// A Yiddish boys' camp in the Catskills, nine summers
    Yiddish,
    /// An English camp on a lake, six summers
    General,
}

pub struct Options {
    pub sample: Sample,
    pub seed: u64,
    /// The current time of the sample camp.
    pub as_of: DateTime<Utc>,
    /// The password of all accounts. Without one, nobody can sign in until they reset theirs.
    pub password: Option<String>,
}

/// The result of generating a camp.
#[derive(Debug, Serialize)]
pub struct Seeded {
    pub families: usize,
    pub visitors: usize,
    pub staff: usize,
    pub payment_plans: usize,
    pub payments: usize,
    pub videos_this_summer: usize,
    pub videos_of_earlier_summers: usize,
    pub updates: usize,
    pub comments: usize,
    pub likes: usize,
    pub views: usize,
    pub mails: i64,
    pub logins: Logins,
}

/// One account of each kind to sign in with.
#[derive(Debug, Serialize)]
pub struct Logins {
    /// The user name for the staff area.
    pub owner: String,
    /// The user name for the staff area.
    pub staff: String,
    /// The email address.
    pub parent: String,
    /// The email address.
    pub visitor: String,
}

/// Whether the database has no data yet.
pub async fn is_empty(db: &Db) -> Result<bool> {
    let rows: i64 = db
        .sql(
            "select (select count(*) from staff) + (select count(*) from profiles)
                  + (select count(*) from videos)",
        )
        .scalar()
        .await?;
    Ok(rows == 0)
}

/// Returns the accounts to sign in with in a generated camp, or `None` if none was generated.
///
/// # Errors
///
/// [`Error::Unforeseen`] when the audit record of the generation or the content of the sample
/// cannot be read, or when the camp lacks one of the accounts.
pub async fn logins(db: &Db) -> Result<Option<Logins>> {
    #[derive(Deserialize)]
    struct Details {
        sample: Sample,
        seed: u64,
        as_of: DateTime<Utc>,
    }
    let planted: Option<(String,)> =
        db.sql("select details from audit_log where action = 'seed' limit 1").optional().await?;
    let Some((details,)) = planted else { return Ok(None) };
    let Details { sample, seed, as_of } =
        serde_json::from_str(&details).map_err(Error::unforeseen)?;
    // Generated again, since the audit log has no names or addresses.
    let content = content::read(sample)?;
    people::invent(&content, sample, as_of, &mut Random::new(seed)).logins().map(Some)
}

/// Generates the camp.
///
/// # Errors
///
/// [`Error::Conflict`] when the database has data already.
pub async fn generate(app: &App, options: &Options) -> Result<Seeded> {
    // Checked again below, and here before files are stored.
    if has_people(&app.db).await? {
        return Err(NOT_EMPTY);
    }
    let content = content::read(options.sample)?;
    let mut random = Random::new(options.seed);
    let now = chrono::SubsecRound::trunc_subsecs(options.as_of, 6);
    // Hashed once for all accounts, because each hash takes a large part of a second.
    let secret = match &options.password {
        Some(password) => password.clone(),
        None => Uuid::new_v4().to_string(),
    };
    let hash = password::hash(app, &secret).await?;
    let people = people::invent(&content, options.sample, now, &mut random);
    let mut videos = videos::invent(&content, options.sample, now, &people, &mut random)?;
    let activity = activity::invent(&content, now, &people, &mut videos, &mut random);
    // A separate generator, so that payments do not influence the people.
    let mut coins = Random::new(options.seed ^ 0x006d_6f6e_6579);
    let payments = payments::invent(&content, options.sample, now, &people, &mut coins);
    videos::store_files(app).await?;

    let mut tx = app.db.begin().await?;
    must_be_empty(&mut tx).await?;
    people.write(&mut tx, &hash).await?;
    payments.write(&mut tx).await?;
    videos::write(&mut tx, &videos).await?;
    activity.write(&mut tx, app).await?;
    let mut mails = activity::write_mails(&mut tx, now, &videos, &people, &mut random).await?;
    products::write(&mut tx, app, &content, &people, now, &mut random).await?;
    messages::write(&mut tx, &content, &people, now, &mut random).await?;
    faq::write(&mut tx, &content, now, &mut random).await?;
    mails += updates::write(&mut tx, &content, &people, now, &mut random).await?;
    settings_admin::set(&mut tx, app, Actor::System, settings_of(&content)).await?;
    let details = json!({ "sample": options.sample, "seed": options.seed, "as_of": now });
    audit::record(
        &mut tx,
        now,
        Actor::Operator,
        Action::Seed,
        Subject::none(SubjectKind::Database),
        details,
    )
    .await?;
    tx.commit().await?;
    app.invalidate_settings();

    let current = calendar::year_of(&content, now);
    let this_summer = videos.iter().filter(|film| film.year == current).count();
    Ok(Seeded {
        families: people.families.len(),
        visitors: people.visitors.len(),
        staff: people.staff.len(),
        payment_plans: payments.plans(),
        payments: payments.rows(),
        videos_this_summer: this_summer,
        videos_of_earlier_summers: videos.len() - this_summer,
        updates: content.updates.len(),
        comments: activity.comments.len(),
        likes: activity.likes.len(),
        views: activity.views.len(),
        mails,
        logins: people.logins()?,
    })
}

const NOT_EMPTY: Error = Error::Conflict(
    "There are people in this database already; a sample camp goes only into an empty one.",
);

/// Locks out other seeds until the end of the transaction.
async fn must_be_empty(tx: &mut Tx) -> Result<()> {
    tx.lock("seed").await?;
    match has_people(tx).await? {
        false => Ok(()),
        true => Err(NOT_EMPTY),
    }
}

async fn has_people(on: impl Into<On<'_>>) -> Result<bool> {
    let there: i64 = on
        .into()
        .sql("select (select count(*) from staff) + (select count(*) from profiles)")
        .scalar()
        .await?;
    Ok(there > 0)
}

fn settings_of(content: &Content) -> BTreeMap<String, Value> {
    let camp = &content.camp;
    let name = match &camp.site_name_yi {
        Some(yiddish) => format!("{} · {yiddish}", camp.site_name),
        None => camp.site_name.clone(),
    };
    BTreeMap::from([
        ("siteName".to_owned(), json!(name)),
        ("siteDescription".to_owned(), json!(camp.site_description)),
        ("contactEmail".to_owned(), json!(camp.contact_email)),
        ("contactPhone".to_owned(), json!(camp.contact_phone)),
        ("timezone".to_owned(), json!(camp.timezone.name())),
    ])
}
