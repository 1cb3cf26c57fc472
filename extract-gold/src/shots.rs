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
    /// Whether the first documents of the set are shown, in their order, and not the nearest.
    pub takes_first: bool,
}

impl ShotChoice {
    /// Chooses so many of the nearest documents.
    pub fn nearest(count: usize) -> Self {
        Self { count, max_tokens: None, nearest_last: true, takes_first: false }
    }

    /// Chooses so many of the first documents of the set, in their order; `usize::MAX` for all.
    pub fn first(count: usize) -> Self {
        Self { takes_first: true, ..Self::nearest(count) }
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
    /// Returns the documents to show before `text`, in the order in which they are shown. A
    /// document with the same text is never among them, also if the two differ in case, white space,
    /// invisible characters, the kind of quotation marks and dashes, or the form of Unicode.
    ///
    /// ```
    /// use extract_gold::{GoldDocument, GoldSet, ShotChoice};
    /// use serde_json::json;
    ///
    /// let gold = GoldSet::from_documents([
    ///     GoldDocument::new("A table for two in Lyon", json!({"guests": 2})),
    ///     GoldDocument::new("A taxi to the airport", json!({"guests": null})),
    /// ]);
    /// assert_eq!(gold.shots_for("a table in Bari for five", 1)[0].value, json!({"guests": 2}));
    /// assert_eq!(gold.shots_for("A taxi to the airport", 1)[0].value, json!({"guests": 2}));
    /// assert_eq!(gold.shots_for("A table for two in Lyon", ShotChoice::first(1))[0].text, "A taxi to the airport");
    /// ```
    pub fn shots_for(&self, text: &str, choice: impl Into<ShotChoice>) -> Vec<&GoldDocument> {
        let choice = choice.into();
        let mut left = choice.max_tokens.unwrap_or(u64::MAX);
        let mut chosen = Vec::new();
        let numbers: Vec<usize> = if choice.takes_first {
            self.index().others(text).collect()
        } else {
            self.index().nearest(text).into_iter().map(|(number, _)| number).collect()
        };
        for number in numbers {
            let Some(document) = self.documents().get(number) else { continue };
            let tokens = tokens_of(document);
            if chosen.len() < choice.count && tokens <= left {
                left -= tokens;
                chosen.push(document);
            }
        }
        if choice.nearest_last && !choice.takes_first {
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
    /// Shows the agent checked documents, such as those nearest to the text in question, with their
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
        self.choose_shots_from(source(gold, choice), move |text| {
            let shots = gold.shots_for(text, choice);
            shots.into_iter().map(|shot| (shot.text.clone(), shot.value.clone())).collect()
        })
    }
}

/// Returns what the fingerprint of an extraction has to know of a choice.
fn source(gold: &GoldSet, choice: ShotChoice) -> ShotSource {
    let facts = gold.facts();
    let most = choice.max_tokens.map_or(u64::MAX, |tokens| tokens.saturating_mul(4));
    let chars = facts
        .chars
        .saturating_mul(choice.count.min(gold.len()))
        .min(usize::try_from(most).unwrap_or(usize::MAX));
    ShotSource::new(format!("{:016x} {choice:?}", facts.hash)).chars(chars)
}

#[cfg(test)]
mod tests {
    use super::{GoldDocument, GoldSet, ShotChoice, source};

    #[test]
    fn another_text_value_or_choice_is_another_source() {
        let of = |text: &str, value: u32, choice: ShotChoice| {
            let documents = [GoldDocument::new(text, value), GoldDocument::new("a taxi", 0)];
            source(&GoldSet::from_documents(documents), choice)
        };
        let known = of("a table", 2, ShotChoice::nearest(3));
        assert_eq!(known, of("a table", 2, 3.into()));
        let others = [
            of("a table", 3, 3.into()),
            of("a table", 2, 2.into()),
            of("a table", 2, ShotChoice::nearest(3).nearest_first()),
            of("a table", 2, ShotChoice::first(3)),
            // The same characters in another place.
            of("a table2", 2, 3.into()),
        ];
        assert!(others.iter().all(|other| *other != known));
    }

    #[test]
    fn the_tokens_of_a_choice_are_estimated_within_its_limit() {
        let gold = GoldSet::from_documents((0..9).map(|n| GoldDocument::new(format!("document {n}"), n)));
        let chars = |choice: ShotChoice| source(&gold, choice).chars(0) != source(&gold, choice);
        assert!(chars(3.into()) && chars(ShotChoice::nearest(3).within_tokens(1)));
        let none = ShotChoice::nearest(3).within_tokens(0);
        assert_eq!(source(&gold, none), source(&gold, none).chars(0));
        let all = ShotChoice::first(usize::MAX);
        assert_eq!(source(&gold, all), source(&gold, all).chars(9 * gold.facts().chars));
    }
}
