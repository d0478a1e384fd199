//! Logins of parents, visitors and staff.

pub(crate) mod letters;
