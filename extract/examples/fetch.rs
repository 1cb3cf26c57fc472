//! Fetches the weights of a local model into the cache, and says where they are.
//!
//! ```text
//! cargo run --release -p extractable --features local --example fetch -- 0.5b
//! ```

#[cfg(feature = "local")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use extract::agent::local::{Model, fetch};

    let model = std::env::args().nth(1).map_or_else(Model::default, Model::from);
    println!("{}", fetch(&model)?.display());
    Ok(())
}

#[cfg(not(feature = "local"))]
fn main() {
    eprintln!("add `--features local`");
}
