//! Messages about names that are unknown, or not allowed at their position.

use super::table::{self, AttributePosition, AttributeRow};

/// For an attribute.
pub(super) fn attribute(name: &str, position: AttributePosition) -> String {
    if let Some(attribute) = table::find(name) {
        return format!("`{name}` belongs on {}, not on {position}", positions(attribute.positions));
    }
    if let Some(form) = suggestion(name, position) {
        return format!("unknown attribute `{name}`; did you mean `{form}`?");
    }
    if let Some(elsewhere) = elsewhere(name) {
        return format!("unknown attribute `{name}`; {elsewhere}");
    }
    let known = listed(table::here(position).map(|attribute| attribute.name));
    format!("unknown attribute `{name}`; {position} takes {known}")
}

/// Attributes of serde that are looked for here.
const OF_SERDE: [&str; 10] = [
    "alias",
    "content",
    "default",
    "deny_unknown_fields",
    "flatten",
    "other",
    "rename",
    "skip",
    "tag",
    "untagged",
];

/// Where what `name` asks for belongs.
fn elsewhere(name: &str) -> Option<String> {
    Some(match name {
        "required" => "a field is required unless it is an `Option` or has `#[serde(default)]`".to_owned(),
        "optional" | "nullable" => "make the field an `Option`".to_owned(),
        name if OF_SERDE.contains(&name) => format!("it is an attribute of serde, `#[serde({name})]`"),
        _ => return None,
    })
}

/// For an argument.
pub(super) fn argument(name: &str, of: &AttributeRow) -> String {
    let attribute = of.name;
    match nearest(name, of.arguments()) {
        Some(near) => format!("unknown argument `{name}` of `{attribute}`; did you mean `{near} = ...`?"),
        None => format!("unknown argument `{name}`; `{attribute}` takes {}", listed(of.arguments())),
    }
}

/// "a type or a variant". An attribute that is allowed inside is also allowed on a field, so the
/// former is not mentioned.
pub(super) fn positions(positions: &[AttributePosition]) -> String {
    let positions = positions.iter().filter(|position| **position != AttributePosition::Inside);
    positions.map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

fn suggestion(name: &str, position: AttributePosition) -> Option<&'static str> {
    let synonyms = table::here(position).flat_map(|attribute| attribute.synonyms);
    let synonym = synonyms.into_iter().find(|(synonym, _)| *synonym == name).map(|(_, form)| *form);
    let near = || nearest(name, table::here(position).map(|attribute| attribute.name));
    synonym.or_else(|| near().and_then(table::find).map(AttributeRow::form))
}

pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let rated = known.into_iter().map(|known| (strsim::jaro_winkler(name, known), known));
    rated.filter(|(rate, _)| *rate > 0.8).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, known)| known)
}

/// "`a`, `b`".
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
