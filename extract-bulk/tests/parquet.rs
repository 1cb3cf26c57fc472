//! Jobs that write Parquet, read by the reader of the crate `parquet`.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use extract::{
    Confidence, Contract,
    document::{Chunks, Document},
    testing::{ScriptedAgent, block_on},
};
use extract_arrow::{
    arrow_array::{
        Array as _, RecordBatch, StructArray,
        cast::AsArray as _,
        types::{Float64Type, Int64Type, UInt32Type},
    },
    arrow_schema::DataType,
};
use extract_bulk::{ContractBulkExt as _, Doc, Journal, ReviewedValue};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("extract-parquet-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn invoices() -> Contract {
    Contract::from_schema(json!({
        "type": "object",
        "properties": {
            "number": {"type": "string"},
            "total": {"type": "number"},
            "lines": {"type": "array", "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "quantity": {"type": "integer"}},
                "required": ["text"],
            }},
            "paid": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        },
        "required": ["number", "total"],
    }))
    .unwrap()
}

const REPLIES: [&str; 4] = [
    r#"{"number": "A-1", "total": 12.5, "lines": [{"text": "bolt", "quantity": 3}, {"text": "nut"}], "paid": "in May"}"#,
    r#"{"number": "A-2", "total": 9007199254740993, "paid": 7}"#,
    "no idea",
    r#"{"number": "A-4", "total": 0, "lines": [], "unasked": true}"#,
];

fn documents() -> impl Iterator<Item = Doc> + Send {
    ["d", "c", "b", "a"]
        .into_iter()
        .map(|key| Doc::new(key, format!("Invoice {key}")).meta(json!({"page": key})))
}

fn rows(path: &Path) -> Vec<RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    reader.build().unwrap().collect::<Result<_, _>>().unwrap()
}

/// The only batch of a small file.
fn table(path: &Path) -> StructArray {
    let mut batches = rows(path);
    assert_eq!(batches.len(), 1);
    StructArray::from(batches.remove(0))
}

fn text(of: &StructArray, column: &str, row: usize) -> Option<String> {
    let strings = of.column_by_name(column).unwrap().as_string::<i32>();
    strings.is_valid(row).then(|| strings.value(row).to_owned())
}

fn json_of(of: &StructArray, column: &str, row: usize) -> Option<Value> {
    text(of, column, row).map(|text| serde_json::from_str(&text).unwrap())
}

#[test]
fn every_document_is_a_row_and_nothing_is_lost() {
    let folder = Folder::new("rows");
    let (output, lines) = (folder.file("o.parquet"), folder.file("o.jsonl"));
    let agent = ScriptedAgent::new(REPLIES);
    let contract = invoices();
    let job = contract.bulk(&agent, documents()).concurrent(1).configure(|one| one.max_attempts(1));
    let report = block_on(job.into_parquet(&output).into_jsonl(&lines)).unwrap();
    assert_eq!((report.done, report.failed, &report.outputs), (3, 1, &vec![output.clone(), lines]));

    let table = table(&output);
    let keys: Vec<_> = (0..4).map(|row| text(&table, "key", row).unwrap()).collect();
    assert_eq!(keys, ["d", "c", "b", "a"], "in the order of the source");
    let states: Vec<_> = (0..4).map(|row| text(&table, "status", row).unwrap()).collect();
    assert_eq!(states, ["done", "done", "failed", "done"]);

    let value = table.column_by_name("value").unwrap().as_struct();
    assert_eq!(text(value, "number", 0).unwrap(), "A-1");
    let total = value.column_by_name("total").unwrap().as_primitive::<Float64Type>().value(0);
    assert_eq!(total.to_bits(), 12.5_f64.to_bits());
    let items = value.column_by_name("lines").unwrap().as_list::<i32>().value(0);
    assert_eq!(items.as_struct().column_by_name("quantity").unwrap().as_primitive::<Int64Type>().value(0), 3);
    assert!(items.as_struct().column_by_name("quantity").unwrap().is_null(1));
    // A union is JSON, so a string and a number stay apart.
    assert_eq!(json_of(value, "paid", 0).unwrap(), json!("in May"));

    // A number that no float holds, and a key without a column, are in the value as it is.
    assert!(value.is_null(1));
    assert_eq!(json_of(&table, "value_json", 1).unwrap()["total"], json!(9_007_199_254_740_993_u64));
    assert_eq!(json_of(&table, "value_json", 3).unwrap()["unasked"], json!(true));
    assert_eq!((text(value, "number", 3).as_deref(), text(&table, "value_json", 0)), (Some("A-4"), None));

    assert_eq!(text(&table, "error", 2).unwrap(), "MaxRetriesExceeded");
    assert!(text(&table, "message", 2).unwrap().contains("1 attempt"), "{:?}", text(&table, "message", 2));
    assert_eq!(json_of(&table, "meta", 2).unwrap(), json!({"page": "b"}));
    assert_eq!(table.column_by_name("attempts").unwrap().as_primitive::<UInt32Type>().value(3), 1);
}

#[test]
fn the_same_job_writes_the_same_bytes_and_the_journal_does_too() {
    let folder = Folder::new("bytes");
    let (journal, output) = (folder.file("j.redb"), folder.file("o.parquet"));
    let agent = ScriptedAgent::new(REPLIES);
    let contract = invoices();
    let job = || {
        let job = contract.bulk(&agent, documents()).concurrent(1).configure(|one| one.max_attempts(1));
        job.journal(&journal).into_parquet(&output)
    };
    block_on(job()).unwrap();
    let written = fs::read(&output).unwrap();
    fs::remove_file(&output).unwrap();
    assert_eq!(block_on(job()).unwrap().calls, 0);
    assert_eq!(fs::read(&output).unwrap(), written);
    let again = folder.file("again.parquet");
    assert_eq!(Journal::open(&journal).unwrap().write_parquet(&again, &contract).unwrap(), 4);
    assert_eq!(fs::read(&again).unwrap(), written);
}

#[test]
fn a_job_without_documents_writes_a_table_without_rows() {
    let folder = Folder::new("empty");
    let output = folder.file("o.parquet");
    let contract = invoices();
    let agent = ScriptedAgent::default();
    block_on(contract.bulk(&agent, std::iter::empty::<Doc>()).into_parquet(&output)).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(&output).unwrap()).unwrap();
    assert!(matches!(reader.schema().field_with_name("value").unwrap().data_type(), DataType::Struct(_)));
    assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
}

#[test]
fn many_documents_are_many_batches() {
    let folder = Folder::new("many");
    let output = folder.file("o.parquet");
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let agent = async |_: String| Ok::<_, std::convert::Infallible>("7");
    let documents = (0..2_500).map(|number| Doc::new(number.to_string(), "How many?"));
    block_on(contract.bulk(&agent, documents).into_parquet(&output)).unwrap();
    let values: Vec<i64> = rows(&output)
        .iter()
        .flat_map(|batch| {
            batch.column_by_name("value").unwrap().as_primitive::<Int64Type>().values().to_vec()
        })
        .collect();
    assert_eq!(values, vec![7; 2_500]);
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_that_names_it() {
    let folder = Folder::new("nowhere");
    let output = folder.file("missing/o.parquet");
    let contract = invoices();
    let agent = ScriptedAgent::new(REPLIES);
    let job = contract.bulk(&agent, documents()).configure(|one| one.max_attempts(1)).into_parquet(&output);
    let error = block_on(job).unwrap_err().to_string();
    assert!(error.contains("o.parquet"), "{error}");
}

#[test]
fn a_reviewed_value_is_the_value_of_its_row() {
    let folder = Folder::new("reviewed");
    let (journal, output) = (folder.file("job.redb"), folder.file("out.parquet"));
    let contract = Contract::from_schema(json!({"type": "integer"})).unwrap();
    let agent = ScriptedAgent::new(["6", "4"]);
    let documents = [Doc::new("spider", "How many legs?"), Doc::new("cat", "How many legs?")];
    block_on(contract.bulk(&agent, documents).concurrent(1).journal(&journal)).unwrap();
    let reviewed = [("spider".to_owned(), ReviewedValue::new(json!(8), "ann"))];
    let journal = Journal::open(&journal).unwrap().with_reviewed(reviewed).unwrap();
    journal.write_parquet(&output, &contract).unwrap();
    let table = table(&output);
    let legs = table.column_by_name("value").unwrap().as_primitive::<Int64Type>();
    assert_eq!((legs.value(0), legs.value(1)), (8, 4));
    assert_eq!([0, 1].map(|row| text(&table, "reviewed_by", row)), [Some("ann".to_owned()), None]);
}

#[test]
fn what_chunks_disagree_on_and_which_have_no_answer_is_in_their_row() {
    let folder = Folder::new("chunks");
    let output = folder.file("o.parquet");
    let contract = invoices();
    let answer = |total: u32| json!({"number": "A-1", "total": total}).to_string();
    let agent = ScriptedAgent::new([answer(1), "none".to_owned(), answer(3)]);
    let document = Document::from_text("The total is one.\n\nIt rained a bit.\n\nThe total is three.");
    let documents = [Doc::new("a", "All of it.").document(&document).chunks(Chunks::chars(20))];
    let job = contract.bulk(&agent, documents);
    let job = job.configure(|one| one.max_attempts(1).accept_gaps(true).concurrent_chunks(1));
    let report = block_on(job.into_parquet(&output)).unwrap();
    assert_eq!((report.done, report.in_part, report.in_conflict), (1, 1, 1));
    let table = table(&output);
    let (conflicts, gaps) = (json_of(&table, "conflicts", 0).unwrap(), json_of(&table, "gaps", 0).unwrap());
    assert_eq!((&conflicts[0]["path"], &conflicts[0]["kept"]["value"]), (&json!("$.total"), &json!(1)));
    assert_eq!((&conflicts[0]["others"][0]["value"], &gaps[0]["chunk"]), (&json!(3), &json!(1)));
}

#[test]
fn each_leaf_has_a_column_with_its_confidence_if_wanted() {
    let folder = Folder::new("confidence");
    let (output, journal) = (folder.file("o.parquet"), folder.file("j.redb"));
    let answer = |number: &str, quantity: u32| {
        format!(
            r#"{{"number": "{number}", "total": 1, "lines": [{{"text": "nut"}}, {{"text": "a", "quantity": {quantity}}}]}}"#
        )
    };
    let agent = ScriptedAgent::new([answer("A-1", 3), answer("A-1", 4)].iter().cycle().take(4).cloned());
    let contract = invoices();
    let documents = || ["a", "b"].map(|key| Doc::new(key, format!("Invoice {key}")));
    let job = contract.bulk(&agent, documents()).concurrent(1).journal(&journal);
    let job = job.configure(|one| one.confidence(Confidence::Samples(2)));
    block_on(job.confidence_columns().into_parquet(&output)).unwrap();

    let number = |table: &StructArray, column: &str, row| {
        let numbers = table.column_by_name(column).unwrap().as_primitive::<Float64Type>();
        numbers.is_valid(row).then(|| numbers.value(row))
    };
    let written = table(&output);
    for row in 0..2 {
        assert_eq!(number(&written, "confidence.number", row), Some(1.0));
        assert_eq!(number(&written, "confidence.lines", row), Some(0.5), "the least sure leaf of the list");
        assert_eq!(number(&written, "confidence.paid", row), None, "absent in all samples");
    }
    let plain = folder.file("plain.parquet");
    let reviewed = ReviewedValue::new(json!({"number": "B-1", "total": 1}), "ann");
    let read = || Journal::read(&journal).unwrap();
    read().write_parquet(&plain, &contract).unwrap();
    assert!(table(&plain).column_by_name("confidence.number").is_none());
    let read = read().with_reviewed([("b".to_owned(), reviewed)]).unwrap();
    read.with_confidence_columns().write_parquet(&plain, &contract).unwrap();
    let written = table(&plain);
    let confidences: Vec<_> = (0..2).map(|row| number(&written, "confidence.number", row)).collect();
    assert_eq!(confidences, [Some(1.0), None], "the confidence was of the extracted value");
}
