//! A minimal DNS client: looks up text records with the name servers of this machine.
//!
//! A complete resolver would be one of the largest crates here. This client sends its queries to an
//! existing one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use simple_dns::rdata::RData;
use simple_dns::{CLASS, Name, Packet, PacketFlag, Question, RCODE, TYPE};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::timeout;

/// How long one name server may take to answer.
const TIMEOUT: Duration = Duration::from_secs(2);

pub(super) enum Answer {
    /// All text records. Empty if the name has none or does not exist.
    Texts(Vec<String>),
    /// No server answered, and why.
    None(String),
}

/// The name servers of this machine.
pub(super) async fn servers() -> Vec<SocketAddr> {
    let text = tokio::fs::read_to_string("/etc/resolv.conf").await.unwrap_or_default();
    let mut servers: Vec<SocketAddr> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("nameserver")?.trim().parse::<IpAddr>().ok())
        .map(|ip| SocketAddr::new(ip, 53))
        .collect();
    if servers.is_empty() {
        servers.push((Ipv4Addr::LOCALHOST, 53).into());
    }
    servers
}

/// Returns the text records of a name, from the first server that answers.
pub(super) async fn texts(name: &str, servers: &[SocketAddr]) -> Answer {
    let mut why = "no name server is known".to_owned();
    for server in servers {
        for _ in 0..2 {
            match timeout(TIMEOUT, ask(name, *server)).await {
                Ok(Ok(texts)) => return Answer::Texts(texts),
                Ok(Err(error)) => why = format!("{server} says {error}"),
                Err(_) => why = format!("{server} does not answer"),
            }
        }
    }
    Answer::None(why)
}

async fn ask(name: &str, server: SocketAddr) -> Result<Vec<String>, String> {
    let id = rand::random();
    let question = question(name, id).map_err(|error| error.to_string())?;
    let answer = over_udp(&question, server).await.map_err(|error| error.to_string())?;
    match read(&answer, id)? {
        Some(texts) => Ok(texts),
        // The answer did not fit.
        None => {
            let answer = over_tcp(&question, server).await.map_err(|error| error.to_string())?;
            read(&answer, id)?.ok_or_else(|| "only half of it".to_owned())
        }
    }
}

fn question(name: &str, id: u16) -> Result<Vec<u8>, simple_dns::SimpleDnsError> {
    let mut packet = Packet::new_query(id);
    packet.set_flags(PacketFlag::RECURSION_DESIRED);
    let name = Name::new(name)?;
    packet.questions.push(Question::new(name, TYPE::TXT.into(), CLASS::IN.into(), false));
    packet.build_bytes_vec()
}

async fn over_udp(question: &[u8], server: SocketAddr) -> std::io::Result<Vec<u8>> {
    let any: SocketAddr = match server {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any).await?;
    socket.connect(server).await?;
    socket.send(question).await?;
    let mut buffer = vec![0; 4096];
    let length = socket.recv(&mut buffer).await?;
    buffer.truncate(length);
    Ok(buffer)
}

async fn over_tcp(question: &[u8], server: SocketAddr) -> std::io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect(server).await?;
    let mut framed = (question.len() as u16).to_be_bytes().to_vec();
    framed.extend(question);
    stream.write_all(&framed).await?;
    let mut buffer = vec![0; stream.read_u16().await?.into()];
    stream.read_exact(&mut buffer).await?;
    Ok(buffer)
}

/// Returns `None` if the answer was truncated.
fn read(answer: &[u8], id: u16) -> Result<Option<Vec<String>>, String> {
    let packet = Packet::parse(answer).map_err(|error| error.to_string())?;
    if packet.id() != id {
        return Err("something else".to_owned());
    }
    if packet.has_flags(PacketFlag::TRUNCATION) {
        return Ok(None);
    }
    match packet.rcode() {
        RCODE::NoError => {}
        RCODE::NameError => return Ok(Some(Vec::new())),
        other => return Err(format!("{other:?}")),
    }
    let texts = packet.answers.into_iter().filter_map(|record| match record.rdata {
        RData::TXT(text) => String::try_from(text).ok(),
        _ => None,
    });
    Ok(Some(texts.collect()))
}
