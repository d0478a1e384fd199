//! Measures how lists scale: each list is requested in a camp of twenty summers and in one with a
//! hundredth of its rows, and may take at most a fifth longer in the large camp (median of many requests
//! in the same minutes). Sums over all rows may take twice as long.
//! `just bench growth` runs it, on SQLite and, where `CAMP_TEST_POSTGRES_URL` names a server, on
//! PostgreSQL; `just bench growth messages` measures only lists whose URL contains this.

#![allow(clippy::too_many_lines)]

#[allow(dead_code, unused_imports, reason = "the tests use more of it")]
#[path = "../../tests/it/camp/mod.rs"]
mod camp;
mod dataset;

use std::time::{Duration, Instant};

use camp::{Browser, Camp, Engine};
use dataset::{Dataset, ONE_NAME, WHOLE, insert_all};

/// The maximum time of a list in the large camp, relative to the small one.
const MAX_RATIO: f64 = 1.2;
/// The same, of a sum over all rows.
const MAX_SUM_RATIO: f64 = 2.0;
/// The number of requests for each list in each camp.
const ROUNDS: usize = 41;
/// Evening in camp, so that the middle of the summer is behind it.
const NOW: &str = "2026-08-20T23:00:00Z";

#[tokio::main]
async fn main() {
    let only: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let mut engines = vec![Engine::Sqlite];
    if std::env::var("CAMP_TEST_POSTGRES_URL").is_ok_and(|url| !url.is_empty()) {
        engines.push(Engine::Postgres);
    }
    print_machine();
    let mut slow = 0;
    for engine in engines {
        println!("\n{engine:?}");
        camp::run(engine, async |small| {
            camp::run(engine, async |whole| slow += compare(&small, &whole, &only).await).await;
        })
        .await;
    }
    if slow > 0 {
        println!(
            "\n{slow} take more than {MAX_RATIO} times as long, or sums more than {MAX_SUM_RATIO} times"
        );
        std::process::exit(1);
    }
}

/// A camp that is measured.
struct Side {
    owner: Browser,
    planted: Dataset,
}

impl Side {
    async fn of(camp: &Camp, size: dataset::Size) -> Side {
        camp.set_clock(NOW);
        let planted = insert_all(&camp.app.db, size, camp.now()).await;
        Side { owner: camp.owner().await, planted }
    }

    async fn ask(&self, path: &str) -> (Duration, usize) {
        let path = path
            .replace("{video}", &self.planted.video.to_string())
            .replace("{family}", &self.planted.family.to_string())
            .replace("{earlier}", &self.planted.earlier.to_string());
        let began = Instant::now();
        let reply = self.owner.get(&path).await;
        let took = began.elapsed();
        assert_eq!(reply.status, 200, "{path}: {}", reply.text());
        (took, reply.json()["items"].as_array().map_or(0, Vec::len))
    }
}

/// Prints a line for each list; returns how many are too slow.
async fn compare(small: &Camp, whole: &Camp, only: &[String]) -> usize {
    let small = Side::of(small, WHOLE.hundredth()).await;
    let whole = Side::of(whole, WHOLE).await;
    println!("{:>6} {:>9} {:>9} {:>6}  middle half", "rows", "small ms", "whole ms", "ratio");
    let mut slow = 0;
    for path in paths() {
        if !only.is_empty() && !only.iter().any(|part| path.contains(part.as_str())) {
            continue;
        }
        let (path, rows) = even(&small, path).await;
        let most = if is_sum(&path) { MAX_SUM_RATIO } else { MAX_RATIO };
        let mut times = measure(&small, &whole, &path).await;
        // Measures again, because other processes may have slowed it down.
        for _ in 0..3 {
            if times.ratio() > most {
                times = measure(&small, &whole, &path).await;
            }
        }
        let is_whole = WHOLE_LISTS.iter().any(|list| path.contains(list));
        let more = is_whole && whole.ask(&path).await.1 > rows;
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
    if is_sum(&path) || WHOLE_LISTS.iter().any(|list| path.contains(list)) {
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

/// Short lists, which are not paginated. Where the large camp has more rows the times are only shown.
const WHOLE_LISTS: [&str; 4] = ["/years", "/accounts", "/deliveries", "/statement"];

/// Sums over all rows.
fn is_sum(path: &str) -> bool {
    ["/summary", "/counts", "/stats", "/reach", "/dashboard", "/analytics"]
        .iter()
        .any(|figure| path.contains(figure))
}

/// Every list of the staff area with all filters, sort orders and searches, its totals, and the lists of
/// the public pages.
fn paths() -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut add = |list: &str, queries: &[&str]| {
        paths.extend(queries.iter().map(|query| match *query {
            "" => list.to_owned(),
            query => format!("{list}?{query}"),
        }));
    };
    let one = format!("q={ONE_NAME}");
    let one = one.as_str();
    for filter in ["all", "paid", "due", "overdue", "no_plan", "to_approve"] {
        for sort in ["name", "payment", "amount", "email", "joined"] {
            for direction in ["asc", "desc"] {
                let query = format!("filter={filter}&sort={sort}&direction={direction}");
                add("/api/admin/users", &[&query]);
            }
        }
    }
    add("/api/admin/users", &[one, "q=family1", "q=birnbaum", "q=nobody", "q=family1&sort=name"]);
    add("/api/admin/users/summary", &[""]);

    add("/api/admin/users/{family}/statement", &[""]);
    add("/api/admin/videos", &["", "q=barn", "q=nothing", "sort=views", "sort=title"]);
    add("/api/admin/videos", &["sort=views&status=draft", "sort=title&q=barn"]);
    for collection in ["current", "archive"] {
        let list = format!("/api/admin/videos?collection={collection}");
        for more in ["", "&status=draft", "&status=scheduled", "&status=published", "&q=barn"] {
            add(&format!("{list}{more}"), &[""]);
        }
    }
    add("/api/admin/videos?collection=archive&year={earlier}", &[""]);
    for attention in ["failed_mails", "reported_comments", "held_comments"] {
        add("/api/admin/videos", &[&format!("attention={attention}")]);
    }
    add("/api/admin/videos/counts", &["", "q=barn"]);
    add("/api/admin/videos/years", &[""]);
    add("/api/admin/videos/{video}/deliveries", &[""]);
    add("/api/admin/videos/{video}/comments", &[""]);
    add("/api/admin/live-updates", &["", "q=dock", "q=nothing", "priority=high"]);
    add("/api/admin/live-updates", &["standing=active", "standing=inactive", "standing=expired"]);
    add("/api/admin/live-updates/reach", &[""]);
    add("/api/admin/messages", &["", one, "q=nothing", "spam=true", "status=unread"]);
    add("/api/admin/messages", &["status=read", "status=replied", "department=video_team"]);
    add("/api/admin/messages", &["unassigned=true", "assigned_to=counselor0", "sort=oldest"]);
    add("/api/admin/messages/counts", &[""]);
    add("/api/admin/comments", &["", "filter=reported", "filter=held", "filter=hidden"]);
    add("/api/admin/comments", &["filter=all", "filter=all&q=night", "q=nothing"]);
    add("/api/admin/comments/counts", &["", "q=night"]);
    add("/api/admin/letters", &[""]);
    add("/api/admin/mail/failed", &["", "about=videos", "about=other"]);
    add("/api/admin/mail/refused", &[""]);
    add("/api/admin/subscribers", &["", one, "q=nothing"]);
    add("/api/admin/faq", &["", "q=lake", "category=Schedule"]);
    add("/api/admin/faq/stats", &[""]);
    add("/api/admin/products", &["", "q=cap", "category=clothing"]);
    add("/api/admin/products", &["sort=title", "sort=price", "sort=stock"]);
    add("/api/admin/products/stats", &[""]);
    add("/api/admin/audit", &["", "subject_id={family}", "actor=counselor0", "action=payment"]);
    add("/api/admin/audit", &["action=settings.set", "subject_kind=staff", "actor_kind=nobody"]);
    add("/api/admin/audit", &["from=2026-08-20&to=2026-08-20", "to=2026-08-20&action=payment"]);
    add("/api/admin/audit", &["actor=counselor0&action=payment", "action=video.delete"]);
    add("/api/admin/audit/filters", &[""]);
    add("/api/admin/accounts", &[""]);
    add("/api/admin/dashboard", &[""]);
    add("/api/admin/analytics", &["period=7", "period=30", "period=90", "period=season"]);
    add("/api/videos", &["collection=home", "collection=current", "collection=archive"]);
    add("/api/videos", &["collection=archive&year={earlier}", "collection=current&sort=popular"]);
    add("/api/videos", &["collection=current&q=barn", "collection=archive&q=barn", "q=nothing"]);
    add("/api/videos/years", &[""]);

    add("/api/videos/{video}/comments", &[""]);
    add("/api/live-updates", &[""]);
    add("/api/faq", &[""]);
    paths
}
