//! The projection of each keyword by each dialect.

use super::*;

const CLOSED: [Dialect; 2] = [Dialect::OpenAi, Dialect::Anthropic];
const OPEN: [Dialect; 2] = [Dialect::Gemini, Dialect::Ollama];

fn person() -> Value {
    json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
        "required": ["name"],
    })
}

#[test]
fn some_dialects_require_everything_and_allow_null_for_optional_properties() {
    let expected = json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "age": {"type": ["integer", "null"]}},
        "required": ["name", "age"],
        "additionalProperties": false,
    });
    for dialect in [Dialect::OpenAi, Dialect::Ollama] {
        let projection = project(dialect, &person());
        let (schema, unenforced, is_enveloped) = (expected.clone(), Vec::new(), false);
        assert_eq!(projection, Projection { schema, unenforced, is_enveloped }, "{dialect}");
    }
}

#[test]
fn every_form_of_a_schema_can_be_made_nullable() {
    for (schema, expected) in [
        (json!({"type": ["string", "null"]}), json!({"type": ["string", "null"]})),
        (json!({"enum": ["a", "b"]}), json!({"type": ["string", "null"], "enum": ["a", "b", null]})),
        (json!({"const": "a"}), json!({"anyOf": [{"type": "string", "const": "a"}, {"type": "null"}]})),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]}),
        ),
        (
            json!({"type": "array", "items": {"type": "string"}}),
            json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}),
        ),
    ] {
        let projection = project(Dialect::OpenAi, &json!({"type": "object", "properties": {"a": schema}}));
        assert_eq!(projection.schema["properties"]["a"], expected);
    }
}

#[test]
fn other_dialects_keep_optional_properties_optional() {
    let closed = project(Dialect::Anthropic, &person()).schema;
    assert_eq!((&closed["required"], &closed["additionalProperties"]), (&json!(["name"]), &json!(false)));
    assert_eq!(project(Dialect::Gemini, &person()).schema, person());
}

#[test]
fn maps_need_a_dialect_with_open_objects() {
    let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let schema = json!({"type": "object", "properties": {"prices": map}, "required": ["prices"]});
    for dialect in CLOSED {
        assert_eq!(reason(dialect, &schema), "$.properties.prices: a map with free keys");
        assert_eq!(reason(dialect, &json!({"type": "object"})), "$: a map with free keys");
    }
    for dialect in OPEN {
        assert_eq!(project(dialect, &schema).schema["properties"]["prices"], map, "{dialect}");
    }
    let by_pattern = json!({
        "type": "object",
        "patternProperties": {"^[0-9]+$": {"type": "integer"}},
        "additionalProperties": false,
    });
    let (map_again, unenforced) = property(Dialect::Gemini, &by_pattern);
    assert_eq!((map_again, unenforced), (map, vec!["patternProperties".to_owned()]));
}

#[test]
fn one_of_becomes_any_of() {
    for (other, unenforced) in [("integer", vec![]), ("string", vec!["oneOf".to_owned()])] {
        let branches = json!([{"type": "string", "enum": ["a"]}, {"type": other}]);
        let schema = json!({"oneOf": branches, "description": "Either."});
        let expected = json!({"description": "Either.", "anyOf": branches});
        for dialect in Dialect::ALL {
            assert_eq!(property(dialect, &schema), (expected.clone(), unenforced.clone()), "{dialect}");
        }
    }
}

#[test]
fn siblings_of_alternatives_are_copied_into_each() {
    let tagged = |tag: &str, more: Value| json!({"properties": {"kind": {"const": tag}, "x": more}, "required": ["kind", "x"]});
    let schema = json!({
        "type": "object",
        "properties": {"id": {"type": "integer"}},
        "required": ["id"],
        "oneOf": [tagged("a", json!({"type": "string"})), tagged("b", json!({"type": "boolean"}))],
    });
    for dialect in CLOSED {
        let (said, _) = property(dialect, &schema);
        for branch in said["anyOf"].as_array().unwrap() {
            let names: Vec<_> = branch["properties"].as_object().unwrap().keys().collect();
            assert_eq!(names, ["kind", "x", "id"], "{dialect}");
            assert_eq!(branch["required"], json!(["kind", "x", "id"]), "{dialect}");
        }
    }
}

#[test]
fn several_unions_in_one_object_are_multiplied() {
    let branch = |tag: &str, value: &str, name: &str| json!({"type": "object", "properties": {tag: {"const": value}, name: {"type": "string"}}, "required": [tag, name]});
    let schema = json!({
        "type": "object",
        "properties": {"id": {"type": "integer"}},
        "required": ["id"],
        "allOf": [
            {"oneOf": [branch("by", "card", "digits"), branch("by", "cash", "place")]},
            {"anyOf": [{"oneOf": [branch("status", "open", "since"), branch("status", "closed", "at")]}, {}]},
        ],
    });
    for dialect in Dialect::ALL {
        let (said, unenforced) = property(dialect, &schema);
        let names: Vec<Vec<_>> = said["anyOf"]
            .as_array()
            .unwrap()
            .iter()
            .map(|branch| branch["properties"].as_object().unwrap().keys().map(String::as_str).collect())
            .collect();
        let expected = [
            vec!["status", "since", "by", "digits", "id"],
            vec!["status", "at", "by", "digits", "id"],
            vec!["by", "digits", "id"],
            vec!["status", "since", "by", "place", "id"],
            vec!["status", "at", "by", "place", "id"],
            vec!["by", "place", "id"],
        ];
        assert_eq!((names, unenforced), (expected.to_vec(), vec![]), "{dialect}");
    }
    let wide = json!({"oneOf": (0..17).map(|n| branch("t", &n.to_string(), "x")).collect::<Vec<_>>()});
    let other = json!({"oneOf": (0..17).map(|n| branch("u", &n.to_string(), "y")).collect::<Vec<_>>()});
    assert_eq!(
        reason(Dialect::Anthropic, &json!({"allOf": [wide, other]})),
        "$: 289 combinations of alternatives, of which there may be 256"
    );
}

#[test]
fn alternatives_that_no_value_satisfies_are_left_out() {
    let schema = json!({
        "type": ["string", "object"],
        "anyOf": [{"type": "integer"}, {"type": "string", "enum": ["a", 1, "a"]}, {"type": "string", "const": 3}, false],
    });
    for dialect in Dialect::ALL {
        assert_eq!(
            property(dialect, &schema),
            (json!({"type": "string", "enum": ["a"]}), vec![]),
            "{dialect}"
        );
    }
}

#[test]
fn what_one_part_forbids_another_cannot_offer() {
    let schema = json!({
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false},
            {"type": "object", "properties": {"a": true, "b": {"type": "string"}}},
        ],
    });
    for dialect in CLOSED {
        let (said, unenforced) = property(dialect, &schema);
        assert_eq!((said["properties"].clone(), unenforced), (json!({"a": said["properties"]["a"]}), vec![]));
        let mut both = schema.clone();
        both["required"] = json!(["b"]);
        assert!(reason(dialect, &both).ends_with("nothing is accepted here"), "{dialect}");
    }
}

#[test]
fn lists_of_values_and_types_are_sent_once_or_not_at_all() {
    for (schema, said) in [
        (json!({"type": ["string", "null", "null"]}), json!({"type": ["string", "null"]})),
        (json!({"type": ["string"], "enum": ["a", "a"]}), json!({"type": "string", "enum": ["a"]})),
        (json!({"enum": ["a", 1], "const": "a"}), json!({"type": "string", "const": "a"})),
        (
            json!({"allOf": [{"enum": ["a", "b", 1]}, {"enum": [1.0, "b"]}]}),
            json!({"type": ["number", "string"], "enum": ["b", 1]}),
        ),
    ] {
        assert_eq!(property(Dialect::OpenAi, &schema), (said, vec![]), "{schema}");
    }
    let optional =
        json!({"type": "object", "properties": {"a": {"type": ["string", "null"], "enum": ["x"]}}});
    for dialect in [Dialect::OpenAi, Dialect::Ollama] {
        assert_eq!(
            project(dialect, &optional).schema["properties"]["a"],
            json!({"type": ["string", "null"], "enum": ["x", null]})
        );
    }
    for (schema, why) in [
        (json!({"enum": []}), "no type is allowed here"),
        (json!({"type": []}), "no type is allowed here"),
        (json!({"type": "string", "enum": []}), "no value is allowed here"),
        (json!({"type": "string", "enum": [1, 2]}), "no value is allowed here"),
        (json!({"type": "any"}), "`any` is not a type"),
    ] {
        for dialect in Dialect::ALL {
            assert_eq!(reason(dialect, &schema), format!("$: {why}"), "{dialect}, {schema}");
        }
    }
}

#[test]
fn an_object_without_keys_is_not_a_map() {
    for properties in [json!({}), json!({"old": {"type": "string", "deprecated": true}})] {
        for dialect in [Dialect::OpenAi, Dialect::Anthropic, Dialect::Ollama] {
            let (said, _) = property(dialect, &json!({"type": "object", "properties": properties}));
            assert_eq!(said["additionalProperties"], false, "{dialect}");
        }
    }
    let empty = json!({"type": "object", "properties": {}});
    assert_eq!(property(Dialect::Gemini, &empty).0, json!({"type": "object", "additionalProperties": false}));
    assert_eq!(property(Dialect::Ollama, &json!({"type": "object"})).0["additionalProperties"], true);
}

#[test]
fn an_object_that_needs_more_keys_than_it_describes_is_a_map() {
    let wants = |described: Value, least: f64| json!({"type": "object", "properties": described, "minProperties": least});
    let one = || json!({"a": {"type": "string"}});
    for schema in [wants(json!({}), 1.0), wants(one(), 2.0)] {
        for dialect in CLOSED {
            assert_eq!(reason(dialect, &schema), "$: a map with free keys", "{schema}");
        }
        for dialect in OPEN {
            assert_eq!(project(dialect, &schema).schema["additionalProperties"], json!(true), "{dialect}");
        }
    }
    for schema in [wants(json!({}), 0.0), wants(one(), 1.0)] {
        assert_eq!(project(Dialect::Anthropic, &schema).schema["additionalProperties"], json!(false));
    }
}

#[test]
fn names_that_only_a_condition_describes_keep_an_object_open() {
    for condition in [
        json!({"if": {"required": ["a"]}, "then": {"required": ["b"]}}),
        json!({"dependentRequired": {"a": ["b"]}}),
        json!({"dependentSchemas": {"a": {"properties": {"b": true}}}}),
        json!({"anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
    ] {
        let mut schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
        schema.as_object_mut().unwrap().extend(condition.as_object().unwrap().clone());
        for dialect in CLOSED {
            assert!(reason(dialect, &schema).ends_with("a map with free keys"), "{dialect}, {schema}");
        }
        assert_eq!(property(Dialect::Ollama, &schema).0["additionalProperties"], true, "{schema}");
    }
}

#[test]
fn one_of_that_is_never_true_is_listed() {
    let schema = json!({"type": "string", "oneOf": [{}, true]});
    for dialect in Dialect::ALL {
        assert_eq!(property(dialect, &schema), (json!({"type": "string"}), vec!["oneOf".to_owned()]));
    }
}

#[test]
fn llama_cpp_is_not_sent_what_some_versions_refuse() {
    for (schema, said, keyword) in [
        (json!({"type": "string", "maxLength": 2_000}), json!({"type": "string"}), Some("maxLength")),
        (json!({"type": "string", "maxLength": 1_999}), json!({"type": "string", "maxLength": 1_999}), None),
        (json!({"type": "string", "minLength": 5_000}), json!({"type": "string"}), Some("minLength")),
        (json!({"type": "string", "enum": ["a", "5\" nail"]}), json!({"type": "string"}), Some("enum")),
        (json!({"type": "string", "const": "a\nb"}), json!({"type": "string"}), Some("const")),
        (json!({"type": "string", "enum": ["a", "ü"]}), json!({"type": "string", "enum": ["a", "ü"]}), None),
        (json!({"type": "string", "pattern": "^(a{50}){50}$"}), json!({"type": "string"}), Some("pattern")),
    ] {
        let unenforced: Vec<_> = keyword.into_iter().map(str::to_owned).collect();
        assert_eq!(property(Dialect::Ollama, &schema), (said, unenforced), "{schema}");
    }
    let list = json!({"type": "array", "items": {"type": "string"}, "minItems": 2_000, "maxItems": 9_999});
    assert_eq!(
        property(Dialect::Ollama, &list),
        (
            json!({"type": "array", "items": {"type": "string"}}),
            vec!["maxItems".to_owned(), "minItems".to_owned()]
        )
    );
}

#[test]
fn openai_is_not_sent_values_with_line_breaks() {
    for (schema, keyword) in [
        (json!({"type": "string", "enum": ["a", "b\nc"]}), "enum"),
        (json!({"type": "string", "const": "b\r\nc"}), "const"),
    ] {
        let unenforced = vec![keyword.to_owned()];
        assert_eq!(property(Dialect::OpenAi, &schema), (json!({"type": "string"}), unenforced), "{schema}");
        assert_eq!(property(Dialect::Anthropic, &schema), (schema, vec![]));
    }
    let quoted = json!({"type": "string", "enum": ["a", "5\" nail"]});
    assert_eq!(property(Dialect::OpenAi, &quoted), (quoted, vec![]));
}

#[test]
fn parts_of_all_of_are_merged() {
    let schema = json!({
        "$defs": {"Base": {"type": "object", "properties": {"id": {"type": "number", "minimum": 0}}, "required": ["id"]}},
        "allOf": [
            {"$ref": "#/$defs/Base"},
            {"properties": {"id": {"type": "integer", "minimum": 5}, "name": {"type": "string"}}, "required": ["name"]},
        ],
    });
    let said = project(Dialect::OpenAi, &schema);
    assert_eq!(said.schema["properties"]["id"], json!({"type": "integer", "minimum": 5}));
    assert_eq!(said.schema["required"], json!(["id", "name"]));
    assert!(said.schema.get("$defs").is_none() && said.unenforced.is_empty());
}

#[test]
fn supported_bounds_and_formats_are_kept() {
    let whole = json!({"type": "integer", "minimum": 1, "exclusiveMaximum": 9, "multipleOf": 2});
    let text = json!({"type": "string", "minLength": 2, "format": "uri"});
    let list = json!({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 3, "uniqueItems": true});
    for (dialect, numbers, strings, lists) in [
        (Dialect::OpenAi, vec![], vec!["format", "minLength"], vec!["uniqueItems"]),
        (
            Dialect::Anthropic,
            vec!["exclusiveMaximum", "minimum", "multipleOf"],
            vec!["minLength"],
            vec!["maxItems", "minItems", "uniqueItems"],
        ),
        (
            Dialect::Gemini,
            vec!["exclusiveMaximum", "multipleOf"],
            vec!["format", "minLength"],
            vec!["uniqueItems"],
        ),
        (Dialect::Ollama, vec!["multipleOf"], vec!["format", "minLength"], vec!["uniqueItems"]),
    ] {
        assert_eq!(property(dialect, &whole).1, numbers, "{dialect}");
        assert_eq!(property(dialect, &text).1, strings, "{dialect}");
        assert_eq!(property(dialect, &list).1, lists, "{dialect}");
    }
    assert_eq!(property(Dialect::Anthropic, &list).0["minItems"], 1);
    let number = json!({"type": "number", "minimum": 0});
    assert_eq!(property(Dialect::Ollama, &number).1, ["minimum"]);
}

#[test]
fn conditions_are_not_enforced() {
    let schema = json!({
        "type": "string",
        "not": {"const": "x"},
        "if": {"minLength": 1},
        "then": {"maxLength": 3},
    });
    for dialect in Dialect::ALL {
        assert_eq!(
            property(dialect, &schema),
            (json!({"type": "string"}), ["if", "not", "then"].map(str::to_owned).to_vec())
        );
    }
}

#[test]
fn tuples_become_lists_where_they_are_not_supported() {
    let pair = json!({
        "type": "array",
        "prefixItems": [{"type": "string"}, {"type": "integer"}],
        "minItems": 2,
        "maxItems": 2,
    });
    assert_eq!(property(Dialect::Gemini, &pair), (pair.clone(), Vec::new()));
    let (said, unenforced) = property(Dialect::OpenAi, &pair);
    assert_eq!(said["items"], json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}));
    assert_eq!((&said["minItems"], &said["maxItems"]), (&json!(2), &json!(2)));
    assert_eq!(unenforced, ["prefixItems"]);
    let open = json!({"type": "array", "prefixItems": [{"type": "string"}]});
    assert!(
        reason(Dialect::OpenAi, &json!({"type": "object", "properties": {"a": open}}))
            .ends_with("a value of any type")
    );
}

#[test]
fn recursion_is_limited_to_some_dialects() {
    let node = |required: Value| {
        json!({
            "$ref": "#/$defs/Node",
            "$defs": {"Node": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
                "required": required,
            }},
        })
    };
    for required in [json!(["name"]), json!(["name", "children"])] {
        let schema = node(required.clone());
        assert_eq!(project(Dialect::OpenAi, &schema).schema["type"], "object");
        assert_eq!(project(Dialect::Ollama, &schema).schema["$defs"]["Node"]["type"], "object");
        assert_eq!(reason(Dialect::Anthropic, &schema), "$: `Node` contains itself");
    }
    assert!(Dialect::Gemini.project(&node(json!(["name"]))).is_ok());
    assert!(reason(Dialect::Gemini, &node(json!(["name", "children"]))).ends_with("`Node` requires itself"));
}

#[test]
fn nothing_stands_beside_a_reference() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A", "description": "The first.", "minItems": 3}},
        "required": ["a"],
        "$defs": {"A": {"type": "array", "items": {"type": "string"}}, "Unused": {"type": "string"}},
    });
    for dialect in Dialect::ALL {
        let said = project(dialect, &schema);
        assert_eq!(said.schema["properties"]["a"], json!({"$ref": "#/$defs/A"}), "{dialect}");
        assert_eq!(said.schema["$defs"]["A"]["type"], "array", "{dialect}");
        assert_eq!(
            said.unenforced[0].to_string(),
            "$.properties.a: `minItems` may not stand beside a reference"
        );
    }
}

#[test]
fn siblings_of_a_reference_to_a_scalar_are_merged_with_it() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A", "maximum": 5}},
        "required": ["a"],
        "$defs": {"A": {"type": "integer", "minimum": 3}},
    });
    let said = project(Dialect::OpenAi, &schema);
    assert_eq!(said.schema["properties"]["a"], json!({"type": "integer", "minimum": 3, "maximum": 5}));
    assert!(said.schema.get("$defs").is_none() && said.unenforced.is_empty());
}

#[test]
fn deprecated_names_are_not_offered() {
    let schema = json!({
        "type": "object",
        "properties": {"total": {"type": "integer"}, "sum": {"type": "integer", "deprecated": true}},
        "allOf": [{"oneOf": [{"required": ["total"]}, {"required": ["sum"]}]}],
    });
    let said = project(Dialect::Anthropic, &schema);
    let expected = json!({
        "type": "object",
        "properties": {"total": {"type": "integer"}},
        "required": ["total"],
        "additionalProperties": false,
    });
    assert_eq!(said.schema, expected);
    assert_eq!(said.unenforced[0].to_string(), "$.properties.sum: `deprecated` names are not offered");
}

#[test]
fn openai_wants_an_object_at_the_root() {
    for schema in [
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"anyOf": [person(), {"type": "null"}]}),
    ] {
        assert_eq!(reason(Dialect::OpenAi, &schema), "$: the root is not an object");
        assert!(Dialect::Anthropic.project(&schema).is_ok());
    }
}

#[test]
fn openai_is_offered_an_object_around_anything_else() {
    let list = json!({"type": "array", "items": {"type": "string", "minLength": 1}});
    let offered = Dialect::OpenAi.offer(&list).unwrap();
    let expected = json!({
        "type": "object",
        "properties": {"answer": {"type": "array", "items": {"type": "string"}}},
        "required": ["answer"],
        "additionalProperties": false,
    });
    assert_eq!((offered.schema, offered.is_enveloped), (expected, true));
    assert_eq!(offered.unenforced[0].path.to_string(), "$.items");
    for dialect in Dialect::ALL {
        assert_eq!(dialect.offer(&person()), dialect.project(&person()));
    }
    assert_eq!(Dialect::Anthropic.offer(&list), Dialect::Anthropic.project(&list));
    // If wrapping does not help either, the original reason is kept.
    let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    assert_eq!(Dialect::OpenAi.offer(&map), Dialect::OpenAi.project(&map));
}

#[test]
fn sizes_are_limited() {
    let with = |count: usize, property: &Value| {
        let all: serde_json::Map<_, _> = (0..count).map(|n| (format!("p{n}"), property.clone())).collect();
        json!({"type": "object", "properties": all})
    };
    let text = json!({"type": "string"});
    assert_eq!(
        reason(Dialect::OpenAi, &with(5_001, &text)),
        "$: 5001 properties, of which there may be 5000"
    );
    assert_eq!(
        reason(Dialect::Anthropic, &with(25, &text)),
        "$: 25 optional properties, of which there may be 24"
    );
    let maybe = json!({"type": ["string", "null"]});
    assert_eq!(reason(Dialect::Anthropic, &with(17, &maybe)), "$: 17 unions, of which there may be 16");
    let values: Vec<_> = (0..1_001).map(|n| n.to_string()).collect();
    // `null` for an absent property is a value of its own.
    assert_eq!(
        reason(Dialect::OpenAi, &with(1, &json!({"enum": values}))),
        "$: 1002 values of enums, of which there may be 1000"
    );
    let deep = (0..10).fold(
        text.clone(),
        |inner, _| json!({"type": "object", "properties": {"a": inner}, "required": ["a"]}),
    );
    assert!(Dialect::OpenAi.project(&deep).is_ok());
    assert_eq!(
        reason(Dialect::OpenAi, &json!({"type": "object", "properties": {"a": deep}, "required": ["a"]})),
        "$: 11 levels of objects, of which there may be 10"
    );
}

#[test]
fn inexpressible_schemas_are_errors() {
    for (schema, expected) in [
        (json!({"type": "object", "properties": {"a": true}}), "$.properties.a: a value of any type"),
        (
            json!({"type": "object", "properties": {"a": false}, "required": ["a"]}),
            "$.properties.a: nothing is accepted here",
        ),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "https://example.org/a"}}}),
            "$.properties.a: `https://example.org/a` is not a reference to a schema in this one",
        ),
        (
            json!({"allOf": [{"type": "string"}, {"type": "integer"}]}),
            "$: no type satisfies all of its parts",
        ),
    ] {
        assert_eq!(reason(Dialect::OpenAi, &schema), expected);
    }
}

#[test]
fn keywords_that_constrain_nothing_are_not_reported() {
    let annotated = json!({
        "type": "object",
        "properties": {
            "a": {"type": "string", "minLength": 0, "markdownDescription": "A.", "x-order": 1, "readonly": true},
            "b": {"type": "array", "items": {"type": "string"}, "minItems": 0, "uniqueItems": false, "_format": "set"},
        },
        "required": ["a", "b"],
        "propertyNames": {},
        "defaultSnippets": [{"body": {}}],
    });
    for dialect in Dialect::ALL {
        let projection = project(dialect, &annotated);
        assert_eq!(projection.unenforced, [], "{dialect}");
        assert!(!projection.schema.to_string().contains("readonly"), "{dialect}");
    }
    let referred = json!({
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/A", "x-order": 1}},
        "required": ["a"],
        "$defs": {"A": {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"], "x-order": 2}},
    });
    for dialect in Dialect::ALL {
        assert_eq!(project(dialect, &referred).unenforced, [], "{dialect}");
    }
}

#[test]
fn keywords_that_allow_everything_imply_no_type() {
    for any in [
        json!({"properties": {}}),
        json!({"properties": {}, "required": []}),
        json!({"additionalProperties": true, "minProperties": 0}),
        json!({"items": {}}),
        json!({"minLength": 0}),
    ] {
        for dialect in OPEN {
            assert_eq!(property(dialect, &any), (json!({}), vec![]), "{dialect} {any}");
        }
        let object = json!({"type": "object", "properties": {"a": any}, "required": ["a"]});
        for dialect in CLOSED {
            assert_eq!(reason(dialect, &object), "$.properties.a: a value of any type", "{any}");
        }
    }
    for dialect in OPEN {
        let (schema, _) = property(dialect, &json!({"properties": {}, "items": {"type": "string"}}));
        assert_eq!(schema["type"], "array");
    }
}

#[test]
fn a_list_that_is_always_empty_is_a_list() {
    for list in [
        json!({"type": "array", "maxItems": 0}),
        json!({"type": "array", "items": {"type": "object", "additionalProperties": true}, "maxItems": 0}),
        json!({"type": "array", "items": false}),
        json!({"type": "array", "prefixItems": [false, {"type": "string"}]}),
    ] {
        for dialect in Dialect::ALL {
            let (schema, unenforced) = property(dialect, &list);
            assert_eq!(schema["type"], "array", "{dialect} {list}");
            // The size is sent, or the caller is told that it is not.
            assert_eq!(schema.get("maxItems") == Some(&json!(0)), unenforced.is_empty(), "{dialect} {list}");
            assert_eq!(unenforced.is_empty(), dialect != Dialect::Anthropic, "{dialect} {list}");
        }
    }
}

#[test]
fn names_inside_the_branches_of_a_condition_keep_an_object_open() {
    let branches = json!([
        {"properties": {"kind": {"const": "card"}, "last4": {"type": "string"}}, "required": ["kind", "last4"]},
        {"properties": {"kind": {"const": "cash"}}},
    ]);
    let by = |condition: Value| {
        let mut schema = json!({"type": "object", "properties": {"kind": {"type": "string"}}, "$defs": {"Pay": {"oneOf": branches}}});
        schema.as_object_mut().unwrap().extend(condition.as_object().unwrap().clone());
        schema
    };
    for condition in [
        json!({"dependentSchemas": {"kind": {"oneOf": branches}}}),
        json!({"dependentSchemas": {"kind": {"$ref": "#/$defs/Pay"}}}),
        json!({"if": {"required": ["kind"]}, "then": {"allOf": [{"anyOf": branches}]}}),
    ] {
        let schema = by(condition);
        for dialect in CLOSED {
            assert_eq!(reason(dialect, &schema), "$: a map with free keys", "{schema}");
        }
        let value = json!({"kind": "card", "last4": "1234"});
        for dialect in OPEN {
            assert!(jsonschema::is_valid(&project(dialect, &schema).schema, &value), "{dialect} {schema}");
        }
    }
}

#[test]
fn hostile_schemas_end() {
    let circle = json!({
        "$ref": "#/$defs/A",
        "properties": {},
        "$defs": {"A": {"$ref": "#/$defs/B", "properties": {}}, "B": {"$ref": "#/$defs/A", "properties": {}}},
    });
    let alone = json!({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}});
    let twice = |name: &str| json!({"allOf": [{"$ref": name}, {"properties": {"x": {"$ref": name, "required": ["y"]}}}]});
    let growing = json!({"$ref": "#/$defs/A", "$defs": {"A": twice("#/$defs/A")}});
    let deep = (0..700).fold(json!({"type": "string"}), |inner, _| json!({"type": "array", "items": inner}));
    let doubling = (0..40).fold(
        json!({"D0": {"type": "object", "properties": {"x": {"type": "string"}}}}),
        |mut all, n| {
            let lower = json!({"$ref": format!("#/$defs/D{n}"), "required": ["x"]});
            all[format!("D{}", n + 1)] = json!({"type": "object", "properties": {"a": lower, "b": lower}});
            all
        },
    );
    let doubling = json!({"$ref": "#/$defs/D40", "$defs": doubling});
    let itself = json!({"$ref": "#/$defs/A"});
    let condition = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "dependentSchemas": {"a": {"$ref": "#/$defs/A"}},
        "$defs": {"A": {"allOf": vec![itself; 100]}},
    });
    for dialect in CLOSED {
        assert!(dialect.project(&condition).is_err(), "{dialect}");
    }
    for schema in [&circle, &alone, &growing, &deep, &doubling] {
        for dialect in Dialect::ALL {
            assert!(dialect.project(schema).is_err(), "{dialect}");
        }
    }
}
