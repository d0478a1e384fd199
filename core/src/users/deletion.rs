//! Deletes a user, and exports what is stored about one.

use serde_json::{Value, json};
use uuid::Uuid;

use super::former_addresses;
use super::sign_up::unconfirmed;
use crate::accounts::password::Confirmed;
use crate::accounts::sessions;
use crate::accounts::user_password::confirm_password;
use crate::accounts::{ClientInfo, User};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::{On, Sql, Texts, Tx, again_after_deadlock};
use crate::email_address::EmailAddress;
use crate::ids::{FamilyId, UserId};
use crate::notifications::{self, Category};
use crate::unsubscribe;
use crate::{App, Result, comments, families, messages, payments, videos};

/// Deletes the user: its sessions end, its likes are removed, its comments become "Former member",
/// mails and messages lose name and address. The family record stays with the camp (decision P5),
/// but the user's address gets no more category mail.
///
/// # Errors
///
/// [`crate::Error::Invalid`] on `current_password`, [`crate::Error::TooMany`] after many wrong
/// passwords, [`crate::Error::SignInRequired`] or [`crate::Error::NotFound`] when the user or the family
/// was deleted meanwhile.
pub async fn delete(app: &App, user: &User, current: &str, from: ClientInfo) -> Result<()> {
    let confirmed = confirm_password(app, user, current, &from).await?;
    // Staff may be deleting the family at this moment.
    again_after_deadlock(|| delete_confirmed(app, user, &confirmed)).await
}

async fn delete_confirmed(app: &App, user: &User, confirmed: &Confirmed) -> Result<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    // The family before its user, as when staff delete it: otherwise both could wait for each other.
    families::hold(&mut tx, now, user.profile_id).await?;
    confirmed.still_holds(&mut tx, user.id).await?;
    former_addresses::erase(&mut tx, now, user.id).await?;
    remove(&mut tx, user.id).await?;
    notifications::erase_about(&mut tx, user.id).await?;
    // An unverified address may belong to somebody else: their mails and messages stay.
    if user.verified {
        let (general, all) = (Category::General, unsubscribe::Scope::Everything);
        unsubscribe::stop(&mut tx, app, now, &user.email, general, all).await?;
        messages::erase_sender(&mut tx, now, &user.email).await?;
        notifications::erase_address(&mut tx, app, &user.email).await?;
    }
    audit::record(
        &mut tx,
        now,
        Actor::User(user.id),
        Action::UserDelete,
        Subject::new(SubjectKind::User, user.id),
        Value::Null,
    )
    .await?;
    tx.commit().await
}

/// Deletes a user with everything that belongs only to it.
///
/// # Errors
///
/// [`crate::Error::NotFound`] when the user's family is deleted already.
pub(crate) async fn remove(tx: &mut Tx, id: UserId) -> Result<()> {
    // Locks the row: a comment that is being written is stored before the next steps, or fails
    // because its author is gone.
    On::from(&mut *tx)
        .either(Texts {
            sqlite: Sql::from("select id from users where id = $1"),
            postgres: Sql::from("select id from users where id = $1 for update"),
        })
        .bind(id)
        .optional::<(UserId,)>()
        .await?;
    videos::erase_likes(tx, id).await?;
    comments::erase_author(tx, id).await?;
    let gone: Option<(FamilyId,)> =
        tx.sql("delete from users where id = $1 returning profile_id").bind(id).optional().await?;
    match gone {
        Some((family,)) => families::refresh_search_text(tx, family).await,
        None => Ok(()),
    }
}

/// Deletes the user that somebody created with an address and never verified, for another user who has
/// verified it (decision P2).
///
/// # Errors
///
/// [`crate::Error::SignInRequired`] or [`crate::Error::NotFound`] when its family is deleted already.
pub(super) async fn remove_unconfirmed(
    tx: &mut Tx,
    app: &App,
    by: UserId,
    email: &EmailAddress,
) -> Result<()> {
    let Some(user) = unconfirmed(tx, email).await?.filter(|user| user.id != by) else {
        return Ok(());
    };
    let now = app.clock.now();
    remove(tx, user.id).await?;
    notifications::erase_about(tx, user.id).await?;
    families::drop_if_own_and_empty(tx, now, user.profile_id).await?;
    let subject = Subject::new(SubjectKind::User, user.id);
    audit::record(tx, now, Actor::User(by), Action::UserDelete, subject, Value::Null).await
}

/// Exports everything that is stored about a user as one document (safety 30). `session` is the
/// requesting session.
///
/// # Errors
///
/// [`crate::Error::NotFound`] when the user was deleted in the meantime.
pub async fn download(app: &App, user: &User, session: Uuid) -> Result<Value> {
    let profile = families::own(app, user).await?;
    let comments: Vec<(String, chrono::DateTime<chrono::Utc>, Uuid)> = app
        .db
        .sql("select content, created_at, video_id from video_comments where user_id = $1 order by created_at")
        .bind(user.id)
        .all()
        .await?;
    let likes: Vec<(Uuid, chrono::DateTime<chrono::Utc>)> = app
        .db
        .sql("select video_id, created_at from video_likes where user_id = $1 order by created_at")
        .bind(user.id)
        .all()
        .await?;
    let watched = videos::positions_of(app, user.id).await?;
    let last_watched_at: Option<chrono::DateTime<chrono::Utc>> = app
        .db
        .sql("select max(watched_at) from watchers where user_id = $1")
        .bind(user.id)
        .scalar()
        .await?;
    let (mut mails, mut messages) = (Vec::new(), Vec::new());
    let former = former_addresses::of_user(&app.db, user.id).await?;
    // What came from an unverified address or went to it may be somebody else's.
    let present = user.verified.then(|| (user.email.clone(), app.clock.now()));
    for (email, until) in former.iter().chain(present.as_ref()) {
        mails.extend(mails_to(app, email, *until).await?);
        messages.extend(messages::of_sender(app, email, *until).await?);
    }
    let sessions = sessions::of_user(app, user.id, session).await?;
    let payments = payments::own(app, user).await?;
    Ok(json!({
        "account": { "id": user.id, "email": user.email, "full_name": user.full_name, "email_verified": user.verified, "earlier_emails": former.iter().map(|(email, _)| email).collect::<Vec<_>>(), "last_watched_at": last_watched_at },
        "family": profile,
        "payments": payments,
        "comments": comments.iter().map(|(content, at, video)| json!({ "video_id": video, "content": content, "created_at": at })).collect::<Vec<_>>(),
        "likes": likes.iter().map(|(video, at)| json!({ "video_id": video, "created_at": at })).collect::<Vec<_>>(),
        "watched": watched.iter().map(|(video, seconds, at)| json!({ "video_id": video, "seconds": seconds, "watched_at": at })).collect::<Vec<_>>(),
        "mails": mails,
        "messages": messages,
        "sessions": sessions,
    }))
}

async fn mails_to(
    app: &App,
    email: &EmailAddress,
    until: chrono::DateTime<chrono::Utc>,
) -> Result<Vec<Value>> {
    let rows: Vec<(String, String, Option<chrono::DateTime<chrono::Utc>>)> = app
        .db
        .sql(
            "select n.kind, d.status, d.sent_at from deliveries d
             join notifications n on n.id = d.notification_id
             where d.email = $1 and d.created_at <= $2 order by d.created_at",
        )
        .bind(email)
        .bind(until)
        .all()
        .await?;
    let told = rows.into_iter();
    Ok(told
        .map(|(kind, status, at)| json!({ "kind": kind, "status": status, "sent_at": at }))
        .collect())
}
