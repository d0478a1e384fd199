//! Payment plans and payments of the sample camp's families.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, TimeDelta, Utc};
use uuid::Uuid;

use super::Sample;
use super::content::Content;
use super::people::{Family, People};
use super::random::Random;
use crate::Result;
use crate::clock::{day_in, moment_in};
use crate::db::Tx;
use crate::ids::StaffId;
use crate::money::Cents;
use crate::payments::{Kind, Plan};

pub struct Payments {
    plans: Vec<(Plan, DateTime<Utc>)>,
    rows: Vec<Row>,
}

struct Row {
    id: Uuid,
    plan_id: Uuid,
    kind: Kind,
    amount: Cents,
    date: NaiveDate,
    notes: Option<&'static str>,
    void_of: Option<Uuid>,
    recorded_by: Option<StaffId>,
    at: DateTime<Utc>,
}

#[derive(Clone, Copy, PartialEq)]
enum Standing {
    Paid,
    Due,
    Overdue,
    NoPlan,
    Free,
    Credit,
}

/// The number of families of each standing.
fn standings(sample: Sample) -> Vec<Standing> {
    use Standing::*;
    let counts = match sample {
        Sample::Yiddish => {
            [(Paid, 61), (Due, 38), (Overdue, 19), (NoPlan, 9), (Free, 2), (Credit, 3)]
        }
        Sample::General => {
            [(Paid, 84), (Due, 52), (Overdue, 26), (NoPlan, 12), (Free, 2), (Credit, 4)]
        }
    };
    counts.into_iter().flat_map(|(standing, n)| std::iter::repeat_n(standing, n)).collect()
}

const REFUNDS: usize = 6;
const VOIDS: usize = 3;
const ADJUSTMENTS: usize = 2;
/// Cents for the first child. Each further child costs a tenth less.
const FIRST_CHILD: i64 = 280_000;
const FURTHER_CHILD: i64 = FIRST_CHILD * 9 / 10;
const NOTES: &[Option<&str>] = &[
    None,
    None,
    None,
    Some("Check"),
    Some("Cash, at the office"),
    Some("Bank transfer"),
    Some("By card, over the phone"),
];

pub fn invent(
    content: &Content,
    sample: Sample,
    now: DateTime<Utc>,
    people: &People,
    random: &mut Random,
) -> Payments {
    let zone = content.camp.timezone;
    let today = day_in(zone, now);
    let mut standings = standings(sample);
    random.shuffle(&mut standings);
    // The sample parent's family has a plan that is due.
    if let Some(at) = standings.iter().position(|standing| *standing == Standing::Due) {
        standings.swap(0, at);
    }
    let mut book = Book {
        today,
        joined: today,
        noon: |day: NaiveDate| moment_in(zone, day.and_time(NaiveTime::MIN)) + TimeDelta::hours(12),
        now,
        office: people.staff.first().map(|staff| staff.id),
        payments: Payments { plans: Vec::new(), rows: Vec::new() },
        corrections: Corrections::default(),
    };
    for (family, standing) in people.families.iter().zip(standings) {
        if standing == Standing::NoPlan {
            continue;
        }
        book.joined = day_in(zone, family.created_at);
        let total = match standing {
            Standing::Free => 0,
            _ => FIRST_CHILD + FURTHER_CHILD * (family.children as i64 - 1),
        };
        // Nothing is due or paid before the family joined.
        let due_date = due_date(standing, today, random).map(|day| day.max(book.joined));
        let parts = parts(standing, random);
        let share = match standing {
            Standing::Paid | Standing::Credit => total,
            _ if parts == 0 => 0,
            _ => total * random.between(15, 85) / 100 / 5_000 * 5_000,
        };
        let plan_id = book.open(family, Cents::new(total), due_date, random);
        book.pay(plan_id, family, share, parts, random);
        book.correct(plan_id, standing, random);
    }
    book.payments
}

fn due_date(standing: Standing, today: NaiveDate, random: &mut Random) -> Option<NaiveDate> {
    match standing {
        Standing::Free => None,
        Standing::Overdue => Some(today - Days::new(random.between(1, 40) as u64)),
        Standing::Due if random.percent(20) => None,
        // One plan is due today.
        Standing::Due => Some(today + Days::new(random.between(0, 45) as u64)),
        _ => Some(today - Days::new(random.between(0, 60) as u64)),
    }
}

/// The number of payments.
fn parts(standing: Standing, random: &mut Random) -> i64 {
    match standing {
        Standing::Paid => random.between(2, 5),
        Standing::Due => random.between(1, 4),
        Standing::Overdue => random.between(0, 3),
        Standing::Credit => random.between(2, 4),
        Standing::Free | Standing::NoPlan => 0,
    }
}

/// How many corrections of each kind there are so far.
#[derive(Default)]
struct Corrections {
    refunds: usize,
    voids: usize,
    adjustments: usize,
}

/// Collects the plans and ledger rows.
struct Book<N> {
    today: NaiveDate,
    /// The first day of the current family.
    joined: NaiveDate,
    noon: N,
    now: DateTime<Utc>,
    office: Option<StaffId>,
    payments: Payments,
    corrections: Corrections,
}

impl<N: Fn(NaiveDate) -> DateTime<Utc>> Book<N> {
    fn open(
        &mut self,
        family: &Family,
        total_amount: Cents,
        due_date: Option<NaiveDate>,
        random: &mut Random,
    ) -> Uuid {
        let id = random.id(family.created_at);
        let profile_id = family.id;
        let paid_amount = Cents::ZERO;
        let plan = Plan { id, profile_id, total_amount, paid_amount, due_date, version: 1 };
        self.payments.plans.push((plan, family.created_at));
        id
    }

    /// Enters what a few plans have besides payments: credit, refunds, voids and adjustments.
    fn correct(&mut self, plan_id: Uuid, standing: Standing, random: &mut Random) {
        if standing == Standing::Credit {
            let over = Cents::new(5_000 * random.between(1, 4));
            let notes = Some("Over the total, as credit");
            self.enter(plan_id, Kind::Payment, over, notes, None, self.today, random);
        }
        if standing == Standing::Paid && self.corrections.refunds < REFUNDS && random.percent(25) {
            self.corrections.refunds += 1;
            self.refund(plan_id, random);
        }
        if standing != Standing::Due {
            return;
        }
        if self.corrections.voids < VOIDS && random.percent(25) {
            self.corrections.voids += 1;
            self.void(plan_id, random);
        } else if self.corrections.adjustments < ADJUSTMENTS && random.percent(25) {
            self.corrections.adjustments += 1;
            let day = self.today - Days::new(random.between(2, 30) as u64);
            let (fund, notes) = (Cents::new(18_000), Some("Help from the fund"));
            self.enter(plan_id, Kind::Adjustment, fund, notes, None, day, random);
        }
    }

    /// A payment after everything was paid, and its refund.
    fn refund(&mut self, plan_id: Uuid, random: &mut Random) {
        let again = Cents::new(5_000 * random.between(2, 10));
        let day = self.today - Days::new(random.between(3, 20) as u64);
        self.enter(plan_id, Kind::Payment, again, Some("Paid twice"), None, day, random);
        let day = day + Days::new(2);
        let notes = Some("The second payment, given back");
        self.enter(plan_id, Kind::Refund, -again, notes, None, day, random);
    }

    /// A payment that belonged to another family, and its void.
    fn void(&mut self, plan_id: Uuid, random: &mut Random) {
        let wrong = Cents::new(50_000);
        let day = self.today - Days::new(random.between(2, 15) as u64);
        let row = self.enter(plan_id, Kind::Payment, wrong, Some("Check"), None, day, random);
        let notes = Some("Belonged to another family");
        self.enter(plan_id, Kind::Void, -wrong, notes, Some(row), day, random);
    }

    /// Pays a sum in several round amounts, beginning when the family joined.
    fn pay(&mut self, plan_id: Uuid, family: &Family, sum: i64, parts: i64, random: &mut Random) {
        let days = (self.now - family.created_at).num_days().max(parts + 1);
        let mut rest = sum;
        for part in 0..parts {
            let left = parts - part;
            let amount = match left {
                1 => rest,
                _ => (rest / left / 5_000 + random.between(-2, 2)).max(1) * 5_000,
            };
            let amount = amount.min(rest);
            if amount <= 0 {
                break;
            }
            rest -= amount;
            let back = days - days * part / parts - random.between(0, days / parts / 2);
            let day = self.today - Days::new(back.clamp(0, 400) as u64);
            let (amount, note) = (Cents::new(amount), *random.pick(NOTES));
            self.enter(plan_id, Kind::Payment, amount, note, None, day, random);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn enter(
        &mut self,
        plan_id: Uuid,
        kind: Kind,
        amount: Cents,
        notes: Option<&'static str>,
        void_of: Option<Uuid>,
        date: NaiveDate,
        random: &mut Random,
    ) -> Uuid {
        let date = date.max(self.joined);
        let at = (self.noon)(date) + TimeDelta::minutes(random.between(-180, 240));
        let at = at.min(self.now);
        let id = random.id(at);
        let recorded_by = self.office;
        self.payments.rows.push(Row {
            id,
            plan_id,
            kind,
            amount,
            date,
            notes,
            void_of,
            recorded_by,
            at,
        });
        if let Some((plan, _)) = self.payments.plans.iter_mut().find(|(plan, _)| plan.id == plan_id)
        {
            plan.paid_amount += amount;
        }
        id
    }
}

impl Payments {
    pub fn plans(&self) -> usize {
        self.plans.len()
    }

    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    pub async fn write(&self, tx: &mut Tx) -> Result<()> {
        for (plan, at) in &self.plans {
            tx.sql(
                "insert into payment_plans
                   (id, profile_id, total_amount, paid_amount, due_date, reminders_from, version,
                    created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $7, $6, $7, $7)",
            )
            .bind(plan.id)
            .bind(plan.profile_id)
            .bind(plan.total_amount)
            .bind(plan.paid_amount)
            .bind(plan.due_date)
            .bind(plan.version)
            .bind(*at)
            .execute()
            .await?;
            tx.sql("update profiles set list_standing = $2, list_paid = $3 where id = $1")
                .bind(plan.profile_id)
                .bind(plan.standing())
                .bind(plan.paid_amount)
                .execute()
                .await?;
        }
        for row in &self.rows {
            tx.sql(
                "insert into payments
                   (id, plan_id, kind, amount, payment_date, notes, void_of, recorded_by, created_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            )
            .bind(row.id)
            .bind(row.plan_id)
            .bind(row.kind)
            .bind(row.amount)
            .bind(row.date)
            .bind(row.notes.map(str::to_owned))
            .bind(row.void_of)
            .bind(row.recorded_by)
            .bind(row.at)
            .execute()
            .await?;
        }
        tx.sql(
            "update profiles
             set list_email = coalesce((select a.email from profile_addresses a
                                        where a.profile_id = profiles.id and a.kind = 'primary'), '')",
        )
        .execute()
        .await?;
        Ok(())
    }
}
