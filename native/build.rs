//! Stamps the library with its source revision and compiler. Works without git: the revision is then "unknown".

use std::{env, process::Command};

fn main() {
    let target = env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=MOIRE_TARGET={target}");
    println!("cargo::rustc-env=MOIRE_RUSTC={}", run(&env::var("RUSTC").unwrap_or_default(), &["--version"]));
    println!("cargo::rustc-env=MOIRE_GIT={}", revision());
    for path in ["build.rs", "src", "crates", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={path}");
    }
    // A path inside .git: absent in an exported source tree, and then not worth watching.
    let head = run("git", &["rev-parse", "--git-path", "logs/HEAD"]);
    if std::path::Path::new(&head).exists() {
        println!("cargo::rerun-if-changed={head}");
    }
}

/// Short hash of the last commit that touched the engine, with "+" when its files differ from it.
fn revision() -> String {
    let hash = run("git", &["log", "-1", "--format=%h", "--", "."]);
    if hash.is_empty() {
        return "unknown".to_owned();
    }
    let changed = run("git", &["status", "--porcelain", "--", "src", "crates", "Cargo.toml", "Cargo.lock"]);
    if changed.is_empty() { hash } else { format!("{hash}+") }
}

/// First line of what a command prints; empty if it cannot run or fails.
fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().ok().filter(|o| o.status.success());
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or_default().trim().to_owned()
}
