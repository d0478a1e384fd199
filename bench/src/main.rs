//! The parts of `just bench` that must be as fast as what they measure: sending mail, keeping event streams open, hashing
//! passwords, and lists of camps of different sizes. The scripts in `web/scripts` start the second and the third.

#[allow(clippy::too_many_lines, reason = "lists of columns and of paths")]
mod growth;
mod hashing;
mod listeners;
mod mail;
mod scratch;

/// As in `camp`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    match given[..] {
        ["mail", camp] => {
            if !many_threads().block_on(mail::measure_all(camp)) {
                eprintln!("The worker sends less than half of what the bare loop does.");
                std::process::exit(1);
            }
        }
        [mail::sink::ROLE] => one_thread().block_on(mail::sink::serve()).expect("a port"),
        ["listeners", server, path] => listeners::obey(&many_threads(), server, path),
        ["growth", ref only @ ..] => {
            let slow = many_threads().block_on(growth::measure_all(only));
            if slow > 0 {
                std::process::exit(1);
            }
        }
        ["hashing", seconds] => hashing::measure(seconds.parse().expect("seconds")),
        _ => {
            eprintln!(
                "bench mail CAMP | growth LIST… | listeners HOST:PORT PATH | hashing SECONDS"
            );
            std::process::exit(2);
        }
    }
}

fn many_threads() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().expect("a runtime")
}

fn one_thread() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}
