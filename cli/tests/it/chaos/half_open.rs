//! A peer vanishes, as when a cable is cut. Its connection is closed within a minute, and an email
//! attempt ends after half a minute. If PostgreSQL does not respond within five seconds, the portal
//! answers 503.

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use super::site::{Owner, Site, Tally, add_owner};
use crate::camp::{Camp, count, free_port};
use crate::mail::{eventually, families, publish};

/// Another machine whose connection can be cut: a network namespace.
struct Machine {
    name: String,
}

const HERE: &str = "10.211.55.1";
const THERE: &str = "10.211.55.2";

fn ip(arguments: &str) -> bool {
    let arguments = arguments.split_whitespace();
    Command::new("ip").args(arguments).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

impl Machine {
    /// `None` if this user may not create one.
    fn make() -> Option<Machine> {
        let name = format!("camp{}", std::process::id());
        if !ip(&format!("netns add {name}")) {
            return None;
        }
        let machine = Machine { name: name.clone() };
        let made = ip(&format!("link add {name}a type veth peer name {name}b netns {name}"))
            && ip(&format!("address add {HERE}/30 dev {name}a"))
            && ip(&format!("link set {name}a up"))
            && ip(&format!("-n {name} address add {THERE}/30 dev {name}b"))
            && ip(&format!("-n {name} link set {name}b up"));
        made.then_some(machine)
    }

    /// Drops all packets in both directions.
    fn cut(&self) {
        assert!(ip(&format!("-n {} route add blackhole {HERE}/32", self.name)));
    }

    /// Opens a connection from the other machine that sends this request and stays open.
    fn connect(&self, port: u16, request: &str) -> Child {
        let script = format!(
            "exec 3<>/dev/tcp/{HERE}/{port}; printf '{request}' >&3; exec cat <&3 >/dev/null"
        );
        Command::new("ip")
            .args(["netns", "exec", &self.name, "bash", "-c", &script])
            .stdin(Stdio::null())
            .spawn()
            .expect("bash is there")
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        ip(&format!("netns delete {}", self.name));
    }
}

/// The number of connections from the other machine that this machine believes to be open.
fn open_from_there() -> usize {
    let table = std::fs::read_to_string("/proc/net/tcp").expect("the table of connections");
    // Addresses are in hexadecimal, last byte first. 01 means an established connection.
    let remote = "0237D30A:";
    table
        .lines()
        .filter(|line| {
            let mut columns = line.split_whitespace().skip(2);
            columns.next().is_some_and(|to| to.starts_with(remote)) && columns.next() == Some("01")
        })
        .count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_is_gone_without_a_word_is_forgotten_within_a_minute() {
    let Some(machine) = Machine::make() else {
        println!("Not tested: only root can make the network that this test cuts.");
        return;
    };
    let camp = Camp::on_sqlite();
    add_owner(&camp);
    let app = camp.app().await;
    families(&app, ["leah@family.example".to_owned()]).await;
    let address: SocketAddr = format!("{HERE}:{}", free_port()).parse().expect("an address");
    let smtp = format!("smtp://{THERE}:25");
    let public = format!("http://{address}");
    let site = Site::start_on(
        &camp,
        address,
        &["--with-worker", "--smtp-url", &smtp, "--public-url", &public],
    )
    .await;
    // One has an event stream, one keeps its connection alive, one stops in the middle of a request.
    let end = "\\r\\n\\r\\n";
    let mut peers: Vec<Child> = [
        format!("GET /api/events HTTP/1.1\\r\\nhost: camp.example{end}"),
        format!("GET /healthz HTTP/1.1\\r\\nhost: camp.example{end}"),
        "GET /healthz HTTP/1.1\\r\\nhost: camp".to_owned(),
    ]
    .iter()
    .map(|request| machine.connect(address.port(), request))
    .collect();
    eventually("they are connected", Duration::from_secs(60), || open_from_there() == 3).await;
    machine.cut();
    let cut = Instant::now();
    publish(&app).await;
    let tried = "select count(*) from deliveries where last_error is not null";
    let (mut freed, mut given_up) = (None, None);
    while freed.is_none() || given_up.is_none() {
        if freed.is_none() && open_from_there() == 0 {
            freed = Some(cut.elapsed());
        }
        if given_up.is_none() && count(&app.db, tried).await > 0 {
            given_up = Some(cut.elapsed());
        }
        assert!(cut.elapsed() < Duration::from_secs(60), "freed {freed:?}, given up {given_up:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    println!("connections freed after {freed:?}, the mail given up after {given_up:?}");
    // Besides the 30 seconds, this includes the time in which the worker starts.
    assert!(given_up < Some(Duration::from_secs(40)));
    for peer in &mut peers {
        peer.kill().ok();
        peer.wait().expect("it is gone");
    }
    app.db.close().await;
    site.stop().await;
}

/// A proxy between the portal and PostgreSQL; while it is frozen, it forwards and closes nothing.
struct Cable {
    port: u16,
    frozen: Arc<AtomicBool>,
}

impl Cable {
    async fn to(server: SocketAddr) -> Cable {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("its number").port();
        let frozen = Arc::new(AtomicBool::new(false));
        let state = frozen.clone();
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let Ok(far) = TcpStream::connect(server).await else { continue };
                let ((near_in, near_out), (far_in, far_out)) =
                    (near.into_split(), far.into_split());
                tokio::spawn(carry(near_in, far_out, state.clone()));
                tokio::spawn(carry(far_in, near_out, state.clone()));
            }
        });
        Cable { port, frozen }
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        self.frozen.store(false, Ordering::Relaxed);
    }
}

async fn carry(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    frozen: Arc<AtomicBool>,
) {
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(length) = from.read(&mut buffer).await {
        while frozen.load(Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        if length == 0 || to.write_all(&buffer[..length]).await.is_err() {
            break;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_postgresql_that_does_not_answer_is_a_503_within_seconds() {
    let mut camp = Camp::on_postgres().await;
    add_owner(&camp);
    let direct = Url::parse(&camp.database_url().expect("PostgreSQL")).expect("an address");
    let server = direct.socket_addrs(|| Some(5432)).expect("an address")[0];
    let cable = Cable::to(server).await;
    camp.reach_postgres_at("127.0.0.1", cable.port);
    let site = Site::start(&camp, &["--with-worker"]).await;
    let owner = Owner::sign_in(&site).await;
    assert_eq!(owner.post("Before", "draft").await.status, 201);

    cable.frozen.store(true, Ordering::Relaxed);
    let mut tally = Tally::default();
    let mut slowest = Duration::ZERO;
    let asked: Vec<_> = (0..24)
        .map(|n| {
            let owner = owner.clone();
            tokio::spawn(async move {
                match n % 2 {
                    0 => owner.get("/api/admin/videos").await,
                    _ => owner.post("Meanwhile", "draft").await,
                }
            })
        })
        .collect();
    for asked in asked {
        let answer = asked.await.expect("an answer");
        tally.add(&answer);
        slowest = slowest.max(answer.took);
    }
    println!("PostgreSQL does not answer: {:?}, {slowest:?} at the most", tally.0);
    tally.only(&[503]);
    assert!(slowest < Duration::from_secs(12), "{slowest:?}");

    cable.frozen.store(false, Ordering::Relaxed);
    let thawed = Instant::now();
    while owner.post("Afterwards", "draft").await.status != 201 {
        assert!(thawed.elapsed() < Duration::from_secs(10), "{}", site.said());
    }
    println!("back after {:?}", thawed.elapsed());
    site.stop().await;
}
