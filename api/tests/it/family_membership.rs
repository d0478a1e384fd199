//! How a user joins a family: invitations, linking and approval (decisions P2, P3, P9).

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, join_all};
use portal::db::Db;
use serde_json::{Value, json};

use crate::camp::{Browser, Camp, PASSWORD, Reply, sign_up, token};

/// The token in a link that staff copied for a family.
pub async fn copy_link(staff: &Browser, family: &str) -> String {
    let copied = staff.post(&format!("{family}/invitation-link"), json!({})).await.expect(200);
    let url = copied.json()["url"].as_str().expect("a link").to_owned();
    url.split("invite=").nth(1).expect("a token").to_owned()
}

story! {
    async fn an_invited_family_finds_its_names_filled_in_and_is_linked(camp) {
        let staff = camp.staff().await;
        let new = json!({ "full_name": "Chaya Lindenfeld", "email": "chaya@family.example", "child_name": "Yossi" });
        let family = staff.post("/api/admin/users", new.clone()).await.expect(201).json();
        staff.post("/api/admin/users", new).await.refused(409, "taken");
        let invite = camp.token_for("chaya@family.example").await;
        let browser = camp.browser();
        let filled = browser.post("/api/auth/invitation", json!({ "token": invite })).await.expect(200).json();
        assert_eq!(filled, json!({ "email": "chaya@family.example", "full_name": "Chaya Lindenfeld", "child_name": "Yossi", "user_type": "parent" }));
        let mut form = sign_up("Chaya Lindenfeld", "chaya@family.example");
        form["invite"] = json!(invite);
        let welcome = browser.post("/api/auth/sign-up", form.clone()).await.expect(201).json();
        assert_eq!(welcome["linked"], true);
        assert_eq!(welcome["user"]["family"], true);
        assert_eq!(welcome["user"]["email_verified"], true);
        form["email"] = json!("thief@family.example");
        camp.browser().post("/api/auth/sign-up", form).await.refused(410, "gone");
        let shown = staff.get(&format!("/api/admin/users/{}", family["id"].as_str().expect("an id"))).await.json();
        assert_eq!(shown["logins"], 1);
    }
}

story! {
    async fn names_that_the_camp_lacks_come_from_whoever_signs_up(camp) {
        let staff = camp.staff().await;
        for (n, proved_by_invitation) in [(1, true), (2, false)] {
            let email = format!("chaya{n}@family.example");
            let new = json!({ "full_name": "Chaya Lindenfeld", "email": email, "child_name": "Mendy" });
            let family = staff.post("/api/admin/users", new).await.expect(201).json();
            let path = format!("/api/admin/users/{}", family["id"].as_str().expect("an id"));
            let version = staff.get(&path).await.json()["version"].clone();
            staff.patch(&path, json!({ "version": version, "child_name": "" })).await.expect(200);
            let browser = camp.browser();
            let mut form = sign_up("Somebody Else", &email);
            if proved_by_invitation {
                form["invite"] = json!(copy_link(&staff, &path).await);
            }
            browser.post("/api/auth/sign-up", form).await.expect(201);
            let token = confirmation(&camp, &email).await;
            browser.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
            let family = staff.get(&path).await.json();
            assert_eq!(family["child_name"], "Yossi");
            assert_eq!(family["full_name"], "Chaya Lindenfeld", "what the camp has stays");
            assert_eq!(staff.get("/api/admin/users?q=Yossi").await.json()["items"][n - 1]["child_name"], "Yossi");
        }
    }
}

story! {
    async fn an_invitation_dies_with_the_address_it_went_to(camp) {
        let staff = camp.staff().await;
        let new = json!({ "full_name": "Chaya Lindenfeld", "email": "typo@family.example", "child_name": "Yanky" });
        let family = staff.post("/api/admin/users", new).await.expect(201).json();
        let path = format!("/api/admin/users/{}", family["id"].as_str().expect("an id"));
        let mailed = camp.token_for("typo@family.example").await;
        let copied = copy_link(&staff, &path).await;
        let version = staff.get(&path).await.json()["version"].clone();
        let added = staff.patch(&path, json!({ "version": version, "secondary_email": "tatty@family.example" })).await.expect(200).json();
        for token in [&mailed, &copied] {
            camp.browser().post("/api/auth/invitation", json!({ "token": token })).await.expect(200);
        }
        // Another invitation is queued when the address is corrected.
        staff.post(&format!("{path}/invite"), json!({})).await.expect(202);
        let sent = camp.mails_to("typo@family.example").len();
        let right = json!({ "version": added["version"], "email": "chaya@family.example" });
        staff.patch(&path, right).await.expect(200);
        camp.work().await;
        assert_eq!(camp.mails_to("typo@family.example").len(), sent, "nobody writes to the slip of the pen");
        assert_eq!(camp.mails_to("chaya@family.example").len(), 1, "the right address is invited instead");
        assert_eq!(staff.get(&path).await.json()["invited"], true);
        for token in [&mailed, &copied] {
            camp.browser().post("/api/auth/invitation", json!({ "token": token })).await.refused(410, "gone");
            let mut form = sign_up("Stranger", "typo@family.example");
            form["invite"] = json!(token);
            camp.browser().post("/api/auth/sign-up", form).await.refused(410, "gone");
        }
        assert_eq!(staff.get(&path).await.json()["logins"], 0);
        staff.post(&format!("{path}/invite"), json!({})).await.expect(202);
        let mut form = sign_up("Chaya", "chaya@family.example");
        form["invite"] = json!(camp.token_for("chaya@family.example").await);
        camp.browser().post("/api/auth/sign-up", form).await.expect(201);
    }
}

story! {
    async fn of_copied_invitation_links_the_last_is_good_once(camp) {
        let staff = camp.staff().await;
        let new = json!({ "full_name": "Chaya Lindenfeld", "email": "chaya@family.example", "child_name": "Yossi" });
        let family = staff.post("/api/admin/users", new).await.expect(201).json();
        let path = format!("/api/admin/users/{}", family["id"].as_str().expect("an id"));
        let (first, last) = (copy_link(&staff, &path).await, copy_link(&staff, &path).await);
        camp.browser().post("/api/auth/invitation", json!({ "token": first })).await.refused(410, "gone");
        let mut form = sign_up("Chaya", "tatty@family.example");
        form["invite"] = json!(last);
        camp.browser().post("/api/auth/sign-up", form.clone()).await.expect(201);
        form["email"] = json!("thief@family.example");
        camp.browser().post("/api/auth/sign-up", form).await.refused(410, "gone");
        // The email contains a different link, because it goes to an address of the family.
        camp.work().await;
        let mails = camp.mails_to("chaya@family.example");
        let mailed = mails.iter().find(|mail| mail.subject.contains("invited")).map(crate::camp::token);
        camp.browser().post("/api/auth/invitation", json!({ "token": mailed })).await.expect(200);
    }
}

story! {
    async fn staff_take_a_login_off_a_family_to_which_it_does_not_belong(camp) {
        let staff = camp.staff().await;
        let new = json!({ "full_name": "Chaya Lindenfeld", "email": "chaya@family.example", "child_name": "Yossi" });
        let family = staff.post("/api/admin/users", new).await.expect(201).json();
        let path = format!("/api/admin/users/{}", family["id"].as_str().expect("an id"));
        let mut form = sign_up("Stranger", "stranger@other.example");
        form["invite"] = json!(copy_link(&staff, &path).await);
        // Somebody who signed up elsewhere with the family's address does not hide the stranger.
        camp.browser().post("/api/auth/sign-up", sign_up("Decoy", "chaya@family.example")).await.expect(201);
        let stranger = camp.browser();
        stranger.post("/api/auth/sign-up", form).await.expect(201);
        let confirmed = json!({ "token": confirmation(&camp, "stranger@other.example").await });
        stranger.post("/api/auth/verify", confirmed).await.expect(200);
        stranger.get("/api/profile/payments").await.expect(200);
        camp.work().await;
        let heard = camp.mails_to("chaya@family.example").iter().any(|mail| mail.subject.contains("joined your family"));
        assert!(heard, "the family hears of it");
        let mother = camp.browser();
        let invited = json!({ "invite": camp.mails_to("chaya@family.example").iter().find(|mail| mail.subject.contains("invited")).map(crate::camp::token) });
        let mut form = sign_up("Chaya Lindenfeld", "chaya@family.example");
        form["invite"] = invited["invite"].clone();
        mother.post("/api/auth/sign-up", form).await.expect(201);

        let shown = staff.get(&path).await.expect(200).json();
        let address = |email: &str| shown["emails"].as_array().expect("a list").iter().find(|one| one["email"] == email).expect("an address").clone();
        assert_eq!(address("chaya@family.example")["user_id"], Value::Null, "it is the family's");
        let login = address("stranger@other.example")["user_id"].as_str().expect("a login").to_owned();
        let copied = copy_link(&staff, &path).await;
        staff.delete(&format!("{path}/logins/{login}")).await.expect(204);
        staff.delete(&format!("{path}/logins/{login}")).await.refused(404, "not_found");

        assert_eq!(stranger.get("/api/session").await.json()["user"], Value::Null, "signed out");
        camp.browser().post("/api/auth/invitation", json!({ "token": copied })).await.refused(410, "gone");
        let again = camp.browser();
        again.post("/api/auth/sign-in", json!({ "email": "stranger@other.example", "password": crate::camp::PASSWORD })).await.expect(200);
        let profile = again.get("/api/profile").await.expect(200).json();
        assert_eq!((&profile["full_name"], &profile["child_name"]), (&json!(""), &Value::Null), "no name of the family stays");
        assert_eq!(again.get("/api/session").await.json()["user"]["family"], false);
        let own = mother.get("/api/profile").await.expect(200).json();
        assert_eq!((&own["full_name"], &own["child_name"]), (&json!("Chaya Lindenfeld"), &json!("Yossi")));
        let left = staff.get(&path).await.json();
        assert_eq!((&left["logins"], left["emails"].as_array().map(Vec::len)), (&json!(1), Some(1)), "{left}");
        let audit = camp.owner().await.get("/api/admin/audit?limit=5").await.expect(200).json();
        assert!(audit["items"].as_array().expect("lines").iter().any(|line| line["action"] == "profile.remove_login"), "{audit}");
    }
}

story! {
    async fn a_login_with_an_address_of_the_family_stays(camp) {
        let staff = camp.staff().await;
        camp.parent("Chaya Lindenfeld", "chaya@family.example").await;
        let family = staff.get("/api/admin/users?q=chaya").await.expect(200).json()["items"][0].clone();
        let path = format!("/api/admin/users/{}", family["id"].as_str().expect("an id"));
        staff.delete(&format!("{path}/logins/{}", uuid::Uuid::now_v7())).await.refused(404, "not_found");
        staff.patch(&path, json!({ "version": family["version"], "email": "tatty@family.example" })).await.expect(200);
        let shown = staff.get(&path).await.expect(200).json();
        let login = shown["emails"][1].clone();
        assert_eq!((&login["email"], &login["kind"]), (&json!("chaya@family.example"), &json!("login")));
        let login = format!("{path}/logins/{}", login["user_id"].as_str().expect("a login"));
        let back = json!({ "version": shown["version"], "email": "chaya@family.example" });
        staff.patch(&path, back).await.expect(200);
        let refused = staff.delete(&login).await.refused(409, "conflict");
        assert!(refused["detail"].as_str().expect("text").contains("Remove the address"), "{refused}");
    }
}

story! {
    async fn an_address_that_is_only_typed_links_nobody_to_a_family(camp) {
        let staff = camp.staff().await;
        let new = json!({ "full_name": "Chaya Lindenfeld", "email": "chaya@family.example", "child_name": "Yossi" });
        staff.post("/api/admin/users", new).await.expect(201);
        let thief = camp.unconfirmed_parent("Thief", "chaya@family.example").await;
        assert_eq!(thief.get("/api/session").await.json()["user"]["family"], false);
        let seen = thief.get("/api/profile").await.json();
        assert_eq!(seen["full_name"], "Thief");
        assert_eq!(seen["email"], "chaya@family.example");
        // Whoever receives mail at that address belongs to the family.
        let link = camp.mails_to("chaya@family.example");
        drop(link);
        camp.work().await;
        let confirm = camp.mails_to("chaya@family.example").into_iter().find(|mail| mail.subject.contains("confirm")).expect("a mail");
        let linked = thief.post("/api/auth/verify", json!({ "token": token(&confirm) })).await.expect(200).json();
        assert_eq!(linked["linked"], true);
        assert_eq!(thief.get("/api/profile").await.json()["email"], "chaya@family.example");
    }
}

story! {
    async fn a_second_guardian_confirms_the_secondary_address_joins_by_it_and_the_first_is_told(camp) {
        let mother = camp.parent("Chaya Lindenfeld", "chaya@family.example").await;
        let saved = mother.patch("/api/profile", json!({ "secondary_email": "tatty@family.example" })).await.expect(200).json();
        assert_eq!(saved["secondary_email"], "tatty@family.example");
        assert_eq!(saved["secondary_email_verified"], false);
        let father = camp.browser();
        let ask = camp.token_for("tatty@family.example").await;
        father.post("/api/auth/verify", json!({ "token": ask })).await.expect(200);
        assert_eq!(mother.get("/api/profile").await.json()["secondary_email_verified"], true);
        father.post("/api/auth/sign-up", sign_up("Moshe Lindenfeld", "tatty@family.example")).await.expect(201);
        assert_eq!(father.get("/api/profile").await.json()["email"], "tatty@family.example", "not linked before the login is proved");
        let proved = father.post("/api/auth/verify", json!({ "token": confirmation(&camp, "tatty@family.example").await })).await.expect(200).json();
        assert_eq!(proved["linked"], true);
        assert_eq!(father.get("/api/profile").await.json()["email"], "chaya@family.example");
        assert!(camp.mail_to("chaya@family.example").await.subject.contains("joined your family"));
    }
}

/// The token in the newest verification mail of a user.
pub async fn confirmation(camp: &Camp, email: &str) -> String {
    camp.work().await;
    let mails = camp.mails_to(email).into_iter().rev();
    let asks =
        mails.into_iter().find(|mail| mail.subject.starts_with("Please confirm your email for"));
    token(&asks.expect("a mail"))
}

story! {
    async fn of_two_racing_claims_one_wins(camp) {
        let staff = camp.staff().await;
        let new = json!({ "full_name": "Family", "email": "family@family.example", "child_name": "Yossi" });
        let family = staff.post("/api/admin/users", new).await.expect(201).json();
        let id = family["id"].as_str().expect("an id");
        let invite = copy_link(&staff, &format!("/api/admin/users/{id}")).await;
        let racers = (0..5).map(|n| {
            let browser = camp.browser();
            let mut form = sign_up("Racer", &format!("racer{n}@family.example"));
            form["invite"] = json!(invite);
            async move { browser.post("/api/auth/sign-up", form).await.status.as_u16() }
        });
        let mut statuses = join_all(racers).await;
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 410, 410, 410, 410]);
        assert_eq!(staff.get(&format!("/api/admin/users/{id}")).await.json()["logins"], 1);
    }
}

story! {
    async fn two_guardians_of_a_family_without_an_address_confirm_theirs_at_the_same_moment(camp) {
        let staff = camp.staff().await;
        for n in 0..6 {
            let table = json!({ "csv": format!("name,child\nFamily {n},Yossi\n") });
            staff.post("/api/admin/users/import", table).await.expect(200);
            let found = staff.get(&format!("/api/admin/users?q=Family%20{n}")).await.json();
            let family = format!("/api/admin/users/{}", found["items"][0]["id"].as_str().expect("an id"));
            let mut claims = Vec::new();
            for who in ["chaya", "moshe"] {
                let email = format!("{who}{n}@family.example");
                let mut form = sign_up("Guardian", &email);
                form["invite"] = json!(copy_link(&staff, &family).await);
                let browser = camp.browser_at(&format!("198.51.100.{n}"));
                browser.post("/api/auth/sign-up", form).await.expect(201);
                let token = confirmation(&camp, &email).await;
                claims.push(async move { browser.post("/api/auth/verify", json!({ "token": token })).await.expect(200) });
            }
            join_all(claims).await;
            let family = staff.get(&family).await.expect(200).json();
            let mut emails = [family["email"].as_str().expect("a first"), family["secondary_email"].as_str().expect("a second")];
            emails.sort_unstable();
            assert_eq!(emails, [format!("chaya{n}@family.example"), format!("moshe{n}@family.example")]);
        }
    }
}

story! {
    async fn a_family_that_is_deleted_while_somebody_joins_it_locks_nobody_out(camp) {
        let (staff, beside) = (camp.staff().await, camp.beside().await);
        for n in 0..20 {
            let email = format!("chaya{n}@family.example");
            let new = json!({ "full_name": "Family", "email": email, "child_name": "Yossi" });
            let family = staff.post("/api/admin/users", new).await.expect(201).json();
            let path = format!("/api/admin/users/{}", family["id"].as_str().expect("an id"));
            let chaya = camp.browser_at(&format!("198.51.100.{n}"));
            chaya.post("/api/auth/sign-up", sign_up("Chaya", &email)).await.expect(201);
            let token = confirmation(&camp, &email).await;
            let (_, deleted) = tokio::join!(chaya.post("/api/auth/verify", json!({ "token": token })), staff.delete(&path));
            deleted.expect(204);
            // Either she joined first and was deleted with the family, or she has a record of her
            // own.
            if beside.of(&chaya).get("/api/profile").await.status != 200 {
                beside.of(&chaya).post("/api/auth/sign-up", sign_up("Chaya", &email)).await.expect(201);
            }
        }
    }
}

story! {
    async fn a_family_that_is_deleted_while_an_invitation_to_it_is_accepted_locks_nobody_out(camp) {
        let staff = camp.staff().await;
        let new = json!({ "full_name": "Family", "email": "chaya@family.example", "child_name": "Yossi" });
        let family = staff.post("/api/admin/users", new).await.expect(201).json();
        let path = format!("/api/admin/users/{}", family["id"].as_str().expect("an id"));
        let invited = async |email: &str| {
            let mut form = sign_up("Guardian", email);
            form["invite"] = json!(copy_link(&staff, &path).await);
            form
        };
        camp.browser().post("/api/auth/sign-up", invited("moshe@family.example").await).await.expect(201);
        let (bubby, form) = (camp.browser(), invited("bubby@family.example").await);
        let accept = async { bubby.post("/api/auth/sign-up", form).await };
        let [deleted, accepted] = in_turn(&camp, vec![staff.delete(&path).boxed()], vec![accept.boxed()]).await;
        assert_eq!(deleted[0].status, 204);
        assert!(matches!(accepted[0].status.as_u16(), 201 | 410), "{}", accepted[0].text());
        if bubby.get("/api/profile").await.status != 200 {
            let again = camp.browser();
            again.post("/api/auth/sign-up", sign_up("Guardian", "bubby@family.example")).await.expect(201);
        }
    }
}

/// Makes both groups wait for families, with the first group ahead, and then lets them continue.
async fn in_turn<'a>(
    camp: &Camp,
    first: Vec<BoxFuture<'a, Reply>>,
    second: Vec<BoxFuture<'a, Reply>>,
) -> [Vec<Reply>; 2] {
    let held = match &camp.app.db {
        Db::Postgres(pool) => {
            let mut held = pool.begin().await.expect("a transaction");
            let all = sqlx::query("select id from profiles for no key update");
            all.fetch_all(&mut *held).await.expect("locked");
            held
        }
        // SQLite runs them one at a time, so nobody waits for a row.
        Db::Sqlite { .. } => return [join_all(first).await, join_all(second).await],
    };
    let (in_front, all) = (first.len() as i64, (first.len() + second.len()) as i64);
    let second = async {
        camp.until_waiting(in_front).await;
        join_all(second).await
    };
    let release = async {
        camp.until_waiting(all).await;
        drop(held);
    };
    let (first, second, ()) = tokio::join!(join_all(first), second, release);
    [first, second]
}

story! {
    async fn members_whose_family_is_deleted_meanwhile_are_not_told_that_the_portal_is_busy(camp) {
        let staff = camp.staff().await;
        let mut members = Vec::new();
        let mut families = Vec::new();
        for n in 0..4 {
            let (member, email) = (camp.browser(), format!("chaya{n}@family.example"));
            member.post("/api/auth/sign-up", sign_up("Chaya", &email)).await.expect(201);
            let found = staff.get(&format!("/api/admin/users?q={email}")).await.expect(200).json();
            families.push(format!("/api/admin/users/{}", found["items"][0]["id"].as_str().expect("an id")));
            let own = confirmation(&camp, &email).await;
            members.push((member, own));
        }
        let second = json!({ "secondary_email": "zaidy@family.example" });
        let (last, own) = &members[3];
        last.post("/api/auth/verify", json!({ "token": own })).await.expect(200);
        last.patch("/api/profile", second).await.expect(200);
        let zaidy = camp.token_for("zaidy@family.example").await;
        let (confirming, own) = &members[0];
        let happening = vec![
            async { confirming.post("/api/auth/verify", json!({ "token": own })).await }.boxed(),
            async { members[1].0.post("/api/auth/delete-account", json!({ "current_password": PASSWORD })).await }.boxed(),
            async { members[2].0.patch("/api/profile", json!({ "full_name": "Chaya Lindenfeld" })).await }.boxed(),
            async { camp.browser().post("/api/auth/verify", json!({ "token": zaidy })).await }.boxed(),
        ];
        let deletions = families.iter().map(|path| staff.delete(path).boxed()).collect();
        let [deleted, rest] = in_turn(&camp, deletions, happening).await;
        assert_eq!(deleted.iter().filter(|reply| reply.status == 204).count(), 4);
        for reply in rest {
            assert!(!reply.status.is_server_error(), "{}", reply.text());
        }
    }
}

story! {
    async fn an_address_that_staff_take_from_a_family_at_that_moment_links_nobody_to_it(camp) {
        let staff = camp.staff().await;
        let new = json!({ "full_name": "Family", "email": "typo@family.example", "child_name": "Yossi" });
        let family = staff.post("/api/admin/users", new).await.expect(201).json();
        let path = format!("/api/admin/users/{}", family["id"].as_str().expect("an id"));
        let stranger = camp.browser();
        stranger.post("/api/auth/sign-up", sign_up("Stranger", "typo@family.example")).await.expect(201);
        let token = confirmation(&camp, "typo@family.example").await;
        let corrected = json!({ "email": "chaya@family.example", "version": family["version"] });
        let correct = async { staff.patch(&path, corrected).await };
        let confirm = async { stranger.post("/api/auth/verify", json!({ "token": token })).await };
        let [corrected, confirmed] = in_turn(&camp, vec![correct.boxed()], vec![confirm.boxed()]).await;
        assert_eq!((corrected[0].status.as_u16(), confirmed[0].status.as_u16()), (200, 200));
        assert_eq!(confirmed[0].json()["linked"], false);
        assert_eq!(stranger.get("/api/profile").await.expect(200).json()["child_name"], "Yossi");
        assert_eq!(staff.get(&path).await.json()["logins"], 0);
    }
}

story! {
    async fn closed_registrations_still_let_the_invited_in(camp) {
        let staff = camp.staff().await;
        camp.set("userRegistrations", false).await;
        let stranger = camp.browser().post("/api/auth/sign-up", sign_up("Stranger", "stranger@family.example")).await;
        stranger.refused(403, "registrations_closed");
        let new = json!({ "full_name": "Family", "email": "family@family.example", "child_name": "Yossi" });
        staff.post("/api/admin/users", new).await.expect(201);
        let mut form = sign_up("Family", "family@family.example");
        form["invite"] = json!(camp.token_for("family@family.example").await);
        camp.browser().post("/api/auth/sign-up", form).await.expect(201);
    }
}

story! {
    async fn staff_approve_or_refuse_whoever_registered_and_they_are_told(camp) {
        camp.set("access", "families").await;
        let staff = camp.staff().await;
        let parent = camp.parent("Chaya", "chaya@family.example").await;
        assert_eq!(parent.get("/api/session").await.json()["user"]["awaiting_approval"], true);
        let waiting = staff.get("/api/admin/users?filter=to_approve").await.expect(200).json();
        let id = waiting["items"][0]["id"].as_str().expect("an id").to_owned();
        staff.post(&format!("/api/admin/users/{id}/approve"), json!({})).await.expect(200);
        staff.post(&format!("/api/admin/users/{id}/approve"), json!({})).await.expect(200);
        assert_eq!(parent.get("/api/session").await.json()["user"]["family"], true);
        camp.work().await;
        let told = camp.mails_to("chaya@family.example").into_iter().filter(|m| m.subject.starts_with("Welcome")).count();
        assert_eq!(told, 1);
        staff.post(&format!("/api/admin/users/{id}/refuse"), json!({})).await.expect(200);
        assert_eq!(parent.get("/api/session").await.json()["user"]["family"], false);
        assert!(camp.mail_to("chaya@family.example").await.subject.starts_with("Your registration"));
    }
}

story! {
    async fn a_visitor_is_promised_no_approval_and_staff_may_give_it(camp) {
        camp.set("access", "families").await;
        let staff = camp.staff().await;
        let visitor = camp.browser();
        let mut form = sign_up("Bubby", "bubby@family.example");
        form["user_type"] = json!("visitor");
        visitor.post("/api/auth/sign-up", form).await.expect(201);
        let token = confirmation(&camp, "bubby@family.example").await;
        visitor.post("/api/auth/verify", json!({ "token": token })).await.expect(200);
        assert_eq!(visitor.get("/api/session").await.json()["user"]["awaiting_approval"], false);
        for _ in 0..2 {
            visitor.get("/api/live-updates").await.refused(403, "families_only");
        }
        assert_eq!(staff.get("/api/admin/users?filter=to_approve").await.json()["items"], json!([]));
        let found = staff.get("/api/admin/users?q=bubby").await.json();
        let path = format!("/api/admin/users/{}", found["items"][0]["id"].as_str().expect("an id"));
        assert_eq!(staff.post(&format!("{path}/approve"), json!({})).await.expect(200).json()["told"], "by_mail");
        assert_eq!(visitor.get("/api/session").await.json()["user"]["family"], true);
    }
}

/// Whether a family is approved, and whether it is refused.
fn decided(answer: &Value) -> [bool; 2] {
    [answer["approved_at"].is_string(), answer["refused_at"].is_string()]
}

story! {
    async fn of_two_who_decide_from_old_lists_the_second_is_told_of_the_first(camp) {
        let (staff, owner) = (camp.staff().await, camp.owner().await);
        camp.parent("Chaya", "chaya@family.example").await;
        let waiting = staff.get("/api/admin/users?filter=to_approve").await.expect(200).json();
        let path = format!("/api/admin/users/{}", waiting["items"][0]["id"].as_str().expect("an id"));
        let say = async |who: &Browser, decision: &str, seen: &str| {
            who.post(&format!("{path}/{decision}?seen={seen}"), json!({})).await
        };
        let refused = say(&owner, "refuse", "waiting").await.expect(200).json();
        assert_eq!(decided(&refused), [false, true]);
        assert_eq!(refused["told"], "by_mail");
        let late = say(&staff, "approve", "waiting").await.refused(409, "refused");
        assert_eq!(late["detail"], "kornbluh already refused this registration.");
        let same = say(&staff, "refuse", "waiting").await.expect(200).json();
        assert_eq!(decided(&same), [false, true]);
        assert_eq!(same["told"], "before");
        // A person who has seen the first decision changes it.
        let approved = say(&staff, "approve", "refused").await.expect(200).json();
        assert_eq!(decided(&approved), [true, false]);
        assert_eq!(approved["told"], "by_mail");
        let late = say(&owner, "refuse", "waiting").await.refused(409, "approved");
        assert_eq!(late["detail"], "feder already approved this registration.");
        camp.work().await;
        let subjects: Vec<String> = camp.mails_to("chaya@family.example").into_iter().map(|mail| mail.subject).collect();
        let told = |start: &str| subjects.iter().filter(|subject| subject.starts_with(start)).count();
        assert_eq!(told("Your registration"), 1, "{subjects:?}");
        assert_eq!(told("Welcome"), 1, "{subjects:?}");
        say(&staff, "approve", "maybe").await.refused(400, "bad_request");
    }
}

story! {
    async fn of_two_decisions_at_one_moment_one_counts(camp) {
        let (staff, owner) = (camp.staff().await, camp.owner().await);
        camp.parent("Chaya", "chaya@family.example").await;
        let waiting = staff.get("/api/admin/users?filter=to_approve").await.expect(200).json();
        let path = format!("/api/admin/users/{}", waiting["items"][0]["id"].as_str().expect("an id"));
        let (approve, refuse) = (format!("{path}/approve?seen=waiting"), format!("{path}/refuse?seen=waiting"));
        let (one, two) = tokio::join!(staff.post(&approve, json!({})), owner.post(&refuse, json!({})));
        let mut statuses = [one.status.as_u16(), two.status.as_u16()];
        statuses.sort();
        assert_eq!(statuses, [200, 409]);
    }
}

story! {
    async fn whoever_has_not_confirmed_an_address_is_not_approved_nor_said_to_be_told(camp) {
        let staff = camp.staff().await;
        camp.unconfirmed_parent("Chaya", "chaya@family.example").await;
        camp.work().await;
        let before = camp.mails_to("chaya@family.example").len();
        let waiting = staff.get("/api/admin/users?filter=to_approve").await.expect(200).json();
        let id = waiting["items"][0]["id"].as_str().expect("an id").to_owned();
        let problem = staff.post(&format!("/api/admin/users/{id}/approve?seen=waiting"), json!({})).await.refused(409, "conflict");
        assert!(problem["detail"].as_str().expect("a text").contains("This person has not confirmed their email yet"), "{problem}");
        let refused = staff.post(&format!("/api/admin/users/{id}/refuse?seen=waiting"), json!({})).await.expect(200).json();
        assert_eq!(decided(&refused), [false, true]);
        assert_eq!(refused["told"], "no_address");
        camp.work().await;
        assert_eq!(camp.mails_to("chaya@family.example").len(), before);
    }
}
