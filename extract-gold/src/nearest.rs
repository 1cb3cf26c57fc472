//! Finds the documents that are most like a text.

use std::collections::{BTreeMap, HashMap};

use unicode_normalization::UnicodeNormalization as _;

use crate::ratio::float;

/// Number of characters in a gram. Three follow spelling and word order well, and need no word
/// boundaries, which some scripts do not write.
const GRAM: usize = 3;

/// An index of documents by their character trigrams, weighted by how rare each is (tf-idf), and
/// compared by the cosine of the weights.
///
/// Letters are compared without case, and white space counts once; invisible characters, the kinds of
/// quotation marks and dashes, and the form of Unicode do not count. Building takes time in
/// proportion to the texts, a search in proportion to the entries of the trigrams of the text.
///
/// ```
/// use extract_gold::NearestDocuments;
///
/// let index = NearestDocuments::of(["invoice from a hotel", "a letter to Ann", "invoice from a garage"]);
/// let nearest: Vec<_> = index.nearest("the hotel's invoice").into_iter().map(|(number, _)| number).collect();
/// assert_eq!(nearest, [0, 2, 1]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct NearestDocuments {
    texts: Vec<String>,
    /// The documents that have a gram, each with its share of their length.
    entries: HashMap<[char; GRAM], Vec<(usize, f64)>>,
}

impl NearestDocuments {
    /// Indexes these texts. Results name them by their numbers, from 0.
    pub fn of<S: AsRef<str>>(texts: impl IntoIterator<Item = S>) -> Self {
        let texts: Vec<String> = texts.into_iter().map(|text| normal(text.as_ref())).collect();
        let counts: Vec<_> = texts.iter().map(|text| grams(text)).collect();
        let mut documents_with: HashMap<[char; GRAM], usize> = HashMap::new();
        for gram in counts.iter().flat_map(BTreeMap::keys) {
            *documents_with.entry(*gram).or_default() += 1;
        }
        let rarity = |gram| rarity(texts.len(), documents_with[gram]);
        let mut entries: HashMap<_, Vec<_>> = HashMap::new();
        for (number, counts) in counts.iter().enumerate() {
            let length =
                counts.iter().map(|(gram, count)| (count * rarity(gram)).powi(2)).sum::<f64>().sqrt();
            for (gram, count) in counts {
                // The rarity counts once for each of the two texts.
                entries.entry(*gram).or_default().push((number, count * rarity(gram).powi(2) / length));
            }
        }
        Self { texts, entries }
    }

    /// Returns the documents, the most similar first, with a similarity that is only good for
    /// comparing documents with each other. Documents that say the same as `text` are left out.
    pub fn nearest(&self, text: &str) -> Vec<(usize, f64)> {
        let text = normal(text);
        let mut similarity = vec![0.0; self.texts.len()];
        for (gram, count) in grams(&text) {
            for (number, weight) in self.entries.get(&gram).into_iter().flatten() {
                similarity[*number] += count * weight;
            }
        }
        let mut nearest: Vec<_> =
            similarity.into_iter().enumerate().filter(|(number, _)| self.texts[*number] != text).collect();
        nearest.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        nearest
    }

    /// Returns the numbers of the documents that say something else than `text`, in their order.
    pub(crate) fn others(&self, text: &str) -> impl Iterator<Item = usize> {
        let text = normal(text);
        self.texts.iter().enumerate().filter(move |(_, other)| **other != text).map(|(number, _)| number)
    }
}

/// Weight of a gram by the number of documents that have it. Never zero, so that two documents of
/// one kind are still compared.
fn rarity(documents: usize, with_gram: usize) -> f64 {
    (1.0 + float(documents) / float(1 + with_gram)).ln()
}

/// How often each gram occurs, dampened: the second time says less than the first. In a fixed order,
/// so that sums are rounded the same way each time.
fn grams(text: &str) -> BTreeMap<[char; GRAM], f64> {
    // A margin, so that the ends of a text count and a short text has grams at all.
    let chars: Vec<char> = format!(" {text} ").chars().collect();
    let mut counts: BTreeMap<_, f64> = BTreeMap::new();
    for gram in chars.windows(GRAM) {
        if let Ok(gram) = <[char; GRAM]>::try_from(gram) {
            *counts.entry(gram).or_default() += 1.0;
        }
    }
    for count in counts.values_mut() {
        *count = count.ln_1p();
    }
    counts
}

/// The text without the differences that copying, converting or typing it again makes: case, the
/// amount of white space, invisible characters, the kind of quotation marks and dashes, and what
/// Unicode's compatibility composition (NFKC) makes equal.
pub(crate) fn normal(text: &str) -> String {
    let folded: String = text
        .nfkc()
        .filter(|c| !is_invisible(*c))
        .map(|c| match c {
            '\u{2018}'..='\u{201f}' | '\u{2039}' | '\u{203a}' | '\'' | '«' | '»' | '`' | '´' => '"',
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            c => c,
        })
        .flat_map(char::to_lowercase)
        .collect();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Soft hyphens, zero-width characters, direction marks, and byte order marks.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::NearestDocuments;

    fn order(texts: &[&str], text: &str) -> Vec<usize> {
        NearestDocuments::of(texts).nearest(text).into_iter().map(|(number, _)| number).collect()
    }

    #[test]
    fn the_text_itself_is_left_out_however_it_is_spaced_and_encoded() {
        let text = "Zoë’s table — for “two”, 5 ﬁngers";
        for same in [
            "Zoë’s table — for “two”, 5 ﬁngers",
            "  zoë’s\ttable\r\n— for “two”, 5 FINGERS\n",
            "Zoe\u{308}'s table - for \"two\", 5 fingers",
            "\u{feff}Zoë‘s ta\u{ad}ble\u{a0}– for «two», ５ fin\u{200b}gers",
        ] {
            assert_eq!(order(&[same, "a table for three"], text), [1], "{same}");
            assert_eq!(order(&[text, "a table for three"], same), [1], "{same}");
        }
        assert_eq!(order(&["Zoë’s table for two, 6 fingers"], text), [0], "another document");
    }

    #[test]
    fn what_all_documents_have_says_less_than_what_few_have() {
        let texts = ["please book: taxi", "please book: hotel", "please book: table"];
        assert_eq!(order(&texts, "hotel wanted, please book: a room")[0], 1);
    }

    #[test]
    fn a_long_document_is_not_nearer_for_its_length() {
        let long = "many other words about nothing in particular ".repeat(50) + "hotel";
        assert_eq!(order(&[&long, "hotel room"], "hotel room 5")[0], 1);
    }

    #[test]
    fn scripts_without_spaces_have_grams() {
        assert_eq!(order(&["我想预订酒店房间", "明天天气怎么样"], "预订酒店")[0], 0);
    }

    #[test]
    fn an_empty_text_or_set_is_no_panic() {
        assert!(order(&[], "a").is_empty());
        assert_eq!(order(&["", "b"], "").len(), 1);
    }
}
