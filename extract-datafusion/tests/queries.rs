//! Queries that call the function, with the calls of the agent counted.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use arrow_array::{Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use datafusion::{
    datasource::MemTable,
    prelude::{SessionConfig, SessionContext},
};
use extract::{Contract, Extractable, Extractor, agent::Agent};
use extract_bulk::{ContractBulkExt as _, Doc};
use extract_datafusion::{ExtractFunction, Job};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize, Extractable)]
#[extract(rule = is_not_thirteen)]
struct Invoice {
    number: String,
    #[extract(range(min = 0))]
    total: u32,
    lines: Vec<String>,
    note: Option<String>,
}

fn is_not_thirteen(invoice: &Invoice) -> Result<(), String> {
    if invoice.total == 13 { Err("is unlucky".to_owned()) } else { Ok(()) }
}

/// Reads `INV-7 12`, and counts how often it was asked.
fn reader(calls: &Arc<AtomicUsize>) -> impl Agent + 'static {
    let calls = Arc::clone(calls);
    move |prompt: String| {
        calls.fetch_add(1, Ordering::Relaxed);
        let text = prompt.lines().find(|line| line.starts_with("INV-")).unwrap_or_default().to_owned();
        async move {
            let (number, total) = text.split_once(' ').unwrap_or((&text, "nothing"));
            let total = total.parse::<u32>().map_or_else(|_| json!("unreadable"), |total| json!(total));
            let reply =
                json!({"number": number, "total": total, "lines": [format!("a {number}")], "note": null});
            Ok::<_, std::io::Error>(reply.to_string())
        }
    }
}

const DOCUMENTS: usize = 30;

fn text(id: usize) -> String {
    match id % 10 {
        3 => format!("INV-{id} 13"),
        4 => format!("INV-{id} x"),
        _ => format!("INV-{id} {}", id * 7 + 1),
    }
}

/// A table in two partitions of several batches, with a null at its end.
fn context(agent: impl Agent + 'static) -> SessionContext {
    let schema = Arc::new(Schema::new(vec![
        Field::new("id", DataType::Int64, false),
        Field::new("text", DataType::Utf8, true),
    ]));
    let batch = |ids: std::ops::Range<usize>, with_null: bool| {
        let mut texts: Vec<Option<String>> = ids.clone().map(|id| Some(text(id))).collect();
        let mut ids: Vec<i64> = ids.map(|id| i64::try_from(id).unwrap()).collect();
        if with_null {
            texts.push(None);
            ids.push(-1);
        }
        RecordBatch::try_new(
            schema.clone(),
            vec![Arc::new(Int64Array::from(ids)), Arc::new(StringArray::from(texts))],
        )
        .unwrap()
    };
    let partitions = vec![vec![batch(0..10, false), batch(10..15, false)], vec![batch(15..DOCUMENTS, true)]];
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(2));
    context.register_table("documents", Arc::new(MemTable::try_new(schema, partitions).unwrap())).unwrap();
    let job = Job::new(Contract::of::<Invoice>().unwrap(), agent, Extractor::new().max_attempts(1), 8);
    context.register_udf(ExtractFunction::new("extract_invoice", job).into_udf());
    context
}

/// The rows as the writer of Arrow has them, which leaves nulls out.
async fn rows(context: &SessionContext, query: &str) -> Vec<Value> {
    let batches = context.sql(query).await.unwrap().collect().await.unwrap();
    let mut writer = arrow_json::ArrayWriter::new(Vec::new());
    writer.write_batches(&batches.iter().collect::<Vec<_>>()).unwrap();
    writer.finish().unwrap();
    let written = writer.into_inner();
    if written.is_empty() { Vec::new() } else { serde_json::from_slice(&written).unwrap() }
}

#[tokio::test]
async fn three_fields_and_a_filter_ask_once_for_each_text() {
    let calls = Arc::default();
    let context = context(reader(&calls));
    let query = "SELECT id, r.value.number, r.value.total, r.status
        FROM (SELECT id, extract_invoice(text) AS r FROM documents) WHERE r.status = 'done' ORDER BY id";
    let found = rows(&context, query).await;
    assert_eq!(calls.load(Ordering::Relaxed), DOCUMENTS);
    let right: Vec<_> = (0..DOCUMENTS).filter(|id| !matches!(id % 10, 3 | 4)).collect();
    assert_eq!(found.len(), right.len());
    for (row, id) in found.iter().zip(right) {
        let values: Vec<_> = row.as_object().unwrap().values().cloned().collect();
        assert_eq!(values, [json!(id), json!(format!("INV-{id}")), json!(id * 7 + 1), json!("done")]);
    }
    // Nor does the next query.
    let query = "SELECT count(*) AS n FROM (SELECT extract_invoice(text) AS r FROM documents) WHERE r.status = 'failed'";
    let count = rows(&context, query).await;
    assert_eq!((count[0]["n"].as_u64(), calls.load(Ordering::Relaxed)), (Some(6), DOCUMENTS));
}

#[tokio::test]
async fn a_document_without_an_answer_is_a_row_that_says_why() {
    let context = context(reader(&Arc::default()));
    let query = "SELECT extract_invoice(text) AS r FROM documents WHERE id IN (-1, 3, 4) ORDER BY id";
    let found = rows(&context, query).await;
    assert_eq!(found[0].get("r"), None, "a null text is null, and asks nothing");
    let failed: Vec<_> = found[1..].iter().map(|row| row["r"].clone()).collect();
    for (row, violation) in failed.iter().zip(["[RULE] $: is unlucky", "[WRONG_TYPE] $.total: wrong type"]) {
        assert_eq!((&row["status"], row.get("value")), (&json!("failed"), None), "{row}");
        assert!(row["violations"][0].as_str().unwrap().starts_with(violation), "{row}");
        assert!(row["error"].as_str().unwrap().starts_with("MaxRetriesExceeded: "), "{row}");
        assert!(row["tokens"].as_u64().unwrap() > 0 && row["attempts"] == 1, "{row}");
    }
}

/// The engine schedules, nothing else.
#[tokio::test]
async fn a_job_of_the_library_has_the_same_outcomes() {
    let context = context(reader(&Arc::default()));
    let query = "SELECT id, r.status, r.value FROM (SELECT id, extract_invoice(text) AS r FROM documents WHERE id >= 0)";
    let mut found = BTreeMap::new();
    for row in rows(&context, query).await {
        let fields: Vec<_> = row.as_object().unwrap().values().cloned().collect();
        found.insert(fields[0].as_u64().unwrap().to_string(), (fields[1].clone(), fields.get(2).cloned()));
    }

    let agent = reader(&Arc::default());
    let documents = (0..DOCUMENTS).map(|id| Doc::new(id.to_string(), text(id)));
    let contract = Contract::of::<Invoice>().unwrap();
    let mut outcomes =
        contract.bulk(&agent, documents).configure(|extraction| extraction.max_attempts(1)).outcomes();
    let mut count = 0;
    while let Some(outcome) = outcomes.next().await {
        let outcome = outcome.unwrap();
        // The writer of Arrow leaves nulls out.
        let value = outcome.result.ok().map(|mut value| {
            value.as_object_mut().unwrap().retain(|_, member| !member.is_null());
            value
        });
        assert_eq!(found[&outcome.key], (json!(outcome.status), value), "{}", outcome.key);
        count += 1;
    }
    assert_eq!((count, found.len()), (DOCUMENTS, DOCUMENTS));
}

#[tokio::test]
async fn what_does_not_fit_its_column_says_so() {
    let schema = json!({"type": "object", "properties": {
        "id": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "size": {"type": "integer"},
    }, "required": ["id"]});
    let agent = |prompt: String| async move {
        let size = if prompt.contains("large") { "18446744073709551615" } else { "-7" };
        Ok::<_, std::io::Error>(format!(r#"{{"id": 7, "size": {size}, "colour": ["red"]}}"#))
    };
    let job = Job::new(Contract::from_schema(schema).unwrap(), agent, Extractor::new().max_attempts(1), 1);
    let context = SessionContext::new();
    context.register_udf(ExtractFunction::new("look", job).into_udf());
    let query = "SELECT look(size) AS r FROM (VALUES ('small'), ('large')) AS sizes(size) ORDER BY size DESC";
    let found = rows(&context, query).await;
    assert_eq!(found[0]["r"]["value"], json!({"id": "7", "size": -7}), "a union is JSON text");
    assert_eq!(found[0]["r"]["violations"], json!(["/colour: has no field"]));
    // Beyond 64 bits: refused, not rounded.
    assert_eq!(
        (&found[1]["r"]["status"], found[1]["r"].get("value")),
        (&json!("unfit"), None),
        "{}",
        found[1]
    );
}
