//! Logs to standard error: as text on a terminal, as JSON elsewhere.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::time::Uptime;

use crate::output::stderr_is_terminal;

#[derive(clap::Args)]
#[command(next_help_heading = "Logs")]
pub struct Options {
    /// What is logged, for example `debug` or `warn,portal=debug` [default: info for `serve` and `worker`, else warn]
    #[arg(long, global = true, env = "CAMP_LOG", value_name = "FILTER", value_parser = filter)]
    log: Option<String>,

    /// Format of the log [default: text on a terminal, otherwise JSON]
    #[arg(long, global = true, env = "CAMP_LOG_FORMAT", value_name = "FORMAT")]
    log_format: Option<Format>,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
}

fn filter(text: &str) -> Result<String, String> {
    // The filter takes a word that is not a level for a module, and would then hide everything else.
    let unknown = text.split(',').map(str::trim).find(|part| {
        part.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && part.parse::<LevelFilter>().is_err()
    });
    match (unknown, EnvFilter::try_new(text)) {
        (Some(word), _) => {
            Err(format!("“{word}” is not a level; try `info` or `warn,portal=debug`"))
        }
        (None, Ok(_)) => Ok(text.to_owned()),
        (None, Err(error)) => Err(format!("{error}; try `info` or `warn,portal=debug`")),
    }
}

impl Options {
    pub fn start(&self, long_running: bool) {
        let terminal = stderr_is_terminal();
        let usual = match long_running {
            // apalis logs every start and stop of its workers, sqlx every slow statement.
            true => "info,apalis_core=warn,apalis_sqlite=warn,apalis_postgres=warn,sqlx=warn",
            false => "warn,apalis_core=error",
        };
        let filter = EnvFilter::new(self.log.as_deref().unwrap_or(usual));
        let json = match self.log_format {
            Some(format) => format == Format::Json,
            None => !terminal && long_running,
        };
        let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
        match json {
            // The list would repeat the span.
            true => logs.json().flatten_event(true).with_span_list(false).init(),
            false => {
                logs.with_ansi(terminal).with_timer(Uptime::default()).with_target(false).init()
            }
        }
    }
}
