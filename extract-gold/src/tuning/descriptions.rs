//! Descriptions of fields, proposed by a model from the mistakes seen.

use std::{collections::BTreeMap, fmt::Write as _};

use extract::{
    Contract, Path,
    agent::Agent,
    path::{PathPattern, Segment},
};
use serde_json::json;

use crate::{compare::LeafComparison, evaluation::CandidateResult};

/// Most fields that get another description.
const MAX_FIELDS: usize = 3;

/// Fewest mistakes of a field. One may be the document's.
const MIN_MISTAKES: usize = 2;

/// Most mistakes that are shown.
const MAX_MISTAKES: usize = 6;

/// Most characters of a text or a value that are shown.
const MAX_CHARS: usize = 400;

/// Most characters of a description.
const MAX_DESCRIPTION_CHARS: usize = 300;

/// The mistakes in one field.
pub(super) struct FieldMistakes<'r> {
    /// The place of the field, as `$.lines[*].quantity`.
    pub(super) place: PathPattern,
    /// The texts with the wrong leaves.
    mistakes: Vec<(&'r str, &'r LeafComparison)>,
}

impl<'r> FieldMistakes<'r> {
    /// Returns the fields with the most mistakes.
    pub(super) fn of(result: &'r CandidateResult) -> Vec<Self> {
        let mut by_field: BTreeMap<&str, Self> = BTreeMap::new();
        // A document without an answer says nothing about a field.
        for document in result.documents.iter().filter(|document| document.value.is_some()) {
            for leaf in document.wrong() {
                let new = || Self { place: place_of(&leaf.path), mistakes: Vec::new() };
                by_field.entry(&leaf.field).or_insert_with(new).mistakes.push((&document.text, leaf));
            }
        }
        let mut fields: Vec<_> =
            by_field.into_values().filter(|field| field.mistakes.len() >= MIN_MISTAKES).collect();
        // A stable sort, so that a tie has the order of the names.
        fields.sort_by_key(|field| std::cmp::Reverse(field.mistakes.len()));
        fields.truncate(MAX_FIELDS);
        fields
    }

    /// Asks for a description that would have prevented the mistakes. `None` if there is no usable
    /// one.
    pub(super) async fn propose(&self, contract: &Contract, agent: &dyn Agent) -> Option<String> {
        let schema = json!({
            "type": "object",
            "properties": {"description": {"type": "string", "minLength": 1, "maxLength": MAX_DESCRIPTION_CHARS}},
            "required": ["description"],
            "additionalProperties": false
        });
        let proposing = Contract::from_schema(schema).ok()?;
        let (value, _) = proposing.extract(agent, self.prompt(contract)).temperature(0.0).await.ok()?;
        let text = value.get("description")?.as_str()?;
        // One line, as a doc comment is.
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        (!line.is_empty()).then_some(line)
    }

    fn prompt(&self, contract: &Contract) -> String {
        let mut prompt = format!(
            "A model extracts JSON from texts. It is given this schema:\n{}\n\nIt often gets the field {} wrong:\n",
            contract.schema(),
            self.place,
        );
        for (text, leaf) in self.mistakes.iter().take(MAX_MISTAKES) {
            let _ = write!(
                prompt,
                "\nText: {}\nRight: {}\nExtracted: {}\n",
                cut(text),
                cut(&leaf.gold.to_string()),
                cut(&leaf.extracted.to_string()),
            );
        }
        prompt.push_str(
            "\nWrite a description of this field for the schema, one or two sentences that would have prevented these \
             mistakes. Say what belongs into the field, in which form, and when it is null. Do not quote the texts.",
        );
        prompt
    }
}

/// The place of the leaf, in every row of its lists.
fn place_of(path: &Path) -> PathPattern {
    path.segments().iter().fold(PathPattern::root(), |place, segment| match segment {
        Segment::Key(key) => place.key(&**key),
        Segment::Index(_) => place.each(),
    })
}

fn cut(text: &str) -> String {
    let mut chars = text.chars();
    let mut start: String = chars.by_ref().take(MAX_CHARS).collect();
    if chars.next().is_some() {
        start.push('…');
    }
    start
}

/// Returns whether the schema allows a description at `place` other than the one that it has.
pub(super) fn described(contract: &Contract, place: &PathPattern, text: &str) -> bool {
    contract.describe(place.clone(), text).is_ok_and(|described| described.schema() != contract.schema())
}

/// A schema is shown to the proposing model, and so are values and texts.
pub(super) fn may_be_shown(contract: &Contract) -> bool {
    !contract.has_sensitive_values()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_names_every_row() {
        let path: Path = "$.lines[3].quantity".parse().unwrap();
        assert_eq!(place_of(&path).to_string(), "$.lines[*].quantity");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(cut(&"ä".repeat(MAX_CHARS + 1)).chars().count(), MAX_CHARS + 1);
        assert_eq!(cut("short"), "short");
    }

    #[test]
    fn only_another_description_is_worth_a_trial() {
        let contract = Contract::from_schema(
            json!({"type": "object", "properties": {"a": {"type": "string", "description": "x"}}}),
        )
        .unwrap();
        let place = PathPattern::root().key("a");
        assert!(described(&contract, &place, "y") && !described(&contract, &place, "x"));
        assert!(!described(&contract, &PathPattern::root().key("b"), "y"));
    }
}
