//! The videos of the day and the archive.

pub mod announce;
