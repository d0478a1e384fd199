//! Families, with their plans and payments.

use chrono::{DateTime, Datelike, Days, NaiveDate, TimeDelta, Utc};
use portal::db::Db;
use portal::search_text::normalize;
use uuid::Uuid;

use super::rows::{Cell, insert};
use super::{FIRST, LAST, ONE_NAME, Size, of};

pub async fn families(db: &Db, size: Size, now: DateTime<Utc>) -> Vec<Uuid> {
    let ids: Vec<Uuid> = (0..size.families).map(|_| Uuid::now_v7()).collect();
    let address = |n: u32| format!("family{n}@{}.example", of(&LAST, n).to_lowercase());
    let at = |n: u32| now - TimeDelta::hours(i64::from(n) * 7 + 1);
    let rows = ids.iter().zip(0..).map(|(id, n)| {
        let last = if n == size.families / 2 { ONE_NAME } else { of(&LAST, n / 12) };
        let name = format!("{} {last}", of(&FIRST, n));
        let child = format!("{} {last}", of(&FIRST, n / 3 + 5));
        // One in ten waits to be approved.
        let own = n % 10 == 7;
        let standing = standing(n, now);
        let second = (n % 2 == 1).then(|| format!("\nsecond{n}@house.example"));
        let found = normalize(&format!("{name} {child}")) + "\n" + &address(n);
        let found = found + &second.unwrap_or_default();
        vec![
            Cell::Id(*id),
            Cell::Text(name),
            Cell::Text(child),
            Cell::Text("parent".into()),
            Cell::Text(if own { "self" } else { "staff" }.into()),
            Cell::Bool(n % 3 != 0),
            Cell::Bool(n % 5 != 0),
            Cell::Bool(n.is_multiple_of(2)),
            Cell::Bool(true),
            if own { Cell::None } else { Cell::At(at(n)) },
            Cell::Text(found),
            Cell::Int(1),
            Cell::At(at(n)),
            Cell::At(at(n)),
            Cell::Text(address(n)),
            Cell::Int(standing.0),
            Cell::Int(standing.1),
        ]
    });
    insert(
        db,
        "insert into profiles
           (id, full_name, child_name, user_type, origin, email_notifications, daily_video_email,
            camp_updates_email, welcome_popup_shown, approved_at, search_text, version, created_at,
            updated_at, list_email, list_standing, list_paid) ",
        rows,
    )
    .await;
    let rows = ids.iter().zip(0..).flat_map(|(id, n)| {
        let row = move |email, kind: &str| {
            vec![
                Cell::Text(email),
                Cell::Id(*id),
                Cell::Text(kind.into()),
                Cell::Bool(true),
                Cell::At(at(n)),
                Cell::At(at(n)),
            ]
        };
        let second = (n % 2 == 1).then(|| row(format!("second{n}@house.example"), "secondary"));
        [Some(row(address(n), "primary")), second].into_iter().flatten()
    });
    insert(
        db,
        "insert into profile_addresses
           (email, profile_id, kind, entered_by_staff, verified_at, created_at) ",
        rows,
    )
    .await;
    let rows = ids.iter().zip(0..).filter(|(_, n)| n % 5 != 4).map(|(id, n)| {
        vec![
            Cell::Id(*id),
            Cell::Text(address(n)),
            Cell::Text("-".into()),
            Cell::Text(format!("{} {}", of(&FIRST, n), of(&LAST, n / 12))),
            Cell::At(at(n)),
            Cell::Id(*id),
            Cell::At(at(n)),
            Cell::At(at(n)),
        ]
    });
    insert(
        db,
        "insert into users
           (id, email, password_hash, full_name, verified_at, profile_id, created_at, updated_at) ",
        rows,
    )
    .await;
    ids
}

const TOTAL: i64 = 280_000;

/// Due date and the amount of one payment; nothing for a family without a plan.
fn plan(n: u32, now: DateTime<Utc>) -> Option<(NaiveDate, i64)> {
    let today = now.date_naive();
    let days = Days::new(1 + u64::from(n % 90));
    let earlier = today.checked_sub_days(days).expect("a day");
    let later = today.checked_add_days(days).expect("a day");
    match n % 10 {
        0 => None,
        1 => Some((earlier, TOTAL / 4)),
        2..6 => Some((later, TOTAL / 2)),
        _ => Some((earlier, TOTAL)),
    }
}

/// The family's values for sorting, as the portal would store them.
fn standing(n: u32, now: DateTime<Utc>) -> (i64, i64) {
    match plan(n, now) {
        None => (9_000_000, -1),
        Some((_, TOTAL)) => (10_000_000, TOTAL),
        Some((due, paid)) => (i64::from(due.num_days_from_ce()), paid),
    }
}

pub async fn payments(db: &Db, size: Size, now: DateTime<Utc>, families: &[Uuid]) {
    let plans: Vec<(Uuid, NaiveDate, i64)> = families
        .iter()
        .zip(0..)
        .filter_map(|(id, n)| plan(n, now).map(|(due, paid)| (*id, due, paid)))
        .collect();
    let rows = plans.iter().map(|(id, due, paid)| {
        vec![
            Cell::Id(*id),
            Cell::Id(*id),
            Cell::Int(TOTAL),
            Cell::Int(*paid),
            Cell::Day(*due),
            Cell::Int(1),
            Cell::At(now),
            Cell::At(now),
        ]
    });
    insert(
        db,
        "insert into payment_plans
           (id, profile_id, total_amount, paid_amount, due_date, version, created_at, updated_at) ",
        rows,
    )
    .await;
    let each = size.payments as usize / plans.len();
    let rows = plans.iter().flat_map(|(plan, _, paid)| {
        (0..each).map(move |n| {
            // All but the last add up to zero.
            let amount = match each - n {
                1 => *paid,
                left if left % 2 == 0 => 1_000,
                _ => -1_000,
            };
            let day = now.date_naive().checked_sub_days(Days::new(n as u64)).expect("a day");
            vec![
                Cell::Id(Uuid::now_v7()),
                Cell::Id(*plan),
                Cell::Text("adjustment".into()),
                Cell::Int(amount),
                Cell::Day(day),
                Cell::At(now),
            ]
        })
    });
    insert(db, "insert into payments (id, plan_id, kind, amount, payment_date, created_at) ", rows)
        .await;
}
