//! Amounts of money in cents: the type, the bounds and the form that people read.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub};

use serde::{Deserialize, Serialize};

/// An amount of money in cents. It is stored and sent as a plain number.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    sqlx::Type,
)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct Cents(i64);

/// The largest accepted amount: one million dollars.
pub(crate) const MAX_AMOUNT: Cents = Cents(100_000_000);

impl Cents {
    pub const ZERO: Cents = Cents(0);

    pub const fn new(cents: i64) -> Cents {
        Cents(cents)
    }

    /// The number of cents, for texts and sort keys.
    pub const fn get(self) -> i64 {
        self.0
    }

    pub(crate) fn abs(self) -> Cents {
        Cents(self.0.saturating_abs())
    }

    /// The sum, or `None` above [`MAX_AMOUNT`].
    pub(crate) fn checked_add(self, other: Cents) -> Option<Cents> {
        self.0.checked_add(other.0).map(Cents).filter(|sum| *sum <= MAX_AMOUNT)
    }

    /// How many percent of `whole` this is, rounded down. `whole` is not zero.
    pub(crate) fn percent_of(self, whole: Cents) -> i64 {
        self.0 * 100 / whole.0
    }
}

impl Add for Cents {
    type Output = Cents;

    fn add(self, other: Cents) -> Cents {
        Cents(self.0 + other.0)
    }
}

impl AddAssign for Cents {
    fn add_assign(&mut self, other: Cents) {
        *self = *self + other;
    }
}

impl Sub for Cents {
    type Output = Cents;

    fn sub(self, other: Cents) -> Cents {
        Cents(self.0 - other.0)
    }
}

/// Saturates, since an amount is turned around before its bounds are checked.
impl Neg for Cents {
    type Output = Cents;

    fn neg(self) -> Cents {
        Cents(self.0.saturating_neg())
    }
}

impl Sum for Cents {
    fn sum<I: Iterator<Item = Cents>>(amounts: I) -> Cents {
        amounts.fold(Cents::ZERO, Add::add)
    }
}

impl From<Cents> for serde_json::Value {
    fn from(amount: Cents) -> serde_json::Value {
        amount.0.into()
    }
}

/// The sign of a currency before an amount; the code of one that has none.
pub fn symbol(currency: &str) -> &str {
    match currency {
        "USD" => "$",
        "CAD" => "CA$",
        "EUR" => "€",
        "GBP" => "£",
        "ILS" => "₪",
        other => other,
    }
}

/// Formats an amount for people: `$2,800`, with cents only if there are any.
pub fn money(amount: Cents, currency: &str) -> String {
    let symbol = symbol(currency);
    let sign = if amount < Cents::ZERO { "-" } else { "" };
    let cents = amount.0.unsigned_abs();
    let (whole, rest) = (cents / 100, cents % 100);
    let grouped = grouped(whole);
    match rest {
        0 => format!("{sign}{symbol}{grouped}"),
        _ => format!("{sign}{symbol}{grouped}.{rest:02}"),
    }
}

/// `100,000`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_written_as_on_a_receipt() {
        assert_eq!(money(Cents(280_000), "USD"), "$2,800");
        assert_eq!(money(Cents(123_456_789), "USD"), "$1,234,567.89");
        assert_eq!(money(Cents(-5), "GBP"), "-£0.05");
        assert_eq!(money(Cents(99_900), "EUR"), "€999");
    }

    #[test]
    fn a_sum_above_the_bound_is_none() {
        assert_eq!(MAX_AMOUNT.checked_add(Cents::ZERO), Some(MAX_AMOUNT));
        assert_eq!(MAX_AMOUNT.checked_add(Cents(1)), None);
        assert_eq!(Cents(i64::MAX).checked_add(Cents(1)), None);
        assert!(-Cents(i64::MIN) > MAX_AMOUNT);
    }
}
