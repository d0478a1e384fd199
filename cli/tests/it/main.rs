//! The command line through the real binary, on SQLite and on PostgreSQL.

mod admin;
mod backup;
mod bucket;
mod camp;
mod doctor;
mod family;
mod gallery;
mod help;
mod load;
mod logs;
mod mail;
mod seed;
mod settings;
mod sink;
mod upgrade;
