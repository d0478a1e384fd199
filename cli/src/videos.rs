//! `camp videos`: converts videos whose files were stored before the portal converted videos, or
//! without ffmpeg.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use portal::audit::Actor;
use portal::conversion::{Outcome as Ended, convert_stored};
use portal::videos::{self, Unconverted};
use portal::{App, Config, Result};
use serde::Serialize;
use uuid::Uuid;

use crate::import::Bar;
use crate::output::{Code, Outcome, print, print_json};

/// How many `--all` converts in one run.
const MAX_VIDEOS: i64 = 100_000;
const SHOW_EVERY: Duration = Duration::from_millis(200);

/// Convert videos for every phone
#[derive(clap::Subcommand)]
pub enum Videos {
    /// Convert the files of videos that were imported before, or uploaded without ffmpeg
    ///
    /// Each video shows its old file until the new ones are ready, and keeps its address, picture and
    /// comments. A second run goes on where the first one ended. Nobody gets mail.
    #[command(
        after_help = "Examples:\n  camp videos convert --all\n  camp videos convert 0198b0de-7c2e-7000-8000-1f2e3d4c5b6a --json\n\nExit codes: 0 all are converted, 3 some could not be converted, 4 ffmpeg is not installed."
    )]
    Convert {
        /// The ids of the videos, as in their addresses
        #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all", value_parser = id)]
        ids: Vec<Uuid>,
        /// All videos whose files were not converted yet, the newest first
        #[arg(long)]
        all: bool,
        /// Print the results as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Serialize)]
struct Report {
    id: Uuid,
    title: Option<String>,
    /// The best first.
    sizes: Vec<String>,
    problem: Option<String>,
}

fn id(typed: &str) -> Result<Uuid, String> {
    typed.parse().map_err(|_| {
        "an id looks like 0198b0de-7c2e-7000-8000-1f2e3d4c5b6a, as after /video/ in the address of the page"
            .into()
    })
}

impl Videos {
    pub async fn run(self, config: Config) -> Outcome {
        let Videos::Convert { ids, all, json } = self;
        let app = App::open(config).await?;
        let wanted = match all {
            true => videos::unconverted(&app, MAX_VIDEOS).await?,
            false => ids.into_iter().map(|id| Unconverted { id, title: String::new() }).collect(),
        };
        let mut reports = Vec::new();
        let bar = Bar::of("percent");
        for (done, video) in wanted.iter().enumerate() {
            let report = convert(&app, video, &bar, done, wanted.len()).await?;
            if !json {
                tell(&report);
            }
            reports.push(report);
        }
        drop(bar);
        app.db.close().await;
        let failed = reports.iter().filter(|report| report.problem.is_some()).count();
        match json {
            true => print_json(&reports)?,
            false => print(sum(reports.len() - failed, failed)),
        }
        Ok(if failed > 0 { Code::Problems } else { Code::Done })
    }
}

/// Converts one video, and shows how far all of them are.
async fn convert(
    app: &App,
    video: &Unconverted,
    bar: &Bar,
    done: usize,
    all: usize,
) -> Result<Report> {
    let progress = Arc::new(AtomicU8::new(0));
    let mut converting =
        pin!(convert_stored(app, Some(Actor::Operator), video.id, progress.clone()));
    let ended = loop {
        let percent = u64::from(progress.load(Ordering::Relaxed));
        bar.is_at(done as u64 * 100 + percent, all as u64 * 100);
        tokio::select! {
            ended = &mut converting => break ended,
            () = tokio::time::sleep(SHOW_EVERY) => {}
        }
    };
    let (sizes, problem) = match ended {
        Ok(Ended::Converted(sizes)) => (sizes, None),
        Ok(Ended::Failed(problem)) => (Vec::new(), Some(problem)),
        Err(error @ (portal::Error::NotFound(_) | portal::Error::Conflict(_))) => {
            (Vec::new(), Some(error.to_string()))
        }
        Err(error) => return Err(error),
    };
    let title = (!video.title.is_empty()).then(|| video.title.clone());
    Ok(Report { id: video.id, title, sizes, problem })
}

fn tell(report: &Report) {
    let name = match &report.title {
        Some(title) => format!("{} ({})", title, report.id),
        None => report.id.to_string(),
    };
    match &report.problem {
        None => print(format!("{name}: {}", report.sizes.join(", "))),
        Some(problem) => print(format!("{name}: {problem}")),
    }
}

fn sum(converted: usize, failed: usize) -> String {
    let videos = if converted == 1 { "video" } else { "videos" };
    match failed {
        0 => format!("{converted} {videos} converted."),
        _ => format!("{converted} {videos} converted, {failed} not."),
    }
}
