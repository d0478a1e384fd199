//! Updates, messages, newsletters, FAQ, products, staff and the audit log.

use chrono::{DateTime, TimeDelta, Utc};
use portal::db::Db;
use portal::search_text::normalize;
use uuid::Uuid;

use super::deliveries::notifications;
use super::rows::{Cell, insert};
use super::{FIRST, LAST, ONE_NAME, Size, of};

pub async fn updates(db: &Db, size: Size, now: DateTime<Utc>) {
    let ids: Vec<Uuid> = (0..size.updates).map(|_| Uuid::now_v7()).collect();
    let rows = ids.iter().zip(0..).map(|(id, n)| {
        let at = now - TimeDelta::hours(i64::from(n) * 5 + 1);
        let title = format!("News {n} from the {}", of(&["kitchen", "dock", "office"], n));
        vec![
            Cell::Id(*id),
            Cell::Text(title.clone()),
            Cell::Text("The buses are on their way, all is well.".into()),
            Cell::Text("The office".into()),
            Cell::Text(of(&["low", "medium", "high"], n).into()),
            Cell::Bool(n < size.updates / 2),
            if n % 50 == 0 { Cell::At(now + TimeDelta::days(2)) } else { Cell::None },
            Cell::Text(normalize(&title)),
            Cell::Int(1),
            Cell::At(at),
            Cell::At(at),
        ]
    });
    insert(
        db,
        "insert into live_updates
           (id, title, message, author, priority, is_active, pinned_until, search_text, version,
            created_at, updated_at) ",
        rows,
    )
    .await;
    notifications(db, "update", "camp_updates", ids.iter().take(60), now).await;
}

pub async fn messages(db: &Db, size: Size, now: DateTime<Utc>) {
    let ids: Vec<Uuid> = (0..size.messages).map(|_| Uuid::now_v7()).collect();
    let rows = ids.iter().zip(0..).map(|(id, n)| {
        let at = now - TimeDelta::hours(i64::from(n) * 3 + 1);
        let name = format!("{} {}", of(&FIRST, n), of(&LAST, n));
        let last = if n == size.messages / 2 { ONE_NAME } else { "the bunk" };
        let subject = format!("A question about {last}");
        let text = normalize(&format!("{name} {subject}"));
        vec![
            Cell::Id(*id),
            Cell::Text(name),
            Cell::Text(format!("family{n}@house.example")),
            Cell::Text(subject),
            Cell::Text("parent".into()),
            Cell::Text(of(&["staff", "video_team"], n).into()),
            Cell::Text("When does the bus leave? ".repeat(8)),
            // Most of them were answered.
            Cell::Text(of(&["replied", "read", "replied", "unread", "replied"], n).into()),
            Cell::Bool(n % 10 == 9),
            Cell::Text(text),
            Cell::Int(1),
            Cell::At(at),
            Cell::At(at),
        ]
    });
    insert(
        db,
        "insert into messages
           (id, name, email, subject, user_type, department, message, status, spam, search_text,
            version, created_at, updated_at) ",
        rows,
    )
    .await;
    let rows = ids.iter().zip(0_u32..).filter(|(_, n)| n % 5 % 2 == 0).map(|(id, n)| {
        let at = now - TimeDelta::hours(i64::from(n) * 3);
        vec![Cell::Id(Uuid::now_v7()), Cell::Id(*id), Cell::Text("At nine.".into()), Cell::At(at)]
    });
    insert(db, "insert into message_replies (id, message_id, body, created_at) ", rows).await;
    let rows = (0..size.subscribers).map(|n| {
        let at = now - TimeDelta::hours(i64::from(n) * 4 + 1);
        let name = if n == size.subscribers / 2 { ONE_NAME } else { of(&LAST, n) };
        vec![
            Cell::Id(Uuid::now_v7()),
            Cell::Text(format!("{}{n}@reader.example", name.to_lowercase())),
            if n % 9 == 0 { Cell::None } else { Cell::At(at) },
            Cell::At(at),
        ]
    });
    insert(db, "insert into subscribers (id, email, confirmed_at, created_at) ", rows).await;
    let letters: Vec<Uuid> = (0..size.letters).map(|_| Uuid::now_v7()).collect();
    let rows = letters.iter().zip(0..).map(|(id, n)| {
        vec![
            Cell::Id(*id),
            Cell::Text(format!("Letter {n}")),
            Cell::Text("Dear families,\n\nthe summer goes on.".into()),
            Cell::Text("families".into()),
            Cell::At(now - TimeDelta::days(i64::from(n) + 1)),
        ]
    });
    insert(db, "insert into letters (id, subject, body, audience, created_at) ", rows).await;
    notifications(db, "letter", "general", letters.iter().take(20), now).await;
}

/// FAQ, products, staff and the audit log.
pub async fn administration(db: &Db, size: Size, now: DateTime<Utc>, families: &[Uuid]) {
    let rows = (0..size.faq).map(|n| {
        let question = format!("Question {n} about the {}?", of(&["lake", "food", "bunk"], n));
        let folded = normalize(&question);
        vec![
            Cell::Id(Uuid::now_v7()),
            Cell::Text(format!("question-{n}")),
            Cell::Text(question),
            Cell::Text("Yes, every day but Saturday.".into()),
            Cell::Text(of(&["Schedule", "Policies", "Communication"], n).into()),
            Cell::Bool(n % 10 != 0),
            Cell::Int(i64::from(n) + 100),
            Cell::Int(0),
            Cell::Text(folded),
            Cell::Int(1),
            Cell::At(now),
            Cell::At(now),
        ]
    });
    insert(
        db,
        "insert into faq
           (id, slug, question, answer, category, is_published, position, view_count, search_text,
            version, created_at, updated_at) ",
        rows,
    )
    .await;
    let rows = (0..size.products).map(|n| {
        let title = format!("{} {n}", of(&["Cap", "Shirt", "Canteen"], n));
        let folded = normalize(&title);
        vec![
            Cell::Id(Uuid::now_v7()),
            Cell::Text(title),
            Cell::Int(1_800),
            Cell::Text(of(&["clothing", "equipment"], n).into()),
            Cell::Int(20),
            Cell::Bool(false),
            Cell::Bool(false),
            Cell::Bool(false),
            Cell::Bool(true),
            Cell::Text(folded),
            Cell::Int(1),
            Cell::At(now - TimeDelta::days(i64::from(n))),
            Cell::At(now),
        ]
    });
    insert(
        db,
        "insert into products
           (id, title, price, category, stock_quantity, is_new, is_bestseller, is_featured,
            is_active, search_text, version, created_at, updated_at) ",
        rows,
    )
    .await;
    let staff: Vec<Uuid> = (0..size.staff).map(|_| Uuid::now_v7()).collect();
    let rows = (0..size.staff).map(|n| {
        vec![
            Cell::Id(staff[n as usize]),
            Cell::Text(format!("counselor{n}")),
            Cell::Text(format!("counselor{n}")),
            Cell::Text(format!("counselor{n}@camp.example")),
            Cell::Text("-".into()),
            Cell::Text("staff".into()),
            Cell::Int(1),
            Cell::At(now),
            Cell::At(now),
        ]
    });
    insert(
        db,
        "insert into staff
           (id, username, username_folded, email, password_hash, role, version, created_at,
            updated_at) ",
        rows,
    )
    .await;
    let rows = (0..size.audit).map(|n| {
        // Most actions are of staff on families; some are rare.
        let (actor, action, topic, subject) = match n {
            _ if n % 1_000 == 3 => ("nobody", "staff.sign_in_refused", "staff", "staff"),
            _ if n % 1_000 == 5 => ("operator", "settings.set", "settings", "setting"),
            _ if n % 50 == 7 => ("staff", "payment.record", "payment", "profile"),
            _ => ("staff", "profile.change", "profile", "profile"),
        };
        vec![
            Cell::Id(Uuid::now_v7()),
            Cell::At(now - TimeDelta::minutes(i64::from(size.audit - n))),
            Cell::Text(actor.into()),
            match actor {
                "staff" => Cell::Id(staff[n as usize / 7 % staff.len()]),
                _ => Cell::None,
            },
            Cell::Text(action.into()),
            Cell::Text(topic.into()),
            Cell::Text(subject.into()),
            match subject {
                "profile" => Cell::Id(families[n as usize % families.len()]),
                _ => Cell::None,
            },
            Cell::Text("{\"full_name\":\"changed\"}".into()),
        ]
    });
    insert(
        db,
        "insert into audit_log
           (id, at, actor_kind, actor_id, action, topic, subject_kind, subject_id, details) ",
        rows,
    )
    .await;
}
