//! Finds many strings in one pass over the characters of a text: decoded and case-folded, each with
//! its position.

use std::{
    collections::{HashSet, VecDeque},
    hash::{BuildHasherDefault, Hasher},
};

/// Maximum bytes between two characters of a string that is found: the separators of digits, or a
/// wrapped line.
const LARGEST_GAP: usize = 16;

/// Any odd number with many bits.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The strings to find, as rolling hashes (Karp and Rabin). One pass finds all strings, and a
/// string takes eight bytes per character. A hash collision, one in 2^64, redacts too much and
/// never too little.
///
/// A string longer than the window is stored as all its parts of that length, so that a part is
/// found too.
#[derive(Debug, Clone)]
pub(super) struct HashedGrams {
    window: usize,
    /// Indexed by number of characters, up to the window. Empty if there are no strings.
    by_length: Vec<HashSet<u64, BuildHasherDefault<IdentityHasher>>>,
}

/// An occurrence of one of the strings.
pub(super) struct GramHit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) first: char,
    pub(super) last: char,
    pub(super) before: Option<char>,
    pub(super) after: Option<char>,
}

impl HashedGrams {
    pub(super) fn new(window: usize) -> Self {
        Self { window, by_length: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_length.iter().all(HashSet::is_empty)
    }

    pub(super) fn insert(&mut self, string: &[char]) {
        let length = string.len().min(self.window);
        if length == 0 {
            return;
        }
        self.by_length.resize_with(self.window + 1, HashSet::default);
        let power = power(length);
        let mut hash = 0_u64;
        for (index, char) in string.iter().enumerate() {
            hash = pushed(hash, *char);
            if index >= length {
                hash = hash.wrapping_sub(pushed(0, string[index - length]).wrapping_mul(power));
            }
            if index + 1 >= length {
                self.by_length[length].insert(hash);
            }
        }
    }

    /// Calls `hit` for every occurrence in `units`.
    pub(super) fn find(&self, units: impl Iterator<Item = CharacterUnit>, hit: &mut dyn FnMut(GramHit)) {
        let lengths: Vec<_> = (1..self.by_length.len())
            .filter(|length| !self.by_length[*length].is_empty())
            .map(|length| (length, power(length), &self.by_length[length]))
            .collect();
        if lengths.is_empty() {
            return;
        }
        let mut seen = RecentCharacters::new(self.window);
        let mut units = units.peekable();
        while let Some(unit) = units.next() {
            let after = units.peek().map(|next| next.char);
            seen.push(unit);
            for (length, power, known) in &lengths {
                let Some(hash) = seen.hash_of_last(*length, *power) else { break };
                if known.contains(&hash) {
                    hit(seen.hit(*length, unit, after));
                }
            }
        }
    }
}

fn power(length: usize) -> u64 {
    (0..length).fold(1_u64, |power, _| power.wrapping_mul(BASE))
}

fn pushed(hash: u64, char: char) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(u64::from(char) + 1)
}

/// The last characters, in a ring.
struct RecentCharacters {
    /// The hash of everything up to the character, its start, and the character.
    ring: Vec<(u64, usize, char)>,
    count: usize,
    /// The number of characters since the last gap.
    run: usize,
    hash: u64,
    end: usize,
}

impl RecentCharacters {
    fn new(window: usize) -> Self {
        Self { ring: vec![(0, 0, '\0'); window + 1], count: 0, run: 0, hash: 0, end: 0 }
    }

    fn push(&mut self, unit: CharacterUnit) {
        if unit.start.saturating_sub(self.end) > LARGEST_GAP {
            self.run = 0;
        }
        self.end = unit.end;
        self.hash = pushed(self.hash, unit.char);
        let slot = self.count % self.ring.len();
        self.ring[slot] = (self.hash, unit.start, unit.char);
        self.count += 1;
        self.run += 1;
    }

    /// The character `back` positions before the last one.
    fn back(&self, back: usize) -> Option<(u64, usize, char)> {
        let index = self.count.checked_sub(back + 1)?;
        Some(self.ring[index % self.ring.len()])
    }

    /// `None` if there are fewer since the last gap.
    fn hash_of_last(&self, length: usize, power: u64) -> Option<u64> {
        if self.run < length {
            return None;
        }
        let before = self.back(length).map_or(0, |(hash, ..)| hash);
        Some(self.hash.wrapping_sub(before.wrapping_mul(power)))
    }

    fn hit(&self, length: usize, last: CharacterUnit, after: Option<char>) -> GramHit {
        let (_, start, first) = self.back(length - 1).unwrap_or((0, last.start, last.char));
        let before = self.back(length).map(|(_, _, char)| char);
        GramHit { start, end: last.end, first, last: last.char, before, after }
    }
}

/// The keys are hashes already.
#[derive(Debug, Default, Clone)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash.rotate_left(32).wrapping_mul(BASE);
    }
}

/// A character, and the bytes of the text that encode it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CharacterUnit {
    pub(super) char: char,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// How often escapes are decoded: `Debug` of a JSON string escapes twice.
pub(super) const DECODINGS: usize = 2;

/// The characters of `text` after `decodings` rounds of decoding.
pub(super) fn units(text: &str, decodings: usize) -> Box<dyn Iterator<Item = CharacterUnit> + '_> {
    let plain =
        text.char_indices().map(|(start, char)| CharacterUnit { char, start, end: start + char.len_utf8() });
    let plain: Box<dyn Iterator<Item = CharacterUnit>> = Box::new(plain);
    (0..decodings).fold(plain, |units, _| Box::new(DecodedUnits { units, ahead: VecDeque::new() }))
}

/// Returns whether decoding could change `text`.
pub(super) fn has_escapes(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'\\' | b'%' | b'&'))
}

/// Case-folded. Upper case comes first: the upper case of `ß` is `SS`.
pub(super) fn folded(units: impl Iterator<Item = CharacterUnit>) -> impl Iterator<Item = CharacterUnit> {
    units.flat_map(|unit| fold(unit.char).map(move |char| CharacterUnit { char, ..unit }))
}

/// Letters and digits, case-folded; everything else is ignored.
pub(super) fn letters_and_digits(
    units: impl Iterator<Item = CharacterUnit>,
) -> impl Iterator<Item = CharacterUnit> {
    folded(units).filter(|unit| unit.char.is_alphanumeric())
}

fn fold(char: char) -> impl Iterator<Item = char> {
    let (ascii, other) = if char.is_ascii() { (Some(char), None) } else { (None, Some(char)) };
    let other = other.into_iter().flat_map(|char| char.to_uppercase().flat_map(char::to_lowercase));
    ascii.map(|char| char.to_ascii_lowercase()).into_iter().chain(other)
}

/// Common named entities of HTML.
const NAMED: [(&str, char); 5] = [("amp;", '&'), ("lt;", '<'), ("gt;", '>'), ("quot;", '"'), ("apos;", '\'')];

/// Decodes the escapes of Rust, JSON, URLs and HTML.
struct DecodedUnits<I> {
    units: I,
    ahead: VecDeque<CharacterUnit>,
}

impl<I: Iterator<Item = CharacterUnit>> Iterator for DecodedUnits<I> {
    type Item = CharacterUnit;

    fn next(&mut self) -> Option<CharacterUnit> {
        let first = self.peek(0)?;
        let found = match first.char {
            '\\' => self.backslash(),
            '%' => self.bytes(1),
            '&' => self.entity(),
            _ => None,
        };
        let (char, taken) = found.unwrap_or((first.char, 1));
        let last = self.ahead.drain(..taken).next_back().unwrap_or(first);
        Some(CharacterUnit { char, start: first.start, end: last.end })
    }
}

impl<I: Iterator<Item = CharacterUnit>> DecodedUnits<I> {
    fn peek(&mut self, at: usize) -> Option<CharacterUnit> {
        while self.ahead.len() <= at {
            self.ahead.push_back(self.units.next()?);
        }
        self.ahead.get(at).copied()
    }

    fn char(&mut self, at: usize) -> Option<char> {
        Some(self.peek(at)?.char)
    }

    /// The value of `digits` digits from `at`.
    fn number(&mut self, at: usize, digits: usize, radix: u32) -> Option<u32> {
        (at..at + digits).try_fold(0, |number, at| Some(number * radix + self.char(at)?.to_digit(radix)?))
    }

    /// The number of digits from `at` to before `end`, at most `most`.
    fn digits_before(&mut self, end: char, at: usize, most: usize, radix: u32) -> Option<usize> {
        let mut digits = 0;
        while digits < most && self.char(at + digits)?.is_digit(radix) {
            digits += 1;
        }
        (digits > 0 && self.char(at + digits)? == end).then_some(digits)
    }

    /// The character of an escape, and the number of characters it takes. The backslash is at 0.
    fn backslash(&mut self) -> Option<(char, usize)> {
        let simple = match self.char(1)? {
            'u' => return self.unicode(),
            'x' => return self.bytes(2),
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '0' => '\0',
            'b' => '\u{8}',
            'f' => '\u{c}',
            char if char.is_ascii_punctuation() => char,
            _ => return None,
        };
        Some((simple, 2))
    }

    /// `\u{e9}`, `\u00e9`, `\ud83d\ude00`
    fn unicode(&mut self) -> Option<(char, usize)> {
        if self.char(2)? == '{' {
            let digits = self.digits_before('}', 3, 6, 16)?;
            return Some((char::from_u32(self.number(3, digits, 16)?)?, digits + 4));
        }
        let first = self.number(2, 4, 16)?;
        if let Some(char) = char::from_u32(first) {
            return Some((char, 6));
        }
        let is_escape = self.char(6)? == '\\' && self.char(7)? == 'u';
        let second = self.number(8, 4, 16).filter(|_| is_escape)?;
        let units = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
        Some((char::decode_utf16(units).next()?.ok()?, 12))
    }

    /// A character as UTF-8 in bytes that are written with `prefix` characters before two digits:
    /// `%c3%a9`, `\xc3\xa9`.
    fn bytes(&mut self, prefix: usize) -> Option<(char, usize)> {
        let size = prefix + 2;
        let first = u8::try_from(self.number(prefix, 2, 16)?).ok()?;
        let count = match first {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            _ => 1,
        };
        let mut bytes = vec![first];
        for index in 1..count {
            let is_same = (0..prefix).all(|at| {
                let same = self.char(index * size + at);
                same.is_some() && same == self.char(at)
            });
            let byte = self.number(index * size + prefix, 2, 16).filter(|_| is_same);
            bytes.extend(byte.and_then(|byte| u8::try_from(byte).ok()));
        }
        let whole = std::str::from_utf8(&bytes).ok().and_then(|text| text.chars().next());
        Some(whole.map_or((char::from(first), size), |char| (char, count * size)))
    }

    /// `&amp;`, `&#38;`, `&#x26;`
    fn entity(&mut self) -> Option<(char, usize)> {
        if self.char(1)? == '#' {
            let (at, radix) = if matches!(self.char(2)?, 'x' | 'X') { (3, 16) } else { (2, 10) };
            let digits = self.digits_before(';', at, 7, radix)?;
            return Some((char::from_u32(self.number(at, digits, radix)?)?, at + digits + 1));
        }
        NAMED.into_iter().find_map(|(name, char)| {
            let is_it = name.chars().enumerate().all(|(at, char)| self.char(at + 1) == Some(char));
            is_it.then_some((char, name.len() + 1))
        })
    }
}
