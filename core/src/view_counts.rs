//! Writes the views of videos and answers, those of a second in one transaction. On a busy evening,
//! each would otherwise be a transaction of its own that waits for the disk.
//!
//! A view therefore appears in the counts about a second later. A process that ends normally writes
//! what waits; one that is killed loses the views of that second.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::sleep;

use crate::db::Tx;
use crate::pending_views::{Once, Subject, View, Views};
use crate::rate_limits::{self, RateLimit};
use crate::{App, Result, faq, videos};

/// How long a view waits.
const WAIT: Duration = Duration::from_secs(1);

/// Lets the views that wait be written in a second, unless that is planned already. Call it after each
/// view.
pub fn write_soon(app: &App) {
    if app.views.plan() {
        tokio::spawn(write_until_none_waits(app.clone()));
    }
}

async fn write_until_none_waits(app: App) {
    loop {
        sleep(WAIT).await;
        if let Err(error) = write(&app).await {
            tracing::warn!(
                error = error.reason(),
                "views could not be written; they will be tried again"
            );
        }
        if app.views.end_plan() {
            return;
        }
    }
}

/// Writes all views that wait, including those that somebody else has begun to write. Call it
/// before the process ends.
///
/// # Errors
///
/// When the database cannot be written. Then the views continue to wait.
pub async fn write(app: &App) -> Result<()> {
    let _writing = app.views.writing.lock().await;
    let views = app.views.take();
    if views.is_empty() {
        return Ok(());
    }
    let written = write_all(app, &views).await;
    if written.is_err() {
        app.views.take_back(views);
    }
    written
}

async fn write_all(app: &App, views: &Views) -> Result<()> {
    let of = |subject| views.iter().filter(move |(once, _)| once.subject == subject).collect();
    let (videos, answers): (Vec<_>, Vec<_>) = (of(Subject::Video), of(Subject::Answer));
    let mut tx = app.db.begin().await?;
    let videos = admitted(&mut tx, app, rate_limits::VIEWS_BY_ADDRESS, videos).await?;
    let answers = admitted(&mut tx, app, rate_limits::FAQ_VIEWS_BY_ADDRESS, answers).await?;
    videos::write_views(&mut tx, &videos).await?;
    faq::write_views(&mut tx, &answers).await?;
    tx.commit().await
}

/// Leaves out the views above the limit of their network.
async fn admitted<'v>(
    tx: &mut Tx,
    app: &App,
    limit: RateLimit,
    mut views: Vec<(&'v Once, &'v View)>,
) -> Result<Vec<(&'v Once, &'v View)>> {
    let mut asked = BTreeMap::<(&'v str, i64), i64>::new();
    for (_, view) in &views {
        let view: &'v View = view;
        for (network, most) in &view.networks {
            *asked.entry((network, *most)).or_default() += 1;
        }
    }
    let mut left = BTreeMap::<&'v str, i64>::new();
    for ((network, most), more) in asked {
        let limit = RateLimit { most, ..limit };
        left.insert(network, rate_limits::count_several(tx, app, limit, network, more).await?);
    }
    views.retain(|(_, view)| {
        let networks = || view.networks.iter().map(|(network, _)| network.as_str());
        let is_admitted = networks().all(|network| left.get(network).is_some_and(|left| *left > 0));
        for network in networks().filter(|_| is_admitted) {
            *left.entry(network).or_default() -= 1;
        }
        is_admitted
    });
    Ok(views)
}
