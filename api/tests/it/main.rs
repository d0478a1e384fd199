//! Tests of the portal over HTTP, on SQLite and PostgreSQL.

#![allow(clippy::too_many_lines)]

/// Uses the allocator of the program itself. With glibc's, hashing one password may page-fault 19
/// MB and hashing the next one may not, which hides what is measured.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[macro_use]
mod camp;
mod accounts;
mod admin_videos;
mod alerts;
mod analytics;
mod answers;
mod attacks;
mod audit;
mod audit_lines;
mod bounces;
mod clock;
mod comments;
mod content_versions;
mod conversion;
mod dates;
mod digest;
mod erasure;
mod events;
mod families;
mod family_import_tables;
mod family_imports;
mod family_membership;
mod family_merging;
mod faq;
mod feeds;
mod first_answers;
mod idempotency;
mod late_video;
mod linking;
mod mail;
mod mail_samples;
mod mail_snapshots;
mod media;
mod messages;
mod newsletters;
mod payment_notes;
mod payment_reminders;
mod payments;
mod quiet_time;
mod response_cache;
mod routes;
mod schedule;
mod season;
mod second_guardians;
mod settings;
mod staff;
mod staff_accounts;
mod staff_credentials;
mod store;
mod unsubscribing;
mod unwanted_mail;
mod updates;
mod uploads;
mod video_details;
mod videos;
mod watching;
mod webp;
