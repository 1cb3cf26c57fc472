//! The real local model, end to end. Needs its weights in the cache and `--release`; says so when it
//! cannot run, and downloads nothing.

use std::{
    path::PathBuf,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

use extract::agent::{
    Agent, Conversation, FinishReason, Request, Role,
    local::{LocalModel, Loosening},
};
use serde_json::{Value, json};

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "number": {"type": "string", "pattern": r"^INV-\d{4}$"},
            "currency": {"enum": ["EUR", "USD", "GBP"]},
            "lines": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "description": {"type": "string"},
                        "quantity": {"type": "integer", "minimum": 1},
                        "price": {"type": "number"},
                    },
                    "required": ["description", "quantity", "price"],
                    "additionalProperties": false,
                },
            },
            "total": {"type": "number"},
        },
        "required": ["number", "currency", "lines", "total"],
        "additionalProperties": false,
    })
}

const INVOICE: &str = "INVOICE INV-2041\nAcme Ltd, London\n3 x widget at 4.50 EUR each\n\
    1 x shipping at 12.00 EUR\nTotal due: 25.50 EUR";

fn request(text: &str) -> Request {
    let contract =
        format!("Extract the data as one JSON object for this JSON Schema. JSON only.\n{}", schema());
    let conversation = Conversation::new().with(Role::System, contract).with(Role::User, text);
    Request::new(conversation).with_schema(Arc::new(schema()))
}

/// The smaller model if it is there, else the other one.
fn model() -> Option<LocalModel> {
    if cfg!(debug_assertions) {
        eprintln!("SKIPPED: the local model is a hundred times slower without `--release`");
        return None;
    }
    let file = |size: &str| cache().join(format!("qwen2.5-coder-{size}-instruct-q4_k_m.gguf")).exists();
    let Some(name) = ["0.5b", "1.5b"].into_iter().find(|size| file(size)) else {
        eprintln!(
            "SKIPPED: no weights in {}; `extract::agent::local::fetch` puts them there",
            cache().display()
        );
        return None;
    };
    let loosened = |loosening: &Loosening| panic!("{loosening}");
    Some(LocalModel::builder().model(name).on_loosening(loosened).build().expect("the model loads"))
}

fn cache() -> PathBuf {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || set("HOME").unwrap_or_default().join(".cache");
    set("EXTRACT_CACHE").unwrap_or_else(|| set("XDG_CACHE_HOME").unwrap_or_else(home).join("extractable"))
}

#[test]
fn extracts_an_invoice_by_its_schema() {
    let Some(model) = model() else { return };
    let reply = block_on(model.respond(&request(INVOICE))).unwrap();
    assert_eq!(reply.finish_reason(), &FinishReason::Stop);
    let usage = reply.usage().unwrap();
    assert!(usage.input_tokens > 100 && usage.output_tokens > 30, "{usage:?}");
    let value: Value = serde_json::from_str(reply.text()).unwrap();
    let errors: Vec<String> = jsonschema::validator_for(&schema())
        .unwrap()
        .iter_errors(&value)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?} in {value}");
    assert_eq!((&value["number"], &value["currency"]), (&json!("INV-2041"), &json!("EUR")));

    // The second one has the contract in common with the first.
    let again = block_on(model.respond(&request(&INVOICE.replace("2041", "7310")))).unwrap();
    let again: Value = serde_json::from_str(again.text()).unwrap();
    assert_eq!(again["number"], "INV-7310");
}

fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
