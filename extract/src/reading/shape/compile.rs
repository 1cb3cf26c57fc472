//! Compiles a JSON Schema into shapes.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{
    Additional, Id, Property, Shape, Shapes,
    kind::{self, JsonKinds},
};
use crate::{
    reading::{
        keys::Keys,
        options::DEEPEST,
        spelling::{self, words_of_key},
    },
    schema::{DECIMAL, MAX_CHAIN, OTHER, SchemaView, is_deprecated, is_marked},
};

/// Most shapes of one value whose names are collected.
const MAX_PARTS: usize = 256;

struct Compiler<'s> {
    view: SchemaView<'s>,
    all: Vec<Shape>,
    /// The shape of each schema, by its address.
    known: HashMap<*const Value, Id>,
    to_do: Vec<(&'s Value, Id)>,
    /// The schema of each shape.
    schemas: Vec<&'s Value>,
}

impl Shapes {
    /// Compiles a schema into shapes for values of at most `max_depth` levels of brackets.
    pub(crate) fn compile(schema: &Value, max_depth: usize) -> Self {
        let mut compiler = Compiler {
            view: SchemaView::of(schema),
            all: Vec::new(),
            known: HashMap::new(),
            to_do: Vec::new(),
            schemas: Vec::new(),
        };
        compiler.id(schema);
        while let Some((schema, id)) = compiler.to_do.pop() {
            compiler.all[id] = compiler.shape(schema);
        }
        let max_depth = max_depth.min(DEEPEST);
        let mut shapes = Self {
            all: compiler.all,
            is_of_type: false,
            keys: Keys::default(),
            title: schema.get("title").and_then(Value::as_str).map(words_of_key).unwrap_or_default(),
            max_depth,
            example: None,
        };
        shapes.spread_kinds();
        shapes.collect_null_strings(&compiler.schemas);
        shapes.collect_spellings();
        shapes.collect_keys(&compiler.schemas);
        shapes.all.iter_mut().for_each(|shape| shape.plain_kinds = plain_kinds(shape));
        shapes
    }

    /// Narrows the types of each shape by its alternatives. No value passes through a longer chain
    /// of alternatives than this.
    fn spread_kinds(&mut self) {
        for _ in 0..MAX_CHAIN {
            let mut has_changed = false;
            for id in 0..self.all.len() {
                let kinds = self.narrowed_kinds(&self.all[id]);
                has_changed |= kinds != self.all[id].kinds;
                self.all[id].kinds = kinds;
            }
            if !has_changed {
                break;
            }
        }
    }

    fn narrowed_kinds(&self, shape: &Shape) -> JsonKinds {
        let any = |ids: &Vec<Id>| -> JsonKinds { ids.iter().map(|id| self.all[*id].kinds).collect() };
        let kinds = shape.unions.iter().fold(shape.kinds, |kinds, ids| kinds & any(ids));
        shape.all_of.iter().fold(kinds, |kinds, part| kinds & self.all[*part].kinds)
    }

    fn collect_keys(&mut self, schemas: &[&Value]) {
        // A value may be the name of a constant, which describes it.
        let is_open = |schema: &&&Value| schema.get("const").or_else(|| schema.get("enum")).is_none();
        let described =
            schemas.iter().filter(is_open).filter_map(|schema| schema.get("description")?.as_str());
        described.for_each(|description| self.keys.add_description(description));
        for shape in &self.all {
            let names = shape.properties.iter().map(|property| property.name.as_str());
            self.keys.add(names, &shape.required);
            self.keys.takes_any |= shape.takes_any_key();
        }
    }

    fn collect_spellings(&mut self) {
        for id in 0..self.all.len() {
            let parts = self.parts(&[id], MAX_PARTS);
            let mut properties: Vec<_> = parts.iter().flat_map(|id| &self.all[*id].properties).collect();
            let takes_any =
                |id: &Id| matches!(self.all[*id].additional, Additional::Of(_) | Additional::Data);
            let is_open = parts.iter().any(takes_any);
            // Aliases come last, and count only if no other name has the same spelling.
            properties.sort_by_key(|property| property.is_alias);
            let mut names = HashSet::new();
            let mut spellings: HashMap<String, Vec<String>> = HashMap::new();
            for property in properties {
                let same = spellings.entry(spelling::bare(&property.name)).or_default();
                let is_covered = property.is_alias && !same.is_empty();
                if names.insert(property.name.clone()) && !is_covered {
                    same.push(property.name.clone());
                }
            }
            (self.all[id].names, self.all[id].spellings) = (names, spellings);
            self.all[id].is_open = is_open;
        }
    }
}

impl<'s> Compiler<'s> {
    fn id(&mut self, schema: &'s Value) -> Id {
        let schema = self.view.meant(schema);
        if let Some(id) = self.known.get(&std::ptr::from_ref(schema)) {
            return *id;
        }
        let id = self.all.len();
        self.all.push(Shape::default());
        self.schemas.push(schema);
        self.known.insert(std::ptr::from_ref(schema), id);
        self.to_do.push((schema, id));
        id
    }

    fn shape(&mut self, schema: &'s Value) -> Shape {
        let Some(object) = schema.as_object() else {
            let kinds = if schema == &Value::Bool(false) { kind::NONE } else { kind::ANY };
            return Shape { kinds, ..Shape::default() };
        };
        let choices = choices(object);
        let mut shape = Shape::new(kinds(object, choices.as_deref()), choices);
        shape.has_form = ["pattern", "format"].iter().any(|keyword| object.contains_key(*keyword));
        shape.is_date = object.get("format").is_some_and(|format| format == "date");
        shape.is_other = is_marked(schema, OTHER);
        shape.is_decimal = is_marked(schema, DECIMAL);
        let targets: Vec<_> = self.view.targets(object).collect();
        shape.all_of.extend(targets.into_iter().map(|target| self.id(target)));
        for (keyword, value) in object {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    for (name, schema) in properties {
                        let is_alias = is_deprecated(schema);
                        let property = Property { name: name.clone(), shape: self.id(schema), is_alias };
                        shape.by_name.insert(name.clone(), shape.properties.len());
                        shape.properties.push(property);
                    }
                }
                ("required", Value::Array(names)) => {
                    shape.required = names.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                    shape.required_names = shape.required.iter().cloned().collect();
                }
                ("additionalProperties" | "unevaluatedProperties", Value::Bool(false))
                    if shape.additional == Additional::Unsaid =>
                {
                    shape.additional = Additional::Closed;
                }
                ("additionalProperties" | "unevaluatedProperties", Value::Bool(false)) => {}
                ("additionalProperties", Value::Object(schema)) if !schema.is_empty() => {
                    shape.additional = Additional::Of(self.id(value));
                }
                ("additionalProperties" | "patternProperties" | "unevaluatedProperties", _) => {
                    shape.additional = Additional::Data;
                }
                ("items", Value::Object(_) | Value::Bool(_)) => shape.items = Some(self.id(value)),
                ("prefixItems", Value::Array(schemas)) => {
                    shape.prefix = schemas.iter().map(|schema| self.id(schema)).collect();
                }
                ("anyOf" | "oneOf", Value::Array(schemas)) => {
                    let branches = schemas.iter().map(|schema| self.id(schema)).collect();
                    shape.unions.push(branches);
                }
                ("allOf", Value::Array(schemas)) => {
                    let parts: Vec<_> = schemas.iter().map(|schema| self.id(schema)).collect();
                    shape.all_of.extend(parts);
                }
                _ => {}
            }
        }
        if let Some(schema) = only_pattern(object) {
            shape.additional = Additional::Of(self.id(schema));
        }
        shape
    }
}

/// The schema of all values of a map, if its keys share one pattern, such as the pattern of
/// integers.
fn only_pattern(object: &Map<String, Value>) -> Option<&Value> {
    let patterns = object.get("patternProperties")?.as_object()?;
    let is_closed = object.get("additionalProperties") == Some(&Value::Bool(false));
    patterns.values().next().filter(|_| is_closed && patterns.len() == 1)
}

fn kinds(object: &Map<String, Value>, choices: Option<&[Value]>) -> JsonKinds {
    let named = |name: &Value| match name.as_str() {
        Some("null") => kind::NULL,
        Some("boolean") => kind::BOOL,
        Some("integer") => kind::INTEGER,
        Some("number") => kind::INTEGER | kind::NUMBER,
        Some("string") => kind::TEXT,
        Some("array") => kind::LIST,
        Some("object") => kind::OBJECT,
        _ => kind::NONE,
    };
    let stated = match object.get("type") {
        Some(Value::Array(all)) => all.iter().map(named).collect(),
        Some(name) => named(name),
        None => kind::ANY,
    };
    let listed = choices.map_or(kind::ANY, |values| values.iter().map(kind::of).collect());
    stated & listed
}

fn choices(object: &Map<String, Value>) -> Option<Vec<Value>> {
    match (object.get("const"), object.get("enum")) {
        (Some(value), _) => Some(vec![value.clone()]),
        (None, Some(Value::Array(values))) => Some(values.clone()),
        _ => None,
    }
}

/// The types that `shape` allows without any restriction. Fractions are excluded, because they may
/// have more digits than are kept.
fn plain_kinds(shape: &Shape) -> JsonKinds {
    let is_plain_text =
        !shape.is_other && !shape.is_decimal && !shape.is_date && shape.null_strings.is_empty();
    let text = if is_plain_text { kind::TEXT } else { kind::NONE };
    let plain = kind::NULL | kind::BOOL | kind::INTEGER | text;
    if shape.is_plain() { shape.kinds & plain } else { kind::NONE }
}
