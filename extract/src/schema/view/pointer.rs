//! JSON Pointers (RFC 6901), also as the fragment of a reference.

use std::{borrow::Cow, fmt::Write as _};

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
