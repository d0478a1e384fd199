//! `camp demo`: runs the portal with a sample camp in one process, without any setup.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use portal::seed::{self, Logins, Options, Sample};
use portal::{App, Config, Error, Result, conversion};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use crate::output::{Code, Outcome, note_created, print, print_note};
use crate::seed::SAMPLE_PASSWORD;
use crate::serve::{both, stop_on_signal};

/// Run a sample camp: site, API and worker in one process
///
/// Creates the sample camp if the database is empty, and keeps your changes. All passwords are
/// public, so it listens on this machine only.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  camp demo\n  camp demo --bind 127.0.0.1:9000 --data-dir /tmp/camp --sample general"
)]
pub struct Demo {
    /// Which camp
    #[arg(long, value_enum, default_value = "yiddish")]
    sample: Sample,
    /// Seed of the random data: a different number makes a different camp
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Remove the demo's data first and create the camp again
    #[arg(long)]
    start_over: bool,
    /// Accept connections from other machines although all passwords are public
    #[arg(long)]
    i_know_this_is_a_demo: bool,
}

impl Demo {
    pub async fn run(self, config: Config) -> Outcome {
        if !config.bind.ip().is_loopback() && !self.i_know_this_is_a_demo {
            return Err(Error::Usage(format!(
                "The demo's passwords are public, so it does not listen on {}. Use --bind \
                 127.0.0.1:{}, or add --i-know-this-is-a-demo.",
                config.bind,
                config.bind.port()
            )));
        }
        // Checked before the camp is created in vain.
        TcpListener::bind(config.bind).map(drop).map_err(|error| {
            Error::Setup(format!(
                "The demo cannot listen on {}: {error}. Stop what is running there, or choose another port: camp demo --bind 127.0.0.1:{}",
                config.bind,
                config.bind.port().saturating_add(1)
            ))
        })?;
        print_note(format!("Opening {} …", shown(&config)));
        let stop = stop_on_signal()?;
        if self.start_over {
            start_over(&config).await?;
        }
        // Its mails are not sent, so none comes back.
        // The sample camp may be tried on both databases in one folder.
        let app = App::open_or_create(Config { bounce_lmtp: None, ..config }).await?;
        if app.is_new {
            note_created(&app.config);
        }
        let logins = self.logins(&app).await?;
        match conversion::installed(&app) {
            true => convert_samples(app.clone()),
            false => print_note(WITHOUT_FFMPEG),
        }
        let serving = both(&app, stop.clone());
        let greeting = greet(&app, &logins, stop);
        let (served, ()) = tokio::join!(serving, greeting);
        served?;
        app.db.close().await;
        print_note("Stopped. Your changes are kept; `just demo-reset` starts over.");
        Ok(Code::Done)
    }

    async fn logins(&self, app: &App) -> Result<Logins> {
        if seed::is_empty(&app.db).await? {
            print_note("Creating the sample camp …");
            let started = Instant::now();
            let options = Options {
                sample: self.sample,
                seed: self.seed,
                as_of: app.clock.now(),
                password: Some(SAMPLE_PASSWORD.to_owned()),
            };
            let planted = seed::generate(app, &options).await?;
            print_note(format!(
                "{} families and {} videos, in {:.1} seconds.",
                planted.families,
                planted.videos_this_summer + planted.videos_of_earlier_summers,
                started.elapsed().as_secs_f32()
            ));
            return Ok(planted.logins);
        }
        seed::logins(&app.db).await?.ok_or(OWN_CAMP)
    }
}

const WITHOUT_FFMPEG: &str = "ffmpeg is not installed: videos are shown in one size only, and uploads must play on every \
     phone already. `apt install ffmpeg` changes that.";

/// Converts the newest sample videos in the background, so that they play as uploads do.
fn convert_samples(app: App) {
    tokio::spawn(async move {
        if let Err(error) = seed::convert_newest(&app).await {
            tracing::warn!(error = error.reason(), "the sample videos were not all converted");
        }
    });
}

const OWN_CAMP: Error = Error::Conflict(
    "This database holds a camp of your own, so the demo does not touch it. Use `camp serve \
     --with-worker` for it, or give the demo a folder of its own with --data-dir.",
);

/// Removes the demo's data, but never a camp that the demo did not create.
async fn start_over(config: &Config) -> Result<()> {
    if config.database_url.is_some() {
        return Err(Error::Usage(
            "Starting over removes files, but this demo's database is elsewhere. Drop and create that database, then run `camp demo`."
                .into(),
        ));
    }
    let folder = &config.data_dir;
    if !folder.join("camp.db").exists() {
        return Ok(());
    }
    let app = App::open(config.clone()).await?;
    if !seed::is_empty(&app.db).await? && seed::logins(&app.db).await?.is_none() {
        return Err(OWN_CAMP);
    }
    app.db.close().await;
    drop(app);
    let _alone = portal::exclusive_lock(folder)?;
    print_note(format!("Removing the demo's data in {} …", folder.display()));
    for file in ["camp.db", "camp.db-wal", "camp.db-shm", "migrate.lock"] {
        gone(std::fs::remove_file(folder.join(file)))?;
    }
    gone(std::fs::remove_dir_all(config.mail_folder()))?;
    for staging in ["uploads", "converting"] {
        gone(std::fs::remove_dir_all(folder.join(staging)))?;
    }
    if config.storage_url.is_none() {
        gone(std::fs::remove_dir_all(folder.join("files")))?;
    }
    Ok(())
}

fn gone(removed: std::io::Result<()>) -> Result<()> {
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}

/// The location of the data, without a password that its URL may contain.
fn shown(config: &Config) -> String {
    match &config.database_url {
        None => config.data_dir.display().to_string(),
        Some(url) if url.starts_with("postgres") => "the PostgreSQL database".to_owned(),
        Some(url) => url.clone(),
    }
}

/// Prints all addresses once the site responds.
async fn greet(app: &App, logins: &Logins, stop: CancellationToken) {
    let open = async {
        while TcpStream::connect(app.config.bind).await.is_err() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        () = open => {}
        () = stop.cancelled() => return,
    }
    let name = match app.settings().await {
        Ok(settings) => settings.camp_name().to_owned(),
        Err(_) => "The camp".to_owned(),
    };
    let mail = match app.mailer.folder() {
        Some(folder) => format!("{}, one .eml file each", folder.display()),
        None => format!("sent by {}", app.mailer.destination()),
    };
    print(format!(
        "
{name} is open.

  Site         {site}
  Staff area   {site}/admin/login

  Sample logins, FOR THE DEMO ONLY. Everybody's password is: {SAMPLE_PASSWORD}
    owner      {owner}   (staff area)
    staff      {staff}   (staff area)
    parent     {parent}
    visitor    {visitor}

  Mail         {mail}
  Stop         Ctrl-C; what you change is kept. Start over: just demo-reset
",
        site = app.config.public_url(),
        owner = logins.owner,
        staff = logins.staff,
        parent = logins.parent,
        visitor = logins.visitor,
    ));
}
