//! Word files, workbooks and e-mails among other documents.

use std::io::{Cursor, Write as _};

use serde_json::{Value, json};
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::program::{Ended, GOOD, Place};

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, part) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).unwrap();
        zip.write_all(part.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn relations(relations: &[(&str, &str)]) -> String {
    let relation = |(kind, target): &(&str, &str)| {
        format!("<Relationship Id='{target}' Type='{OFFICE}/{kind}' Target='{target}'/>")
    };
    format!("<Relationships>{}</Relationships>", relations.iter().map(relation).collect::<String>())
}

fn word(body: &str) -> Vec<u8> {
    let document = format!("<w:document xmlns:w='w'><w:body>{body}</w:body></w:document>");
    archive(&[("_rels/.rels", &relations(&[("officeDocument", "d.xml")])), ("d.xml", &document)])
}

/// A workbook with sheets of text.
fn workbook(sheets: &[(&str, &[&[&str]])]) -> Vec<u8> {
    let row = |row: &&[&str]| {
        let cells: String =
            row.iter().fold(String::new(), |cells, text| cells + "<c t='str'><v>" + text + "</v></c>");
        format!("<row>{cells}</row>")
    };
    let sheet = |rows: &[&[&str]]| {
        format!("<worksheet><sheetData>{}</sheetData></worksheet>", rows.iter().map(row).collect::<String>())
    };
    let listed: String =
        sheets.iter().map(|(name, _)| ["<sheet name='", name, "' id='", name, "'/>"].concat()).collect();
    let kinds: Vec<_> = sheets.iter().map(|(name, _)| ("worksheet", *name)).collect();
    let (package, related) = (relations(&[("officeDocument", "b.xml")]), relations(&kinds));
    let listed = format!("<workbook><sheets>{listed}</sheets></workbook>");
    let written: Vec<_> = sheets.iter().map(|(name, rows)| (*name, sheet(rows))).collect();
    let mut parts =
        vec![("_rels/.rels", package.as_str()), ("_rels/b.xml.rels", &related), ("b.xml", &listed)];
    parts.extend(written.iter().map(|(name, sheet)| (*name, sheet.as_str())));
    archive(&parts)
}

/// A folder with one document of each kind.
fn place() -> Place {
    let place = Place::new();
    place.write("reply", GOOD);
    place.write("mixed/a.txt", "Invoice INV-0001");
    let body = "<w:p><w:r><w:t>Invoice INV-0002</w:t><w:drawing><a:blip/></w:drawing></w:r></w:p>";
    place.write("mixed/b.DOCX", word(body));
    let rows: &[&[&str]] = &[&["text", "from"], &["Invoice INV-0003", "Ann"], &["Invoice INV-0004", "Bob"]];
    place.write("mixed/c.xlsx", workbook(&[("S1", rows), ("Empty", &[])]));
    place.write("mixed/d.eml", "Subject: Invoice INV-0005\r\nFrom: ann@example.org\r\n\r\nPlease pay.\r\n");
    place
}

fn run(place: &Place, words: &[&str]) -> Ended {
    let program = "sh -c 'cat >> asked; cat reply'";
    place.run(&[&["run", "-s", "invoice.json", "--command", program, "-n", "1"], words].concat())
}

#[test]
fn a_mixed_folder_is_read_by_the_endings() {
    let place = place();
    let ended = run(&place, &["mixed", "-o", "out.jsonl"]).code(0);
    ended.says("5 documents: 5 done").says("mixed/b.DOCX: 1 image is not read");
    let lines: Vec<Value> =
        place.text("out.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let keys: Vec<_> = lines.iter().map(|line| line["key"].as_str().unwrap()).collect();
    assert_eq!(
        keys,
        ["mixed/a.txt", "mixed/b.DOCX", "mixed/c.xlsx:S1:2", "mixed/c.xlsx:S1:3", "mixed/d.eml"]
    );
    let asked = place.text("asked");
    for text in
        ["INV-0001", "INV-0002[image]", "INV-0003", "INV-0004", "Subject: Invoice INV-0005\n\nPlease pay."]
    {
        assert!(asked.contains(text), "{text}");
    }
    // The same documents again: nothing is asked.
    run(&place, &["mixed", "-o", "out.jsonl"]).code(0).says("5 known before");
    assert_eq!(place.text("asked"), asked);
    let quiet = run(&place, &["mixed/b.DOCX", "--quiet"]).code(0);
    assert_eq!(quiet.err, "");
}

#[test]
fn a_sheet_is_chosen_by_its_name() {
    let place = place();
    let rows = |text: &'static str| vec![&["body", "id"][..], Vec::leak(vec![text, "x"])];
    place.write("two.xlsx", workbook(&[("One", &rows("INV-1111")), ("Two", &rows("INV-2222"))]));
    let two = ["two.xlsx", "--text", "body", "--meta", "id"];
    run(&place, &two).code(2).says("two.xlsx: several sheets have values").says("`One`, `Two`");
    run(&place, &[&two[..], &["--sheet", "three"]].concat()).code(2).says("there is `One`, `Two`");
    let ended = run(&place, &[&two[..], &["--sheet", "Two"]].concat()).code(0);
    assert_eq!(ended.json()["key"], json!("two.xlsx:Two:2"));
    assert_eq!(ended.json()["meta"], json!({"id": "x"}));
    assert!(!place.text("asked").contains("INV-1111"));
    run(&place, &["mixed/a.txt", "--sheet", "S1"]).code(2).says("no input is a workbook");
}

#[test]
fn a_document_comes_through_a_pipe_if_its_format_is_named() {
    let place = place();
    let extract =
        ["extract", "-s", "invoice.json", "--command", "sh -c 'cat >> asked; cat reply'", "--as", "eml"];
    place.pipe("Subject: Invoice INV-0006\n\nHello", &extract).code(0);
    assert!(place.text("asked").contains("Subject: Invoice INV-0006\n\nHello"));
    // And one that is a file may be read as it is.
    run(&place, &["mixed/d.eml", "--as", "text"]).code(0);
    assert!(place.text("asked").contains("Subject: Invoice INV-0005\r\nFrom"));
    run(&place, &["mixed/b.DOCX", "--as", "text"]).code(2).says("a ZIP archive").says(".docx");
    let read = ["validate", "-s", "invoice.json", "reply", "--document"];
    place.run(&[&read[..], &["mixed/b.DOCX"]].concat()).code(0);
    place.run(&[&read[..], &["mixed/c.xlsx"]].concat()).code(2).says("its rows are documents");
}

#[test]
fn hostile_and_damaged_files_are_named_with_their_limit() {
    let place = place();
    let mut bomb = word("");
    // The size that the archive declares for its last part.
    let size = 54_u32.to_le_bytes();
    let at = (0..bomb.len() - 4).rfind(|at| bomb[*at..*at + 4] == size).expect("the size of `d.xml`");
    bomb[at..at + 4].copy_from_slice(&0x7fff_ffff_u32.to_le_bytes());
    for (name, bytes, says) in [
        ("bomb.docx", bomb, "unpacks to more than 256 MiB"),
        ("deep.docx", word(&"<w:p>".repeat(5_000)), "nest deeper than 256 levels"),
        ("laugh.docx", word("<w:p>&lol;</w:p>"), "the entity `lol`"),
        ("wide.xlsx", workbook(&[("S", &[&vec!["x"; 16_385][..]])]), "more than 16384 columns"),
        ("old.xlsx", b"\xd0\xcf\x11\xe0".to_vec(), "password"),
        ("no.eml", b"just text".to_vec(), "no header lines"),
    ] {
        place.write(name, bytes);
        run(&place, &[name]).code(2).says(name).says(says);
        // The others are asked about.
        run(&place, &[name, "mixed/a.txt", "--skip-unreadable"]).code(1).says("1 skipped").says("1 done");
    }
}
