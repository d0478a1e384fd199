//! The questions and answers of the sample camp. They replace the default entries.

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;

use super::content::Content;
use super::random::Random;
use crate::Result;
use crate::db::Tx;
use crate::faq::{self, Category, NewEntry, Texts};

#[derive(Deserialize)]
pub struct Answer {
    /// One of the ten topics, also used in addresses.
    #[serde(rename = "category")]
    topic: String,
    question: String,
    answer: String,
    published: bool,
}

pub async fn write(
    tx: &mut Tx,
    content: &Content,
    now: DateTime<Utc>,
    random: &mut Random,
) -> Result<()> {
    tx.sql("delete from faq").execute().await?;
    let made = now - TimeDelta::days(60);
    for (position, entry) in (1i64..).zip(&content.faq) {
        let texts = Texts {
            question: entry.question.clone(),
            answer: entry.answer.clone(),
            topic: Some(entry.topic.clone()),
        };
        let slug = match entry.published {
            true => entry.topic.clone(),
            false => format!("{}-{position}", entry.topic),
        };
        let category = match entry.topic.as_str() {
            "videos" | "live-streaming" => Category::Schedule,
            "access" | "privacy" => Category::SafetyAndSecurity,
            "comments" | "multiple-children" | "downloads" => Category::Policies,
            _ => Category::Communication,
        };
        let id = random.id(made);
        let new = NewEntry {
            id,
            slug: &slug,
            category,
            texts: &texts,
            is_published: entry.published,
            position,
        };
        faq::insert(tx, made, new).await?;
        let views = if entry.published { random.between(12, 240) } else { 0 };
        tx.sql("update faq set view_count = $2 where id = $1")
            .bind(id)
            .bind(views)
            .execute()
            .await?;
    }
    Ok(())
}
