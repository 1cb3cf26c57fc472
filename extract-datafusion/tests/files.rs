//! Tables in Parquet files.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use arrow_array::{RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use datafusion::{
    dataframe::DataFrameWriteOptions,
    prelude::{ParquetReadOptions, SessionContext},
};
use extract::{Contract, Extractor, agent::Agent};
use extract_datafusion::{ExtractFunction, Job};
use serde_json::json;

/// Answers with the number in the text, and counts.
fn reader(calls: &Arc<AtomicUsize>) -> impl Agent + 'static {
    let calls = Arc::clone(calls);
    move |prompt: String| {
        calls.fetch_add(1, Ordering::Relaxed);
        let digits: String = prompt
            .split("text ")
            .last()
            .unwrap_or_default()
            .chars()
            .take_while(char::is_ascii_digit)
            .collect();
        async move { Ok::<_, std::io::Error>(digits) }
    }
}

fn context(calls: &Arc<AtomicUsize>) -> SessionContext {
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let context = SessionContext::new();
    context.register_udf(
        ExtractFunction::new("number", Job::new(contract, reader(calls), Extractor::new(), 4)).into_udf(),
    );
    context
}

/// The second run asks about what the first one has not answered: an anti-join on the key.
#[tokio::test]
async fn a_table_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let texts = |count: usize| {
        let texts: Vec<String> = (0..count).map(|number| format!("text {number}")).collect();
        let schema = Arc::new(Schema::new(vec![Field::new("text", DataType::Utf8, false)]));
        RecordBatch::try_new(schema, vec![Arc::new(StringArray::from(texts))]).unwrap()
    };
    let calls = Arc::default();
    let write = async |context: &SessionContext, query: &str, name: &str| {
        let frame = context.sql(query).await.unwrap();
        frame.write_parquet(&path(name), DataFrameWriteOptions::new(), None).await.unwrap();
    };

    let first = context(&calls);
    for (count, name) in [(5, "five"), (8, "eight")] {
        let frame = first.read_batch(texts(count)).unwrap();
        frame.write_parquet(&path(name), DataFrameWriteOptions::new(), None).await.unwrap();
    }
    first.register_parquet("texts", path("five"), ParquetReadOptions::default()).await.unwrap();
    write(&first, "SELECT text, number(text) AS r FROM texts", "out/1.parquet").await;
    assert_eq!(calls.load(Ordering::Relaxed), 5);

    let second = context(&calls);
    second.register_parquet("texts", path("eight"), ParquetReadOptions::default()).await.unwrap();
    second.register_parquet("known", path("out"), ParquetReadOptions::default()).await.unwrap();
    let missing = "SELECT text, number(text) AS r FROM texts WHERE text NOT IN (SELECT text FROM known)";
    write(&second, missing, "out/2.parquet").await;
    assert_eq!(calls.load(Ordering::Relaxed), 8);

    let third = context(&calls);
    third.register_parquet("known", path("out"), ParquetReadOptions::default()).await.unwrap();
    let sum = third.sql("SELECT sum(r.value) AS sum, count(*) AS count FROM known").await.unwrap();
    let printed = sum.to_string().await.unwrap();
    assert!(printed.contains("| 28  | 8     |"), "{printed}");
    assert_eq!(calls.load(Ordering::Relaxed), 8);
}
