//! Bare Argon2id with the parameters of the portal's passwords, on two threads like there.

use std::time::{Duration, Instant};

use argon2::{Algorithm, Argon2, Params, Version};

/// Prints the milliseconds of the processor for each hash.
pub fn measure(seconds: f64) {
    let limit = Duration::from_secs_f64(seconds);
    let threads: Vec<_> = (0..2).map(|_| std::thread::spawn(move || hash_for(limit))).collect();
    let done = threads.into_iter().map(|thread| thread.join().expect("no panic"));
    let (hashes, time) = done.fold((0, 0), |(hashes, time), (h, t)| (hashes + h, time + t));
    println!("{:.3}", time as f64 / f64::from(hashes) / 1e6);
}

/// Returns the number of hashes and the nanoseconds of the processor.
fn hash_for(limit: Duration) -> (u32, u64) {
    // The same as in `core/src/accounts/password.rs`.
    let params = Params::new(19 * 1024, 2, 1, None).expect("valid parameters");
    let engine = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let (begun, before) = (Instant::now(), on_processor());
    let mut hashes = 0;
    while begun.elapsed() < limit {
        let mut out = [0; 32];
        engine
            .hash_password_into(b"visiting-day-demo", b"sixteen bytes...", &mut out)
            .expect("a hash");
        std::hint::black_box(out);
        hashes += 1;
    }
    (hashes, on_processor() - before)
}

/// How long this thread was on the processor, in nanoseconds.
fn on_processor() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    text.split(' ').next().and_then(|number| number.parse().ok()).expect("a number")
}
