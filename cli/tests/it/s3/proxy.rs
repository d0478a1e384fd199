//! A proxy in front of the S3 server that can be down, be silent, or hold back parts of files.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

pub struct Proxy {
    pub address: SocketAddr,
    shared: Arc<Shared>,
    serving: Option<JoinHandle<()>>,
}

struct Shared {
    server: SocketAddr,
    /// The requests that sent a part, in order.
    parts: Mutex<Vec<String>>,
    /// How many parts may pass.
    most: watch::Sender<usize>,
    silent: watch::Sender<bool>,
}

impl Proxy {
    pub async fn before(server: SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let shared = Arc::new(Shared {
            server,
            parts: Mutex::default(),
            most: watch::Sender::new(usize::MAX),
            silent: watch::Sender::new(false),
        });
        let address = listener.local_addr().expect("its address");
        let serving = Some(tokio::spawn(serve(listener, shared.clone())));
        Proxy { address, shared, serving }
    }

    /// Refuses and closes all connections, as when the server is stopped.
    pub async fn go_away(&mut self) {
        let serving = self.serving.take().expect("it is here");
        serving.abort();
        serving.await.expect_err("it was ended");
    }

    pub async fn come_back(&mut self) {
        let listener = TcpListener::bind(self.address).await.expect("the same port");
        self.serving = Some(tokio::spawn(serve(listener, self.shared.clone())));
    }

    /// Passes nothing on and closes nothing, as when a cable is cut.
    pub fn be_silent(&self, silent: bool) {
        self.shared.silent.send_replace(silent);
    }

    /// Lets this many more parts pass. The others wait.
    pub fn hold_parts_after(&self, more: usize) {
        self.shared.most.send_replace(self.parts().saturating_add(more));
    }

    pub fn hold_no_parts(&self) {
        self.shared.most.send_replace(usize::MAX);
    }

    /// The number of parts that were sent or are waiting.
    pub fn parts(&self) -> usize {
        self.shared.parts.lock().expect("fine").len()
    }

    /// The number of parts that were sent more than once.
    pub fn parts_sent_again(&self) -> usize {
        let parts = self.shared.parts.lock().expect("fine");
        parts.len() - parts.iter().collect::<HashSet<_>>().len()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some(serving) = &self.serving {
            serving.abort();
        }
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let shared = shared.clone();
        connections.spawn(async move { shared.talk(client).await.ok() });
    }
}

impl Shared {
    async fn talk(&self, client: TcpStream) -> std::io::Result<()> {
        let (client, mut to_client) = client.into_split();
        let (mut server, to_server) = TcpStream::connect(self.server).await?.into_split();
        tokio::select! {
            done = self.pass_requests(BufReader::new(client), to_server) => done,
            done = self.pass(&mut server, &mut to_client, u64::MAX) => done,
        }
    }

    async fn pass_requests(
        &self,
        mut client: BufReader<impl AsyncRead + Unpin>,
        mut server: OwnedWriteHalf,
    ) -> std::io::Result<()> {
        loop {
            let mut head = String::new();
            while client.read_line(&mut head).await? > 2 {}
            if head.is_empty() {
                return Ok(());
            }
            let target = head.split(' ').nth(1).unwrap_or_default();
            if target.contains("partNumber=") {
                let at = {
                    let mut parts = self.parts.lock().expect("fine");
                    parts.push(target.to_owned());
                    parts.len()
                };
                self.most.subscribe().wait_for(|most| at <= *most).await.ok();
            }
            let length = head.lines().find_map(|line| {
                line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
            });
            self.until_open().await;
            server.write_all(head.as_bytes()).await?;
            self.pass(&mut client, &mut server, length.unwrap_or(0)).await?;
        }
    }

    /// Passes on this many bytes, or all.
    async fn pass(
        &self,
        from: &mut (impl AsyncRead + Unpin),
        to: &mut OwnedWriteHalf,
        length: u64,
    ) -> std::io::Result<()> {
        let mut left = from.take(length);
        let mut bytes = vec![0; 64 << 10];
        loop {
            let read = left.read(&mut bytes).await?;
            if read == 0 {
                return Ok(());
            }
            self.until_open().await;
            to.write_all(&bytes[..read]).await?;
        }
    }

    async fn until_open(&self) {
        self.silent.subscribe().wait_for(|silent| !silent).await.ok();
    }
}
