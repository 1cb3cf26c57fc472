//! How long a crate of 100 structs with 10 fields each takes to compile: with `serde::Deserialize` and this derive,
//! against `serde::Deserialize`, `schemars::JsonSchema` and `garde::Validate` for the same fields and constraints.
//!
//! `cargo bench -p extractable-derive --bench compile_time` makes both crates in the target folder, builds their
//! dependencies, and then times only the crates themselves, one after the other, several times.

use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

const STRUCTS: usize = 100;
const ROUNDS: usize = 7;

struct Contender {
    name: &'static str,
    dependencies: String,
    source: String,
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let work = env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| root.join("target"), PathBuf::from)
        .join("compile-time");
    let contenders = [ours(root), theirs()];
    for contender in &contenders {
        write(&work, contender);
        assert!(build(&work, contender.name).is_some(), "{} does not compile", contender.name);
    }
    for command in ["check", "build"] {
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..=ROUNDS {
            for (contender, times) in contenders.iter().zip(&mut times) {
                times.push(again(&work, contender.name, command));
            }
        }
        // The first round warms up.
        let [ours, theirs] = times.map(|mut times| {
            times.remove(0);
            times.sort();
            (times[0], times[times.len() / 2])
        });
        println!("cargo {command}, {STRUCTS} structs of 10 fields, {ROUNDS} rounds");
        for (contender, (best, median)) in contenders.iter().zip([ours, theirs]) {
            println!("  {:<24} best {best:>6.2?}  median {median:>6.2?}", contender.name);
        }
        let ratio = ours.1.as_secs_f64() / theirs.1.as_secs_f64();
        println!("  ratio of the medians     {ratio:.2} (goal: at most 1.0)");
    }
}

fn ours(root: &Path) -> Contender {
    let field = |constraint: &str, field: &str| format!("    #[extract({constraint})]\n    {field},\n");
    let fields = [
        field("length(min = 1, max = 80)", "pub name: String"),
        field("range(min = 1, max = 999)", "pub size: u32"),
        field("range(min = 0.0)", "pub price: f64"),
        field("length(max = 20)", "pub note: Option<String>"),
        field("length(min = 1)", "pub lines: Vec<String>"),
        field("range(max = 100)", "pub percent: Option<u8>"),
    ];
    Contender {
        name: "with-extract",
        dependencies: format!("extractable = {{ path = '{}' }}\n", root.join("extract").display()),
        source: source("serde::Deserialize, extract::Extractable", "", "", &fields.concat()),
    }
}

fn theirs() -> Contender {
    let field = |constraint: &str, field: &str| format!("    #[garde({constraint})]\n    {field},\n");
    let fields = [
        field("length(min = 1, max = 80)", "pub name: String"),
        field("range(min = 1, max = 999)", "pub size: u32"),
        field("range(min = 0.0)", "pub price: f64"),
        field("length(max = 20)", "pub note: Option<String>"),
        field("length(min = 1)", "pub lines: Vec<String>"),
        field("range(max = 100)", "pub percent: Option<u8>"),
    ];
    Contender {
        name: "with-schemars-and-garde",
        dependencies: "schemars = \"1.2\"\ngarde = { version = \"0.23\", features = [\"derive\"] }\n"
            .to_owned(),
        source: source(
            "serde::Deserialize, schemars::JsonSchema, garde::Validate",
            "    #[garde(skip)]\n",
            "    #[garde(dive)]\n",
            &fields.concat(),
        ),
    }
}

/// `skip` stands before fields without constraints, `dive` before those with something inside.
fn source(derives: &str, skip: &str, dive: &str, fields: &str) -> String {
    let mut source = String::new();
    for index in 0..STRUCTS {
        let _ =
            write!(source, "/// Order {index}.\n#[derive({derives})]\npub struct Order{index} {{\n{fields}");
        let _ = writeln!(source, "{skip}    /// Whether it is paid.\n    pub paid: bool,");
        let _ = writeln!(source, "{skip}    pub count: i64,");
        // Every struct holds the one before it, twice.
        let inner = index.checked_sub(1).map_or("u8".to_owned(), |before| format!("Order{before}"));
        let dive = if index == 0 { skip } else { dive };
        let _ = writeln!(
            source,
            "{dive}    pub inner: Option<Box<{inner}>>,\n{dive}    pub others: Vec<{inner}>,\n}}\n"
        );
    }
    source
}

fn write(work: &Path, contender: &Contender) {
    let folder = work.join(contender.name);
    fs::create_dir_all(folder.join("src")).expect("a folder in the target folder");
    let manifest = format!(
        "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\nserde = {{ version = \"1\", features = [\"derive\"] }}\n{}",
        contender.name, contender.dependencies
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("a manifest");
    fs::write(folder.join("src/lib.rs"), &contender.source).expect("a source");
}

fn build(work: &Path, name: &str) -> Option<Duration> {
    run(work, name, "check")?;
    run(work, name, "build")
}

/// Compiles the crate, and nothing else, once more.
fn again(work: &Path, name: &str, command: &str) -> Duration {
    let source = work.join(name).join("src/lib.rs");
    let text = fs::read_to_string(&source).expect("the source");
    fs::write(&source, text).expect("the source");
    run(work, name, command).expect("it compiled before")
}

fn run(work: &Path, name: &str, command: &str) -> Option<Duration> {
    let start = Instant::now();
    let status = Command::new(env!("CARGO"))
        .args([command, "--quiet", "--manifest-path"])
        .arg(work.join(name).join("Cargo.toml"))
        .arg("--target-dir")
        .arg(work.join("target"))
        .env_remove("RUSTFLAGS")
        .env("CARGO_INCREMENTAL", "0")
        .status()
        .expect("cargo runs");
    status.success().then(|| start.elapsed())
}
