//! Places whose sunset decides when the portal rests.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// Farther north and south there are days without a sunset.
const FARTHEST: f64 = 65.0;

/// A place on earth, in degrees; north and east are positive.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(into = "String")]
pub struct Place {
    pub latitude: f64,
    pub longitude: f64,
    name: Option<&'static str>,
}

const fn place(name: &'static str, latitude: f64, longitude: f64) -> Place {
    Place { latitude, longitude, name: Some(name) }
}

/// The places that can be chosen by name.
pub const PLACES: &[Place] = &[
    place("Antwerp", 51.2194, 4.4025),
    place("Baltimore, MD", 39.2904, -76.6122),
    place("Bnei Brak", 32.0807, 34.8338),
    place("Brooklyn, NY", 40.6501, -73.9496),
    place("Chicago, IL", 41.8781, -87.6298),
    place("Gateshead", 54.9526, -1.6034),
    place("Jerusalem", 31.7690, 35.2163),
    place("Johannesburg", -26.2041, 28.0473),
    place("Lakewood, NJ", 40.0978, -74.2176),
    place("Liberty, NY", 41.8012, -74.7466),
    place("London", 51.5085, -0.1257),
    place("Los Angeles, CA", 34.0522, -118.2437),
    place("Manchester", 53.4808, -2.2426),
    place("Melbourne", -37.8136, 144.9631),
    place("Miami, FL", 25.7617, -80.1918),
    place("Monroe, NY", 41.3306, -74.1868),
    place("Monsey, NY", 41.1112, -74.0685),
    place("Monticello, NY", 41.6556, -74.6893),
    place("Montreal", 45.5088, -73.5878),
    place("Toronto", 43.6532, -79.3832),
];

impl Default for Place {
    fn default() -> Place {
        place("Monsey, NY", 41.1112, -74.0685)
    }
}

impl Place {
    /// Parses a name of [`PLACES`], or latitude and longitude in degrees: "41.11, -74.07".
    pub fn read(text: &str) -> Option<Place> {
        let text = text.trim();
        if let Some(known) = PLACES
            .iter()
            .find(|place| place.name.is_some_and(|name| name.eq_ignore_ascii_case(text)))
        {
            return Some(*known);
        }
        let (latitude, longitude) = text.split_once([',', ' '])?;
        let latitude = degrees(latitude).filter(|degrees| degrees.abs() <= FARTHEST)?;
        let longitude = degrees(longitude).filter(|degrees| degrees.abs() <= 180.0)?;
        Some(Place { latitude, longitude, name: None })
    }

    /// The offset of the sun's time from UTC, in hours.
    pub(crate) fn sun_hours(&self) -> f64 {
        self.longitude / 15.0
    }
}

/// Rounded to about ten meters.
fn degrees(text: &str) -> Option<f64> {
    let degrees: f64 = text.trim().trim_end_matches('°').parse().ok()?;
    degrees.is_finite().then(|| (degrees * 10_000.0).round() / 10_000.0 + 0.0)
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name {
            Some(name) => out.write_str(name),
            None => write!(out, "{}, {}", self.latitude, self.longitude),
        }
    }
}

impl From<Place> for String {
    fn from(place: Place) -> String {
        place.to_string()
    }
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Place, D::Error> {
        let text = String::deserialize(from)?;
        Place::read(&text).ok_or_else(|| D::Error::custom("not a place"))
    }
}
