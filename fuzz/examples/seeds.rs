//! Writes initial corpora: the replies of other projects' test suites, and inputs that were harmful
//! once.

use std::{fs, path::Path};

use extractable_fuzz::reading::CONTRACTS;
use serde_json::Value;

const SUITES: [&str; 3] = [
    include_str!("../../tests/fixtures/replies/jsonrepair_js.jsonl"),
    include_str!("../../tests/fixtures/replies/vercel_fix_json.jsonl"),
    include_str!("../../tests/fixtures/replies/partialjson_py.jsonl"),
];

/// Replies that took too much memory, or were mistaken for an answer.
const HARMFUL: [&str; 22] = [
    "{]{]{]{]{]{]{]{]",
    "<think>{\"id\": 1}\nLet me check",
    "{\"id\": 1}\n\nChecking it: the decision is wron",
    "I would write {} but the age is",
    "I'm sorry, I cannot do that. {}",
    "Use {\"id\": \"...\", \"kind\": 0} as format",
    "a wrong answer would be {\"id\": 99}",
    "no numbers [1]",
    "- [x] done\n- [ ] not done",
    "1\n2\n3",
    "{\"id\": 1}\n{\"id\": 2}",
    "\"1.000\"",
    "\"192.168.100.200\"",
    "12345678901234567890123",
    "{\\\"id\\\": 1.10, \\\"kind\\\": 007}",
    "[\"a\",1000000000000000000000000000000000000000000000000000000000000000000]",
    "\u{2212}5",
    "refund",
    "AA",
    "\"re\u{202e}fund\u{2028}\"",
    "{\"error\": \"unavailable\"}",
    "{\"type\": \"object\", \"properties\": {\"id\": {\"type\": \"integer\"}}}",
];

fn main() {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("name the folder that the corpora are written to");
        std::process::exit(2);
    };
    let raw = SUITES.iter().flat_map(|suite| suite.lines()).map(|line| {
        let fields: Value = serde_json::from_str(line).expect("a row is JSON");
        fields["raw"].as_str().expect("a row has a text").to_owned()
    });
    let replies: Vec<String> = raw.chain(HARMFUL.map(str::to_owned)).collect();
    let folder = Path::new(&folder);
    for (row, reply) in replies.iter().enumerate() {
        for contract in 0..CONTRACTS.len() {
            let first = u8::try_from(contract).expect("a few contracts");
            write(
                &folder.join("reading"),
                &format!("{row}_{contract}"),
                &[&[first], reply.as_bytes()].concat(),
            );
        }
    }
    // The other targets generate their input from bytes of any kind: some of each value, and long
    // runs of one.
    for target in ["schemas", "unions", "patches"] {
        for byte in 0..=u8::MAX {
            let mixed: Vec<u8> =
                (0..200_u8).map(|step| byte.wrapping_mul(31).wrapping_add(step.wrapping_mul(byte))).collect();
            write(&folder.join(target), &format!("run_{byte}"), &[byte; 120]);
            write(&folder.join(target), &format!("mixed_{byte}"), &mixed);
        }
    }
}

fn write(folder: &Path, name: &str, seed: &[u8]) {
    fs::create_dir_all(folder).expect("the folder can be made");
    fs::write(folder.join(name), seed).expect("the folder can be written to");
}
