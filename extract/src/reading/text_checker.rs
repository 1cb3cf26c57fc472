//! Checks a text against a schema in one pass, without building the value: the fast path of
//! judging. Most replies of a model that is constrained to the schema take it.

use std::{cell::Cell, collections::HashMap, fmt};

use jsonschema::Validator;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{
    doubt::may_be_placeholder,
    options::{ReadingOptions, ReplyEnd},
    shape::{Id, NullReading, ROOT, Shape, Shapes, kind},
    strict::has_unclear_escape,
};
use crate::schema::{DECIMAL, OTHER, SchemaView, any_within, validator_options, view::keywords::is_inert};

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

#[derive(Debug)]
enum CheckedNode {
    Scalar { shape: Id, takes_any_text: bool, bounds: Option<ScalarBounds> },
    List { items: usize, min: usize, max: usize, allows_null: bool },
    Object { shape: Id, members: Vec<usize>, required: u64, allows_null: bool },
}

/// The bounds of a scalar.
#[derive(Debug)]
struct ScalarBounds {
    /// The numbers that they allow, if they are no other bounds. A validator takes longer to compare.
    range: Option<(f64, f64)>,
    validator: Validator,
}

/// Integers up to this one are exact as doubles.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// `number` as a double, if that is exact.
fn exact(number: &Number) -> Option<f64> {
    number.as_f64().filter(|double| number.is_f64() || double.abs() < EXACT)
}

impl ScalarBounds {
    fn of(bounds: Map<String, Value>) -> Option<Self> {
        let mut range = Some((f64::NEG_INFINITY, f64::INFINITY));
        for (keyword, bound) in &bounds {
            range = range.and_then(|(min, max)| match (keyword.as_str(), exact(bound.as_number()?)?) {
                ("minimum", bound) => Some((bound, max)),
                ("maximum", bound) => Some((min, bound)),
                _ => None,
            });
        }
        let validator = validator_options().build(&Value::Object(bounds)).ok()?;
        Some(Self { range, validator })
    }

    fn allow(&self, value: &Value) -> bool {
        match (self.range, value.as_number().and_then(exact)) {
            (Some((min, max)), Some(number)) => (min..=max).contains(&number),
            _ => self.validator.is_valid(value),
        }
    }
}

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
        Some(Self { nodes })
    }

    /// Returns whether `text` is strict JSON that conforms, and that reading would not change.
    pub(crate) fn conforms(&self, text: &str, shapes: &Shapes, options: &ReadingOptions) -> bool {
        if text.len() > options.max_bytes || options.reply_end == ReplyEnd::Cut {
            return false;
        }
        let pass = CheckPass {
            nodes: &self.nodes,
            shapes,
            null_reading: options.null_reading(),
            string: Cell::default(),
        };
        let levels = options.at_most_deep(shapes.max_depth()).depth();
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let root = CheckedPart { pass: &pass, node: 0, levels };
        root.deserialize(&mut deserializer).is_ok() && deserializer.end().is_ok()
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
        if shape.kinds & !kind::NULL == kind::LIST && has_only(&["type", "items", "minItems", "maxItems"]) {
            let limit = |keyword, otherwise| match object.get(keyword) {
                Some(limit) => usize::try_from(limit.as_u64()?).ok(),
                None => Some(otherwise),
            };
            let items = self.index(object.get("items")?, shape.items?);
            let (min, max) = (limit("minItems", 0)?, limit("maxItems", usize::MAX)?);
            return Some(CheckedNode::List { items, min, max, allows_null });
        }
        let of_object = ["type", "properties", "required", "additionalProperties"];
        if shape.kinds & !kind::NULL == kind::OBJECT && has_only(&of_object) {
            return self.object(object, id);
        }
        let is_scalar = !shape.allows(kind::LIST | kind::OBJECT);
        let is_listed_once = !(object.contains_key("enum") && object.contains_key("const"));
        if is_scalar && is_listed_once && has_only(&[&["type", "enum", "const"], &SCALAR_BOUNDS[..]].concat())
        {
            let bounds = self.bounds(object)?;
            let takes_any_text = bounds.is_none() && shape.takes_any_text();
            return Some(CheckedNode::Scalar { shape: id, takes_any_text, bounds });
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
        Some(match self.node(self.view.meant(schema), **shape)? {
            // The shape of the union knows which strings mean null.
            CheckedNode::Scalar { bounds, .. } => {
                CheckedNode::Scalar { shape: id, takes_any_text: false, bounds }
            }
            CheckedNode::List { items, min, max, .. } => {
                CheckedNode::List { items, min, max, allows_null: true }
            }
            CheckedNode::Object { shape, members, required, .. } => {
                CheckedNode::Object { shape, members, required, allows_null: true }
            }
        })
    }

    fn object(&mut self, object: &'s Map<String, Value>, id: Id) -> Option<CheckedNode> {
        let shape = self.shapes.get(id);
        let is_closed_or_open = object.get("additionalProperties").is_none_or(Value::is_boolean);
        let names = || shape.properties.iter().map(|property| property.name.as_str());
        if !is_closed_or_open || shape.properties.len() > 64 || names().any(may_be_placeholder) {
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

/// One pass over one text.
struct CheckPass<'c> {
    nodes: &'c [CheckedNode],
    shapes: &'c Shapes,
    null_reading: NullReading,
    /// Its memory is reused for each string that has to be looked at as a value.
    string: Cell<String>,
}

/// A part of the text, and the node that it must satisfy.
#[derive(Clone, Copy)]
struct CheckedPart<'c> {
    pass: &'c CheckPass<'c>,
    node: usize,
    /// How many levels of brackets it may have.
    levels: usize,
}

/// The failure of every check. The text is then read in full, which finds out what is wrong.
fn unclear<E: Error>() -> E {
    E::custom("not a conforming text")
}

fn require<E: Error>(is_met: bool) -> Result<(), E> {
    if is_met { Ok(()) } else { Err(unclear()) }
}

impl<'c> CheckedPart<'c> {
    fn checked(self) -> &'c CheckedNode {
        &self.pass.nodes[self.node]
    }

    fn inner<E: Error>(self, node: usize) -> Result<Self, E> {
        Ok(Self { node, levels: self.levels.checked_sub(1).ok_or_else(unclear)?, ..self })
    }

    fn scalar<E: Error>(self, value: &Value) -> Result<(), E> {
        require(match self.checked() {
            CheckedNode::Scalar { shape, bounds, .. } => {
                self.pass.shapes.keep(*shape, value, self.pass.null_reading)
                    && bounds.as_ref().is_none_or(|bounds| bounds.allow(value))
            }
            CheckedNode::List { allows_null, .. } | CheckedNode::Object { allows_null, .. } => {
                *allows_null && value.is_null()
            }
        })
    }

    fn string<E: Error>(self, text: &str) -> Result<(), E> {
        require(!may_be_placeholder(text))?;
        if matches!(self.checked(), CheckedNode::Scalar { takes_any_text: true, .. }) {
            return Ok(());
        }
        let mut string = self.pass.string.take();
        string.clear();
        string.push_str(text);
        let value = Value::String(string);
        self.scalar(&value)?;
        if let Value::String(string) = value {
            self.pass.string.set(string);
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for CheckedPart<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for CheckedPart<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a conforming value")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.scalar(&Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.scalar(&Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.scalar(&Value::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.scalar(&Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.scalar(&Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    /// A string without escapes.
    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<(), E> {
        self.string(text)
    }

    /// A string with escapes.
    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        require(!has_unclear_escape(text))?;
        self.string(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let CheckedNode::List { items, min, max, .. } = self.checked() else { return Err(unclear()) };
        let item = self.inner(*items)?;
        let mut count = 0;
        while list.next_element_seed(item)?.is_some() {
            count += 1;
        }
        require((*min..=*max).contains(&count))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let CheckedNode::Object { shape, members, required, .. } = self.checked() else {
            return Err(unclear());
        };
        let shape = self.pass.shapes.get(*shape);
        let (mut seen, mut next) = (0_u64, 0);
        while let Some(index) = entries.next_key_seed(KnownKey { shape, next })? {
            let bit = 1 << index;
            require(seen & bit == 0)?;
            (seen, next) = (seen | bit, index + 1);
            entries.next_value_seed(self.inner(members[index])?)?;
        }
        require(required & !seen == 0)
    }
}

/// The index of a key of an object. Keys mostly come in the order of the schema.
struct KnownKey<'c> {
    shape: &'c Shape,
    next: usize,
}

impl<'de> DeserializeSeed<'de> for KnownKey<'_> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KnownKey<'_> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a known key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<usize, E> {
        self.shape.index_of(key, self.next).ok_or_else(unclear)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_compared_as_the_validator_compares_them() {
        let numbers = json!([
            0,
            -1,
            1,
            100,
            101,
            0.5,
            -0.0,
            99.999,
            1e300,
            -1e300,
            9_007_199_254_740_991_i64,
            9_007_199_254_740_992_i64,
            9_007_199_254_740_993_i64,
            u64::MAX,
            i64::MIN,
            9_007_199_254_740_992.0,
            1.844_674_407_370_955_2e19,
            "1",
            null,
            true
        ]);
        let numbers = numbers.as_array().unwrap();
        for bound in numbers.iter().filter(|bound| bound.is_number()) {
            for (keyword, other) in [("minimum", "maximum"), ("maximum", "exclusiveMinimum")] {
                for bounds in [json!({keyword: bound}), json!({keyword: bound, other: 50})] {
                    let bounds = ScalarBounds::of(bounds.as_object().unwrap().clone()).unwrap();
                    for number in numbers {
                        let (ours, theirs) = (bounds.allow(number), bounds.validator.is_valid(number));
                        assert_eq!(ours, theirs, "{number} {bounds:?}");
                    }
                }
            }
        }
    }
}
