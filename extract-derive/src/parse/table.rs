//! Every attribute of `#[extract(...)]`: its positions and its forms.
//!
//! Parsing, suggestions, messages about a wrong position and the overview in `attributes.md` all
//! read this table.

use std::fmt;

use syn::Path;

/// The position of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttributePosition {
    Type,
    Variant,
    Field,
    /// Inside `items(...)`, `keys(...)` or `values(...)`.
    Inside,
}

impl fmt::Display for AttributePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Type => "a type",
            Self::Variant => "a variant",
            Self::Field => "a field",
            Self::Inside => "elements, keys and values",
        })
    }
}

#[derive(Debug)]
pub(super) struct AttributeRow {
    pub(super) name: &'static str,
    /// Its forms; messages suggest the first one.
    pub(super) forms: &'static [&'static str],
    pub(super) positions: &'static [AttributePosition],
    /// Whether it may be repeated.
    pub(super) repeats: bool,
    /// The names in other libraries, each with the form that means the same.
    pub(super) synonyms: &'static [(&'static str, &'static str)],
}

impl AttributeRow {
    const fn repeats(self) -> Self {
        Self { repeats: true, ..self }
    }

    const fn synonyms(self, synonyms: &'static [(&'static str, &'static str)]) -> Self {
        Self { synonyms, ..self }
    }

    pub(super) fn form(&self) -> &'static str {
        self.forms.first().copied().unwrap_or(self.name)
    }

    /// The arguments in its parentheses.
    pub(super) fn arguments(&self) -> impl Iterator<Item = &'static str> {
        let inside = self.forms.iter().filter_map(|form| form.strip_suffix(')')?.split_once('('));
        let arguments = inside.flat_map(|(_, arguments)| arguments.split(", "));
        arguments.filter_map(|argument| argument.strip_suffix(" = ..."))
    }

    pub(super) fn is_allowed(&self, position: AttributePosition) -> bool {
        self.positions.contains(&position)
    }
}

const CONSTRAINT: &[AttributePosition] = &[AttributePosition::Field, AttributePosition::Inside];
const ANNOTATION: &[AttributePosition] =
    &[AttributePosition::Type, AttributePosition::Variant, AttributePosition::Field];
const WHOLE: &[AttributePosition] = &[AttributePosition::Type, AttributePosition::Variant];

const fn attribute(
    name: &'static str,
    forms: &'static [&'static str],
    positions: &'static [AttributePosition],
) -> AttributeRow {
    AttributeRow { name, forms, positions, repeats: false, synonyms: &[] }
}

pub(super) static ATTRIBUTES: [AttributeRow; 25] = [
    attribute(
        "range",
        &["range(min = ..., max = ...)", "range(exclusive_min = ..., exclusive_max = ...)"],
        CONSTRAINT,
    )
    .synonyms(&[
        ("min", "range(min = ...)"),
        ("minimum", "range(min = ...)"),
        ("ge", "range(min = ...)"),
        ("max", "range(max = ...)"),
        ("maximum", "range(max = ...)"),
        ("le", "range(max = ...)"),
        ("exclusive_min", "range(exclusive_min = ...)"),
        ("gt", "range(exclusive_min = ...)"),
        ("exclusive_max", "range(exclusive_max = ...)"),
        ("lt", "range(exclusive_max = ...)"),
    ]),
    attribute("multiple_of", &["multiple_of = ..."], CONSTRAINT),
    attribute("length", &["length(min = ..., max = ...)", "length(equal = ...)"], CONSTRAINT).synonyms(&[
        ("min_length", "length(min = ...)"),
        ("max_length", "length(max = ...)"),
        ("min_items", "length(min = ...)"),
        ("max_items", "length(max = ...)"),
        ("len", "length(min = ..., max = ...)"),
        ("size", "length(min = ..., max = ...)"),
    ]),
    attribute("pattern", &["pattern = \"...\""], CONSTRAINT).synonyms(&[("regex", "pattern = \"...\"")]),
    attribute("format", &["format = \"...\""], CONSTRAINT).synonyms(&[
        ("email", "format = \"email\""),
        ("url", "format = \"uri\""),
        ("uri", "format = \"uri\""),
    ]),
    attribute("one_of", &["one_of = [...]", "one_of = path::to::CONSTANT"], CONSTRAINT).synonyms(&[
        ("enum", "one_of = [...]"),
        ("values_of", "one_of = [...]"),
        ("choices", "one_of = [...]"),
        ("options", "one_of = [...]"),
        ("allowed", "one_of = [...]"),
    ]),
    attribute("unique", &["unique"], CONSTRAINT).synonyms(&[("unique_items", "unique")]),
    attribute("items", &["items(...)"], CONSTRAINT).synonyms(&[("inner", "items(...)")]),
    attribute("keys", &["keys(...)"], CONSTRAINT),
    attribute("values", &["values(...)"], CONSTRAINT),
    attribute("title", &["title = \"...\""], ANNOTATION),
    attribute("description", &["description = \"...\""], ANNOTATION)
        .synonyms(&[("doc", "description = \"...\""), ("desc", "description = \"...\"")]),
    attribute("example", &["example = ..."], &[AttributePosition::Field])
        .synonyms(&[("examples", "example = ...")]),
    attribute("check", &["check = path::to::function"], &[AttributePosition::Field])
        .repeats()
        .synonyms(&[("validate", "check = path::to::function"), ("custom", "check = path::to::function")]),
    attribute(
        "schema_with",
        &["schema_with = path::to::function"],
        &[AttributePosition::Variant, AttributePosition::Field],
    )
    .synonyms(&[("with", "schema_with = path::to::function")]),
    attribute("rule", &["rule = path::to::function"], WHOLE)
        .repeats()
        .synonyms(&[("rules", "rule = path::to::function")]),
    attribute("sensitive", &["sensitive"], &[AttributePosition::Field])
        .synonyms(&[("secret", "sensitive"), ("private", "sensitive")]),
    attribute("keep_valid_items", &["keep_valid_items"], &[AttributePosition::Field])
        .synonyms(&[("keep_valid", "keep_valid_items"), ("skip_invalid", "keep_valid_items")]),
    attribute("key", &["key"], &[AttributePosition::Field]).synonyms(&[
        ("id", "key"),
        ("primary_key", "key"),
        ("unique_key", "key"),
    ]),
    attribute(
        "merge",
        &["merge = first", "merge = last", "merge = all", "merge = most", "merge = path::to::function"],
        &[AttributePosition::Field],
    )
    .synonyms(&[("on_conflict", "merge = first"), ("conflict", "merge = first")]),
    attribute("async_check", &["async_check = path::to::function"], &[AttributePosition::Field]).repeats(),
    attribute("async_rule", &["async_rule = path::to::function"], WHOLE).repeats(),
    attribute("context", &["context = path::to::Type"], &[AttributePosition::Type]),
    attribute("partial", &["partial", "partial(name = ...)"], &[AttributePosition::Type]),
    attribute("crate", &["crate = path::to::extract"], &[AttributePosition::Type]),
];

pub(super) fn find(name: &str) -> Option<&'static AttributeRow> {
    ATTRIBUTES.iter().find(|attribute| attribute.name == name)
}

/// The attributes that are allowed at a position.
pub(super) fn here(position: AttributePosition) -> impl Iterator<Item = &'static AttributeRow> {
    ATTRIBUTES.iter().filter(move |attribute| attribute.is_allowed(position))
}

/// Returns whether `path` names a constraint, which fields and their parts may have.
pub(crate) fn is_constraint(path: &Path) -> bool {
    find(&super::name(path)).is_some_and(|attribute| attribute.is_allowed(AttributePosition::Inside))
}
