//! Decides whether a name occurs in a quote.

use crate::document::{fold::Folded, value::standing::Standing};

/// Returns whether `name` occurs in `quote`. It is one of the possible `names`: the variants of an
/// enum, named as in JSON.
///
/// Yes, if its words occur there, however they are joined: `past_due` is `Past due`. No, if another
/// name does, and no word in the quote negates. Otherwise it is undecided: a model may read `oral`
/// in `by mouth`.
///
/// ```
/// use extract::document::{Standing, name_stands_in};
///
/// let names = ["past_due", "paid", "unpaid"];
/// assert_eq!(name_stands_in("The invoice is past due.", "past_due", &names), Standing::Yes);
/// assert_eq!(name_stands_in("It was paid in May.", "past_due", &names), Standing::No);
/// assert_eq!(name_stands_in("We still wait for it.", "past_due", &names), Standing::Undecided);
/// assert_eq!(name_stands_in("It was not paid.", "unpaid", &names), Standing::Undecided);
/// ```
pub fn name_stands_in<N: AsRef<str>>(quote: &str, name: &str, names: &[N]) -> Standing {
    const NEGATIONS: [&str; 20] = [
        "not", "no", "never", "without", "nor", "neither", "non", "nicht", "kein", "keine", "nie", "ohne",
        "pas", "sans", "sin", "nunca", "niet", "geen", "t", "nem",
    ];
    let quoted = words(quote);
    let own = words(name);
    if stand_in(&own, &quoted) {
        return Standing::Yes;
    }
    let (own, is_negated) = (own.concat(), quoted.iter().any(|word| NEGATIONS.contains(&word.as_str())));
    let is_told = |other: &str| {
        let words = words(other);
        let joined = words.concat();
        // `paid` in a quote does not rule out `unpaid`.
        !joined.contains(&own) && !own.contains(&joined) && stand_in(&words, &quoted)
    };
    if !is_negated && names.iter().any(|other| is_told(other.as_ref())) {
        Standing::No
    } else {
        Standing::Undecided
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
    let folded = Folded::new(&spaced);
    let words = folded.text().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}
