//! The domain of the portal, independent of how it is reached.
//!
//! Each noun of the camp is a module. `app`, `db`, `jobs`, `mail` and `files` are the
//! infrastructure.

#![cfg_attr(test, allow(clippy::too_many_lines))]

mod app;
mod bidi;
mod colors;
mod compose;
mod cryptography;
mod data_folder;
mod email_address;
mod error;
mod ids;
#[cfg(test)]
mod layers;
mod pending_views;
mod people_cache;
mod startup;
#[cfg(test)]
mod statements;
mod text_enum;
mod text_links;

pub mod access;
pub mod accounts;
pub mod alerts;
pub mod analytics;
pub mod audit;
pub mod backup;
pub mod bounces;
pub mod branding;
pub mod clock;
pub mod comments;
pub mod config;
mod content_cache;
pub mod conversion;
pub mod dates;
pub mod db;
mod delivery;
pub mod device;
pub mod doctor;
pub mod event_feed;
pub mod events;
pub mod families;
pub mod family_admin;
pub mod faq;
pub mod fetch;
mod ffmpeg;
pub mod file_permissions;
mod files;
pub mod gallery;
pub mod hashing;
pub mod idempotency;
pub mod jobs;
pub mod mail;
pub mod mail_samples;
pub mod messages;
pub mod money;
pub mod newsletters;
pub mod notifications;
pub mod pagination;
pub mod payments;
pub mod pictures;
pub mod quiet_time;
pub mod rate_limits;
pub mod root;
pub mod search_text;
pub mod seed;
pub mod settings;
pub mod settings_admin;
pub mod spreadsheet;
pub mod store;
pub mod subscribers;
mod text;
pub mod unsubscribe;
pub mod unused_files;
pub mod updates;
pub mod uploads;
pub mod users;
pub mod validation;
pub mod videos;
pub mod view_counts;
mod webp;
mod webp_copies;

pub use app::{App, Keys};
pub use config::Config;
pub use data_folder::exclusive_lock;
pub use email_address::EmailAddress;
pub use error::{Error, FieldError, OrTaken, Result};
pub use ids::{FamilyId, StaffId, UserId};
