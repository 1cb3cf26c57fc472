//! A view of a schema: the targets of its references, which alternatives exclude each other, and
//! which types its keywords imply. And a visit of all its parts, which may change them.
//!
//! All code that reads a schema uses a [`SchemaView`]. So a contract means the same to its instructions,
//! to alignment, to the validator's messages and to the dialects of providers, however its
//! references are spelled.

pub(crate) mod keywords;
mod merged;
pub(crate) mod pointer;

use std::{borrow::Cow, cell::OnceCell, collections::HashSet, rc::Rc};

use serde_json::{Map, Value, json};

use self::{
    keywords::{ComparedValue, is_inert, listed, required, type_of, types},
    pointer::{AnchorNames, VALUES, decoded},
};
pub(crate) use self::{merged::merged, pointer::is_named};
use crate::vocabulary::path::Path;

/// Maximum chain of schemas for one value. Derived types have a handful. A schema with a longer
/// chain does not become a contract, so no code follows references further.
pub(crate) const MAX_CHAIN: usize = 64;

/// Keywords whose value refers to another schema. A `$dynamicRef` means the schema with that
/// `$dynamicAnchor`; one document has only one.
pub(crate) const REFERENCES: [&str; 2] = ["$ref", "$dynamicRef"];

/// A schema and the anchors in it. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct SchemaView<'s> {
    root: &'s Value,
    /// Collected when a reference first uses an anchor; most are JSON Pointers.
    names: Rc<OnceCell<AnchorNames>>,
}

impl<'s> SchemaView<'s> {
    pub(crate) fn of(root: &'s Value) -> Self {
        Self { root, names: Rc::default() }
    }

    /// The whole schema.
    pub(crate) fn root(&self) -> &'s Value {
        self.root
    }

    /// The target of `reference`; `None` if it is not in the schema.
    pub(crate) fn target(&self, reference: &str) -> Option<&'s Value> {
        pointer::resolve(&self.pointer(reference)?, self.root)
    }

    /// The path of the target of `reference`; the root if the target is not in the schema.
    pub(crate) fn path(&self, reference: &str) -> Path {
        let pointer = self.pointer(reference).unwrap_or_default();
        Path::from_pointer_in(&pointer, self.root).unwrap_or_default()
    }

    /// The targets of the references among the keywords of `object`.
    pub(crate) fn targets(&self, object: &Map<String, Value>) -> impl Iterator<Item = &'s Value> {
        REFERENCES.into_iter().filter_map(|keyword| self.target(object.get(keyword)?.as_str()?))
    }

    /// `schema`, its target, the target's target, and so on. A cycle ends after [`MAX_CHAIN`]
    /// schemas.
    pub(crate) fn chain(&self, schema: &'s Value) -> impl Iterator<Item = &'s Value> {
        let next = |schema: &&'s Value| self.targets(schema.as_object()?).next();
        std::iter::successors(Some(schema), next).take(MAX_CHAIN)
    }

    /// The end of the [`chain`](Self::chain), ignoring siblings of references.
    pub(crate) fn followed(&self, schema: &'s Value) -> &'s Value {
        self.chain(schema).last().unwrap_or(schema)
    }

    /// The first schema of the [`chain`](Self::chain) that is more than a reference.
    pub(crate) fn meant(&self, schema: &'s Value) -> &'s Value {
        self.chain(schema).find(|schema| !is_only_reference(schema)).unwrap_or(schema)
    }

    /// A JSON Pointer to the target of `reference`. A [merged](merged()) schema has only fragments.
    fn pointer<'r>(&'r self, reference: &'r str) -> Option<Cow<'r, str>> {
        let fragment = decoded(reference.strip_prefix('#')?);
        if fragment.is_empty() || fragment.starts_with('/') {
            return Some(fragment);
        }
        self.names.get_or_init(|| AnchorNames::of(self.root)).pointer(&fragment).map(Cow::Borrowed)
    }
}

/// The first reference among the keywords of `object`, with its keyword.
pub(crate) fn reference(object: &Map<String, Value>) -> Option<(&'static str, &str)> {
    REFERENCES.into_iter().find_map(|keyword| Some((keyword, object.get(keyword)?.as_str()?)))
}

/// Returns whether `schema` is a reference without constraints beside it.
pub(crate) fn is_only_reference(schema: &Value) -> bool {
    schema.as_object().is_some_and(|object| {
        let mut others = object.keys().filter(|keyword| !is_inert(keyword));
        others.next().is_some_and(|keyword| REFERENCES.contains(&keyword.as_str())) && others.next().is_none()
    })
}

impl<'s> SchemaView<'s> {
    /// A copy of `part` with its references inlined. Where that would recurse, anything is allowed.
    /// `None` if the copy has more than `most` values.
    pub(crate) fn inlined(&self, part: &'s Value, most: usize) -> Option<Value> {
        ReferenceInlining { view: self, left: most, entered: Vec::new() }.copy(part)
    }
}

struct ReferenceInlining<'v, 's> {
    view: &'v SchemaView<'s>,
    left: usize,
    /// The targets of the references that are being followed.
    entered: Vec<*const Value>,
}

impl<'s> ReferenceInlining<'_, 's> {
    fn copy(&mut self, part: &'s Value) -> Option<Value> {
        self.left = self.left.checked_sub(1)?;
        match part {
            Value::Object(object) => self.object(part, object),
            Value::Array(list) => list.iter().map(|part| self.copy(part)).collect(),
            scalar => Some(scalar.clone()),
        }
    }

    fn object(&mut self, part: &'s Value, object: &'s Map<String, Value>) -> Option<Value> {
        let targets: Vec<_> = self.view.targets(object).collect();
        if targets.is_empty() {
            return self.entries(object).map(Value::Object);
        }
        let mut targets: Vec<_> =
            targets.into_iter().map(|target| self.entered(target)).collect::<Option<_>>()?;
        if is_only_reference(part) {
            return targets.pop();
        }
        let beside = self.entries(object)?;
        targets.push(Value::Object(beside));
        Some(json!({ "allOf": targets }))
    }

    /// Copies all keywords except references.
    fn entries(&mut self, object: &'s Map<String, Value>) -> Option<Map<String, Value>> {
        let entries =
            object.iter().filter(|(key, entry)| !(REFERENCES.contains(&key.as_str()) && entry.is_string()));
        entries.map(|(key, entry)| Some((key.clone(), self.copy(entry)?))).collect()
    }

    fn entered(&mut self, target: &'s Value) -> Option<Value> {
        let address = std::ptr::from_ref(target);
        if self.entered.contains(&address) {
            return Some(Value::Bool(true));
        }
        self.entered.push(address);
        let copy = self.copy(target);
        self.entered.pop();
        copy
    }
}

/// Maximum alternatives; each is compared with every other one.
const MAX_BRANCHES: usize = 128;

/// Keywords that distinguish alternatives. Others beside a reference are ignored.
const DISTINGUISHING: [&str; 4] = ["type", "const", "enum", "properties"];

impl SchemaView<'_> {
    /// Returns whether types, tags and names of `branches` show that no value satisfies two of
    /// them.
    pub(crate) fn are_exclusive(&self, branches: &[Value]) -> bool {
        if branches.len() > MAX_BRANCHES {
            return false;
        }
        let Some(branches) =
            branches.iter().map(|branch| ExclusiveBranch::of(branch, self)).collect::<Option<Vec<_>>>()
        else {
            return false;
        };
        let differs_from_those_before = |(index, one): (usize, &ExclusiveBranch<'_>)| {
            branches[..index].iter().all(|other| one.excludes(other))
        };
        branches.iter().enumerate().all(differs_from_those_before)
    }
}

/// The part of a schema that is compared. Keywords beside it only narrow it further.
struct ExclusiveBranch<'s> {
    schema: &'s Map<String, Value>,
    view: &'s SchemaView<'s>,
}

impl<'s> ExclusiveBranch<'s> {
    fn of(schema: &'s Value, view: &'s SchemaView<'s>) -> Option<Self> {
        let is_distinguishing = |schema: &Map<String, Value>| {
            reference(schema).is_none() || DISTINGUISHING.iter().any(|word| schema.contains_key(*word))
        };
        let schema =
            view.chain(schema).filter_map(Value::as_object).find(|schema| is_distinguishing(schema))?;
        Some(Self { schema, view })
    }

    fn excludes(&self, other: &Self) -> bool {
        self.lists_others(other) || self.has_other_types(other) || self.is_other_object(other)
    }

    /// Returns whether both list their values, and share none.
    fn lists_others(&self, other: &Self) -> bool {
        self.values().zip(other.values()).is_some_and(|(ours, theirs)| are_disjoint(ours, theirs))
    }

    /// The allowed values, if they are listed.
    fn values(&self) -> Option<&'s [Value]> {
        listed(self.schema)
    }

    fn types(&self) -> Vec<&'s str> {
        match (self.schema.get("type"), self.values()) {
            (Some(kinds), _) => types(kinds),
            (None, Some(values)) => values.iter().map(type_of).collect(),
            (None, None) => Vec::new(),
        }
    }

    fn has_other_types(&self, other: &Self) -> bool {
        let is_same = |one: &str, other: &str| {
            one == other || [one, other].iter().all(|kind| matches!(*kind, "integer" | "number"))
        };
        let (ours, theirs) = (self.types(), other.types());
        !ours.is_empty()
            && !theirs.is_empty()
            && !ours.iter().any(|one| theirs.iter().any(|other| is_same(one, other)))
    }

    /// Returns whether both require the same key with different tags, or one requires a key that
    /// the other forbids.
    fn is_other_object(&self, other: &Self) -> bool {
        if self.types() != ["object"] || other.types() != ["object"] {
            return false;
        }
        let by_tag = required(self.schema).any(|name| {
            let member = |seen: &Self| Self::of(seen.schema.get("properties")?.get(name)?, seen.view);
            required(other.schema).any(|known| known == name)
                && member(self).zip(member(other)).is_some_and(|(one, other)| one.lists_others(&other))
        });
        by_tag || self.requires_unknown(other) || other.requires_unknown(self)
    }

    fn requires_unknown(&self, other: &Self) -> bool {
        let is_closed = other.schema.get("additionalProperties").is_some_and(|rest| *rest == false)
            && !other.schema.contains_key("patternProperties");
        let knows = |name| other.schema.get("properties").is_some_and(|known| known.get(name).is_some());
        is_closed && required(self.schema).any(|name| !knows(name))
    }
}

fn are_disjoint(ours: &[Value], theirs: &[Value]) -> bool {
    let (few, many) = if ours.len() < theirs.len() { (ours, theirs) } else { (theirs, ours) };
    let few: HashSet<ComparedValue<'_>> = few.iter().map(ComparedValue::of).collect();
    !many.iter().any(|value| few.contains(&ComparedValue::of(value)))
}

/// Calls `visit` for each subschema that is an object, before those inside it. Values that only
/// look like schemas, such as examples, are skipped.
pub(crate) fn each(schema: &mut Value, visit: &mut dyn FnMut(&mut Map<String, Value>)) {
    match schema {
        Value::Object(object) => {
            visit(object);
            for (keyword, inside) in object {
                match inside {
                    Value::Object(named) if is_named(keyword) => {
                        named.values_mut().for_each(|inside| each(inside, visit));
                    }
                    _ if VALUES.contains(&keyword.as_str()) => {}
                    inside => each(inside, visit),
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|inside| each(inside, visit)),
        _ => {}
    }
}

/// Replaces each reference for which `new` has another one.
pub(crate) fn replace_references(schema: &mut Value, new: &mut dyn FnMut(&str) -> Option<String>) {
    each(schema, &mut |object| {
        for keyword in REFERENCES {
            if let Some(Value::String(reference)) = object.get_mut(keyword)
                && let Some(new) = new(reference)
            {
                *reference = new;
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn targets(schema: &Value, expected: &[(&str, Option<Value>)]) {
        let view = SchemaView::of(schema);
        for (reference, expected) in expected {
            assert_eq!(view.target(reference), expected.as_ref(), "{reference}");
        }
    }

    #[test]
    fn references_are_pointers_and_names() {
        let root = json!({
            "$defs": {
                "a/b c": {"$anchor": "a", "const": 1},
                "100%": {"$dynamicAnchor": "percent", "const": 2},
                "part": {"$defs": {"x": {"$anchor": "x", "const": 3}}},
            },
            "properties": {"const": {"$anchor": "named_const", "const": 4}, "list": {"prefixItems": [{"const": 5}]}},
            "examples": [{"$anchor": "example"}],
        });
        let found = |pointer: &str| Some(root.pointer(pointer).unwrap().clone());
        targets(
            &root,
            &[
                ("#", found("")),
                ("#/$defs/a~1b c", found("/$defs/a~1b c")),
                ("#/%24defs/a~1b%20c", found("/$defs/a~1b c")),
                ("#/$defs/100%25", found("/$defs/100%")),
                ("#/properties/list/prefixItems/0", found("/properties/list/prefixItems/0")),
                ("#a", found("/$defs/a~1b c")),
                ("#percent", found("/$defs/100%")),
                ("#x", found("/$defs/part/$defs/x")),
                ("#named_const", found("/properties/const")),
                ("#example", None),
                ("#/$defs/none", None),
                ("#/properties/list/prefixItems/+0", None),
                ("https://example.com/other", None),
                ("https://example.com/other#/$defs", None),
            ],
        );
    }

    #[test]
    fn chains_are_followed_to_their_end() {
        let root = json!({
            "$defs": {
                "A": {"$ref": "#/$defs/B", "description": "a"},
                "B": {"$dynamicRef": "#c", "minLength": 1},
                "C": {"$dynamicAnchor": "c", "type": "string"},
                "Circle": {"$ref": "#/$defs/Circle"},
            },
        });
        let view = SchemaView::of(&root);
        let at = |name: &str| &root["$defs"][name];
        assert!(view.chain(at("A")).eq([at("A"), at("B"), at("C")]));
        assert_eq!((view.meant(at("A")), view.followed(at("A"))), (at("B"), at("C")));
        assert_eq!(view.chain(at("Circle")).count(), MAX_CHAIN);
        assert_eq!(view.meant(at("Circle")), at("Circle"));
    }

    #[test]
    fn the_place_of_a_reference_is_that_of_its_target() {
        let root = json!({"$defs": {"0": {"$anchor": "zero"}}, "allOf": [{}]});
        let view = SchemaView::of(&root);
        for (reference, pointer) in
            [("#zero", "/$defs/0"), ("#/%24defs/0", "/$defs/0"), ("#/allOf/0", "/allOf/0"), ("#", "")]
        {
            assert_eq!(view.path(reference), Path::from_pointer_in(pointer, &root).unwrap(), "{reference}");
        }
    }

    #[test]
    fn references_are_replaced_as_far_as_there_is_an_end() {
        let root = json!({
            "$defs": {
                "Word": {"type": "string"},
                "Node": {"properties": {"word": {"$ref": "#/$defs/Word", "minLength": 1}, "next": {"$ref": "#node"}}, "$anchor": "node"},
            },
        });
        let view = SchemaView::of(&root);
        let inlined = json!({
            "properties": {"word": {"allOf": [{"type": "string"}, {"minLength": 1}]}, "next": true},
            "$anchor": "node",
        });
        let part = json!({"items": {"$ref": "#/$defs/Node"}});
        assert_eq!(view.inlined(&part, 20), Some(json!({"items": inlined})));
        assert_eq!(view.inlined(&part, 5), None);
    }

    fn exclusive(branches: &Value) -> bool {
        let root = json!({"$defs": {
            "A": {"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]},
            "Loop": {"$ref": "#/$defs/Loop"},
        }});
        SchemaView::of(&root).are_exclusive(branches.as_array().unwrap())
    }

    #[test]
    fn types_values_tags_and_names_tell_alternatives_apart() {
        let tagged = |tag: &str| json!({"type": "object", "properties": {"kind": {"const": tag}}, "required": ["kind"]});
        let named = |name: &str| json!({"type": "object", "properties": {name: true}, "required": [name], "additionalProperties": false});
        for branches in [
            json!([{"type": "string"}, {"type": "integer"}, {"type": ["null", "boolean"]}]),
            json!([{"const": "a"}, {"enum": ["b", 1]}]),
            json!([{"enum": ["a"]}, named("A"), named("B")]),
            json!([{"$ref": "#/$defs/A"}, tagged("b")]),
        ] {
            assert!(exclusive(&branches), "{branches}");
        }
    }

    #[test]
    fn what_may_hold_at_once_is_not_exclusive() {
        let open = |name: &str| json!({"type": "object", "properties": {name: true}, "required": [name]});
        let optional = |tag: &str| json!({"type": "object", "properties": {"kind": {"const": tag}}});
        for branches in [
            json!([{"type": "integer"}, {"type": "number"}]),
            json!([{"type": "string"}, {"const": "a"}]),
            json!([{"const": 1}, {"const": 1.0}]),
            json!([{"type": "string"}, {"minLength": 1}]),
            json!([open("a"), open("b")]),
            json!([optional("a"), optional("b")]),
            json!([{"$ref": "#/$defs/Loop"}, {"type": "string"}]),
            json!([{"type": "string"}, true]),
        ] {
            assert!(!exclusive(&branches), "{branches}");
        }
    }
}
