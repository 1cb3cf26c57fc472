//! Reads a typed value from a text and checks the text against a schema in the same pass: the fast
//! path of judging. Most replies of a model that is constrained to the schema take it.

mod deserializer;
mod node;
mod pass;

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use self::{
    deserializer::read_checked,
    node::{CheckedNode, KnownTexts, ScalarBounds},
    pass::CheckPass,
};
use super::{
    gaps::may_be_placeholder,
    options::{ReadingOptions, ReplyEnd},
    shape::{Id, ROOT, Shapes, kind},
};
use crate::schema::{DECIMAL, OTHER, SchemaView, any_within, view::keywords::is_inert};

/// Keywords whose meaning depends on more than the schema that they are in.
const DEPENDENT: [&str; 4] = [DECIMAL, OTHER, "$dynamicRef", "$recursiveRef"];

/// Keywords of scalars that the validator checks. Types and listed values are in the shapes.
const SCALAR_BOUNDS: [&str; 9] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "format",
];

/// Most validators that are compiled for the scalars of one schema.
const MAX_VALIDATORS: usize = 256;

/// A schema of objects with known keys, lists, and scalars, each perhaps null. It recognizes the
/// texts that reading would leave as they are, and that the schema allows.
///
/// It answers no where it does not know: for a repeated or an unknown key, a string that may be a
/// placeholder, and whatever else needs a closer look at the value.
#[derive(Debug)]
pub(crate) struct TextChecker {
    /// The root is the first.
    nodes: Vec<CheckedNode>,
}

/// The levels of brackets that `serde_json` reads.
const SERDE_DEPTH: usize = 127;

impl TextChecker {
    /// Returns nothing for a schema with other keywords, such as other unions than with null.
    pub(crate) fn compile(schema: &Value, shapes: &Shapes) -> Option<Self> {
        if any_within(schema, &|part| DEPENDENT.iter().any(|keyword| part.get(keyword).is_some())) {
            return None;
        }
        let view = SchemaView::of(schema);
        let known = HashMap::new();
        let mut compiler = Compiler { view, shapes, known, to_do: Vec::new(), validators: 0 };
        compiler.index(schema, ROOT);
        let mut nodes = Vec::new();
        // In the order of their indices.
        while let Some((schema, shape)) = compiler.to_do.get(nodes.len()).copied() {
            nodes.push(compiler.node(schema, shape)?);
        }
        // A text alone may be a refusal.
        let is_text =
            matches!(nodes.first(), Some(CheckedNode::Scalar { texts: KnownTexts::OfLength { .. }, .. }));
        (!is_text).then_some(Self { nodes })
    }

    /// Returns the value of `text` if that is strict JSON that conforms, and that reading would not
    /// change.
    pub(crate) fn read<T: DeserializeOwned>(
        &self,
        text: &str,
        shapes: &Shapes,
        options: &ReadingOptions,
    ) -> Option<T> {
        if text.len() > options.max_bytes || options.reply_end == ReplyEnd::Cut {
            return None;
        }
        let levels = options.at_most_deep(shapes.max_depth()).depth().min(SERDE_DEPTH);
        read_checked(CheckPass::new(&self.nodes, shapes, options.null_reading(), text), levels)
    }
}

struct Compiler<'s> {
    view: SchemaView<'s>,
    shapes: &'s Shapes,
    /// The index of each schema, by its address.
    known: HashMap<*const Value, usize>,
    /// The schemas by their index, each with its shape.
    to_do: Vec<(&'s Value, Id)>,
    validators: usize,
}

impl<'s> Compiler<'s> {
    /// The index of the node for `schema`, whose shape is `shape`.
    fn index(&mut self, schema: &'s Value, shape: Id) -> usize {
        let schema = self.view.meant(schema);
        let next = self.to_do.len();
        let index = *self.known.entry(std::ptr::from_ref(schema)).or_insert(next);
        if index == next {
            self.to_do.push((schema, shape));
        }
        index
    }

    fn node(&mut self, schema: &'s Value, id: Id) -> Option<CheckedNode> {
        let object = schema.as_object()?;
        let has_only =
            |keywords: &[&str]| object.keys().all(|name| is_inert(name) || keywords.contains(&name.as_str()));
        let shape = self.shapes.get(id);
        if let [branches] = shape.unions.as_slice() {
            let (keyword, listed) =
                ["anyOf", "oneOf"].iter().find_map(|name| Some((*name, object.get(*name)?)))?;
            let branches = listed.as_array()?.iter().zip(branches);
            return if has_only(&[keyword]) { self.or_null(branches, id) } else { None };
        }
        let allows_null = shape.allows(kind::NULL);
        if shape.kinds.without(kind::NULL) == kind::LIST
            && has_only(&["type", "items", "minItems", "maxItems"])
        {
            let limit = |keyword, otherwise| match object.get(keyword) {
                Some(limit) => usize::try_from(limit.as_u64()?).ok(),
                None => Some(otherwise),
            };
            let items = self.index(object.get("items")?, shape.items?);
            let (min, max) = (limit("minItems", 0)?, limit("maxItems", usize::MAX)?);
            return Some(CheckedNode::List { items, min, max, allows_null });
        }
        let of_object = ["type", "properties", "required", "additionalProperties"];
        if shape.kinds.without(kind::NULL) == kind::OBJECT && has_only(&of_object) {
            return self.object(object, id);
        }
        let is_scalar = !shape.allows(kind::LIST | kind::OBJECT);
        let is_listed_once = !(object.contains_key("enum") && object.contains_key("const"));
        if is_scalar && is_listed_once && has_only(&[&["type", "enum", "const"], &SCALAR_BOUNDS[..]].concat())
        {
            let bounds = self.bounds(object)?;
            return Some(CheckedNode::scalar(id, self.shapes, bounds));
        }
        None
    }

    /// A union of a schema and null.
    fn or_null(
        &mut self,
        branches: impl Iterator<Item = (&'s Value, &'s Id)>,
        id: Id,
    ) -> Option<CheckedNode> {
        let is_null = |shape: Id| self.shapes.get(shape).kinds == kind::NULL;
        let (null, others): (Vec<_>, Vec<_>) = branches.partition(|(_, shape)| is_null(**shape));
        let ([(null, _)], [(schema, shape)]) = (null.as_slice(), others.as_slice()) else { return None };
        if self.view.meant(null) != &serde_json::json!({"type": "null"})
            || self.shapes.get(**shape).allows(kind::NULL)
        {
            return None;
        }
        let mut node = self.node(self.view.meant(schema), **shape)?;
        match &mut node {
            // The shape of the union knows which strings mean null.
            CheckedNode::Scalar { shape, texts, bounds, .. } => {
                (*shape, *texts) = (id, KnownTexts::of(id, self.shapes, bounds.as_ref()));
            }
            CheckedNode::List { allows_null, .. } | CheckedNode::Object { allows_null, .. } => {
                *allows_null = true;
            }
        }
        Some(node)
    }

    fn object(&mut self, object: &'s Map<String, Value>, id: Id) -> Option<CheckedNode> {
        let shape = self.shapes.get(id);
        let is_closed_or_open = object.get("additionalProperties").is_none_or(Value::is_boolean);
        let names = || shape.properties.iter().map(|property| property.name.as_str());
        let is_unclear = |name: &str| {
            may_be_placeholder(name, self.shapes.keys())
                || name.contains(['"', '\\'])
                || name.contains(char::is_control)
        };
        if !is_closed_or_open || shape.properties.len() > 64 || names().any(is_unclear) {
            return None;
        }
        let properties =
            object.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::values);
        let members = properties.zip(&shape.properties);
        let members = members.map(|(schema, property)| self.index(schema, property.shape)).collect();
        let bits = shape.required.iter().map(|name| shape.index_of(name, 0).map(|index| 1_u64 << index));
        let required = bits.collect::<Option<Vec<_>>>()?.into_iter().fold(0, |all, bit| all | bit);
        Some(CheckedNode::Object { shape: id, members, required, allows_null: shape.allows(kind::NULL) })
    }

    /// The bounds of a scalar, if it has any. `None` if they cannot be checked apart.
    #[allow(clippy::option_option, reason = "no bounds are not the same as bounds that are not known")]
    fn bounds(&mut self, object: &Map<String, Value>) -> Option<Option<ScalarBounds>> {
        let bounds = object.iter().filter(|(keyword, _)| SCALAR_BOUNDS.contains(&keyword.as_str()));
        let bounds: Map<_, _> = bounds.map(|(keyword, bound)| (keyword.clone(), bound.clone())).collect();
        if bounds.is_empty() {
            return Some(None);
        }
        self.validators += 1;
        let is_more = self.validators > MAX_VALIDATORS;
        if is_more { None } else { ScalarBounds::of(bounds).map(Some) }
    }
}
