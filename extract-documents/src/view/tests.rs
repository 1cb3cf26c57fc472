//! Tests of whole pages.

use std::ops::Range;

use extract::{
    Path,
    document::{Document, DocumentPart},
    metrics::ExtractionMetrics,
};
use serde_json::{Value, json};

use super::{View, escape::shown, view};

fn quote(document: &Document, range: Range<usize>) -> Value {
    json!({"words": document.text()[range.clone()], "span": document.span(range).unwrap()})
}

/// The part between the first `from` and the next `to`.
fn between<'h>(html: &'h str, from: &str, to: &str) -> &'h str {
    let (_, after) = html.split_once(from).unwrap_or_else(|| panic!("no {from}"));
    after.split_once(to).unwrap_or_else(|| panic!("no {to}")).0
}

/// The part of the page with the text, without switches and section names.
fn text(html: &str) -> String {
    let text = between(html, "<section id=text", "</section>\n<aside");
    text.split("<ol ").skip(1).map(|block| between(block, ">", "</ol>")).collect()
}

/// Pseudorandom numbers, the same in every run.
fn numbers() -> impl FnMut(usize) -> usize {
    let mut state = 0x2545_f491_u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    }
}

#[test]
fn the_page_shows_the_text_byte_for_byte_whatever_is_in_it() {
    let parts = [
        "<script>alert(1)</script>",
        "</section>",
        "<!--",
        "]]>",
        "\"'&amp;",
        "\n",
        "\r\n",
        "\r",
        "\t",
        " ",
        "word ",
        "\u{202e}evil\u{202c}",
        "שלום",
        "日本",
        "e\u{301}",
        "\u{1}",
        "\u{85}",
        "\u{2028}",
        "😀",
        "\u{feff}",
        "--><svg onload=x>",
    ];
    let mut number = numbers();
    for _ in 0..300 {
        let text: String = (0..number(60)).map(|_| parts[number(parts.len())]).collect();
        let document = Document::from_text(text.as_str());
        let ends: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
        let mut range = || {
            let (a, b) = (ends[number(ends.len())], ends[number(ends.len())]);
            a.min(b)..a.max(b)
        };
        let quotes: Vec<Value> = (0..12).map(|_| quote(&document, range())).collect();
        let view =
            view(&document, &json!({text.as_str(): quotes})).title(text.as_str()).gaps([range(), range()]);
        let html = view.html();
        assert_eq!(shown(&super::tests::text(html)), text);
        assert_eq!(html.matches("<script").count(), 1, "{text:?}");
        for tag in ["<svg", "<!--", "</section>\n</section>"] {
            assert!(!html.contains(tag), "{tag} of {text:?}");
        }
    }
}

#[test]
fn each_mark_leads_to_its_row_and_each_place_to_its_mark() {
    let mut number = numbers();
    let document = Document::from_text("one two\nthree four five\n\nsix seven\r\neight".repeat(20));
    let quotes: Vec<Value> = (0..200)
        .map(|_| (number(760), number(40)))
        .map(|(start, more)| quote(&document, start..start + 1 + more))
        .collect();
    let view = view(&document, &quotes);
    let html = view.html();
    let ids: Vec<&str> =
        html.split(" id=").skip(1).map(|rest| rest.split(['>', ' ']).next().unwrap()).collect();
    let unique: std::collections::HashSet<_> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "an id twice");
    let links: Vec<&str> =
        html.split(" href=#").skip(1).map(|rest| rest.split(['>', ' ']).next().unwrap()).collect();
    assert!(links.iter().filter(|link| link.starts_with('m')).count() >= 200);
    for link in links {
        assert!(unique.contains(&link), "no {link}");
    }
}

#[test]
fn nested_and_crossing_spans_are_drawn_apart() {
    let document = Document::from_text("severe chest pain at night\n");
    let value = json!({
        "finding": quote(&document, 0..17),
        "site": quote(&document, 7..12),
        "time": quote(&document, 13..26),
    });
    assert_eq!(
        text(view(&document, &value).html()),
        concat!(
            r#"<li><a href=#r0 class="f0" id=m0>severe </a>"#,
            r#"<a href=#r1 class="f1 l1" id=m1><u data-r=0 class="f0">chest</u></a>"#,
            r#"<a href=#r0 class="f0"> </a>"#,
            r#"<a href=#r2 class="f2 l1" id=m2><u data-r=0 class="f0">pain</u></a>"#,
            r#"<a href=#r2 class="f2 l1"> at night</a>"#,
            "\n",
        )
    );
}

#[test]
fn what_no_lane_is_left_for_is_counted_and_has_an_anchor() {
    let document = Document::from_text("abcdefgh");
    let quotes: Vec<Value> = (0..6).map(|at| quote(&document, at..8)).collect();
    let view = view(&document, &quotes);
    let text = text(view.html());
    assert!(text.contains(r#"<b id=m4></b><a href=#r3 class="f0 l3 x">"#), "{text}");
    assert!(text.contains("<b id=m5></b>"), "{text}");
}

#[test]
fn gaps_are_marked_also_where_they_cut_a_character() {
    let document = Document::from_text("covered\nnöt covered\nagain");
    let html = view(&document, &[()]).gaps([10..14, 8..11, 90..99]).html().to_owned();
    assert!(text(&html).contains("<li><b class=g id=g0></b><span>nöt c</span>overed\n"), "{html}");
    assert_eq!(html.matches("<li><a href=#g").count(), 1);
    assert!(html.contains("<a href=#g0>2:1 to 2:6</a> <small>bytes 8 to 14</small>"));
}

#[test]
fn pages_and_sections_are_named() {
    let parts = [DocumentPart::page(1, "one"), DocumentPart::page(2, "two").named("Terms & <b>")];
    let html = view(&Document::from_parts(parts), &json!([])).html().to_owned();
    assert!(html.contains("<h3>Page 1</h3>\n<ol class=\"b h1\" start=1><li>one"), "{html}");
    assert!(html.contains("<h3>Page 2 · Terms &amp; &lt;b&gt;</h3>\n<ol class=\"b h1\" start=2><li>two"));
}

#[test]
fn a_value_without_a_place_says_so() {
    let document = Document::from_text("text");
    let html = view(&document, &json!({"a": 1, "b": null, "c": quote(&document, 0..4)})).html().to_owned();
    assert!(html.contains("3 values: 1 with a place, 1 without a place, 1 empty."), "{html}");
    assert_eq!(html.matches("no place</span>").count(), 1);
}

#[test]
fn a_value_that_cannot_be_serialized_is_told_and_not_left_out() {
    let document = Document::from_text("text");
    let found = std::collections::HashMap::from([((1, 2), 3)]);
    assert!(View::of(&document).value(&found).is_err());
    let html = view(&document, &found).html().to_owned();
    assert!(html.contains("The value could not be written: <bdi>key must be a string"), "{html}");
}

#[test]
fn statements_that_do_not_count_are_shown_and_marked() {
    let document = Document::from_text("5 mg, later 10 mg");
    let span = |range| vec![document.span(range).unwrap()];
    let value = json!({"dose": {"value": 10, "quote": quote(&document, 12..17)}});
    let statements = [(json!(10), span(12..17)), (json!(5), span(0..4))];
    let html = view(&document, &value).conflict(Path::root().key("dose"), statements).html().to_owned();
    assert!(
        text(&html).starts_with(r#"<li><a href=#r2 class="f0" id=m0>5 mg</a>, later <a href=#r0"#),
        "{html}"
    );
    let conflicts = between(&html, "<section id=conflicts>", "</section>");
    assert_eq!((conflicts.matches("<small>kept").count(), conflicts.matches("not kept").count()), (1, 1));
}

#[test]
fn the_page_grows_with_the_text_and_the_spans_and_not_with_their_product() {
    let size = |lines: usize, spans: usize| {
        let document = Document::from_text("a line of words that goes on for a while\n".repeat(lines));
        let step = document.text().len() / spans;
        // Each span overlaps its neighbours, and each is long.
        let quotes: Vec<Value> =
            (0..spans / 2).map(|nth| quote(&document, nth * step..document.text().len() / 2 + nth)).collect();
        view(&document, &quotes.iter().map(|quote| json!({"value": 1, "quote": quote})).collect::<Vec<_>>())
            .html()
            .len()
    };
    let (small, large) = (size(500, 100), size(2_000, 400));
    assert!(large < small * 5, "{small} bytes grew to {large}");
}

#[test]
fn the_header_says_what_is_known_and_escapes_it() {
    let document = Document::from_text("text");
    let html = view(&document, &vec![Some(Path::root())])
        .about("date", "<b>")
        .about("date", "<i>")
        .html()
        .to_owned();
    assert!(html.contains("<dt>type<dd><bdi>Vec&lt;Option&lt;Path&gt;&gt;</bdi>"), "{html}");
    assert!(html.contains("<dt>date<dd><bdi>&lt;i&gt;</bdi>") && !html.contains("&lt;b&gt;"), "{html}");
    assert!(!view(&document, &json!({"a": 1})).html().contains("<dt>type"));
    assert!(!view(&document, &["a"]).html().contains("<dt>type"));
}

#[test]
fn rows_have_the_classes_of_their_states_and_groups_those_of_their_rows() {
    let document = Document::from_text("5 mg, later 10 mg");
    let value = json!({"list": [
        {"dose": {"value": 10, "quote": quote(&document, 12..17)}, "unit": " ", "until": null},
        {"dose": {"value": [], "quote": "nowhere"}, "unit": "mg", "until": ""},
    ]});
    let mut metrics = ExtractionMetrics::default();
    let path = |index: usize| Path::root().key("list").index(index);
    metrics.changes = vec![
        change(&path(1).key("unit"), None),
        change(&path(0).key("dose"), Some(3)),
        change(&Path::root(), None),
    ];
    let statements = [(json!(10), vec![]), (json!(5), vec![])];
    let view =
        view(&document, &value).metrics(&metrics).conflict(path(0).key("dose").key("value"), statements);
    let html = view.html();
    let class = |row: usize| between(html, &format!("<tr id=r{row} "), ">").split_once("class=").unwrap().1;
    assert_eq!(
        (0..6).map(class).collect::<Vec<_>>(),
        ["\"f0 k\"", "\"z\"", "\"z\"", "\"f0 o\"", "\"d o\"", "\"z\"",]
    );
    assert!(html.contains("<tbody class=\"y z k\"><tr class=i>"), "{html}");
    assert!(html.contains("<tbody class=\"y z d o\"><tr class=i>"), "{html}");
    assert!(html.contains("<small>2 empty</small>") && html.contains("6 values: 1 with a place"), "{html}");
    assert!(html.contains("<a href=#h0>changed</a>") && html.contains("<tr id=h0>"), "{html}");
    assert!(html.contains("<a href=#r6>in conflict</a>"), "{html}");
}

fn change(path: &Path, chunk: Option<usize>) -> extract::reading::Change {
    let value = json!({
        "path": path, "span": {"start": 0, "end": 1}, "kind": "type", "before": "a", "after": "b",
        "loss": "lossless", "chunk": chunk,
    });
    serde_json::from_value(value).unwrap()
}

#[test]
fn a_large_item_is_split_and_has_one_heading() {
    let document = Document::from_text("");
    let item: serde_json::Map<_, _> = (0..100).map(|key| (format!("k{key}"), json!(key))).collect();
    let html = view(&document, &[Value::Object(item), json!({"a": 1, "b": null})]).html().to_owned();
    assert_eq!(
        (html.matches("<tr class=i>").count(), html.matches("<div class=\"t").count()),
        (2, 3),
        "{html}"
    );
    assert_eq!(html.matches("<tr id=r").count(), 102);
}

#[test]
fn violations_have_a_part_of_their_own() {
    let contract = extract::Contract::from_schema(json!({"type": "object", "required": ["<a>"]})).unwrap();
    let violations = contract.validate(&json!({}));
    let document = Document::from_text("text");
    let html = view(&document, &json!({})).violations(&violations).html().to_owned();
    let part = between(&html, "<section id=violations>", "</section>");
    assert!(part.contains("&lt;a&gt;"), "{part}");
    assert!(!view(&document, &json!({})).html().contains("id=violations"));
}

#[test]
fn the_less_sure_values_are_shaded_and_the_least_sure_is_first_in_a_list() {
    let document = Document::from_text("aspirin 5 mg for pain");
    let dose = json!({"value": 5, "quote": quote(&document, 8..12)});
    let value = json!({"name": "aspirin", "dose": dose, "for": ["pain", "<i>"], "until": null});
    let leaf = |path: &str, confidence: Option<f64>| json!({"path": path, "confidence": confidence, "evidence": {"field": ""}});
    let of = |is_calibrated: bool| {
        let leaves = json!([
            leaf("$.name", Some(0.99)),
            leaf("$.dose", Some(0.3)),
            leaf("$.for[0]", Some(0.85)),
            leaf("$.for[1]", Some(0.7)),
            leaf("$.until", None),
            leaf("$.gone", Some(0.1)),
        ]);
        let confidences = json!({"leaves": leaves, "is_calibrated": is_calibrated});
        let mut metrics = ExtractionMetrics::default();
        metrics.confidences = serde_json::from_value(confidences).unwrap();
        view(&document, &value).metrics(&metrics).html().to_owned()
    };
    let html = of(false);
    let list = between(&html, "<section id=confidence>", "</section>");
    let rows: Vec<_> = list.split("<tr class").skip(1).collect();
    let shown = [
        ("$.dose", "0.30", "q0"),
        ("$.for", "0.70", "q1"),
        ("$.for", "0.85", "q2"),
        ("$.name", "0.99", "\"\""),
    ];
    assert_eq!(rows.len(), shown.len(), "{list}");
    for (row, (path, number, class)) in rows.iter().zip(shown) {
        assert!(
            row.contains(&path[2..]) && row.contains(&format!("<td>{number}\n")) && row.contains(class),
            "{row}"
        );
        let target = between(row, "<a href=#", ">");
        let values = between(&html, "<section id=values>", "</section>");
        let in_table = between(values, &format!("<tr id={target} "), "\n");
        assert!(in_table.contains(&format!("<small>confidence {number}</small>")), "{in_table}");
        assert_eq!(
            in_table.contains("q0") || in_table.contains("q1") || in_table.contains("q2"),
            class != "\"\""
        );
    }
    assert!(rows[1].contains("&lt;i&gt;") && list.contains("not calibrated"), "{list}");
    assert!(html.contains("<a href=#confidence>Confidence <small>4</small></a>"));
    assert!(of(true).contains("the probability that the value is right"));
    let without = view(&document, &value);
    assert!(!without.html().contains("confidence</small>") && !without.html().contains("id=confidence>"));
}
