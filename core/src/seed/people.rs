//! Families, visitors and staff of the sample camp.

use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::content::{Content, Member, Name, Names};
use super::random::Random;
use super::{Logins, Sample};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::ids::{FamilyId, StaffId, UserId};
use crate::{Error, Result, families};

pub struct People {
    pub families: Vec<Family>,
    pub visitors: Vec<Family>,
    pub staff: Vec<Staff>,
}

pub struct Family {
    pub id: FamilyId,
    pub full_name: String,
    pub children: usize,
    child_name: String,
    user_type: &'static str,
    origin: &'static str,
    approved_at: Option<DateTime<Utc>>,
    pub wants_videos: bool,
    wants_updates: bool,
    wants_letters: bool,
    pub addresses: Vec<Address>,
    pub created_at: DateTime<Utc>,
}

pub struct Address {
    pub email: EmailAddress,
    kind: &'static str,
    entered_by_staff: bool,
    verified_at: Option<DateTime<Utc>>,
    pub login: Option<Login>,
}

pub struct Login {
    pub id: UserId,
    pub full_name: String,
    pub can_comment: bool,
    pub joined_at: DateTime<Utc>,
}

pub struct Staff {
    pub id: StaffId,
    username: String,
    email: EmailAddress,
    role: String,
    disabled_at: Option<DateTime<Utc>>,
    last_sign_in_at: DateTime<Utc>,
    created_at: DateTime<Utc>,
}

/// The number of families with one, two, three and six children.
fn sizes(sample: Sample) -> Vec<usize> {
    let counts = match sample {
        Sample::Yiddish => [(1, 96), (2, 27), (3, 8), (6, 1)],
        Sample::General => [(1, 128), (2, 40), (3, 11), (6, 1)],
    };
    counts.into_iter().flat_map(|(children, n)| std::iter::repeat_n(children, n)).collect()
}

const VISITORS: usize = 20;
/// The number of families without an email address, and of those that have not used their
/// invitation.
const WITHOUT_EMAIL: usize = 8;
const INVITED_ONLY: usize = 19;
/// One in this many families joined during the summer.
const LATE: usize = 8;

pub fn invent(
    content: &Content,
    sample: Sample,
    now: DateTime<Utc>,
    random: &mut Random,
) -> People {
    let mut taken = HashSet::new();
    let mut sizes = sizes(sample);
    random.shuffle(&mut sizes);
    let families = sizes
        .into_iter()
        .enumerate()
        .map(|(at, children)| family(content, now, at, children, &mut taken, random))
        .collect();
    let visitors = (0..VISITORS).map(|at| visitor(content, now, at, &mut taken, random)).collect();
    let staff = content.staff.iter().map(|member| staff(member, now, random)).collect();
    People { families, visitors, staff }
}

fn family(
    content: &Content,
    now: DateTime<Utc>,
    at: usize,
    children: usize,
    taken: &mut HashSet<String>,
    random: &mut Random,
) -> Family {
    let names = &content.families;
    let surname = &names.surnames[at % names.surnames.len()];
    let parent = match random.percent(60) {
        true => random.pick(&names.mothers),
        false => random.pick(&names.fathers),
    };
    let partner = random.pick(&names.fathers);
    let hebrew = random.percent(18);
    let full_name = full(parent, surname, hebrew);
    let first_names = first_names(names, children, hebrew, random);
    let child_name = format!("{} {}", together(&first_names), spelled(surname, hebrew));
    let age = random.between(80 * 1440, 200 * 1440);
    let age = if at % LATE == 3 { (age - 78 * 1440) / 2 } else { age };
    let created_at = now - TimeDelta::minutes(age);
    // The first families have signed up, so that the sample parent has.
    let without_email = (90..90 + WITHOUT_EMAIL).contains(&at);
    let invited_only = (40..40 + INVITED_ONLY).contains(&at);
    let mut addresses = Vec::new();
    if !without_email {
        let email = email(parent, surname, "family.example", taken);
        let joined = past(created_at, random.between(30, 20 * 1440), now);
        let login = (!invited_only).then(|| new_login(random, joined, &full_name, true));
        addresses.push(Address {
            email,
            kind: "primary",
            entered_by_staff: true,
            verified_at: login.is_some().then_some(joined),
            login,
        });
        if at.is_multiple_of(9) {
            let joined = past(joined, 2 * 1440, now);
            let other = full(partner, surname, hebrew);
            let claimed = at.is_multiple_of(27) && !invited_only;
            addresses.push(Address {
                email: self::email(partner, surname, "family.example", taken),
                kind: "secondary",
                entered_by_staff: !claimed,
                verified_at: claimed.then_some(joined),
                login: claimed.then(|| new_login(random, joined, &other, true)),
            });
        }
    }
    Family {
        id: random.id(created_at).into(),
        full_name,
        children,
        child_name,
        user_type: "parent",
        origin: if without_email { "import" } else { "staff" },
        approved_at: Some(created_at),
        wants_videos: at == 0 || random.percent(93),
        wants_updates: random.percent(45),
        wants_letters: random.percent(90),
        addresses,
        created_at,
    }
}

/// Different names for this many children.
fn first_names<'a>(
    names: &'a Names,
    children: usize,
    hebrew: bool,
    random: &mut Random,
) -> Vec<&'a str> {
    let mut first_names: Vec<&str> = Vec::new();
    while first_names.len() < children {
        let girls = !names.girls.is_empty() && random.percent(50);
        let child = random.pick(if girls { &names.girls } else { &names.boys });
        let child = spelled(child, hebrew);
        if !first_names.contains(&child) {
            first_names.push(child);
        }
    }
    first_names
}

/// This many minutes later, or halfway to now if that time is still to come.
fn past(from: DateTime<Utc>, minutes: i64, now: DateTime<Utc>) -> DateTime<Utc> {
    let at = from + TimeDelta::minutes(minutes);
    if at < now { at } else { from + (now - from) / 2 }
}

fn visitor(
    content: &Content,
    now: DateTime<Utc>,
    at: usize,
    taken: &mut HashSet<String>,
    random: &mut Random,
) -> Family {
    let names = &content.families;
    let surname = random.pick(&names.surnames);
    let given = random.pick(if at.is_multiple_of(2) { &names.mothers } else { &names.fathers });
    let full_name = full(given, surname, random.percent(15));
    let created_at = now - TimeDelta::minutes(random.between(60, 200 * 1440));
    // A few have not confirmed their address.
    let verified = at % 7 != 6;
    let joined = new_login(random, created_at, &full_name, verified);
    Family {
        id: random.id(created_at).into(),
        full_name,
        children: 0,
        child_name: String::new(),
        user_type: "visitor",
        origin: "self",
        approved_at: None,
        wants_videos: random.percent(50),
        wants_updates: false,
        wants_letters: random.percent(50),
        addresses: vec![Address {
            email: email(given, surname, "visitor.example", taken),
            kind: "primary",
            entered_by_staff: false,
            verified_at: verified.then(|| past(created_at, 12, now)),
            login: Some(joined),
        }],
        created_at,
    }
}

fn new_login(
    random: &mut Random,
    joined_at: DateTime<Utc>,
    full_name: &str,
    can_comment: bool,
) -> Login {
    Login {
        id: random.id(joined_at).into(),
        full_name: full_name.to_owned(),
        can_comment,
        joined_at,
    }
}

fn staff(member: &Member, now: DateTime<Utc>, random: &mut Random) -> Staff {
    let created_at = now - TimeDelta::days(random.between(300, 900));
    let id = random.id(created_at);
    let disabled_at = member.disabled.then(|| now - TimeDelta::days(120));
    // A generator for this account only, so that it does not influence the rest of the camp.
    let mut own = Random::new(id.as_u64_pair().1);
    let ago = TimeDelta::minutes(match member.role.as_str() {
        "owner" => own.between(20, 300),
        _ => own.between(45, 3 * 1440),
    });
    Staff {
        id: id.into(),
        username: member.username.clone(),
        email: EmailAddress::checked_before(member.email.as_str()),
        role: member.role.clone(),
        disabled_at,
        last_sign_in_at: disabled_at.unwrap_or(now) - ago,
        created_at,
    }
}

fn spelled(name: &Name, hebrew: bool) -> &str {
    match &name.hebrew {
        Some(letters) if hebrew => letters,
        _ => &name.latin,
    }
}

fn full(given: &Name, surname: &Name, hebrew: bool) -> String {
    format!("{} {}", spelled(given, hebrew), spelled(surname, hebrew))
}

fn together(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [many @ .., last] => format!("{} & {last}", many.join(", ")),
    }
}

fn email(given: &Name, surname: &Name, domain: &str, taken: &mut HashSet<String>) -> EmailAddress {
    let plain = |name: &Name| {
        name.latin.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect::<String>()
    };
    let local = format!("{}.{}", plain(given), plain(surname));
    let free = (1..)
        .map(|n| match n {
            1 => format!("{local}@{domain}"),
            n => format!("{local}{n}@{domain}"),
        })
        .find(|email| taken.insert(email.clone()))
        .unwrap_or_default();
    EmailAddress::checked_before(free)
}

impl People {
    pub fn everybody(&self) -> impl Iterator<Item = &Family> {
        self.families.iter().chain(&self.visitors)
    }

    pub fn logins_of_all(&self) -> Vec<&Login> {
        self.everybody()
            .flat_map(|family| &family.addresses)
            .filter_map(|a| a.login.as_ref())
            .collect()
    }

    /// The staff account that answers messages.
    pub fn office(&self) -> StaffId {
        self.staff.get(1).or(self.staff.first()).map_or(uuid::Uuid::nil().into(), |staff| staff.id)
    }

    /// The staff account that posts videos.
    pub fn video_team(&self) -> StaffId {
        self.staff.get(2).or(self.staff.first()).map_or(uuid::Uuid::nil().into(), |staff| staff.id)
    }

    /// Fails with [`Error::Unforeseen`] when the camp lacks one of the accounts.
    pub fn logins(&self) -> Result<Logins> {
        let username = |role: &str| {
            let found = self.staff.iter().find(|s| s.role == role && s.disabled_at.is_none());
            found.map(|staff| staff.username.clone())
        };
        let email = |from: &[Family]| {
            let all = from.iter().flat_map(|family| &family.addresses);
            let mut signed_up = all.filter(|a| a.login.is_some() && a.verified_at.is_some());
            signed_up.next().map(|address| address.email.to_string())
        };
        let missing = || Error::unforeseen("the sample camp lacks a login");
        Ok(Logins {
            owner: username("owner").ok_or_else(missing)?,
            staff: username("staff").ok_or_else(missing)?,
            parent: email(&self.families).ok_or_else(missing)?,
            visitor: email(&self.visitors).ok_or_else(missing)?,
        })
    }

    pub async fn write(&self, tx: &mut Tx, password_hash: &str) -> Result<()> {
        for staff in &self.staff {
            tx.sql(
                "insert into staff
                   (id, username, username_folded, email, password_hash, role, disabled_at,
                    last_sign_in_at, version, created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $8, 1, $9, $9)",
            )
            .bind(staff.id)
            .bind(&staff.username)
            .bind(staff.username.to_lowercase())
            .bind(&staff.email)
            .bind(password_hash)
            .bind(&staff.role)
            .bind(staff.disabled_at)
            .bind(staff.last_sign_in_at)
            .bind(staff.created_at)
            .execute()
            .await?;
        }
        // The log is read in the order in which it was written.
        let mut seen: Vec<&Staff> = self.staff.iter().collect();
        seen.sort_by_key(|staff| staff.last_sign_in_at);
        for Staff { id, last_sign_in_at, .. } in seen {
            let (actor, subject) = (Actor::Staff(*id), Subject::new(SubjectKind::Staff, *id));
            audit::record(tx, *last_sign_in_at, actor, Action::StaffSignIn, subject, Value::Null)
                .await?;
        }
        for family in self.everybody() {
            family.write(tx, password_hash).await?;
        }
        Ok(())
    }
}

impl Family {
    async fn write(&self, tx: &mut Tx, password_hash: &str) -> Result<()> {
        let emails: Vec<&str> = self.addresses.iter().map(|a| a.email.as_str()).collect();
        let search_text = families::search_text(&self.full_name, &self.child_name, emails);
        tx.sql(
            "insert into profiles
               (id, full_name, child_name, user_type, origin, email_notifications,
                daily_video_email, camp_updates_email, welcome_popup_shown, approved_at,
                search_text, version, created_at, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, $12, $12)",
        )
        .bind(self.id)
        .bind(&self.full_name)
        .bind(&self.child_name)
        .bind(self.user_type)
        .bind(self.origin)
        .bind(self.wants_letters)
        .bind(self.wants_videos)
        .bind(self.wants_updates)
        .bind(true)
        .bind(self.approved_at)
        .bind(search_text)
        .bind(self.created_at)
        .execute()
        .await?;
        for address in &self.addresses {
            // An address that a user only typed is stored only with the user.
            if address.entered_by_staff || address.verified_at.is_some() {
                tx.sql(
                    "insert into profile_addresses
                       (email, profile_id, kind, entered_by_staff, verified_at, created_at)
                     values ($1, $2, $3, $4, $5, $6)",
                )
                .bind(&address.email)
                .bind(self.id)
                .bind(address.kind)
                .bind(address.entered_by_staff)
                .bind(address.verified_at)
                .bind(self.created_at)
                .execute()
                .await?;
            }
            let Some(login) = &address.login else { continue };
            let joined = address.verified_at.unwrap_or(self.created_at);
            tx.sql(
                "insert into users
                   (id, email, password_hash, full_name, verified_at, profile_id, created_at, updated_at)
                 values ($1, $2, $3, $4, $5, $6, $7, $7)",
            )
            .bind(login.id)
            .bind(&address.email)
            .bind(password_hash)
            .bind(&login.full_name)
            .bind(address.verified_at)
            .bind(self.id)
            .bind(joined)
            .execute()
            .await?;
        }
        Ok(())
    }
}
