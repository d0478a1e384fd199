//! Fills a camp with as much as many summers leave behind, in a few seconds: whole tables at once,
//! since no rule of the portal is what is measured here.

use std::time::Instant;

use chrono::{DateTime, Datelike, Days, NaiveDate, TimeDelta, Utc};
use portal::db::Db;
use portal::fold::fold;
use sqlx::{Postgres, QueryBuilder, Sqlite};
use uuid::Uuid;

/// The whole camp, or the hundredth part of it.
#[derive(Clone, Copy)]
pub struct Size {
    pub families: u32,
    pub videos: u32,
    pub videos_a_summer: u32,
    pub payments: u32,
    pub comments: u32,
    pub views: u32,
    pub updates: u32,
    pub messages: u32,
    pub subscribers: u32,
    pub letters: u32,
    pub faq: u32,
    pub products: u32,
    pub staff: u32,
    pub audit: u32,
}

pub const WHOLE: Size = Size {
    families: 5_000,
    videos: 1_200,
    videos_a_summer: 60,
    payments: 50_000,
    comments: 100_000,
    views: 100_000,
    updates: 1_000,
    messages: 2_000,
    subscribers: 2_000,
    letters: 200,
    faq: 200,
    products: 200,
    staff: 50,
    audit: 200_000,
};

impl Size {
    pub fn hundredth(self) -> Size {
        let part = |n: u32| n.div_ceil(100);
        Size {
            families: part(self.families),
            videos: part(self.videos),
            // Some of this year and some of the years before, as in the whole one.
            videos_a_summer: part(self.videos) / 3,
            payments: part(self.payments),
            comments: part(self.comments),
            views: part(self.views),
            updates: part(self.updates),
            messages: part(self.messages),
            subscribers: part(self.subscribers),
            letters: part(self.letters),
            faq: part(self.faq),
            products: part(self.products),
            staff: part(self.staff),
            audit: part(self.audit),
        }
    }
}

/// One of each, to look at.
pub struct Planted {
    /// The newest video.
    pub video: Uuid,
    pub family: Uuid,
    /// A day of the first archive year.
    pub earlier: i32,
}

/// Of one family only, in either camp.
pub const ONE_NAME: &str = "Quillfeather";

pub async fn plant(db: &Db, size: Size, now: DateTime<Utc>) -> Planted {
    let began = Instant::now();
    let families = people(db, size, now).await;
    money(db, size, now, &families).await;
    let videos = films(db, size, now).await;
    talk(db, size, now, &videos).await;
    board(db, size, now).await;
    post(db, size, now).await;
    house(db, size, now, &families).await;
    mails(db).await;
    // As the server does by itself after a while.
    run(db, if matches!(db, Db::Postgres(_)) { "vacuum analyze" } else { "analyze" }).await;
    println!("planted {} families in {:.1?}", size.families, began.elapsed());
    Planted { video: videos[0], family: families[0], earlier: now.year() - 1 }
}

const FIRST: [&str; 12] = [
    "Malka", "Zelig", "Perl", "Anshel", "Frumet", "Getzel", "Hinde", "Yona", "Tauba", "Lipa",
    "Breindel", "Fishel",
];
const LAST: [&str; 17] = [
    "Apfelbaum",
    "Birnbaum",
    "Citron",
    "Dattelkern",
    "Feigenblatt",
    "Granat",
    "Haselnuss",
    "Kirschner",
    "Limonik",
    "Mandelbrot",
    "Nelkenbaum",
    "Olivero",
    "Pfirsich",
    "Quitten",
    "Rosinek",
    "Traubman",
    "Weinrib",
];

fn of<'a>(names: &[&'a str], n: u32) -> &'a str {
    names[n as usize % names.len()]
}

async fn people(db: &Db, size: Size, now: DateTime<Utc>) -> Vec<Uuid> {
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
        let found = fold(&format!("{name} {child}")) + "\n" + &address(n);
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

/// Due date, and what was paid in one payment; nothing for a family without a plan.
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

/// Where the family stands in lists, as the portal would have written it.
fn standing(n: u32, now: DateTime<Utc>) -> (i64, i64) {
    match plan(n, now) {
        None => (9_000_000, -1),
        Some((_, TOTAL)) => (10_000_000, TOTAL),
        Some((due, paid)) => (i64::from(due.num_days_from_ce()), paid),
    }
}

async fn money(db: &Db, size: Size, now: DateTime<Utc>, families: &[Uuid]) {
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
            // All but the last add up to nothing.
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

/// The newest first.
async fn films(db: &Db, size: Size, now: DateTime<Utc>) -> Vec<Uuid> {
    let ids: Vec<Uuid> = (0..size.videos).map(|_| Uuid::now_v7()).collect();
    let rows = ids.iter().zip(0..).map(|(id, n)| {
        let (summer, night) = (n / size.videos_a_summer, n % size.videos_a_summer);
        let at = now.with_year(now.year() - summer as i32).expect("a summer")
            - TimeDelta::hours(24 * i64::from(night) * 40 / i64::from(size.videos_a_summer) + 1);
        let title = format!("Night {} at the {}", night + 1, of(&["lake", "fire", "barn"], n));
        let status = match n % 12 {
            5 => "draft",
            8 => "scheduled",
            _ => "published",
        };
        let text = fold(&format!("{title} {}", of(&LAST, n)));
        let day = at.date_naive();
        vec![
            Cell::Id(*id),
            Cell::Text(title),
            Cell::Text(format!("What {} saw.", of(&LAST, n))),
            Cell::Text("https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ".into()),
            Cell::Text("youtube".into()),
            Cell::Day(day),
            Cell::Int(i64::from(day.year())),
            Cell::Text(status.into()),
            if status == "scheduled" { Cell::At(now + TimeDelta::hours(9)) } else { Cell::None },
            if status == "published" { Cell::At(at) } else { Cell::None },
            Cell::Bool(n % 20 == 0),
            Cell::Int(i64::from(n % 500)),
            Cell::Int(0),
            Cell::Int(i64::from(size.comments / size.videos)),
            Cell::Text(text.clone()),
            Cell::Text(format!("{text} youtube {day}")),
            Cell::Int(1),
            Cell::At(at),
            Cell::At(at),
        ]
    });
    insert(
        db,
        "insert into videos
           (id, title, description, video_url, video_type, upload_date, year, status,
            scheduled_date, published_at, is_featured, view_count, like_count, comment_count,
            search_text, staff_search_text, version, created_at, updated_at) ",
        rows,
    )
    .await;
    // Families were told of those of this year.
    let told = ids.iter().take(size.videos_a_summer as usize);
    tell(db, "video", "daily_videos", told, now).await;
    ids
}

async fn tell(
    db: &Db,
    kind: &str,
    category: &str,
    about: impl Iterator<Item = &Uuid>,
    now: DateTime<Utc>,
) {
    let rows = about.map(|id| {
        vec![
            Cell::Id(Uuid::now_v7()),
            Cell::Text(kind.into()),
            Cell::Id(*id),
            Cell::Text(format!("{kind}:{id}")),
            Cell::Text(category.into()),
            Cell::Text("null".into()),
            Cell::At(now),
        ]
    });
    insert(
        db,
        "insert into notifications
           (id, kind, subject_id, once_key, category, data, created_at) ",
        rows,
    )
    .await;
}

async fn talk(db: &Db, size: Size, now: DateTime<Utc>, videos: &[Uuid]) {
    // Spread over the same time, some within every period that analytics know.
    let ago =
        |n: u32, of: u32| now - TimeDelta::minutes(i64::from(n) * 20 * 365 * 1_440 / i64::from(of));
    let comments: Vec<Uuid> = (0..size.comments).map(|_| Uuid::now_v7()).collect();
    let rows = comments.iter().zip(0..).map(|(id, n)| {
        vec![
            Cell::Id(*id),
            Cell::Id(videos[n as usize % videos.len()]),
            Cell::Text(format!("{} {}", of(&FIRST, n), of(&LAST, n))),
            Cell::Text("What a night! Greetings to the whole bunk.".into()),
            Cell::At(ago(n, size.comments)),
        ]
    });
    insert(
        db,
        "insert into video_comments (id, video_id, author_name, content, created_at) ",
        rows,
    )
    .await;
    let rows = comments.iter().step_by(500).map(|id| {
        vec![
            Cell::Id(*id),
            Cell::Bytes(id.as_bytes().to_vec()),
            Cell::Text("It names a street.".into()),
            Cell::At(now),
        ]
    });
    insert(db, "insert into comment_reports (comment_id, reporter, reason, created_at) ", rows)
        .await;
    let rows = (0..size.views).map(|n| {
        vec![
            Cell::Id(videos[n as usize % videos.len()]),
            Cell::Bytes(n.to_be_bytes().to_vec()),
            Cell::Int(i64::from(n)),
            Cell::Text(of(&["phone", "tablet", "computer"], n).into()),
            Cell::At(ago(n, size.views)),
        ]
    });
    insert(db, "insert into video_views (video_id, viewer, hour, device, viewed_at) ", rows).await;
}

async fn board(db: &Db, size: Size, now: DateTime<Utc>) {
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
            Cell::Bool(n % 50 == 0),
            Cell::Text(fold(&title)),
            Cell::Int(1),
            Cell::At(at),
            Cell::At(at),
        ]
    });
    insert(
        db,
        "insert into live_updates
           (id, title, message, author, priority, is_active, pinned, search_text, version,
            created_at, updated_at) ",
        rows,
    )
    .await;
    tell(db, "update", "camp_updates", ids.iter().take(60), now).await;
}

async fn post(db: &Db, size: Size, now: DateTime<Utc>) {
    let ids: Vec<Uuid> = (0..size.messages).map(|_| Uuid::now_v7()).collect();
    let rows = ids.iter().zip(0..).map(|(id, n)| {
        let at = now - TimeDelta::hours(i64::from(n) * 3 + 1);
        let name = format!("{} {}", of(&FIRST, n), of(&LAST, n));
        let last = if n == size.messages / 2 { ONE_NAME } else { "the bunk" };
        let subject = format!("A question about {last}");
        let text = fold(&format!("{name} {subject}"));
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
    tell(db, "letter", "general", letters.iter().take(20), now).await;
}

/// What the house itself has: answers, products, staff and the audit log.
async fn house(db: &Db, size: Size, now: DateTime<Utc>, families: &[Uuid]) {
    let rows = (0..size.faq).map(|n| {
        let question = format!("Question {n} about the {}?", of(&["lake", "food", "bunk"], n));
        let folded = fold(&question);
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
        let folded = fold(&title);
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
        // Most is done by staff to families, some of it seldom.
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

/// The mails of all notifications, one in a thousand of which nobody wanted to take.
async fn mails(db: &Db) {
    run(
        db,
        "insert into deliveries
           (notification_id, email, full_name, profile_id, status, attempts, due_at, sent_at,
            created_at, updated_at)
         select n.id, a.email, p.full_name, p.id,
                case when a.email like 'family%77@%' then 'failed' else 'sent' end, 1,
                n.created_at, n.created_at, n.created_at, n.created_at
         from notifications n
         cross join profile_addresses a
         join profiles p on p.id = a.profile_id
         where case n.category
                 when 'daily_videos' then p.daily_video_email
                 when 'camp_updates' then p.camp_updates_email
                 else p.email_notifications
               end",
    )
    .await;
    // All of them are over, which the portal notes.
    run(
        db,
        "update notifications
         set sent = (select count(*) from deliveries d
                     where d.notification_id = notifications.id and d.status = 'sent'),
             failed = (select count(*) from deliveries d
                       where d.notification_id = notifications.id and d.status = 'failed'),
             suppressed = 0",
    )
    .await;
}

enum Cell {
    Id(Uuid),
    Text(String),
    Int(i64),
    Bool(bool),
    At(DateTime<Utc>),
    Day(NaiveDate),
    Bytes(Vec<u8>),
    None,
}

/// As many rows at once as either engine takes.
const AT_ONCE: usize = 500;

macro_rules! insert_into {
    ($pool:expr, $engine:ty, $into:expr, $rows:expr) => {{
        let mut tx = $pool.begin().await.expect("a transaction");
        let mut rows = $rows.peekable();
        while rows.peek().is_some() {
            let mut query = QueryBuilder::<$engine>::new($into);
            query.push_values(rows.by_ref().take(AT_ONCE), |mut out, row| {
                for cell in row {
                    match cell {
                        Cell::Id(value) => out.push_bind(value),
                        Cell::Text(value) => out.push_bind(value),
                        Cell::Int(value) => out.push_bind(value),
                        Cell::Bool(value) => out.push_bind(value),
                        Cell::At(value) => out.push_bind(value),
                        Cell::Day(value) => out.push_bind(value),
                        Cell::Bytes(value) => out.push_bind(value),
                        Cell::None => out.push("null"),
                    };
                }
            });
            query.build().persistent(false).execute(&mut *tx).await.expect("rows");
        }
        tx.commit().await.expect("a commit");
    }};
}

async fn insert(db: &Db, into: &'static str, rows: impl Iterator<Item = Vec<Cell>>) {
    match db {
        Db::Sqlite { write, .. } => insert_into!(write, Sqlite, into, rows),
        Db::Postgres(pool) => insert_into!(pool, Postgres, into, rows),
    }
}

async fn run(db: &Db, sql: &'static str) {
    let done = match db {
        Db::Sqlite { write, .. } => sqlx::query(sql).execute(write).await.map(drop),
        Db::Postgres(pool) => sqlx::query(sql).execute(pool).await.map(drop),
    };
    done.expect("the statement works");
}
