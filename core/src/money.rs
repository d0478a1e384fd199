//! Amounts of money in cents: the bounds and the form that people read.

/// The largest accepted amount in cents: one million dollars.
pub const MOST: i64 = 100_000_000;

/// Formats an amount for people: `$2,800`, with cents only if there are any.
pub fn money(cents: i64, currency: &str) -> String {
    let symbol = match currency {
        "USD" => "$",
        "CAD" => "CA$",
        "EUR" => "€",
        "GBP" => "£",
        "ILS" => "₪",
        other => other,
    };
    let sign = if cents < 0 { "-" } else { "" };
    let (whole, rest) = (cents.unsigned_abs() / 100, cents.unsigned_abs() % 100);
    let digits = whole.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    match rest {
        0 => format!("{sign}{symbol}{grouped}"),
        _ => format!("{sign}{symbol}{grouped}.{rest:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::money;

    #[test]
    fn money_is_written_as_on_a_receipt() {
        assert_eq!(money(280_000, "USD"), "$2,800");
        assert_eq!(money(123_456_789, "USD"), "$1,234,567.89");
        assert_eq!(money(-5, "GBP"), "-£0.05");
        assert_eq!(money(99_900, "EUR"), "€999");
    }
}
