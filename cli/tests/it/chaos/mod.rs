//! Fault injection: full disks, locked databases, killed processes, and servers and peers that
//! vanish. The tests are short in `just test` and longer in `just chaos`. Each one prints its
//! measurements.

mod bucket;
mod conversions;
mod disk;
mod files;
mod films;
mod half_open;
mod killed;
mod locked;
mod postgres;
pub mod site;

/// Whether `just chaos` runs, which takes longer.
pub fn long() -> bool {
    std::env::var_os("CAMP_CHAOS").is_some()
}
