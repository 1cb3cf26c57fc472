//! Types in the dialects of providers, and prompts with more than text.

mod derived;
mod judged;
mod sampler;
mod schemas;

use std::collections::BTreeMap;

use extract::{
    Contract, Extractable, ExtractionError, TokenUsage,
    agent::{AgentErrorKind, Conversation, Part, Reply, Role},
    schema::dialect::Dialect,
    testing::{ScriptedAgent, block_on},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
struct Invoice {
    #[extract(pattern = r"^INV-\d{4}$", example = "INV-2041")]
    number: String,
    #[serde(default)]
    #[extract(length(min = 1))]
    currency: Option<String>,
    /// Not nullable in the schema, only absent.
    #[serde(default)]
    remark: String,
    #[serde(alias = "positions")]
    lines: Vec<Line>,
    paid: Payment,
    #[serde(flatten)]
    source: Source,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
struct Line {
    name: String,
    #[extract(range(min = 1))]
    count: u32,
    size: (f64, f64),
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
#[serde(tag = "by", rename_all = "snake_case")]
enum Payment {
    Cash,
    Card(Card),
    Transfer { iban: String },
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
struct Card {
    last_digits: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, Extractable)]
struct Source {
    page: u8,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Folder {
    name: String,
    folders: Vec<Folder>,
}

#[derive(Debug, Serialize, Deserialize, Extractable)]
struct Prices {
    of: BTreeMap<String, f64>,
}

fn schema<T: Extractable>() -> Value {
    Contract::of::<T>().unwrap().schema().clone()
}

fn invoice() -> Value {
    json!({
        "number": "INV-2041",
        "currency": null,
        "remark": null,
        "lines": [{"name": "Paper", "count": 3, "size": [210.0, 297.0]}],
        "paid": {"by": "card", "last_digits": "1234"},
        "page": 2,
    })
}

#[test]
fn every_dialect_can_say_an_invoice_and_lists_the_rest() {
    let keywords = |dialect: Dialect| {
        let projection = dialect.project(&schema::<Invoice>()).unwrap();
        let mut value = invoice();
        if !matches!(dialect, Dialect::OpenAi | Dialect::Ollama) {
            value.as_object_mut().unwrap().shift_remove("remark");
        }
        assert!(jsonschema::is_valid(&projection.schema, &value), "{dialect}: {}", projection.schema);
        let mut keywords: Vec<_> = projection.unenforced.into_iter().map(|left| left.keyword).collect();
        keywords.sort();
        keywords.dedup();
        keywords
    };
    assert_eq!(keywords(Dialect::OpenAi), ["deprecated", "minLength"]);
    assert_eq!(
        keywords(Dialect::Anthropic),
        ["deprecated", "maxItems", "maximum", "minItems", "minLength", "minimum"]
    );
    assert_eq!(keywords(Dialect::Gemini), ["deprecated", "minLength", "pattern"]);
    assert_eq!(keywords(Dialect::Ollama), ["deprecated"]);
}

#[test]
fn null_for_an_absent_field_that_takes_no_null_is_absent() {
    let agent = ScriptedAgent::new([invoice().to_string()]);
    let (invoice, metrics) = block_on(Invoice::extract(&agent, "…")).unwrap();
    assert_eq!((invoice.remark.as_str(), invoice.currency, metrics.attempts), ("", None, 1));
}

#[test]
fn says_which_dialects_have_no_words_for_a_type() {
    let without_words = |schema: Value| {
        let of = |dialect: Dialect| Some(format!("{dialect}: {}", dialect.project(&schema).err()?));
        Dialect::ALL.into_iter().filter_map(of).collect::<Vec<_>>()
    };
    assert_eq!(
        without_words(schema::<Folder>()),
        ["Anthropic: $: `root` contains itself", "Gemini: $: `root` requires itself"]
    );
    let maps = "$.properties.of: a map with free keys";
    assert_eq!(without_words(schema::<Prices>()), [format!("OpenAI: {maps}"), format!("Anthropic: {maps}")]);
}

#[test]
fn notes_of_an_agent_are_in_the_record_and_in_the_metrics() {
    let note = "the schema stands in the prompt";
    let agent = ScriptedAgent::new([Reply::new("three").with_note(note), Reply::new("3").with_note(note)]);
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let (_, metrics) = block_on(contract.extract(&agent, "How many?")).unwrap();
    assert!(metrics.per_attempt.iter().all(|attempt| attempt.notes == [note]) && metrics.attempts == 2);

    let agent = ScriptedAgent::new([Reply::new("three").with_note(note)]);
    let error = block_on(contract.extract(&agent, "How many?").max_attempts(1)).unwrap_err();
    assert_eq!(error.history()[0].notes, [note]);
}

#[test]
fn cached_tokens_are_added_up() {
    let usage = |cached| TokenUsage::new(100, 5).cached(cached);
    let agent =
        ScriptedAgent::new([Reply::new("x").with_usage(usage(0)), Reply::new("3").with_usage(usage(64))]);
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let (_, metrics) = block_on(contract.extract(&agent, "How many?")).unwrap();
    assert_eq!(metrics.usage.to_string(), "200 tokens in (64 cached), 10 out (reported)");
}

#[test]
fn a_prompt_is_a_text_or_parts_in_their_order() {
    let image = Part::image(vec![1, 2, 3], "image/png");
    let agent = ScriptedAgent::new(["3", "3"]);
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    block_on(contract.extract(&agent, String::from("How many?"))).unwrap();
    let prompt = [Part::text("How many on this?"), image.clone(), Part::text("Count twice.")];
    block_on(contract.extract(&agent, prompt.clone())).unwrap();

    let requests = agent.requests();
    let asked = |index: usize| requests[index].conversation.turns()[1].clone();
    assert_eq!((asked(0).text(), asked(0).parts().len()), ("How many?", 1));
    assert_eq!(*asked(1).parts(), prompt);
    assert_eq!(asked(1).text(), format!("How many on this?\n\n{image}\n\nCount twice."));
}

#[test]
fn an_agent_that_takes_text_only_is_not_asked_and_the_part_is_named() {
    let agent = async |_: String| -> Result<String, std::io::Error> { unreachable!("it takes no images") };
    let prompt = [Part::text("What is this?"), Part::image(vec![1], "image/png")];
    let error = block_on(String::extract(&agent, prompt)).unwrap_err();
    let ExtractionError::Agent { source, .. } = &error else { panic!("{error}") };
    let metrics = error.metrics();
    assert_eq!((source.kind(), metrics.transport_retries), (AgentErrorKind::Refused, 0));
    assert!(
        error.to_string().contains("takes text only; part 2 of the user turn is [image/png, 1 byte, "),
        "{error}"
    );
}

#[test]
fn conversations_are_written_readably_and_read_back() {
    let conversation = Conversation::new()
        .with(Role::System, "Answer in JSON.")
        .with_parts(Role::User, [Part::text("What is this?"), Part::image(vec![1, 2, 3], "image/png")]);
    let written = json!({"turns": [
        {"role": "system", "text": "Answer in JSON."},
        {"role": "user", "parts": [{"text": "What is this?"}, {"media_type": "image/png", "base64": "AQID"}]},
    ]});
    assert_eq!(serde_json::to_value(&conversation).unwrap(), written);
    assert_eq!(serde_json::from_value::<Conversation>(written).unwrap(), conversation);
    assert!(
        !format!("{conversation:?}").contains("AQID") && !format!("{conversation:?}").contains("[1, 2, 3]")
    );
}
