//! Tests of the command line with the real binary, on SQLite and PostgreSQL.

#![allow(clippy::too_many_lines)]

mod admin;
mod backup;
mod bucket;
mod camp;
mod chaos;
mod dkim;
mod doctor;
mod family;
mod file_permissions;
mod gallery;
mod help;
mod load;
mod logs;
mod mail;
mod mail_preview;
mod new_camp;
mod releases;
mod s3;
mod seed;
mod settings;
mod sink;
mod sweeping;
mod upgrade;
mod videos;
