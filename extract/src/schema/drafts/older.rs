//! The keywords of older drafts, as keywords of 2020-12.

use serde_json::{Map, Value};

use crate::schema::{decoded, steps, view::is_named};

/// The drafts that differ from 2020-12 in what their keywords mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum OlderDraft {
    Four,
    Six,
    Seven,
    Of2019,
}

impl OlderDraft {
    /// The draft that `schema` declares, if it is an older one.
    pub(super) fn declared(schema: &Map<String, Value>) -> Option<Self> {
        let declared = schema.get("$schema")?.as_str()?.trim_end_matches('#');
        let name = declared.split_once("json-schema.org/").map(|(_, name)| name)?;
        match name {
            "draft-04/schema" => Some(Self::Four),
            "draft-06/schema" => Some(Self::Six),
            "draft-07/schema" => Some(Self::Seven),
            "draft/2019-09/schema" => Some(Self::Of2019),
            _ => None,
        }
    }
}

/// Keywords that a draft does not know, which therefore constrain nothing in it.
const SINCE_SIX: [&str; 3] = ["const", "contains", "propertyNames"];
const SINCE_SEVEN: [&str; 3] = ["if", "then", "else"];
const SINCE_2019: [&str; 8] = [
    "$anchor",
    "dependentRequired",
    "dependentSchemas",
    "maxContains",
    "minContains",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$recursiveRef",
];
const SINCE_2020: [&str; 3] = ["prefixItems", "$dynamicRef", "$dynamicAnchor"];

/// Keywords that hold definitions, which references need even where they constrain nothing.
const KEPT_BESIDE_REFERENCE: [&str; 7] =
    ["$ref", "$schema", "$comment", "definitions", "$defs", "title", "description"];

/// A schema of an older draft.
pub(super) struct OlderSchema<'s> {
    pub(super) draft: OlderDraft,
    pub(super) root: &'s Value,
}

impl OlderSchema<'_> {
    /// Rewrites one subschema, without those inside it.
    pub(super) fn rewrite(&self, schema: &mut Map<String, Value>) {
        self.drop_unknown(schema);
        if self.draft < OlderDraft::Of2019 {
            // Keywords beside a reference are ignored.
            if schema.get("$ref").is_some_and(Value::is_string) {
                schema.retain(|keyword, _| {
                    KEPT_BESIDE_REFERENCE.contains(&keyword.as_str()) || is_nullable(keyword)
                });
            }
            split_dependencies(schema);
            self.name(schema);
        }
        if self.draft == OlderDraft::Four {
            exclude_bounds(schema);
        }
        recursion(schema);
        items(schema);
        if let Some(Value::String(reference)) = schema.get_mut("$ref")
            && let Some(moved) = self.moved(reference)
        {
            *reference = moved;
        }
    }

    fn drop_unknown(&self, schema: &mut Map<String, Value>) {
        let lists = [
            (OlderDraft::Six, &SINCE_SIX[..]),
            (OlderDraft::Seven, &SINCE_SEVEN),
            (OlderDraft::Of2019, &SINCE_2019),
        ];
        for (since, keywords) in lists {
            if self.draft < since {
                schema.retain(|keyword, _| !keywords.contains(&keyword.as_str()));
            }
        }
        schema.retain(|keyword, _| !SINCE_2020.contains(&keyword.as_str()));
    }

    /// Before 2019-09 the fragment of an identifier is an anchor.
    fn name(&self, schema: &mut Map<String, Value>) {
        let keyword = if self.draft == OlderDraft::Four {
            schema.shift_remove("$id");
            "id"
        } else {
            "$id"
        };
        let Some(Value::String(id)) = schema.get(keyword) else { return };
        let (address, anchor) = id.split_once('#').unwrap_or((id, ""));
        let (address, anchor) = (address.to_owned(), anchor.to_owned());
        schema.shift_remove(keyword);
        if !address.is_empty() {
            schema.insert("$id".to_owned(), Value::from(address));
        }
        // A JSON Pointer needs no name: references find it where it points to.
        if is_anchor(&anchor) {
            schema.insert("$anchor".to_owned(), Value::from(anchor));
        }
    }

    /// A JSON Pointer through a keyword that has another name now. The names of properties and
    /// definitions stay.
    fn moved(&self, reference: &str) -> Option<String> {
        let pointer = reference.strip_prefix("#/")?;
        let mut at = Some(self.root);
        let mut moved = String::from("#");
        let mut is_name = false;
        for written in pointer.split('/') {
            let step = steps(&format!("/{}", decoded(written))).next()?.into_owned();
            let inside = at.and_then(|at| match at {
                Value::Array(list) => list.get(step.parse::<usize>().ok()?),
                at => at.get(&step),
            });
            let has_list = || at.and_then(|at| at.get("items")).is_some_and(Value::is_array);
            moved.push('/');
            moved.push_str(match step.as_str() {
                _ if is_name => written,
                "items" if inside.is_some_and(Value::is_array) => "prefixItems",
                "additionalItems" if has_list() => "items",
                "dependencies" if self.draft < OlderDraft::Of2019 => "dependentSchemas",
                _ => written,
            });
            is_name = !is_name && (step == "dependencies" || is_named(&step));
            at = inside;
        }
        (moved != reference).then_some(moved)
    }
}

/// Returns whether 2020-12 allows an anchor of this name.
fn is_anchor(name: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '.' | '_');
    name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_') && name.chars().all(is_part)
}

fn is_nullable(keyword: &str) -> bool {
    keyword == "nullable"
}

/// `dependencies` lists names, or has a schema.
fn split_dependencies(schema: &mut Map<String, Value>) {
    let Some(Value::Object(all)) = schema.shift_remove("dependencies") else { return };
    let (names, schemas): (Map<_, _>, Map<_, _>) = all.into_iter().partition(|(_, one)| one.is_array());
    for (keyword, all) in [("dependentRequired", names), ("dependentSchemas", schemas)] {
        if !all.is_empty() {
            schema.insert(keyword.to_owned(), Value::Object(all));
        }
    }
}

/// Draft-04 says of a bound whether it is excluded.
fn exclude_bounds(schema: &mut Map<String, Value>) {
    for (keyword, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        match schema.get(exclusive) {
            Some(Value::Bool(true)) => {
                schema.shift_remove(exclusive);
                if let Some(bound) = schema.shift_remove(keyword) {
                    schema.insert(exclusive.to_owned(), bound);
                }
            }
            Some(Value::Bool(false)) => {
                schema.shift_remove(exclusive);
            }
            _ => {}
        }
    }
}

/// 2019-09 has a reference of its own for recursion; it means the root unless schemas are extended.
fn recursion(schema: &mut Map<String, Value>) {
    schema.shift_remove("$recursiveAnchor");
    if let Some(reference) = schema.shift_remove("$recursiveRef")
        && !schema.contains_key("$ref")
    {
        schema.insert("$ref".to_owned(), reference);
    }
}

/// A list of `items` is `prefixItems` now, and `additionalItems` are the rest.
fn items(schema: &mut Map<String, Value>) {
    let rest = schema.shift_remove("additionalItems");
    if schema.get("items").is_some_and(Value::is_array) {
        let first =
            schema.shift_remove("items").filter(|first| first.as_array().is_some_and(|all| !all.is_empty()));
        schema.extend(first.map(|first| ("prefixItems".to_owned(), first)));
        schema.extend(rest.map(|rest| ("items".to_owned(), rest)));
    }
}
