//! The front end is part of the program: a debug build reads web/dist when it runs, but only if the
//! folder was there when it was compiled; a release build holds what was in it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    std::fs::create_dir_all("../web/dist").ok();
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        println!("cargo::rerun-if-changed=../web/dist");
    }
}
