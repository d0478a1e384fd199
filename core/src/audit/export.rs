//! Exports the audit log for spreadsheets, as a stream because it may be long.

use bytes::Bytes;
use chrono_tz::Tz;
use futures_util::Stream;
use futures_util::stream::try_unfold;
use serde_json::json;
use uuid::Uuid;

use super::line::{Line, shown, wall};
use super::log::{Entry, Filter};
use super::{Action, Actor, Subject, SubjectKind, record};
use crate::spreadsheet::cell::plain;
use crate::{App, Error, Result};

/// Rows in memory at a time.
const PIECE: i64 = 500;

/// Returns the rows that match the filter as CSV in UTF-8, the newest first. The export itself is
/// recorded in the log, but not included.
///
/// # Errors
///
/// [`Error::Invalid`]
pub async fn export(
    app: &App,
    actor: Actor,
    filter: &Filter,
) -> Result<impl Stream<Item = Result<Bytes>> + Send + 'static> {
    let settings = app.settings().await?;
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    // Later ids are greater, so rows that are written from now on are left out.
    let wanted = filter.read(&mut tx, &settings).await?.older_than(now, Uuid::now_v7());
    let rows = wanted.count(&mut tx).await?;
    let details = json!({
        "rows": rows, "actor_kind": wanted.actor_kind, "actor": wanted.actor_id,
        "action": wanted.action.as_ref().or(wanted.topic.as_ref()),
        "subject_kind": wanted.subject_kind, "subject": wanted.subject_id,
        "from": filter.from, "to": filter.to,
    });
    record(&mut tx, now, actor, Action::AuditExport, Subject::none(SubjectKind::Audit), details)
        .await?;
    tx.commit().await?;
    let (app, zone) = (app.clone(), settings.timezone);
    let begin = Some((wanted, true));
    Ok(try_unfold(begin, move |state| {
        let app = app.clone();
        async move {
            let Some((wanted, first)) = state else { return Ok(None) };
            let entries = wanted.newest(&app.db, PIECE).await?;
            let bytes = piece(&entries, first, zone)?;
            let last = entries.last().filter(|_| entries.len() as i64 == PIECE);
            let last = last.map(|entry| (entry.at, entry.id));
            let rest = last.map(|(at, id)| (wanted.older_than(at, id), false));
            Ok(Some((bytes, rest)))
        }
    }))
}

fn piece(entries: &[Entry], first: bool, zone: Tz) -> Result<Bytes> {
    // The byte order mark tells spreadsheets that this is UTF-8.
    let begin = if first { "\u{feff}".as_bytes().to_vec() } else { Vec::new() };
    let mut writer = csv::Writer::from_writer(begin);
    if first {
        let when = format!("When ({zone})");
        let head = [
            when.as_str(),
            "Who",
            "Kind of Person",
            "Person",
            "Action",
            "Kind of Record",
            "Record",
            "Name of Record",
            "Before",
            "After",
            "Details",
        ];
        writer.write_record(head).map_err(Error::unforeseen)?;
    }
    for entry in entries {
        writer.write_record(cells(entry, zone)).map_err(Error::unforeseen)?;
    }
    writer.into_inner().map(Bytes::from).map_err(Error::unforeseen)
}

fn cells(entry: &Entry, zone: Tz) -> [String; 11] {
    let text = |text: &Option<String>| plain(text.as_deref().unwrap_or_default());
    let id = |id: Option<Uuid>| id.map(|id| id.to_string()).unwrap_or_default();
    let (changes, facts): (Vec<&Line>, Vec<&Line>) =
        entry.lines.iter().partition(|line| line.before.is_some());
    let joined = |lines: &[&Line], old: bool| {
        let said = lines.iter().map(|line| {
            let value = line.before.as_ref().filter(|_| old).unwrap_or(&line.after);
            format!("{}: {}", line.field, shown(&line.field, value, zone))
        });
        plain(&said.collect::<Vec<_>>().join("; "))
    };
    [
        wall(entry.at, zone),
        text(&entry.actor_name),
        entry.actor_kind.clone(),
        id(entry.actor_id),
        entry.action.clone(),
        entry.subject_kind.clone(),
        id(entry.subject_id),
        text(&entry.subject_name),
        joined(&changes, true),
        joined(&changes, false),
        joined(&facts, false),
    ]
}
