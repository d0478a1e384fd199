//! Gives freed memory back to the kernel while nothing else happens.

use std::hint::black_box;
use std::thread::{self, Builder};
use std::time::Duration;

/// How often it is given back.
const INTERVAL: Duration = Duration::from_secs(5);

/// Starts the thread that does it. The allocator gives memory back a second after it was freed, but
/// only when a thread frees more of it or ends: after the last of many sign-ins the 40 MB of their
/// hashes stayed for as long as nobody came. So a thread ends every few seconds.
///
/// # Errors
///
/// Those of starting a thread.
pub fn give_back() -> std::io::Result<()> {
    let begins_and_ends = || drop(black_box(Box::new(0_u64)));
    let body = move || {
        loop {
            thread::sleep(INTERVAL);
            // Where no thread can be started, memory is given back later.
            if let Ok(thread) = Builder::new().spawn(begins_and_ends) {
                let _ = thread.join();
            }
        }
    };
    Builder::new().name("memory".into()).spawn(body).map(drop)
}
