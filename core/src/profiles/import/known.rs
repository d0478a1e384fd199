//! The families that are there already, and which of them a row is of.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;

use super::row::{Total, Wanted};
use crate::Result;
use crate::db::Tx;
use crate::fold::fold;
use crate::profiles::addresses::Kept;

/// Who is there: read once, and kept in step with what is written.
#[derive(Default)]
pub(super) struct Known {
    pub(super) families: HashMap<Uuid, State>,
    by_email: HashMap<String, Uuid>,
    /// Families without an address, by folded name and child's name.
    by_name: HashMap<String, Uuid>,
    /// Addresses that somebody typed at sign-up and never proved: they give way.
    pub(super) unproved: HashSet<String>,
}

/// A family as it stands.
#[derive(Clone, Default, PartialEq)]
pub(super) struct State {
    pub(super) full_name: String,
    pub(super) child_name: String,
    pub(super) primary: Option<Kept>,
    pub(super) secondary: Option<Kept>,
    pub(super) total: Option<i64>,
    pub(super) due: Option<NaiveDate>,
    /// Where it stood in this file.
    pub(super) line: Option<usize>,
}

/// Id, name, children, and of the plan the total and the due date.
type FamilyRow = (Uuid, String, String, Option<i64>, Option<NaiveDate>);
/// Family, kind, address, whether staff entered it, and when it was proved.
type AddressRow = (Uuid, String, String, bool, Option<DateTime<Utc>>);

impl Known {
    pub(super) async fn load(tx: &mut Tx) -> Result<Known> {
        let mut known = Known::default();
        let families: Vec<FamilyRow> = tx
            .sql(
                "select p.id, p.full_name, p.child_name, l.total_amount, l.due_date
                 from profiles p
                 left join payment_plans l on l.profile_id = p.id
                 where p.deleted_at is null",
            )
            .all()
            .await?;
        for (id, full_name, child_name, total, due) in families {
            known
                .families
                .insert(id, State { full_name, child_name, total, due, ..State::default() });
        }
        let addresses: Vec<AddressRow> = tx
            .sql("select profile_id, kind, email, entered_by_staff, verified_at from profile_addresses")
            .all()
            .await?;
        for (id, kind, email, entered_by_staff, verified_at) in addresses {
            if kind == "primary" && !entered_by_staff && verified_at.is_none() {
                known.unproved.insert(email);
                continue;
            }
            known.by_email.insert(email.clone(), id);
            let Some(state) = known.families.get_mut(&id) else { continue };
            let place = if kind == "primary" { &mut state.primary } else { &mut state.secondary };
            *place = Some(Kept { email, entered_by_staff, verified_at });
        }
        for (id, state) in &known.families {
            if state.primary.is_none() && state.secondary.is_none() {
                known.by_name.insert(key(&state.full_name, &state.child_name), *id);
            }
        }
        Ok(known)
    }

    pub(super) fn keep(&mut self, id: Uuid, state: State) {
        for address in [&state.primary, &state.secondary].into_iter().flatten() {
            self.by_email.insert(address.email.clone(), id);
        }
        if state.primary.is_none() {
            self.by_name.insert(key(&state.full_name, &state.child_name), id);
        }
        self.families.insert(id, state);
    }

    /// Which family the row is of. Errors: why it can be of none.
    pub(super) fn find(&self, wanted: &Wanted) -> Result<Option<Uuid>, &'static str> {
        let by = |email: &Option<String>| email.as_ref().and_then(|email| self.by_email.get(email));
        match (by(&wanted.email), by(&wanted.second)) {
            (Some(one), Some(other)) if one != other => Err(
                "The two addresses belong to two families. Please merge them in the user list, or \
                 correct the row.",
            ),
            (Some(id), _) | (None, Some(id)) => Ok(Some(*id)),
            (None, None) if wanted.email.is_some() => Ok(None),
            (None, None) => {
                Ok(self.by_name.get(&key(&wanted.full_name, &wanted.child_name)).copied())
            }
        }
    }
}

fn key(full_name: &str, child_name: &str) -> String {
    format!("{}\n{}", fold(full_name), fold(child_name))
}

impl State {
    /// The family with what the row says of it. Empty cells leave things as they are. Errors: why
    /// that cannot be.
    pub(super) fn with(&self, wanted: &Wanted) -> Result<State, &'static str> {
        let mut after = State {
            full_name: wanted.full_name.clone(),
            child_name: wanted.child_name.clone(),
            ..self.clone()
        };
        for email in [&wanted.email, &wanted.second].into_iter().flatten() {
            let there = |kept: &Option<Kept>| kept.as_ref().is_some_and(|k| k.email == *email);
            match () {
                _ if there(&after.primary) || there(&after.secondary) => {}
                _ if after.primary.is_none() => after.primary = Some(Kept::typed(email)),
                _ if after.secondary.is_none() => after.secondary = Some(Kept::typed(email)),
                _ => return Err("This family has two other addresses already. Please edit it."),
            }
        }
        if let Total::Cents(cents) = wanted.total {
            after.total = Some(cents);
        }
        after.due = wanted.due.or(after.due);
        Ok(after)
    }
}
