//! Fetches the weights of a local model into the cache, and prints their path.
//!
//! ```text
//! cargo run --release -p extractable-local --example fetch -- 0.5b
//! ```

use std::process::ExitCode;

use extract_local::{Model, fetch};

fn main() -> ExitCode {
    let model = std::env::args().nth(1).map_or_else(Model::default, Model::from);
    match fetch(&model) {
        Ok(path) => {
            println!("{}", path.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
