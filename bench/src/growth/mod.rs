//! Measures how lists scale: each list is requested in a camp of twenty summers and in one with a
//! hundredth of its rows, and may take at most a fifth longer in the large camp (median of many requests
//! in the same minutes). Sums over all rows may take twice as long. The requests go to the router in this
//! process, whose clock can be set.

mod dataset;
mod paths;
mod side;

use std::time::Duration;

use dataset::WHOLE;
use paths::{is_sum, is_whole, paths};
use side::Side;

/// The maximum time of a list in the large camp, relative to the small one.
const MAX_RATIO: f64 = 1.2;
/// The same, of a sum over all rows.
const MAX_SUM_RATIO: f64 = 2.0;
/// The number of requests for each list in each camp.
const ROUNDS: usize = 101;

/// Measures all lists, or those whose URL contains one of these. Returns how many are too slow.
pub async fn measure_all(only: &[&str]) -> usize {
    print_machine();
    let mut slow = 0;
    let server = crate::scratch::postgres_server();
    for server in std::iter::once(None).chain(server.as_deref().map(Some)) {
        println!("\n{}", if server.is_some() { "PostgreSQL" } else { "SQLite" });
        let small = Side::of(server, WHOLE.hundredth()).await;
        let whole = Side::of(server, WHOLE).await;
        slow += compare(&small, &whole, only).await;
        small.remove().await;
        whole.remove().await;
    }
    if slow > 0 {
        println!(
            "\n{slow} take more than {MAX_RATIO} times as long, or sums more than {MAX_SUM_RATIO} times"
        );
    }
    slow
}

/// Prints a line for each list; returns how many are too slow.
async fn compare(small: &Side, whole: &Side, only: &[&str]) -> usize {
    println!("{:>6} {:>9} {:>9} {:>6}  middle half", "rows", "small ms", "whole ms", "ratio");
    let mut slow = 0;
    for path in paths() {
        if !only.is_empty() && !only.iter().any(|part| path.contains(part)) {
            continue;
        }
        let (path, rows) = even(small, path).await;
        let most = if is_sum(&path) { MAX_SUM_RATIO } else { MAX_RATIO };
        let mut times = measure(small, whole, &path).await;
        // Measures again, because other processes may have slowed it down.
        for _ in 0..3 {
            if times.ratio() > most {
                times = measure(small, whole, &path).await;
            }
        }
        let more = is_whole(&path) && whole.ask(&path).await.1 > rows;
        let [a, b] = times.medians.map(|time| time.as_secs_f64() * 1_000.0);
        let (ratio, [least, largest]) = (times.ratio(), times.spread);
        let verdict = match () {
            () if more => "returns more rows",
            () if ratio > most => "too slow",
            () => "",
        };
        println!(
            "{rows:>6} {a:>9.2} {b:>9.2} {ratio:>6.2}  {least:.2} to {largest:.2}  {path}  {verdict}"
        );
        slow += usize::from(ratio > most && !more);
    }
    slow
}

/// What the figures depend on.
fn print_machine() {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let processors = read("/proc/cpuinfo");
    let model = processors.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.unwrap_or_default().trim_start_matches(['\t', ' ', ':']);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let kernel = read("/proc/sys/kernel/osrelease");
    let date = chrono::Utc::now().date_naive();
    println!("{date}, {cores} cores {model}, Linux {}", kernel.trim());
}

/// Requests as many rows from both camps as the small one has. Returns how many.
async fn even(small: &Side, path: String) -> (String, usize) {
    let (_, rows) = small.ask(&path).await;
    if is_sum(&path) || is_whole(&path) {
        return (path, rows);
    }
    let join = if path.contains('?') { '&' } else { '?' };
    (format!("{path}{join}limit={}", rows.clamp(1, 100)), rows)
}

/// The times of one list in the small and in the large camp.
struct Times {
    medians: [Duration; 2],
    /// The middle half of all ratios.
    spread: [f64; 2],
}

impl Times {
    fn ratio(&self) -> f64 {
        let [small, whole] = self.medians;
        whole.as_secs_f64() / small.as_secs_f64()
    }
}

/// Requests it from the small and the large camp alternately.
async fn measure(small: &Side, whole: &Side, path: &str) -> Times {
    let mut times = [Vec::with_capacity(ROUNDS), Vec::with_capacity(ROUNDS)];
    for _ in 0..ROUNDS {
        for (side, times) in [small, whole].into_iter().zip(&mut times) {
            times.push(side.ask(path).await.0);
        }
    }
    let pairs = times[0].iter().zip(&times[1]);
    let mut ratios: Vec<f64> =
        pairs.map(|(small, whole)| whole.as_secs_f64() / small.as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    let medians = times.map(|mut times| {
        times.sort();
        times[ROUNDS / 2]
    });
    Times { medians, spread: [ratios[ROUNDS / 4], ratios[ROUNDS * 3 / 4]] }
}
