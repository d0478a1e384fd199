//! The days of Yom Tov as Hebrew dates. Intermediate days and fasts are not among them, apart from Yom
//! Kippur; a camp adds those that it keeps by hand.

use chrono::{Datelike, NaiveDate};
use icu_calendar::Date;
use icu_calendar::cal::Hebrew;
use serde::{Deserialize, Serialize};

/// Whose days of Yom Tov are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum YomTov {
    None,
    /// Two days, as everywhere outside of Israel.
    Diaspora,
    Israel,
}

// The months of the Hebrew year, counted from Tishrei; Adar II is month 6 as well.
const TISHREI: u8 = 1;
const NISAN: u8 = 7;
const SIVAN: u8 = 9;

/// Month, day, whether it is kept in Israel, and the name.
const DAYS: &[(u8, u8, bool, &str)] = &[
    (TISHREI, 1, true, "Rosh Hashanah"),
    (TISHREI, 2, true, "Rosh Hashanah"),
    (TISHREI, 10, true, "Yom Kippur"),
    (TISHREI, 15, true, "Sukkos"),
    (TISHREI, 16, false, "Sukkos"),
    (TISHREI, 22, true, "Shemini Atzeres"),
    (TISHREI, 23, false, "Simchas Torah"),
    (NISAN, 15, true, "Pesach"),
    (NISAN, 16, false, "Pesach"),
    (NISAN, 21, true, "Pesach"),
    (NISAN, 22, false, "Pesach"),
    (SIVAN, 6, true, "Shavuos"),
    (SIVAN, 7, false, "Shavuos"),
];

impl YomTov {
    /// Returns the name of the Yom Tov on this day.
    pub fn on(self, day: NaiveDate) -> Option<&'static str> {
        if self == YomTov::None {
            return None;
        }
        let (month, date) = hebrew(day)?;
        DAYS.iter()
            .find(|(m, d, israel, _)| {
                (*m, *d) == (month, date) && (*israel || self == YomTov::Diaspora)
            })
            .map(|(.., name)| *name)
    }
}

/// Month and day in the Hebrew calendar, of the daytime of that date.
fn hebrew(day: NaiveDate) -> Option<(u8, u8)> {
    let iso = Date::try_new_iso(day.year(), day.month() as u8, day.day() as u8).ok()?;
    let date = iso.to_calendar(Hebrew);
    let month = date.month();
    let month = month.to_input();
    (!month.is_leap()).then(|| (month.number(), date.day_of_month().0))
}
