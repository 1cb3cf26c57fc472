use serde_json::json;

use super::*;
use crate::schema::SchemaView;

/// `schema` restricted to `values` at `place`.
fn one_of(schema: &Value, place: &str, values: &Value) -> Value {
    let view = SchemaView::of(schema);
    let values = values.as_array().unwrap();
    let replace = &mut |part| (listed(&view, part, values.clone()), FittingValues::default());
    narrowed(schema, &PathPattern::from(place), replace, &|value| values.contains(value)).unwrap().0
}

fn is_valid(schema: &Value, value: &Value) -> bool {
    jsonschema::draft202012::new(schema).unwrap().is_valid(value)
}

#[test]
fn a_definition_that_is_used_elsewhere_stays_as_it_is() {
    let schema = json!({
        "type": "object",
        "properties": {"first": {"$ref": "#/$defs/Line"}, "second": {"$ref": "#/$defs/Line"}},
        "$defs": {"Line": {"type": "object", "properties": {"unit": {"type": "string"}}}},
    });
    let narrow = one_of(&schema, "$.first.unit", &json!(["kg"]));
    let unit = json!({"type": "string", "enum": ["kg"]});
    assert_eq!(
        narrow,
        json!({
            "type": "object",
            "properties": {"first": {"$ref": "#/$defs/Line_2"}, "second": {"$ref": "#/$defs/Line"}},
            "$defs": {
                "Line": {"type": "object", "properties": {"unit": {"type": "string"}}},
                "Line_2": {"type": "object", "properties": {"unit": unit}},
            },
        })
    );
}

#[test]
fn a_definition_that_nothing_else_uses_keeps_its_name() {
    let schema = json!({
        "properties": {"lines": {"type": "array", "items": {"$ref": "#/$defs/a~1b%20c"}}},
        "$defs": {"a/b c": {"properties": {"unit": {"$ref": "#/$defs/Unit"}}}, "Unit": {"enum": ["kg", "m"]}, "Unused": {"$ref": "#/$defs/Unused2"}, "Unused2": {}},
    });
    let narrow = one_of(&schema, "$.lines[*].unit", &json!(["kg"]));
    assert_eq!(
        narrow,
        json!({
            "properties": {"lines": {"type": "array", "items": {"$ref": "#/$defs/a~1b%20c"}}},
            "$defs": {"a/b c": {"properties": {"unit": {"type": "string", "enum": ["kg"]}}}, "Unused": {"$ref": "#/$defs/Unused2"}, "Unused2": {}},
        })
    );
}

#[test]
fn a_recursive_root_is_narrowed_at_the_place_alone() {
    for reference in ["#", "#node", "#/$defs/Alias"] {
        let schema = json!({
            "$anchor": "node",
            "type": "object",
            "properties": {"kind": {"type": "string"}, "next": {"$ref": reference}},
            "$defs": {"Alias": {"$ref": "#"}},
        });
        let narrow = one_of(&schema, "$.next.kind", &json!(["a"]));
        for (value, valid) in [
            (json!({"kind": "z", "next": {"kind": "a", "next": {"kind": "z"}}}), true),
            (json!({"kind": "z", "next": {"kind": "z"}}), false),
            (json!({"kind": 1}), false),
            (json!({"next": {"next": {"kind": 1}}}), false),
            (json!({"next": {"next": {"next": {"kind": 1}}}}), false),
        ] {
            assert_eq!(is_valid(&narrow, &value), valid, "{value} for {narrow}");
        }
        assert!(!is_valid(&one_of(&schema, "$.kind", &json!(["a"])), &json!({"kind": "z"})));
        assert!(is_valid(&one_of(&schema, "$.kind", &json!(["a"])), &json!({"next": {"kind": "z"}})));
    }
}

#[test]
fn references_into_what_changed_mean_what_they_did() {
    let schema = json!({
        "properties": {
            "a": {"properties": {"unit": {"type": "string"}, "other": {"type": "integer"}}},
            "same": {"$ref": "#/properties/a"},
            "unit": {"$ref": "#/properties/a/properties/unit"},
            "other": {"$ref": "#/properties/a/properties/other"},
        },
    });
    let narrow = one_of(&schema, "$.a.unit", &json!(["kg"]));
    for (value, valid) in [
        (json!({"a": {"unit": "kg"}, "same": {"unit": "m"}, "unit": "m", "other": 1}), true),
        (json!({"a": {"unit": "m"}}), false),
        (json!({"same": {"unit": 1}}), false),
        (json!({"unit": 1}), false),
        (json!({"other": "m"}), false),
    ] {
        assert_eq!(is_valid(&narrow, &value), valid, "{value} for {narrow}");
    }
}

#[test]
fn the_place_is_found_through_unions_parts_tuples_and_maps() {
    let unit = json!({"type": "string"});
    let with_unit = json!({"type": "object", "properties": {"unit": unit}});
    for (schema, place, value) in [
        (json!({"anyOf": [with_unit, {"type": "null"}]}), "$.unit", json!({"unit": "m"})),
        (json!({"oneOf": [with_unit, {"type": "integer"}]}), "$.unit", json!({"unit": "m"})),
        (
            json!({"allOf": [{"type": "object"}, {"anyOf": [with_unit, {}]}], "minProperties": 1}),
            "$.unit",
            json!({"unit": "m", "b": 1}),
        ),
        (
            json!({"type": "array", "prefixItems": [{"type": "integer"}, with_unit]}),
            "$[1].unit",
            json!([1, {"unit": "m"}]),
        ),
        (
            json!({"type": "array", "prefixItems": [with_unit], "items": with_unit}),
            "$[*].unit",
            json!([{}, {"unit": "m"}]),
        ),
        (
            json!({"type": "object", "additionalProperties": with_unit}),
            "$[*].unit",
            json!({"a": {"unit": "m"}}),
        ),
        (
            json!({"type": "object", "patternProperties": {"^a": unit}, "additionalProperties": false}),
            "$[*]",
            json!({"ab": "m"}),
        ),
        (json!({"type": "array", "items": true}), "$[*]", json!(["m"])),
        (json!({"type": "array"}), "$", json!(["m"])),
    ] {
        let narrow = one_of(&schema, place, &json!(["kg"]));
        let is_of_branches = narrow.get("anyOf").is_some() || narrow.get("allOf").is_some();
        assert!(is_valid(&schema, &value), "{value}");
        assert!(is_of_branches || !is_valid(&narrow, &value), "{value} for {narrow}");
        assert_ne!(narrow, schema);
        assert!(narrow.to_string().contains(r#"{"type":"string","enum":["kg"]}"#), "{narrow}");
    }
}

#[test]
fn a_field_is_narrowed_under_each_of_its_names() {
    let schema = json!({
        "properties": {"unit": {"type": "string"}, "measure": {"type": "string", "deprecated": true}, "old": {"type": "string", "deprecated": true}},
        "oneOf": [{"required": ["unit"]}, {"required": ["measure"]}],
    });
    let narrow = one_of(&schema, "$.unit", &json!(["kg"]));
    assert_eq!(
        narrow["properties"]["measure"],
        json!({"deprecated": true, "type": "string", "enum": ["kg"]})
    );
    assert_eq!(narrow["properties"]["old"], schema["properties"]["old"]);
}

#[test]
fn a_deep_place_in_a_wide_recursion_is_copied_once_per_step() {
    let branch = |name: &str| json!({"properties": {"kind": {"const": name}, "left": {"$ref": "#/$defs/Tree"}, "unit": {"type": "string"}}, "required": ["kind"]});
    let schema = json!({"$ref": "#/$defs/Tree", "$defs": {"Tree": {"oneOf": [branch("a"), branch("b")]}}});
    let place = ["$".to_owned(), ".left".repeat(60), ".unit".to_owned()].concat();
    let narrow = one_of(&schema, &place, &json!(["kg"]));
    assert_eq!(narrow["$defs"].as_object().unwrap().len(), 62);
}

#[test]
fn copies_have_a_limit() {
    let mut schema = json!({"$ref": "#/$defs/Tree", "$defs": {"Tree": {"properties": {"left": {"$ref": "#/$defs/Tree"}}}}});
    for number in 0..10_000 {
        schema["$defs"]["Tree"]["properties"][format!("field_{number}")] = json!({"type": "string"});
    }
    let replace = &mut |part: &Value| (part.clone(), FittingValues::default());
    let place = PathPattern::from(["$", &".left".repeat(100), ".field_1"].concat());
    assert!(matches!(narrowed(&schema, &place, replace, &|_| true), Err(NarrowingFailure::TooLarge)));
}

#[test]
fn examples_that_no_longer_fit_are_dropped() {
    let schema = json!({
        "examples": [{"lines": [{"unit": "kg"}, {"unit": "m"}]}, {"lines": [{"unit": "kg"}]}],
        "default": {"lines": [{"unit": "m"}]},
        "properties": {"lines": {
            "examples": [[{"unit": "m"}]],
            "items": {"properties": {"unit": {"type": "string", "examples": ["m", "kg"], "default": "m"}}},
        }},
    });
    let unit = json!({"type": "string", "examples": ["kg"], "enum": ["kg"]});
    assert_eq!(
        one_of(&schema, "$.lines[*].unit", &json!(["kg"])),
        json!({
            "examples": [{"lines": [{"unit": "kg"}]}],
            "properties": {"lines": {"items": {"properties": {"unit": unit}}}},
        })
    );
}

#[test]
fn what_is_said_of_the_place_is_kept() {
    let schema = json!({
        "properties": {
            "own": {"$ref": "#/$defs/Unit", "description": "Of the field."},
            "optional": {"anyOf": [{"$ref": "#/$defs/Unit"}, {"type": "null"}]},
            "secret": {"$ref": "#/$defs/Secret"},
            "list": {"type": "array", "items": {"type": "integer"}, "description": "Two numbers."},
        },
        "$defs": {
            "Unit": {"type": "string", "enum": ["kg", "m"], "title": "Unit", "description": "Of the type.\n\n- `kg`: mass\n- `m`: length"},
            "Secret": {"type": "string", "x-sensitive": true},
        },
    });
    for (place, values, expected) in [
        (
            "$.own",
            json!(["kg"]),
            json!({"type": "string", "description": "Of the field.\n\n- `kg`: mass", "enum": ["kg"]}),
        ),
        (
            "$.optional",
            json!(["m", null]),
            json!({"type": ["string", "null"], "description": "Of the type.\n\n- `m`: length", "enum": ["m", null]}),
        ),
        ("$.secret", json!(["a"]), json!({"type": "string", "x-sensitive": true, "enum": ["a"]})),
        (
            "$.list",
            json!([[1, 2]]),
            json!({"type": "array", "items": {"type": "integer"}, "description": "Two numbers.", "enum": [[1, 2]]}),
        ),
    ] {
        let narrow = one_of(&schema, place, &values);
        assert_eq!(narrow.pointer(&format!("/properties/{}", &place[2..])), Some(&expected), "{place}");
    }
}

#[test]
fn types_are_those_of_the_values() {
    for (values, kind) in [
        (json!([1, 2]), json!("integer")),
        (json!([1, 2.5]), json!("number")),
        (json!(["a", 1, null]), json!(["string", "integer", "null"])),
    ] {
        assert_eq!(one_of(&json!({}), "$", &values)["type"], kind, "{values}");
    }
}

#[test]
fn a_description_replaces_the_prose_and_keeps_the_meanings() {
    let part = json!({"enum": ["a", "b"], "description": "Old.\n\n- `a`: first"});
    assert_eq!(described(&part, "New. ")["description"], "New.\n\n- `a`: first");
    assert_eq!(described(&part, "")["description"], "- `a`: first");
    assert_eq!(described(&json!({"description": "Old."}), " "), json!({}));
    assert_eq!(described(&json!(true), "New."), json!({"description": "New."}));
}

#[test]
fn a_place_that_is_missing_is_reported_where_it_ends() {
    let schema = json!({
        "properties": {"lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}}},
        "$defs": {"Line": {"properties": {"unit": {}, "qty": {}, "old": {"deprecated": true}}}},
    });
    let replace = &mut |part: &Value| (part.clone(), FittingValues::default());
    let Err(NarrowingFailure::Missing(reached)) =
        narrowed(&schema, &PathPattern::from("$.lines[*].price"), replace, &|_| true)
    else {
        panic!("it is there");
    };
    assert_eq!((reached.steps, reached.keys), (2, vec!["unit".to_owned(), "qty".to_owned()]));
}

#[test]
fn values_fit_where_all_parts_and_one_alternative_take_them() {
    let schema = json!({
        "properties": {"unit": {"enum": ["a", "b", "c"]}},
        "anyOf": [{"properties": {"unit": {"enum": ["a"]}}}, {"properties": {"unit": {"enum": ["b", "d"]}}}],
    });
    let values = ["a", "b", "c", "d"];
    let replace = &mut |part: &Value| {
        let fits = values.iter().map(|value| part["enum"].as_array().unwrap().contains(&json!(value)));
        (part.clone(), FittingValues::new(fits.collect()))
    };
    let (_, fits) = narrowed(&schema, &PathPattern::from("$.unit"), replace, &|_| true).unwrap();
    assert_eq!(fits, FittingValues::new(vec![true, true, false, false]));
    assert_eq!(fits.first_misfit(), Some(2));
}
