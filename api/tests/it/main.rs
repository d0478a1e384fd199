//! The portal as people meet it, over HTTP, on SQLite and on PostgreSQL.

#[macro_use]
mod camp;
mod accounts;
mod routes;
mod staff;
