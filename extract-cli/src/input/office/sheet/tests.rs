//! Workbooks that are built here, part by part.

use clap::{Args as _, Command, FromArgMatches as _};

use super::{row::MAX_ROWS, *};
use crate::input::{item::Content, office::tests::archive};

fn columns(words: &[&str]) -> Columns {
    let words = [&["x"], words].concat();
    Columns::from_arg_matches(&Columns::augment_args(Command::new("x")).get_matches_from(words)).unwrap()
}

const WORKBOOK: &str = r#"<workbook xmlns:r="r"><workbookPr/><sheets><sheet name="Letters" sheetId="1" r:id="r1"/>
    <sheet name="Other" sheetId="2" r:id="r2"/><sheet name="Secret" sheetId="3" state="hidden" r:id="r1"/></sheets></workbook>"#;
const STRINGS: &str = r#"<sst uniqueCount="99999999999999999"><si><t>id</t></si><si><t>text</t></si><si/><si><r><t>one </t></r><r>
    <t>letter</t></r></si></sst>"#;
const STYLES: &str = r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/></numFmts><cellStyleXfs><xf
    numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="4"/></cellXfs></styleSheet>"#;
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A workbook whose first sheet has these rows, and whose second one those.
fn excel(rows: &str, other: &str) -> Vec<u8> {
    let relation = |id: &str, kind: &str, target: &str| {
        format!(r#"<Relationship Id="{id}" Type="{OFFICE}/{kind}" Target="{target}"/>"#)
    };
    let all = |relations: &[String]| format!("<Relationships>{}</Relationships>", relations.concat());
    let sheet = |rows: &str| {
        format!(r#"<worksheet><dimension ref="A1:XFD1048576"/><sheetData>{rows}</sheetData></worksheet>"#)
    };
    archive(&[
        ("_rels/.rels", &all(&[relation("a", "officeDocument", "xl/workbook.xml")])),
        (
            "xl/_rels/workbook.xml.rels",
            &all(&[
                relation("r1", "worksheet", "worksheets/sheet1.xml"),
                relation("r2", "worksheet", "/xl/worksheets/sheet2.xml"),
                relation("r3", "sharedStrings", "sharedStrings.xml"),
                relation("r4", "styles", "styles.xml"),
            ]),
        ),
        ("xl/workbook.xml", WORKBOOK),
        ("xl/sharedStrings.xml", STRINGS),
        ("xl/styles.xml", STYLES),
        ("xl/worksheets/sheet1.xml", &sheet(rows)),
        ("xl/worksheets/sheet2.xml", &sheet(other)),
    ])
}

fn open_document(tables: &str) -> Vec<u8> {
    let content = format!(
        r#"<office:document-content xmlns:office="o" xmlns:table="t" xmlns:text="x" xmlns:style="s"><office:automatic-styles>
        <style:style style:name="ta2"><style:table-properties table:display="false"/></style:style></office:automatic-styles>
        <office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body></office:document-content>"#
    );
    archive(&[("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", &content)])
}

/// Key, text and meta of every row, or the error.
fn shown(workbook: &[u8], sheets: &[&str], words: &[&str]) -> Vec<String> {
    let sheets: Vec<_> = sheets.iter().map(|name| (*name).to_owned()).collect();
    items("b.xlsx", workbook, &sheets, &columns(words))
        .map(|item| match item {
            Ok(InputItem { key, content: Content::Text(document), meta, .. }) => {
                format!("{key} | {} | {meta}", document.text())
            }
            Ok(item) => format!("{item:?}"),
            Err(error) => format!("error: {error}"),
        })
        .collect()
}

const HEADER: &str = r#"<row r="3"><c r="B3" t="s"><v>0</v></c><c r="C3" t="s"><v>1</v></c><c r="D3" t="inlineStr"><is>
    <t>when</t></is></c><c r="E3" t="str"><v>sum</v></c></row>"#;

#[test]
fn rows_of_an_excel_sheet_are_documents() {
    let rows = format!(
        r#"<row r="1"/>{HEADER}<row r="4"><c r="B4"><v>7</v></c><c r="C4" t="s"><v>3</v></c><c r="D4" s="1"><v>46053</v></c>
        <c r="E4" s="2"><f>A1+1</f><v>1064.3999999999999</v></c></row>
        <row r="5"><c r="C5" s="2"/></row>
        <row r="7"><c r="C7"><v>12.50</v></c><c r="D7" t="b"><v>1</v></c><c r="E7" t="e"><v>#N/A</v></c></row>
        <row><c t="s"><v>2</v></c><c><v>1</v></c><c t="str"><v>a_x000D_
b</v></c></row>"#
    );
    assert_eq!(
        shown(&excel(&rows, ""), &[], &["--meta", "id,when,sum"]),
        [
            "b.xlsx:Letters:4 | one letter | {\"id\":7,\"when\":\"2026-01-31\",\"sum\":1064.4}",
            "b.xlsx:Letters:7 | 12.5 | {\"id\":null,\"when\":true,\"sum\":\"#N/A\"}",
            "b.xlsx:Letters:8 | a\nb | {\"id\":1,\"when\":null,\"sum\":null}",
        ]
    );
    let keys = shown(&excel(&rows, ""), &[], &["--key", "id"]);
    assert_eq!(keys[0], "7 | one letter | null");
    assert_eq!(keys[1], "error: b.xlsx:Letters:7: `id` is no key: null");
    assert_eq!(
        shown(&excel(&rows, ""), &[], &["--text", "body"])[0],
        "error: b.xlsx:Letters:4: no column `body`, which `--text` asks for; there is `id`, `text`, `when`, `sum`"
    );
}

#[test]
fn sheets_are_named_if_there_are_several() {
    let row = |text: &str| format!("<row><c t=\"str\"><v>{text}</v></c></row>");
    let both = || excel(&format!("{}{}", row("text"), row("a")), &format!("{}{}", row("text"), row("b")));
    assert_eq!(
        shown(&both(), &[], &[]),
        ["error: b.xlsx: several sheets have values; name those to read with `--sheet`: `Letters`, `Other`"]
    );
    assert_eq!(shown(&both(), &["Other"], &[]), ["b.xlsx:Other:2 | b | null"]);
    assert_eq!(
        shown(&both(), &["Secret", "Other"], &[]),
        ["b.xlsx:Secret:2 | a | null", "b.xlsx:Other:2 | b | null"]
    );
    assert_eq!(
        shown(&both(), &["Non"], &[]),
        ["error: b.xlsx: no sheet `Non`, which `--sheet` asks for; there is `Letters`, `Other`, `Secret`"]
    );
}

#[test]
fn a_formula_without_its_result_is_an_error_where_it_is_used() {
    let rows = format!(
        r#"{HEADER}<row r="4"><c r="C4" t="str"><v>a</v></c><c r="E4"><f>SUM(A1)</f></c></row>
        <row r="5"><c r="C5"><f>A1</f><v></v></c></row>"#
    );
    assert_eq!(shown(&excel(&rows, ""), &[], &[])[0], "b.xlsx:Letters:4 | a | null");
    let errors = shown(&excel(&rows, ""), &[], &["--meta", "sum"]);
    assert!(
        errors[0].starts_with("error: b.xlsx:Letters:4: the cell in `sum` is a formula without its result")
    );
    assert!(errors[1].contains("the cell in `text` is a formula"), "{errors:?}");
    let cells = |cell: &str| {
        format!(
            r#"<table:table table:name="A"><table:table-row><table:table-cell office:value-type="string"><text:p>text</text:p>
            </table:table-cell></table:table-row><table:table-row><table:table-cell table:formula="of:=1+1" {cell}/>
            </table:table-row></table:table>"#
        )
    };
    assert_eq!(
        shown(&open_document(&cells(r#"office:value-type="float" office:value="2""#)), &[], &[]),
        ["b.xlsx:A:2 | 2 | null"]
    );
    assert!(shown(&open_document(&cells("")), &[], &[])[0].contains("is a formula without its result"));
}

#[test]
fn damaged_and_hostile_sheets_are_errors() {
    for (rows, why) in [
        ("<row r='2'/><row r='1'/>", "the rows are not in their order: 1 follows 2"),
        ("<row r='9999999'/>", "more than 1048576 rows"),
        ("<row r='x'/>", "the row `x` is not a number"),
        ("<row><c r='XFE1'/></row>", "`XFE1` is not a cell"),
        ("<row><c r='B1'><v>1</v></c><c r='A1'><v>1</v></c></row>", "not in their order"),
        ("<row><c t='s'><v>4</v></c></row>", "row 1, column 1: there is no string `4`"),
        ("<row><c t='s'><v>-1</v></c></row>", "there is no string `-1`"),
        ("<row><c><v>1e999</v></c></row>", "`1e999` is not a number"),
        ("<row><c t='b'><v>2</v></c></row>", "not a truth value"),
        ("<row><c t='x'><v>2</v></c></row>", "the kind `x`"),
        ("<row><c>", "damaged"),
    ] {
        let errors = shown(&excel(rows, ""), &[], &[]);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].starts_with("error: b.xlsx") && errors[0].contains(why), "{errors:?}");
    }
    for bytes in [&b""[..], b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"no"] {
        assert!(shown(bytes, &[], &[])[0].starts_with("error: b.xlsx: "));
    }
    let whole = excel(HEADER, "");
    for at in (0..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0xff;
        shown(&damaged, &[], &[]);
        shown(&whole[..at], &[], &[]);
    }
}

#[test]
fn a_string_that_many_cells_share_is_in_memory_once() {
    // A million rows of a long string, of which each is made when it is asked for.
    let long = format!("<sst><si><t>text</t></si><si><t>{}</t></si></sst>", "x".repeat(1 << 20));
    let row = "<row><c t=\"s\"><v>1</v></c></row>";
    let rows = format!("<row><c t=\"s\"><v>0</v></c></row>{}", row.repeat(100_000));
    let bytes = archive(&[
        ("_rels/.rels", &format!("<a><Relationship Id='a' Type='{OFFICE}/officeDocument' Target='w'/></a>")),
        (
            "_rels/w.rels",
            &format!(
                "<a><Relationship Id='a' Type='{OFFICE}/worksheet' Target='s'/><Relationship Id='b' \
                 Type='{OFFICE}/sharedStrings' Target='t'/></a>"
            ),
        ),
        ("w", "<workbook><sheet name='S' id='a'/></workbook>"),
        ("s", &format!("<worksheet><sheetData>{rows}</sheetData></worksheet>")),
        ("t", &long),
    ]);
    assert!(items("b.xlsx", bytes.as_slice(), &[], &columns(&[])).take(3).all(|item| item.is_ok()));
}

#[test]
fn rows_of_an_opendocument_sheet_are_documents() {
    let text = |text: &str| {
        format!(r#"<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>"#)
    };
    let tables = format!(
        r#"<table:table table:name="Hidden" table:style-name="ta2"><table:table-row>{}</table:table-row></table:table>
        <table:table table:name="A"><table:table-column/><table:table-row table:number-rows-repeated="2"><table:table-cell
        table:number-columns-repeated="16384"/></table:table-row>
        <table:table-header-rows><table:table-row>{}{}{}{}</table:table-row></table:table-header-rows>
        <table:table-row table:number-rows-repeated="2"><table:table-cell office:value-type="float" office:value="7"><text:p>7,0
        </text:p></table:table-cell><table:table-cell office:value-type="string"><office:annotation><text:p>no</text:p>
        </office:annotation><text:p>a<text:s text:c="2"/><text:span>b</text:span></text:p><text:p>c</text:p></table:table-cell>
        <table:table-cell office:value-type="date" office:date-value="2026-01-31T00:00:00"><text:p>31.1.</text:p></table:table-cell>
        <table:table-cell office:value-type="time" office:time-value="PT13H45M00S"/></table:table-row>
        <table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="999999999"/>
        </table:table-row></table:table>"#,
        text("no"),
        text("id"),
        text("text"),
        text("when"),
        text("time"),
    );
    let row = "a  b\nc | {\"id\":7,\"when\":\"2026-01-31\",\"time\":\"13:45:00\"}";
    assert_eq!(
        shown(&open_document(&tables), &[], &["--meta", "id,when,time"]),
        [format!("b.xlsx:A:4 | {row}"), format!("b.xlsx:A:5 | {row}")]
    );
}

#[test]
fn repetitions_of_an_opendocument_sheet_are_limited() {
    let cell = |count: &str| {
        format!(
            r#"<table:table-cell table:number-columns-repeated="{count}" office:value-type="string"><text:p>text</text:p>
            </table:table-cell>"#
        )
    };
    let table = |rows: &str, cells: &str| {
        format!(
            r#"<table:table table:name="A"><table:table-row table:number-rows-repeated="{rows}">{cells}</table:table-row>
            </table:table>"#
        )
    };
    for (rows, columns, why) in [
        ("1", "999999999999", "more than 16384 columns"),
        ("1", "99999999999999999999999999", "not a number of repetitions"),
        ("-1", "1", "not a number of repetitions"),
    ] {
        let errors = shown(&open_document(&table(rows, &cell(columns))), &[], &[]);
        assert!(errors[0].contains(why), "{errors:?}");
    }
    let endless = open_document(&table("999999999999", &cell("1")));
    let count = items("b.ods", endless.as_slice(), &[], &columns(&[])).count();
    assert_eq!(count as u64, MAX_ROWS, "the rows after the header, and the error");
    let deep = open_document(&"<a>".repeat(100_000));
    assert!(shown(&deep, &[], &[])[0].contains("256 levels"));
}
