//! An index of a text by its runs of four bytes, which lets a search visit few positions.

use std::ops::ControlFlow;

/// Bytes of one index entry.
const GRAM: usize = 4;

/// How many runs of a long search string are examined to find the rarest.
const LOOKED_AT: usize = 256;

/// Where each run of four bytes of a text starts, by its hash.
#[derive(Debug)]
pub(super) struct ByteGrams {
    /// For each hash, the end of its positions, which start where the positions of the previous
    /// hash end.
    ends: Vec<u32>,
    places: Vec<u32>,
    bits: u32,
}

impl ByteGrams {
    /// Indexes `text`, in linear time. A text of 4 GiB or more has no index, and its searches take
    /// linear time.
    pub(super) fn new(text: &str) -> Self {
        let bits = text.len().max(1).ilog2().clamp(8, 18);
        let count = match u32::try_from(text.len()) {
            Ok(_) => text.len().saturating_sub(GRAM - 1),
            Err(_) => 0,
        };
        let mut grams = Self { ends: vec![0; 1 << bits], places: vec![0; count], bits };
        for gram in text.as_bytes().windows(GRAM).take(count) {
            let hash = grams.hash(gram);
            grams.ends[hash] += 1;
        }
        let mut sum = 0;
        for end in &mut grams.ends {
            // The starts for now. Each position that is added advances one, until it is the end.
            sum += std::mem::replace(end, sum);
        }
        for (place, gram) in (0..).zip(text.as_bytes().windows(GRAM).take(count)) {
            let hash = grams.hash(gram);
            grams.places[grams.ends[hash] as usize] = place;
            grams.ends[hash] += 1;
        }
        grams
    }

    fn hash(&self, gram: &[u8]) -> usize {
        let number = gram.iter().fold(0_u32, |number, byte| (number << 8) | u32::from(*byte));
        (number.wrapping_mul(0x9e37_79b1) >> (32 - self.bits)) as usize
    }

    /// Returns the positions of all runs with the hash of `gram`, in order.
    fn bucket(&self, gram: &[u8]) -> &[u32] {
        let hash = self.hash(gram);
        let start = hash.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.places[start as usize..self.ends[hash] as usize]
    }

    /// Calls `found` with each position of `needle` in `text`, the indexed text, in order and
    /// including overlaps. Linear in both at worst.
    pub(super) fn find<B>(
        &self,
        text: &str,
        needle: &str,
        mut found: impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (text, needle) = (text.as_bytes(), needle.as_bytes());
        if needle.is_empty() || needle.len() > text.len() {
            return ControlFlow::Continue(());
        }
        let grams = needle.windows(GRAM).take(LOOKED_AT).enumerate();
        let rarest = grams.map(|(at, gram)| (at, self.bucket(gram))).min_by_key(|(_, bucket)| bucket.len());
        match rarest {
            Some((at, bucket))
                if bucket.len().saturating_mul(needle.len()) <= text.len().max(4096)
                    && !self.places.is_empty() =>
            {
                for place in bucket {
                    let Some(start) = (*place as usize).checked_sub(at) else { continue };
                    if text[start..].starts_with(needle) {
                        found(start)?;
                    }
                }
                ControlFlow::Continue(())
            }
            _ => scan(text, needle, found),
        }
    }
}

/// The Knuth-Morris-Pratt search, which is linear for any input.
fn scan<B>(text: &[u8], needle: &[u8], mut found: impl FnMut(usize) -> ControlFlow<B>) -> ControlFlow<B> {
    // For each prefix, the longest proper prefix that it also ends with.
    let mut borders = vec![0; needle.len()];
    let mut matched = 0;
    for at in 1..needle.len() {
        matched = step(needle, &borders, matched, needle[at]);
        borders[at] = matched;
    }
    matched = 0;
    for (at, byte) in text.iter().enumerate() {
        matched = step(needle, &borders, matched, *byte);
        if matched == needle.len() {
            found(at + 1 - matched)?;
            matched = borders[matched - 1];
        }
    }
    ControlFlow::Continue(())
}

/// How much of `needle` matches after one more byte.
fn step(needle: &[u8], borders: &[usize], mut matched: usize, byte: u8) -> usize {
    while matched > 0 && needle[matched] != byte {
        matched = borders[matched - 1];
    }
    matched + usize::from(needle[matched] == byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, needle: &str) -> Vec<usize> {
        let mut places = Vec::new();
        let _ = ByteGrams::new(text).find::<()>(text, needle, |place| {
            places.push(place);
            ControlFlow::Continue(())
        });
        places
    }

    #[test]
    fn finds_what_looking_everywhere_finds() {
        let texts = ["", "a", "abababababab", "the cat, the hat, the 日本語の本", &"aab".repeat(3000)];
        for text in texts {
            for needle in
                ["a", "ab", "the", "the ", "abab", "abababab", "日本", "本", "aabaabaab", "x", "hat, the 日"]
            {
                let expected: Vec<_> = (0..text.len())
                    .filter(|at| text.as_bytes()[*at..].starts_with(needle.as_bytes()))
                    .collect();
                assert_eq!(all(text, needle), expected, "{needle:?} in {} bytes", text.len());
            }
        }
    }

    #[test]
    fn a_search_that_is_ended_calls_no_more() {
        let mut calls = 0;
        let text = "abcdabcdabcd";
        let end = ByteGrams::new(text).find(text, "abcd", |_| {
            calls += 1;
            ControlFlow::Break(())
        });
        assert_eq!((end, calls), (ControlFlow::Break(()), 1));
    }
}
