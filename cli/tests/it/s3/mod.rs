//! A real S3 server, SeaweedFS, and a bucket in it for each test.

mod proxy;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::OnceCell;

pub use self::proxy::Proxy;
use crate::camp::{Camp, free_port};
use crate::chaos::site::{exchange, send};

/// Runs until this process ends, however it ends. The server is killed when its standard input is
/// closed.
struct Server {
    s3: SocketAddr,
    filer: SocketAddr,
    _shell: Child,
}

static SERVER: OnceCell<Server> = OnceCell::const_new();

const USERS: &str = r#"{"identities": [{"name": "camp", "actions": ["Admin"],
    "credentials": [{"accessKey": "miriam", "secretKey": "lantern"}]}]}"#;

const SHELL: &str = r#"place=$1; shift
    "$@" & server=$!
    read -r _
    kill -9 $server; wait $server; rm -rf "$place""#;

/// The program that `just test` installs, or else the one on the `PATH`.
fn program() -> PathBuf {
    let home = std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or(home).unwrap_or_default();
    let installed = cache.join("visiting-day/seaweedfs/bin/weed");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join("weed"));
    std::iter::once(installed).chain(found).find(|file| file.is_file()).expect(
        "SeaweedFS (the program `weed`) is an S3 server for this test; `just test` installs it",
    )
}

impl Server {
    async fn start() -> Server {
        let program = program();
        let place = TempDir::new().expect("a folder").keep();
        std::fs::write(place.join("users.json"), USERS).expect("written");
        let ports: Vec<u16> = (0..8).map(|_| free_port()).collect();
        let log = std::fs::File::create(place.join("log")).expect("a log");
        let shell = Command::new("sh")
            .args(["-c", SHELL, "sh"])
            .arg(&place)
            .arg(program)
            .args(arguments(&place, &ports))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("a shell");
        let at = |port: u16| SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let server = Server { s3: at(ports[6]), filer: at(ports[4]), _shell: shell };
        let begun = Instant::now();
        while !server.is_ready().await {
            let said = || std::fs::read_to_string(place.join("log")).unwrap_or_default();
            assert!(begun.elapsed() < Duration::from_secs(120), "it does not start: {}", said());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        server
    }

    /// Whether the server answers and can store files.
    async fn is_ready(&self) -> bool {
        send(self.s3, "GET", "/", None, "").await.is_some_and(|answer| answer.status == 403)
            && exchange(self.filer, "PUT", "/ready", &[], b"ready")
                .await
                .is_some_and(|a| a.status == 201)
    }
}

fn arguments(place: &std::path::Path, ports: &[u16]) -> Vec<String> {
    let names = ["master", "master", "volume", "volume", "filer", "filer", "s3", "s3"];
    let ends = ["port", "port.grpc"].into_iter().cycle();
    let ports =
        names.iter().zip(ends).zip(ports).map(|((name, end), n)| format!("-{name}.{end}={n}"));
    let place = place.display();
    // Every bucket needs a few volumes of its own.
    let fixed = "-logtostderr=true server -ip=127.0.0.1 -ip.bind=127.0.0.1 -filer -s3 \
                 -master.telemetry=false -volume.max=400 -master.volumeSizeLimitMB=64 \
                 -s3.port.iceberg=0 -s3.port.lance=0";
    fixed
        .split_whitespace()
        .map(str::to_owned)
        .chain(ports)
        .chain([
            format!("-dir={place}"),
            format!("-s3.config={place}/users.json"),
            format!("-s3.localSocket={place}/s3.sock"),
            format!("-filer.localSocket={place}/filer.sock"),
        ])
        .collect()
}

pub struct Bucket {
    name: String,
    /// The server, or a proxy in front of it.
    pub address: SocketAddr,
    filer: SocketAddr,
}

impl Bucket {
    pub async fn open() -> Bucket {
        let server = SERVER.get_or_init(Server::start).await;
        let name = format!("camp-{}", uuid::Uuid::new_v4().simple());
        let made = send(server.filer, "POST", &format!("/buckets/{name}/"), None, "").await;
        assert_eq!(made.expect("an answer").status, 201);
        Bucket { name, address: server.s3, filer: server.filer }
    }

    /// A bucket behind a proxy.
    pub async fn behind_a_proxy() -> (Bucket, Proxy) {
        let bucket = Bucket::open().await;
        let proxy = Proxy::before(bucket.address).await;
        (Bucket { address: proxy.address, ..bucket }, proxy)
    }

    pub fn url(&self) -> String {
        format!("s3://{}/summer", self.name)
    }

    /// Makes all commands of a camp store its files here.
    pub fn keep_files_of(&self, camp: &mut Camp) {
        camp.environment = vec![
            ("CAMP_STORAGE_URL", self.url()),
            ("AWS_ENDPOINT", format!("http://{}", self.address)),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_ACCESS_KEY_ID", "miriam".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "lantern".to_owned()),
        ];
    }

    /// The keys of all files, including the prefix, and their sizes.
    pub async fn files(&self) -> BTreeMap<String, u64> {
        let root = format!("/buckets/{}", self.name);
        let (mut files, mut folders) = (BTreeMap::new(), vec![root.clone()]);
        while let Some(folder) = folders.pop() {
            for entry in self.entries(&folder).await {
                let path = entry["FullPath"].as_str().expect("a path").to_owned();
                match entry["Mode"].as_u64().expect("a mode") >> 31 {
                    1 if path.ends_with("/.uploads") => {}
                    1 => folders.push(path),
                    _ => {
                        let key = path[root.len() + 1..].to_owned();
                        files.insert(key, entry["FileSize"].as_u64().expect("a size"));
                    }
                }
            }
        }
        files
    }

    /// The names of multipart uploads that were started and neither finished nor aborted.
    pub async fn begun(&self) -> Vec<String> {
        let entries = self.entries(&format!("/buckets/{}/.uploads", self.name)).await;
        let path = |entry: &Value| entry["FullPath"].as_str().expect("a path").to_owned();
        entries.iter().map(path).collect()
    }

    /// Removes unfinished uploads, as a lifecycle rule of the bucket would after a long time.
    pub async fn forget_begun(&self) {
        for path in self.begun().await {
            let path = format!("{path}?recursive=true");
            let answer = send(self.filer, "DELETE", &path, None, "").await.expect("an answer");
            assert_eq!(answer.status, 204);
        }
    }

    async fn entries(&self, folder: &str) -> Vec<Value> {
        let path = format!("{folder}/?limit=1000&pretty=y");
        let wanted = [("accept", "application/json")];
        let answer = exchange(self.filer, "GET", &path, &wanted, b"").await.expect("an answer");
        if answer.status == 404 {
            return Vec::new();
        }
        let listed: Value = serde_json::from_slice(&answer.body).expect("JSON");
        listed["Entries"].as_array().cloned().unwrap_or_default()
    }
}
