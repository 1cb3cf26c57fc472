//! Nanoseconds per byte over the replies that the benchmark `reading` writes.

use std::{fs, path::Path};

use extract::Contract;
use serde_json::Value;

use crate::{
    count::Counts,
    readers::{self, Read, Reader, is_same},
};

/// The libraries from PyPI take seconds for longer ones.
const LONGEST_IN_PYTHON: usize = 150_000;

/// How much slower each of the others was on one reply; `None` where it read something else.
type Ratios = Vec<Option<f64>>;

pub(crate) fn print(folder: &Path, python: Option<&str>, counts: &Counts) {
    let schema = fs::read_to_string(folder.join("schema.json")).expect("the schema");
    let contract = Contract::from_schema(serde_json::from_str(&schema).expect("JSON")).expect("a schema");
    let mut all: Vec<(&str, Reader)> = vec![("extract", readers::extract(contract))];
    all.extend(readers::peers(python));
    if let Some(python) = python {
        all.pop();
        all.push(("baml-py", readers::in_python(python, "baml invoice")));
    }
    print!("\n{:>26}", "ns per byte");
    all.iter().for_each(|(name, _)| print!(" {name:>16}"));
    println!();
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path()).collect();
    files.sort();
    let mut ratios = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "txt")) {
        let found = row(folder, file, &all);
        if !file.file_stem().is_some_and(|name| name.to_string_lossy().starts_with("valid")) {
            ratios.push(found);
        }
    }
    print_ratios(&all, &ratios, counts);
}

/// Prints one line of the table.
fn row(folder: &Path, file: &Path, all: &[(&str, Reader)]) -> Ratios {
    let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
    let text = fs::read_to_string(file).expect("a text");
    let bytes = name.rsplit('_').next().expect("a size");
    let valid = fs::read_to_string(folder.join(format!("valid_{bytes}.txt"))).expect("the valid reply");
    let valid = if name.starts_with("single") { valid.replace("\\\"", "*") } else { valid };
    let wanted: Value = serde_json::from_str(&valid).expect("JSON");
    print!("{name:>26}");
    let mut found = Vec::new();
    for (name, read) in all {
        if matches!(*name, "json_repair.py" | "baml-py") && text.len() > LONGEST_IN_PYTHON {
            print!(" {:>16}", "");
            found.push(None);
            continue;
        }
        let read = read(&text, 7);
        let is_right = read.value.as_ref().is_some_and(|value| is_same(value, &wanted));
        print!(" {:>16}", cell(&read, text.len(), is_right));
        found.push(is_right.then_some(read.nanoseconds));
    }
    println!();
    let ours = found[0];
    found.into_iter().map(|other| Some(other? / ours?)).collect()
}

#[allow(clippy::cast_precision_loss)]
fn cell(read: &Read, bytes: usize, is_right: bool) -> String {
    let speed = read.nanoseconds / bytes as f64;
    format!("{speed:.1}{}", if is_right { "" } else { " wrong" })
}

/// How many times as long the others take on the messy replies that they read.
fn print_ratios(all: &[(&str, Reader)], ratios: &[Ratios], counts: &Counts) {
    println!(
        "\n{:>16} {:>22} {:>8} {:>18} {:>12}",
        "time over ours", "rows", "median", "range", "replies read"
    );
    let ours = counts[0].1;
    for (index, (name, _)) in all.iter().enumerate().skip(1) {
        let mut found: Vec<f64> = ratios.iter().filter_map(|row| row[index]).collect();
        found.sort_by(f64::total_cmp);
        let rows = counts.iter().find(|(other, _)| other == name).map_or(0, |(_, count)| *count);
        let label = if rows >= ours { "reads as many" } else { "reads fewer" };
        let (Some(least), Some(most)) = (found.first(), found.last()) else { continue };
        println!(
            "{name:>16} {:>22} {:>8.2} {:>18} {:>12}",
            format!("{rows} ({label})"),
            found[found.len() / 2],
            format!("{least:.2} to {most:.2}"),
            format!("{} of {}", found.len(), ratios.len()),
        );
    }
}
