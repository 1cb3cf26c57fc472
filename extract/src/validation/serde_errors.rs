//! Explains why a value that satisfies the schema does not deserialize.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::vocabulary::{
    path::Path,
    text::{cut, quoted},
    violation::{Code, Violation},
};

/// Maximum characters of serde's message.
const MESSAGE_CHARS: usize = 400;

/// Deserializes `value`.
///
/// The value satisfies the schema at this point. It can still fail where a type requires more than
/// its schema can express: an integer written as `1.0`, or a `deserialize_with` of the user.
pub(crate) fn deserialize<T: DeserializeOwned>(value: &Value) -> Result<T, Vec<Violation>> {
    T::deserialize(value).map_err(|error| {
        // The path is computed only on failure, because tracking it slows down every value.
        let path = match serde_path_to_error::deserialize::<_, T>(value) {
            Ok(_) => Path::root(),
            Err(located) => path_of(located.path()),
        };
        let actual = path.resolve(value).map(quoted);
        // serde quotes a rejected string in full.
        let violation = Violation::new(path, Code::InvalidValue, cut(&error.to_string(), MESSAGE_CHARS));
        vec![match actual {
            Some(actual) => violation.actual(actual),
            None => violation,
        }]
    })
}

fn path_of(located: &serde_path_to_error::Path) -> Path {
    use serde_path_to_error::Segment;
    located.iter().fold(Path::root(), |path, segment| match segment {
        Segment::Seq { index } => path.index(*index),
        Segment::Map { key } => path.key(key),
        // In most representations a variant is not a step in the JSON value; the path stops above
        // it.
        Segment::Enum { .. } | Segment::Unknown => path,
    })
}
