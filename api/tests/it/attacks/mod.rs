//! What strangers try, and that they do not succeed.

mod connections;
mod costs;
mod generated;
mod inputs;
mod mail;
mod metrics;
mod networks;
mod wire;
