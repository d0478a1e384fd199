//! What strangers try, and that they do not succeed.

mod addresses;
mod connections;
mod costs;
mod generated;
mod headers;
mod inputs;
mod mail;
mod metrics;
mod networks;
mod settings;
mod wire;
