//! What is missing or unfit is named, with the next step.

use crate::{
    job::{args, place as messages, right},
    program::{Ended, GOOD, Place},
};

fn place() -> Place {
    let place = Place::new();
    place.write("letters/a.txt", "Invoice INV-3107");
    place
}

fn with_program<'a>(command: &'a str, words: &[&'a str]) -> Vec<&'a str> {
    [&[command, "-s", "invoice.json", "--command", "cat"], words].concat()
}

#[test]
fn a_missing_folder_is_called_missing() {
    let place = place();
    for words in [
        &["letters", "-o", "none/deep/out.jsonl"][..],
        &["letters", "-o", "none/deep/out.jsonl", "--dry-run"],
        &["letters", "--journal", "none/deep/j"],
    ] {
        let ended = place.run(&with_program("run", words)).code(5).says("the folder `none/deep` is missing");
        assert!(!ended.err.contains("no journal"), "{ended:?}");
    }
    place
        .run(&with_program("retry-failed", &["letters", "-o", "none/o"]))
        .code(2)
        .says("the folder `none` is missing");
    for words in
        [&["inspect", "none/out.jsonl"][..], &["export", "none/out.jsonl"], &["view", "job", "none/x"]]
    {
        place.run(words).code(2).says("the folder `none` is missing");
    }
    place.write("reply", GOOD);
    let view = ["view", "document", "letters/a.txt", "reply", "-o", "none/page.html"];
    place.run(&view).code(5).says("the folder `none` is missing");
    place
        .run(&["serve-mcp", "-s", "invoice.json", "--out", "none/o"])
        .code(5)
        .says("the folder `none` is missing");
    let out = with_program("run", &["letters", "-o", "none/out.jsonl"]);
    place.run(&out).code(5).says("`none/out.jsonl` cannot be written");
    place.run(&["inspect", "out.jsonl"]).code(2).says("there is no journal `out.jsonl`");
    place.run(&["inspect", "letters"]).code(2).says("`letters` is a folder, not a journal");
}

#[test]
fn a_missing_input_is_called_missing() {
    let place = place();
    for (input, says) in [
        ("none", "the file or folder `none` is missing"),
        ("none/a.txt", "the file or folder `none/a.txt` is missing"),
        ("none/deep/*.txt", "the folder `none/deep` is missing"),
        ("letters/*.md", "no file matches the pattern `letters/*.md`"),
    ] {
        for command in ["run", "extract"] {
            place.run(&with_program(command, &[input])).code(2).says(says);
        }
    }
}

#[test]
fn all_missing_inputs_are_named_at_once() {
    let place = place();
    let ended =
        place.run(&with_program("run", &["letters", "gone.txt", "none/*.txt", "letters/*.md"])).code(2);
    let ended = ended
        .says("3 inputs cannot be used:\n  the file or folder `gone.txt` is missing\n  the folder `none`");
    ended.says("\n  no file matches the pattern `letters/*.md`");
    let names: Vec<_> = (0..30).map(|number| format!("gone-{number}")).collect();
    let words: Vec<_> = names.iter().map(String::as_str).collect();
    let ended = place.run(&with_program("run", &words)).code(2).says("30 inputs cannot be used:");
    assert_eq!(ended.err.matches("is missing").count(), 10, "{ended:?}");
    ended.says("\n  and 20 more");
}

#[test]
fn a_file_that_a_program_cannot_take_is_found_before_anything_is_asked() {
    let place = place();
    place.write("letters/b.PDF", "%PDF-1.7");
    place.write("letters/c.png", "\u{89}PNG");
    place.write("reply", GOOD);
    let program = "sh -c 'cat > asked; cat reply'";
    let run = |words: &[&str]| {
        let job = ["run", "-s", "invoice.json", "--command", program, "--max-attempts", "1"];
        place.run(&[&job[..], words].concat())
    };
    let ended = run(&["letters"]).code(2);
    ended
        .says("letters/b.PDF: a PDF, and `--command sh -c 'cat > asked; cat reply'` takes text only")
        .says("--pdf-text");
    run(&["letters/c.png", "--pdf-text"]).code(2).says("an image, and").says("--agent provider/model");
    assert!(!place.path("asked").exists());
    let ended = run(&["letters", "--skip-unreadable"]).code(1);
    ended.says("skipped: letters/b.PDF: a PDF").says("skipped: letters/c.png: an image").says("2 skipped");
    assert!(place.text("asked").contains("INV-3107"));
    let extract = ["extract", "-s", "invoice.json", "--command", program, "letters/b.PDF"];
    place.run(&extract).code(2).says("--pdf-text");
}

#[test]
fn a_dry_run_needs_no_agent() {
    let (place, server) = (messages(), right());
    let without = [
        "run",
        "-s",
        "booking.json",
        "messages.jsonl",
        "--key",
        "id",
        "-p",
        "What is booked?",
        "-o",
        "out.jsonl",
    ];
    let dry = |words: &[&str]| place.run(&[&without[..], &["--dry-run"], words].concat()).code(0);
    assert!(dry(&[]).out.starts_with("12 documents: 0 known (0 without an answer), 12 to ask"));
    place.run(&without).code(2).says("no agent is given").says("--agent provider/model");
    place.run(&args("run", &server, &["-o", "out.jsonl"])).code(0);
    // Whoever gave them: the same answers as with the agent that did.
    let ended = dry(&[]);
    assert!(ended.out.starts_with("12 documents: 12 known (0 without an answer), 0 to ask"), "{ended:?}");
    ended.says("whichever agent gave it");
    let ended = dry(&["--system", "Be brief.", "--quiet"]);
    assert!(ended.out.starts_with("12 documents: 12 known") && ended.err.is_empty(), "{ended:?}");
    let changed = place.text("messages.jsonl").replacen("For the three of us.", "For the four of us.", 1);
    place.write("messages.jsonl", changed);
    let ended = dry(&[]);
    assert!(ended.out.contains("11 known (0 without an answer), 1 to ask (1 changed)"), "{ended:?}");
    assert_eq!(server.asked().len(), 12);
}

#[test]
fn a_format_that_is_not_read_is_named_with_the_cure() {
    let place = place();
    place.write("reply", GOOD);
    let run = |words: &[&str]| {
        let program = "sh -c 'cat > asked; cat reply'";
        place.run(&[&["run", "-s", "invoice.json", "--command", program], words].concat())
    };
    for (name, says, cure) in [
        ("a.doc", "a Word document (.doc)", "save it as .docx or PDF"),
        ("a.XLS", "an Excel workbook (.xls)", "save it as .xlsx"),
        ("a.rtf", "a document in Rich Text Format (.rtf)", "`--as text`"),
        ("a.pptx", "a PowerPoint presentation (.pptx)", "save it as PDF"),
        ("a.tar.gz", "an archive (.gz)", "unpack it"),
        ("a.tiff", "an image that models do not take (.tiff)", "PNG"),
    ] {
        place.write(&format!("mixed/{name}"), "Subject: Invoice INV-3107");
        let mixed = format!("mixed/{name}");
        let extract = ["extract", "-s", "invoice.json", "--command", "cat", &mixed];
        for ended in [run(&["letters", &mixed]), place.run(&extract)] {
            ended.code(2).says(&format!("{mixed}: {says}")).says(cure).says("--skip-unreadable");
        }
        let read = ["read", "-s", "invoice.json", "reply", "--document", &mixed];
        place.run(&read).code(2).says(says);
    }
    assert!(!place.path("asked").exists(), "found before anything is asked");
    run(&["letters", "mixed", "--skip-unreadable"]).code(1).says("6 skipped").says("1 document: 1 done");
    run(&["mixed/a.rtf", "--as", "text"]).code(0);
    for (content, says) in
        [("PK\u{3}\u{4}", "a ZIP archive"), ("%PDF-1.7", "a PDF"), ("PAR1", "a Parquet file")]
    {
        let bytes = [content.as_bytes(), b"\xff"].concat();
        place.write("letters/content", &bytes);
        run(&["letters/content"]).code(2).says(&format!("letters/content: {says}"));
    }
}

#[test]
fn a_quote_that_does_not_end_swallows_no_rows() {
    let place = Place::new();
    let run = |text: &str| {
        place.write("in.csv", text);
        place.run(&with_program("run", &["in.csv", "--key", "key"]))
    };
    run("key,text\n1,a\n2,\"abc\n3,d\n").code(2).says("in.csv:3").says("a quote that does not end");
    // The letters are read, and `cat` does not answer with an invoice.
    run("key,text\n1,a\n2,\"abc\n\"\n").code(1);
    run("key,text\n1,5\" of pipe\n").code(1);
    run("key,text,text\n1,a,b\n").code(2).says("the header has two columns `text`");
}

#[test]
fn everything_that_cannot_be_read_is_named_at_once() {
    let place = place();
    for name in ["a.pdf", "b.pdf", "c.doc", "d.txt"] {
        place.write(&format!("mixed/{name}"), if name == "d.txt" { "" } else { "x" });
    }
    let ended = place.run(&with_program("run", &["letters", "mixed"])).code(2);
    let ended = ended.says("4 documents cannot be read:\n").says("  mixed/a.pdf, mixed/b.pdf: a PDF, and");
    ended.says("  mixed/c.doc: a Word document").says("  mixed/d.txt: it is empty").says("--skip-unreadable");

    // What only reading shows, after others were asked about.
    place.write("reply", GOOD);
    place.write("rows.csv", b"text\nInvoice INV-3107\n\xff\nb,c\nd\n\xfe\n");
    for name in ["latin/a.txt", "latin/b.txt"] {
        place.write(name, b"caf\xe9");
    }
    let job = ["run", "-s", "invoice.json", "--command", "sh -c 'cat >> asked; cat reply'"];
    let ended = place.run(&[&job[..], &["rows.csv", "latin", "-o", "out.jsonl"]].concat()).code(2);
    let ended = ended.says("5 documents cannot be read:\n  rows.csv:3, rows.csv:6: not UTF-8 text (cell 1)");
    ended
        .says("  rows.csv:4: 2 cells where the header has 1\n")
        .says("  latin/a.txt, latin/b.txt: not UTF-8");
    // Also what only reading shows, if something else is wrong.
    let ended = place.run(&with_program("run", &["mixed", "latin", "--dry-run"])).code(2);
    ended.says("6 documents cannot be read:").says("  latin/a.txt, latin/b.txt: not UTF-8");
    // A column that is missing is missing from all rows.
    let columns = ["rows.csv", "--text", "words", "--dry-run"];
    let ended = place.run(&with_program("run", &columns)).code(2);
    let ended = ended.says("error: rows.csv:2: no column `words`, which `--text` asks for; there is `text`");
    assert!(!ended.err.contains("help:"), "{ended:?}");
    // Nor is an option named that was not given, or advice that leaves nothing to read.
    for (header, says) in [
        ("Text,Id", "no column `text`; the header has `Text`, `Id`: give `--text Text`"),
        ("Report of May,", "no column `text`; the header has `Report of May`: give `--text NAME`"),
    ] {
        place.write("cap.csv", format!("{header}\nInvoice INV-3107,1\n"));
        let ended = place.run(&with_program("run", &["cap.csv", "--dry-run"])).code(2).says(says);
        assert!(!ended.err.contains("--skip-unreadable"), "{ended:?}");
    }
    let ended = place.pipe("", &with_program("run", &["--dry-run"])).code(2).says("stdin: nothing came in");
    assert!(!ended.err.contains("--skip-unreadable"), "{ended:?}");
    let ended = place.run(&with_program("run", &["latin", "--dry-run"])).code(2);
    ended.says("help: correct it, or give `--skip-unreadable`");
    // The standard input may never end.
    let ended = place.pipe("{}\n[]\n", &[&job[..], &["-", "--as", "jsonl"]].concat()).code(2);
    assert!(!ended.err.contains("cannot be read"), "{ended:?}");
    ended.says("stdin:1: no field `text`");
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf_8_are_different_documents() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

    let place = place();
    place.write("reply", GOOD);
    let names = [&b"letters/caf\xe8.txt"[..], b"letters/caf\xe9.txt"].map(OsStr::from_bytes);
    for name in names {
        std::fs::write(place.path("").join(name), "the same text").unwrap();
    }
    let run = |words: &[&OsStr]| {
        let job = ["run", "-s", "invoice.json", "--command", "sh -c 'cat > asked; cat reply'"];
        Ended::of(place.command(&job).args(words).spawn().unwrap()).code(0)
    };
    let ended = run(&["letters/a.txt".as_ref(), "letters".as_ref()]);
    assert_eq!(ended.out.lines().count(), 3, "{ended:?}");
    let ended = ended.prints("\"key\":\"letters/caf\\\\xE8.txt\"").prints("caf\\\\xE9.txt\"");
    ended.says("3 documents: 3 done, 1 given twice");
    assert_eq!(run(&names).out.lines().count(), 2, "as a shell gives them");
}

#[test]
fn an_empty_document_is_not_asked_about() {
    let place = place();
    place.write("reply", GOOD);
    place.write("letters/empty.txt", "");
    place.write("letters/blank.md", " \n\n");
    place.write("rows.csv", "key,text\n1,\n2,Invoice INV-3107\n");
    let run = |words: &[&str]| {
        let job = ["run", "-s", "invoice.json", "--command", "sh -c 'cat >> asked; cat reply'"];
        place.run(&[&job[..], words].concat())
    };
    run(&["letters"]).code(2).says("letters/empty.txt, letters/blank.md: it is empty");
    assert!(!place.path("asked").exists(), "found before anything is asked");
    let ended = run(&["letters", "rows.csv", "--skip-unreadable"]).code(1);
    assert_eq!(ended.out.lines().count(), 2, "{ended:?}");
    let ended = ended.says("letters/blank.md: it is empty").says("rows.csv:2: `text` is empty");
    ended.says("2 documents: 2 done, 3 skipped");
    let counted = ["letters", "rows.csv", "--skip-unreadable", "--json"];
    let report: serde_json::Value = serde_json::from_str(run(&counted).err.lines().last().unwrap()).unwrap();
    assert_eq!((&report["documents"], &report["skipped"]), (&2.into(), &3.into()), "{report}");
    let dry = run(&[&counted[..], &["--dry-run"]].concat()).code(1).json();
    assert_eq!((&dry["to_ask"], &dry["skipped"]), (&2.into(), &3.into()), "{dry}");
    run(&["letters", "rows.csv", "--skip-unreadable", "--dry-run"]).code(1).prints("; 3 skipped\n");
    // Nor is it a document of a gold set.
    place.write("gold.jsonl", format!("{{\"path\": \"letters/empty.txt\", \"value\": {GOOD}}}\n"));
    let eval = ["eval", "-s", "invoice.json", "--gold", "gold.jsonl", "--agent", "command:cat"];
    place.run(&eval).code(2).says("`letters/empty.txt`: it is empty");
}

#[test]
fn a_table_without_rows_is_said_and_an_empty_file_is_an_error() {
    let place = place();
    for name in ["t.jsonl", "t.csv", "t.tsv", "t.json", "t.ndjson"] {
        place.write(name, "");
        let ended = place.run(&with_program("run", &["letters", name, "--dry-run"])).code(2);
        ended.says(&format!("{name}: it is empty, so there is nothing to extract"));
        let skipping = ["letters", name, "--dry-run", "--skip-unreadable"];
        place.run(&with_program("run", &skipping)).code(1).prints("1 document: ").prints("; 1 skipped");
    }
    for (name, text) in
        [("t.csv", "text,key\n"), ("t.tsv", "text\tkey\n"), ("t.jsonl", "\n\n"), ("t.json", "[]")]
    {
        place.write(name, text);
        let ended = place.run(&with_program("run", &["letters", name, "-o", "out.jsonl"]));
        ended.says(&format!("{name}: it has no rows, so there is no document in it"));
        let ended = place.run(&with_program("run", &["letters", name, "--dry-run", "-q"])).code(0);
        assert!(ended.out.starts_with("1 document: ") && ended.err.is_empty(), "{ended:?}");
    }
    for format in ["csv", "jsonl", "json", "lines", "text"] {
        let job = with_program("run", &["-", "--as", format, "--dry-run"]);
        place.pipe("", &job).code(2).says("stdin: nothing came in");
    }
}

#[test]
fn a_pattern_finds_hidden_files_only_by_their_dot() {
    let place = place();
    for name in ["letters/.env", "letters/.git/config.txt", "letters/deep/b.txt"] {
        place.write(name, "key=secret");
    }
    let found = |pattern: &str| {
        let ended = place.run(&with_program("run", &[pattern, "--dry-run", "-q"])).code(0);
        ended.out.split(' ').next().unwrap().to_owned()
    };
    for (pattern, count) in [
        ("letters", "2"),
        ("letters/*", "1"),
        ("letters/?*", "1"),
        ("letters/**/*", "2"),
        ("letters/**/*.txt", "2"),
        ("letters/.*", "1"),
        ("letters/.git/*", "1"),
    ] {
        assert_eq!(found(pattern), count, "{pattern}");
    }
    place.run(&with_program("run", &["letters/*env"])).code(2).says("the dot of a hidden name");
}

#[cfg(unix)]
#[test]
fn links_that_are_not_followed_are_named() {
    let place = place();
    place.write("others/b.txt", "Invoice");
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, place.path(name)).unwrap();
    link("../others", "letters/others");
    link("a.txt", "letters/c.txt");
    link("gone.txt", "letters/d.txt");
    let ended = place.run(&with_program("run", &["letters", "--dry-run"])).code(0);
    assert!(ended.out.starts_with("2 documents"), "{ended:?}");
    ended.says("`letters/d.txt`, `letters/others` left out: a link to a folder is not followed");
    let _socket = std::os::unix::net::UnixListener::bind(place.path("letters/socket")).unwrap();
    place.run(&with_program("run", &["letters", "--dry-run"])).says("`letters/socket` left out");
    assert!(!place.run(&with_program("run", &["letters", "--dry-run", "-q"])).err.contains("left out"));
}

#[test]
fn an_array_without_texts_is_said_to_be_one_document() {
    let place = place();
    place.write("rows.json", "[{\"body\": \"a\"},\n {\"body\": \"b\"}]");
    let dry =
        |words: &[&str]| place.run(&with_program("run", &[&["rows.json", "--dry-run"], words].concat()));
    let ended = dry(&[]).code(0).prints("1 document: ");
    ended.says("rows.json: a JSON array without the field `text`, read as one document; `--text NAME`");
    dry(&["--text", "body"]).code(0).prints("2 documents: ");
    assert!(dry(&["--as", "text"]).code(0).prints("1 document: ").err.is_empty());
    dry(&["--text", "words"]).code(2).says("rows.json:1, rows.json:2: no field `words`").says("`body`");
    // Objects with texts are records, and whatever is no array of objects is one document.
    place.write("rows.json", "[{\"text\": \"a\"}, {\"text\": \"b\"}]");
    let ended = dry(&[]).code(0).prints("2 documents: ");
    ended.says("`rows.json`: each object of the JSON array is a document; `--as text` reads the file as one");
    for words in [&["--as", "json"][..], &["--meta", "text"]] {
        assert!(dry(words).code(0).prints("2 documents: ").err.is_empty());
    }
    place.write("rows.json", "[]");
    dry(&[]).code(0).prints("0 documents: ");
    for (text, count) in [
        ("{\"text\": \"a\"}", "1 document: "),
        ("[1, 2]", "1 document: "),
        ("[{\"body\": \"a\"}]", "1 document: "),
    ] {
        place.write("rows.json", text);
        assert!(dry(&[]).code(0).prints(count).err.is_empty(), "{text}");
    }
    let piped = |text: &str, words: &[&str]| {
        let dry = ["run", "-s", "invoice.json", "--command", "cat", "--dry-run"];
        place.pipe(text, &[&dry[..], words].concat()).code(0)
    };
    let (array, lines) =
        ("[{\"text\": \"a\"},\n{\"text\": \"b\"}]", "{\"text\": \"a\"}\n\n{\"text\": \"b\"}\n");
    piped(array, &[]).prints("1 document: ").says("stdin: a JSON array, read as one document; `--as json`");
    piped(lines, &[]).prints("1 document: ").says("stdin: JSON Lines, read as one document; `--as jsonl`");
    for (text, words, count) in [
        (array, &["--as", "json"][..], "2 documents: "),
        (lines, &["--as", "jsonl"], "2 documents: "),
        (lines, &["--as", "text"], "1 document: "),
        ("{\"text\": \"a\"}", &[], "1 document: "),
        ("[1]\n[2]", &[], "1 document: "),
    ] {
        assert!(piped(text, words).prints(count).err.is_empty(), "{text}");
    }
    for text in ["[{\"text\": \"a\"}]", "[\n{\"text\": \"a\"}\n]"] {
        place.write("rows.json", text);
        dry(&["--as", "jsonl"]).code(2).says("rows.json:1: a JSON array; `--as json` reads each");
    }
    place.write("rows.json", "{\"text\": \"a\"}\n{\"text\": \"b\"}\n");
    dry(&["--as", "json"]).code(2).says("rows.json: not a JSON array; `--as jsonl`");
}

#[test]
fn records_that_cannot_be_read_are_named_by_their_lines() {
    let place = place();
    place.write("rows.jsonl", "{\"text\": \"a\"}\n{\"text\"}\n");
    let ended = place.run(&with_program("run", &["rows.jsonl", "--dry-run"])).code(2);
    ended.says("rows.jsonl:2: not JSON: expected `:` at column 8");
    // Unused fields do not matter.
    place.write("rows.jsonl", "{\"x\": 1, \"x\": 2, \"text\": \"a\"}\n{\"text\": \"a\", \"text\": \"b\"}\n");
    let ended = place.run(&with_program("run", &["rows.jsonl", "--dry-run"])).code(2);
    ended.says("rows.jsonl:2: `text` is there twice");
    place.write("rows.csv", b"text\ncaf\xe9\n");
    place
        .run(&with_program("run", &["rows.csv", "--dry-run"]))
        .code(2)
        .says("rows.csv:2: not UTF-8")
        .says("iconv");
}

#[test]
fn why_an_agent_is_unreachable_is_said() {
    let place = place();
    let server = ["--agent", "ollama/x", "--base-url", "http://127.0.0.1:9"];
    let job = [&["run", "-s", "invoice.json", "letters", "--wait", "1"], &server[..]].concat();
    // The only document is not to blame, and is asked about again.
    for _ in 0..2 {
        let ended = place.run(&[&job[..], &["-o", "out.jsonl"]].concat()).code(4);
        assert!(!ended.err.contains("; 0 requests") && !ended.err.contains("says why"), "{ended:?}");
        ended.says("the agent could not be reached (transport failure: ");
    }
    place.write("letters/b.txt", "b");
    let ended = place.run(&job).code(4);
    assert!(!ended.err.contains("``"), "{ended:?}");
    ended
        .says("waiting for the agent, which cannot be reached: transport failure")
        .says("the agent could not be reached (transport failure: ");
    // Nor is the first one of several, if they are asked about one by one.
    place.run(&[&job[..], &["-n", "1"]].concat()).code(4).says("0 of 2 done, 0 failed");
    let report = place.run(&[&job[..], &["--json"]].concat()).code(4);
    assert!(report.err.contains("\"agent_error\":\"transport failure"), "{report:?}");
}

#[test]
fn a_dry_run_counts_a_document_once() {
    let place = place();
    let dry = |words: &[&str]| place.run(&with_program("run", &[words, &["--dry-run", "-q"]].concat()));
    let twice = dry(&["letters", "letters/a.txt", "./letters/a.txt"]).code(0);
    assert!(twice.out.starts_with("1 document: 0 known (0 without an answer), 1 to ask"), "{twice:?}");
    place.write("rows.csv", "key,text\n1,a\n1,b\n");
    dry(&["rows.csv", "--key", "key"])
        .code(2)
        .says("two different documents have the key `1`: rows.csv:2 and rows.csv:3");
    place.write("more.jsonl", "{\"key\": 2, \"text\": \"a\"}\n{\"key\": 1, \"text\": \"a\"}\n");
    place.write("rows.csv", "key,text\n1,a\n");
    dry(&["rows.csv", "more.jsonl", "--key", "key"]).code(0);
    place.write("last.csv", "text,key\nb,2\n");
    let job = ["rows.csv", "more.jsonl", "last.csv", "--key", "key"];
    let says = "two different documents have the key `2`: more.jsonl:1 and last.csv:2";
    dry(&job).code(2).says(says);
    place.run(&with_program("run", &job)).code(2).says(says);
    // A pipe cannot be read again.
    let piped = ["run", "-s", "invoice.json", "--command", "cat", "--as", "csv", "--key", "key", "--dry-run"];
    let ended = place.pipe("key,text\n1,a\n1,b\n", &piped).code(2);
    ended.says("two different documents have the key `1`\n");
}
