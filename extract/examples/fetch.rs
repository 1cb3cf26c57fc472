//! Fetches the weights of a local model into the cache, and says where they are.
//!
//! ```text
//! cargo run --release -p extractable --features local --example fetch -- 0.5b
//! ```

use std::process::ExitCode;

#[cfg(feature = "local")]
fn main() -> ExitCode {
    use extract::agent::local::{Model, fetch};

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

#[cfg(not(feature = "local"))]
fn main() -> ExitCode {
    eprintln!("add `--features local`");
    ExitCode::FAILURE
}
