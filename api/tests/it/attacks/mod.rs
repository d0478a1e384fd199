//! Attacks by strangers. None of them succeeds.

mod accounts;
mod addresses;
mod connections;
mod contact;
mod costs;
mod credentials;
mod ended_sessions;
mod event_streams;
mod families;
mod generated;
mod headers;
mod inputs;
mod known_browsers;
mod mail;
mod metrics;
mod networks;
mod outputs;
mod second_addresses;
mod settings;
mod sign_in;
mod wire;
