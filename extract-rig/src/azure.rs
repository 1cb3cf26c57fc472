//! The keywords that Azure refuses although OpenAI takes them.

use extract::{
    Path,
    schema::dialect::{Projection, UnenforcedConstraint},
};
use serde_json::Value;

/// Source: <https://learn.microsoft.com/azure/ai-foundry/openai/how-to/structured-outputs>, read in
/// November 2026. One of them makes Azure refuse the whole schema.
const REFUSED: [&str; 9] = [
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
];

/// Returns `projection`, which is in OpenAI's dialect, without the keywords that Azure refuses. They
/// are among the unenforced constraints then.
pub(super) fn narrowed(mut projection: Projection) -> Projection {
    let mut found = Vec::new();
    // Paths refer to the answer.
    if projection.is_enveloped {
        if let Some(answer) = projection.schema.pointer_mut("/properties/answer") {
            remove(answer, &Path::root(), &mut found);
        }
        if let Some(definitions) = projection.schema.get_mut("$defs") {
            remove_in_each(definitions, &Path::root().key("$defs"), &mut found);
        }
    } else {
        remove(&mut projection.schema, &Path::root(), &mut found);
    }
    projection.unenforced.extend(found);
    projection
}

fn remove(schema: &mut Value, path: &Path, found: &mut Vec<UnenforcedConstraint>) {
    let Value::Object(members) = schema else { return };
    members.retain(|name, _| {
        let is_refused = REFUSED.contains(&&**name);
        if is_refused {
            found.push(UnenforcedConstraint::new(path.clone(), name, "is not among the supported keywords"));
        }
        !is_refused
    });
    for (name, inner) in members {
        let path = path.clone().key(name);
        match &**name {
            "properties" | "$defs" => remove_in_each(inner, &path, found),
            "items" => remove(inner, &path, found),
            "anyOf" => {
                for (index, inner) in inner.as_array_mut().into_iter().flatten().enumerate() {
                    remove(inner, &path.clone().index(index), found);
                }
            }
            // Values of `enum` and `const` may look like schemas.
            _ => {}
        }
    }
}

fn remove_in_each(schemas: &mut Value, path: &Path, found: &mut Vec<UnenforcedConstraint>) {
    for (name, inner) in schemas.as_object_mut().into_iter().flatten() {
        remove(inner, &path.clone().key(name), found);
    }
}
