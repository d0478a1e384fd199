//! Samples of every kind of mail, about invented people, for those who want to see what families get.
//! They read and write no row, and their links open nothing.

use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use crate::accounts::{Staff, account_mail};
use crate::audit::{self, Action, Actor, Subject, SubjectKind};
use crate::compose::{Circumstances, Draft, Recipient};
use crate::db::Tx;
use crate::email_address::EmailAddress;
use crate::mail::Mail;
use crate::notifications::{
    self, AccountMail, Category, MailContent, MailKind, MailList, MessageMail, Notification,
    SampleWords,
};
use crate::settings::Settings;
use crate::{
    App, Error, Result, alerts, messages, newsletters, payments, subscribers, updates, videos,
};

/// Takes the place of a token. It is not a valid one, so the pages say that the link is incomplete.
const TOKEN: &str = "sample";
const NOT_FOUND: Error = Error::NotFound("There is no such email.");

/// Who gets a kind of mail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = MailGroup)]
pub enum Group {
    /// Families and other users.
    Families,
    MailingList,
    /// People who used the contact form.
    Senders,
    /// Staff and the camp's own addresses.
    Staff,
}

#[derive(Debug)]
pub struct Sample {
    pub name: &'static str,
    /// What it is, in plain words.
    pub title: &'static str,
    pub group: Group,
    /// What mail programs show beside the subject.
    pub preview: String,
    pub mail: Mail,
}

/// One form of a kind of mail.
struct Form {
    name: &'static str,
    title: &'static str,
    kind: MailKind,
    list: Option<MailList>,
    group: Group,
    content: MailContent,
}

/// Composes a sample of every mail, with these names and texts.
///
/// # Errors
///
/// [`Error::Unforeseen`] when a template is broken.
pub fn all(app: &App, settings: &Settings, words: &SampleWords) -> Result<Vec<Sample>> {
    let forms = MailKind::all().flat_map(|kind| forms(app, settings, kind, words));
    forms.map(|form| form.sample(app, settings, words)).collect()
}

/// Composes one sample.
///
/// # Errors
///
/// [`Error::NotFound`] when there is none of this name.
pub fn find(app: &App, settings: &Settings, name: &str) -> Result<Sample> {
    let words = SampleWords::default();
    let form = find_form(app, settings, name, &words).ok_or(NOT_FOUND)?;
    form.sample(app, settings, &words)
}

/// Sends a sample to the member of the staff who asks for it, and to nobody else.
///
/// # Errors
///
/// [`Error::NotFound`], [`Error::TooManyTests`]
pub async fn send_test(
    tx: &mut Tx,
    app: &App,
    settings: &Settings,
    staff: &Staff,
    name: &str,
) -> Result<()> {
    let form = find_form(app, settings, name, &SampleWords::default()).ok_or(NOT_FOUND)?;
    let to = (staff.id, &staff.email);
    let data = json!(TestData { sample: form.name.to_owned() });
    notifications::notify_test(tx, app, MailKind::SampleTest, to, data).await?;
    let (subject, actor) = (Subject::none(SubjectKind::Mail), Actor::Staff(staff.id));
    let details = json!({ "email": form.title });
    audit::record(tx, app.clock.now(), actor, Action::MailTest, subject, details).await
}

#[derive(Serialize, Deserialize)]
struct TestData {
    sample: String,
}

/// Writes the mail that staff send to themselves. Returns `None` if its data was erased.
pub(crate) fn test_content(
    app: &App,
    settings: &Settings,
    notification: &Notification,
) -> Result<Option<MailContent>> {
    let data: Option<TestData> =
        serde_json::from_str(&notification.data).map_err(Error::unforeseen)?;
    let Some(TestData { sample }) = data else { return Ok(None) };
    let form = find_form(app, settings, &sample, &SampleWords::default());
    Ok(form.map(|form| form.content.marked_as_test()))
}

fn find_form(app: &App, settings: &Settings, name: &str, words: &SampleWords) -> Option<Form> {
    MailKind::all()
        .flat_map(|kind| forms(app, settings, kind, words))
        .find(|form| form.name == name)
}

impl Form {
    fn sample(self, app: &App, settings: &Settings, words: &SampleWords) -> Result<Sample> {
        let Form { name, title, kind, list, group, content } = self;
        let content = match kind {
            MailKind::UpdateTest | MailKind::NewsletterTest | MailKind::SampleTest => {
                content.marked_as_test()
            }
            _ => content,
        };
        let preview = content.preview();
        let email = EmailAddress::checked_before("chaya@family.example");
        let in_family = group == Group::Families;
        let draft = Draft::new(app, settings, content, Circumstances { kind, list, in_family })?;
        let recipient = Recipient {
            notification_id: Uuid::nil(),
            email: &email,
            full_name: &words.person,
            token: list.map(|_| TOKEN),
        };
        let mail = draft.to(app, recipient)?;
        Ok(Sample { name, title, group, preview, mail })
    }
}

/// All forms of a kind.
#[allow(clippy::too_many_lines)] // One arm for each kind, in one place.
fn forms(app: &App, settings: &Settings, kind: MailKind, words: &SampleWords) -> Vec<Form> {
    let form = |name, title, group, content| Form { name, title, kind, list: None, group, content };
    let own = |title, group, content| vec![form(kind.text(), title, group, content)];
    let update = |priority| updates::announce::sample(app, priority, words);
    match kind {
        MailKind::Video => {
            let content = videos::announce::sample(app, words);
            on_list(Category::DailyVideos, own("New video", Group::Families, content))
        }
        MailKind::LateVideo => {
            let content = videos::late_content(app, settings);
            let all = own("Tonight’s video is late", Group::Families, content);
            on_list(Category::DailyVideos, all)
        }
        MailKind::Update => {
            let (usual, high) =
                (update(updates::Priority::Medium), update(updates::Priority::High));
            let mut all = own("Camp update", Group::Families, usual);
            all.push(form("update_high", "Camp update with high priority", Group::Families, high));
            on_list(Category::CampUpdates, all)
        }
        MailKind::Newsletter => {
            let content = || newsletters::sample(app, words);
            let mut all = own("Newsletter to a family", Group::Families, content());
            let title = "Newsletter to the mailing list";
            all.push(form("letter_to_subscriber", title, Group::MailingList, content()));
            on_list(Category::General, all)
        }
        MailKind::Digest => {
            let parts = vec![
                (MailKind::Update, update(updates::Priority::High)),
                (MailKind::Video, videos::announce::sample(app, words)),
                (MailKind::Newsletter, newsletters::sample(app, words)),
            ];
            let content = notifications::digest_content(app, settings, parts).unwrap_or_default();
            on_list(MailList::Digest, own("One email a day", Group::Families, content))
        }
        MailKind::UpdateTest => {
            own("Test of a camp update", Group::Staff, update(updates::Priority::Medium))
        }
        MailKind::NewsletterTest => {
            own("Test of a newsletter", Group::Staff, newsletters::sample(app, words))
        }
        MailKind::SampleTest => {
            own("Test of any email", Group::Staff, videos::announce::sample(app, words))
        }
        MailKind::Alert => own("Alert to the owners", Group::Staff, alerts::sample(app, settings)),
        MailKind::Payment => {
            let [paid, void, refund] = payments::receipt::samples(app, settings, words);
            let mut all = own("Receipt for a payment", Group::Families, paid);
            let title = "Corrected receipt after a voided payment";
            all.push(form("payment_void", title, Group::Families, void));
            all.push(form("payment_refund", "Receipt for a refund", Group::Families, refund));
            all
        }
        MailKind::PaymentReminder => {
            let [before, today, overdue] = payments::reminders::samples(app, settings);
            let mut all = own("Payment due soon", Group::Families, before);
            all.push(form("payment_due_today", "Payment due today", Group::Families, today));
            all.push(form("payment_overdue", "Payment overdue", Group::Families, overdue));
            all
        }
        MailKind::Subscribe => {
            let [ask, again] = subscribers::samples(app, settings, TOKEN);
            let mut all = own("Confirmation for the mailing list", Group::MailingList, ask);
            let title = "Already on the mailing list";
            all.push(form("subscribe_again", title, Group::MailingList, again));
            all
        }
        MailKind::Message(message) => {
            let contents = messages::mail::samples(app, settings, message, words);
            let named = message_forms(message).iter().zip(contents);
            named
                .map(|((name, title, group), content)| form(name, title, *group, content))
                .collect()
        }
        MailKind::Account(account) => {
            let (title, group) = account_form(account);
            own(title, group, account_mail::sample(app, settings, account, TOKEN, words))
        }
    }
}

fn on_list(list: impl Into<MailList>, forms: Vec<Form>) -> Vec<Form> {
    let list = Some(list.into());
    forms.into_iter().map(|form| Form { list, ..form }).collect()
}

/// The forms of a mail about a message, in the order of [`messages::mail::samples`].
fn message_forms(kind: MessageMail) -> &'static [(&'static str, &'static str, Group)] {
    match kind {
        MessageMail::Arrived => &[("message", "Message to the camp", Group::Staff)],
        MessageMail::MoreWait => &[("messages_wait", "More messages in the portal", Group::Staff)],
        MessageMail::Received => &[
            ("message_received", "Thanks for a message", Group::Senders),
            ("message_received_with_copy", "Thanks for a message, with a copy", Group::Senders),
        ],
        MessageMail::Reply => &[
            ("message_reply", "Reply to a message", Group::Senders),
            ("message_reply_with_quote", "Reply that quotes the message", Group::Senders),
        ],
    }
}

fn account_form(kind: AccountMail) -> (&'static str, Group) {
    match kind {
        AccountMail::Verify => ("Confirmation after sign-up", Group::Families),
        AccountMail::Reset => ("Link for a new password", Group::Families),
        AccountMail::PasswordChanged => ("Password was changed", Group::Families),
        AccountMail::ChangeEmail => ("Confirmation of a new email", Group::Families),
        AccountMail::EmailChanged => ("Email was changed, to the old one", Group::Families),
        AccountMail::SecondaryEmail => ("Confirmation of a second email", Group::Families),
        AccountMail::SecondaryAdded => ("Second email was added", Group::Families),
        AccountMail::SecondaryRemoved => ("Second email was removed", Group::Families),
        AccountMail::GuardianJoined => ("Second login for a family", Group::Families),
        AccountMail::Invitation => ("Invitation", Group::Families),
        AccountMail::Approved => ("Family was approved", Group::Families),
        AccountMail::Refused => ("Family was refused", Group::Families),
        AccountMail::AddressRefused => ("Another address bounces", Group::Families),
        AccountMail::StaffReset => ("Link for a new staff password", Group::Staff),
        AccountMail::StaffPasswordChanged => ("Staff password was changed", Group::Staff),
        AccountMail::StaffEmailChanged => ("Staff email was changed, to the old one", Group::Staff),
        AccountMail::StaffTwoFactorOn => ("Two-factor was turned on", Group::Staff),
        AccountMail::StaffTwoFactorOff => ("Two-factor was turned off", Group::Staff),
        AccountMail::StaffRecoveryCodes => ("New recovery codes", Group::Staff),
        AccountMail::StaffAccount => ("New staff account or owner, to the owners", Group::Staff),
        AccountMail::StaffNewBrowser => ("Sign-in from a new browser", Group::Staff),
    }
}
