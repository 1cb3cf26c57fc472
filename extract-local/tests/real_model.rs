//! An end-to-end test with the real local model. It needs the weights in the cache and `--release`;
//! otherwise it prints why it is skipped. It downloads nothing.

use std::path::PathBuf;

use extract::{Extractable, testing::block_on};
use extract_local::{LocalModel, UnenforcedConstraints};
use serde::Deserialize;

const INVOICE: &str = "INVOICE INV-2041\nAcme Ltd, London\n3 x widget at 4.50 EUR each\n\
    1 x shipping at 12.00 EUR\nTotal due: 25.50 EUR";

#[derive(Debug, Deserialize, Extractable)]
struct Invoice {
    #[extract(pattern = r"^INV-\d{4}$")]
    number: String,
    #[extract(one_of = ["EUR", "USD", "GBP"])]
    currency: String,
    #[extract(length(min = 1))]
    lines: Vec<Line>,
    #[extract(range(min = 0.0))]
    total: f64,
}

#[derive(Debug, Deserialize, Extractable)]
struct Line {
    #[extract(length(min = 1))]
    description: String,
    #[extract(range(min = 1))]
    quantity: u32,
    unit_price: f64,
}

/// The smaller model if it is in the cache, else the other one.
fn model() -> Option<LocalModel> {
    if cfg!(debug_assertions) {
        eprintln!("SKIPPED: the local model is a hundred times slower without `--release`");
        return None;
    }
    let file = |size: &str| cache().join(format!("qwen2.5-coder-{size}-instruct-q4_k_m.gguf")).exists();
    let Some(name) = ["0.5b", "1.5b"].into_iter().find(|size| file(size)) else {
        eprintln!(
            "SKIPPED: no weights in {}; `cargo run --release -p extractable-local --example fetch -- 0.5b` \
             puts them there",
            cache().display()
        );
        return None;
    };
    let loosened = |unenforced: &UnenforcedConstraints| panic!("{unenforced}");
    Some(LocalModel::builder().model(name).on_unenforced(loosened).build().expect("the model loads"))
}

fn cache() -> PathBuf {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || set("HOME").unwrap_or_default().join(".cache");
    set("EXTRACT_CACHE").unwrap_or_else(|| set("XDG_CACHE_HOME").unwrap_or_else(home).join("extractable"))
}

#[test]
fn extracts_a_value_of_a_type() {
    let Some(model) = model() else { return };
    let (invoice, metrics) = block_on(Invoice::extract(&model, INVOICE)).unwrap();
    assert_eq!((invoice.number.as_str(), invoice.currency.as_str()), ("INV-2041", "EUR"));
    assert!(
        invoice.lines.iter().all(|line| !line.description.is_empty() && line.quantity > 0),
        "{invoice:?}"
    );
    assert!(invoice.lines.iter().any(|line| (line.unit_price - 4.5).abs() < 1e-9), "{invoice:?}");
    assert!(invoice.total > 0.0, "{invoice:?}");
    assert!(!metrics.usage.is_estimated, "the model counts its tokens");
    assert!(metrics.usage.input_tokens > 50 && metrics.usage.output_tokens > 30, "{metrics}");

    // The second text has the same contract; nothing of the first text may leak into it.
    let (again, _) = block_on(Invoice::extract(&model, INVOICE.replace("2041", "7310"))).unwrap();
    assert_eq!(again.number, "INV-7310");
}
