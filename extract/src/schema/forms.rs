//! A schema in the forms that agents receive, the type of a whole answer, and how an answer may leave
//! something out.

use std::{
    collections::HashSet,
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use serde_json::{Map, Value};

use super::{
    dialect::{Dialect, Inexpressible, Projection, UnenforcedConstraint},
    notation::{OutlineOptions, described, outline},
    shown::shown,
    view::{
        MAX_CHAIN, SchemaView,
        keywords::{named, required, says_of_null},
        reference,
    },
};

/// A schema for agents, without the library's marks, in all its forms. Each form is computed on
/// first use and kept, because it is the same in every request.
pub(crate) struct SchemaForms {
    schema: Arc<Value>,
    root: OnceLock<&'static str>,
    absence: OnceLock<AbsenceRules>,
    described: OnceLock<String>,
    json: OnceLock<String>,
    outlines: Mutex<Vec<CachedOutline>>,
    native: [OnceLock<Result<Projection, Inexpressible>>; Dialect::ALL.len()],
}

/// Maximum outlines that are kept: one for each agent in use.
const KEPT: usize = 8;

/// An outline, with the inputs that it depends on.
struct CachedOutline {
    shows_keys: bool,
    unenforced: Vec<UnenforcedConstraint>,
    text: Arc<str>,
}

impl SchemaForms {
    pub(crate) fn new(schema: Arc<Value>) -> Self {
        Self {
            schema,
            root: OnceLock::new(),
            absence: OnceLock::new(),
            described: OnceLock::new(),
            json: OnceLock::new(),
            outlines: Mutex::default(),
            native: Default::default(),
        }
    }

    /// The schema itself.
    pub(crate) fn schema(&self) -> &Arc<Value> {
        &self.schema
    }

    /// The root type of an answer.
    pub(crate) fn root(&self) -> &'static str {
        self.root.get_or_init(|| root(&self.schema))
    }

    /// How parts of an answer may be absent.
    pub(crate) fn absence(&self) -> AbsenceRules {
        *self.absence.get_or_init(|| absence(&self.schema))
    }

    /// The paragraph of a prompt that describes the schema as types.
    pub(crate) fn described(&self) -> &str {
        self.described.get_or_init(|| described(&self.schema))
    }

    /// The schema as an outline.
    pub(crate) fn outline(&self, options: OutlineOptions<'_>) -> Arc<str> {
        let OutlineOptions { shows_keys, unenforced } = options;
        let mut outlines = self.outlines.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &&CachedOutline| known.shows_keys == shows_keys && known.unenforced == unenforced;
        if let Some(known) = outlines.iter().find(same) {
            return Arc::clone(&known.text);
        }
        let text: Arc<str> = outline(&self.schema, options).into();
        if outlines.len() == KEPT {
            outlines.remove(0);
        }
        outlines.push(CachedOutline { shows_keys, unenforced: unenforced.to_vec(), text: Arc::clone(&text) });
        text
    }

    /// The schema as compact JSON.
    pub(crate) fn json(&self) -> &str {
        self.json.get_or_init(|| shown(&self.schema))
    }

    /// The schema in `dialect`.
    pub(crate) fn native(&self, dialect: Dialect) -> &Result<Projection, Inexpressible> {
        self.native[dialect as usize].get_or_init(|| dialect.offer(&self.schema))
    }
}

impl fmt::Debug for SchemaForms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SchemaForms")
    }
}

/// `object` or `array` if `schema` allows nothing else, else `value`.
pub(crate) fn root(schema: &Value) -> &'static str {
    only(&SchemaView::of(schema), schema, MAX_CHAIN).unwrap_or("value")
}

fn only<'s>(view: &SchemaView<'s>, schema: &'s Value, steps: usize) -> Option<&'static str> {
    let is_telling = |object: &Map<String, Value>| object.contains_key("type") || reference(object).is_none();
    let mut chain = view.chain(schema).filter_map(Value::as_object);
    let object = chain.find(|object| is_telling(object)).filter(|_| steps > 0)?;
    if let Some(name) = object.get("type") {
        return match name.as_str()? {
            "object" => Some("object"),
            "array" => Some("array"),
            _ => None,
        };
    }
    let branches = object.get("oneOf").or_else(|| object.get("anyOf"))?.as_array()?;
    let mut names = branches.iter().map(|branch| only(view, branch, steps - 1));
    let first = names.next()??;
    names.all(|name| name == Some(first)).then_some(first)
}

/// Maximum depth of nested schemas that are searched.
const MAX_DEPTH: usize = 32;

/// Whether any value may be null, and whether any key may be missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct AbsenceRules {
    pub(crate) as_null: bool,
    pub(crate) as_missing_key: bool,
}

/// Returns how `schema` allows parts of an answer to be absent.
fn absence(schema: &Value) -> AbsenceRules {
    let mut found = AbsenceRules::default();
    search(schema, MAX_DEPTH, &mut found);
    found
}

fn search(schema: &Value, depth: usize, found: &mut AbsenceRules) {
    let Some(object) = schema.as_object().filter(|_| depth > 0) else { return };
    found.as_null |= says_of_null(object) == Some(true);
    let required: HashSet<&str> = required(object).collect();
    found.as_missing_key |= named(object, "properties").any(|(key, _)| !required.contains(key.as_str()));
    for (keyword, part) in object {
        match (keyword.as_str(), part) {
            // These do not describe the value of a key.
            ("const" | "enum" | "default" | "examples" | "not" | "if" | "propertyNames", _) => {}
            ("properties" | "$defs" | "patternProperties", Value::Object(named)) => {
                named.values().for_each(|part| search(part, depth - 1, found));
            }
            (_, Value::Array(parts)) => parts.iter().for_each(|part| search(part, depth - 1, found)),
            (_, part) => search(part, depth - 1, found),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_form_is_computed_once() {
        let forms = SchemaForms::new(Arc::new(json!({"type": "object", "title": "A"})));
        assert!(std::ptr::eq(forms.described(), forms.described()));
        let outlined = |shows_keys| forms.outline(OutlineOptions { shows_keys, unenforced: &[] });
        assert!(Arc::ptr_eq(&outlined(true), &outlined(true)));
        assert!(!Arc::ptr_eq(&outlined(true), &outlined(false)));
        assert!(std::ptr::eq(forms.json(), forms.json()));
        for dialect in Dialect::ALL {
            let native = forms.native(dialect);
            assert!(std::ptr::eq(native, forms.native(dialect)));
            assert_eq!(native.clone().ok(), dialect.offer(forms.schema()).ok(), "{dialect}");
        }
    }

    #[test]
    fn names_what_every_answer_is() {
        let (object, array) = (json!({"type": "object"}), json!({"type": "array"}));
        assert_eq!((root(&object), root(&array)), ("object", "array"));
        assert_eq!(
            root(&json!({"anyOf": [object, {"$ref": "#/$defs/A"}], "$defs": {"A": object}})),
            "object"
        );
        for other in [
            json!({"oneOf": [object, array]}),
            json!({"anyOf": [object, {"type": "null"}]}),
            json!({"type": ["object", "null"]}),
            json!({"$ref": "#"}),
            json!({"$ref": "#/$defs/missing"}),
            json!({"anyOf": []}),
            json!(true),
        ] {
            assert_eq!(root(&other), "value", "{other}");
        }
    }

    fn absent(schema: &Value) -> (bool, bool) {
        let AbsenceRules { as_null, as_missing_key } = absence(schema);
        (as_null, as_missing_key)
    }

    #[test]
    fn null_is_found_in_types_unions_and_lists_of_values() {
        for nullable in [
            json!({"type": ["string", "null"]}),
            json!({"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}),
            json!({"enum": ["a", null]}),
            json!({"const": null}),
            json!({"type": "array", "items": {"additionalProperties": {"type": ["integer", "null"]}}}),
            json!({"$ref": "#/$defs/A", "$defs": {"A": {"type": ["integer", "null"]}}}),
        ] {
            assert_eq!(absent(&nullable), (true, false), "{nullable}");
        }
    }

    #[test]
    fn a_key_that_is_not_required_may_be_missing() {
        let schema =
            |required: &[&str]| json!({"properties": {"a": {"type": "string"}}, "required": required});
        assert_eq!(absent(&schema(&[])), (false, true));
        assert_eq!(absent(&schema(&["a"])), (false, false));
        assert_eq!(absent(&json!({"oneOf": [{"type": "string"}, schema(&[])]})), (false, true));
    }

    #[test]
    fn schemas_of_other_values_are_ignored() {
        let silent = json!({
            "enum": [{"properties": {"a": {"type": "null"}}}],
            "not": {"type": "null"},
            "default": {"type": ["null"]},
        });
        assert_eq!(absent(&silent), (false, false));
        assert_eq!(
            absent(&json!({"type": "object", "properties": {"const": {"type": "null"}}})),
            (true, true)
        );
        let mut deep = json!({"type": "null"});
        for _ in 0..200 {
            deep = json!({"items": deep});
        }
        assert_eq!(absent(&deep), (false, false));
    }
}
