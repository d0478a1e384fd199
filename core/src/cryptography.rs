//! The cryptography library of all connections.

/// Selects one cryptography library for the whole process, since two crates could each choose a
/// different one.
pub(crate) fn choose() {
    rustls::crypto::ring::default_provider().install_default().ok();
}
