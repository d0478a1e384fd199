//! The senders of the requests. Each request comes from a new address, so that no rate limit
//! applies.

use std::net::{IpAddr, Ipv4Addr};

use portal::accounts::staff::Role;
use portal::seed;
use rand::RngExt;
use rand::rngs::StdRng;

use crate::camp::{Browser, Camp, PASSWORD};

pub const ROLES: [&str; 4] = ["nobody", "parent", "staff", "owner"];
/// A URL that this role can always read.
const OWN: [&str; 4] = ["/api/site", "/api/profile", "/api/admin/faq/stats", "/api/admin/accounts"];

pub struct People {
    browsers: Vec<Browser>,
    /// The number of people so far, for unique names.
    arrived: usize,
}

impl People {
    /// A camp with some data, and one person in each role.
    pub async fn arrive(camp: &Camp) -> People {
        let options = seed::Options {
            sample: seed::Sample::General,
            seed: 1,
            as_of: camp.now(),
            password: Some(PASSWORD.to_owned()),
        };
        seed::generate(&camp.app, &options).await.expect("a camp");
        let mut people = People { browsers: vec![camp.browser(); ROLES.len()], arrived: 0 };
        people.stay(camp).await;
        people
    }

    /// Undoes requests that lock people out: deleted accounts, ended sessions, restrictive settings.
    pub async fn stay(&mut self, camp: &Camp) {
        camp.set("access", "everyone").await;
        camp.set("enableTwoFactor", false).await;
        camp.set("userRegistrations", true).await;
        camp.set("requireEmailVerification", true).await;
        camp.set("sessionTimeout", 720).await;
        camp.set("passwordMinLength", 8).await;
        for (role, path) in OWN.iter().enumerate() {
            let reply = self.browsers[role].get(path).await;
            if reply.status == 200 {
                continue;
            }
            self.arrived += 1;
            let name = format!("generated{}", self.arrived);
            self.browsers[role] = match ROLES[role] {
                "nobody" => camp.browser(),
                "parent" => {
                    let at = Ipv4Addr::from_bits(0x0a00_0000 + self.arrived as u32).to_string();
                    let email = format!("{name}@family.example");
                    camp.parent_with(camp.browser_at(&at), &name, &email).await
                }
                "staff" => camp.staff_member(&name, Role::Staff).await,
                _ => camp.staff_member(&name, Role::Owner).await,
            };
        }
        camp.forget_mails();
    }

    /// This role's browser at a new address.
    pub fn somewhere(&self, role: usize, rng: &mut StdRng) -> Browser {
        if role == 0 {
            return self.browsers[0].at(address(rng)).without_cookies();
        }
        self.browsers[role].at(address(rng))
    }
}

/// Usually a role that may call the operation, because the others are only refused.
pub fn likely(security: &str, rng: &mut StdRng) -> usize {
    match security {
        "session" if rng.random_ratio(9, 10) => 1,
        "staff" if rng.random_ratio(9, 10) => rng.random_range(2..4),
        "owner" if rng.random_ratio(9, 10) => 3,
        _ => rng.random_range(0..ROLES.len()),
    }
}

fn address(rng: &mut StdRng) -> IpAddr {
    Ipv4Addr::from_bits(rng.random_range(0x0b00_0000..0xdf00_0000)).into()
}
