//! Every keyword of `#[extract(...)]`: where it may stand, and how it is written.

use std::fmt;

/// Where an attribute stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Type,
    Variant,
    Field,
    /// Inside `items(...)`, `keys(...)` or `values(...)`.
    Inside,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Type => "a type",
            Self::Variant => "a variant",
            Self::Field => "a field",
            Self::Inside => "elements, keys and values",
        })
    }
}

pub(super) struct Keyword {
    pub(super) name: &'static str,
    /// How it is written, for messages.
    pub(super) form: &'static str,
    places: &'static [Place],
}

const CONSTRAINT: &[Place] = &[Place::Field, Place::Inside];
const ANNOTATION: &[Place] = &[Place::Type, Place::Variant, Place::Field];

const fn keyword(name: &'static str, form: &'static str, places: &'static [Place]) -> Keyword {
    Keyword { name, form, places }
}

static KEYWORDS: [Keyword; 21] = [
    keyword("range", "range(min = ..., max = ...)", CONSTRAINT),
    keyword("multiple_of", "multiple_of = ...", CONSTRAINT),
    keyword("length", "length(min = ..., max = ...)", CONSTRAINT),
    keyword("pattern", "pattern = \"...\"", CONSTRAINT),
    keyword("format", "format = \"...\"", CONSTRAINT),
    keyword("one_of", "one_of = [...]", CONSTRAINT),
    keyword("unique", "unique", CONSTRAINT),
    keyword("items", "items(...)", CONSTRAINT),
    keyword("keys", "keys(...)", CONSTRAINT),
    keyword("values", "values(...)", CONSTRAINT),
    keyword("title", "title = \"...\"", ANNOTATION),
    keyword("description", "description = \"...\"", ANNOTATION),
    keyword("example", "example = ...", &[Place::Field]),
    keyword("check", "check = path::to::function", &[Place::Field]),
    keyword("schema_with", "schema_with = path::to::function", &[Place::Variant, Place::Field]),
    keyword("rule", "rule = path::to::function", &[Place::Type, Place::Variant]),
    keyword("sensitive", "sensitive", &[Place::Field]),
    keyword("async_check", "async_check = path::to::function", &[Place::Field]),
    keyword("async_rule", "async_rule = path::to::function", &[Place::Type, Place::Variant]),
    keyword("context", "context = path::to::Type", &[Place::Type]),
    keyword("crate", "crate = path::to::extract", &[Place::Type]),
];

/// What people call these things elsewhere, and the keyword with the part of its form that says the same.
static SYNONYMS: [(&str, &str); 36] = [
    ("min", "range(min = ...)"),
    ("minimum", "range(min = ...)"),
    ("max", "range(max = ...)"),
    ("maximum", "range(max = ...)"),
    ("gt", "range(exclusive_min = ...)"),
    ("ge", "range(min = ...)"),
    ("lt", "range(exclusive_max = ...)"),
    ("le", "range(max = ...)"),
    ("exclusive_min", "range(exclusive_min = ...)"),
    ("exclusive_max", "range(exclusive_max = ...)"),
    ("min_length", "length(min = ...)"),
    ("max_length", "length(max = ...)"),
    ("min_items", "length(min = ...)"),
    ("max_items", "length(max = ...)"),
    ("len", "length(min = ..., max = ...)"),
    ("size", "length(min = ..., max = ...)"),
    ("regex", "pattern = \"...\""),
    ("email", "format = \"email\""),
    ("url", "format = \"uri\""),
    ("uri", "format = \"uri\""),
    ("enum", "one_of = [...]"),
    ("values_of", "one_of = [...]"),
    ("choices", "one_of = [...]"),
    ("options", "one_of = [...]"),
    ("allowed", "one_of = [...]"),
    ("unique_items", "unique"),
    ("inner", "items(...)"),
    ("doc", "description = \"...\""),
    ("desc", "description = \"...\""),
    ("examples", "example = ..."),
    ("validate", "check = path::to::function"),
    ("custom", "check = path::to::function"),
    ("with", "schema_with = path::to::function"),
    ("secret", "sensitive"),
    ("private", "sensitive"),
    ("rules", "rule = path::to::function"),
];

pub(super) fn find(name: &str) -> Option<&'static Keyword> {
    KEYWORDS.iter().find(|keyword| keyword.name == name)
}

/// What to say about a keyword that is not one, or not one here.
pub(super) fn unknown(name: &str, place: Place) -> String {
    if let Some(keyword) = find(name) {
        let places: Vec<String> =
            keyword.places.iter().filter(|p| **p != Place::Inside).map(ToString::to_string).collect();
        return format!("`{name}` belongs on {}, not on {place}", places.join(" or "));
    }
    match suggestion(name, place) {
        Some(form) => format!("unknown attribute `{name}`; did you mean `{form}`?"),
        None => format!("unknown attribute `{name}`; {place} takes {}", listed(here(place))),
    }
}

/// What to say about an argument that is not one.
pub(super) fn unknown_argument(name: &str, of: &str) -> String {
    let known = arguments(of);
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("unknown argument `{name}` of `{of}`; did you mean `{near} = ...`?"),
        None => format!("unknown argument `{name}`; `{of}` takes {}", listed(known.iter().copied())),
    }
}

fn arguments(of: &str) -> &'static [&'static str] {
    match of {
        "range" => &["min", "max", "exclusive_min", "exclusive_max"],
        "length" => &["min", "max", "equal"],
        _ => &[],
    }
}

fn here(place: Place) -> impl Iterator<Item = &'static str> {
    KEYWORDS.iter().filter(move |keyword| keyword.places.contains(&place)).map(|keyword| keyword.name)
}

fn suggestion(name: &str, place: Place) -> Option<&'static str> {
    let is_here = |form: &str| here(place).any(|name| form.split([' ', '(']).next() == Some(name));
    if let Some((_, form)) = SYNONYMS.iter().find(|(synonym, form)| *synonym == name && is_here(form)) {
        return Some(form);
    }
    nearest(name, here(place)).and_then(find).map(|keyword| keyword.form)
}

pub(super) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let rated = known.map(|known| (strsim::jaro_winkler(name, known), known));
    rated.filter(|(rate, _)| *rate > 0.8).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, known)| known)
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
