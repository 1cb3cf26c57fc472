//! The text of an outline about one value.

use crate::schema::notation::type_text::sentence;

/// The text about one value.
#[derive(Debug, Default)]
pub(super) struct OutlinePart {
    /// Its only allowed value.
    pub(super) value: String,
    /// Description and constraints.
    pub(super) words: Vec<String>,
    pub(super) inside: OutlineInside,
}

/// The text about the parts of a value.
#[derive(Debug, Default)]
pub(super) enum OutlineInside {
    #[default]
    Nothing,
    /// The keys of an object, each with its description.
    Keys(Vec<String>),
    Other(String),
}

impl OutlinePart {
    pub(super) fn is_empty(&self) -> bool {
        self.value.is_empty() && self.words.is_empty() && matches!(self.inside, OutlineInside::Nothing)
    }

    /// The text for a value whose definition is described at `place`.
    pub(super) fn like(place: &str) -> Self {
        Self { inside: OutlineInside::Other(format!("like {place}")), ..Self::default() }
    }

    /// Combines two texts about the same value.
    pub(super) fn and(mut self, other: Self) -> Self {
        if self.value.is_empty() {
            self.value = other.value;
        }
        for words in other.words {
            if !self.words.contains(&words) {
                self.words.push(words);
            }
        }
        self.inside = self.inside.and(other.inside);
        self
    }

    /// Combines alternatives. Values without a text are dropped: listing them is not the outline's
    /// purpose.
    pub(super) fn any_of(mut parts: Vec<Self>) -> Self {
        let says = |part: &Self| !part.words.is_empty() || !matches!(part.inside, OutlineInside::Nothing);
        parts.retain(says);
        if parts.len() < 2 {
            return parts.pop().unwrap_or_default();
        }
        let texts: Vec<_> = parts.into_iter().map(Self::text).collect();
        Self { inside: OutlineInside::Other(texts.join(" or ")), ..Self::default() }
    }

    /// Returns `key` followed by the text, as in `key "value" (words) {inside}`.
    pub(super) fn behind(self, key: &str) -> String {
        let text = self.text();
        if text.is_empty() { key.to_owned() } else { format!("{key} {text}") }
    }

    pub(super) fn text(self) -> String {
        let words: Vec<_> = self.words.iter().map(String::as_str).collect();
        let words = if words.is_empty() {
            String::new()
        } else {
            format!("({})", sentence(&words).trim_end_matches('.'))
        };
        let parts = [self.value, words, self.inside.text()];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// The sentences about the whole answer. `has_all_keys` says whether all of its keys are
    /// listed, or only those with a text.
    pub(super) fn sentences(self, has_all_keys: bool) -> Vec<String> {
        let words: Vec<_> = self.words.iter().map(String::as_str).collect();
        let mut sentences = Vec::new();
        if !words.is_empty() {
            sentences.push(format!("The answer: {}.", sentence(&words).trim_end_matches('.')));
        }
        match self.inside {
            OutlineInside::Nothing => {}
            // On separate lines, because the 0.5B model then got as many fields right or more
            // (`docs/decisions.md`).
            OutlineInside::Keys(keys) => {
                let head =
                    if has_all_keys { "The object has these keys:" } else { "Also required of these keys:" };
                sentences.push(format!("{head}\n{}", keys.join("\n")));
            }
            OutlineInside::Other(text) => sentences.push(format!("The answer has the form {text}.")),
        }
        sentences
    }
}

impl OutlineInside {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, one) | (one, Self::Nothing) => one,
            (Self::Keys(keys), Self::Keys(more)) => Self::Keys([keys, more].concat()),
            (one, other) => Self::Other(format!("{} with {}", one.text(), other.text())),
        }
    }

    fn text(self) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::Keys(keys) => format!("{{{}}}", keys.join(", ")),
            Self::Other(text) => text,
        }
    }
}
