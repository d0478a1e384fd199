//! Memory for the parts of files that are sent.
//!
//! It is used again and again, the last one first: its bytes are still in the processor's cache, which
//! makes copying to and from it much cheaper.

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

/// The size of each in bytes.
pub(super) const SIZE: usize = 256 << 10;
/// How many are kept while nobody uses them.
const KEPT: usize = 16;

static FREE: Mutex<Vec<Box<[u8]>>> = Mutex::new(Vec::new());

/// [`SIZE`] bytes of any content.
pub(super) struct Buffer(Box<[u8]>);

impl Buffer {
    pub fn take() -> Buffer {
        let free = FREE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Buffer(free.unwrap_or_else(|| vec![0; SIZE].into()))
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
        let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
        if free.len() < KEPT {
            free.push(std::mem::take(&mut self.0));
        }
    }
}
