//! Fills a camp with the data of many summers in a few seconds. It inserts into tables directly, because
//! the portal's rules are not measured here.

mod camp;
mod deliveries;
mod families;
mod rows;
mod videos;

use std::time::Instant;

use chrono::{DateTime, Datelike, Utc};
use portal::db::Db;
use uuid::Uuid;

/// The large camp, or one with a hundredth of its rows.
#[derive(Clone, Copy)]
pub struct Size {
    pub families: u32,
    pub videos: u32,
    pub videos_a_summer: u32,
    pub payments: u32,
    pub comments: u32,
    pub views: u32,
    pub likes: u32,
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
    likes: 20_000,
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
            // Some of this year and some of earlier years, as in the large camp.
            videos_a_summer: part(self.videos) / 3,
            payments: part(self.payments),
            comments: part(self.comments),
            views: part(self.views),
            likes: part(self.likes),
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

/// One record of each kind, for detail requests.
pub struct Dataset {
    /// The newest video.
    pub video: Uuid,
    pub family: Uuid,
    /// A day of the first archive year.
    pub earlier: i32,
}

/// For one family only, in both camps.
pub const ONE_NAME: &str = "Quillfeather";

pub async fn insert_all(db: &Db, size: Size, now: DateTime<Utc>) -> Dataset {
    let began = Instant::now();
    let families = families::families(db, size, now).await;
    families::payments(db, size, now, &families).await;
    let videos = videos::videos(db, size, now).await;
    videos::reactions(db, size, now, &videos, &families).await;
    camp::updates(db, size, now).await;
    camp::messages(db, size, now).await;
    camp::administration(db, size, now, &families).await;
    deliveries::deliveries(db).await;
    db.add_up_tallies().await.expect("sums");
    // What the engines do after a while: autovacuum, and SQLite's checkpoints. So much at once leaves a
    // log of 200 MB, in which each page would be looked up first.
    let later: &[&str] = match db {
        Db::Postgres(_) => &["vacuum analyze"],
        Db::Sqlite { .. } => &["analyze", "pragma wal_checkpoint(truncate)"],
    };
    for &text in later {
        rows::run(db, text).await;
    }
    println!("planted {} families in {:.1?}", size.families, began.elapsed());
    Dataset { video: videos[0], family: families[0], earlier: now.year() - 1 }
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
