//! Repeats transactions that PostgreSQL ended because they waited for each other.

use crate::Result;

/// How often a transaction is tried. PostgreSQL ends only one of those that wait for each other, so the second
/// attempt usually succeeds.
const ATTEMPTS: u32 = 5;

/// Runs a transaction again if PostgreSQL ended it to resolve a deadlock. `transact` begins the transaction and
/// commits it, and changes nothing else.
pub(crate) async fn again_after_deadlock<T, F>(transact: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    up_to(ATTEMPTS, transact).await
}

/// The same, with this number of attempts. `transact` may also be anything else that is safe to run
/// again.
pub(super) async fn up_to<T, F>(attempts: u32, mut transact: impl FnMut() -> F) -> Result<T>
where
    F: Future<Output = Result<T>>,
{
    for _ in 1..attempts {
        match transact().await {
            Err(error) if error.is_deadlock() => {
                tracing::info!("a transaction is run again after a deadlock");
            }
            outcome => return outcome,
        }
    }
    transact().await
}
