//! The resources embedded in a schema.
//!
//! A part with an `$id` is a resource of its own (JSON Schema 2020-12 core, section 9.3): inside it
//! `#/…` and `#name` start at the part and not at the root, and other references are relative to
//! its `$id`.

use std::collections::{HashMap, HashSet};

use jsonschema::{Uri, uri};
use serde_json::{Map, Value};

use super::{
    names::{ANCHORS, each_inside},
    pointer::{decoded, resolve},
};

/// Maximum bytes of a pointer to a resource or an anchor. Each reference to it grows to this
/// length.
const MAX_POINTER: usize = 1_024;

/// The base that references in a resource are relative to.
pub(super) type BaseUri = Uri<String>;

/// The pointer to a keyword that cannot be followed, and why.
pub(super) type ReferenceFailure = (String, String);

/// The resources of a schema, the root among them.
pub(super) struct SchemaResources<'s> {
    root: &'s Value,
    root_base: BaseUri,
    by_base: HashMap<BaseUri, SchemaResource>,
    /// Those that several parts are called.
    ambiguous: HashSet<BaseUri>,
}

#[derive(Default)]
struct SchemaResource {
    pointer: String,
    anchors: HashMap<String, SchemaAnchor>,
}

struct SchemaAnchor {
    pointer: String,
    is_dynamic: bool,
}

impl<'s> SchemaResources<'s> {
    pub(super) fn of(root: &'s Value) -> Result<Self, ReferenceFailure> {
        let at_root = |reason| (String::new(), reason);
        let outside = uri::from_str("").map_err(|error| at_root(error.to_string()))?;
        let own = root.as_object().map(|object| own_base(object, &outside)).transpose().map_err(at_root)?;
        let root_base = own.flatten().unwrap_or(outside);
        let by_base = HashMap::from([(root_base.clone(), SchemaResource::default())]);
        let ambiguous = HashSet::new();
        let mut resources = Self { root, root_base: root_base.clone(), by_base, ambiguous };
        resources.collect(root, &mut String::new(), &root_base)?;
        Ok(resources)
    }

    pub(super) fn root_base(&self) -> &BaseUri {
        &self.root_base
    }

    /// Collects the anchors and resources inside `schema`, which is at `pointer` in the resource
    /// `base`.
    fn collect(
        &mut self,
        schema: &Value,
        pointer: &mut String,
        base: &BaseUri,
    ) -> Result<(), ReferenceFailure> {
        if let Value::Object(object) = schema {
            self.collect_anchors(object, pointer, base)?;
        }
        each_inside(schema, pointer, &mut |inside, pointer| {
            let own = inside.as_object().map(|object| own_base(object, base)).transpose();
            match own.map_err(|reason| (pointer.clone(), reason))?.flatten() {
                None => self.collect(inside, pointer, base),
                Some(own) => {
                    self.insert(&own, pointer)?;
                    self.collect(inside, pointer, &own)
                }
            }
        })
    }

    fn insert(&mut self, base: &BaseUri, pointer: &str) -> Result<(), ReferenceFailure> {
        let resource = SchemaResource { pointer: short(pointer)?, anchors: HashMap::new() };
        if self.by_base.insert(base.clone(), resource).is_some() {
            self.ambiguous.insert(base.clone());
        }
        Ok(())
    }

    fn collect_anchors(
        &mut self,
        object: &Map<String, Value>,
        pointer: &str,
        base: &BaseUri,
    ) -> Result<(), ReferenceFailure> {
        for keyword in ANCHORS {
            let Some(name) = object.get(keyword).and_then(Value::as_str) else { continue };
            let anchor = SchemaAnchor { pointer: short(pointer)?, is_dynamic: keyword == "$dynamicAnchor" };
            if let Some(resource) = self.by_base.get_mut(base) {
                resource.anchors.insert(name.to_owned(), anchor);
            }
        }
        Ok(())
    }

    /// The pointer to the target of `reference`, the value of `keyword` in the resource `base`.
    ///
    /// # Errors
    ///
    /// If there is no target, with the reason.
    pub(super) fn pointer(&self, keyword: &str, reference: &str, base: &BaseUri) -> Result<String, String> {
        let missing = || format!("`{reference}` is not in the schema; move it into `$defs`");
        let (relative, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let target = uri::resolve_against(&base.borrow(), relative).map_err(|error| error.to_string())?;
        if self.ambiguous.contains(&target) {
            return Err(format!("several parts have the `$id` `{target}`, so `{reference}` may mean each"));
        }
        let resource = self.by_base.get(&target).ok_or_else(missing)?;
        let fragment = decoded(fragment);
        if fragment.is_empty() || fragment.starts_with('/') {
            let pointer = format!("{}{fragment}", resource.pointer);
            return resolve(&pointer, self.root).map(|_| pointer).ok_or_else(missing);
        }
        let anchor = resource.anchors.get(&*fragment).ok_or_else(missing)?;
        if keyword == "$dynamicRef" && anchor.is_dynamic {
            return self.dynamic(&fragment);
        }
        Ok(anchor.pointer.clone())
    }

    /// The outermost schema with the `$dynamicAnchor` `name`: the root resource's, or the only one.
    fn dynamic(&self, name: &str) -> Result<String, String> {
        let dynamic = |resource: &'_ SchemaResource| Some(&resource.anchors.get(name)?.pointer).cloned();
        if let Some(pointer) = self.by_base.get(&self.root_base).and_then(dynamic) {
            return Ok(pointer);
        }
        let mut found = self.by_base.values().filter_map(dynamic);
        match (found.next(), found.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(format!(
                "`#{name}` may stand for several schemas with this `$dynamicAnchor`; use `$ref` and `$anchor`"
            )),
        }
    }
}

/// The base of the schema `object` if it is a resource; its `$id` is relative to `base`.
pub(super) fn own_base(object: &Map<String, Value>, base: &BaseUri) -> Result<Option<BaseUri>, String> {
    let Some(id) = object.get("$id").and_then(Value::as_str) else { return Ok(None) };
    let resolved = uri::resolve_against(&base.borrow(), id.trim_end_matches('#'));
    resolved.map(Some).map_err(|error| error.to_string())
}

fn short(pointer: &str) -> Result<String, ReferenceFailure> {
    if pointer.len() > MAX_POINTER {
        let message = format!("the pointer to this `$id` or anchor has more than {MAX_POINTER} bytes");
        return Err((pointer.to_owned(), message));
    }
    Ok(pointer.to_owned())
}
