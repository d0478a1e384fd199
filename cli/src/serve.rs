//! `camp serve` and `camp worker`: run the site with its API, the worker, or both in one process.

use portal::{App, Config, Error, Result};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::output::{Code, Outcome, open_or_create};

/// Serve the site and its API
///
/// Stops gracefully on SIGTERM and Ctrl-C: answers the requests in flight first.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  camp serve --with-worker\n  camp serve --bind 127.0.0.1:8080 --public-url https://camp.example --trusted-proxies 127.0.0.1"
)]
pub struct Serve {
    /// Also run the worker in this process; needed unless `camp worker` runs, too
    #[arg(long, env = "CAMP_WITH_WORKER")]
    with_worker: bool,
}

/// Send mail, publish scheduled videos and run other jobs in the background
///
/// Several may run at once. Stops gracefully on SIGTERM and Ctrl-C, within ten seconds.
#[derive(clap::Args)]
#[command(
    after_help = "Example:\n  camp worker --smtp-url smtps://USER:PASSWORD@mail.camp.example"
)]
pub struct Worker {}

impl Serve {
    pub async fn run(self, config: Config) -> Outcome {
        let stop = stop_on_signal()?;
        let app = open_or_create(config).await?;
        app.files.check_writable()?;
        tracing::info!(url = app.config.public_url(), mail = app.mailer.destination(), "serving");
        match self.with_worker {
            true => both(&app, stop).await?,
            false => api::serve(app.clone(), stop).await?,
        }
        app.db.close().await;
        Ok(Code::Done)
    }
}

impl Worker {
    pub async fn run(self, config: Config) -> Outcome {
        let stop = stop_on_signal()?;
        let app = App::open(config).await?;
        app.files.check_writable()?;
        tracing::info!(mail = app.mailer.destination(), "working");
        worker::run(app.clone(), stop).await?;
        app.db.close().await;
        Ok(Code::Done)
    }
}

/// Runs site and worker in one process; when one ends, so does the other.
pub async fn both(app: &App, stop: CancellationToken) -> Result<()> {
    let ending = stop.clone().drop_guard();
    let serving = tokio::spawn({
        let (app, stop) = (app.clone(), stop.clone());
        async move {
            let _ending = stop.clone().drop_guard();
            api::serve(app, stop).await
        }
    });
    let worked = worker::run(app.clone(), stop).await;
    drop(ending);
    serving.await.map_err(Error::unforeseen)??;
    worked
}

/// A token that the first SIGTERM or SIGINT cancels; a second one ends the process at once.
pub fn stop_on_signal() -> Result<CancellationToken> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let stop = CancellationToken::new();
    let token = stop.clone();
    tokio::spawn(async move {
        for first in [true, false] {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if !first {
                std::process::exit(1);
            }
            tracing::info!("stopping; a second signal stops at once");
            token.cancel();
        }
    });
    Ok(stop)
}
