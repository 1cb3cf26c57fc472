//! Decides whether a name occurs in a quote.

use crate::document::{fold::FoldedText, value::presence::ValuePresence};

/// Returns whether `name` occurs in `quote`. It is one of the possible `names`: the variants of an
/// enum, named as in JSON.
///
/// Yes, if its words occur there, however they are joined: `past_due` is `Past due`. No, if another
/// name does, and no word in the quote negates. Otherwise it is undecided: a model may read `oral`
/// in `by mouth`.
///
/// ```
/// use extract::document::{ValuePresence, contains_name};
///
/// let names = ["past_due", "paid", "unpaid"];
/// assert_eq!(contains_name("The invoice is past due.", "past_due", &names), ValuePresence::Yes);
/// assert_eq!(contains_name("It was paid in May.", "past_due", &names), ValuePresence::No);
/// assert_eq!(contains_name("We still wait for it.", "past_due", &names), ValuePresence::Undecided);
/// assert_eq!(contains_name("It was not paid.", "unpaid", &names), ValuePresence::Undecided);
/// ```
pub fn contains_name<N: AsRef<str>>(quote: &str, name: &str, names: &[N]) -> ValuePresence {
    const NEGATIONS: [&str; 20] = [
        "not", "no", "never", "without", "nor", "neither", "non", "nicht", "kein", "keine", "nie", "ohne",
        "pas", "sans", "sin", "nunca", "niet", "geen", "t", "nem",
    ];
    let quoted = words(quote);
    let own = words(name);
    if stand_in(&own, &quoted) {
        return ValuePresence::Yes;
    }
    let (own, is_negated) = (own.concat(), quoted.iter().any(|word| NEGATIONS.contains(&word.as_str())));
    let is_told = |other: &str| {
        let words = words(other);
        let joined = words.concat();
        // `paid` in a quote does not rule out `unpaid`.
        !joined.contains(&own) && !own.contains(&joined) && stand_in(&words, &quoted)
    };
    if !is_negated && names.iter().any(|other| is_told(other.as_ref())) {
        ValuePresence::No
    } else {
        ValuePresence::Undecided
    }
}

/// Returns whether the words of `name` occur in `quote` in sequence.
pub(super) fn has_words(quote: &str, name: &str) -> bool {
    stand_in(&words(name), &words(quote))
}

fn stand_in(name: &[String], quote: &[String]) -> bool {
    !name.is_empty() && quote.windows(name.len()).any(|words| words == name)
}

/// The normalised words of `text`, splitting `snake_case` and `camelCase`.
fn words(text: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        if before.is_lowercase() && c.is_uppercase() {
            spaced.push(' ');
        }
        spaced.push(if c == '_' || c == '-' { ' ' } else { c });
        before = c;
    }
    let folded = FoldedText::new(&spaced);
    let words = folded.text().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}
