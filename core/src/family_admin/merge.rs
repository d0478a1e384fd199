//! Merges two families that are the same: users with their comments, addresses, plan and ledger
//! move to the one that is kept.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::import;
use crate::accounts::tokens;
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{Tx, again_after_deadlock};
use crate::email_address::EmailAddress;
use crate::families::addresses::{StoredAddress, addresses, set_addresses, take_addresses};
use crate::families::{
    DEFAULT_PREFERENCES, FamilyRecord, create_own, find, lock, move_user, pending,
    refresh_search_text,
};
use crate::ids::{FamilyId, UserId};
use crate::money::Cents;
use crate::notifications::{self, suppression};
use crate::payments::{self, MergedTotal, PaymentPlan};
use crate::search_text::normalize;
use crate::settings::Settings;
use crate::unsubscribe::{self, Choice};
use crate::{App, Error, Result};

/// The maximum length of the field for the children, in characters.
const CHILDREN: usize = 200;

#[derive(Debug, Clone, Copy, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = FamilyMerge)]
pub struct Merge {
    /// The family that is kept.
    #[schema(value_type = Uuid)]
    pub keep: FamilyId,
    /// The family that is merged into it.
    #[schema(value_type = Uuid)]
    pub drop: FamilyId,
    /// Required if both families have a plan.
    #[serde(default)]
    pub total: Option<MergedTotal>,
    /// Only computes the result; nothing is written.
    #[serde(default)]
    pub preview: bool,
}

/// The merged family, or a preview of it.
#[derive(Debug, Serialize, PartialEq, utoipa::ToSchema)]
#[schema(as = MergedFamily)]
pub struct Merged {
    pub full_name: String,
    pub child_name: String,
    /// Null without a plan, and in a preview before one of two totals is chosen.
    pub plan: Option<PaymentPlan>,
    /// If both families have a plan: the totals that `total` chooses from.
    pub totals: Option<Totals>,
    pub logins: i64,
    /// Users of the other family with an unverified address. They join the family when they verify
    /// it.
    pub unconfirmed_logins: i64,
    /// Rows of the ledger.
    pub payments: i64,
    pub comments: i64,
    /// At most two. Further ones are only kept by their users.
    pub emails: Vec<String>,
    /// For all addresses of both families, those of the kept family first.
    pub mail: Vec<Mail>,
    /// Only one family asked for a note when a video is late, so the merged one gets none.
    pub late_note_ends: bool,
    /// The two families chose differently about one email a day. The choice of the kept one stays.
    pub daily_email_differs: bool,
}

/// Cents.
#[derive(Debug, Clone, Copy, Serialize, PartialEq, utoipa::ToSchema)]
#[schema(as = MergeTotals)]
pub struct Totals {
    #[schema(value_type = i64)]
    pub keep: Cents,
    #[schema(value_type = i64)]
    pub drop: Cents,
}

/// How a merge changes the mail of an address: what it opted out of stays off, what the kept family
/// has turned off is sent to nobody, and an address that is not kept gets none.
#[derive(Debug, Serialize, PartialEq, utoipa::ToSchema)]
#[schema(as = MergedMail)]
pub struct Mail {
    pub email: String,
    pub before: Choice,
    pub after: Choice,
}

/// Merges two families in one transaction. With `preview`, the same is done and then rolled back.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::Invalid`] on `drop` for a family and itself, and on `total` when
/// both have a plan and nothing was chosen, [`Error::Conflict`] when the children of both do not
/// fit into one family or both totals together into one plan.
pub async fn merge(app: &App, actor: Actor, merge: Merge) -> Result<Merged> {
    if merge.keep == merge.drop {
        return Err(Error::invalid("drop", "Please choose two different families."));
    }
    let settings = app.settings().await?;
    // Members of both may be changing their own records.
    again_after_deadlock(|| merge_once(app, actor, merge, &settings)).await
}

async fn merge_once(
    app: &App,
    actor: Actor,
    Merge { keep, drop, total, preview }: Merge,
    settings: &Settings,
) -> Result<Merged> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    // Locks in the order of the ids, so that two merges of the same pair cannot deadlock.
    lock(&mut tx, now, keep.min(drop)).await?;
    lock(&mut tx, now, keep.max(drop)).await?;
    let (kept, dropped) = (find(&mut tx, keep).await?, find(&mut tx, drop).await?);
    let plans = (payments::find(&mut tx, keep).await?, payments::find(&mut tx, drop).await?);

    let before = mail(&mut tx, keep, drop).await?;
    let choices = [choices(&mut tx, keep).await?, choices(&mut tx, drop).await?];
    suppression::keep_declined(&mut tx, now, drop).await?;
    let left_out = leave_unconfirmed(&mut tx, now, &dropped).await?;
    let moved = move_rows(&mut tx, now, keep, drop).await?;
    // After the mail that waits for them, which follows the addresses.
    move_addresses(&mut tx, now, keep, drop).await?;
    let totals = plans
        .0
        .as_ref()
        .zip(plans.1.as_ref())
        .map(|(kept, dropped)| Totals { keep: kept.total_amount, drop: dropped.total_amount });
    let undecided = preview && totals.is_some() && total.is_none();
    // The rest of the preview does not depend on the choice.
    let total = if undecided { Some(MergedTotal::Keep) } else { total };
    payments::merge(&mut tx, now, keep, drop, total).await?;
    keep_identities(&mut tx, &kept, &dropped).await?;
    join_records(&mut tx, now, &kept, &dropped).await?;
    // What the kept family has turned off.
    suppression::withdraw(&mut tx, now, keep).await?;

    let joined = find(&mut tx, keep).await?;
    let plan = payments::find(&mut tx, keep).await?;
    let mut details = changes((&kept, &plans.0), (&joined, &plan));
    details.extend([
        ("merged".to_owned(), json!(drop)),
        ("merged_plan".to_owned(), amounts(&plans.1)),
        ("logins".to_owned(), json!(moved)),
    ]);
    let subject = Subject::new(SubjectKind::Profile, keep);
    audit::record(&mut tx, now, actor, Action::ProfileMerge, subject, Value::Object(details))
        .await?;
    let mut merged = outcome(&mut tx, payments::today(settings, now), keep, before).await?;
    merged.totals = totals;
    merged.unconfirmed_logins = left_out;
    merged.late_note_ends = choices[0].late_video_note != choices[1].late_video_note;
    merged.daily_email_differs = choices[0].daily_digest != choices[1].daily_digest;
    if undecided {
        merged.plan = None;
    }
    match preview {
        true => tx.rollback().await?,
        false => tx.commit().await?,
    }
    Ok(merged)
}

/// The mail preferences of each address of the two families.
async fn mail(tx: &mut Tx, keep: FamilyId, drop: FamilyId) -> Result<Vec<(EmailAddress, Choice)>> {
    let mut found = Vec::new();
    for id in [keep, drop] {
        let (primary, secondary) = addresses(tx, id).await?;
        for StoredAddress { email, .. } in [primary, secondary].into_iter().flatten() {
            let (choice, _) = unsubscribe::standing(&mut *tx, &email).await?;
            found.push((email, choice));
        }
    }
    Ok(found)
}

/// What a family chose for all its addresses.
#[derive(sqlx::FromRow)]
struct Choices {
    late_video_note: bool,
    daily_digest: bool,
}

async fn choices(tx: &mut Tx, id: FamilyId) -> Result<Choices> {
    tx.sql("select late_video_note, daily_digest from profiles where id = $1").bind(id).one().await
}

/// What changed in the kept family, for the audit log.
fn changes(
    before: (&FamilyRecord, &Option<payments::Plan>),
    after: (&FamilyRecord, &Option<payments::Plan>),
) -> Map<String, Value> {
    audit::personal(
        audit::differences(&amounts(before.1), &amounts(after.1)),
        [
            ("full_name", before.0.full_name != after.0.full_name),
            ("child_name", before.0.child_name != after.0.child_name),
        ],
    )
}

/// The amounts of a plan for the audit log.
fn amounts(plan: &Option<payments::Plan>) -> Value {
    let amount = |of: fn(&payments::Plan) -> Cents| plan.as_ref().map(of);
    json!({
        "total_amount": amount(|plan| plan.total_amount),
        "paid_amount": amount(|plan| plan.paid_amount),
    })
}

/// Keeps the addresses of the kept family first, then those of the other one while there is room.
async fn move_addresses(
    tx: &mut Tx,
    now: DateTime<Utc>,
    keep: FamilyId,
    drop: FamilyId,
) -> Result<()> {
    let (first, second) = addresses(tx, keep).await?;
    let (third, fourth) = addresses(tx, drop).await?;
    for StoredAddress { email, .. } in [&third, &fourth].into_iter().flatten() {
        keep_identity(tx, "email", email, keep).await?;
    }
    take_addresses(tx, drop).await?;
    let mut all = [first, second, third, fourth].into_iter().flatten();
    set_addresses(tx, now, keep, all.next(), all.next()).await?;
    pending::merge(tx, keep, drop).await
}

/// The office's old file contains both families as they were. An import must not recreate either.
async fn keep_identities(tx: &mut Tx, kept: &FamilyRecord, dropped: &FamilyRecord) -> Result<()> {
    for FamilyRecord { full_name, child_name, .. } in [kept, dropped] {
        keep_identity(tx, "name", &import::name_key(full_name, child_name), kept.id).await?;
    }
    tx.sql("update merged_identities set profile_id = $1 where profile_id = $2")
        .bind(kept.id)
        .bind(dropped.id)
        .execute()
        .await?;
    Ok(())
}

async fn keep_identity(tx: &mut Tx, kind: &'static str, value: &str, id: FamilyId) -> Result<()> {
    tx.sql(
        "insert into merged_identities (kind, value, profile_id)
         values ($1, $2, $3)
         on conflict (kind, value) do update set profile_id = excluded.profile_id",
    )
    .bind(kind)
    .bind(value)
    .bind(id)
    .execute()
    .await?;
    Ok(())
}

/// Users with an unverified address may be strangers. Each gets its own record, and joins the
/// family when it verifies an address of it.
async fn leave_unconfirmed(tx: &mut Tx, now: DateTime<Utc>, dropped: &FamilyRecord) -> Result<i64> {
    let logins: Vec<(UserId, String)> = tx
        .sql("select id, full_name from users where profile_id = $1 and verified_at is null")
        .bind(dropped.id)
        .all()
        .await?;
    for (user_id, full_name) in &logins {
        let kind = dropped.user_type;
        let id = create_own(tx, now, full_name, "", kind, DEFAULT_PREFERENCES).await?;
        move_user(tx, now, *user_id, id).await?;
        notifications::move_mails_of_user(tx, *user_id, dropped.id, id).await?;
    }
    Ok(logins.len() as i64)
}

async fn move_rows(tx: &mut Tx, now: DateTime<Utc>, keep: FamilyId, drop: FamilyId) -> Result<u64> {
    let moved = tx
        .sql("update users set profile_id = $1, updated_at = $3 where profile_id = $2")
        .bind(keep)
        .bind(drop)
        .bind(now)
        .execute()
        .await?;
    // Pending links and mails move to the kept family as well.
    tokens::move_to_family(tx, drop, keep).await?;
    notifications::move_to_family(tx, drop, keep).await?;
    tx.sql("update profiles set merged_into = $1 where merged_into = $2")
        .bind(keep)
        .bind(drop)
        .execute()
        .await?;
    Ok(moved)
}

/// Joins the records: the kept family gets the children of both, is of the camp if either was, and
/// gets notes about late videos if both asked for them.
/// The other record stays unchanged, hidden from all lists.
async fn join_records(
    tx: &mut Tx,
    now: DateTime<Utc>,
    kept: &FamilyRecord,
    dropped: &FamilyRecord,
) -> Result<()> {
    let full_name = match kept.full_name.is_empty() {
        true => &dropped.full_name,
        false => &kept.full_name,
    };
    tx.sql(
        "update profiles
         set full_name = $3, child_name = $4,
             user_type = case when user_type = 'parent'
                                or (select d.user_type from profiles d where d.id = $2) = 'parent'
                              then 'parent' else 'visitor' end,
             approved_at = coalesce(approved_at, (select d.approved_at from profiles d where d.id = $2)),
             welcome_popup_shown = welcome_popup_shown
               or (select d.welcome_popup_shown from profiles d where d.id = $2),
             late_video_note = late_video_note
               and (select d.late_video_note from profiles d where d.id = $2)
         where id = $1",
    )
    .bind(kept.id)
    .bind(dropped.id)
    .bind(full_name)
    .bind(children(&kept.child_name, &dropped.child_name)?)
    .execute()
    .await?;
    tx.sql("update profiles set refused_at = null where id = $1 and approved_at is not null")
        .bind(kept.id)
        .execute()
        .await?;
    refresh_search_text(tx, kept.id).await?;
    tx.sql("update profiles set deleted_at = $2, merged_into = $3 where id = $1")
        .bind(dropped.id)
        .bind(now)
        .bind(kept.id)
        .execute()
        .await?;
    Ok(())
}

/// Joins the children of both families without duplicates.
///
/// # Errors
///
/// [`Error::Conflict`] when they do not fit, since no child may be left out.
fn children(kept: &str, dropped: &str) -> Result<String> {
    let mut known: Vec<String> = names(kept).iter().map(|name| normalize(name)).collect();
    let mut all = kept.to_owned();
    for name in names(dropped) {
        let folded = normalize(&name);
        if known.contains(&folded) {
            continue;
        }
        if !all.is_empty() {
            all.push_str(" & ");
        }
        all.push_str(&name);
        known.push(folded);
    }
    match all.chars().count() {
        0..=CHILDREN => Ok(all),
        _ => Err(Error::Conflict(
            "The names of all children do not fit into one family. Please shorten them first.",
        )),
    }
}

/// Splits the field for the children into names.
fn names(typed: &str) -> Vec<String> {
    let mut names = Vec::new();
    for part in typed.split([',', '&', '/']) {
        let words: Vec<&str> = part.split_whitespace().collect();
        let between = |word: &&str| matches!(normalize(word).as_str(), "and" | "אונ");
        names.extend(words.split(between).map(|words| words.join(" ")));
    }
    names.retain(|name| !name.is_empty());
    names
}

async fn outcome(
    tx: &mut Tx,
    today: chrono::NaiveDate,
    id: FamilyId,
    before: Vec<(EmailAddress, Choice)>,
) -> Result<Merged> {
    let profile = find(&mut *tx, id).await?;
    let plan = payments::find(&mut *tx, id).await?;
    let (logins, payments, comments): (i64, i64, i64) = tx
        .sql(
            "select (select count(*) from users u where u.profile_id = $1),
                    (select count(*) from payments p
                     join payment_plans l on l.id = p.plan_id
                     where l.profile_id = $1),
                    (select count(*) from video_comments c
                     join users u on u.id = c.user_id
                     where u.profile_id = $1)",
        )
        .bind(id)
        .one()
        .await?;
    let (primary, secondary) = addresses(tx, id).await?;
    let mut mail = Vec::new();
    for (email, before) in before {
        let (after, _) = unsubscribe::standing(&mut *tx, &email).await?;
        mail.push(Mail { email: email.into(), before, after });
    }
    Ok(Merged {
        full_name: profile.full_name,
        child_name: profile.child_name,
        plan: plan.map(|plan| plan.on(today)),
        totals: None,
        logins,
        unconfirmed_logins: 0,
        payments,
        comments,
        emails: [primary, secondary].into_iter().flatten().map(|kept| kept.email.into()).collect(),
        mail,
        late_note_ends: false,
        daily_email_differs: false,
    })
}

#[cfg(test)]
mod tests {
    use super::children;

    #[test]
    fn no_child_is_forgotten_and_none_named_twice() {
        for (kept, dropped, all) in [
            ("Yossi", "yossi", "Yossi"),
            ("Yossi", "Yossi & Moishe", "Yossi & Moishe"),
            ("Yossi", "Chaim", "Yossi & Chaim"),
            ("", "Chaim, Leib", "Chaim & Leib"),
            ("Chaim", "", "Chaim"),
            ("Leibish", "Leib", "Leibish & Leib"),
            ("Ber", "Berel", "Ber & Berel"),
            ("Berel, Leibish", "Ber/Leib and Berel", "Berel, Leibish & Ber & Leib"),
            ("Sandy", "Andy and Sandy", "Sandy & Andy"),
            ("יואל און לייב", "יוֹאֵל & ליבוש", "יואל און לייב & ליבוש"),
            ("מענדל", "שלום און מענדל", "מענדל & שלום"),
        ] {
            assert_eq!(children(kept, dropped).expect("room"), all, "{kept} and {dropped}");
        }
    }

    #[test]
    fn more_names_than_the_field_holds_are_refused() {
        let (long, fits) = ("א".repeat(190), "ב".repeat(7));
        assert_eq!(children(&long, &fits).expect("room").chars().count(), 200);
        assert!(children(&long, &format!("{fits}ב")).is_err());
    }
}
