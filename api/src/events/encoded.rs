//! Events as the bytes that are sent.

use bytes::Bytes;
use portal::event_feed::{ServerEvent, StoredEvent};

/// What is sent at once: a chunk of HTTP/1.1. Other versions get only its middle. Clones share the bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    chunk: Bytes,
    /// Where the middle begins.
    begin: usize,
}

const CHUNK_END: &str = "\r\n";

impl Encoded {
    /// A comment, which shows that the stream is alive.
    pub const HEARTBEAT: Encoded =
        Encoded { chunk: Bytes::from_static(b"3\r\n:\n\n\r\n"), begin: 3 };

    fn new(text: &str) -> Encoded {
        let size = format!("{:x}\r\n", text.len());
        let begin = size.len();
        Encoded { chunk: (size + text + CHUNK_END).into(), begin }
    }

    /// The first event of a stream.
    pub fn hello(id: i64, with_id: bool) -> Encoded {
        let data = ServerEvent::Hello { id }.data().unwrap_or_default().to_string();
        let text = text(with_id.then_some(id), "hello", &data);
        Encoded::new(&format!("retry: 2000\n{text}"))
    }

    pub fn reset(id: i64) -> Encoded {
        Encoded::new(&text(Some(id), "reset", "{}"))
    }

    /// `None` if nothing of it may be shown anymore.
    pub fn event(event: &StoredEvent) -> Option<Encoded> {
        let data = event.data.as_ref()?.to_string();
        Some(Encoded::new(&text(Some(event.id), &event.kind, &data)))
    }

    /// As a chunk of HTTP/1.1.
    pub fn chunk(&self) -> Bytes {
        self.chunk.clone()
    }

    /// Without the chunk around it.
    pub fn plain(&self) -> Bytes {
        self.chunk.slice(self.begin..self.chunk.len() - CHUNK_END.len())
    }

    pub fn len(&self) -> usize {
        self.chunk.len()
    }
}

/// JSON contains no line breaks.
fn text(id: Option<i64>, event: &str, data: &str) -> String {
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    format!("{id}event: {event}\ndata: {data}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_says_how_long_it_is() {
        let reset = Encoded::reset(7);
        assert_eq!(&reset.plain()[..], b"id: 7\nevent: reset\ndata: {}\n\n");
        assert_eq!(&reset.chunk()[..], b"1d\r\nid: 7\nevent: reset\ndata: {}\n\n\r\n");
        assert_eq!(Encoded::HEARTBEAT, Encoded::new(":\n\n"));
        let hello = Encoded::hello(3, false);
        assert_eq!(&hello.plain()[..], b"retry: 2000\nevent: hello\ndata: {\"id\":3}\n\n");
    }
}
