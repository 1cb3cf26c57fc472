//! Worked examples from checked documents.

use extract::{Extraction, ShotSource, TokenUsage};

use crate::gold::{GoldDocument, GoldSet};

/// Which documents of a gold set an agent is shown.
///
/// A number is so many of the nearest documents: `.shots_from(&gold, 3)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShotChoice {
    /// Most documents that are shown.
    pub count: usize,
    /// Most tokens that texts and answers have together, estimated at four characters each. A
    /// document that does not fit any more is passed over for one that does.
    pub max_tokens: Option<u64>,
    /// Whether the nearest document stands last, next to the question. It does by default.
    pub nearest_last: bool,
}

impl ShotChoice {
    /// Chooses so many of the nearest documents.
    pub fn nearest(count: usize) -> Self {
        Self { count, max_tokens: None, nearest_last: true }
    }

    /// Limits the tokens of all texts and answers.
    #[must_use]
    pub fn within_tokens(self, tokens: u64) -> Self {
        Self { max_tokens: Some(tokens), ..self }
    }

    /// Puts the nearest document first.
    #[must_use]
    pub fn nearest_first(self) -> Self {
        Self { nearest_last: false, ..self }
    }
}

impl From<usize> for ShotChoice {
    fn from(count: usize) -> Self {
        Self::nearest(count)
    }
}

impl GoldSet {
    /// Returns the documents that are nearest to `text`, in the order in which they are shown. A
    /// document with the same text is never among them.
    ///
    /// ```
    /// use extract_gold::{GoldDocument, GoldSet};
    /// use serde_json::json;
    ///
    /// let gold = GoldSet::from_documents([
    ///     GoldDocument::new("A table for two in Lyon", json!({"guests": 2})),
    ///     GoldDocument::new("A taxi to the airport", json!({"guests": null})),
    /// ]);
    /// assert_eq!(gold.shots_for("a table in Bari for five", 1)[0].value, json!({"guests": 2}));
    /// assert_eq!(gold.shots_for("A taxi to the airport", 1)[0].value, json!({"guests": 2}));
    /// ```
    pub fn shots_for(&self, text: &str, choice: impl Into<ShotChoice>) -> Vec<&GoldDocument> {
        let choice = choice.into();
        let mut left = choice.max_tokens.unwrap_or(u64::MAX);
        let mut chosen = Vec::new();
        for (number, _) in self.index().nearest(text) {
            let Some(document) = self.documents().get(number) else { continue };
            let tokens = tokens_of(document);
            if chosen.len() < choice.count && tokens <= left {
                left -= tokens;
                chosen.push(document);
            }
        }
        if choice.nearest_last {
            chosen.reverse();
        }
        chosen
    }
}

fn tokens_of(document: &GoldDocument) -> u64 {
    let chars = document.text.chars().count() + document.value.to_string().chars().count();
    TokenUsage::estimated(chars, 0).input_tokens
}

/// Adds worked examples from a gold set to an extraction.
pub trait GoldShots<'a>: Sized {
    /// Shows the agent the checked documents that are nearest to the text in question, with their
    /// right values. The text itself is never among them.
    ///
    /// A value of the gold set that the type refuses is an error of the extraction, as for
    /// [`Extraction::shot`]: an agent would copy its mistake. The gold set and the choice are part of
    /// the [fingerprint](Extraction::fingerprint), so a job asks again after a correction.
    ///
    /// ```
    /// use extract::{Extractable, testing::ScriptedAgent};
    /// use extract_gold::{GoldDocument, GoldSet, GoldShots as _};
    /// use serde::{Deserialize, Serialize};
    /// use serde_json::json;
    ///
    /// #[derive(Serialize, Deserialize, Extractable)]
    /// struct Visit {
    ///     guests: Option<u32>,
    /// }
    ///
    /// # extract::testing::block_on(async {
    /// let gold = GoldSet::from_documents([GoldDocument::new("A table for two", json!({"guests": 2}))]);
    /// let agent = ScriptedAgent::new([r#"{"guests": 5}"#]);
    /// Visit::extract(&agent, "A table for five").shots_from(&gold, 3).await?;
    /// assert_eq!(agent.requests()[0].conversation.turns()[2].text(), r#"{"guests":2}"#);
    /// # Ok::<(), extract::ExtractionError>(()) }).unwrap();
    /// ```
    #[must_use]
    fn shots_from(self, gold: &'a GoldSet, choice: impl Into<ShotChoice>) -> Self;
}

impl<'a, T, C> GoldShots<'a> for Extraction<'a, T, C> {
    fn shots_from(self, gold: &'a GoldSet, choice: impl Into<ShotChoice>) -> Self {
        let choice = choice.into();
        self.choose_shots_from(gold.facts().source(choice), move |text| {
            let shots = gold.shots_for(text, choice);
            shots.into_iter().map(|shot| (shot.text.clone(), shot.value.clone())).collect()
        })
    }
}

/// What a job has to know of a gold set that shots are chosen from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShotFacts {
    /// Differs if a text or a value differs.
    hash: u64,
    /// Characters of a text and its value, on average.
    chars: usize,
}

impl ShotFacts {
    pub(crate) fn of(documents: &[GoldDocument]) -> Self {
        // FNV-1a (Fowler, Noll, Vo), which is the same on every machine and in every version.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |bytes: &[u8]| {
            for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
                hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        };
        let mut chars = 0;
        for document in documents {
            let value = document.value.to_string();
            chars += document.text.chars().count() + value.chars().count();
            add(document.text.as_bytes());
            add(value.as_bytes());
        }
        Self { hash, chars: chars / documents.len().max(1) }
    }

    fn source(self, choice: ShotChoice) -> ShotSource {
        let most = choice
            .max_tokens
            .map_or(usize::MAX, |tokens| 4 * usize::try_from(tokens).unwrap_or(usize::MAX / 4));
        let chars = self.chars.saturating_mul(choice.count).min(most);
        ShotSource::new(format!("{:016x} {choice:?}", self.hash)).chars(chars)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{GoldDocument, ShotChoice, ShotFacts};

    #[test]
    fn another_text_value_or_choice_is_another_source() {
        let documents = |value: u32| {
            [GoldDocument::new("a table", json!(value)).with_key("1"), GoldDocument::new("a taxi", json!(0))]
        };
        let source = |value: u32, choice: ShotChoice| ShotFacts::of(&documents(value)).source(choice);
        let known = source(2, ShotChoice::nearest(3));
        assert_eq!(known, source(2, 3.into()));
        let others =
            [source(3, 3.into()), source(2, 2.into()), source(2, ShotChoice::nearest(3).nearest_first())];
        assert!(others.iter().all(|other| *other != known));
        let moved = ShotFacts::of(&[
            GoldDocument::new("a table2", json!(null)),
            GoldDocument::new("a taxi", json!(0)),
        ]);
        assert_ne!(moved.source(3.into()), known);
    }
}
