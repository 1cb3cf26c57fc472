//! Schemas of older drafts, and of OpenAPI 3.0, as JSON Schema 2020-12.
//!
//! The rest of the library reads 2020-12 only. A schema that declares draft-04, -06 or -07, or
//! 2019-09, is rewritten with the same meaning here, so that its own rules hold everywhere.

mod nullable;
mod older;
mod references;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::Value;

use self::older::{OlderDraft, OlderSchema};
use super::each;

const LATEST: &str = "https://json-schema.org/draft/2020-12/schema";

/// `schema` as JSON Schema 2020-12, with `nullable` of OpenAPI 3.0 as a type, and with references
/// that are URIs.
pub(crate) fn modern(schema: &Value) -> Cow<'_, Value> {
    let draft = schema.as_object().and_then(OlderDraft::declared);
    let are_raw = references::are_raw(schema);
    if draft.is_none() && !nullable::is_used(schema) && !are_raw {
        return Cow::Borrowed(schema);
    }
    let mut modern = schema.clone();
    if are_raw {
        references::rewrite(&mut modern);
    }
    if let Some(draft) = draft {
        let older = OlderSchema { draft, root: schema };
        each(&mut modern, &mut |part| older.rewrite(part));
        if let Value::Object(root) = &mut modern {
            root.insert("$schema".to_owned(), Value::from(LATEST));
        }
    }
    nullable::rewrite(&mut modern);
    Cow::Owned(modern)
}
