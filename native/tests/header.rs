//! `moire.h` as others see it: strict C99, the exported symbols of the library exactly, and a C program that runs against it.

use object::Object;
use std::{
    collections::BTreeSet,
    env,
    path::{Path, PathBuf},
    process::Command,
};

const HEADER: &str = include_str!("../include/moire.h");

/// The cdylib that cargo built beside this test.
fn library() -> PathBuf {
    let exe = env::current_exe().expect("known");
    let folder = exe.parent().expect("in a folder");
    let name = format!("{}moire{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    let path = folder.join(name);
    assert!(path.exists(), "no library at {}", path.display());
    path
}

/// Functions of the header: `moire_` names before a parenthesis outside comments.
fn declared() -> BTreeSet<String> {
    let mut code = String::new();
    for part in HEADER.split("/*") {
        code.push_str(part.split_once("*/").map_or(part, |(_, after)| after));
    }
    let names = code.split('(').filter_map(|before| {
        let name = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
        name.starts_with("moire_").then(|| name.to_owned())
    });
    names.collect()
}

#[test]
fn the_library_exports_what_the_header_declares_and_nothing_else() {
    let bytes = std::fs::read(library()).expect("readable");
    let file = object::File::parse(&*bytes).expect("an object file");
    let mut names = BTreeSet::new();
    for export in file.exports().expect("an export table") {
        let export = export.expect("a valid export");
        let object::NameOrOrdinal::Name(name) = export.name() else { panic!("an export without a name") };
        names.insert(String::from_utf8_lossy(name).trim_start_matches('_').to_owned());
    }
    assert_eq!(names, declared());
    assert_eq!(names.len(), 13);
}

/// A C compiler in the GNU style. Rust needs one to link on these systems, so there is one.
#[cfg(unix)]
fn compile(arguments: &[&str], output: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let result = Command::new("cc")
        .current_dir(root)
        .args(["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-Iinclude", "ctest/header.c"])
        .args(arguments)
        .arg("-o")
        .arg(output)
        .output()
        .expect("cc runs");
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
}

#[cfg(unix)]
#[test]
fn a_c_program_links_and_runs() {
    let library = library();
    let folder = library.parent().expect("in a folder").to_str().expect("UTF-8").to_owned();
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("header-test");
    compile(&[&format!("-L{folder}"), "-lmoire", &format!("-Wl,-rpath,{folder}")], &program);
    let result = Command::new(&program).output().expect("runs");
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stderr));
    assert_eq!(result.stdout, b"ok\n");
    assert!(result.stderr.is_empty(), "the library prints nothing");
}
