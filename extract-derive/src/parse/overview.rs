//! Tests that the table of attributes, the structs that parse it and its page agree.

use std::{collections::BTreeSet, env, fs, path::Path};

use darling::FromMeta;
use syn::{Attribute, parse::Parser};

use super::{
    AttributePosition, FieldAttributes, TypeAttributes, VariantAttributes, extract,
    serde::ROWS,
    table::{self, ATTRIBUTES},
};
use crate::MistakeCollector;

const POSITIONS: [AttributePosition; 4] = [
    AttributePosition::Type,
    AttributePosition::Variant,
    AttributePosition::Field,
    AttributePosition::Inside,
];

fn page() -> (std::path::PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("attributes.md");
    let text = fs::read_to_string(&path).unwrap();
    (path, text)
}

/// The lines of the table under a heading.
fn table_under<'p>(page: &'p str, heading: &str) -> &'p str {
    let start = page.find(&format!("\n# {heading}\n")).expect("the heading");
    let start = start + page[start..].find("\n|").expect("a table") + 1;
    let length = page[start..].find("\n\n").expect("an end of the table");
    &page[start..start + length]
}

/// The link to the section with this name in its heading.
fn anchor(page: &str, name: &str) -> String {
    let headings = page.lines().filter_map(|line| line.strip_prefix("## "));
    let mut sections =
        headings.filter(|heading| heading.replace(',', "").split(' ').any(|word| word == name));
    let section = sections.next().unwrap_or_else(|| panic!("no section about `{name}`"));
    section.replace(',', "").replace(' ', "-")
}

fn overview(page: &str) -> String {
    let mut lines = vec!["| attribute | written | on |".to_owned(), "|---|---|---|".to_owned()];
    for attribute in &ATTRIBUTES {
        let name = attribute.name;
        let forms: Vec<String> = attribute.forms.iter().map(|form| format!("`{form}`")).collect();
        let on: Vec<&str> = attribute.positions.iter().map(|position| column(*position)).collect();
        let line =
            format!("| [`{name}`](#{}) | {} | {} |", anchor(page, name), forms.join(", "), on.join(", "));
        lines.push(line);
    }
    lines.join("\n")
}

fn column(position: AttributePosition) -> &'static str {
    match position {
        AttributePosition::Type => "type",
        AttributePosition::Variant => "variant",
        AttributePosition::Field => "field",
        AttributePosition::Inside => "inside",
    }
}

/// `UPDATE_SNAPSHOTS=1 cargo test -p extractable-derive` rewrites it.
#[test]
fn the_page_has_the_table_of_attributes() {
    let (path, page) = page();
    let (there, wanted) = (table_under(&page, "Attribute positions"), overview(&page));
    if env::var_os("UPDATE_SNAPSHOTS").is_some() {
        fs::write(path, page.replace(there, &wanted)).unwrap();
    } else {
        assert!(there == wanted, "the page should have this table:\n{wanted}");
    }
}

#[test]
fn the_page_names_what_may_repeat() {
    let (_, page) = page();
    let sentence = page.lines().find(|line| line.contains("each once, except")).expect("the sentence");
    let (_, named) = sentence.split_once("each once, except").unwrap();
    let repeating = ATTRIBUTES.iter().filter(|attribute| attribute.repeats).map(|attribute| attribute.name);
    assert_eq!(quoted(named), repeating.collect::<BTreeSet<_>>());
}

#[test]
fn the_page_has_the_attributes_of_serde() {
    let (_, page) = page();
    let lines = table_under(&page, "serde's attributes").lines().skip(2);
    for (line, row) in lines.zip(&ROWS) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(cells[0], column(row.position));
        let ours = BTreeSet::from(["schema_with"]);
        let honoured: BTreeSet<&str> = quoted(cells[1]).difference(&ours).copied().collect();
        assert_eq!(honoured, row.honoured.iter().copied().collect(), "{line}");
        assert!(quoted(cells[2]).is_superset(&row.refused.iter().copied().collect()), "{line}");
        assert_eq!(quoted(cells[3]), row.without_bearing.iter().copied().collect(), "{line}");
    }
}

/// The text in backticks.
fn quoted(text: &str) -> BTreeSet<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// `...` replaced by a value.
fn sample(form: &str) -> String {
    let form = form.replace("(...)", "(unique)").replace("[...]", "[1]");
    form.replace("name = ...", "name = Draft").replace("= ...", "= 1")
}

/// The mistakes in `#[extract(...)]` at a position.
fn mistakes(written: &str, position: AttributePosition) -> String {
    fn read<T: FromMeta + Default>(attributes: &[Attribute], position: AttributePosition) -> String {
        let mut errors = MistakeCollector::default();
        extract::read::<T>(attributes, position, &mut errors);
        let input = syn::parse_quote!(
            struct Unit;
        );
        errors.finish(&input).map(|tokens| tokens.to_string()).unwrap_or_default()
    }
    let written = match position {
        AttributePosition::Inside => format!("#[extract(items({written}))]"),
        _ => format!("#[extract({written})]"),
    };
    let attributes = Attribute::parse_outer.parse_str(&written).unwrap();
    match position {
        AttributePosition::Type => read::<TypeAttributes>(&attributes, position),
        AttributePosition::Variant => read::<VariantAttributes>(&attributes, position),
        AttributePosition::Field | AttributePosition::Inside => {
            read::<FieldAttributes>(&attributes, AttributePosition::Field)
        }
    }
}

#[test]
fn each_attribute_is_read_in_each_form_where_the_table_allows_it() {
    for attribute in &ATTRIBUTES {
        for position in POSITIONS {
            for form in attribute.forms {
                let mistakes = mistakes(&sample(form), position);
                if attribute.is_allowed(position) {
                    assert_eq!(mistakes, "", "{form} on {position}");
                } else {
                    assert!(mistakes.contains("belongs on"), "{form} on {position}: {mistakes}");
                }
            }
        }
    }
}

#[test]
fn each_attribute_repeats_where_the_table_allows_it() {
    for attribute in &ATTRIBUTES {
        let (position, once) = (attribute.positions[0], sample(attribute.form()));
        let mistakes = mistakes(&format!("{once}, {once}"), position);
        assert_eq!(mistakes.is_empty(), attribute.repeats, "{once}: {mistakes}");
    }
}

#[test]
fn each_argument_is_read() {
    for attribute in &ATTRIBUTES {
        for argument in attribute.arguments() {
            let written = sample(&format!("{}({argument} = ...)", attribute.name));
            assert_eq!(mistakes(&written, attribute.positions[0]), "", "{written}");
        }
    }
}

#[test]
fn each_synonym_suggests_something_that_is_read() {
    for attribute in &ATTRIBUTES {
        for (synonym, form) in attribute.synonyms {
            assert!(table::find(synonym).is_none(), "{synonym} is an attribute");
            assert_eq!(mistakes(&sample(form), attribute.positions[0]), "", "{form}");
            let unknown = mistakes(&format!("{synonym} = 1"), attribute.positions[0]);
            assert!(unknown.replace('\\', "").contains(form), "{synonym}: {unknown}");
        }
    }
}
