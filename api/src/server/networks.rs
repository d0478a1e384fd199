//! Limits how many connections, requests and streams one network may have.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard};

use portal::Config;

/// A network may always have this many while there are free ones.
const ALWAYS_ALLOWED: usize = 8;

/// How many times the share of an IPv6 /64 its /48 may have: a site or a hosting customer usually has a
/// whole /48, which is 65,536 networks of size /64.
const SITE: usize = 8;

/// A resource that networks share: connections, simultaneous requests, event streams.
///
/// A network is an IPv4 address or an IPv6 /64. It gets at most `each`, and at most half of what is still
/// free, so that several large networks cannot take everything. An IPv6 /48 gets at most eight times as
/// many.
pub struct Networks {
    total: usize,
    each: usize,
    config: Arc<Config>,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    all: usize,
    by: HashMap<Network, usize>,
}

/// The first address of a network and its prefix length.
type Network = (IpAddr, u8);

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refused {
    /// All are in use.
    Full,
    /// This network has its full share.
    Network,
}

/// One unit of the resource, released when it is dropped.
pub struct Share {
    networks: Arc<Networks>,
    held_by: Vec<Network>,
}

impl Networks {
    pub fn new(total: usize, each: u32, config: &Arc<Config>) -> Arc<Networks> {
        let (config, held) = (config.clone(), Mutex::default());
        Arc::new(Networks { total, each: each as usize, config, held })
    }

    pub fn take(self: &Arc<Self>, address: IpAddr) -> Result<Share, Refused> {
        let own = is_own(&self.config, address);
        let held_by = if own { Vec::new() } else { networks_of(address) };
        let mut held = self.held();
        if held.all >= self.total {
            return Err(Refused::Full);
        }
        let free = self.total - held.all;
        for network in &held_by {
            let each = if network.1 == 48 { self.each.saturating_mul(SITE) } else { self.each };
            let mine = held.by.get(network).copied().unwrap_or_default();
            if mine >= each.min((free / 2).max(ALWAYS_ALLOWED)) {
                return Err(Refused::Network);
            }
        }
        for network in &held_by {
            *held.by.entry(*network).or_default() += 1;
        }
        held.all += 1;
        Ok(Share { networks: self.clone(), held_by })
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().expect("nothing panics while counting")
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut held = self.networks.held();
        held.all -= 1;
        for network in &self.held_by {
            if let Some(mine) = held.by.get_mut(network) {
                *mine -= 1;
                if *mine == 0 {
                    held.by.remove(network);
                }
            }
        }
    }
}

/// Whether this address stands for many clients: a trusted proxy, or the loopback address, where a proxy
/// may run that is not configured as trusted.
pub fn is_own(config: &Config, address: IpAddr) -> bool {
    let address = address.to_canonical();
    address == Ipv4Addr::LOCALHOST || address == Ipv6Addr::LOCALHOST || is_proxy(config, address)
}

pub fn is_proxy(config: &Config, address: IpAddr) -> bool {
    let address = address.to_canonical();
    config.trusted_proxies.iter().any(|net| net.contains(&address))
}

/// The networks to which an address belongs.
fn networks_of(address: IpAddr) -> Vec<Network> {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let begin = |host: u32| Ipv6Addr::from_bits(v6.to_bits() >> host << host).into();
            vec![(begin(64), 64), (begin(80), 48)]
        }
        v4 => vec![(v4, 32)],
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, FromArgMatches};

    use super::*;

    fn networks(total: usize, each: u32) -> Arc<Networks> {
        let command = Config::augment_args(clap::Command::new("camp"));
        let matches = command.get_matches_from(["camp", "--trusted-proxies", "192.0.2.0/24"]);
        let config = Config::from_arg_matches(&matches).expect("a configuration");
        Networks::new(total, each, &Arc::new(config))
    }

    fn at(address: &str) -> IpAddr {
        address.parse().expect("an address")
    }

    #[test]
    fn a_network_gets_its_share_and_gives_it_back() {
        let networks = networks(1_000, 20);
        let mine: Vec<_> =
            (0..20).map(|n| networks.take(at(&format!("2001:db8::{n:x}")))).collect();
        assert!(mine.iter().all(Result::is_ok));
        assert_eq!(networks.take(at("2001:db8::ffff")).err(), Some(Refused::Network));
        assert!(networks.take(at("2001:db8:0:1::1")).is_ok(), "the network beside it");
        drop(mine);
        assert!(networks.take(at("2001:db8::1")).is_ok());
        assert!(networks.held().by.is_empty() && networks.held().all == 0);
    }

    #[test]
    fn a_site_with_thousands_of_ipv6_networks_gets_eight_shares() {
        let networks = networks(100_000, 20);
        let mut shares = Vec::new();
        for n in 0..1_000 {
            while let Ok(share) = networks.take(at(&format!("2001:db8:7:{n:x}::1"))) {
                shares.push(share);
            }
        }
        assert_eq!(shares.len(), 160);
        assert!(networks.take(at("2001:db8:8::1")).is_ok(), "the site beside it");
        drop(shares);
        assert!(networks.held().by.is_empty() && networks.held().all == 0);
    }

    #[test]
    fn a_few_large_networks_leave_room_for_others() {
        let networks = networks(12_000, 2_000);
        let mut shares = Vec::new();
        for n in 0..12 {
            while let Ok(share) = networks.take(at(&format!("198.51.100.{n}"))) {
                shares.push(share);
            }
        }
        assert!(shares.len() < 11_900, "{}", shares.len());
        let other = at("203.0.113.7");
        let some: Vec<_> = (0..ALWAYS_ALLOWED).map(|_| networks.take(other)).collect();
        assert!(some.iter().all(Result::is_ok));
    }

    #[test]
    fn proxies_and_the_machine_itself_are_not_limited() {
        let networks = networks(50, 1);
        let addresses = ["127.0.0.1", "::1", "192.0.2.9", "::ffff:192.0.2.9"];
        let shares: Vec<_> = (0..50).map(|n| networks.take(at(addresses[n % 4]))).collect();
        assert!(shares.iter().all(Result::is_ok));
        assert_eq!(networks.take(at("127.0.0.1")).err(), Some(Refused::Full));
    }
}
