//! Names of the parts of a schema: JSON Pointers (RFC 6901), also as the fragment of a reference, and
//! anchors: `$anchor`, `$dynamicAnchor`.

use std::{borrow::Cow, collections::HashMap, convert::Infallible, fmt::Write as _};

use serde_json::Value;

use crate::vocabulary::json_pointer;

/// The target of `pointer`, which is empty or starts with `/`. Like `Value::pointer`, without an
/// allocation per step.
pub(super) fn resolve<'v>(pointer: &str, root: &'v Value) -> Option<&'v Value> {
    steps(pointer).try_fold(root, |value, step| match value {
        Value::Object(object) => object.get(&*step),
        Value::Array(list) => list.get(json_pointer::index(&step)?),
        _ => None,
    })
}

/// The unescaped steps of a JSON Pointer.
pub(crate) fn steps(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(json_pointer::key)
}

/// The fragment of a URI without percent-encoding (RFC 3986, section 2.1).
pub(crate) fn decoded(fragment: &str) -> Cow<'_, str> {
    if !fragment.contains('%') {
        return Cow::Borrowed(fragment);
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *byte == b'%').and_then(|code| std::str::from_utf8(code).ok());
        let code = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(code.unwrap_or(*byte));
        rest = &after[if code.is_some() { 2 } else { 0 }..];
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// A JSON Pointer as the fragment of a URI (RFC 3986, section 3.5).
pub(super) fn encoded(pointer: &str) -> String {
    percent_encoded(pointer, |byte| byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@?".contains(&byte))
}

/// `text` with all bytes encoded that are not `allowed` (RFC 3986, section 2.1).
pub(crate) fn percent_encoded(text: &str, is_allowed: impl Fn(u8) -> bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if is_allowed(byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// The last step of a reference: the name of a definition or of an anchor.
pub(crate) fn last_step(reference: &str) -> String {
    let decoded = decoded(reference);
    let last = decoded.rsplit(['/', '#']).next().unwrap_or_default();
    json_pointer::key(last).into_owned()
}

/// Keywords that name a schema.
pub(super) const ANCHORS: [&str; 2] = ["$anchor", "$dynamicAnchor"];

/// Keywords whose keys are the user's names.
const NAMED: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Keywords that hold values and not schemas.
pub(crate) const VALUES: [&str; 4] = ["const", "default", "enum", "examples"];

/// Returns whether the keys under `keyword` are names, and the values are schemas.
pub(crate) fn is_named(keyword: &str) -> bool {
    NAMED.contains(&keyword)
}

/// JSON Pointers by anchor.
#[derive(Debug, Default)]
pub(super) struct AnchorNames {
    pointers: HashMap<String, String>,
}

impl AnchorNames {
    pub(super) fn of(root: &Value) -> Self {
        let mut names = Self::default();
        let Ok(()) = each_located(root, &mut |part, pointer| {
            for name in ANCHORS.iter().filter_map(|keyword| part.get(keyword)?.as_str()) {
                names.pointers.insert(name.to_owned(), pointer.to_owned());
            }
            Ok::<_, Infallible>(())
        });
        names
    }

    pub(super) fn pointer(&self, name: &str) -> Option<&str> {
        self.pointers.get(name).map(String::as_str)
    }
}

/// Calls `look` with `schema` and each of its parts that is not a plain value, and the pointer to it.
/// Stops at the first error.
pub(crate) fn each_located<'s, E>(
    schema: &'s Value,
    look: &mut dyn FnMut(&'s Value, &str) -> Result<(), E>,
) -> Result<(), E> {
    fn each_in<'s, E>(
        schema: &'s Value,
        pointer: &mut String,
        look: &mut dyn FnMut(&'s Value, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        look(schema, pointer)?;
        each_inside(schema, pointer, &mut |part, pointer| each_in(part, pointer, look))
    }
    each_in(schema, &mut String::new(), look)
}

/// Calls `look` with each direct part of `schema` that is not a plain value, and the pointer to it.
/// Stops at the first error.
pub(super) fn each_inside<'s, E>(
    schema: &'s Value,
    pointer: &mut String,
    look: &mut dyn FnMut(&'s Value, &mut String) -> Result<(), E>,
) -> Result<(), E> {
    match schema {
        Value::Object(object) => object.iter().try_for_each(|(keyword, inside)| match inside {
            _ if VALUES.contains(&keyword.as_str()) => Ok(()),
            Value::Object(named) if is_named(keyword) => below(pointer, keyword, |pointer| {
                named
                    .iter()
                    .try_for_each(|(name, inside)| below(pointer, name, |pointer| look(inside, pointer)))
            }),
            _ => below(pointer, keyword, |pointer| look(inside, pointer)),
        }),
        Value::Array(list) => list.iter().enumerate().try_for_each(|(index, inside)| {
            below(pointer, &index.to_string(), |pointer| look(inside, pointer))
        }),
        _ => Ok(()),
    }
}

/// Calls `look` with the pointer to the part under `step`.
fn below<T>(pointer: &mut String, step: &str, look: impl FnOnce(&mut String) -> T) -> T {
    let length = pointer.len();
    json_pointer::push(pointer, step);
    let found = look(pointer);
    pointer.truncate(length);
    found
}
