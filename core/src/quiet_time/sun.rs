//! Sunset and nightfall at a place, as published tables give them: at sea level, with the usual
//! refraction. Precise to about a minute between 65° south and 65° north.

use std::fmt;

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use sunrise::{Coordinates, SolarDay, SolarEvent};

use super::Place;

/// When the night begins and a rest day ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Nightfall {
    /// The sun is this far below the horizon, in hundredths of a degree.
    Degrees(i64),
    /// Minutes after sunset.
    Minutes(i64),
}

impl Nightfall {
    /// Parses "8.5 degrees" (4 to 12) or "72 minutes" (20 to 120).
    pub fn read(text: &str) -> Option<Nightfall> {
        let (number, unit) = text.trim().split_once(' ')?;
        let number: f64 = number.parse().ok().filter(|number: &f64| number.is_finite())?;
        let fits = |low: f64, high: f64| (low..=high).contains(&number);
        match unit.trim() {
            "degrees" if fits(4.0, 12.0) => {
                Some(Nightfall::Degrees((number * 100.0).round() as i64))
            }
            "minutes" if fits(20.0, 120.0) => Some(Nightfall::Minutes(number.round() as i64)),
            _ => None,
        }
    }
}

impl fmt::Display for Nightfall {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Nightfall::Degrees(hundredths) => write!(out, "{} degrees", *hundredths as f64 / 100.0),
            Nightfall::Minutes(minutes) => write!(out, "{minutes} minutes"),
        }
    }
}

impl From<Nightfall> for String {
    fn from(nightfall: Nightfall) -> String {
        nightfall.to_string()
    }
}

impl TryFrom<String> for Nightfall {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Nightfall, Self::Error> {
        Nightfall::read(&text).ok_or("neither degrees nor minutes")
    }
}

/// When the upper edge of the sun disappears on this day.
pub(super) fn sunset(place: &Place, day: NaiveDate) -> DateTime<Utc> {
    // Between the latitudes that a place may have, the sun sets every day.
    event(place, day, SolarEvent::Sunset).unwrap_or_else(|| day.and_time(NaiveTime::MIN).and_utc())
}

pub(super) fn nightfall(place: &Place, day: NaiveDate, nightfall: Nightfall) -> DateTime<Utc> {
    let sunset = sunset(place, day);
    match nightfall {
        Nightfall::Minutes(minutes) => sunset + TimeDelta::minutes(minutes),
        Nightfall::Degrees(hundredths) => {
            // Below the horizon is positive in this crate.
            let elevation = (hundredths as f64 / 100.0).to_radians();
            let dark = SolarEvent::Elevation { elevation, morning: false };
            event(place, day, dark).unwrap_or_else(|| middle_of_night(place, day, sunset))
        }
    }
}

/// In a northern summer the sun may not sink that low. Then the night is darkest halfway to
/// sunrise.
fn middle_of_night(place: &Place, day: NaiveDate, sunset: DateTime<Utc>) -> DateTime<Utc> {
    let sunrise = event(place, day + Days::new(1), SolarEvent::Sunrise);
    sunrise.map_or(sunset, |sunrise| sunset + (sunrise - sunset) / 2)
}

/// The crate takes the sun's position at noon for the whole day. In between, the times of two days are
/// interpolated, which halves the error or better: at most a minute.
fn event(place: &Place, day: NaiveDate, event: SolarEvent) -> Option<DateTime<Utc>> {
    let coordinates = Coordinates::new(place.latitude, place.longitude)?;
    let by_noon = |day| SolarDay::new(coordinates, day).event_time(event);
    let at = by_noon(day)?;
    let noon = day.and_time(NaiveTime::MIN).and_utc()
        + TimeDelta::seconds(((12.0 - place.sun_hours()) * 3600.0) as i64);
    let since_noon = (at - noon).num_seconds() as f64 / 86_400.0;
    let neighbor = if since_noon < 0.0 { day - Days::new(1) } else { day + Days::new(1) };
    let Some(other) = by_noon(neighbor) else { return Some(at) };
    let change = (other - at).num_seconds().abs() - 86_400;
    let change = if since_noon < 0.0 { -change } else { change };
    Some(at + TimeDelta::seconds((change as f64 * since_noon.abs()) as i64))
}
