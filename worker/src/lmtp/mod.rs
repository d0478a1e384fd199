//! Takes bounces and complaints from the mail server by LMTP (RFC 2033).

mod session;

use std::io;
use std::net::SocketAddr;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use portal::config::ListenAddress;
use portal::{App, Error, Result};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use self::session::Session;

/// The limits for mail servers.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at once.
    pub connections: usize,
    /// How long a mail server may say nothing, or not read what it is told.
    pub idle: Duration,
    /// How long a connection may last.
    pub whole: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 20,
            idle: Duration::from_secs(60),
            whole: Duration::from_secs(15 * 60),
        }
    }
}

/// How long it may take to send the refusal of a connection.
const REFUSAL: Duration = Duration::from_secs(1);

trait Stream: AsyncRead + AsyncWrite + Send + Sync + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Stream for T {}

/// How long an address that cannot be used is left alone.
const AGAIN: Duration = Duration::from_secs(10);

/// Listens and serves until `stop`. While the address cannot be used, for example because another worker
/// does, the mail server keeps its reports.
pub async fn run(app: App, address: ListenAddress, stop: CancellationToken) {
    loop {
        match Listener::open(&address).await {
            Ok(listener) => return listener.serve(app, Limits::default(), stop).await,
            Err(error) => tracing::error!(%error, "no bounces are taken; trying again"),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = sleep(AGAIN) => {}
        }
    }
}

/// An open port or socket.
pub struct Listener(Socket);

enum Socket {
    Tcp(TcpListener),
    /// The file is removed first: after the socket is closed, it may be another worker's.
    Unix {
        _file: SocketFile,
        listener: UnixListener,
    },
}

impl Listener {
    /// Listens.
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] when the address cannot be used, for example because another worker does.
    pub async fn open(address: &ListenAddress) -> Result<Listener> {
        let opened = match address {
            ListenAddress::Tcp(address) => TcpListener::bind(address).await.map(Socket::Tcp),
            ListenAddress::Unix(path) => open_unix(path).await,
        };
        let socket = opened.map_err(|error| {
            Error::Setup(format!("--bounce-lmtp {address} cannot be used: {error}."))
        })?;
        tracing::info!(%address, "taking bounces by LMTP");
        Ok(Listener(socket))
    }

    /// The address and port, if it is one.
    pub fn local_address(&self) -> Option<SocketAddr> {
        match &self.0 {
            Socket::Tcp(listener) => listener.local_addr().ok(),
            Socket::Unix { .. } => None,
        }
    }

    /// Serves until `stop`. Messages that are being sent then are taken first.
    pub async fn serve(self, app: App, limits: Limits, stop: CancellationToken) {
        let slots = Arc::new(Semaphore::new(limits.connections));
        let open = TaskTracker::new();
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => break,
                accepted = self.accept() => accepted,
            };
            let mut stream = match accepted {
                Ok(stream) => stream,
                Err(error) => {
                    tracing::warn!(%error, "no connection for bounces can be taken; trying again");
                    sleep(Duration::from_secs(1)).await;
                    continue;
                }
            };
            match slots.clone().try_acquire_owned() {
                Ok(slot) => {
                    let session = Session::new(app.clone(), stream, limits, stop.clone());
                    open.spawn(async move {
                        session.run().await;
                        drop(slot);
                    });
                }
                Err(_) => {
                    open.spawn(async move {
                        let busy = stream.write_all(b"421 4.3.2 Too many connections\r\n");
                        timeout(REFUSAL, busy).await.ok();
                    });
                }
            }
        }
        open.close();
        open.wait().await;
    }

    async fn accept(&self) -> io::Result<Box<dyn Stream>> {
        Ok(match &self.0 {
            Socket::Tcp(listener) => Box::new(listener.accept().await?.0),
            Socket::Unix { listener, .. } => Box::new(listener.accept().await?.0),
        })
    }
}

/// The file of a socket, which is removed with it.
struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        std::fs::remove_file(&self.0).ok();
    }
}

async fn open_unix(path: &Path) -> io::Result<Socket> {
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    if is_socket {
        match UnixStream::connect(path).await {
            Ok(_) => return Err(io::ErrorKind::AddrInUse.into()),
            // A worker that was killed left it.
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                std::fs::remove_file(path)?;
            }
            Err(error) => return Err(error),
        }
    }
    let listener = UnixListener::bind(path)?;
    let socket = Socket::Unix { listener, _file: SocketFile(path.to_owned()) };
    // As with a port, whoever may enter the folder may connect.
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o666))?;
    Ok(socket)
}
