//! A schema in the forms that agents receive, and the type of a whole answer.

use std::{
    fmt,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use serde_json::{Map, Value};

use super::{
    absence::{AbsenceRules, absence},
    dialect::{Dialect, Inexpressible, Projection, UnenforcedConstraint},
    notation::{OutlineOptions, described, outline},
    shown::shown,
    view::{MAX_CHAIN, SchemaView, reference},
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
}
