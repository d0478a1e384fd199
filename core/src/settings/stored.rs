//! Reads the stored settings, and handles stored values that are no longer valid.
//!
//! A value can become invalid when somebody edits the database by hand, or when a newer version
//! allows less. The strictest value of that key applies then (safety 31), owners are notified, and
//! the stored value stays until somebody chooses a new one.

use serde_json::{Map, Value, json};

use super::keys::{KEYS, Kind, check, valid_times};
use super::{Settings, as_map};
use crate::Result;
use crate::db::On;

/// A stored value that is not valid for its key.
#[derive(Debug, Clone)]
pub struct InvalidValue {
    pub key: &'static str,
    /// The stored value.
    pub stored: String,
    /// The value that applies instead.
    pub used: Value,
}

/// Reads all stored settings.
pub(crate) async fn read(on: impl Into<On<'_>>) -> Result<(Settings, Vec<InvalidValue>)> {
    Ok(merge(on.into().sql("select key, value from settings").all().await?))
}

/// Returns the invalid stored values, in the order of [`KEYS`].
pub async fn invalid_values(on: impl Into<On<'_>>) -> Result<Vec<InvalidValue>> {
    Ok(read(on).await?.1)
}

/// Merges the stored values into the defaults. The strictest value replaces an invalid one.
fn merge(rows: Vec<(String, String)>) -> (Settings, Vec<InvalidValue>) {
    let defaults = Settings::default();
    let mut map = as_map(&defaults);
    let mut invalid_values = Vec::new();
    for key in KEYS {
        let Some((_, text)) = rows.iter().find(|(name, _)| name == key.name) else { continue };
        let value = serde_json::from_str::<Value>(text).ok();
        let fits = value.as_ref().and_then(|value| check(key, value, &defaults.currency).ok());
        if let Some(value) = fits {
            map.insert(key.name.to_owned(), value);
            continue;
        }
        let strictest = match key.kind {
            Kind::ExtraTimes => value.as_ref().map(valid_times),
            // No number is better than the invented default.
            Kind::Phone { .. } => Some(json!("")),
            _ => strictest(key.name),
        };
        if let Some(used) = strictest.or_else(|| map.get(key.name).cloned()) {
            map.insert(key.name.to_owned(), used.clone());
            invalid_values.push(InvalidValue { key: key.name, stored: text.clone(), used });
        }
    }
    (read_map(map), invalid_values)
}

fn read_map(map: Map<String, Value>) -> Settings {
    serde_json::from_value(Value::Object(map)).unwrap_or_else(|error| {
        tracing::error!(%error, "the settings cannot be read; the strictest values apply");
        let mut strict = as_map(&Settings::default());
        strict.extend(KEYS.iter().filter_map(|key| Some((key.name.into(), strictest(key.name)?))));
        serde_json::from_value(Value::Object(strict)).unwrap_or_default()
    })
}

/// The most restrictive value, or `None` for keys that grant nothing.
fn strictest(name: &str) -> Option<Value> {
    Some(match name {
        "access" => json!("families"),
        "userRegistrations" => json!(false),
        "requireEmailVerification" | "enableTwoFactor" => json!(true),
        "commentModeration" => json!("first_held"),
        "shabbosMode" => json!("closed"),
        // The longest quiet time that a place and the sun allow.
        "candleLightingMinutes" => json!(90),
        "nightfall" => json!("120 minutes"),
        "quietHoldsVideos" => json!(true),
        "emailEnabled" | "dailyReports" | "liveUpdates" | "pushEnabled" => json!(false),
        "uploadQuota" => json!(1),
        "sessionTimeout" => json!(5),
        "maxLoginAttempts" => json!(1),
        "passwordMinLength" => json!(64),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_values_fit_their_own_keys_and_no_number_is_stricter() {
        for key in KEYS {
            let Some(value) = strictest(key.name) else { continue };
            assert_eq!(check(key, &value, "USD").expect(key.name), value);
            if let Kind::Number { min, max } = key.kind {
                let largest = ["passwordMinLength", "candleLightingMinutes"].contains(&key.name);
                let end = if largest { max } else { min };
                assert_eq!(value, json!(end), "{}", key.name);
            }
        }
    }

    #[test]
    fn settings_that_cannot_be_read_at_all_are_the_strictest() {
        let strict = read_map(Map::from_iter([("timezone".to_owned(), json!(7))]));
        assert_eq!(strict.access, crate::access::Access::Families);
        assert!(!strict.user_registrations);
    }

    #[test]
    fn what_is_not_json_is_invalid_also_where_null_is_a_value() {
        for (key, text) in [("logo", "{"), ("quietDates", "[")] {
            let (_, invalid) = merge(vec![(key.to_owned(), text.to_owned())]);
            assert_eq!(invalid.iter().map(|value| value.key).collect::<Vec<_>>(), [key]);
        }
    }
}
