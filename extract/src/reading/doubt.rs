//! Why a value that fits may still not be the answer.
//!
//! If all fields are optional or a short list is wanted, many values fit that were never meant as
//! an answer: an empty object behind a refusal, the schema, an example, a reference such as `[1]`.
//! A value that stands alone in a reply is taken as meant. A value inside prose has to name
//! something that was asked for.

use super::{
    locate::{Standing, is_denied, leads_to},
    node::{Data, Node},
    shape::{Additional, Id, ROOT, Shapes},
};

/// Why a value may not be the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// It has none of the keys that were asked for.
    NamesNothing,
    /// It is a JSON Schema.
    Schema,
    /// It is the example of the contract.
    Example,
    /// Some of its values are placeholders, such as `...`.
    Placeholder,
    /// It is a reference, a check box or a link.
    Reference,
    /// The prose says that it is not the answer.
    Denied,
    /// Another object fits as well, and nothing says which of the two is the answer.
    Ambiguous,
}

/// A value in a reply.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'r> {
    pub(super) reply: &'r str,
    /// The text before and after it, without reasoning.
    pub(super) before: &'r str,
    pub(super) after: &'r str,
    pub(super) standing: Standing,
}

impl Found<'_> {
    /// Doubt about `node` as read, before alignment.
    pub(super) fn doubt(&self, node: &Node<'_>, shapes: &Shapes) -> Option<Doubt> {
        if shapes.is_schema(node) {
            return Some(Doubt::Schema);
        }
        let may_refer = matches!(self.standing, Standing::Inline | Standing::Apart { is_marked: true });
        let is_lead_to = leads_to(self.before) && !self.after.starts_with('(');
        if may_refer && !is_lead_to && self.is_reference(node) {
            return Some(Doubt::Reference);
        }
        let is_alone = self.standing == Standing::Whole;
        if !is_alone && self.has_placeholder(node) {
            return Some(Doubt::Placeholder);
        }
        let is_denied = self.standing == Standing::Inline && is_denied(self.before, self.after);
        is_denied.then_some(Doubt::Denied)
    }

    /// Doubt about `node` after alignment.
    pub(super) fn doubt_aligned(&self, node: &Node<'_>, shapes: &Shapes) -> Option<Doubt> {
        if matches!(self.standing, Standing::Whole | Standing::Fenced) {
            return None;
        }
        if !shapes.names_something(node, ROOT) {
            return Some(Doubt::NamesNothing);
        }
        shapes.is_example(node).then_some(Doubt::Example)
    }

    /// Whether it is `[1]`, `[x]`, `[ ]`, `[see above]` or `[1][2]`.
    fn is_reference(&self, node: &Node<'_>) -> bool {
        let Data::List(items) = &node.data else { return false };
        items.iter().all(|item| match &item.data {
            Data::Number(number) => number.as_u64().is_some_and(|number| number < 1_000),
            Data::Text(_) => !self.is_quoted(item),
            Data::List(inner) => inner.len() < 2 && self.is_reference(item),
            _ => false,
        })
    }

    /// Whether a string is a gap left to fill, or all strings are an ellipsis. An ellipsis among
    /// other strings may be a right value.
    fn has_placeholder(&self, node: &Node<'_>) -> bool {
        let mut strings = Strings::default();
        self.count(node, &mut strings);
        strings.gaps > 0 || strings.ellipses > 0 && strings.ellipses == strings.all
    }

    fn count(&self, node: &Node<'_>, strings: &mut Strings) {
        match &node.data {
            Data::Text(text) => {
                strings.all += 1;
                strings.ellipses += usize::from(text == "…");
                strings.gaps += usize::from(is_gap(text) || !self.is_quoted(node) && is_type(text));
            }
            Data::List(items) => items.iter().for_each(|item| self.count(item, strings)),
            Data::Object(entries) => entries.iter().for_each(|entry| self.count(&entry.value, strings)),
            _ => {}
        }
    }

    fn is_quoted(&self, node: &Node<'_>) -> bool {
        let text = self.reply.get(node.span.clone()).unwrap_or_default();
        super::parse::starts_with_quote(text) || text.starts_with('\\')
    }
}

/// The strings of a value.
#[derive(Debug, Default)]
struct Strings {
    all: usize,
    /// Those that are gaps left to fill.
    gaps: usize,
    ellipses: usize,
}

/// Whether `text` is a gap left to fill: `...`, `<name>`.
fn is_gap(text: &str) -> bool {
    let is_dots = text.len() >= 3 && text.bytes().all(|byte| byte == b'.');
    let inside = text.strip_prefix('<').and_then(|text| text.strip_suffix('>'));
    let is_word =
        |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '|'));
    is_dots || inside.is_some_and(|text| !text.is_empty() && is_word(text))
}

/// Whether `text` is a type in the notation of contracts: `string`, `?: string | null`,
/// `integer[]`.
fn is_type(text: &str) -> bool {
    let is_name =
        |name: &str| matches!(name, "string" | "number" | "integer" | "boolean" | "null" | "unknown" | "");
    let text = text.trim_start_matches("?:");
    !text.is_empty() && text.split(['|', ' ', '[', ']', '(', ')']).all(is_name)
}

impl Shapes {
    /// Whether `node` is a JSON Schema although the contract does not ask for one.
    fn is_schema(&self, node: &Node<'_>) -> bool {
        let Data::Object(entries) = &node.data else { return false };
        let root = self.get(ROOT);
        let names = match root.items {
            Some(id) if root.names.is_empty() => &self.get(id).names,
            _ => &root.names,
        };
        if names.is_empty() || entries.iter().any(|entry| names.contains(&*entry.key)) {
            return false;
        }
        let value = |key: &str| entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value.data);
        let is_type =
            |data: &Data<'_>| matches!(data, Data::Text(text) if matches!(&**text, "object" | "array"));
        value("$schema").is_some()
            || value("$defs").is_some()
            || matches!(value("properties"), Some(Data::Object(_)))
            || value("type").is_some_and(is_type) && value("items").is_some()
    }

    /// Whether an object in `node` has a key that the shape `id` knows. Scalars and maps always
    /// pass.
    pub(super) fn names_something(&self, node: &Node<'_>, id: Id) -> bool {
        let shape = self.get(id);
        match &node.data {
            Data::Object(entries) => {
                let takes_any =
                    !shape.knows_names() || matches!(shape.additional, Additional::Of(_) | Additional::Data);
                entries.iter().any(|entry| takes_any || shape.names.contains(&*entry.key))
            }
            Data::List(items) => match shape.items {
                Some(id) => items.is_empty() || items.iter().any(|item| self.names_something(item, id)),
                None => true,
            },
            _ => true,
        }
    }

    /// Whether `node` is the example, and could not be equal to it by chance.
    fn is_example(&self, node: &Node<'_>) -> bool {
        self.example().is_some_and(|example| node.is_value(example))
    }
}
