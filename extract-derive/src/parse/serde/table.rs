//! serde's attributes at each position, and their meaning here.

use crate::parse::{AttributePosition, suggest};

/// serde's attributes at one position.
pub(in crate::parse) struct SerdeRow {
    pub(in crate::parse) position: AttributePosition,
    /// Its name in serde's messages.
    pub(super) called: &'static str,
    pub(in crate::parse) honoured: &'static [&'static str],
    /// Known, and rejected by a check.
    pub(in crate::parse) refused: &'static [&'static str],
    /// About serialization, messages, or the form of serde's code.
    pub(in crate::parse) without_bearing: &'static [&'static str],
}

pub(in crate::parse) static ROWS: [SerdeRow; 3] = [
    SerdeRow {
        position: AttributePosition::Type,
        called: "container",
        honoured: &[
            "rename",
            "rename_all",
            "rename_all_fields",
            "deny_unknown_fields",
            "tag",
            "content",
            "untagged",
            "default",
            "transparent",
            "from",
            "try_from",
            "bound",
        ],
        refused: &["remote", "field_identifier", "variant_identifier"],
        without_bearing: &["into", "crate", "expecting"],
    },
    SerdeRow {
        position: AttributePosition::Variant,
        called: "variant",
        honoured: &[
            "rename",
            "rename_all",
            "alias",
            "skip",
            "skip_deserializing",
            "other",
            "untagged",
            "with",
            "deserialize_with",
            "bound",
        ],
        refused: &[],
        without_bearing: &["borrow", "serialize_with", "skip_serializing"],
    },
    SerdeRow {
        position: AttributePosition::Field,
        called: "field",
        honoured: &[
            "rename",
            "alias",
            "default",
            "flatten",
            "skip",
            "skip_deserializing",
            "with",
            "deserialize_with",
            "bound",
        ],
        refused: &[],
        without_bearing: &[
            "borrow",
            // Has a meaning only beside `remote`, which is rejected.
            "getter",
            "serialize_with",
            "skip_serializing",
            "skip_serializing_if",
        ],
    },
];

impl SerdeRow {
    fn names(&self) -> impl Iterator<Item = &'static str> {
        [self.honoured, self.refused, self.without_bearing].into_iter().flatten().copied()
    }
}

/// The message about a name that serde does not accept at `position`: in serde's words, with a
/// suggestion. `None` if serde accepts it.
pub(super) fn unknown(name: &str, position: AttributePosition) -> Option<(String, String)> {
    let row = ROWS.iter().find(|row| row.position == position)?;
    if row.names().any(|known| known == name) {
        return None;
    }
    let elsewhere = ROWS.iter().filter(|row| row.names().any(|known| known == name));
    let elsewhere: Vec<AttributePosition> = elsewhere.map(|row| row.position).collect();
    let hint = match suggest::nearest(name, row.names()) {
        _ if !elsewhere.is_empty() => format!("it belongs on {}", suggest::positions(&elsewhere)),
        Some(near) => format!("did you mean `{near}`?"),
        None => format!(
            "serde attributes that can be honoured on {position}: {}",
            suggest::listed(row.honoured.iter().copied())
        ),
    };
    Some((format!("unknown serde {} attribute `{name}`", row.called), hint))
}
