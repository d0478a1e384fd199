//! Input of staff about a video, and its validation.

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Status;
use super::chapters;
use super::link;
use super::record::{Record, Source};
use crate::clock::{day_in, moment_in, wall_time};
use crate::dates;
use crate::error::FieldError;
use crate::settings::Settings;
use crate::validation::{Validator, given};
use crate::{Error, Result};

const TITLE: usize = 200;
const DESCRIPTION: usize = 5000;

/// A new video of staff or an import.
#[derive(Debug, Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewVideo {
    pub title: String,
    /// A link to Drive, to YouTube or to a media file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub video_url: Option<String>,
    /// Instead of a link: a file that is being uploaded or was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upload_id: Option<Uuid>,
    pub description: Option<String>,
    /// The day filmed. The default is today in the camp's time zone.
    pub upload_date: Option<NaiveDate>,
    #[serde(default = "published")]
    pub status: Status,
    /// When to publish, as the camp's local time `YYYY-MM-DDTHH:MM`. Required with the status
    /// `scheduled`, and otherwise not allowed.
    pub scheduled_date: Option<String>,
    #[serde(default)]
    pub is_featured: bool,
}

/// A video of an earlier summer.
#[derive(Debug, Clone, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewGalleryVideo {
    pub title: String,
    pub description: Option<String>,
    /// As in a new video.
    pub video_url: Option<String>,
    /// As in a new video.
    pub upload_id: Option<Uuid>,
    /// One of the ten years before this one.
    pub year: i32,
    #[serde(default = "published")]
    pub status: Status,
    /// As in a new video.
    pub scheduled_date: Option<String>,
}

/// Changes of the edit panel. Omitted fields stay as they are.
#[derive(Debug, Clone, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = VideoPatch)]
pub struct VideoChanges {
    /// The version that was read. A change by somebody else since then is not overwritten.
    pub version: i64,
    pub title: Option<String>,
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub description: Option<Option<String>>,
    pub video_url: Option<String>,
    /// Instead of another link: a file that is being uploaded or was. Until it is ready, the video
    /// shows what it showed before.
    pub upload_id: Option<Uuid>,
    pub upload_date: Option<NaiveDate>,
    pub is_featured: Option<bool>,
    /// One line for each chapter of a file of the portal, such as `0:42 Bunk 7`.
    pub chapters: Option<String>,
    /// Whether viewers may download a file of the portal.
    pub is_downloadable: Option<bool>,
    /// Which picture of the conversion is shown before the video plays: 1 to 3, or 0 for the one that
    /// the conversion proposes.
    pub poster: Option<i64>,
    pub status: Option<Status>,
    /// When to publish, as the camp's local time `YYYY-MM-DDTHH:MM`.
    #[serde(default, deserialize_with = "given")]
    #[schema(value_type = Option<String>)]
    pub scheduled_date: Option<Option<String>>,
}

fn published() -> Status {
    Status::Published
}

impl NewVideo {
    /// Checks everything that can be known without the database.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with one sentence for each wrong field.
    pub fn check(&self, settings: &Settings, now: DateTime<Utc>) -> Result<()> {
        let mut checks = Validator::new();
        self.record(settings, now, &mut checks, None);
        checks.done()
    }

    /// As [`NewVideo::check`], for a video whose file is not known yet.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with one sentence for each wrong field.
    pub(crate) fn check_texts(&self, settings: &Settings, now: DateTime<Utc>) -> Result<()> {
        let mut checks = Validator::new();
        self.record(settings, now, &mut checks, Some(Source::default()));
        checks.done()
    }

    pub(super) fn record(
        &self,
        settings: &Settings,
        now: DateTime<Utc>,
        checks: &mut Validator,
        own_file: Option<Source>,
    ) -> Record {
        let title = checks.line("title", &self.title, TITLE);
        checks.require(title.chars().count() >= 2, "title", "Title must be at least 2 characters.");
        let source = match own_file {
            Some(source) => source,
            None => self.link(checks),
        };
        let upload_date = self.upload_date.unwrap_or_else(|| day_in(settings.timezone, now));
        check_day(checks, upload_date, settings, now);
        let moment = moment(checks, self.scheduled_date.as_deref(), settings, now);
        let scheduled_date = match (self.status, moment) {
            (Status::Scheduled, None) if self.scheduled_date.is_none() => {
                checks.refuse("scheduled_date", NO_MOMENT);
                None
            }
            (Status::Scheduled, moment) => {
                check_future(checks, moment, now);
                moment
            }
            (_, None) => None,
            (_, Some(_)) => {
                checks.refuse("scheduled_date", ONLY_SCHEDULED);
                None
            }
        };
        Record {
            title,
            description: description(checks, self.description.as_deref()),
            source,
            upload_date,
            year: upload_date.year().into(),
            status: self.status,
            scheduled_date,
            published_at: (self.status == Status::Published).then_some(now),
            is_featured: self.is_featured,
            chapters: None,
            is_downloadable: false,
            version: 1,
        }
    }
}

impl NewVideo {
    fn link(&self, checks: &mut Validator) -> Source {
        match (&self.video_url, self.upload_id) {
            (Some(typed), None) => link_of(checks, typed),
            (None, Some(_)) => Source::default(),
            (None, None) => link_of(checks, ""),
            (Some(_), Some(_)) => {
                checks.refuse("upload_id", ONE_SOURCE);
                Source::default()
            }
        }
    }
}

impl NewGalleryVideo {
    /// Converts it to a new video of July 1 of that year.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] for a year out of range.
    pub(crate) fn as_video(&self, settings: &Settings, now: DateTime<Utc>) -> Result<NewVideo> {
        let this_year = day_in(settings.timezone, now).year();
        let year = Some(self.year).filter(|year| (this_year - 10..this_year).contains(year));
        let Some(day) = year.and_then(|year| NaiveDate::from_ymd_opt(year, 7, 1)) else {
            return Err(Error::invalid("year", "Please choose one of the ten years before this."));
        };
        Ok(NewVideo {
            title: self.title.clone(),
            video_url: self.video_url.clone(),
            upload_id: self.upload_id,
            description: self.description.clone(),
            upload_date: Some(day),
            status: self.status,
            scheduled_date: self.scheduled_date.clone(),
            is_featured: false,
        })
    }
}

impl VideoChanges {
    /// Applies the changes to a record. An unchanged status stays (decision V3). The caller sets
    /// the time of publication.
    pub(super) fn apply(
        &self,
        old: &Record,
        settings: &Settings,
        now: DateTime<Utc>,
    ) -> Result<Record> {
        let mut checks = Validator::new();
        let mut new = old.clone();
        if let Some(title) = &self.title {
            new.title = checks.line("title", title, TITLE);
            checks.require(!new.title.is_empty(), "title", "Title is required");
        }
        if let Some(text) = &self.description {
            new.description = description(&mut checks, text.as_deref());
        }
        if let Some(typed) = &self.video_url
            && typed.trim() != old.source.video_url
        {
            checks.require(self.upload_id.is_none(), "upload_id", ONE_SOURCE);
            let source = link_of(&mut checks, typed);
            if source.video_url != old.source.video_url {
                new.source = source;
            }
        }
        if let Some(day) = self.upload_date {
            check_day(&mut checks, day, settings, now);
            new.upload_date = day;
            new.year = day.year().into();
        }
        new.is_featured = self.is_featured.unwrap_or(old.is_featured);
        new.is_downloadable = self.is_downloadable.unwrap_or(old.is_downloadable);
        if let Some(typed) = &self.chapters {
            // The length of another film is not known yet.
            let is_same = self.upload_id.is_none() && self.video_url.is_none();
            match chapters::read(typed, old.source.duration_seconds.filter(|_| is_same)) {
                Ok(read) => new.chapters = chapters::lines(&read),
                Err(problem) => checks.refuse("chapters", problem),
            }
        }
        self.apply_status(&mut new, &mut checks, settings, now);
        checks.done()?;
        Ok(new)
    }

    fn apply_status(
        &self,
        new: &mut Record,
        checks: &mut Validator,
        settings: &Settings,
        now: DateTime<Utc>,
    ) {
        use Status::{Published, Scheduled};
        let typed = self.scheduled_date.as_ref().and_then(Option::as_deref);
        let moment = moment(checks, typed, settings, now);
        if typed.is_some() && moment.is_none() {
            return;
        }
        let (before, scheduled_before) = (new.status, new.scheduled_date);
        (new.status, new.scheduled_date) = match (self.status, &self.scheduled_date, moment) {
            (None, None, _) => return,
            (Some(Scheduled), None, _) if before == Scheduled => return,
            // A date alone schedules a draft, but does not unpublish a published video.
            (None, _, Some(_)) if before == Published => {
                return checks.refuse("scheduled_date", ONLY_SCHEDULED);
            }
            (None | Some(Scheduled), _, Some(at)) => {
                if scheduled_before != Some(at) {
                    check_future(checks, moment, now);
                }
                (Scheduled, Some(at))
            }
            (None, _, None) if before != Scheduled => return,
            (None | Some(Scheduled), _, None) => {
                return checks.refuse("scheduled_date", NO_MOMENT);
            }
            (Some(_), _, Some(_)) => return checks.refuse("scheduled_date", ONLY_SCHEDULED),
            (Some(status), _, None) => (status, None),
        };
    }
}

const ONE_SOURCE: &str = "Please give a link or a file, not both.";
const NO_MOMENT: &str = "Please choose a date and time.";
const ONLY_SCHEDULED: &str = "You can set a date only when the status is Scheduled.";

fn description(checks: &mut Validator, text: Option<&str>) -> Option<String> {
    let text = checks.block("description", text?, DESCRIPTION);
    (!text.is_empty()).then_some(text)
}

fn link_of(checks: &mut Validator, typed: &str) -> Source {
    match link::parse(typed) {
        Ok(link) => Source::from(link),
        Err(error) => {
            refuse_all(checks, error);
            Source::default()
        }
    }
}

fn refuse_all(checks: &mut Validator, error: Error) {
    if let Error::Invalid(wrong) = error {
        for FieldError { field, message } in wrong {
            checks.refuse(&field, message);
        }
    }
}

fn check_day(checks: &mut Validator, day: NaiveDate, settings: &Settings, now: DateTime<Utc>) {
    let today = day_in(settings.timezone, now);
    checks.require(day <= today, "upload_date", "The upload date cannot be in the future.");
    checks.require(day.year() >= 1900, "upload_date", "Please enter a valid date.");
}

fn check_future(checks: &mut Validator, moment: Option<DateTime<Utc>>, now: DateTime<Utc>) {
    if let Some(at) = moment {
        checks.require(at > now, "scheduled_date", "Please choose a date and time in the future.");
    }
}

/// Converts the camp's local time to UTC. Without a time of day, it is 9 a.m.
fn moment(
    checks: &mut Validator,
    typed: Option<&str>,
    settings: &Settings,
    now: DateTime<Utc>,
) -> Option<DateTime<Utc>> {
    let typed = typed?.trim();
    let nine = NaiveTime::from_hms_opt(9, 0, 0).unwrap_or_default();
    let local = wall_time(typed)
        .or_else(|| Some(NaiveDate::parse_from_str(typed, "%Y-%m-%d").ok()?.and_time(nine)))
        .filter(|local| (1900..=now.year() + 10).contains(&local.year()));
    if local.is_none() {
        let valid = || "Please enter a valid date and time.".to_owned();
        checks.refuse("scheduled_date", dates::missing_in(typed).unwrap_or_else(valid));
    }
    Some(moment_in(settings.timezone, local?))
}
