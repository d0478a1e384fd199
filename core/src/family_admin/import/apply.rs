//! Writes the content of an import row to a family.

use serde_json::{Map, Value, json};

use super::known::State;
use super::row::Wanted;
use crate::accounts::UserType;
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::families::addresses::{Place, StoredAddress, put_address, replace_addresses};
use crate::families::{DEFAULT_PREFERENCES, NewRecord, insert, refresh_search_text};
use crate::family_admin::membership::{Standing, set_standing};
use crate::ids::FamilyId;
use crate::money::Cents;
use crate::payments::{self, Entry, Kind, PlanChanges};
use crate::settings::Settings;
use crate::{App, Result};

/// Adds the family of a row, with its plan.
pub(super) async fn add(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    wanted: &Wanted,
) -> Result<(FamilyId, State)> {
    let now = app.clock.now();
    let record = NewRecord {
        origin: "import",
        approved_at: Some(now),
        full_name: &wanted.full_name,
        child_name: &wanted.child_name,
        user_type: UserType::Parent,
        preferences: DEFAULT_PREFERENCES,
        primary_email: wanted.email.as_ref(),
    };
    let id = insert(tx, now, record).await?;
    for (email, place) in [(&wanted.email, Place::Primary), (&wanted.second, Place::Secondary)] {
        let Some(email) = email else { continue };
        put_address(tx, now, id, &StoredAddress::typed(email), place).await?;
    }
    if wanted.second.is_some() {
        refresh_search_text(tx, id).await?;
    }
    let total = wanted.total.of_new_family(settings);
    let paid = wanted.paid.unwrap_or_default();
    if let Some(total) = total {
        let entry = Entry {
            kind: Kind::Adjustment,
            amount: paid,
            payment_date: payments::today(settings, now),
            notes: Some("Paid before, from an import".into()),
            staff_notes: None,
            void_of: None,
        };
        let before = (paid != Cents::ZERO).then_some((actor, entry));
        payments::open(tx, now, id, total, wanted.due, before).await?;
    }
    let details = json!({ "total_amount": total });
    audit::record(
        tx,
        now,
        actor,
        Action::ProfileAdd,
        Subject::new(SubjectKind::Profile, id),
        details,
    )
    .await?;
    let state = State {
        full_name: wanted.full_name.clone(),
        child_name: wanted.child_name.clone(),
        user_type: UserType::Parent,
        primary: wanted.email.as_ref().map(StoredAddress::typed),
        secondary: wanted.second.as_ref().map(StoredAddress::typed),
        total,
        due: wanted.due,
        standing: Standing::Approved,
        version: 1,
    };
    Ok((id, state))
}

/// Updates a family to match the row. Only the differences between the two states are written. The caller
/// holds the family's lock.
pub(super) async fn update(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    actor: Actor,
    id: FamilyId,
    before: &State,
    after: &State,
) -> Result<()> {
    let now = app.clock.now();
    if (&before.full_name, &before.child_name) != (&after.full_name, &after.child_name) {
        tx.sql("update profiles set full_name = $2, child_name = $3 where id = $1")
            .bind(id)
            .bind(&after.full_name)
            .bind(&after.child_name)
            .execute()
            .await?;
        refresh_search_text(tx, id).await?;
    }
    if before.user_type != after.user_type {
        tx.sql("update profiles set user_type = $2 where id = $1")
            .bind(id)
            .bind(after.user_type)
            .execute()
            .await?;
    }
    if (&before.primary, &before.secondary) != (&after.primary, &after.secondary) {
        replace_addresses(tx, now, id, after.primary.clone(), after.secondary.clone()).await?;
    }
    let personal = [
        ("full_name", before.full_name != after.full_name),
        ("child_name", before.child_name != after.child_name),
        ("user_type", before.user_type != after.user_type),
        ("emails", (&before.primary, &before.secondary) != (&after.primary, &after.secondary)),
    ];
    let details = audit::personal(Map::new(), personal);
    if !details.is_empty() {
        let (subject, details) = (Subject::new(SubjectKind::Profile, id), Value::Object(details));
        audit::record(tx, now, actor, Action::ProfileChange, subject, details).await?;
    }
    if before.standing != after.standing {
        set_standing(tx, app, actor, id, after.standing).await?;
    }
    let plan = PlanChanges {
        total_amount: after.total.filter(|_| after.total != before.total),
        due_date: (after.due != before.due).then_some(after.due),
        ..PlanChanges::default()
    };
    payments::change(tx, app, settings, actor, id, &plan).await
}
