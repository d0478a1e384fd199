//! Fault injection: full disks, locked databases, killed processes, servers and peers that vanish. Short
//! in `just test`, longer in `just chaos`; each test prints its measurements.

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
