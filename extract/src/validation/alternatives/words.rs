//! Describes alternatives.

use serde_json::Value;

use super::{UnionKeyword, is_null, properties, tags};
use crate::{schema::SchemaView, validation::nodes::constants, vocabulary::text::quoted_list};

/// The word for an object.
pub(crate) const OBJECT: &str = "an object";

/// Describes what `alternatives` allow together: listed values, then objects, then the rest as
/// `other` describes it. Null comes last. References are followed already.
pub(crate) fn in_words<'a>(
    alternatives: &[&'a Value],
    view: &SchemaView<'a>,
    other: &dyn Fn(&'a Value) -> String,
) -> String {
    let is_listed = |schema: &Value| constants(schema).any(|listed| !listed.is_null());
    let listed: Vec<_> =
        alternatives.iter().flat_map(|schema| constants(schema)).filter(|listed| !listed.is_null()).collect();
    let objects: Vec<_> =
        alternatives.iter().copied().filter(|schema| properties(schema).is_some()).collect();
    let mut names = Vec::new();
    if !listed.is_empty() {
        names.push(format!("one of {}", quoted_list(listed.into_iter())));
    }
    if !objects.is_empty() {
        names.push(objects_in_words(&objects, view));
    }
    let rest = alternatives
        .iter()
        .copied()
        .filter(|schema| !is_listed(schema) && properties(schema).is_none() && !is_null(schema));
    for schema in rest {
        let name = other(schema);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if alternatives.iter().any(|schema| is_null(schema) || constants(schema).any(Value::is_null)) {
        names.push("null".to_owned());
    }
    names.join(" or ")
}

/// Describes objects by what distinguishes them.
fn objects_in_words<'a>(objects: &[&'a Value], view: &SchemaView<'a>) -> String {
    if let Some(keys) = tags::only_keys(objects, UnionKeyword::AnyOf) {
        return tags::with_one_of(&keys);
    }
    match tags::shared_tag(objects, view) {
        Some(tag) if objects.len() > 1 => {
            let values: Vec<_> =
                objects.iter().flat_map(|schema| tags::tag_values(schema, tag, view)).collect();
            format!("{OBJECT} whose {} is one of {}", Value::from(tag), quoted_list(values.into_iter()))
        }
        _ => OBJECT.to_owned(),
    }
}
