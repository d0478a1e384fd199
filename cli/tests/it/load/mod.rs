//! The real program under clients that are many, slow, odd or suddenly gone. `CAMP_CHAOS=1` makes them
//! as many as the promises say, holds the program to the promised times and prints the figures; without
//! it they are few, and the times are generous, since other tests run beside these.

mod gone;
mod memory;
mod portal;
mod slow;
mod stopping;

use std::time::Duration;

/// `just chaos` tries harder.
fn chaos() -> bool {
    std::env::var_os("CAMP_CHAOS").is_some()
}

/// What a sorted list of times says of nearly all of them.
fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
