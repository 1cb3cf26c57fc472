//! Documents and locations in them: chunks to ask about, and quotes that show where a value is
//! from.
//!
//! A model that is asked for a value can also quote the words that support it, but not give their
//! location, because it cannot count. So a location is never taken from a model. A quote is looked
//! up in the [`Document`], and a quote that does not occur there has no location.
//!
//! ```
//! use extract::document::{Document, QuoteError};
//!
//! let document = Document::from_text("History: denies chest pain.\nMedication: aspirin 5 mg daily.");
//!
//! let span = document.find("Aspirin  5 mg").unwrap()[0].span();
//! assert_eq!(&document.text()[span.range()], "aspirin 5 mg");
//! assert_eq!(span.line_column().to_string(), "2:13");
//!
//! // One word differs: it is near, and it is not in the text.
//! assert_eq!(document.find("reports chest pain"), Err(QuoteError::NotInText));
//! let nearest = document.nearest("reports chest pain").unwrap();
//! assert!(document.text()[nearest.span().range()].ends_with("chest pain"));
//! ```
//!
//! Everything here is a plain function of its input; no agent is involved.

mod characters;
mod chunk;
mod grams;
mod grounded;
mod normalisation;
mod quote;
mod source_map;
mod span;
mod text;
mod value;

pub use self::{
    chunk::{Chunk, ChunkError, Chunks},
    grounded::{Grounded, Quote},
    normalisation::{Normalisation, Normalisations},
    quote::{ExpectedQuote, NearestPassage, QuoteError, QuoteLocation, QuoteMatch, QuoteMatches},
    source_map::SourceMap,
    span::{LineColumn, Span},
    text::{Document, DocumentError, DocumentPart, Section},
    value::{LocatedLeaf, LocatedValue, ValuePresence, contains_name, contains_value},
};
pub(crate) use self::{
    quote::LikelyLocations,
    value::{CalendarDay, digit as decimal_digit, is_chinese_numeral},
};
