//! What reading a reply costs: valid, messy and hostile ones, from 1 kB to 1 MB.
//!
//! ```text
//! cargo bench -p extractable --bench reading
//! ```
//!
//! Valid replies are measured against `serde_json::from_str::<Value>` of the same text, in turns in the same process; the
//! ratio of the speeds of each turn is taken, and the median of all turns is printed with its quartiles. All others are
//! nanoseconds per byte, which should not grow with the size.
//!
//! With `--write FOLDER` the replies are also written to files, for the program `reading` in `benches/peers/`.

mod replies;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use extract::Contract;
use serde_json::{Value, json};

use self::replies::{contract, value};

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// What models do to JSON.
fn messy(bytes: usize) -> Vec<(&'static str, String)> {
    let text = value(bytes).to_string();
    vec![
        ("fenced, with prose", format!("Sure, here it is:\n```json\n{text}\n```\nAnything else?")),
        ("single quotes", text.replace("\\\"", "*").replace('"', "'")),
        (
            "bare keys",
            ["number", "lines", "description", "quantity", "unit_price", "kind"]
                .iter()
                .fold(text.clone(), |text, key| text.replace(&format!("\"{key}\":"), &format!("{key}:"))),
        ),
        ("trailing commas", text.replace('}', ",}").replace(']', ",]")),
        ("inner quotes", text.replace("\\\"", "\"")),
        ("missing commas", text.replace(",\"", "\n\"")),
        ("numbers as text", text.replace("2.5", "\"2.5\"")),
        ("comments", text.replace("\"kind\"", "/* kind */ \"kind\"")),
    ]
}

/// What an attacker would send.
fn hostile(bytes: usize) -> Vec<(&'static str, String)> {
    let of = |text: &str| text.repeat(bytes / text.len());
    vec![
        ("opening brackets", of("[")),
        ("opening braces", of("{")),
        ("quotes", of("\"")),
        ("a list of quotes", format!("[{}", of("\""))),
        ("backslashes", format!("[\"{}", of("\\"))),
        ("nested objects", of("{\"a\":")),
        ("nested lists", of("[1,")),
        ("a million candidates", of("{} ")),
        ("brackets in prose", of("[a ")),
        ("unclosed strings", of("{\"a\": \"b, ")),
        ("commas", format!("{{\"a\": b{}", of(","))),
        ("quotes and spaces", format!("[\"{}", of("\"          a"))),
        ("unclosed comments", of("[/*")),
        ("reasoning", of("<think>")),
        ("calls", of("f({")),
        ("named arguments", of("f(a=")),
        ("unclosed calls", of("f(a=1 ")),
        ("nested strings", format!("{{\"lines\": {}}}", json!(of("[\"")))),
        ("numbers", format!("[{}", of("1 "))),
        ("ellipses", format!("[{}", of("..."))),
        ("colons", of("{a:")),
        ("line breaks", format!("[\"{}", of("\n\""))),
    ]
}

fn time(times: u32, mut work: impl FnMut()) -> Duration {
    let started = Instant::now();
    for _ in 0..times {
        work();
    }
    started.elapsed()
}

fn main() {
    let contract = contract();
    if let Some(folder) = std::env::args().skip_while(|word| word != "--write").nth(1) {
        return write(&folder);
    }
    valid(&contract);
    for (title, replies) in [("messy", messy as fn(usize) -> _), ("hostile", hostile)] {
        per_byte(title, &contract, replies);
    }
}

fn valid(contract: &Contract) {
    const TURNS: usize = 101;
    println!(
        "{:>9} {:>14} {:>14} {:>8} {:>16}   valid: serde_json over extract",
        "bytes", "serde_json", "extract", "ratio", "quartiles"
    );
    for bytes in SIZES {
        let reply = value(bytes).to_string();
        let mut floor =
            || drop(black_box(serde_json::from_str::<Value>(black_box(&reply)).expect("it is JSON")));
        let mut ours = || drop(black_box(contract.read(black_box(&reply))));
        assert!(contract.read(&reply).changes.is_empty());
        let times = u32::try_from(400_000 / bytes).expect("a small number").max(1);
        time(times, &mut floor);
        time(times, &mut ours);
        let mut turns: Vec<_> =
            (0..TURNS).map(|_| (time(times, &mut floor), time(times, &mut ours))).collect();
        let ratio = |(floor, ours): (Duration, Duration)| floor.as_secs_f64() / ours.as_secs_f64();
        turns.sort_by(|a, b| ratio(*a).total_cmp(&ratio(*b)));
        let quartile = |n: usize| ratio(turns[n * (TURNS - 1) / 4]);
        let (floor, ours) = turns[TURNS / 2];
        println!(
            "{:>9} {:>14.2?} {:>14.2?} {:>8.2} {:>16}",
            reply.len(),
            floor / times,
            ours / times,
            quartile(2),
            format!("{:.2} to {:.2}", quartile(1), quartile(3)),
        );
    }
}

fn per_byte(title: &str, contract: &Contract, replies: fn(usize) -> Vec<(&'static str, String)>) {
    println!("\n{title}, ns per byte at {SIZES:?} bytes");
    let columns: Vec<Vec<_>> = SIZES.iter().map(|bytes| replies(*bytes)).collect();
    for row in 0..columns[0].len() {
        print!("{:>22}", columns[0][row].0);
        for column in &columns {
            let reply = &column[row].1;
            let times = u32::try_from(200_000 / reply.len()).expect("a small number").max(1);
            let best = (0..7)
                .map(|_| time(times, || drop(black_box(contract.read(black_box(reply))))) / times)
                .min();
            let bytes = f64::from(u32::try_from(reply.len()).expect("a small reply"));
            print!(" {:>9.1}", best.expect("seven turns").as_secs_f64() * 1e9 / bytes);
        }
        println!();
    }
}

fn write(folder: &str) {
    std::fs::write(format!("{folder}/schema.json"), contract().schema().to_string())
        .expect("the folder exists and can be written to");
    for bytes in SIZES {
        let mut replies = messy(bytes);
        replies.push(("valid", value(bytes).to_string()));
        for (name, reply) in replies {
            let file = format!("{folder}/{}_{bytes}.txt", name.replace([' ', ','], "_"));
            std::fs::write(&file, reply).expect("the folder exists and can be written to");
        }
    }
}
