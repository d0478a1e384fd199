//! What the settings say about quiet time (decision M9).

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::Settings;
use crate::access::Access;
use crate::quiet_time::{Hours, Schedule, Window};

/// Pages announce a quiet time this long before it begins.
const ANNOUNCED: TimeDelta = TimeDelta::hours(24);

/// What changes in quiet time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShabbosMode {
    None,
    /// Mail and notifications wait.
    Quiet,
    /// As `Quiet`, and only staff may watch.
    Closed,
}

/// What begins and ends quiet time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuietHours {
    CandleLighting,
    Fixed,
}

impl Settings {
    /// The schedule of quiet time, whether or not it is switched on.
    pub fn quiet_schedule(&self) -> Schedule {
        let hours = match self.quiet_hours {
            QuietHours::CandleLighting => Hours::Sun {
                place: self.quiet_place,
                candle_lighting_minutes: self.candle_lighting_minutes,
                nightfall: self.nightfall,
            },
            QuietHours::Fixed => Hours::Fixed { start: self.quiet_start, end: self.quiet_end },
        };
        let extra = self.quiet_dates.clone();
        Schedule { zone: self.timezone, hours, yom_tov: self.yom_tov, extra }
    }

    /// The quiet time at this time.
    pub fn quiet_window(&self, at: DateTime<Utc>) -> Option<Window> {
        match self.shabbos_mode {
            ShabbosMode::None => None,
            ShabbosMode::Quiet | ShabbosMode::Closed => self.quiet_schedule().window_at(at),
        }
    }

    /// The quiet time that is on now or begins in the next 24 hours, if pages announce it. A closed
    /// site always does.
    pub fn announced_quiet_time(&self, at: DateTime<Utc>) -> Option<Window> {
        let is_announced = match self.shabbos_mode {
            ShabbosMode::None => false,
            ShabbosMode::Quiet => self.quiet_notice,
            ShabbosMode::Closed => true,
        };
        let window = is_announced.then(|| self.quiet_schedule().next(at)).flatten()?;
        (window.starts_at <= at + ANNOUNCED).then_some(window)
    }

    /// When quiet time begins, if it does before `to`.
    pub fn next_quiet_start(&self, at: DateTime<Utc>, to: DateTime<Utc>) -> Option<DateTime<Utc>> {
        if self.shabbos_mode == ShabbosMode::None {
            return None;
        }
        let windows = self.quiet_schedule().windows(at, to);
        windows.first().map(|window| window.starts_at)
    }

    /// The next time after this one, and before `to`, at which quiet time begins or ends.
    pub fn next_quiet_change(&self, at: DateTime<Utc>, to: DateTime<Utc>) -> Option<DateTime<Utc>> {
        if self.shabbos_mode == ShabbosMode::None {
            return None;
        }
        let windows = self.quiet_schedule().windows(at, to);
        let changes = windows.iter().flat_map(|window| [window.starts_at, window.ends_at]);
        changes.filter(|change| (at..to).contains(change) && *change != at).min()
    }

    /// The last quiet time that ended within the 24 hours before this time.
    pub fn last_quiet_window(&self, at: DateTime<Utc>) -> Option<Window> {
        if self.shabbos_mode == ShabbosMode::None {
            return None;
        }
        let windows = self.quiet_schedule().windows(at - TimeDelta::hours(24), at);
        windows.into_iter().rfind(|window| window.ends_at <= at)
    }

    /// The end of the quiet time at this time.
    pub fn quiet_until(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.quiet_window(at).map(|window| window.ends_at)
    }

    /// When an email that families may switch off goes out if it is made at this time.
    pub fn mail_time(&self, at: DateTime<Utc>) -> DateTime<Utc> {
        self.quiet_until(at).unwrap_or(at)
    }

    /// When a video that is scheduled for this time is published.
    pub fn publication_time(&self, at: DateTime<Utc>) -> DateTime<Utc> {
        match self.quiet_holds_videos {
            true => self.mail_time(at),
            false => at,
        }
    }

    /// How much of the time between two moments is quiet time.
    pub fn quiet_between(&self, from: DateTime<Utc>, to: DateTime<Utc>) -> TimeDelta {
        if self.shabbos_mode == ShabbosMode::None {
            return TimeDelta::zero();
        }
        let windows = self.quiet_schedule().windows(from, to);
        windows.iter().map(|window| window.ends_at.min(to) - window.starts_at.max(from)).sum()
    }

    pub(super) fn is_closed(&self, at: DateTime<Utc>) -> bool {
        self.shabbos_mode == ShabbosMode::Closed && self.quiet_window(at).is_some()
    }

    /// Who may watch now. All that shows videos and updates uses it instead of `access`.
    pub fn watch_access(&self) -> Access {
        match self.closed_now {
            true => Access::Closed,
            false => self.access,
        }
    }

    /// Why the settings of quiet time do not fit together: the setting, and a sentence.
    pub fn quiet_problem(&self) -> Option<(&'static str, String)> {
        if self.quiet_hours != QuietHours::Fixed {
            return None;
        }
        let hours = self.quiet_start.hours_until(self.quiet_end);
        let problem = match hours {
            0 => "Quiet time must not end at the time at which it begins.".to_owned(),
            1..=72 => return None,
            _ => format!(
                "Quiet time would last {hours} of the 168 hours of a week, and at most 72 are \
                 possible. Please check whether its start and its end are swapped."
            ),
        };
        Some(("quietEnd", problem))
    }
}
