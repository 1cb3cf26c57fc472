//! References with characters that a URI does not have, such as `#/definitions/Page<Item>` of
//! generators that name definitions after generic types.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::schema::{REFERENCES, any_within, each};

pub(super) fn are_raw(schema: &Value) -> bool {
    any_within(schema, &|part| part.as_object().is_some_and(|part| raw(part).next().is_some()))
}

/// Percent-encodes these characters (RFC 3986, section 2.1).
pub(super) fn rewrite(schema: &mut Value) {
    each(schema, &mut |part| {
        let encoded: Vec<_> = raw(part).map(|(keyword, raw)| (keyword, encoded(raw))).collect();
        for (keyword, reference) in encoded {
            part.insert(keyword.to_owned(), Value::from(reference));
        }
    });
}

/// The references of `schema` that are no URIs.
fn raw(schema: &Map<String, Value>) -> impl Iterator<Item = (&'static str, &str)> {
    let references =
        REFERENCES.into_iter().filter_map(|keyword| Some((keyword, schema.get(keyword)?.as_str()?)));
    references.filter(|(_, reference)| fragment(reference).bytes().any(|byte| !is_allowed(byte)))
}

fn fragment(reference: &str) -> &str {
    reference.split_once('#').map_or("", |(_, fragment)| fragment)
}

/// Returns whether a fragment may have the byte. A percent sign is taken for an escape.
fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@?%".contains(&byte)
}

fn encoded(reference: &str) -> String {
    let start = reference.len() - fragment(reference).len();
    let mut encoded = reference[..start].to_owned();
    for byte in reference[start..].bytes() {
        if is_allowed(byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}
