//! The differences that are allowed between a quote and the text.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A difference that is ignored when a quote is compared with the text. No other difference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Normalisation {
    /// The amount and kind of whitespace. A line break between two Chinese or Japanese characters
    /// does not count as a space.
    WhiteSpace,
    /// The kind of quotation marks: `"`, `'`, `“`, `«`, `「` and the like. After a digit, single and
    /// double ones differ: `5'` is five feet, and `5"` five inches.
    QuotationMarks,
    /// The kind of dash: `-`, `–`, `—`, `−`, and `--` for one of them, except between digits.
    Dashes,
    /// Letters that are printed as one character: `ﬁ`.
    Ligatures,
    /// Invisible characters: soft hyphens, zero-width spaces, direction marks.
    Invisible,
    /// A hyphen at the end of a line, within a word: `exam-⏎ple` is `example`, and `well-⏎known` is
    /// `well-known`.
    Hyphenation,
    /// Characters that Unicode's compatibility composition (NFKC) makes equal, such as `é` in one
    /// or two characters, or the `Ａ` of East Asian fonts. A superscript digit next to another digit
    /// stays different: `10²` is not `102`.
    Unicode,
    /// Upper and lower case.
    Case,
}

impl Normalisation {
    /// All normalisations, in the order of their declaration.
    pub const ALL: [Self; 8] = [
        Self::WhiteSpace,
        Self::QuotationMarks,
        Self::Dashes,
        Self::Ligatures,
        Self::Invisible,
        Self::Hyphenation,
        Self::Unicode,
        Self::Case,
    ];
}

impl fmt::Display for Normalisation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WhiteSpace => "white space",
            Self::QuotationMarks => "quotation marks",
            Self::Dashes => "dashes",
            Self::Ligatures => "ligatures",
            Self::Invisible => "invisible characters",
            Self::Hyphenation => "hyphenation",
            Self::Unicode => "Unicode composition",
            Self::Case => "case",
        })
    }
}

/// A set of normalisations. Prints as `white space, case`, or as `nothing` if it is empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<Normalisation>", into = "Vec<Normalisation>")]
pub struct Normalisations(u8);

impl Normalisations {
    /// All normalisations.
    pub(super) const ALL: Self = Self(u8::MAX);

    /// Returns whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the set contains `one`.
    pub fn contains(self, one: Normalisation) -> bool {
        self.0 & bit(one) != 0
    }

    /// Returns the normalisations in the set, in the order of their declaration.
    pub fn iter(self) -> impl Iterator<Item = Normalisation> {
        Normalisation::ALL.into_iter().filter(move |one| self.contains(*one))
    }

    /// The set without `one`.
    pub(super) fn without(self, one: Normalisation) -> Self {
        Self(self.0 & !bit(one))
    }
}

fn bit(one: Normalisation) -> u8 {
    1 << one as u8
}

impl FromIterator<Normalisation> for Normalisations {
    fn from_iter<I: IntoIterator<Item = Normalisation>>(all: I) -> Self {
        Self(all.into_iter().fold(0, |bits, one| bits | bit(one)))
    }
}

impl From<Vec<Normalisation>> for Normalisations {
    fn from(all: Vec<Normalisation>) -> Self {
        all.into_iter().collect()
    }
}

impl From<Normalisations> for Vec<Normalisation> {
    fn from(all: Normalisations) -> Self {
        all.iter().collect()
    }
}

impl fmt::Display for Normalisations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("nothing");
        }
        for (index, one) in self.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{one}")?;
        }
        Ok(())
    }
}
