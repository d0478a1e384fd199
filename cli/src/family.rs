//! `camp family`: imports families from a table.

use portal::accounts::UserType;
use portal::audit::Actor;
use portal::family_admin::Standing;
use portal::family_admin::import::{
    self, Change, Details, Field, Import, Outcome as Fate, RecentImport, Report, Undone, Update,
};
use portal::money::money;
use portal::{App, Config};
use uuid::Uuid;

use crate::import::{Bar, Table};
use crate::output::{Code, Outcome, print, print_json, print_note, print_table};

/// Import families and undo imports
#[derive(clap::Subcommand)]
pub enum Family {
    /// Import families from a table
    ///
    /// FILE is an Excel workbook (.xlsx), CSV (comma, semicolon or tab) or JSON. Its first line names
    /// the columns, in any order: name and child, and optionally email, second email, total, paid, due
    /// date, type and access. Amounts are 2800 or 2,800.00. Without a column “total”, new families get the default
    /// plan; with an empty total, they get none. The paid amount counts only for new families.
    ///
    /// New families are added. Existing families stay unchanged: differences are shown, and applied
    /// with --update-existing. Valid rows are imported together; problems of other rows are printed
    /// with their line on standard error. A family is recognized by its address, otherwise by its
    /// names, so a second run changes nothing. A row is that of an approved family, unless its
    /// access is "to approve" or "refused", as in an export. Visitors without a plan are left out.
    /// Staff send invitations from the user list; the import mails only parents who signed up
    /// before and are approved by --update-existing. An import can be undone for a day.
    #[command(
        after_help = "Examples:\n  camp family import families.xlsx --dry-run\n  camp family import families.csv --update-existing\n  camp family import - --json < families.json\n\nExit codes: 0 all rows are in the portal, 3 some rows have problems (the others are in), 2 wrong command or option, 1 or 4 nothing was imported."
    )]
    Import {
        #[command(flatten)]
        table: Table,
        /// Also change existing families that differ from the file
        #[arg(long)]
        update_existing: bool,
    },
    /// List the imports of the last day, which can be undone
    #[command(after_help = "Example:\n  camp family imports")]
    Imports {
        /// Print them as JSON
        #[arg(long)]
        json: bool,
    },
    /// Undo an import of the last day
    ///
    /// Removes new families and restores the earlier details of changed ones. Keeps families that were
    /// changed since or that somebody signed in as, and names them with the reason.
    #[command(
        after_help = "Example:\n  camp family undo 01a1ffd5-b7ad-771b-a1d5-7e0833834fe6\n\nExit codes: 0 all of it is undone, 3 some families stay as they are or it was undone already, 1 or 4 nothing was undone."
    )]
    Undo {
        /// The id that the import and `camp family imports` print
        #[arg(value_parser = id)]
        id: Uuid,
        /// Print the result as JSON
        #[arg(long)]
        json: bool,
    },
}

fn id(typed: &str) -> Result<Uuid, String> {
    typed.parse().map_err(|_| {
        "an id looks like 01a1ffd5-b7ad-771b-a1d5-7e0833834fe6; `camp family imports` shows them"
            .into()
    })
}

impl Family {
    pub async fn run(self, config: Config) -> Outcome {
        match self {
            Family::Import { table, update_existing } => take(config, table, update_existing).await,
            Family::Imports { json } => list(config, json).await,
            Family::Undo { id, json } => undo(config, id, json).await,
        }
    }
}

async fn take(config: Config, table: Table, update_existing: bool) -> Outcome {
    let file = &table.file;
    let import = Import {
        file: table.read(import::MAX_BYTES)?,
        dry_run: file.dry_run,
        update: if update_existing { Update::All } else { Update::None },
        add: None,
    };
    let app = App::open(config).await?;
    let bar = Bar::of("families");
    let tell = |done: usize, all: usize| bar.is_at(done as u64, all as u64);
    let report = import::import(&app, Actor::Operator, import, tell).await;
    drop(bar);
    let report = report?;
    table.tell_source(&report.source);
    if !file.json {
        let currency = app.settings().await?.currency.clone();
        show(&report, &currency);
    }
    let code = file.tell(&report, &report.problems, &report.unknown_columns, sum(&report))?;
    if !file.json {
        if report.differing > 0 {
            print_note("To change families that are already in the portal, add --update-existing.");
        }
        if report.paid_otherwise > 0 {
            print_note(format!(
                "The paid amount in the table differs from the portal for {}. Payments of families that are already \
                 in the portal are not imported: staff record them in Users.",
                match report.paid_otherwise {
                    1 => "1 family".to_owned(),
                    many => format!("{many} families"),
                }
            ));
        }
        if let Some(id) = report.id {
            print_note(format!("To undo this import within a day: camp family undo {id}"));
        }
    }
    Ok(code)
}

fn show(report: &Report, currency: &str) {
    for change in &report.changes {
        let verb = match (change.outcome, report.dry_run) {
            (Fate::Updated, true) => "would be changed",
            (Fate::Updated, false) => "changed",
            _ => "left as it is",
        };
        let Change { line, before, .. } = change;
        print(format!("line {line}: {} ({}) {verb}:", before.full_name, before.child_name));
        for field in &change.fields {
            let (name, before) = shown(*field, &change.before, currency);
            let (_, after) = shown(*field, &change.after, currency);
            print(format!("  {name}: {before} -> {after}"));
        }
    }
    for row in &report.new_families {
        let Some(email) = &row.namesake_email else { continue };
        let (name, child) = (&row.details.full_name, &row.details.child_name);
        print(format!(
            "line {}: {name} ({child}) is new, though a family with these names has the email {email}.",
            row.line
        ));
    }
    for row in &report.merged {
        print(format!(
            "line {}: {} ({}) is part of {} since they were merged, and is left out.",
            row.line, row.full_name, row.child_name, row.into_name
        ));
    }
}

fn shown(field: Field, of: &Details, currency: &str) -> (&'static str, String) {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "none".into());
    match field {
        Field::FullName => ("name", of.full_name.clone()),
        Field::ChildName => ("child", of.child_name.clone()),
        Field::UserType => {
            let kind = match of.user_type {
                UserType::Parent => "parent",
                UserType::Visitor => "visitor",
            };
            ("type", kind.into())
        }
        Field::Email => ("email", or_none(of.email.clone())),
        Field::SecondaryEmail => ("second email", or_none(of.secondary_email.clone())),
        Field::TotalAmount => {
            ("total", or_none(of.total_amount.map(|amount| money(amount, currency))))
        }
        Field::DueDate => ("due date", or_none(of.due_date.map(|date| date.to_string()))),
        Field::Standing => {
            let standing = match of.standing {
                Standing::Waiting => "to approve",
                Standing::Approved => "approved",
                Standing::Refused => "refused",
            };
            ("access", standing.into())
        }
    }
}

fn sum(report: &Report) -> String {
    let left_out = report.visitors + report.unapproved;
    let known = report.updated + report.differing + report.skipped + left_out;
    let bad = report.rows - report.added - known;
    let (would, are) = match report.dry_run {
        true => ("would be ", "would be left out"),
        false => ("", "left out"),
    };
    format!(
        "{} {} {would}added, {} {would}updated, {} with other details left as they are, {} already \
         there, {}{}{bad} with problems {are}.",
        report.added,
        if report.added == 1 { "family" } else { "families" },
        report.updated,
        report.differing,
        report.skipped,
        match report.visitors {
            0 => String::new(),
            1 => "1 visitor left out, ".to_owned(),
            many => format!("{many} visitors left out, "),
        },
        match report.unapproved {
            0 => String::new(),
            1 => "1 family that is not approved left out, ".to_owned(),
            many => format!("{many} families that are not approved left out, "),
        },
    )
}

async fn list(config: Config, json: bool) -> Outcome {
    let app = App::open(config).await?;
    let made = import::recent(&app).await?;
    if json {
        print_json(&made)?;
        return Ok(Code::Done);
    }
    if made.is_empty() {
        print("No families were imported within the last day.");
        return Ok(Code::Done);
    }
    let zone = app.settings().await?.timezone;
    let row = |import: &RecentImport| {
        vec![
            import.id.to_string(),
            import.created_at.with_timezone(&zone).format("%Y-%m-%d %H:%M").to_string(),
            import.made_by.clone().unwrap_or_else(|| "command line".into()),
            import.added.to_string(),
            import.updated.to_string(),
            if import.undone_at.is_some() { "yes" } else { "no" }.to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = made.iter().map(row).collect();
    print_table(&["id", "made", "by", "added", "updated", "undone"], &rows);
    Ok(Code::Done)
}

async fn undo(config: Config, id: Uuid, json: bool) -> Outcome {
    let app = App::open(config).await?;
    let undone = import::undo(&app, Actor::Operator, id).await?;
    let Undone { removed, restored, skipped } = &undone;
    if json {
        print_json(&undone)?;
    } else {
        for family in skipped {
            let name = if family.full_name.is_empty() { "A family" } else { &family.full_name };
            print_note(format!("{name} stays as it is: {}", family.reason));
        }
        let stay = skipped.len();
        print(format!("{removed} removed, {restored} restored, {stay} left as they are."));
    }
    Ok(if skipped.is_empty() { Code::Done } else { Code::Problems })
}
