//! Parquet in and out.

use std::{fs::File, sync::Arc};

use arrow_json::{WriterBuilder, writer::JsonArray};
use extract_arrow::{
    arrow_array::{Array, Int64Array, RecordBatch, StringArray},
    arrow_schema::{DataType, Field, Schema},
};
use parquet::{
    arrow::{ArrowWriter, arrow_reader::ParquetRecordBatchReaderBuilder},
    basic::{Compression, ZstdLevel},
    file::properties::WriterProperties,
};
use serde_json::{Value, json};

use crate::{
    job::{args, lines, place, right, rows, run},
    program::Place,
};

/// The messages as a table, as other programs write it.
fn write(place: &Place, name: &str) {
    let strings = |key: &str| {
        let strings: Vec<_> = rows().iter().map(|row| row[key].as_str().unwrap().to_owned()).collect();
        Arc::new(StringArray::from(strings)) as Arc<dyn Array>
    };
    let numbers: Vec<i64> = (0..12).map(|number| number * 1_000_000_007).collect();
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    let schema = Arc::new(Schema::new(vec![
        field("number", DataType::Int64),
        field("id", DataType::Utf8),
        field("text", DataType::Utf8),
        field("unused", DataType::Utf8),
    ]));
    let columns =
        vec![Arc::new(Int64Array::from(numbers)) as _, strings("id"), strings("text"), strings("id")];
    let batch = RecordBatch::try_new(Arc::clone(&schema), columns).unwrap();
    let compression = Compression::ZSTD(ZstdLevel::default());
    let properties = WriterProperties::builder().set_compression(compression).build();
    let file = File::create(place.path(name)).unwrap();
    let mut writer = ArrowWriter::try_new(file, schema, Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// The rows of a file as JSON.
fn read(place: &Place, name: &str) -> Vec<Value> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(place.path(name)).unwrap()).unwrap();
    let mut writer = WriterBuilder::new().build::<_, JsonArray>(Vec::new());
    for batch in reader.build().unwrap() {
        writer.write(&batch.unwrap()).unwrap();
    }
    writer.finish().unwrap();
    serde_json::from_slice(&writer.into_inner()).unwrap()
}

#[test]
fn a_table_is_asked_about_row_by_row() {
    let (place, server) = (place(), right());
    write(&place, "messages.parquet");
    let job =
        ["run", "-s", "booking.json", "messages.parquet", "--key", "id", "--meta", "number", "-p", "What?"];
    let options = [&job[..], &server.options(), &["-o", "out.jsonl"]].concat();
    place.run(&options).code(0).says("12 documents: 12 done");
    for (index, (line, row)) in lines(&place.text("out.jsonl")).iter().zip(rows()).enumerate() {
        assert_eq!((&line["key"], &line["value"]), (&row["id"], &row["gold"]));
        assert_eq!(line["meta"], json!({"number": index as u64 * 1_000_000_007}));
    }
}

#[test]
fn rows_without_a_key_are_numbered_and_mistakes_say_where() {
    let (place, server) = (place(), right());
    write(&place, "messages.parquet");
    let with = |options: &[&'static str]| {
        let job = ["run", "-s", "booking.json", "-p", "What?", "-o", "out.jsonl"];
        place.run(&[&job[..], &server.options(), options].concat())
    };
    with(&["messages.parquet"]).code(0);
    assert_eq!(lines(&place.text("out.jsonl"))[11]["key"], "messages.parquet:12");
    let missing = with(&["messages.parquet", "--text", "words"]).code(2);
    missing.says("error: messages.parquet:1: no column `words`").says("`number`, `id`, `text`, `unused`");
    with(&["messages.parquet", "--text", "number"]).code(2).says("`number` is no string: 0");
    place.write("broken.parquet", "PAR1 and no more");
    with(&["broken.parquet"]).code(2).says("broken.parquet: ");
    with(&["-", "--as", "parquet"]).code(2).says("Parquet is not read from the standard input");
}

#[test]
fn results_are_a_table_that_says_what_the_lines_say() {
    let (place, server) = (place(), right());
    run(&place, &server, &["-o", "out.jsonl"]).code(0);
    run(&place, &server, &["-o", "out.parquet"]).code(0);
    place.run(&args("run", &server, &["-o", "out.parquet"])).code(0).says("12 known before; 0 requests");
    place
        .run(&["export", "out.jsonl", "--as", "parquet", "-s", "booking.json", "-o", "again.parquet"])
        .code(0);
    let (lines, table) = (lines(&place.text("out.jsonl")), read(&place, "out.parquet"));
    assert_eq!(table.len(), 12);
    for (line, row) in lines.iter().zip(&table) {
        assert_eq!((&row["key"], &row["status"]), (&line["key"], &line["status"]));
        // A null of the value is an absent one here.
        let value: serde_json::Map<_, _> = line["value"]
            .as_object()
            .unwrap()
            .clone()
            .into_iter()
            .filter(|(_, part)| !part.is_null())
            .collect();
        assert_eq!(row["value"], Value::Object(value));
    }
    assert_eq!(read(&place, "again.parquet"), table);
    place.run(&["export", "out.jsonl", "--as", "parquet", "-o", "x.parquet"]).code(2).says("--schema");
    place
        .run(&["export", "out.jsonl", "--as", "parquet", "-s", "booking.json"])
        .code(2)
        .says("name a file with --out");
}

#[test]
fn a_file_at_which_the_reader_panics_is_one_line() {
    let (place, server) = (place(), right());
    write(&place, "messages.parquet");
    let whole = std::fs::read(place.path("messages.parquet")).unwrap();
    let job = ["run", "-s", "booking.json", "damaged.parquet", "-p", "What?", "--dry-run"];
    let options = [&job[..], &server.options()].concat();
    // Where the reader panics depends on its version. If it does so nowhere any more, nothing has to catch it.
    let ended = (whole.len() - 400..whole.len() - 8).find_map(|at| {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        place.write("damaged.parquet", damaged);
        let ended = place.run(&options);
        assert!(!ended.err.contains("panicked"), "{at}: {}", ended.err);
        ended.err.contains("the file is damaged").then_some(ended)
    });
    ended
        .expect("the reader panics at some of these")
        .code(2)
        .says("error: damaged.parquet: the file is damaged");
}
