//! Messages, newsletters and the mailing list of the sample camp.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use uuid::Uuid;

use super::content::Content;
use super::deliveries::{notification, sent_to_families};
use super::people::{Family, People};
use super::random::Random;
use crate::Result;
use crate::db::Tx;
use crate::ids::StaffId;
use crate::messages::{self, Department, SenderType};
use crate::newsletters::Audience;
use crate::notifications::{Category, MailKind, MessageMail};

#[derive(Deserialize)]
pub struct Message {
    subject: String,
    message: String,
    child_name: Option<String>,
    department: Department,
    user_type: SenderType,
    /// `unread`, `read` or `replied`; `draft` and `spam` count as read.
    status: String,
    reply: Option<String>,
    draft: Option<String>,
    spam: bool,
}

impl Message {
    /// Name and address of the sender.
    fn sender<'a>(&self, writer: &'a Family) -> (&'a str, &'a str) {
        match self.spam {
            true => ("Growth Team", "offers@best-rank.example"),
            false => (&writer.full_name, &writer.addresses[0].email),
        }
    }

    fn search_text(&self, name: &str, email: &str) -> String {
        let child_name = self.child_name.as_deref().unwrap_or_default();
        messages::searchable(name, email, &self.subject, child_name)
    }
}

const SUBSCRIBERS: usize = 34;
/// How many of them have not confirmed.
const UNCONFIRMED: usize = 3;

/// Subject, text, audience, and how many days ago.
const LETTERS: [(&str, &str, Audience, i64); 3] = [
    (
        "Before the first day",
        "Dear families,\n\nthe beds are made and the lake is cold. Buses leave at nine; please be there at half past eight, with the medical form in your hand and not in the suitcase.\n\nEvery bag needs a name, every boy needs a hat.",
        Audience::Families,
        34,
    ),
    (
        "The summer has begun",
        "Dear friends of the camp,\n\nthe first week is behind us. A video of every day is on the site in the evening, and news from camp appears there as it happens.\n\nThank you for thinking of us all winter.",
        Audience::MailingList,
        24,
    ),
    (
        "Visiting day",
        "Dear families and friends,\n\nthe gates open at ten. Parking is on the lower field, and there is shade and a place to warm a bottle beside the office.\n\nPlease leave dogs and drones at home.",
        Audience::Both,
        9,
    ),
];

pub async fn write(
    tx: &mut Tx,
    content: &Content,
    people: &People,
    now: DateTime<Utc>,
    random: &mut Random,
) -> Result<()> {
    write_messages(tx, content, people, now, random).await?;
    write_subscribers(tx, people, now, random).await?;
    write_letters(tx, people, now, random).await
}

/// The unread messages are the latest. All others are spread over the weeks before.
async fn write_messages(
    tx: &mut Tx,
    content: &Content,
    people: &People,
    now: DateTime<Utc>,
    random: &mut Random,
) -> Result<()> {
    let (office, team) = (people.office(), people.video_team());
    let parents: Vec<&Family> =
        people.families.iter().filter(|family| !family.addresses.is_empty()).collect();
    for (n, message) in content.messages.iter().enumerate() {
        let writer = match message.user_type {
            SenderType::Parent => parents[(n * 5 + 3) % parents.len()],
            SenderType::Guest => &people.visitors[n % people.visitors.len()],
        };
        let (name, email) = message.sender(writer);
        let age = match message.status.as_str() {
            "unread" => random.between(20, 2 * 1440),
            _ => random.between(2 * 1440, 24 * 1440),
        };
        let at = now - TimeDelta::minutes(age);
        let answered = (at + TimeDelta::minutes(random.between(15, 20 * 60))).min(now);
        let member = match message.department {
            Department::Staff => office,
            Department::VideoTeam => team,
        };
        let id = random.id(at);
        let status = status(message);
        tx.sql(
            "insert into messages
               (id, name, email, child_name, subject, user_type, department, message, status, spam,
                assigned_to, draft, search_text, version, created_at, updated_at, sender_proved)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 1, $14, $15, $16)",
        )
        .bind(id)
        .bind(name)
        .bind(email)
        .bind(message.child_name.clone())
        .bind(&message.subject)
        .bind(message.user_type)
        .bind(message.department)
        .bind(&message.message)
        .bind(status)
        .bind(message.spam)
        .bind((status == "replied" || message.draft.is_some()).then_some(member))
        .bind(message.draft.clone())
        .bind(message.search_text(name, email))
        .bind(at)
        .bind(if status == "unread" { at } else { answered })
        .bind(message.user_type == SenderType::Parent && !message.spam)
        .execute()
        .await?;
        if let Some(reply) = &message.reply {
            let sent = Reply { message_id: id, body: reply, sent_by: member, at: answered };
            sent.write(tx, email, name, random).await?;
        }
    }
    Ok(())
}

/// Other states follow from the rest of the message.
fn status(message: &Message) -> &str {
    match message.status.as_str() {
        known @ ("unread" | "replied") => known,
        _ => "read",
    }
}

struct Reply<'a> {
    message_id: Uuid,
    body: &'a str,
    sent_by: StaffId,
    at: DateTime<Utc>,
}

impl Reply<'_> {
    /// Writes the reply, and the mail that brought it.
    async fn write(self, tx: &mut Tx, email: &str, name: &str, random: &mut Random) -> Result<()> {
        let id = random.id(self.at);
        tx.sql(
            "insert into message_replies (id, message_id, body, sent_by, created_at)
             values ($1, $2, $3, $4, $5)",
        )
        .bind(id)
        .bind(self.message_id)
        .bind(self.body)
        .bind(self.sent_by)
        .bind(self.at)
        .execute()
        .await?;
        let mail = notification(tx, MessageMail::Reply, id, None, self.at, random).await?;
        tx.sql(
            "insert into deliveries
               (notification_id, email, full_name, profile_id, status, attempts, due_at, sent_at,
                created_at, updated_at)
             values ($1, $2, $3, null, 'sent', 1, $4, $4, $4, $4)",
        )
        .bind(mail)
        .bind(email)
        .bind(name)
        .bind(self.at)
        .execute()
        .await?;
        Ok(())
    }
}

/// Grandparents, neighbors, and a few families.
async fn write_subscribers(
    tx: &mut Tx,
    people: &People,
    now: DateTime<Utc>,
    random: &mut Random,
) -> Result<()> {
    let families = people.families.iter().step_by(11).filter_map(|f| f.addresses.first());
    let known: Vec<String> = families.map(|address| address.email.to_string()).collect();
    for n in 0..SUBSCRIBERS {
        let email = match known.get(n) {
            Some(email) => email.clone(),
            None => format!("reader{}@neighbor.example", n + 1),
        };
        let confirmed = n + UNCONFIRMED < SUBSCRIBERS;
        let age = if confirmed {
            random.between(3 * 1440, 90 * 1440)
        } else {
            random.between(60, 4 * 1440)
        };
        let at = now - TimeDelta::minutes(age);
        tx.sql(
            "insert into subscribers (id, email, confirmed_at, created_at) values ($1, $2, $3, $4)",
        )
        .bind(random.id(at))
        .bind(email)
        .bind(confirmed.then(|| at + TimeDelta::minutes(7)))
        .bind(at)
        .execute()
        .await?;
    }
    Ok(())
}

async fn write_letters(
    tx: &mut Tx,
    people: &People,
    now: DateTime<Utc>,
    random: &mut Random,
) -> Result<()> {
    for (subject, body, audience, days) in LETTERS {
        let at = now - TimeDelta::days(days) - TimeDelta::minutes(random.between(0, 600));
        let id = random.id(at);
        tx.sql(
            "insert into letters (id, subject, body, audience, sent_by, created_at)
             values ($1, $2, $3, $4, $5, $6)",
        )
        .bind(id)
        .bind(subject)
        .bind(body)
        .bind(audience)
        .bind(people.office())
        .bind(at)
        .execute()
        .await?;
        let mail =
            notification(tx, MailKind::Newsletter, id, Some(Category::General), at, random).await?;
        if audience != Audience::MailingList {
            sent_to_families(tx, mail, Category::General, at).await?;
        }
        if audience != Audience::Families {
            tx.sql(
                "insert into deliveries
                   (notification_id, email, full_name, profile_id, status, attempts, due_at,
                    sent_at, created_at, updated_at)
                 select $1, email, '', null, 'sent', 1, $2, $2, $2, $2
                 from subscribers
                 where confirmed_at <= $2
                 on conflict (notification_id, email) do nothing",
            )
            .bind(mail)
            .bind(at)
            .execute()
            .await?;
        }
    }
    Ok(())
}
