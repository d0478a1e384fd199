//! The portal as people meet it, over HTTP, on SQLite and on PostgreSQL.

#[macro_use]
mod camp;
mod accounts;
mod alerts;
mod analytics;
mod attacks;
mod audit;
mod audit_lines;
mod belonging;
mod comments;
mod events;
mod families;
mod family_imports;
mod faq;
mod feeds;
mod forgetting;
mod letters;
mod linking;
mod mail;
mod media;
mod messages;
mod once;
mod payment_notes;
mod payments;
mod routes;
mod schedule;
mod settings;
mod staff;
mod staff_accounts;
mod staff_keys;
mod store;
mod unsubscribing;
mod updates;
mod videos;
mod videos_desk;
mod watching;
