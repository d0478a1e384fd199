//! Which addresses link, match and block (decision P2), for every case in the table.

use serde_json::json;

use crate::camp::{Browser, Camp, PASSWORD, sign_up};
use crate::family_membership::{confirmation, copy_link};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Typed {
    Staff,
    MemberAndProved,
    MemberUnproved,
}

/// One case in the table: an address, its place in a family, and the family's user.
struct Case {
    /// `primary`, `secondary`, or `neither`: an address that the family does not have.
    kind: &'static str,
    typed: Typed,
    /// The family's user: `none`, `same` (with that address) or `another`.
    login: &'static str,
    n: usize,
}

impl Case {
    fn mail(&self, who: &str) -> String {
        format!("{who}{}@family.example", self.n)
    }

    /// The address that this case is about.
    fn address(&self) -> String {
        self.mail(self.kind)
    }

    fn browser(&self, camp: &Camp) -> Browser {
        camp.browser_at(&format!("2001:db8:0:{:x}::1", self.n))
    }

    async fn sign_up(
        &self,
        camp: &Camp,
        name: &str,
        email: &str,
        invite: Option<String>,
    ) -> Browser {
        let browser = self.browser(camp);
        let mut form = sign_up(name, email);
        form["child_name"] = json!(format!("Child of {name}"));
        if let Some(invite) = invite {
            form["invite"] = json!(invite);
        }
        browser.post("/api/auth/sign-up", form).await.expect(201);
        browser
    }

    /// Creates the family. Returns its path, and the user with the address if the family has one.
    async fn family(&self, camp: &Camp, staff: &Browser) -> (String, Option<Browser>) {
        let name = format!("Family {}", self.n);
        let made_by_staff = self.typed == Typed::Staff || self.kind != "primary";
        let mut same = None;
        let path = if made_by_staff {
            let new =
                json!({ "full_name": name, "email": self.mail("primary"), "child_name": "Yossi" });
            let family = staff.post("/api/admin/users", new).await.expect(201).json();
            format!("/api/admin/users/{}", family["id"].as_str().expect("an id"))
        } else {
            let first = self.sign_up(camp, &name, &self.address(), None).await;
            if self.typed == Typed::MemberAndProved {
                first
                    .post(
                        "/api/auth/verify",
                        json!({ "token": confirmation(camp, &self.address()).await }),
                    )
                    .await
                    .expect(200);
            }
            same = Some(first);
            let found = staff.get(&format!("/api/admin/users?q={}", self.address())).await.json();
            format!("/api/admin/users/{}", found["items"][0]["id"].as_str().expect("an id"))
        };
        let secondary_of_member = self.kind == "secondary" && self.typed != Typed::Staff;
        let mut other = None;
        if self.login == "another" || secondary_of_member {
            let invite = Some(copy_link(staff, &path).await);
            other = Some(self.sign_up(camp, "Other", &self.mail("other"), invite).await);
        }
        if self.kind == "secondary" {
            let second = json!({ "secondary_email": self.address() });
            match &other {
                Some(other) if secondary_of_member => {
                    let own = confirmation(camp, &self.mail("other")).await;
                    let done = other.post("/api/auth/verify", json!({ "token": own })).await;
                    done.expect(200);
                    // Until then, her own address is the family's second one, so the change needs
                    // her password.
                    let mut second = second;
                    second["current_password"] = json!(PASSWORD);
                    drop(other.patch("/api/profile", second).await.expect(200))
                }
                _ => {
                    let version = staff.get(&path).await.json()["version"].clone();
                    let change = json!({ "version": version, "secondary_email": self.address() });
                    staff.patch(&path, change).await.expect(200);
                }
            }
            if self.typed == Typed::MemberAndProved {
                let ask = camp.token_for(&self.address()).await;
                self.browser(camp)
                    .post("/api/auth/verify", json!({ "token": ask }))
                    .await
                    .expect(200);
            }
        }
        let leaving = [
            (self.login != "another").then_some(other).flatten(),
            (self.login != "same").then(|| same.take()).flatten(),
        ];
        for browser in leaving.into_iter().flatten() {
            browser
                .post("/api/auth/delete-account", json!({ "current_password": PASSWORD }))
                .await
                .expect(204);
        }
        (path, same)
    }
}

story! {
    async fn linking_matching_and_blocking_follow_what_is_known_of_an_address_in_every_case(camp) {
        // {primary, secondary, neither} × {typed by staff, by a member and verified, by a member and not}
        // × {the user's address verified, or not} × {family without user, with the same, with another}
        let staff = camp.staff().await;
        let kinds = ["primary", "secondary", "neither"];
        let typed = [Typed::Staff, Typed::MemberAndProved, Typed::MemberUnproved];
        let mut n = 0;
        for (kind, typed) in kinds.into_iter().flat_map(|kind| typed.map(|typed| (kind, typed))) {
            for (login, verified) in ["none", "same", "another"].into_iter().flat_map(|login| [(login, true), (login, false)]) {
                // Only an address of the family was typed by somebody.
                if kind == "neither" && (typed != Typed::Staff || login == "same") {
                    continue;
                }
                n += 1;
                let case = Case { kind, typed, login, n };
                let says = format!("case {n}: {kind}, {typed:?}, verified {verified}, login {login}");
                let (_, same) = case.family(&camp, &staff).await;
                let known = kind != "neither" && typed != Typed::MemberUnproved;

                let csv = format!("name,child,email\nSomebody,Somebody,{}\n", case.address());
                let import = staff.post("/api/admin/users/import", json!({ "csv": csv, "dry_run": true })).await.expect(200).json();
                assert_eq!(import["added"], json!(i32::from(!known)), "{says}: {import}");
                assert_eq!(import["differing"], json!(i32::from(known)), "{says}: {import}");

                let person = match same {
                    Some(person) => person,
                    None => case.sign_up(&camp, "Person", &case.address(), None).await,
                };
                let of_family = async || person.get("/api/profile").await.expect(200).json()["child_name"] != "Child of Person";
                let at_once = of_family().await;
                let already = login == "same" && kind == "primary" && typed != Typed::Staff;
                assert_eq!(at_once, already, "{says}: only by proof");
                let proved = already && typed == Typed::MemberAndProved;
                if verified && !proved {
                    person.post("/api/auth/verify", json!({ "token": confirmation(&camp, &case.address()).await })).await.expect(200);
                }
                assert_eq!(of_family().await, already || (verified && known), "{says}");
                let again = person.post("/api/auth/sign-in", json!({ "email": case.address(), "password": PASSWORD })).await.expect(200).json();
                assert_eq!(again["linked"], false, "{says}: linked once");

                let new = json!({ "full_name": "Office", "email": case.address(), "child_name": "Yossi" });
                let blocked = known || verified;
                let added = staff.post("/api/admin/users", new).await;
                assert_eq!(added.status, if blocked { 409 } else { 201 }, "{says}: {}", added.text());
            }
        }
        assert_eq!(n, 40);
    }
}
