//! Staff accounts, managed from the command line.

use portal::accounts::{ClientInfo, staff};
use portal::device::Device;
use portal::{App, Error};

use crate::camp::Camp;
use crate::on_both_engines;

fn add(camp: &Camp, name: &str, role: &str) -> crate::camp::Said {
    let email = format!("{name}@camp.example");
    camp.run_with(
        &["admin", "add", name, "--email", &email, "--role", role],
        "lantern over the lake\n",
    )
}

async fn try_to_sign_in(app: &App, password: &str) -> Result<(), Error> {
    let from = ClientInfo {
        address: std::net::Ipv4Addr::new(198, 51, 100, 20).into(),
        device: Device::Computer,
        user_browser: None,
        staff_browser: None,
    };
    staff::sign_in(app, "miriam", password, None, from).await.map(drop)
}

on_both_engines! {
    async fn the_first_owner_is_added_with_a_password_from_standard_input(camp: Camp) {
        let said = add(&camp, "miriam", "owner");
        assert_eq!(said.code, 0, "{said:?}");
        assert_eq!(said.out.trim(), "miriam can sign in as owner.", "{said:?}");
        let list = camp.run(&["admin", "list", "--json"]);
        assert!(list.out.contains("\"username\": \"miriam\"") && list.out.contains("\"role\": \"owner\""));
        assert!(!list.out.contains("argon2") && !list.out.contains("lantern"), "no password in any form");
        assert!(camp.run(&["admin", "list"]).out.contains("miriam@camp.example"));
    }

    async fn a_bad_account_is_refused_with_a_sentence(camp: Camp) {
        let short = camp.run_with(&["admin", "add", "miriam", "--email", "m@camp.example"], "short\n");
        assert_eq!(short.code, 3);
        assert!(short.err.contains("at least 8 characters"), "{}", short.err);
        let none = camp.run(&["admin", "add", "miriam", "--email", "m@camp.example"]);
        assert_eq!(none.code, 3);
        assert!(none.err.contains("standard input"), "{}", none.err);
        let email = camp.run_with(&["admin", "add", "miriam", "--email", "camp"], "lantern over the lake\n");
        assert!(email.code == 3 && email.err.contains("valid email"), "{}", email.err);
        let role = camp.run(&["admin", "add", "miriam", "--email", "m@camp.example", "--role", "king"]);
        assert!(role.code == 2 && role.err.contains("owner or staff"), "{}", role.err);
        assert_eq!(add(&camp, "miriam", "owner").code, 0);
        let again = add(&camp, "MIRIAM", "staff");
        assert!(again.code == 3 && again.err.contains("Username already exists"), "{}", again.err);
    }

    async fn the_last_owner_stays(camp: Camp) {
        add(&camp, "miriam", "owner");
        add(&camp, "dov", "staff");
        let (deleted, kept) = ("Cannot delete the last admin account", "the last owner who can sign in");
        for (last, sentence) in [
            (&["admin", "disable", "miriam"][..], kept),
            (&["admin", "remove", "miriam"], deleted),
            (&["admin", "role", "miriam", "staff"], kept),
        ] {
            let said = camp.run(last);
            assert_eq!(said.code, 3, "{last:?}");
            assert!(said.err.contains(sentence), "{}", said.err);
        }
        assert_eq!(camp.run(&["admin", "role", "dov", "owner"]).code, 0);
        assert_eq!(camp.run(&["admin", "disable", "Miriam"]).out.trim(), "miriam can no longer sign in.");
        assert!(camp.run(&["admin", "list"]).out.contains("disabled"));
        assert_eq!(camp.run(&["admin", "enable", "miriam"]).code, 0);
        assert_eq!(camp.run(&["admin", "remove", "miriam"]).code, 0);
        assert!(!camp.run(&["admin", "list"]).out.contains("miriam"));
    }

    async fn an_account_that_is_enabled_need_not_wait_after_failed_sign_ins(camp: Camp) {
        assert_eq!(add(&camp, "miriam", "owner").code, 0);
        let app = camp.app().await;
        for _ in 0..5 {
            let tried = try_to_sign_in(&app, "not the password").await;
            assert!(matches!(tried, Err(Error::InvalidCredentials(_))), "{tried:?}");
        }
        let tried = try_to_sign_in(&app, "lantern over the lake").await;
        assert!(matches!(tried, Err(Error::TooMany { .. })), "{tried:?}");
        let said = camp.run(&["admin", "enable", "Miriam"]);
        assert_eq!(said.out.trim(), "miriam can sign in again.", "{said:?}");
        try_to_sign_in(&app, "lantern over the lake").await.expect("no delay");
        app.db.close().await;
    }

    async fn an_account_gets_a_new_password_and_loses_its_second_factor(camp: Camp) {
        add(&camp, "miriam", "owner");
        let said = camp.run_with(&["admin", "passwd", "miriam"], "another good sentence\n");
        assert_eq!(said.code, 0, "{said:?}");
        assert_eq!(said.out.trim(), "miriam has a new password.", "{said:?}");
        let nobody = camp.run_with(&["admin", "passwd", "nobody"], "another good sentence\n");
        assert!(nobody.code == 3 && nobody.err.contains("camp admin list"), "{}", nobody.err);
        assert_eq!(camp.run(&["admin", "reset-two-factor", "miriam"]).code, 0);
    }
}
