//! Load tests of the real program with many, slow, malformed or vanishing clients. `CAMP_CHAOS=1`
//! uses the promised numbers of clients and times, and prints measurements. Without it there are
//! few clients and generous times, because other tests run at the same time.

mod disconnects;
mod memory;
mod portal;
mod slow;
mod stopping;

use std::time::Duration;

/// Whether `just chaos` runs, which uses more clients.
fn chaos() -> bool {
    std::env::var_os("CAMP_CHAOS").is_some()
}

/// A high percentile of a sorted list of times.
fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
