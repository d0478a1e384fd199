//! Tells the linker to pack the addresses that the loader adjusts, which makes the program 2 MB smaller.

use std::env::var;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let of_target = |name| var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if of_target("OS") == "linux" && of_target("ENV") == "gnu" {
        println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}
