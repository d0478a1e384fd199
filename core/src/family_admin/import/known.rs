//! Existing families, and how import rows are matched to them.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, Utc};

use super::row::{Total, Wanted};
use crate::Result;
use crate::accounts::UserType;
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::families::addresses::StoredAddress;
use crate::family_admin::membership::{APPROVAL, Standing};
use crate::ids::FamilyId;
use crate::money::Cents;
use crate::search_text::normalize;

/// The existing families: read once, and updated with each write.
#[derive(Default)]
pub(super) struct Known {
    pub(super) families: HashMap<FamilyId, State>,
    /// What families with a plan have paid.
    pub(super) paid: HashMap<FamilyId, Cents>,
    by_email: HashMap<EmailAddress, FamilyId>,
    /// Families of the camp, by normalized name and child's name. Self-registered families that
    /// nobody approved are not included: anybody may sign up under a known name.
    by_name: HashMap<String, Vec<FamilyId>>,
    /// The identities of families before a merge, and the family that each is part of now.
    merged: HashMap<Identity, FamilyId>,
    /// The line of this file on which a family appears.
    pub(super) lines: HashMap<FamilyId, usize>,
    /// The states that this file proposes for existing families, whether applied or not.
    pub(super) proposed: HashMap<FamilyId, State>,
}

/// The current state of a family.
#[derive(Clone, Default, PartialEq)]
pub(super) struct State {
    pub(super) full_name: String,
    pub(super) child_name: String,
    pub(super) user_type: UserType,
    pub(super) primary: Option<StoredAddress>,
    pub(super) secondary: Option<StoredAddress>,
    pub(super) total: Option<Cents>,
    pub(super) due: Option<NaiveDate>,
    pub(super) standing: Standing,
    pub(super) version: i64,
}

#[derive(PartialEq, Eq, Hash)]
enum Identity {
    Email(EmailAddress),
    Name(String),
}

/// Why a row is left out.
pub(super) enum LeftOut {
    Visitor,
    Unapproved,
}

/// The family that a row matches.
pub(super) enum Found {
    New {
        /// The address of another family with the same name and child.
        namesake: Option<EmailAddress>,
    },
    Known(FamilyId),
    /// A family that was merged into this one.
    Merged(FamilyId),
}

#[derive(sqlx::FromRow)]
struct FamilyRow {
    id: FamilyId,
    version: i64,
    full_name: String,
    child_name: String,
    user_type: UserType,
    total_amount: Option<Cents>,
    paid_amount: Option<Cents>,
    due_date: Option<NaiveDate>,
    standing: Standing,
}
/// Family, kind, address, whether staff entered it, and when it was verified.
type AddressRow = (FamilyId, String, EmailAddress, bool, Option<DateTime<Utc>>);

impl Known {
    pub(super) async fn load(tx: &mut Tx) -> Result<Known> {
        let mut known = Known::default();
        let families: Vec<FamilyRow> = tx
            .sql([
                "select p.id, p.version, p.full_name, p.child_name, p.user_type, l.total_amount,
                        l.paid_amount, l.due_date, ",
                APPROVAL,
                " as standing from profiles p
                 left join payment_plans l on l.profile_id = p.id
                 where p.deleted_at is null",
            ])
            .all()
            .await?;
        for row in families {
            known.paid.extend(row.paid_amount.map(|paid| (row.id, paid)));
            let state = State {
                full_name: row.full_name,
                child_name: row.child_name,
                user_type: row.user_type,
                primary: None,
                secondary: None,
                total: row.total_amount,
                due: row.due_date,
                standing: row.standing,
                version: row.version,
            };
            known.families.insert(row.id, state);
        }
        let addresses: Vec<AddressRow> = tx
            .sql("select profile_id, kind, email, entered_by_staff, verified_at from profile_addresses")
            .all()
            .await?;
        for (id, kind, email, entered_by_staff, verified_at) in addresses {
            known.by_email.insert(email.clone(), id);
            let Some(state) = known.families.get_mut(&id) else { continue };
            let place = if kind == "primary" { &mut state.primary } else { &mut state.secondary };
            *place = Some(StoredAddress { email, entered_by_staff, verified_at });
        }
        for (id, state) in &known.families {
            if state.standing == Standing::Approved {
                known.by_name.entry(state.name_key()).or_default().push(*id);
            }
        }
        known.load_merged(tx).await?;
        Ok(known)
    }

    async fn load_merged(&mut self, tx: &mut Tx) -> Result<()> {
        // For families that were merged before identities were kept, the record still has the
        // names.
        let records: Vec<(String, String, FamilyId)> = tx
            .sql(
                "select full_name, child_name, merged_into from profiles
                 where merged_into is not null and full_name <> ''",
            )
            .all()
            .await?;
        for (full_name, child_name, into) in records {
            self.merged.insert(Identity::Name(name_key(&full_name, &child_name)), into);
        }
        let identities: Vec<(String, String, FamilyId)> =
            tx.sql("select kind, value, profile_id from merged_identities").all().await?;
        for (kind, value, into) in identities {
            // Names were kept as the normalization of their time wrote them.
            let identity = match kind == "email" {
                true => Identity::Email(EmailAddress::checked_before(value)),
                false => {
                    Identity::Name(value.split('\n').map(normalize).collect::<Vec<_>>().join("\n"))
                }
            };
            self.merged.insert(identity, into);
        }
        let families = &self.families;
        self.merged.retain(|_, into| families.contains_key(into));
        Ok(())
    }

    pub(super) fn keep(&mut self, id: FamilyId, state: State) {
        self.index(id, &state);
        self.families.insert(id, state);
    }

    /// Later rows match what this file proposes, so that a preview shows what an import does.
    pub(super) fn propose(&mut self, id: FamilyId, state: State) {
        self.index(id, &state);
        self.proposed.insert(id, state);
    }

    fn index(&mut self, id: FamilyId, state: &State) {
        for address in [&state.primary, &state.secondary].into_iter().flatten() {
            self.by_email.insert(address.email.clone(), id);
        }
        if state.standing == Standing::Approved {
            let named = self.by_name.entry(state.name_key()).or_default();
            if !named.contains(&id) {
                named.push(id);
            }
        }
    }

    /// The state of a family once this file is imported.
    fn expected(&self, id: FamilyId) -> Option<&State> {
        self.proposed.get(&id).or_else(|| self.families.get(&id))
    }

    /// Why a row is left out, if it is not about a family of the camp: a visitor without a plan, or
    /// a family that staff did not approve and that no address identifies, since anybody may sign
    /// up under a known name.
    pub(super) fn leaves_out(&self, wanted: &Wanted) -> Option<LeftOut> {
        let emails = [&wanted.email, &wanted.second].into_iter().flatten();
        let mut families = emails.filter_map(|email| self.by_email.get(email));
        if wanted.visitor && !families.clone().any(|id| self.paid.contains_key(id)) {
            return Some(LeftOut::Visitor);
        }
        (wanted.unapproved && families.next().is_none()).then_some(LeftOut::Unapproved)
    }

    /// Finds the family of a row.
    ///
    /// # Errors
    ///
    /// The column and the reason why it cannot be matched.
    pub(super) fn find(&self, wanted: &Wanted) -> Result<Found, (&'static str, String)> {
        let name = name_key(&wanted.full_name, &wanted.child_name);
        let by = |email: &Option<EmailAddress>| {
            email.as_ref().and_then(|email| self.by_email.get(email))
        };
        match (by(&wanted.email), by(&wanted.second)) {
            (Some(one), Some(other)) if one != other => {
                let message = "The two addresses belong to two families. Please merge them in the \
                               user list, or correct the row.";
                Err(("second email", message.to_owned()))
            }
            (Some(id), _) | (None, Some(id)) => Ok(self.as_now_or_once(*id, name)),
            (None, None) => self.by_other_means(wanted, name),
        }
    }

    /// A row with an address of a family matches that family, unless it has the name of one that
    /// was merged into it.
    fn as_now_or_once(&self, id: FamilyId, name: String) -> Found {
        let is_now = |state: &State| state.name_key() == name;
        if self.families.get(&id).is_some_and(is_now) {
            return Found::Known(id);
        }
        match self.merged.get(&Identity::Name(name)) {
            Some(into) if *into == id => Found::Merged(id),
            _ => Found::Known(id),
        }
    }

    /// Finds the family of a row whose addresses belong to nobody.
    fn by_other_means(
        &self,
        wanted: &Wanted,
        name: String,
    ) -> Result<Found, (&'static str, String)> {
        let emails = [&wanted.email, &wanted.second].into_iter().flatten();
        let mut merged =
            emails.filter_map(|email| self.merged.get(&Identity::Email(email.clone())));
        if let Some(into) = merged.next() {
            return Ok(Found::Merged(*into));
        }
        let named = self.by_name.get(&name).map_or(&[][..], Vec::as_slice);
        let merged = self.merged.get(&Identity::Name(name));
        // Two families may have the same names. Two different addresses tell them apart.
        let fits = |id: &&FamilyId| wanted.email.is_none() || self.address(**id).is_none();
        let fitting: Vec<&FamilyId> = named.iter().filter(fits).collect();
        match (&fitting[..], merged.filter(fits)) {
            ([id], _) => Ok(Found::Known(**id)),
            ([], Some(into)) => Ok(Found::Merged(*into)),
            ([], None) => {
                let namesake = named.iter().chain(merged).filter_map(|id| self.address(*id)).min();
                Ok(Found::New { namesake: namesake.cloned() })
            }
            (several, _) => {
                let (count, full_name, child) =
                    (several.len(), &wanted.full_name, &wanted.child_name);
                let message = format!(
                    "{count} families are called “{full_name}”, with the child “{child}”. Please \
                     merge them in the user list, or give the row and its family the same email.",
                );
                Err(("name", message))
            }
        }
    }

    fn address(&self, id: FamilyId) -> Option<&EmailAddress> {
        let state = self.expected(id)?;
        state.primary.as_ref().or(state.secondary.as_ref()).map(|kept| &kept.email)
    }
}

/// The names that identify a family if a row has no address of it.
pub(crate) fn name_key(full_name: &str, child_name: &str) -> String {
    format!("{}\n{}", normalize(full_name), normalize(child_name))
}

impl State {
    fn name_key(&self) -> String {
        name_key(&self.full_name, &self.child_name)
    }

    pub(super) fn has(&self, email: &EmailAddress) -> bool {
        [&self.primary, &self.secondary].into_iter().flatten().any(|kept| kept.email == *email)
    }

    /// Whether nothing but the version differs.
    pub(super) fn same(&self, other: &State) -> bool {
        *self == State { version: self.version, ..other.clone() }
    }

    /// Applies a row to the family. Empty cells change nothing.
    ///
    /// # Errors
    ///
    /// Why it cannot be applied.
    pub(super) fn with(&self, wanted: &Wanted) -> Result<State, &'static str> {
        let mut after = State {
            full_name: wanted.full_name.clone(),
            child_name: wanted.child_name.clone(),
            ..self.clone()
        };
        if !wanted.visitor {
            after.user_type = UserType::Parent;
        }
        for email in [&wanted.email, &wanted.second].into_iter().flatten() {
            match () {
                _ if after.has(email) => {}
                _ if after.primary.is_none() => after.primary = Some(StoredAddress::typed(email)),
                _ if after.secondary.is_none() => {
                    after.secondary = Some(StoredAddress::typed(email))
                }
                _ => return Err("This family already has two other addresses. Please edit it."),
            }
        }
        if let Total::Amount(amount) = wanted.total {
            after.total = Some(amount);
        }
        after.due = wanted.due.or(after.due);
        // A refusal stays: staff know why.
        if after.standing == Standing::Waiting && !wanted.unapproved {
            after.standing = Standing::Approved;
        }
        Ok(after)
    }
}
