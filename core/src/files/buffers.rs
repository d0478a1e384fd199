//! Memory for the parts of files that are sent.
//!
//! Buffers are reused, the last one first: its bytes are still in the processor's cache, which
//! makes copying to and from it much cheaper. Readers that take their time hold their part, so only
//! some parts are large.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

/// The size of a large part in bytes.
pub(super) const LARGE: usize = 256 << 10;
/// The size of the others.
const SMALL: usize = 16 << 10;
/// The maximum number of large parts, used or not.
const MAX_LARGE: usize = 64;

static FREE: Mutex<Vec<Box<[u8]>>> = Mutex::new(Vec::new());
static MADE: AtomicUsize = AtomicUsize::new(0);

/// Memory with any content.
pub(super) struct Buffer(Box<[u8]>);

impl Buffer {
    /// Takes a buffer. It may be smaller or larger than `wanted` bytes, but is empty only if none
    /// are wanted.
    pub fn take(wanted: usize) -> Buffer {
        if wanted <= SMALL {
            return Buffer(vec![0; wanted].into());
        }
        if let Some(free) = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Buffer(free);
        }
        let more = |made| (made < MAX_LARGE).then_some(made + 1);
        match MADE.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => Buffer(vec![0; LARGE].into()),
            Err(_) => Buffer(vec![0; SMALL].into()),
        }
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        &mut self.0
    }

    /// The first of its bytes, to be sent.
    pub fn first(self, length: usize) -> Bytes {
        Bytes::from_owner(self).slice(..length)
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if self.0.len() == LARGE {
            let free = std::mem::take(&mut self.0);
            FREE.lock().unwrap_or_else(PoisonError::into_inner).push(free);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_slow_readers_hold_little_memory() {
        let mut parts: Vec<Bytes> = (0..2_000)
            .map(|_| {
                let part = Buffer::take(1 << 20);
                let length = part.as_ref().len();
                part.first(length)
            })
            .collect();
        let held: usize = parts.iter().map(Bytes::len).sum();
        assert!(held <= MAX_LARGE * LARGE + 2_000 * SMALL, "{held}");
        parts.clear();
        assert_eq!(Buffer::take(1 << 20).as_ref().len(), LARGE, "they are used again");
        assert_eq!(Buffer::take(7).as_ref().len(), 7);
    }
}
