//! Texts and pictures of the sample camps.

use chrono_tz::Tz;
use serde::Deserialize;
use serde_json::Value;

use super::Sample;
use crate::{Error, Result};

/// The part of the content file that is used.
#[derive(Deserialize)]
pub struct Content {
    pub camp: Camp,
    pub video_titles: Vec<Title>,
    pub families: Names,
    pub comments: Vec<Remark>,
    pub staff: Vec<Member>,
    pub products: Vec<super::products::Product>,
    pub messages: Vec<super::messages::Message>,
    pub faq: Vec<super::faq::Answer>,
    pub updates: Vec<super::updates::Announcement>,
}

#[derive(Deserialize)]
pub struct Camp {
    pub site_name: String,
    pub site_name_yi: Option<String>,
    pub site_description: String,
    pub contact_email: String,
    pub contact_phone: String,
    pub timezone: Tz,
}

#[derive(Deserialize)]
pub struct Title {
    pub title: String,
    pub description: Option<String>,
    /// The name of the sample video file.
    pub media: String,
    pub kind: Kind,
    /// The only day of the summer to which it fits, from 1.
    pub only_day: Option<u32>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Day,
    Shabbos,
    Special,
}

#[derive(Deserialize)]
pub struct Names {
    pub mothers: Vec<Name>,
    pub fathers: Vec<Name>,
    pub surnames: Vec<Name>,
    pub boys: Vec<Name>,
    #[serde(default)]
    pub girls: Vec<Name>,
}

#[derive(Deserialize)]
pub struct Name {
    pub latin: String,
    pub hebrew: Option<String>,
}

#[derive(Deserialize)]
pub struct Remark {
    pub text: String,
    /// A comment that readers would report.
    pub reportable: bool,
}

#[derive(Deserialize)]
pub struct Member {
    pub username: String,
    pub email: String,
    pub role: String,
    pub disabled: bool,
}

/// Fails with [`Error::Unforeseen`] when `content.json` does not have the expected form.
pub fn read(sample: Sample) -> Result<Content> {
    let all: Value =
        serde_json::from_str(include_str!("content.json")).map_err(Error::unforeseen)?;
    let one = match sample {
        Sample::Yiddish => &all,
        Sample::General => &all["general"],
    };
    Content::deserialize(one).map_err(Error::unforeseen)
}

/// A sample video file: its name, the file keys, and its length in seconds.
pub struct Media {
    pub name: &'static str,
    pub film: &'static [u8],
    pub picture: &'static [u8],
    pub seconds: i64,
}

macro_rules! media {
    ($($name:literal $seconds:literal),* $(,)?) => {
        &[$(Media {
            name: $name,
            film: include_bytes!(concat!("media/", $name, ".mp4")),
            picture: include_bytes!(concat!("media/", $name, ".jpg")),
            seconds: $seconds,
        }),*]
    };
}

pub static MEDIA: &[Media] = media![
    "baseball" 7, "campfire" 7, "colorwar" 7, "colorwar-breakout" 7, "colorwar-sing" 7, "hike" 7,
    "lake" 7, "shabbos" 8, "siyum" 7, "swim" 8, "visitingday" 8,
];

impl Media {
    pub fn film_key(&self) -> String {
        format!("samples/{}.mp4", self.name)
    }

    pub fn picture_key(&self) -> String {
        format!("samples/{}.jpg", self.name)
    }
}

pub fn media(name: &str) -> &'static Media {
    MEDIA.iter().find(|media| media.name == name).unwrap_or(&MEDIA[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_camps_can_be_read_and_every_title_has_its_film() {
        for sample in [Sample::Yiddish, Sample::General] {
            let content = read(sample).expect("readable");
            assert_eq!(content.staff.iter().filter(|m| m.role == "owner").count(), 1);
            for title in &content.video_titles {
                assert_eq!(media(&title.media).name, title.media);
            }
        }
    }
}
