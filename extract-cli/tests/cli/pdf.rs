//! The text of PDF files.

use std::fmt::Write as _;

use crate::program::{GOOD, Place};

/// A file with a page for each of `contents`, which are operators of a content stream.
fn pdf(contents: &[&str]) -> Vec<u8> {
    let font =
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 126";
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        String::new(),
        format!("{font}/Widths[{}]>>", "500 ".repeat(95)),
    ];
    let mut kids = String::new();
    for content in contents {
        let page = objects.len() + 1;
        write!(kids, "{page} 0 R ").unwrap();
        objects.push(format!(
            "<</Type/Page/Parent 2 0 R/Resources<</Font<</F 3 0 R>>>>/Contents {} 0 R>>",
            page + 1
        ));
        objects.push(format!("<</Length {}>>\nstream\n{content}\nendstream", content.len()));
    }
    objects[1] = format!("<</Type/Pages/Count {}/Kids[{kids}]>>", contents.len());
    let (mut file, mut places) = ("%PDF-1.7\n".to_owned(), String::new());
    for (number, object) in (1..).zip(&objects) {
        writeln!(places, "{:010} 00000 n ", file.len()).unwrap();
        writeln!(file, "{number} 0 obj\n{object}\nendobj").unwrap();
    }
    let (count, start) = (objects.len() + 1, file.len());
    write!(
        file,
        "xref\n0 {count}\n0000000000 65535 f \n{places}trailer\n<</Size {count}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF"
    )
    .unwrap();
    file.into_bytes()
}

/// A page that says `words`.
fn page(words: &str) -> String {
    format!("BT /F 10 Tf 50 500 Td ({words}) Tj ET")
}

fn place() -> Place {
    let place = Place::new();
    place.write("letter.pdf", pdf(&[&page("Invoice INV-3107"), &page("1,064.40 euros")]));
    place
}

#[test]
fn a_program_that_takes_text_is_given_the_text_of_a_pdf() {
    let place = place();
    let command = format!("sh -c 'cat > asked; echo \"$1\"' _ '{GOOD}'");
    let run = ["extract", "-s", "invoice.json", "--pdf-text", "--command", &command, "letter.pdf"];
    place.run(&run).code(0);
    let asked = place.text("asked");
    let pages = ["Invoice INV-3107", "1,064.40 euros"].map(|words| asked.find(words));
    assert!(pages[0].is_some() && pages[0] < pages[1], "{asked}");
}

#[test]
fn the_text_of_a_pdf_is_shown_with_its_values() {
    let place = place();
    let page = place.pipe(r#"{"total": 1064.4}"#, &["view", "document", "letter.pdf"]).code(0).out;
    assert!(page.contains("Invoice INV-3107") && page.contains(">1,064.40</a> euros"), "{page}");
}

#[test]
fn a_pdf_without_text_is_an_error_that_names_the_pages() {
    let place = Place::new();
    place.write("scan.pdf", pdf(&[&page("Invoice"), "BI /W 1 /H 1 /CS /G /BPC 8 ID x EI"]));
    place.write("torn.pdf", &pdf(&[&page("Invoice")])[..200]);
    let command = format!("echo '{GOOD}'");
    for (file, says) in
        [("scan.pdf", "1 of 2 pages of the PDF have no text layer (2)"), ("torn.pdf", "not a readable PDF")]
    {
        let run = ["extract", "-s", "invoice.json", "--pdf-text", "--command", &command, file];
        place.run(&run).code(2).says(file).says(says);
    }
}

#[test]
fn a_pdf_that_costs_too_much_ends_no_job() {
    let place = place();
    place.write("all/a.pdf", pdf(&[&page("Invoice INV-3107")]));
    place.write("all/b.pdf", pdf(&[&format!("{} Tj", "0 ".repeat(300 << 10))]));
    place.write("all/c.pdf", pdf(&[&page("Invoice INV-3108")]));
    let command = format!("sh -c 'cat > asked; echo \"$1\"' _ '{GOOD}'");
    let run = ["run", "-s", "invoice.json", "--pdf-text", "--command", &command, "all", "-o", "out.jsonl"];
    place.run(&run).code(1).says("all/b.pdf: the PDF is too large").says("1 skipped");
    assert_eq!(place.text("out.jsonl").lines().count(), 2);
}
