//! Parses and validates a row of the import file.

use chrono::NaiveDate;

use super::columns::{ACCESS, CHILD, DUE, EMAIL, NAME, PAID, SECOND, SHAPE, TOTAL, TYPE};
use crate::email_address::EmailAddress;
use crate::money::{Cents, symbol};
use crate::payments;
use crate::search_text::normalize;
use crate::settings::Settings;
use crate::spreadsheet::cell::original;
use crate::spreadsheet::{Problem, Row, date};
use crate::validation::Validator;
use crate::{Error, FieldError};

/// The names of a row below the table, normalized.
const SUMS: &[&str] =
    &["total", "totals", "grand total", "subtotal", "sum", "sums", "סכ הכל", "סהכ", "צוזאמענ"];

/// A row that can be imported.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) line: usize,
    pub(super) full_name: String,
    pub(super) child_name: String,
    pub(super) email: Option<EmailAddress>,
    pub(super) second: Option<EmailAddress>,
    pub(super) total: Total,
    /// Cents paid earlier, if the row says so. Used only for new families.
    pub(super) paid: Option<Cents>,
    pub(super) due: Option<NaiveDate>,
    pub(super) visitor: bool,
    /// An export lists families that staff did not approve. Such a row approves nobody.
    pub(super) unapproved: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Total {
    /// The column is missing: new families get the default amount.
    Unsaid,
    /// The cell is empty: no plan is created, an existing one stays.
    Empty,
    Amount(Cents),
}

impl Total {
    /// The total of a new family, if it gets a plan.
    pub(super) fn of_new_family(self, settings: &Settings) -> Option<Cents> {
        match self {
            Total::Amount(amount) => Some(amount),
            Total::Unsaid => Some(settings.default_plan_amount),
            Total::Empty => None,
        }
    }
}

pub(super) fn check(row: &Row, settings: &Settings) -> Result<Wanted, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut refuse = |column, message: String| {
        problems.push(Problem { line: row.line, column, message });
    };
    if let Some(message) = row.fault() {
        refuse("row", message);
    }
    let cell = |column| original(row.cell(column).trim());
    let mut checks = Validator::new();
    let full_name = checks.line("name", &cell(NAME), 120);
    let child_name = checks.line("child", &cell(CHILD), 200);
    let visitor = is_visitor(&mut checks, &cell(TYPE));
    let unapproved = is_unapproved(&mut checks, &cell(ACCESS));
    if full_name.is_empty() {
        checks.refuse(
            "name",
            match child_name.is_empty() {
                true => "Please fill in the parent's name.",
                false => {
                    "Please fill in the parent's name. All children of a family belong in one row."
                }
            },
        );
    }
    let is_sum = SUMS.contains(&normalize(&full_name).trim_end_matches([':', '.']));
    checks.require(!is_sum, "name", "This looks like the totals row. Please delete it.");
    let missing = "Please fill in the child's name.";
    checks.require(visitor || !child_name.is_empty(), "child", missing);
    let (email, second) = addresses(&mut checks, &cell(EMAIL), &cell(SECOND));
    let total = match (row.has(TOTAL), amount(&mut checks, "total", &cell(TOTAL), settings)) {
        (_, Some(amount)) => Total::Amount(amount),
        (true, None) => Total::Empty,
        (false, None) => Total::Unsaid,
    };
    let paid = amount(&mut checks, "paid", &cell(PAID), settings);
    let due = due_date(&mut checks, &cell(DUE));
    let unsaid = total == Total::Empty && cell(TOTAL).is_empty();
    let planless = unsaid && (paid.is_some_and(|paid| paid > Cents::ZERO) || due.is_some());
    checks.require(!planless, "total", "Please fill in the total too.");
    if let Err(Error::Invalid(wrong)) = checks.done() {
        for FieldError { field, message } in wrong {
            let column = SHAPE.columns.iter().find(|c| c.name == field).map_or("row", |c| c.name);
            refuse(column, message);
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Wanted {
        line: row.line,
        full_name,
        child_name,
        email,
        second,
        total,
        paid,
        due,
        visitor,
        unapproved,
    })
}

/// A family without a type is one of parents.
fn is_visitor(checks: &mut Validator, typed: &str) -> bool {
    match typed.to_lowercase().as_str() {
        "" | "parent" | "parents" => false,
        "visitor" | "visitors" => true,
        _ => {
            let shown: String = typed.chars().take(40).collect();
            let message = format!(
                "“{shown}” is not a type. Please enter “parent” or “visitor”, or give the column another name."
            );
            checks.refuse("type", message);
            false
        }
    }
}

/// A family on the office's list is approved unless the row says otherwise.
fn is_unapproved(checks: &mut Validator, typed: &str) -> bool {
    match typed.to_lowercase().as_str() {
        "" | "approved" => false,
        "to approve" | "refused" => true,
        _ => {
            let shown: String = typed.chars().take(40).collect();
            let message = format!(
                "“{shown}” is not a kind of access. Please enter “approved”, “to approve” or “refused”, or give the column \
                 another name."
            );
            checks.refuse("access", message);
            false
        }
    }
}

/// The primary and the secondary address. A family with one address has it as its primary one. Both
/// may be in one cell.
fn addresses(
    checks: &mut Validator,
    first: &str,
    second: &str,
) -> (Option<EmailAddress>, Option<EmailAddress>) {
    let (in_first, in_second) = (addresses_in(first), addresses_in(second));
    if in_first.len() + in_second.len() > 2 {
        let message = "Please keep at most two email addresses per family.";
        checks.refuse(if in_first.len() > 1 { "email" } else { "second email" }, message);
        return (None, None);
    }
    let columns = in_first.iter().map(|_| "email").chain(in_second.iter().map(|_| "second email"));
    let mut found = columns
        .zip(in_first.iter().chain(&in_second))
        .map(|(name, typed)| email(checks, name, typed));
    let (first, second) = (found.next().flatten(), found.next().flatten());
    drop(found);
    let twice = first.is_some() && first == second;
    checks.require(!twice, "second email", "Same email as the first one.");
    if first.is_none() { (second, None) } else { (first, second) }
}

fn email(checks: &mut Validator, name: &str, typed: &str) -> Option<EmailAddress> {
    let is_plain = typed.is_ascii() || !typed.contains('@');
    match EmailAddress::parse(typed) {
        None if is_plain => {
            let shown: String = typed.chars().take(60).collect();
            checks.refuse(name, format!("“{shown}” is not a valid email address."));
            None
        }
        _ => checks.email(name, typed),
    }
}

/// The addresses in a cell, such as `Leah <leah@family.example>; yossi@family.example`. Text that
/// is more than names and addresses is returned as it is.
fn addresses_in(cell: &str) -> Vec<&str> {
    let (mut found, has_names) = (Vec::new(), cell.contains('<'));
    for part in cell.split([';', ',', '/', '\n']).map(str::trim) {
        let named =
            part.split_once('<').and_then(|(name, rest)| Some((name, rest.strip_suffix('>')?)));
        match named {
            Some((name, address)) if !name.contains('@') => found.push(address.trim()),
            // As in “Katz, Leah <leah@family.example>”.
            None if has_names && !part.contains('@') => {}
            _ => found.extend(part.split_whitespace()),
        }
    }
    match found.len() > 1 && !found.iter().all(|part| part.contains('@')) {
        true => vec![cell],
        false => found,
    }
}

fn amount(checks: &mut Validator, name: &str, typed: &str, settings: &Settings) -> Option<Cents> {
    if typed.is_empty() {
        return None;
    }
    let (sign, number) = split_sign(typed);
    if sign.is_some_and(|sign| !symbol(&settings.currency).ends_with(sign)) {
        let shown: String = typed.chars().take(40).collect();
        let currency = &settings.currency;
        let message =
            format!("“{shown}” is in another currency than the camp's, which is {currency}.");
        checks.refuse(name, message);
        return None;
    }
    match cents(number) {
        Some(amount) => {
            payments::check_amount(checks, name, amount, settings);
            Some(amount)
        }
        None => {
            let shown: String = typed.chars().take(40).collect();
            // With three decimals, the point may separate thousands.
            let is_fraction = number.parse::<f64>().is_ok()
                && number.split_once('.').is_some_and(|(_, decimals)| decimals.len() > 3);
            let message = match is_fraction {
                true => format!("“{shown}” has parts of a cent. Please round it."),
                false => format!("“{shown}” is not a valid amount."),
            };
            checks.refuse(name, message);
            None
        }
    }
}

fn due_date(checks: &mut Validator, typed: &str) -> Option<NaiveDate> {
    if typed.is_empty() {
        return None;
    }
    match date::read(typed) {
        Ok(date) => {
            payments::check_date(checks, "due date", date);
            Some(date)
        }
        // A number of only digits may be a year or an Excel date.
        Err(_)
            if cents(split_sign(typed).1).is_some()
                && typed.contains(['$', '€', '£', '₪', ',', '.']) =>
        {
            let shown: String = typed.chars().take(40).collect();
            let message = format!(
                "“{shown}” is an amount. This column is for the date when the rest is due. If it has amounts, rename \
                 it to “Balance”; it is not imported then."
            );
            checks.refuse("due date", message);
            None
        }
        Err(message) => {
            checks.refuse("due date", message);
            None
        }
    }
}

/// The currency sign before an amount, and the rest.
fn split_sign(typed: &str) -> (Option<char>, &str) {
    let text = typed.trim();
    match text.chars().next() {
        Some(sign @ ('$' | '€' | '£' | '₪')) => (Some(sign), text[sign.len_utf8()..].trim()),
        _ => (None, text),
    }
}

/// Parses `2800` or `2,800.00` as cents.
fn cents(text: &str) -> Option<Cents> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
    let groups: Vec<&str> = whole.split(',').collect();
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let well_grouped = groups.len() == 1
        || (groups[0].len() <= 3 && groups[1..].iter().all(|group| group.len() == 3));
    let ok = well_grouped
        && !groups[0].is_empty()
        && groups.iter().all(|group| digits(group))
        && rest.len() <= 2
        && digits(rest);
    let whole: i64 = ok.then(|| groups.concat().parse().ok())??;
    let rest: i64 = format!("{rest:0<2}").parse().ok()?;
    whole.checked_mul(100)?.checked_add(rest).map(Cents::new)
}

#[cfg(test)]
mod tests {
    use super::{Cents, cents, split_sign};

    #[test]
    fn the_sign_of_a_currency_is_set_apart() {
        assert_eq!(split_sign("$ 2,800"), (Some('$'), "2,800"));
        assert_eq!(split_sign(" €20"), (Some('€'), "20"));
        assert_eq!(split_sign("2,800"), (None, "2,800"));
        assert_eq!(split_sign("$$5"), (Some('$'), "$5"));
    }

    #[test]
    fn amounts_are_read_as_offices_write_them() {
        for (typed, read) in [
            ("2800", Some(280_000)),
            ("2,800.50", Some(280_050)),
            ("$2,800", None),
            ("0.5", Some(50)),
            ("1,234,567", Some(123_456_700)),
            ("2.800,00", None),
            ("28,00", None),
            ("-5", None),
            ("1.234", None),
            ("", None),
            (".", None),
            ("twelve", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(cents(typed), read.map(Cents::new), "{typed}");
        }
    }
}
