//! An example for each alternative of each union in a schema.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    example::{ExampleChoices, UnionAddress, example_with, is_condition},
    is_deprecated,
    view::{
        REFERENCES, SchemaView,
        keywords::{list, named},
    },
};
use crate::vocabulary::path::Path;

/// Maximum alternatives with an example.
const MAX_ALTERNATIVES: usize = 2_000;

/// An alternative of a union or of a list of values, with a value of the whole schema that takes it.
#[derive(Debug)]
pub(crate) struct SchemaAlternative<'s> {
    /// The path of the union in the schema.
    pub(crate) union: Path,
    /// The alternatives of the union; empty for a list of values.
    pub(crate) branches: &'s [Value],
    pub(crate) index: usize,
    pub(crate) whole: Value,
    /// The part of the whole that the alternative describes.
    pub(crate) part: Value,
}

/// An example for each alternative of each union in `schema`, and for each value of each list. None
/// for those that the generator finds no small value for.
pub(crate) fn alternatives(schema: &Value) -> Vec<SchemaAlternative<'_>> {
    let view = SchemaView::of(schema);
    let mut search = UnionSearch {
        view: &view,
        seen: HashSet::new(),
        around: Vec::new(),
        choices: Vec::new(),
        plans: Vec::new(),
    };
    search.search(schema, &Path::root());
    search.plans.into_iter().filter_map(|plan| plan.example(schema)).collect()
}

/// An alternative to find an example for.
struct AlternativeSearch<'s> {
    union: Path,
    branches: &'s [Value],
    index: usize,
    choices: ExampleChoices,
}

impl<'s> AlternativeSearch<'s> {
    fn example(self, schema: &'s Value) -> Option<SchemaAlternative<'s>> {
        let Self { union, branches, index, choices } = self;
        let (whole, part) = example_with(schema, &choices)?;
        Some(SchemaAlternative { union, branches, index, whole, part })
    }
}

/// Finds the unions of a schema, each once.
struct UnionSearch<'s, 'v> {
    view: &'v SchemaView<'s>,
    seen: HashSet<*const Value>,
    around: Vec<*const Value>,
    choices: Vec<(UnionAddress, usize)>,
    plans: Vec<AlternativeSearch<'s>>,
}

impl<'s> UnionSearch<'s, '_> {
    fn search(&mut self, schema: &'s Value, path: &Path) {
        let Value::Object(object) = schema else { return };
        if !self.seen.insert(std::ptr::from_ref(schema)) {
            return;
        }
        self.around.push(std::ptr::from_ref(schema));
        if let Some(values) = object.get("enum").and_then(Value::as_array).filter(|values| values.len() > 1) {
            self.plan(values, &[], path);
        }
        self.union(object, path);
        for reference in REFERENCES.into_iter().filter_map(|keyword| object.get(keyword)?.as_str()) {
            if let Some(target) = self.view.target(reference) {
                self.search(target, &self.view.path(reference));
            }
        }
        for keyword in ["allOf", "prefixItems"] {
            for (index, part) in list(object, keyword).enumerate() {
                self.search(part, &path.clone().key(keyword).index(index));
            }
        }
        for keyword in ["properties", "patternProperties"] {
            // The generator shows no alias of a field.
            for (key, part) in named(object, keyword).filter(|(_, part)| !is_deprecated(part)) {
                self.search(part, &path.clone().key(keyword).key(key));
            }
        }
        for keyword in ["items", "additionalProperties"] {
            if let Some(part) = object.get(keyword) {
                self.search(part, &path.clone().key(keyword));
            }
        }
        self.around.pop();
    }

    fn union(&mut self, object: &'s Map<String, Value>, path: &Path) {
        // The generator looks at one of the two.
        let Some((keyword, branches)) = ["oneOf", "anyOf"]
            .into_iter()
            .find_map(|keyword| Some((keyword, object.get(keyword)?.as_array()?)))
        else {
            return;
        };
        if branches.iter().all(|branch| branch.as_object().is_some_and(is_condition)) {
            return;
        }
        self.plan(branches, branches, path);
        for (index, branch) in branches.iter().enumerate() {
            self.choices.push((branches.as_ptr(), index));
            self.search(branch, &path.clone().key(keyword).index(index));
            self.choices.pop();
        }
    }

    fn plan(&mut self, alternatives: &'s [Value], branches: &'s [Value], path: &Path) {
        let union = alternatives.as_ptr();
        for index in 0..alternatives.len() {
            if self.plans.len() >= MAX_ALTERNATIVES {
                return;
            }
            let choices = ExampleChoices::new(&self.choices, (union, index), &self.around);
            self.plans.push(AlternativeSearch { union: path.clone(), branches, index, choices });
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parts(schema: &Value) -> Vec<(String, Value)> {
        let validator = jsonschema::draft202012::new(schema).unwrap();
        let all = alternatives(schema);
        for alternative in &all {
            assert!(validator.is_valid(&alternative.whole), "{alternative:?}");
        }
        all.into_iter().map(|one| (one.union.to_string(), one.part)).collect()
    }

    #[test]
    fn unions_inside_of_alternatives_are_reached() {
        let schema = json!({
            "type": "object",
            "properties": {"shape": {"$ref": "#/$defs/Shape"}, "size": {"enum": ["s", "l"]}},
            "required": ["shape", "size"],
            "$defs": {
                "Shape": {"oneOf": [{"type": "null"}, {"type": "object", "properties": {"corners": {"$ref": "#/$defs/Corners"}}, "required": ["corners"]}]},
                "Corners": {"anyOf": [{"const": 3}, {"type": "array", "items": {"type": "string"}}]},
            },
        });
        let shape = "$[\"$defs\"].Shape".to_owned();
        let corners = "$[\"$defs\"].Corners".to_owned();
        assert_eq!(
            parts(&schema),
            [
                (shape.clone(), Value::Null),
                (shape, json!({"corners": 3})),
                (corners.clone(), json!(3)),
                (corners, json!(["text"])),
                ("$.properties.size".to_owned(), json!("s")),
                ("$.properties.size".to_owned(), json!("l")),
            ]
        );
    }

    #[test]
    fn a_recursive_union_has_an_end_and_a_stated_example_does_not_hide_it() {
        let schema = json!({
            "$ref": "#/$defs/Term",
            "examples": [{"value": 7}],
            "$defs": {"Term": {"anyOf": [
                {"type": "object", "properties": {"left": {"$ref": "#/$defs/Term"}}, "required": ["left"]},
                {"type": "object", "properties": {"value": {"type": "integer", "examples": [7]}}, "required": ["value"]},
            ]}},
        });
        let found: Vec<Value> = parts(&schema).into_iter().map(|(_, part)| part).collect();
        assert_eq!(found, [json!({"left": {"value": 7}}), json!({"value": 7})]);
    }
}
