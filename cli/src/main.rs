//! `camp`: the command line of the portal, which also runs its server and worker.

#![cfg_attr(test, allow(clippy::too_many_lines))]

mod admin;
mod backup;
mod demo;
mod doctor;
mod family;
mod gallery;
mod import;
mod jobs;
mod logs;
mod mail;
mod mail_preview;
mod memory;
mod migrate;
mod openapi;
mod output;
mod receive;
mod seed;
mod serve;
mod settings;
mod videos;

use std::ffi::OsStr;
use std::process::ExitCode;

use clap::builder::Resettable;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use portal::root::{self, Root};
use portal::{Config, Error};

use crate::output::Outcome;

/// Hashing a password takes 19 MB. glibc keeps up to three such blocks in the arena of every thread
/// that ever hashed, which came to 390 MB after an evening of sign-ins; this allocator returns them.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The web portal of a summer camp: videos for parents, updates, payments and messages
#[derive(Parser)]
#[command(name = "camp", version, max_term_width = 100, after_help = AFTER_HELP)]
struct Camp {
    #[command(flatten)]
    config: Config,

    #[command(flatten)]
    logs: logs::Options,

    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  camp demo                               a camp with sample families, to look around
  camp admin add miriam --email miriam@camp.example --role owner
  camp serve --with-worker                the portal on http://127.0.0.1:8080

Every option of “Configuration” can also be an environment variable, see .env.sample.

Exit codes:
  0  done
  1  failed
  2  wrong command or option, or options that do not go together
  3  the input has problems; they are listed on standard error
  4  there is no camp, the database, the mail server or a port cannot be used, or ffmpeg is missing

`camp mail receive` has the exit codes of sysexits.h, see its --help.";

const SHARED_OPTIONS: &str =
    "Every command also takes --data-dir, --database-url and the other options of `camp --help`.";

#[derive(Subcommand)]
enum Command {
    Serve(serve::Serve),
    Worker(serve::Worker),
    Demo(demo::Demo),
    Migrate(migrate::Migrate),
    Backup(backup::Backup),
    Restore(backup::Restore),
    Doctor(doctor::Doctor),
    Seed(seed::Seed),
    Openapi(openapi::Openapi),
    #[command(
        subcommand,
        after_help = "Examples:\n  camp mail test miriam@camp.example\n  camp mail preview mails"
    )]
    Mail(mail::Mail),
    #[command(subcommand, after_help = "Example:\n  camp jobs list")]
    Jobs(jobs::Jobs),
    #[command(subcommand, after_help = "Example:\n  camp settings set access families")]
    Settings(settings::Settings),
    #[command(
        subcommand,
        after_help = "Example:\n  camp admin add miriam --email miriam@camp.example --role owner"
    )]
    Admin(admin::Admin),
    #[command(
        subcommand,
        after_help = "Example:\n  camp gallery import summer-2024.csv --year 2024 --dry-run"
    )]
    Gallery(gallery::Gallery),
    #[command(subcommand, after_help = "Example:\n  camp videos convert --all")]
    Videos(videos::Videos),
    #[command(subcommand, after_help = "Example:\n  camp family import families.csv --dry-run")]
    Family(family::Family),
}

fn main() -> ExitCode {
    portal::file_permissions::set_umask();
    let Camp { config, logs, command } = parse();
    logs.start(command.is_long_running());
    if let Err(error) = command.root().map_or(Ok(()), |root| root::become_owner(&config, root)) {
        return output::print_error(&error);
    }
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return output::print_error(&Error::unforeseen(error)),
    };
    if command.is_long_running()
        && let Err(error) = memory::give_back()
    {
        return output::print_error(&Error::unforeseen(error));
    }
    let outcome = runtime.block_on(command.run(config));
    // Does not wait for threads that are blocked by a password prompt or a slow disk.
    runtime.shutdown_background();
    output::end(outcome)
}

fn parse() -> Camp {
    let mut command = command_line();
    let mut matches = command.get_matches_mut();
    Camp::from_arg_matches_mut(&mut matches)
        .unwrap_or_else(|error| error.format(&mut command).exit())
}

/// All commands. The help of those that do not serve shows only their own options.
fn command_line() -> clap::Command {
    let mut camp = without_empty_variables(Camp::command());
    camp.build();
    camp.mut_subcommands(|command| match command.get_name() {
        "serve" | "worker" | "demo" => command,
        _ => fold_shared_options(command),
    })
}

/// Treats an empty variable as unset, as in a settings file where a value was left blank.
fn without_empty_variables(command: clap::Command) -> clap::Command {
    let is_empty = |name: &OsStr| std::env::var_os(name).is_some_and(|value| value.is_empty());
    command
        .mut_args(|option| match option.get_env().is_some_and(is_empty) {
            true => option.env(Resettable::Reset),
            false => option,
        })
        .mut_subcommands(without_empty_variables)
}

fn fold_shared_options(command: clap::Command) -> clap::Command {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    command
        .mut_args(|option| if option.is_global_set() { option.hide(true) } else { option })
        .after_help(format!("{help}\n\n{SHARED_OPTIONS}"))
        .mut_subcommands(fold_shared_options)
}

impl Command {
    fn is_long_running(&self) -> bool {
        matches!(self, Command::Serve(_) | Command::Worker(_))
    }

    /// What remains of root once the command works as the owner of the data folder. `None` if it
    /// uses no data folder.
    fn root(&self) -> Option<Root> {
        match self {
            Command::Serve(_) | Command::Worker(_) | Command::Demo(_) => Some(Root::Never),
            Command::Restore(_) => Some(Root::ForNamedFilesAndOwnership),
            Command::Openapi(_) => None,
            _ => Some(Root::ForNamedFiles),
        }
    }

    async fn run(self, config: Config) -> Outcome {
        match self {
            Command::Serve(serve) => serve.run(config).await,
            Command::Worker(worker) => worker.run(config).await,
            Command::Demo(demo) => demo.run(config).await,
            Command::Migrate(migrate) => migrate.run(config).await,
            Command::Backup(backup) => backup.run(config).await,
            Command::Restore(restore) => restore.run(config).await,
            Command::Doctor(doctor) => doctor.run(config).await,
            Command::Seed(seed) => seed.run(config).await,
            Command::Openapi(openapi) => openapi.run(),
            Command::Mail(mail) => mail.run(config).await,
            Command::Jobs(jobs) => jobs.run(config).await,
            Command::Settings(settings) => settings.run(config).await,
            Command::Admin(admin) => admin.run(config).await,
            Command::Gallery(gallery) => gallery.run(config).await,
            Command::Videos(videos) => videos.run(config).await,
            Command::Family(family) => family.run(config).await,
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_sound() {
        super::command_line().debug_assert();
    }
}
