//! Names of the parts of a schema: JSON Pointers (RFC 6901), also as the fragment of a reference, and
//! anchors: `$anchor`, `$dynamicAnchor`.

use std::{borrow::Cow, collections::HashMap, convert::Infallible, fmt::Write as _};

use serde_json::Value;

/// The target of `pointer`, which is empty or starts with `/`. Like `Value::pointer`, without an
/// allocation per step.
pub(super) fn resolve<'v>(pointer: &str, root: &'v Value) -> Option<&'v Value> {
    steps(pointer).try_fold(root, |value, step| match value {
        Value::Object(object) => object.get(&*step),
        Value::Array(list) => list.get(index(&step)?),
        _ => None,
    })
}

fn index(step: &str) -> Option<usize> {
    step.parse().ok().filter(|_| step.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The unescaped steps of a JSON Pointer.
pub(crate) fn steps(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(unescaped)
}

/// One step of a JSON Pointer without its escapes.
fn unescaped(step: &str) -> Cow<'_, str> {
    if step.contains('~') {
        Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(step)
    }
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
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@?".contains(&byte);
    let mut fragment = String::with_capacity(pointer.len());
    for byte in pointer.bytes() {
        if is_allowed(byte) {
            fragment.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(fragment, "%{byte:02X}");
        }
    }
    fragment
}

/// The last step of a reference: the name of a definition or of an anchor.
pub(crate) fn last_step(reference: &str) -> String {
    let decoded = decoded(reference);
    let last = decoded.rsplit(['/', '#']).next().unwrap_or_default();
    unescaped(last).into_owned()
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
        names.collect(root, &mut String::new());
        names
    }

    pub(super) fn pointer(&self, name: &str) -> Option<&str> {
        self.pointers.get(name).map(String::as_str)
    }

    fn collect(&mut self, schema: &Value, pointer: &mut String) {
        for name in ANCHORS.iter().filter_map(|keyword| schema.get(keyword)?.as_str()) {
            self.pointers.insert(name.to_owned(), pointer.clone());
        }
        let collected: Result<(), Infallible> = each_inside(schema, pointer, &mut |inside, pointer| {
            self.collect(inside, pointer);
            Ok(())
        });
        collected.unwrap_or_else(|never| match never {});
    }
}

/// Calls `look` with each direct part of `schema` that is not a plain value, and the pointer to it.
/// Stops at the first error.
pub(super) fn each_inside<E>(
    schema: &Value,
    pointer: &mut String,
    look: &mut dyn FnMut(&Value, &mut String) -> Result<(), E>,
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
    push(pointer, step);
    let found = look(pointer);
    pointer.truncate(length);
    found
}

/// Appends one step to a JSON Pointer.
pub(super) fn push(pointer: &mut String, step: &str) {
    pointer.push('/');
    pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
}
