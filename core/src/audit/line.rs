//! Reads the stored details of an audit record, field by field, including those written by earlier
//! versions.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::money::Cents;
use crate::spreadsheet::cell::decimal;

/// One field of the details of an action.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
#[schema(as = AuditLine)]
pub struct Line {
    pub field: String,
    /// Omitted if there was no value before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    pub after: Value,
}

impl Line {
    fn fact(field: impl Into<String>, after: Value) -> Line {
        Line { field: field.into(), before: None, after }
    }

    fn change(field: impl Into<String>, before: &Value, after: &Value) -> Line {
        Line { field: field.into(), before: Some(before.clone()), after: after.clone() }
    }
}

/// Parses the stored JSON text into lines.
pub(super) fn read(action: &str, details: &str) -> Vec<Line> {
    match serde_json::from_str(details) {
        Ok(Value::Null) => Vec::new(),
        Ok(Value::Object(kept)) => fields(action, &kept),
        Ok(other) => vec![Line::fact("details", other)],
        Err(_) if details.is_empty() => Vec::new(),
        Err(_) => vec![Line::fact("details", details.into())],
    }
}

fn fields(action: &str, kept: &Map<String, Value>) -> Vec<Line> {
    match (kept.get("before"), kept.get("after")) {
        (Some(Value::Object(before)), Some(Value::Object(after))) => {
            let keys = after.keys().filter(|key| before.get(*key) != after.get(*key));
            return keys
                .map(|key| Line::change(key, before.get(key).unwrap_or(&Value::Null), &after[key]))
                .collect();
        }
        (Some(before), Some(after)) => {
            let field = kept.get("key").and_then(Value::as_str).unwrap_or("value");
            return vec![Line::change(field, before, after)];
        }
        _ => {}
    }
    let mut lines = Vec::with_capacity(kept.len());
    for (field, value) in kept {
        put(&mut lines, action, field, value);
    }
    lines
}

fn put(lines: &mut Vec<Line>, action: &str, field: &str, value: &Value) {
    match value {
        Value::Object(inner) => match (inner.get("before"), inner.get("after")) {
            (Some(before), Some(after)) => lines.push(Line::change(field, before, after)),
            _ => inner
                .iter()
                .for_each(|(key, value)| put(lines, action, &format!("{field}_{key}"), value)),
        },
        // Earlier versions stored unchanged fields as null and secret ones as true.
        Value::Null => {}
        Value::Bool(changed) if action == "staff.change" && field != "disabled" => {
            if *changed {
                lines.push(Line::fact(field, "changed".into()));
            }
        }
        value => lines.push(Line::fact(field, value.clone())),
    }
}

/// Fields in cents.
const MONEY: [&str; 5] = ["amount", "defaultPlanAmount", "paid_amount", "price", "total_amount"];

/// Formats a value for spreadsheets: money as a decimal number, times in the camp's time zone.
pub(super) fn shown(field: &str, value: &Value, zone: Tz) -> String {
    match value {
        Value::Null => "none".into(),
        Value::Bool(true) => "yes".into(),
        Value::Bool(false) => "no".into(),
        Value::Number(cents) if MONEY.iter().any(|key| field.ends_with(key)) => {
            cents.as_i64().map_or_else(|| cents.to_string(), |cents| decimal(Cents::new(cents)))
        }
        Value::String(text) => match text.parse::<DateTime<Utc>>() {
            Ok(at) => wall(at, zone),
            Err(_) => text.clone(),
        },
        Value::Array(all) => {
            all.iter().map(|one| shown(field, one, zone)).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// Formats a time in the camp's time zone.
pub(super) fn wall(at: DateTime<Utc>, zone: Tz) -> String {
    at.with_timezone(&zone).format("%Y-%m-%d %H:%M:%S").to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn lines(action: &str, details: Value) -> Vec<(String, Option<Value>, Value)> {
        let lines = read(action, &details.to_string());
        lines.into_iter().map(|line| (line.field, line.before, line.after)).collect()
    }

    fn fact(field: &str, value: Value) -> (String, Option<Value>, Value) {
        (field.into(), None, value)
    }

    fn change(field: &str, before: Value, after: Value) -> (String, Option<Value>, Value) {
        (field.into(), Some(before), after)
    }

    #[test]
    fn every_form_that_a_change_was_kept_in_is_read() {
        let edit = json!({ "title": { "before": "Old", "after": "New" }, "author": "changed" });
        let both = [fact("author", json!("changed")), change("title", json!("Old"), json!("New"))];
        assert_eq!(lines("video.edit", edit), both);
        let setting = json!({ "key": "siteName", "before": null, "after": "Camp" });
        assert_eq!(
            lines("settings.set", setting),
            [change("siteName", json!(null), json!("Camp"))]
        );
        let plan = json!({
            "before": { "total_amount": 280_000, "due_date": null },
            "after": { "total_amount": 300_000, "due_date": null },
        });
        assert_eq!(
            lines("payment_plan.change", plan),
            [change("total_amount", json!(280_000), json!(300_000))]
        );
        let merge = json!({ "before": { "kept": { "paid_amount": 1 }, "merged": null } });
        assert_eq!(lines("profile.merge", merge), [fact("before_kept_paid_amount", json!(1))]);
        let account = json!({ "email": true, "username": false, "role": null, "disabled": false });
        let kept = [fact("disabled", json!(false)), fact("email", json!("changed"))];
        assert_eq!(lines("staff.change", account), kept);
        assert_eq!(lines("product.change", json!({ "price": 5, "is_active": null })).len(), 1);
        assert_eq!(lines("video.publish", Value::Null), []);
        assert_eq!(lines("seed", json!("planted")), [fact("details", json!("planted"))]);
        assert_eq!(read("seed", "not JSON"), [Line::fact("details", "not JSON".into())]);
        assert_eq!(read("seed", ""), []);
    }

    #[test]
    fn a_spreadsheet_reads_what_people_read() {
        let zone: Tz = "America/New_York".parse().expect("a zone");
        let shown = |field, value| shown(field, &value, zone);
        assert_eq!(shown("amount", json!(-1_050)), "-10.50");
        assert_eq!(shown("stock_quantity", json!(12)), "12");
        assert_eq!(shown("scheduled_date", json!("2026-07-29T23:15:00Z")), "2026-07-29 19:15:00");
        assert_eq!(shown("due_date", json!("2026-07-29")), "2026-07-29");
        assert_eq!(shown("is_active", json!(true)), "yes");
        assert_eq!(shown("images", json!([1, 3, 2])), "1, 3, 2");
        assert_eq!(shown("description", json!(null)), "none");
    }
}
