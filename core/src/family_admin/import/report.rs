//! The result or preview of an import, family by family.

use chrono::NaiveDate;
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::known::State;
use crate::accounts::UserType;
use crate::families::addresses::StoredAddress;
use crate::family_admin::membership::Standing;
use crate::ids::FamilyId;
use crate::money::Cents;
use crate::spreadsheet::{Problem, Source};

#[derive(Debug, Default, Serialize, PartialEq, Eq, utoipa::ToSchema)]
#[schema(as = FamilyImport)]
pub struct Report {
    /// Identifies the import for undoing it; null when nothing was written.
    pub id: Option<Uuid>,
    pub dry_run: bool,
    /// The number of rows that are not empty, without the header.
    pub rows: usize,
    pub added: usize,
    /// Existing families that were changed to match the file.
    pub updated: usize,
    /// Existing families with other details, which were not changed.
    pub differing: usize,
    /// Existing families without differences, and merged families.
    pub skipped: usize,
    /// Rows of visitors without a plan, who are left out.
    pub visitors: usize,
    /// Rows whose access is "to approve" or "refused" and whose addresses belong to no family. They are left out.
    pub unapproved: usize,
    /// Existing families that have paid another amount than the file says. Their payments are not imported.
    pub paid_otherwise: usize,
    pub problems: Vec<Problem>,
    /// Columns that were ignored.
    pub unknown_columns: Vec<String>,
    pub source: Source,
    /// The existing families with other details.
    pub changes: Vec<Change>,
    pub new_families: Vec<NewRow>,
    /// Rows of families that were merged into another one. They are skipped.
    pub merged: Vec<MergedRow>,
}

impl Report {
    /// The numbers for the audit log.
    pub(super) fn totals(&self) -> Value {
        json!({
            "added": self.added, "updated": self.updated, "differing": self.differing,
            "skipped": self.skipped, "visitors": self.visitors, "unapproved": self.unapproved,
            "problems": self.problems.len(),
        })
    }
}

/// An existing family, before and after.
#[derive(Debug, Serialize, PartialEq, Eq, utoipa::ToSchema)]
#[schema(as = FamilyImportChange)]
pub struct Change {
    pub line: usize,
    #[schema(value_type = Uuid)]
    pub id: FamilyId,
    /// The version that was read. It is sent back when the change is selected.
    pub version: i64,
    pub outcome: Outcome,
    /// What differs.
    pub fields: Vec<Field>,
    pub before: Details,
    pub after: Details,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FamilyImportOutcome)]
pub enum Outcome {
    /// Left as it is.
    Differs,
    /// Changed to match the file. In a dry run, it would be.
    Updated,
    /// Selected, but changed by somebody else since it was shown. Not changed.
    ChangedMeanwhile,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = FamilyImportField)]
pub enum Field {
    FullName,
    ChildName,
    UserType,
    Email,
    SecondaryEmail,
    TotalAmount,
    DueDate,
    Standing,
}

#[derive(Debug, Clone, Serialize, PartialEq, Eq, utoipa::ToSchema)]
#[schema(as = FamilyImportDetails)]
pub struct Details {
    pub full_name: String,
    pub child_name: String,
    pub user_type: UserType,
    pub email: Option<String>,
    pub secondary_email: Option<String>,
    /// Cents; null without a plan.
    #[schema(value_type = Option<i64>)]
    pub total_amount: Option<Cents>,
    pub due_date: Option<NaiveDate>,
    /// Whether staff approved it. A family on the office's list is approved, unless staff refused it.
    pub standing: Standing,
}

/// A family that does not exist yet.
#[derive(Debug, Serialize, PartialEq, Eq, utoipa::ToSchema)]
#[schema(as = FamilyImportNew)]
pub struct NewRow {
    pub line: usize,
    #[serde(flatten)]
    pub details: Details,
    /// Cents paid earlier.
    #[schema(value_type = i64)]
    pub paid_amount: Cents,
    /// The email of another family with the same name and child, which the row may mean.
    pub namesake_email: Option<String>,
}

#[derive(Debug, Serialize, PartialEq, Eq, utoipa::ToSchema)]
#[schema(as = FamilyImportMerged)]
pub struct MergedRow {
    pub line: usize,
    pub full_name: String,
    pub child_name: String,
    /// The family that it was merged into.
    #[schema(value_type = Uuid)]
    pub into: FamilyId,
    pub into_name: String,
}

impl Details {
    pub(super) fn of(state: &State) -> Details {
        let email = |kept: &Option<StoredAddress>| kept.as_ref().map(|kept| kept.email.to_string());
        Details {
            full_name: state.full_name.clone(),
            child_name: state.child_name.clone(),
            user_type: state.user_type,
            email: email(&state.primary),
            secondary_email: email(&state.secondary),
            total_amount: state.total,
            due_date: state.due,
            standing: state.standing,
        }
    }
}

impl Change {
    pub(super) fn new(
        line: usize,
        id: FamilyId,
        outcome: Outcome,
        before: &State,
        after: &State,
    ) -> Change {
        let version = before.version;
        let (before, after) = (Details::of(before), Details::of(after));
        let fields = [
            (Field::FullName, before.full_name != after.full_name),
            (Field::ChildName, before.child_name != after.child_name),
            (Field::UserType, before.user_type != after.user_type),
            (Field::Email, before.email != after.email),
            (Field::SecondaryEmail, before.secondary_email != after.secondary_email),
            (Field::TotalAmount, before.total_amount != after.total_amount),
            (Field::DueDate, before.due_date != after.due_date),
            (Field::Standing, before.standing != after.standing),
        ];
        let fields = fields.into_iter().filter(|(_, differs)| *differs).map(|(field, _)| field);
        Change { line, id, version, outcome, fields: fields.collect(), before, after }
    }
}
