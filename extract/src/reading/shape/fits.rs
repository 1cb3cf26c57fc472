//! Decides whether a value needs no alignment, for the fast path.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::{
    Additional, Id, NullReading, ROOT, Shape, ShapeScope, Shapes,
    kind::{self, JsonKinds},
};
use crate::{
    document::CalendarDay, reading::parse::number::is_beyond_integers, vocabulary::digits::is_written_out,
};

/// Looks per value for trying alternatives and parts. Beyond them the answer is no, which costs
/// only time.
const LOOKS: usize = 1 << 20;

/// The limit for a part of a value that is still streaming in. A reply may have as many parts as it
/// has room for.
const PART_LOOKS: usize = 256;

/// Looks after which answers are memoised. Alternatives multiply in recursion, and most values need
/// fewer looks than this.
const FEW: usize = 64;

/// The question about a value, and how many looks are left.
struct Fit<'s> {
    shapes: &'s Shapes,
    null_reading: NullReading,
    looks: usize,
    /// Memoised answers, by shape, by address of the value (which does not move), and by scope.
    known: HashMap<(Id, *const Value, ShapeScope), bool>,
}

impl Shapes {
    /// Returns whether alignment would neither change nor report anything in `value`.
    pub(crate) fn fits(&self, value: &Value, null_reading: NullReading) -> bool {
        Fit { null_reading, ..Fit::new(self) }.at(ROOT, value, ShapeScope::Whole)
    }

    /// The `branches` that `value` fits, if members that they do not know are ignored.
    pub(crate) fn fitting(&self, branches: &[Id], value: &Value) -> Vec<Id> {
        let mut fit = Fit::new(self);
        let branches = branches.iter().copied();
        branches.filter(|id| fit.look(*id, value, ShapeScope::Deserialized)).collect()
    }

    /// The same as [`fits`](Self::fits) for a scalar `part`, which the shape `id` describes.
    pub(crate) fn keep(&self, id: Id, part: &Value, null_reading: NullReading) -> bool {
        // Most scalars of a reply end here, before there is a place for what is known.
        self.get(id).keeps_all(kind::of(part))
            || Fit { null_reading, looks: PART_LOOKS, ..Fit::new(self) }.at(id, part, ShapeScope::Whole)
    }
}

impl<'s> Fit<'s> {
    fn new(shapes: &'s Shapes) -> Self {
        Self { shapes, null_reading: NullReading::Text, looks: LOOKS, known: HashMap::new() }
    }

    fn at(&mut self, id: Id, value: &Value, scope: ShapeScope) -> bool {
        let shape = self.shapes.get(id);
        if shape.keeps_all(kind::of(value)) {
            return true;
        }
        if !shape.kinds.meets(kinds_of(value)) || self.looks == 0 {
            return false;
        }
        let means_null = |text| self.null_reading == NullReading::Null && shape.null_strings.contains(&text);
        // A string beside listed names may be another spelling of one; if it is no name at all, that is
        // reported.
        let would_change = shape.is_other && value.is_string()
            || shape.is_decimal && !keeps_digits(value)
            || shape.is_date && value.as_str().is_some_and(|text| CalendarDay::parse(text).is_none())
            || value.as_str().is_some_and(means_null);
        if would_change || !shape.lists(value) {
            return false;
        }
        let does_fit = match value {
            Value::Object(object) => self.object(shape, object, scope),
            Value::Array(items) => self.list(shape, items, scope),
            _ => true,
        };
        does_fit && self.combinations(shape, value, scope)
    }

    fn combinations(&mut self, shape: &Shape, value: &Value, scope: ShapeScope) -> bool {
        let scope = scope.of_unions(shape);
        let may_lose_digits = |branches: &Vec<Id>| {
            value.is_f64() && branches.iter().any(|branch| self.shapes.get(*branch).is_decimal)
        };
        if shape.unions.iter().any(may_lose_digits) {
            return false;
        }
        let of_parts = scope.of_parts();
        shape.all_of.iter().all(|part| self.look(*part, value, of_parts))
            && shape.unions.iter().all(|branches| self.union(shape, branches, value, scope))
    }

    /// Returns whether `value` fits one of `branches`, alternatives of `shape`, and a type takes it for that
    /// one and drops no member that another one knows.
    fn union(&mut self, shape: &Shape, branches: &[Id], value: &Value, scope: ShapeScope) -> bool {
        let Some(index) = branches.iter().position(|branch| self.look(*branch, value, scope)) else {
            return false;
        };
        let Value::Object(object) = value else { return true };
        if !self.shapes.is_of_type || scope == ShapeScope::Deserialized {
            return true;
        }
        let mut earlier = branches[..index].iter();
        let is_dropped = |key: &String| {
            shape.property(key).is_none() && self.shapes.is_of_another(key, branches[index], branches)
        };
        !object.keys().any(is_dropped)
            && !earlier.any(|branch| self.look(*branch, value, ShapeScope::Deserialized))
    }

    /// Like [`at`](Self::at), for one of several shapes of the same value. Memoises answers that
    /// may take long.
    fn look(&mut self, id: Id, value: &Value, scope: ShapeScope) -> bool {
        self.looks = self.looks.saturating_sub(1);
        let is_container = value.is_object() || value.is_array();
        if !is_container || LOOKS - self.looks < FEW {
            return self.at(id, value, scope);
        }
        let key = (id, std::ptr::from_ref(value), scope);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let does_fit = self.at(id, value, scope);
        self.known.insert(key, does_fit);
        does_fit
    }

    fn object(&mut self, shape: &Shape, object: &Map<String, Value>, scope: ShapeScope) -> bool {
        let is_told = scope.tells_names(shape);
        if shape.properties.is_empty() && !is_told && shape.additional == Additional::Unsaid {
            return shape.required.iter().all(|name| object.contains_key(name));
        }
        // Keys mostly come in the order of the schema.
        let mut next = 0;
        let mut required = 0;
        for (key, value) in object {
            let Some(index) = shape.index_of(key, next) else {
                let does_fit = match shape.additional {
                    Additional::Of(id) => self.at(id, value, scope.inside()),
                    Additional::Data => true,
                    Additional::Closed => false,
                    Additional::Unsaid => !is_told || shape.names.contains(key),
                };
                if !does_fit {
                    return false;
                }
                continue;
            };
            next = index + 1;
            required += 1;
            if !self.at(shape.properties[index].shape, value, scope.inside()) {
                return false;
            }
        }
        // As many known keys as properties: none is missing.
        required >= shape.properties.len() || shape.required.iter().all(|name| object.contains_key(name))
    }

    fn list(&mut self, shape: &Shape, items: &[Value], scope: ShapeScope) -> bool {
        items.iter().enumerate().all(|(index, item)| {
            let id = shape.prefix.get(index).copied().or(shape.items);
            id.is_none_or(|id| self.at(id, item, scope.inside()))
        })
    }
}

/// Returns whether a decimal has its digits as written in the reply.
fn keeps_digits(value: &Value) -> bool {
    match value {
        Value::Number(number) => !number.is_f64(),
        Value::String(text) => is_written_out(text),
        _ => true,
    }
}

/// The type of `value`. An integer with more digits than are kept must be reported, so it has none.
pub(crate) fn kinds_of(value: &Value) -> JsonKinds {
    match value.as_f64() {
        Some(double) if value.is_f64() && is_beyond_integers(double) => kind::NONE,
        _ => kind::of(value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn looks_grow_with_the_value_where_alternatives_recur() {
        let branch = |own: &str| {
            let recurs = json!({"$ref": "#/$defs/E"});
            json!({"type": "object", "properties": {"a": recurs, "b": recurs, own: true}, "required": ["b", own]})
        };
        let schema = json!({
            "$ref": "#/$defs/E",
            "$defs": {"E": {"anyOf": [branch("x"), branch("y"), {"type": "integer"}]}},
        });
        let shapes = Shapes::compile(&schema, 256);
        let looks = |levels: usize| {
            let value = (0..levels).fold(json!(1), |inner, _| json!({"a": 1, "b": inner, "y": 1}));
            let mut fit = Fit::new(&shapes);
            assert!(fit.at(ROOT, &value, ShapeScope::Whole), "{levels}");
            LOOKS - fit.looks
        };
        let (few, many) = (looks(40), looks(80));
        assert!(many < 3 * few && many < 2_000, "{few} {many}");
    }
}
