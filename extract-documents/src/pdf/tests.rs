//! Tests with generated files, as small as possible.

use std::fmt::Write as _;

use super::{PdfError, pdf};

/// A file of these objects, numbered from 1. The first one is the catalog.
fn file(objects: &[String], trailer: &str) -> Vec<u8> {
    let (mut file, mut places) = ("%PDF-1.7\n".to_owned(), String::new());
    for (object, number) in objects.iter().zip(1..) {
        let _ = writeln!(places, "{:010} 00000 n ", file.len());
        let _ = writeln!(file, "{number} 0 obj\n{object}\nendobj");
    }
    let (count, start) = (objects.len() + 1, file.len());
    let _ = write!(
        file,
        "xref\n0 {count}\n0000000000 65535 f \n{places}trailer\n<</Size {count}/Root 1 0 R{trailer}>>\nstartxref\n{start}\n%%EOF"
    );
    file.into_bytes()
}

fn stream(dictionary: &str, content: &str) -> String {
    format!("<</Length {}{dictionary}>>\nstream\n{content}\nendstream", content.len())
}

/// The resources that the pages of [`pages`] may use: a font with known widths, an image, and a
/// form.
const RESOURCES: &str = "/Resources<</Font<</F 3 0 R>>/XObject<</Image 4 0 R/Form 5 0 R>>>>";

/// A file with a page for each of `contents`.
fn pages(contents: &[&str]) -> Vec<u8> {
    let widths = "500 ".repeat(95);
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        String::new(),
        format!(
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 126/Widths[{widths}]>>"
        ),
        stream("/Type/XObject/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8", "x"),
        stream(
            &format!("/Type/XObject/Subtype/Form/BBox[0 0 9 9]{RESOURCES}"),
            "BT /F 10 Tf 0 300 Td (from a form) Tj ET",
        ),
    ];
    let mut kids = String::new();
    for content in contents {
        let page = objects.len() + 1;
        let _ = write!(kids, "{page} 0 R ");
        objects.push(format!("<</Type/Page/Parent 2 0 R{RESOURCES}/Contents {} 0 R>>", page + 1));
        objects.push(stream("", content));
    }
    objects[1] = format!("<</Type/Pages/Count {}/Kids[{kids}]>>", contents.len());
    file(&objects, "")
}

/// The text of a file with one page.
fn text(content: &str) -> String {
    pdf(pages(&[content])).unwrap().text().to_owned()
}

#[test]
fn pages_are_sections_and_quotes_have_their_page() {
    let file = pages(&[
        "BT /F 12 Tf 72 700 Td (The tenant shall pay the) Tj ET",
        "BT /F 12 Tf 72 700 Td (rent in advance.) Tj ET",
        "",
    ]);
    let document = pdf(file).unwrap();
    assert_eq!(document.text(), "The tenant shall pay the\nrent in advance.\n");
    let span = document.find("pay the rent in advance").unwrap()[0].span();
    assert_eq!(span.page(), Some(1));
    assert_eq!(document.find("advance").unwrap()[0].span().page(), Some(2));
    assert_eq!(document.sections().len(), 3);
}

#[test]
fn words_and_lines_follow_from_places() {
    // A letter is 5 wide at size 10.
    let lines = "BT /F 10 Tf 14 TL 50 700 Td (one) Tj T* (two) Tj (three) ' 0 -40 Td (four) Tj ET";
    assert_eq!(text(lines), "one\ntwo\nthree\n\nfour");
    assert_eq!(text("BT /F 10 Tf [(Ren) 30 (tal) -300 (fee)] TJ ET"), "Rental fee");
    assert_eq!(text("BT /F 10 Tf 0 0 Td (left) Tj 23 0 Td (right) Tj ET"), "left right");
    assert_eq!(text("BT /F 10 Tf (wo) Tj 10 0 Td (rd) Tj ET"), "word");
    assert_eq!(text("BT /F 10 Tf 0 50 Td (up) Tj 1 0 0 1 10 50 Tm (on) Tj ET"), "upon");
    // The same in units ten times as large.
    assert_eq!(text("10 0 0 10 0 0 cm BT /F 1 Tf (a) Tj .5 0 Td (b) Tj .8 0 Td (c) Tj ET"), "ab c");
    // Spacing also moves the text that follows.
    assert_eq!(text("BT /F 10 Tf 3 Tc (ab) Tj ET BT /F 10 Tf 16 0 Td (c) Tj ET"), "abc");
    assert_eq!(text("q 2 0 0 2 0 0 cm Q BT /F 10 Tf (a) Tj 5 0 Td (b) Tj ET"), "ab");
}

#[test]
fn forms_are_text_too() {
    assert_eq!(text("BT /F 10 Tf 0 400 Td (before) Tj ET /Form Do"), "before\n\nfrom a form");
}

#[test]
fn pages_without_text_are_named_and_the_others_kept() {
    let words = "BT /F 12 Tf (words) Tj ET";
    let error = pdf(pages(&["/Image Do", words, "", "/Image Do"])).unwrap_err();
    assert!(error.to_string().starts_with("2 of 4 pages of the PDF have no text layer (1, 4)"), "{error}");
    let PdfError::NoText { pages: lacking, document } = error else { panic!("{error}") };
    assert_eq!((lacking, document.text().trim()), (vec![1, 4], "words"));
    assert_eq!(document.find("words").unwrap()[0].span().page(), Some(2));
    // With text behind or next to the image, the page counts as one with text.
    assert_eq!(text("/Image Do BT 3 Tr /F 12 Tf (recognised) Tj ET"), "recognised");
}

#[test]
fn unknown_characters_are_told() {
    assert_eq!(text("BT /F 12 Tf (a\\003b) Tj ET"), "a\u{fffd}b");
    // A font that is not there.
    let error = pdf(pages(&["BT /G 12 Tf (secret) Tj ET"])).unwrap_err();
    assert!(matches!(&error, PdfError::NoText { pages, .. } if pages == &[1]), "{error}");
}

#[test]
fn what_is_no_pdf_is_an_error() {
    for bytes in [&b""[..], b"%PDF-1.7", b"<html>", &[0xff; 2_000]] {
        assert!(matches!(pdf(bytes), Err(PdfError::Unreadable { .. })));
    }
    let catalog = "<</Type/Catalog/Pages 2 0 R>>".to_owned();
    let empty = file(&[catalog, "<</Type/Pages/Count 0/Kids[]>>".to_owned()], "");
    assert!(matches!(pdf(empty), Err(PdfError::NoPages)));
}

#[test]
fn a_file_that_needs_a_password_is_told() {
    let mut objects: Vec<String> = vec!["<</Type/Catalog/Pages 2 0 R>>".to_owned()];
    objects.push("<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned());
    objects.push("<</Type/Page/Parent 2 0 R>>".to_owned());
    let key = "00".repeat(32);
    objects.push(format!("<</Filter/Standard/V 1/R 2/P -4/O<{key}>/U<{key}>>>"));
    let locked = file(&objects, &format!("/Encrypt 4 0 R/ID[<{key}><{key}>]"));
    let error = pdf(locked).unwrap_err();
    assert!(matches!(error, PdfError::Encrypted), "{error:?}");
}

#[test]
fn forms_that_draw_themselves_end() {
    let form = stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</Form 4 0 R>>>>",
        "/Form Do /Form Do",
    );
    let page = "<</Type/Page/Parent 2 0 R/Resources<</XObject<</Form 4 0 R>>>>/Contents 4 0 R>>".to_owned();
    let (catalog, tree) = ("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 1/Kids[3 0 R]>>");
    let error = pdf(file(&[catalog.to_owned(), tree.to_owned(), page, form], "")).unwrap_err();
    assert!(matches!(error, PdfError::Unreadable { .. }), "{error:?}");
}

#[test]
fn a_page_tree_that_holds_itself_ends() {
    let (catalog, tree) = ("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Count 9/Kids[2 0 R 2 0 R]>>");
    assert!(pdf(file(&[catalog.to_owned(), tree.to_owned()], "")).is_err());
}

#[test]
fn torn_and_changed_files_never_panic() {
    let whole = pages(&["BT /F 12 Tf 72 700 Td [(The) -300 (tenant)] TJ ET /Form Do /Image Do", "q Q"]);
    for end in 0..whole.len() {
        let _ = pdf(&whole[..end]);
    }
    // Replaces every byte by some that have a meaning in the format.
    for place in 0..whole.len() {
        for byte in *b"9<[\xff" {
            let mut changed = whole.clone();
            changed[place] = byte;
            let _ = pdf(changed);
        }
    }
}

/// The end of a file is not lost silently.
#[test]
fn a_file_that_was_cut_is_whole_or_refused() {
    let whole =
        pages(&["BT /F 10 Tf 50 500 Td (one) Tj ET", "/Form Do", "BT /F 10 Tf 50 500 Td (two) Tj ET"]);
    let text = pdf(&whole).unwrap().text().to_owned();
    for end in 0..whole.len() {
        if let Ok(document) = pdf(&whole[..end]) {
            assert_eq!(document.text(), text, "cut at {end} of {}", whole.len());
        }
    }
}

/// A file whose page has this content, and `resources` of the objects from 5 on.
fn hostile(content: &str, resources: &str, objects: impl IntoIterator<Item = String>) -> Vec<u8> {
    let page = format!("<</Type/Page/Parent 2 0 R/Resources<<{resources}>>/Contents 4 0 R>>");
    let mut all = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Count 1/Kids[3 0 R]>>".to_owned(),
        page,
        stream("", content),
    ];
    all.extend(objects);
    file(&all, "")
}

/// Asserts that reading it ends with this limit.
fn assert_too_large(file: Vec<u8>, reason: &str) {
    match pdf(file) {
        Err(PdfError::TooLarge { reason: found }) => assert!(found.contains(reason), "{found}"),
        other => panic!("{other:?}, not {reason}"),
    }
}

#[test]
fn operands_of_one_operation_are_bounded() {
    for part in ["0 ", "[]", "<00>", "/a "] {
        let operands = part.repeat((600 << 10) / part.len());
        assert_too_large(hostile(&format!("{operands} Tj"), "", []), "KiB of operands");
        assert_too_large(hostile(&operands, "", []), "KiB of operands");
    }
}

#[test]
fn fonts_share_one_bound() {
    let names = |count: usize| {
        let fonts = (0..count).map(|font| format!("/F{font} {} 0 R", 6 + font));
        let content = (0..count).map(|font| format!("/F{font} 1 Tf "));
        (format!("/Font<<{}>>", fonts.collect::<String>()), content.collect::<String>())
    };
    // The widths of all codes, which each font has in memory.
    let (resources, content) = names(200);
    let widths = "<</Type/Font/Subtype/CIDFontType2/W[0 65535 500]>>".to_owned();
    let fonts = (0..200).map(|_| "<</Type/Font/Subtype/Type0/DescendantFonts[5 0 R]>>".to_owned());
    assert_too_large(hostile(&content, &resources, [widths].into_iter().chain(fonts)), "fonts take");
    // A table of a few bytes for four billion characters.
    let (resources, content) = names(1);
    let range = "1 begincodespacerange <00000000> <ffffffff> endcodespacerange 1 beginbfrange <00000000> <ffffffff> \
                 <0041> endbfrange";
    for key in ["ToUnicode", "Encoding"] {
        let font = format!("<</Type/Font/Subtype/Type0/{key} 5 0 R>>");
        assert_too_large(hostile(&content, &resources, [stream("", range), font]), "fonts take");
    }
}

#[test]
fn forms_in_forms_share_one_bound() {
    // Each of ten levels draws the next one ten times: ten billion forms.
    let level = |number: usize| {
        let resources = format!("/Resources<</XObject<</X {} 0 R>>>>", 6 + number);
        stream(&format!("/Type/XObject/Subtype/Form/BBox[0 0 9 9]{resources}"), &"/X Do ".repeat(10))
    };
    let last = stream("/Type/XObject/Subtype/Form/BBox[0 0 9 9]", "");
    let forms = (0..10).map(level).chain([last]);
    assert_too_large(hostile("/X Do", "/XObject<</X 5 0 R>>", forms), "of content");
}

/// A compressed stream, as text.
fn compressed(dictionary: &str, content: &str) -> String {
    let mut packed = lopdf::Stream::new(lopdf::Dictionary::new(), content.into());
    packed.compress().unwrap();
    let hex = packed.content.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    // A short one stays as it is.
    let filter = if packed.is_compressed() { "/FlateDecode" } else { "" };
    stream(&format!("/Filter[/ASCIIHexDecode{filter}]{dictionary}"), &format!("{hex}>"))
}

/// An object stream with one object.
fn object_stream(number: usize, object: &str) -> String {
    let index = format!("{number} 0 ");
    compressed(&format!("/Type/ObjStm/N 1/First {}", index.len()), &format!("{index}{object}"))
}

#[test]
fn compressed_objects_are_read() {
    let content = "BT /F 12 Tf (words) Tj ET";
    let mut objects = vec![
        "<</Type/Catalog/Pages 9000 0 R>>".to_owned(),
        object_stream(9_000, "<</Type/Pages/Count 1/Kids[3 0 R]>>"),
        "<</Type/Page/Parent 9000 0 R/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R>>".to_owned(),
        stream("", content),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
    ];
    assert_eq!(pdf(file(&objects, "")).unwrap().text(), "words");
    // As many as a large file has, in proportion.
    let real = "<</Type/Annot/Rect[0 0 10 10]/Contents(a note)>>";
    objects.extend((0..50).map(|number| object_stream(1_000 + number, &format!("[{}]", real.repeat(50)))));
    assert_eq!(pdf(file(&objects, "")).unwrap().text(), "words");
}

#[test]
fn object_streams_share_one_bound() {
    // Together 64 MiB of zeros in some 200 kB: four gigabytes in memory.
    let zeros = format!("[{}]", "0 ".repeat(512 << 10));
    let stream = object_stream(1_000, &zeros);
    let many = hostile("", "", vec![stream; 64]);
    assert!(many.len() < 300 << 10, "{}", many.len());
    assert_too_large(many, "its objects take more than");
    // One stream alone.
    let one = object_stream(1_000, &format!("[{}]", "0 ".repeat(3 << 20)));
    assert_too_large(hostile("", "", [one]), "MiB");
}

#[test]
fn an_object_that_is_listed_often_counts_each_time() {
    let array = format!("[{}]", "0 ".repeat(10_000));
    let stream = stream("", &"0".repeat(20_000));
    for object in [array, stream] {
        let whole = String::from_utf8(hostile("", "", [object])).unwrap();
        let (body, table) = whole.split_once("xref\n0 6\n").unwrap();
        let mut entries: Vec<&str> = table.split_inclusive('\n').take(6).collect();
        let rest = &table[entries.iter().map(|entry| entry.len()).sum()..];
        entries.extend(vec![entries[5]; 2_000]);
        let many = format!("{body}xref\n0 {}\n{}{rest}", entries.len(), entries.concat());
        assert!(many.len() < 100 << 10);
        assert_too_large(many.into_bytes(), "its objects take more than");
    }
}
