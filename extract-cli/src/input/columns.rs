//! Selects the parts of a record that form the document.

use extract::{Path, document::Document};
use serde_json::{Map, Value};

use super::item::{Content, InputError, InputItem};

/// The usual name of the field with the text.
const TEXT: &str = "text";

/// The word for the parts of a row, of which all rows of a table have the same.
pub(super) const COLUMN: &str = "column";

/// Which fields or columns of a record are used.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Columns {
    /// Field or column with the text of a record; in a nested one as body.text or /body/text
    #[arg(long, value_name = "NAME", default_value = TEXT)]
    text: String,

    /// Field or column that names a record in the outputs; without it FILE:LINE does, or FILE:NUMBER in a JSON array
    #[arg(long, value_name = "NAME")]
    key: Option<String>,

    /// Further fields or columns that go into the outputs as they are
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    meta: Vec<String>,
}

impl Columns {
    /// The names of all parts that are used.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        [&*self.text].into_iter().chain(self.kept())
    }

    /// The names of the parts that go into the outputs.
    pub(super) fn kept(&self) -> impl Iterator<Item = &str> {
        self.key.iter().chain(&self.meta).map(String::as_str)
    }

    /// Returns whether any part is named, so that the inputs are meant to be records.
    pub(super) fn are_given(&self) -> bool {
        self.names_text() || self.kept().next().is_some()
    }

    /// The name of the part with the text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the text is in another field than the default one.
    pub(super) fn names_text(&self) -> bool {
        self.text != TEXT
    }

    /// Says that a record has no part called `name`, and which it has.
    fn missing(&self, kind: &str, (name, option): (&str, &str), names: &[String]) -> String {
        let all = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        if option != TEXT || self.names_text() {
            return format!("no {kind} `{name}`, which `--{option}` asks for; there is {all}");
        }
        let place = if kind == COLUMN { "the header has" } else { "there is" };
        let meant = names.iter().find(|name| name.trim().eq_ignore_ascii_case(TEXT));
        let meant = meant.map_or("NAME", |name| name);
        format!("no {kind} `{name}`; {place} {all}: give `--text {meant}`")
    }

    /// Makes the document of the record at `place`. `kind` is the word for its parts.
    pub(super) fn item(
        &self,
        place: &str,
        kind: &str,
        part: impl Fn(&str) -> Option<Value>,
        names: impl Fn() -> Vec<String>,
    ) -> Result<InputItem, InputError> {
        let wanted = |name: &str, option: &str| {
            part(name).ok_or_else(|| {
                let message = self.missing(kind, (name, option), &names());
                InputError { is_about_input: kind == COLUMN, ..InputError::new(place, message) }
            })
        };
        let text = match wanted(&self.text, TEXT)? {
            Value::String(text) if text.trim().is_empty() => {
                return Err(InputError::new(
                    place,
                    format!("`{}` is empty, so there is nothing to extract", self.text),
                ));
            }
            Value::String(text) => text,
            other => return Err(InputError::new(place, format!("`{}` is no string: {other}", self.text))),
        };
        let key = match &self.key {
            None => place.to_owned(),
            Some(name) => match wanted(name, "key")? {
                Value::String(key) if !key.is_empty() => key,
                Value::Number(key) => key.to_string(),
                other => return Err(InputError::new(place, format!("`{name}` is no key: {other}"))),
            },
        };
        let mut meta = Map::new();
        for name in &self.meta {
            meta.insert(name.clone(), wanted(name, "meta")?);
        }
        let meta = if meta.is_empty() { Value::Null } else { Value::Object(meta) };
        let (place, content) = (place.to_owned(), Content::Text(Document::from_text(text)));
        Ok(InputItem { key, place, content, meta, remark: None })
    }
}

/// The part of a record [called](path_of) `name`.
pub(super) fn part<'r>(record: &'r Value, name: &str) -> Option<&'r Value> {
    path_of(record, name)?.resolve(record)
}

/// The path of the part of a record called `name`: a field of that name, else what a JSON Pointer
/// (RFC 6901) such as `/body/text` or names with dots between such as `body.text` lead to.
pub(super) fn path_of(record: &Value, name: &str) -> Option<Path> {
    match record {
        Value::Object(fields) if fields.contains_key(name) => Some(Path::root().key(name)),
        _ if name.starts_with('/') => {
            Path::from_pointer_in(name, record).ok().filter(|path| path.resolve(record).is_some())
        }
        _ => dotted(record, name),
    }
}

/// The path to which names with dots between lead. A name may have dots itself: the shortest one that
/// leads somewhere counts.
fn dotted(record: &Value, name: &str) -> Option<Path> {
    if let Some((path, _)) = child(record, name) {
        return Some(path);
    }
    name.match_indices('.').find_map(|(at, _)| {
        let (path, part) = child(record, &name[..at])?;
        Some(path.join(&dotted(part, &name[at + 1..])?))
    })
}

fn child<'r>(record: &'r Value, name: &str) -> Option<(Path, &'r Value)> {
    let path = match record {
        Value::Array(_) => Path::root().index(name.parse().ok()?),
        _ => Path::root().key(name),
    };
    let part = path.resolve(record)?;
    Some((path, part))
}
