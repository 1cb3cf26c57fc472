//! Schemas of older drafts, and of OpenAPI 3.0, as JSON Schema 2020-12.
//!
//! The rest of the library reads 2020-12 only. A schema that declares draft-04, -06 or -07, or
//! 2019-09, is rewritten with the same meaning here, so that its own rules hold everywhere.

use serde_json::{Map, Value, json};

use super::{
    REFERENCES, any_within, decoded, each, replace_references, steps,
    view::{is_named, keywords::is_annotation, pointer::percent_encoded},
};

const LATEST: &str = "https://json-schema.org/draft/2020-12/schema";

/// `schema` as JSON Schema 2020-12, with `nullable` of OpenAPI 3.0 as a type, and with references
/// that are URIs. `None` if that changes nothing.
pub(crate) fn modern(schema: &Value) -> Option<Value> {
    let draft = schema.as_object().and_then(OlderDraft::declared);
    let needs_change = |part: &Value| {
        let mut references = REFERENCES.iter().filter_map(|keyword| part.get(keyword)?.as_str());
        part.get(NULLABLE).is_some_and(Value::is_boolean) || references.any(is_raw)
    };
    if draft.is_none() && !any_within(schema, &needs_change) {
        return None;
    }
    let mut modern = schema.clone();
    replace_references(&mut modern, &mut |reference| is_raw(reference).then(|| encoded(reference)));
    if let Some(draft) = draft {
        let older = OlderSchema { draft, root: schema };
        each(&mut modern, &mut |part| older.rewrite(part));
        if let Value::Object(root) = &mut modern {
            root.insert("$schema".to_owned(), Value::from(LATEST));
        }
    }
    allow_nulls(&mut modern);
    Some(modern)
}

const NULLABLE: &str = "nullable";

/// Keywords beside which another type is not enough to allow null.
const OTHERS: [&str; 8] = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if", "const"];

fn allow_nulls(schema: &mut Value) {
    each(schema, &mut |part| match part.get(NULLABLE) {
        Some(Value::Bool(true)) => {
            part.shift_remove(NULLABLE);
            allow_null(part);
        }
        Some(Value::Bool(false)) => {
            part.shift_remove(NULLABLE);
        }
        _ => {}
    });
}

/// An `enum` allows null as well, although few write it there too.
fn allow_null(schema: &mut Map<String, Value>) {
    let as_type = json!("null");
    if OTHERS.iter().any(|keyword| schema.contains_key(*keyword)) {
        let constraints: Map<_, _> = schema
            .iter()
            .filter(|(keyword, _)| !is_annotation(keyword))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        schema.retain(|keyword, _| is_annotation(keyword));
        schema.insert("anyOf".to_owned(), json!([constraints, { "type": as_type }]));
        return;
    }
    match schema.get_mut("type") {
        Some(Value::Array(kinds)) if !kinds.contains(&as_type) => kinds.push(as_type),
        Some(kind @ Value::String(_)) if *kind != as_type => *kind = json!([kind.take(), as_type]),
        _ => {}
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
}

/// Returns whether `reference` is not a URI.
fn is_raw(reference: &str) -> bool {
    !fragment(reference).bytes().all(is_allowed)
}

fn fragment(reference: &str) -> &str {
    reference.split_once('#').map_or("", |(_, fragment)| fragment)
}

/// Returns whether a fragment may have the byte (RFC 3986, section 3.5). A percent sign is taken for an escape.
fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@?%".contains(&byte)
}

/// `reference` with a percent-encoded fragment.
fn encoded(reference: &str) -> String {
    let fragment = fragment(reference);
    reference[..reference.len() - fragment.len()].to_owned() + &percent_encoded(fragment, is_allowed)
}

/// The drafts that differ from 2020-12 in what their keywords mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum OlderDraft {
    Four,
    Six,
    Seven,
    Of2019,
}

impl OlderDraft {
    /// The draft that `schema` declares, if it is an older one.
    fn declared(schema: &Map<String, Value>) -> Option<Self> {
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
const KEPT_BESIDE_REFERENCE: [&str; 8] =
    ["$ref", "$schema", "$comment", "definitions", "$defs", "title", "description", NULLABLE];

/// A schema of an older draft.
struct OlderSchema<'s> {
    draft: OlderDraft,
    root: &'s Value,
}

impl OlderSchema<'_> {
    /// Rewrites one subschema, without those inside it.
    fn rewrite(&self, schema: &mut Map<String, Value>) {
        self.drop_unknown(schema);
        if self.draft < OlderDraft::Of2019 {
            // Keywords beside a reference are ignored.
            if schema.get("$ref").is_some_and(Value::is_string) {
                schema.retain(|keyword, _| KEPT_BESIDE_REFERENCE.contains(&keyword.as_str()));
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

#[cfg(test)]
mod tests {
    //! `jsonschema`, which knows every draft, is the oracle.

    use serde_json::json;

    use super::*;
    use crate::contract::Contract;

    /// Checks that the contract of `schema` accepts and refuses the same of `values` as `jsonschema`
    /// does by the rules of the declared draft.
    #[track_caller]
    #[expect(clippy::needless_pass_by_value, reason = "the arguments are literals")]
    fn check(schema: Value, values: Value) {
        let theirs = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        let contract = Contract::from_schema(schema.clone()).unwrap();
        let mut answers = std::collections::HashSet::new();
        for value in values.as_array().unwrap() {
            let is_valid = theirs.is_valid(value);
            assert_eq!(contract.validate(value).is_empty(), is_valid, "{schema}\n{value}");
            answers.insert(is_valid);
        }
        assert_eq!(answers.len(), 2, "{schema}");
    }

    fn of_draft(name: &str, mut schema: Value) -> Value {
        schema["$schema"] = json!(match name {
            "2019-09" => "https://json-schema.org/draft/2019-09/schema".to_owned(),
            name => format!("http://json-schema.org/draft-{name}/schema#"),
        });
        schema
    }

    #[test]
    fn every_draft_is_judged_by_its_own_rules() {
        let before_2019 = ["04", "06", "07"];
        for draft in before_2019.into_iter().chain(["2019-09"]) {
            let tuple = json!({"items": [{"type": "string"}, {"type": "integer"}], "additionalItems": {"type": "null"}});
            check(of_draft(draft, tuple), json!([["a", 1, null], ["a", 1, 2], [1], []]));
            let closed = json!({"items": [{"type": "string"}], "additionalItems": false});
            check(of_draft(draft, closed), json!([["a"], ["a", 1], [1]]));
            let list = json!({"items": {"type": "string"}, "additionalItems": false});
            check(of_draft(draft, list), json!([["a", "b"], [1]]));
        }
        for draft in before_2019 {
            let dependencies = json!({"dependencies": {"a": ["b"], "c": {"required": ["d"]}}});
            check(
                of_draft(draft, dependencies),
                json!([{"a": 1}, {"a": 1, "b": 1}, {"c": 1}, {"c": 1, "d": 1}]),
            );
            let beside = json!({
                "properties": {"a": {"$ref": "#/definitions/A", "maxLength": 1}},
                "definitions": {"A": {"type": "string"}},
            });
            check(of_draft(draft, beside), json!([{"a": "long"}, {"a": 1}]));
            let unknown =
                json!({"type": "object", "dependentRequired": {"a": ["b"]}, "unevaluatedProperties": false});
            check(of_draft(draft, unknown), json!([{"a": 1}, []]));
            let moved = json!({"items": [{"type": "string"}, {"$ref": "#/items/0"}], "additionalItems": {"$ref": "#/items/0"}});
            check(of_draft(draft, moved), json!([["a", "b", "c"], ["a", 1], ["a", "b", 1]]));
        }
    }

    #[test]
    fn keywords_of_single_drafts_mean_what_they_say_there() {
        let bounds = json!({"minimum": 2, "exclusiveMinimum": true, "maximum": 5, "exclusiveMaximum": false});
        check(of_draft("04", bounds), json!([2, 3, 5, 6]));
        check(of_draft("04", json!({"type": "integer", "const": 3})), json!([4, "a"]));
        check(
            of_draft("06", json!({"type": "integer", "if": {"minimum": 3}, "then": false})),
            json!([4, "a"]),
        );
        check(of_draft("07", json!({"if": {"minimum": 3}, "then": {"multipleOf": 2}})), json!([4, 5]));
        let named = json!({"properties": {"a": {"$ref": "#word"}}, "definitions": {"A": {"$id": "#word", "type": "string"}}});
        check(of_draft("07", named), json!([{"a": "a"}, {"a": 1}]));
        let named = json!({"id": "http://example.com/root", "properties": {"id": {"$ref": "#word"}}, "definitions": {"A": {"id": "#word", "type": "string"}}});
        check(of_draft("04", named), json!([{"id": "a"}, {"id": 1}]));
        let tree = json!({"type": "object", "properties": {"next": {"$recursiveRef": "#"}}, "$recursiveAnchor": true});
        check(of_draft("2019-09", tree), json!([{"next": {}}, {"next": 1}]));
        let left = json!({"properties": {"a": true}, "unevaluatedProperties": false});
        check(of_draft("2019-09", left), json!([{"a": 1}, {"b": 1}]));
    }

    #[test]
    fn names_that_read_like_keywords_are_names() {
        for name in ["dependencies", "items", "additionalItems", "definitions", "properties", "$id", "id"] {
            for draft in ["04", "06", "07"] {
                let through = |pointer: &str| {
                    json!({
                        "properties": {"a": {"$ref": pointer}, name: {"type": "integer"}},
                        "definitions": {name: {"type": "integer"}},
                    })
                };
                for holder in ["definitions", "properties"] {
                    let schema = through(&format!("#/{holder}/{name}"));
                    check(of_draft(draft, schema), json!([{"a": 1}, {"a": "a"}]));
                }
            }
        }
        let inside = json!({
            "properties": {"a": {"$ref": "#/definitions/dependencies/properties/dependencies"}},
            "definitions": {"dependencies": {"properties": {"dependencies": {"type": "integer"}}}},
        });
        check(of_draft("04", inside), json!([{"a": 1}, {"a": "a"}]));
    }

    #[test]
    fn identifiers_that_are_pointers_or_of_another_draft_name_nothing() {
        let pointer = json!({
            "properties": {"a": {"$ref": "#/definitions/A"}},
            "definitions": {"A": {"id": "#/definitions/A", "$id": "#/definitions/A", "type": "string"}},
        });
        for draft in ["04", "06", "07"] {
            check(of_draft(draft, pointer.clone()), json!([{"a": "a"}, {"a": 1}]));
        }
        let later = json!({
            "$id": "https://example.com/root.json",
            "properties": {"a": {"$ref": "#/definitions/A"}},
            "definitions": {"A": {"$id": "a", "$ref": "#/definitions/B"}, "B": {"$id": "b", "type": "string"}},
        });
        check(of_draft("04", later), json!([{"a": "a"}, {"a": 1}]));
    }

    #[test]
    fn references_need_no_percent_signs() {
        for name in ["Page<Item>", "a b", "List[Item]", "größe", "a|b", "{x}"] {
            let schema = |reference: String| {
                json!({
                    "properties": {"a": {"$ref": reference}, "b": {"items": {"$ref": "#/$defs/%61"}}},
                    "$defs": {name: {"type": "string"}, "a": {"type": "string"}},
                })
            };
            let contract = Contract::from_schema(schema(format!("#/$defs/{name}"))).unwrap();
            let is_valid = |value: Value| contract.validate(&value).is_empty();
            assert!(is_valid(json!({"a": "a", "b": ["b"]})) && !is_valid(json!({"a": 1})), "{name}");
            assert!(!is_valid(json!({"b": [1]})), "{name}");
        }
    }

    #[test]
    fn nullable_values_may_be_null() {
        let is_valid = |schema: &Value, value: Value| {
            Contract::from_schema(schema.clone()).unwrap().validate(&value).is_empty()
        };
        for mut schema in [
            json!({"type": "string"}),
            json!({"type": ["string", "integer"]}),
            json!({"type": "string", "enum": ["a", "b"]}),
            json!({"$ref": "#/$defs/A"}),
            json!({"allOf": [{"$ref": "#/$defs/A"}], "description": "Some."}),
            json!({"oneOf": [{"$ref": "#/$defs/A"}, {"type": "integer"}]}),
            json!({"const": "a"}),
        ] {
            schema["$defs"] = json!({"A": {"type": "string"}});
            for (nullable, accepts) in [(json!(true), true), (json!(false), false)] {
                schema["nullable"] = nullable;
                assert_eq!(is_valid(&schema, Value::Null), accepts, "{schema}");
                assert!(is_valid(&schema, json!("a")) && !is_valid(&schema, json!([])), "{schema}");
            }
        }
        let named =
            json!({"properties": {"nullable": {"type": "boolean"}}, "examples": [{"nullable": true}]});
        assert!(modern(&named).is_none_or(|modern| modern == named));
    }

    #[test]
    fn the_latest_draft_stays() {
        for schema in
            [json!({"items": [1]}), json!({"$schema": LATEST, "additionalItems": false}), json!(true)]
        {
            assert_eq!(modern(&schema), None);
        }
    }
}
