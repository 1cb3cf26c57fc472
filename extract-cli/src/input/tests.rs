//! Tests of records as documents.

use std::io::{BufReader, Read as _};

use super::*;

fn columns(text: &str, key: Option<&str>, meta: &[&str]) -> Columns {
    use clap::{Args as _, Command, FromArgMatches as _};

    let mut words = vec!["x".to_owned(), "--text".to_owned(), text.to_owned()];
    words.extend(key.into_iter().flat_map(|key| ["--key".to_owned(), key.to_owned()]));
    words.extend(meta.iter().flat_map(|name| ["--meta".to_owned(), (*name).to_owned()]));
    let matches = Columns::augment_args(Command::new("x")).get_matches_from(words);
    Columns::from_arg_matches(&matches).unwrap()
}

fn reader(bytes: &'static [u8]) -> Box<dyn BufRead + Send> {
    Box::new(BufReader::new(bytes))
}

fn records(text: &'static [u8], columns: Columns) -> impl Iterator<Item = Result<InputItem, InputError>> {
    jsonl::JsonRecords::new(lines::InputLines::new("r".to_owned(), reader(text)), columns)
}

/// Key, text and meta of every document, or the error.
fn shown(items: impl Iterator<Item = Result<InputItem, InputError>>) -> Vec<String> {
    items
        .map(|item| match item {
            Ok(InputItem { key, content: Content::Text(document), meta, .. }) => {
                format!("{key} | {} | {meta}", document.text())
            }
            Ok(item) => format!("{item:?}"),
            Err(error) => format!("error: {error}"),
        })
        .collect()
}

#[test]
fn json_lines_have_key_text_and_meta() {
    let text =
        b"{\"id\": 7, \"body\": {\"text\": \"a\"}, \"n\": 1}\n\n{\"id\": \"x\", \"body\": {}}\nno\n[1]\n";
    let records = records(text, columns("/body/text", Some("id"), &["n"]));
    assert_eq!(
        shown(records),
        [
            "7 | a | {\"n\":1}",
            "error: r:3: no field `/body/text`, which `--text` asks for; there is `id`, `body`",
            "error: r:4: not JSON: expected ident at column 2",
            "error: r:5: a JSON array; `--as json` reads each of its objects as a document",
        ]
    );
}

#[test]
fn the_objects_of_an_array_are_records_like_lines() {
    let text = b"[{\"id\": 7, \"text\": \"a\", \"n\": 1},\n {\"id\": 8,\n  \"text\" \"b\"}, [1],\n{\"text\": \"c\"}]";
    let read = |columns| {
        let elements = ArrayElements::new("r".to_owned(), reader(text));
        shown(jsonl::JsonRecords::new(elements, columns))
    };
    assert_eq!(
        read(columns("text", None, &[])),
        [
            "r:1 | a | null",
            "error: r:2: not JSON: expected `:` at line 3",
            "error: r:3: not a JSON object, so it has no fields",
            "r:4 | c | null",
        ]
    );
    assert_eq!(read(columns("text", Some("id"), &["n"]))[0], "7 | a | {\"n\":1}");
}

#[test]
fn a_number_that_would_be_rounded_in_the_outputs_is_an_error() {
    let big = "12345678901234567890123";
    let text =
        br#"{"id": 12345678901234567890123, "text": "a", "n": [{"m": 12345678901234567890123}], "p": 0.1}"#;
    let shown = |key, meta| {
        let records = records(text, columns("text", key, meta));
        shown(records).concat()
    };
    let why = |name| {
        format!(
            "error: r:1: `{name}` has the number {big}, whose digits cannot all be kept; write it as a string"
        )
    };
    assert_eq!(shown(Some("id"), &[]), why("id"));
    assert_eq!(shown(None, &["n"]), why("n"));
    assert_eq!(shown(None, &["p"]), "r:1 | a | {\"p\":0.1}");
}

#[test]
fn a_field_that_is_there_twice_is_an_error_if_it_is_used() {
    let shown = |text: &str, record: &'static [u8]| shown(records(record, columns(text, None, &[]))).concat();
    let twice = |name| format!("error: r:1: `{name}` is there twice");
    let record =
        br#"{"x": 1, "x": 2, "b": {"t": "a", "t": "b", "u": "c"}, "l": [{"t": 1, "t": 2}, "d"], "l.1": 1}"#;
    for name in ["/b/t", "b.t"] {
        assert_eq!(shown(name, record), twice(name));
    }
    for (name, found) in [("/b/u", "c"), ("b.u", "c"), ("/l/1", "d")] {
        assert_eq!(shown(name, record), format!("r:1 | {found} | null"), "{name}");
    }
    // Whatever is around it, or in it.
    assert_eq!(shown("b.t", br#"{"b": {"t": "a"}, "b": {"t": "b"}}"#), twice("b.t"));
    assert_eq!(shown("b", br#"{"b": {"t": "a", "t": "b"}}"#), twice("b"));
    // A key that looks like an index is none.
    assert_eq!(shown("b.1", br#"{"b": {"1": "a"}, "c": ["a", {"x": 1, "x": 1}]}"#), "r:1 | a | null");
}

#[test]
fn a_nested_field_is_named_by_a_pointer_or_with_dots() {
    let text = br#"{"id": {"n": 7}, "body": {"text": "a", "parts": ["b", "c"], "x.y": {"z": "d"}}, "b.c": "e", "/f": "g"}"#;
    for (name, found) in [
        ("/body/text", "a"),
        ("body.text", "a"),
        ("/body/parts/1", "c"),
        ("body.parts.1", "c"),
        ("body.x.y.z", "d"),
        ("/body/x.y/z", "d"),
        ("b.c", "e"),
        ("/f", "g"),
    ] {
        for (key, meta) in [("id.n", "/id"), ("/id/n", "id")] {
            let records = records(text, columns(name, Some(key), &[meta]));
            assert_eq!(shown(records), [format!("7 | {found} | {{\"{meta}\":{{\"n\":7}}}}")], "{name}");
        }
    }
    for name in ["body.none", "/body/none", "body.parts.2", "body.parts.-1", "body.text.x", ".", "body."] {
        let records = records(text, columns(name, None, &[]));
        let error = shown(records).remove(0);
        assert!(
            error.contains(&format!("no field `{name}`, which `--text` asks for; there is `id`, `body`")),
            "{error}"
        );
    }
}

#[test]
fn csv_has_quoted_cells_that_span_lines() {
    let text = b"id,text,who\n1,\"a,\nb\",Ann\n2,c\n3,\xff,Bob\n4,d,Eve\n";
    let rows = csv::items("t.csv".to_owned(), reader(text), None, columns("text", None, &["who"]));
    assert_eq!(
        shown(rows),
        [
            "t.csv:2 | a,\nb | {\"who\":\"Ann\"}",
            "error: t.csv:4: 2 cells where the header has 3",
            "error: t.csv:5: not UTF-8 text (cell 2); convert it first, for example with iconv",
            "t.csv:6 | d | {\"who\":\"Eve\"}",
        ]
    );
}

#[test]
fn the_header_shows_the_separator() {
    for (text, rows) in [
        ("id;text;who\n1;\"a;\nb\";x,y\n2;c;\n", ["2 | 1 | a;\nb | x,y", "4 | 2 | c | "]),
        ("\u{feff}id;text;who\r\n1;a, b, c;x\r\n2;c;y\r\n", ["2 | 1 | a, b, c | x", "3 | 2 | c | y"]),
        ("id\ttext\twho\n1\ta;b\tx\n2\tc\t\n", ["2 | 1 | a;b | x", "3 | 2 | c | "]),
        ("sep=;\r\nid;text;who\n1;a;x\n2;c;y\n", ["3 | 1 | a | x", "4 | 2 | c | y"]),
        ("sep=|\nid|text|who\n1|a,b;c|x\n2|c|y\n", ["3 | 1 | a,b;c | x", "4 | 2 | c | y"]),
        ("id,text,who,a;b;c;d;e;f\n1,a,x,\n2,c,y,\n", ["2 | 1 | a | x", "3 | 2 | c | y"]),
        ("id;text;who;\"a,b,c,d,e,f\"\n1;a;x;\n2;c;y;\n", ["2 | 1 | a | x", "3 | 2 | c | y"]),
        ("id;text;who;a,b,c,d,e,f\n1;a;x;\n2;c;y;\n", ["2 | 1 | a | x", "3 | 2 | c | y"]),
        ("\"id\";\"text\";\"who\"\n1;a;x\n2;c;y\n", ["2 | 1 | a | x", "3 | 2 | c | y"]),
    ] {
        let items =
            csv::items("t".to_owned(), reader(text.as_bytes()), None, columns("text", None, &["id", "who"]));
        let found: Vec<_> = items
            .map(|item| {
                let InputItem { key, content: Content::Text(document), meta, .. } = item.unwrap() else {
                    panic!("{text}")
                };
                let place = key.strip_prefix("t:").unwrap();
                format!(
                    "{place} | {} | {} | {}",
                    meta["id"].as_str().unwrap(),
                    document.text(),
                    meta["who"].as_str().unwrap()
                )
            })
            .collect();
        assert_eq!(found, rows, "{text}");
    }
}

#[test]
fn a_header_without_the_columns_is_shown_as_it_is_most_likely_meant() {
    for (text, names) in [
        ("a;b,c;d\n1;2;3\n", "`a`, `b,c`, `d`"),
        ("a,b\n1,2\n", "`a`, `b`"),
        ("a;b\n1;2\n", "`a`, `b`"),
        ("a\n1\n", "`a`"),
    ] {
        let rows = csv::items("t".to_owned(), reader(text.as_bytes()), None, columns("text", None, &[]));
        assert_eq!(
            shown(rows),
            [format!("error: t:2: no column `text`; the header has {names}: give `--text NAME`")]
        );
    }
    for text in ["", "\n", "sep=;", "sep=;\n", "\"", "text\n"] {
        let rows = csv::items("t".to_owned(), reader(text.as_bytes()), None, columns("text", None, &[]));
        assert_eq!(shown(rows), [""; 0], "{text:?}");
    }
}

#[test]
fn a_missing_column_names_those_that_are_there() {
    let rows =
        csv::items("t.tsv".to_owned(), reader(b"a\tb\n1\t2\n"), Some(b'\t'), columns("text", None, &[]));
    assert_eq!(
        shown(rows),
        ["error: t.tsv:2: no column `text`; the header has `a`, `b`: give `--text NAME`"]
    );
}

#[test]
fn a_line_that_is_no_text_does_not_end_the_input() {
    let lines = lines::LineTexts::new("l".to_owned(), reader(b"\xef\xbb\xbfone\r\n  \n\xff\nthree"));
    assert_eq!(
        shown(lines),
        [
            "l:1 | one | null",
            "error: l:3: not UTF-8 text (at byte 0); convert it first, for example with iconv",
            "l:4 | three | null",
        ]
    );
}

#[test]
fn endings_say_what_a_file_is() {
    let text = |name, bytes: &[u8]| match file::read(name, Format::Text, bytes, false).unwrap().content {
        Content::Text(document) => document.text().to_owned(),
        Content::Media { media_type, .. } => media_type.to_owned(),
    };
    assert_eq!(text("a.txt", b"<b>x</b>"), "<b>x</b>");
    assert_eq!(text("a.HTML", b"<b>x</b>").trim(), "x");
    assert_eq!(text("scan.JPG", b"\xff\xd8"), "image/jpeg");
    assert_eq!(text("scan.jpg", b"\x89PNG\r\n\x1a\n"), "image/png", "its bytes say more");
    assert!(
        file::read("a.txt", Format::Text, &b"\xff"[..], true)
            .unwrap_err()
            .to_string()
            .starts_with("a.txt: not UTF-8")
    );
}

#[test]
fn a_quote_that_does_not_end_is_not_read_forever() {
    let endless = BufReader::new(b"text\n\"a".chain(io::repeat(b'x')));
    let rows = csv::items("t.csv".to_owned(), Box::new(endless), None, columns("text", None, &[]));
    let rows = shown(rows);
    assert_eq!(rows.len(), 1);
    assert!(
        rows[0].starts_with("error: t.csv") && rows[0].contains("a quote that does not end"),
        "{}",
        rows[0]
    );
}

#[test]
fn a_document_that_is_too_long_costs_no_other_one() {
    let long = size::MAX_BYTES + 1;
    let text = |start: &'static [u8], end: &'static [u8]| {
        Box::new(BufReader::new(start.chain(io::repeat(b'x').take(long)).chain(end)))
    };
    let records = lines::LineTexts::new("r".to_owned(), text(b"a\n", b"\nb\nc"));
    let (long, found) =
        ("error: r:2: longer than 64 MiB, the most that one document may have", shown(records));
    assert_eq!(found, ["r:1 | a | null", long, "r:3 | b | null", "r:4 | c | null"]);
    let elements = text(b"[{\"text\": \"a\"}, {\"text\": \"", b"\"}, {\"text\": \"b\"}]");
    let elements = ArrayElements::new("r".to_owned(), elements);
    let found = shown(jsonl::JsonRecords::new(elements, columns("text", None, &[])));
    assert_eq!(found, ["r:1 | a | null", long, "r:3 | b | null"]);
}

#[test]
fn text_after_the_quote_that_ends_a_cell_ends_the_table() {
    for (table, rows) in [
        (&b"id,text\n1,\"a\"\n2,\"b\"c\n3,d\n"[..], 1),
        (b"id,text\n1,\"He said \"hello\n2,world\" and left\"\n", 0),
        (b"id,text\n1,\"He said \\\"hello\\\"\"\n", 0),
    ] {
        let found = shown(csv::items("t".to_owned(), reader(table), None, columns("text", None, &[])));
        let (last, first) = found.split_last().unwrap();
        assert_eq!(first.len(), rows, "{found:?}");
        let line = rows + 2;
        assert!(last.contains(&format!("text after the quote that ends a cell, at line {line};")), "{last}");
        assert!(last.ends_with("; nothing after it was read"), "{last}");
    }
    let good = b"id,text\n1,5\" pipe\n2,\"a \"\"b\"\" c\" \n3,\"d\ne\"\n4,\"f\"\n";
    let found = shown(csv::items("t".to_owned(), reader(good), None, columns("text", None, &[])));
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found.iter().all(|row| !row.starts_with("error")), "{found:?}");
}
