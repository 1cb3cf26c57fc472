//! Word files that are built here, part by part.

use super::*;
use crate::input::office::tests::archive;

const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A file with this body, and further parts with their kinds.
fn file(body: &str, parts: &[(&str, &str)]) -> Vec<u8> {
    let relation = |kind: &str, target: &str| {
        format!(r#"<Relationship Id="r{target}" Type="{OFFICE}/{kind}" Target="{target}"/>"#)
    };
    let package = format!("<a>{}</a>", relation("officeDocument", "word/document.xml"));
    let names: Vec<_> = (0..parts.len()).map(|index| format!("part{index}.xml")).collect();
    let related: String = parts.iter().zip(&names).map(|((kind, _), name)| relation(kind, name)).collect();
    let document = format!(r#"<w:document xmlns:w="w"><w:body>{body}</w:body></w:document>"#);
    let related = format!("<a>{related}</a>");
    let mut all = vec![
        ("_rels/.rels", package.as_str()),
        ("word/_rels/document.xml.rels", &related),
        ("word/document.xml", &document),
    ];
    let paths: Vec<_> = names.iter().map(|name| format!("word/{name}")).collect();
    all.extend(paths.iter().zip(parts).map(|(path, (_, part))| (path.as_str(), *part)));
    archive(&all)
}

fn text(body: &str) -> String {
    let read = read(file(body, &[])).unwrap();
    read.document.text().to_owned()
}

const P: &str = "<w:p><w:r><w:t>";
const END: &str = "</w:t></w:r></w:p>";

#[test]
fn paragraphs_headings_and_lists_have_their_marks() {
    let styles = r#"<styles><style styleId="H2"><name val="heading 2"/></style><style styleId="Mine"><basedOn val="H2"/></style>
        <style styleId="Loop"><basedOn val="Loop"/></style><style styleId="List"><pPr><numPr><numId val="1"/></numPr></pPr></style>
        </styles>"#;
    let numbering = r#"<numbering><abstractNum abstractNumId="0"><lvl ilvl="0"><numFmt val="decimal"/><lvlText val="%1."/></lvl>
        <lvl ilvl="1"><numFmt val="bullet"/></lvl></abstractNum><num numId="1"><abstractNumId val="0"/></num></numbering>"#;
    let paragraph = |properties: &str, text: &str| {
        format!("<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let body = [
        paragraph("<w:pStyle w:val='Mine'/>", "Scope"),
        paragraph("<w:pStyle w:val='Loop'/>", "All."),
        paragraph("<w:pStyle w:val='List'/>", "one"),
        paragraph("<w:numPr><w:ilvl w:val='1'/><w:numId w:val='1'/></w:numPr>", "inner"),
        paragraph("<w:pStyle w:val='List'/>", "two"),
        "<w:p/>".to_owned(),
        paragraph("<w:outlineLvl w:val='0'/><w:rPr><w:vanish/></w:rPr>", "End"),
    ];
    let read = read(file(&body.concat(), &[("styles", styles), ("numbering", numbering)])).unwrap();
    assert_eq!(read.document.text(), "## Scope\n\nAll.\n\n1. one\n  - inner\n2. two\n\n# End\n");
    assert_eq!(read.document.headings().len(), 2);
    assert_eq!(read.remark, None);
}

#[test]
fn runs_are_joined_with_what_stands_between() {
    for (runs, joined) in [
        ("<w:r><w:t>a </w:t></w:r><w:hyperlink><w:r><w:t>b</w:t></w:r></w:hyperlink>", "a b"),
        ("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>", "a\tb\nc"),
        (
            "<w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>",
            "new",
        ),
        (
            "<w:r><w:rPr><w:strike/></w:rPr><w:t>5</w:t></w:r><w:r><w:rPr><w:strike/></w:rPr><w:t>0</w:t></w:r><w:r><w:t>40</w:t></w:r>",
            "~~50~~40",
        ),
        (
            "<w:r><w:t>10</w:t></w:r><w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>6</w:t></w:r>",
            "10⁶",
        ),
        (
            "<w:r><w:t>1</w:t></w:r><w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>st</w:t></w:r>",
            "1st",
        ),
        ("<w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>3</w:t></w:r>", "3"),
        (
            "<w:r><w:t>a</w:t><w:footnoteReference w:id='2'/><w:noBreakHyphen/><w:sym w:font='Wingdings' w:char='F0FE'/></w:r>",
            "a[^2]\u{2011}☒",
        ),
        (
            "<w:r><w:ruby><w:rt><w:r><w:t>no</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>a</w:t></w:r></w:rubyBase></w:ruby></w:r>",
            "a",
        ),
        (
            "<m:oMath><m:f><m:num><m:r><m:t>1</m:t></m:r></m:num><m:den><m:r><m:t>a+b</m:t></m:r></m:den></m:f></m:oMath>",
            "1/(a+b)",
        ),
        (
            "<w:r><w:ffData><w:checkBox><w:default w:val='0'/><w:checked/></w:checkBox></w:ffData></w:r>",
            "[x]",
        ),
        (
            "<w:r><w:ffData><w:ddList><w:result w:val='1'/><w:listEntry w:val='a'/><w:listEntry w:val='b'/></w:ddList></w:ffData></w:r>",
            "b",
        ),
    ] {
        assert_eq!(text(&format!("<w:p>{runs}</w:p>")), format!("{joined}\n"), "{runs}");
    }
}

#[test]
fn tables_are_written_in_markdown() {
    let cell = |text: &str| format!("<w:tc><w:tcPr/>{P}{text}{END}</w:tc>");
    let wide = format!("<w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>{P}wide{END}{P}two{END}</w:tc>");
    let row = |cells: &[&str]| format!("<w:tr>{}</w:tr>", cells.concat());
    let table = |rows: &str| format!("<w:tbl><w:tblPr/><w:tblGrid/>{rows}</w:tbl>");
    let rows = [row(&[&cell("a|b"), &cell("c")]), row(&[&wide]), row(&[&cell("")])].concat();
    let written = "| a\\|b | c |\n|---|---|\n| wide two |  |\n|  |  |";
    assert_eq!(text(&table(&rows)), format!("{written}\n"));
    let frame = row(&[&format!("<w:tc>{P}a{END}{}{P}b{END}</w:tc>", table(&rows))]);
    assert_eq!(text(&table(&frame)), format!("a\n\n{written}\n\nb\n"));
    let deleted = format!("<w:tr><w:trPr><w:del/></w:trPr>{}</w:tr>", cell("gone"));
    assert_eq!(text(&table(&[rows, deleted].concat())), format!("{written}\n"));
}

#[test]
fn what_is_outside_of_the_text_is_read_or_counted() {
    let image = "<w:drawing><wp:docPr descr='Logo of\nACME'/><a:blip/></w:drawing>";
    let text_box = "<mc:AlternateContent><mc:Choice><w:drawing><w:txbxContent><w:p><w:r><w:t>Boxed</w:t></w:r></w:p>\
                    </w:txbxContent></w:drawing></mc:Choice><mc:Fallback><w:pict><w:txbxContent><w:p><w:r><w:t>Boxed</w:t></w:r>\
                    </w:p></w:txbxContent></w:pict></mc:Fallback></mc:AlternateContent>";
    let body = format!(
        "<w:sdt><w:sdtPr><w:placeholder/></w:sdtPr><w:sdtContent>{P}Dear{END}</w:sdtContent></w:sdt>\
         <w:p><w:r>{text_box}<w:t>Text</w:t></w:r></w:p><w:p><w:r>{image}<w:drawing><c:chart/></w:drawing><w:object/></w:r></w:p>\
         <w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r><w:del><w:r/></w:del></w:p><w:altChunk/>"
    );
    let header = format!("<w:hdr xmlns:w='w'>{P}ACME GmbH{END}</w:hdr>");
    let footer = format!("<w:ftr xmlns:w='w'>{P}IBAN{END}</w:ftr>");
    let notes = format!(
        "<w:footnotes xmlns:w='w'><w:footnote w:type='separator' w:id='0'>{P}no{END}</w:footnote><w:footnote w:id='2'>{P}Net \
         price.{END}</w:footnote></w:footnotes>"
    );
    let comments = format!(
        "<w:comments xmlns:w='w'><w:comment w:id='0' w:author='Ann'>{P}Sure?{END}</w:comment></w:comments>"
    );
    let parts = [
        ("header", header.as_str()),
        ("header", &header),
        ("footer", &footer),
        ("footnotes", &notes),
        ("comments", &comments),
    ];
    let read = read(file(&body, &parts)).unwrap();
    assert_eq!(
        read.document.text(),
        "[header of the pages]\n\nACME GmbH\n\n[end of the header]\n\nDear\n\nText\n\nBoxed\n\n[image: Logo of \
         ACME][chart][object]\n\n[embedded document]\n\n[^2]: Net price.\n\n[comment 0] by Ann: Sure?\n\n[footer of the \
         pages]\n\nIBAN\n"
    );
    assert_eq!(
        read.remark.unwrap(),
        "1 image, 1 chart, 2 embedded objects, 1 tracked deletion, 1 hidden text are not read"
    );
}

#[test]
fn damaged_and_hostile_files_are_errors() {
    let fails = |bytes: Vec<u8>| read(bytes).err().unwrap_or_default();
    assert!(fails(b"PK\x03\x04".to_vec()).contains("damaged"));
    assert!(fails(archive(&[("a", "b")])).contains("not a Word file"));
    assert!(fails(file(&"<w:tbl><w:tr><w:tc>".repeat(1_000), &[])).contains("256 levels"));
    assert!(fails(file("<w:p>", &[])).contains("damaged"));
    assert!(fails(file("<w:p><w:r><w:t>&laugh;</w:t></w:r></w:p>", &[])).contains("the entity `laugh`"));
    let wide =
        "<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='99999999999'/></w:tcPr></w:tc><w:tc/></w:tr></w:tbl>";
    assert!(fails(file(wide, &[])).contains("more than 1000 columns"));
    // A little XML that makes much text, because every row is as wide as the widest.
    let wide = "<w:tr><w:tc><w:tcPr><w:gridSpan w:val='1000'/></w:tcPr></w:tc></w:tr>";
    let table = format!("<w:tbl>{wide}{}</w:tbl>", "<w:tr><w:tc/></w:tr>".repeat(40_000));
    assert!(fails(file(&table, &[])).contains("longer than 64 MiB"));
    // As deep as is allowed, on the stack of a thread.
    let depth = 80;
    let nested = format!(
        "{}{P}in{END}{}",
        "<w:tbl><w:tr><w:tc><w:p/>".repeat(depth),
        "</w:tc></w:tr></w:tbl>".repeat(depth)
    );
    let bytes = file(&nested, &[]);
    let deep = std::thread::spawn(move || read(bytes).map(|read| read.document.text().to_owned()));
    assert_eq!(deep.join().unwrap().unwrap().trim(), "in");
    let whole = file(&format!("{P}a{END}"), &[]);
    for at in (0..whole.len()).step_by(3) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0xff;
        let _ = super::super::word("a.docx", damaged);
        let _ = super::super::word("a.docx", whole[..at].to_vec());
    }
}
