//! Reading beside two Rust crates that mend JSON, over files that the benchmark `reading` writes.
//!
//! ```text
//! mkdir replies
//! cargo bench -p extractable --bench reading -- --write "$PWD/replies"
//! cargo run --release --manifest-path extract/benches/reading_peers/Cargo.toml -- replies
//! python extract/benches/reading_peers/peers.py replies     # json_repair and baml-py from PyPI
//! ```
//!
//! Prints nanoseconds per byte, the best of seven, and `wrong` where the value read is not the one that was printed. The
//! others know no schema: what needs one is wrong for them by nature.

use std::{hint::black_box, time::Instant};

use extract::Contract;
use serde_json::Value;

type Reader = Box<dyn Fn(&str) -> Option<Value>>;

fn main() {
    let folder = std::env::args().nth(1).expect("the folder with replies is named");
    let mut files: Vec<_> =
        std::fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").path()).collect();
    files.sort();
    let schema = std::fs::read_to_string(format!("{folder}/schema.json")).expect("the schema");
    let contract = Contract::from_schema(serde_json::from_str(&schema).expect("JSON")).expect("a schema");
    let peers: [(&str, Reader); 3] = [
        ("extract", Box::new(move |text| contract.read(text).value)),
        ("jsonrepair", Box::new(|text| jsonrepair::loads(text, &jsonrepair::Options::default()).ok())),
        ("llm_json", Box::new(|text| llm_json::loads(text, &llm_json::RepairOptions::default()).ok())),
    ];
    println!("{:>34} {:>18} {:>18} {:>18}", "", peers[0].0, peers[1].0, peers[2].0);
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "txt")) {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(file).expect("a text");
        let bytes = name.rsplit('_').next().expect("a size");
        let valid = std::fs::read_to_string(format!("{folder}/valid_{bytes}.txt")).expect("the valid reply");
        let valid = if name.starts_with("single") { valid.replace("\\\"", "*") } else { valid };
        let wanted: Value = serde_json::from_str(&valid).expect("JSON");
        print!("{name:>34}");
        for (_, read) in &peers {
            print!(" {:>18}", measured(read, &text, &wanted));
        }
        println!();
    }
}

#[allow(clippy::cast_precision_loss)]
fn measured(read: &Reader, text: &str, wanted: &Value) -> String {
    let started = Instant::now();
    let found = read(text);
    let first = started.elapsed();
    let times = if first.as_millis() > 100 { 1 } else { 7 };
    let best = (0..times).map(|_| {
        let started = Instant::now();
        drop(black_box(read(black_box(text))));
        started.elapsed()
    });
    let best = best.min().unwrap_or(first).as_secs_f64() * 1e9 / text.len() as f64;
    format!("{best:.1}{}", if found.as_ref() == Some(wanted) { "" } else { " wrong" })
}
