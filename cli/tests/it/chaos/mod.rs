//! Faults on purpose: full disks, locked databases, killed processes, servers and peers that go
//! away. Short in `just test`, longer with `just chaos`; each prints its figures.

mod disk;
mod half_open;
mod killed;
mod locked;
mod postgres;
mod site;

/// `just chaos` tries longer.
pub fn long() -> bool {
    std::env::var_os("CAMP_CHAOS").is_some()
}
