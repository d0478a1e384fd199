//! Checks the camp's data: payment plans, staff accounts, jobs and mail.

use chrono::{DateTime, Offset, TimeDelta, Utc};
use chrono_tz::Tz;

use super::{Findings, clause, counted};
use crate::settings::{self, InvalidValue, QuietHours, Settings, ShabbosMode};
use crate::{App, Result, alerts, backup, jobs, notifications};

pub(super) async fn examine(app: &App, found: &mut Findings) {
    let looks = async {
        ledger(app, found).await?;
        sums(app, found).await?;
        owners(app, found).await?;
        settings(app, found).await?;
        contact(app, found).await?;
        time_zone(app, found).await?;
        quiet_time(app, found).await?;
        worker(app, found).await?;
        waiting(app, found).await?;
        last_backup(app, found).await?;
        failed(app, found).await
    };
    if let Err(error) = looks.await {
        found.broken(
            "database",
            format!("A question could not be answered: {}.", clause(error)),
            "Please check the database's own log.",
        );
    }
}

async fn sums(app: &App, found: &mut Findings) -> Result<()> {
    const WHAT: &str = "sums";
    match app.db.wrong_tallies().await?.as_slice() {
        [] => found.ok(WHAT, "The staff area's figures are correct."),
        wrong => found.broken(
            WHAT,
            format!("Figures of the staff area are wrong: {}.", wrong.join(", ")),
            "Please run `camp migrate`, which counts everything again.",
        ),
    }
    Ok(())
}

async fn ledger(app: &App, found: &mut Findings) -> Result<()> {
    const WHAT: &str = "ledger";
    match backup::plans_off(&app.db).await? {
        0 => found.ok(WHAT, "What families have paid is the sum of their ledgers."),
        n => found.broken(
            WHAT,
            format!("{} the sum of the ledger.", match n {
                1 => "1 payment plan does not say".to_owned(),
                n => format!("{n} payment plans do not say"),
            }),
            "Somebody wrote to the database by hand. The ledger (payments) is right: look up its changes, or restore a backup.",
        ),
    }
    Ok(())
}

async fn settings(app: &App, found: &mut Findings) -> Result<()> {
    const WHAT: &str = "settings";
    let invalid_values = settings::invalid_values(&app.db).await?;
    if invalid_values.is_empty() {
        found.ok(WHAT, "Every stored setting is in force.");
    }
    for InvalidValue { key, stored, used } in invalid_values {
        found.broken(
            WHAT,
            format!("{key} is stored as {stored}, which is not allowed; {used} is in force."),
            format!("Choose again: `camp settings set {key} VALUE`, or the settings page."),
        );
    }
    Ok(())
}

async fn owners(app: &App, found: &mut Findings) -> Result<()> {
    const WHAT: &str = "owners";
    const SECOND: &str = "two-factor";
    let active: Vec<(bool,)> = app
        .db
        .sql(
            "select totp_confirmed_at is not null from staff
             where role = 'owner' and disabled_at is null",
        )
        .all()
        .await?;
    if active.is_empty() {
        found.broken(
            WHAT,
            "Nobody is an owner, so nobody can change settings or accounts.",
            "camp admin add NAME --email ADDRESS --role owner",
        );
        return Ok(());
    }
    found.ok(WHAT, format!("{} can sign in.", counted(active.len() as i64, "owner")));
    let without = active.iter().filter(|(second,)| !second).count() as i64;
    match without {
        0 => found.ok(SECOND, "Every owner signs in with a code as well."),
        n => found.warning(
            SECOND,
            format!(
                "{} with a password only.",
                match n {
                    1 => "1 owner signs in".to_owned(),
                    n => format!("{n} owners sign in"),
                }
            ),
            "In the staff area, under one's own account: two-factor.",
        ),
    }
    Ok(())
}

async fn contact(app: &App, found: &mut Findings) -> Result<()> {
    const WHAT: &str = "contact";
    let (settings, invented) = (app.settings().await?, Settings::default());
    let keys = [
        ("contactEmail", "ADDRESS", &settings.contact_email, &invented.contact_email),
        ("contactPhone", "NUMBER", &settings.contact_phone, &invented.contact_phone),
    ];
    for (key, value, stored, _) in keys.iter().filter(|(_, _, stored, invented)| stored == invented)
    {
        found.warning(
            WHAT,
            format!("{key} is still the invented {stored}, which families see."),
            format!("camp settings set {key} {value}"),
        );
    }
    if keys.iter().all(|(_, _, stored, invented)| stored != invented) {
        found.ok(WHAT, format!("Families reach the camp at {}.", settings.contact_email));
    }
    Ok(())
}

async fn time_zone(app: &App, found: &mut Findings) -> Result<()> {
    const WHAT: &str = "time-zone";
    let stored: Option<(String,)> =
        app.db.sql("select value from settings where key = 'timezone'").optional().await?;
    let name = stored.map(|(value,)| value.trim_matches('"').to_owned());
    match name.as_deref().map(str::parse::<Tz>) {
        Some(Err(_)) => found.broken(
            WHAT,
            format!("The time zone {} is not known.", name.unwrap_or_default()),
            "camp settings set timezone America/New_York",
        ),
        _ => {
            let zone = app.settings().await?.timezone;
            let there = app.clock.now().with_timezone(&zone).format("%-I:%M %p on %A");
            found.ok(WHAT, format!("In camp ({zone}) it is {there}."));
        }
    }
    Ok(())
}

async fn quiet_time(app: &App, found: &mut Findings) -> Result<()> {
    const WHAT: &str = "quiet-time";
    /// Places are at most this many hours away from the middle of their time zone.
    const FARTHEST: f64 = 3.0;
    let settings = app.settings().await?;
    if settings.shabbos_mode == ShabbosMode::None {
        found.ok(WHAT, "Quiet time is off: emails go out on Shabbos and Yom Tov as well.");
        return Ok(());
    }
    let now = app.clock.now();
    let zone = settings.timezone;
    let zone_hours = f64::from(now.with_timezone(&zone).offset().fix().local_minus_utc()) / 3600.0;
    let apart = (settings.quiet_place.sun_hours() - zone_hours).abs();
    if settings.quiet_hours == QuietHours::CandleLighting && apart.min(24.0 - apart) > FARTHEST {
        found.warning(
            WHAT,
            format!("{} is far from the time zone {zone}.", settings.quiet_place),
            "camp settings set quietPlace PLACE, or timezone ZONE",
        );
    }
    match settings.quiet_schedule().next(now) {
        None => found.warning(
            WHAT,
            "Quiet time is on, but there is none.",
            "Choose its hours: the settings page, or `camp settings set`.",
        ),
        Some(window) => {
            let local = |at: DateTime<Utc>| at.with_timezone(&zone).format("%a, %b %-d, %-I:%M %p");
            let (starts, ends) = (local(window.starts_at), local(window.ends_at));
            found.ok(WHAT, format!("{} is from {starts} to {ends}.", window.name()));
        }
    }
    Ok(())
}

async fn worker(app: &App, found: &mut Findings) -> Result<()> {
    const WHAT: &str = "worker";
    const START: &str = "Start `camp worker`, or `camp serve --with-worker`.";
    let Some(ago) = notifications::since_last_heartbeat(app).await? else {
        found.broken(WHAT, "No worker runs: nothing is published or mailed.", START);
        return Ok(());
    };
    if ago > notifications::NOT_RUNNING {
        let says = format!("No worker has run for {}: nothing is published or mailed.", span(ago));
        found.broken(WHAT, says, START);
    } else if ago < -notifications::NOT_RUNNING {
        let says = format!("A worker's clock is {} ahead of this one.", span(-ago));
        found.warning(WHAT, says, "Let the clocks be set by the network.");
    } else {
        found.ok(WHAT, "A worker runs.");
    }
    Ok(())
}

async fn waiting(app: &App, found: &mut Findings) -> Result<()> {
    const WHAT: &str = "queue";
    let now = app.clock.now();
    let mail = notifications::late(app).await?.oldest;
    let job = jobs::oldest_due(&app.db).await?.filter(|at| now - *at > notifications::LATE);
    let oldest = [mail, job].into_iter().flatten().min();
    let aside = jobs::failed(&app.db).await?;
    if let Some(at) = oldest {
        found.warning(
            WHAT,
            format!("Something has been waiting for {}.", span(now - at)),
            "Does a worker run, and does the mail server answer? `camp jobs list` shows what waits.",
        );
    } else if aside == 0 {
        found.ok(WHAT, "Nothing waits for long, and nothing was set aside.");
    }
    if aside > 0 {
        found.warning(
            WHAT,
            format!(
                "{} failed too often and were set aside.",
                match aside {
                    1 => "1 job has".to_owned(),
                    n => format!("{n} jobs have"),
                }
            ),
            "`camp jobs list` shows why, `camp jobs retry` tries again.",
        );
    }
    Ok(())
}

async fn last_backup(app: &App, found: &mut Findings) -> Result<()> {
    const WHAT: &str = "backup";
    const MAKE: &str = "`systemctl status camp-backup` shows whether the nightly one fails; `camp backup FILE` makes one.";
    match backup::last(&app.db).await?.map(|at| app.clock.now() - at) {
        None => found.not_checked(WHAT, "No backup was made with `camp backup` yet."),
        Some(ago) if ago > alerts::BACKUP_MISSING => {
            found.warning(WHAT, format!("The last backup was made {} ago.", span(ago)), MAKE);
        }
        Some(ago) => found.ok(WHAT, format!("The last backup was made {} ago.", span(ago))),
    }
    Ok(())
}

async fn failed(app: &App, found: &mut Findings) -> Result<()> {
    const WHAT: &str = "failed-mail";
    let failed: i64 = app
        .db
        .sql("select count(*) from deliveries where status = 'failed' and digest_id is null and updated_at > $1")
        .bind(app.clock.now() - TimeDelta::days(1))
        .scalar()
        .await?;
    match failed {
        0 => found.ok(WHAT, "No mail has failed within the last day."),
        n => found.warning(
            WHAT,
            format!("{} failed within the last day.", counted(n, "mail")),
            "The staff area says which and why, under Email.",
        ),
    }
    Ok(())
}

fn span(time: TimeDelta) -> String {
    match time {
        time if time.num_days() > 1 => format!("{} days", time.num_days()),
        time if time.num_hours() > 1 => format!("{} hours", time.num_hours()),
        time if time.num_minutes() > 1 => format!("{} minutes", time.num_minutes()),
        time => format!("{} seconds", time.num_seconds()),
    }
}
