//! What the prose around a value says of it as a whole or of one part: that a flag is otherwise, that it is rated
//! otherwise, that a part is denied, or that another one is offered.

use std::cell::LazyCell;

use super::{Account, OR, parts};
use crate::{
    document::decimal_digit,
    reading::{
        node::{Data, Entry, Node},
        prose::{
            Denials, MAX_NAME, SMALL, Words, YEARS, ends_sentence, first_bytes, is_other_unit, is_scalar,
            offered_numbers, verdict_on, verdicts, words,
        },
        shape::ROOT,
        spelling,
    },
};

/// Most words of a label with a mark, and lines that are compared.
const MAX_MARKED: usize = 4;
const MAX_LINES: usize = 64;

/// Most members that a word is compared with.
const MAX_FLAGS: usize = 64;

/// Most units and numbers that are compared.
const MAX_UNITS: usize = 64;

/// Most words of a remark that may say a number otherwise.
const MAX_REMARK: usize = 8;

/// Most words of a sentence that are compared with a rating.
const MAX_SAID: usize = 32;

/// Names of what an answer comes to.
static VERDICTS: Words = Words::of(
    "assessment category class classification conclusion decision evaluation grade judgement judgment label mark points
     prediction rating result score verdict",
);

/// Words before a part that is taken out of the value.
static REMOVING: Words = Words::of("delete drop omit remove scratch strike");

/// Words right before what is denied.
static DENYING: Words = Words::of("anstatt inte nicht nie niet non not não pas statt не όχι");

impl Account<'_, '_> {
    /// Returns whether `value` is a score, `6 of 10`, and the only number of the chosen object is another one.
    pub(super) fn is_other_score(&self, value: &str) -> bool {
        points(value).is_some_and(|points| self.is_other_number(points))
    }

    /// The member with the verdict, if `name` is another word for one: of `{"score": 5}` the 5 for a `rating`. A text
    /// is one if it is one of a few allowed ones.
    pub(super) fn verdict(&self, name: &str) -> Option<(&str, &Node<'_>)> {
        let entry = if VERDICTS.have(name) { self.only_verdict() } else { None };
        entry.map(|entry| (&*entry.key, &entry.value))
    }

    fn only_verdict(&self) -> Option<&Entry<'_>> {
        let is_verdict =
            |entry: &&Entry<'_>| words(&entry.key).last().is_some_and(|word| VERDICTS.have(word));
        let only = || {
            let mut verdicts = self.node.entries().iter().filter(is_verdict);
            let entry = verdicts.next().filter(|_| verdicts.next().is_none())?;
            let shape = self.shapes.get(ROOT).property(&entry.key);
            let has_options = || shape.is_some_and(|shape| self.shapes.options(shape).is_some());
            let is_meant =
                entry.value.data.number().is_some() || entry.value.text().is_some() && has_options();
            is_meant.then_some(entry)
        };
        *self.verdict.get_or_init(only)
    }

    /// Returns whether a sentence of `text` rates what the only number of the chosen object rates, and otherwise: `I
    /// would give this a 2.`
    pub(super) fn is_rated_otherwise(&self, text: &str) -> bool {
        static RATES: Words = Words::of("give gave grade rate rated score scored");
        let rates = |sentence: &str| {
            let said: Vec<&str> = words(sentence).take(MAX_SAID).collect();
            let first = said.iter().position(|word| matches!(*word, "I" | "We" | "we"));
            let is_first = first.is_some_and(|at| said[at + 1..].iter().take(2).any(|word| RATES.have(word)));
            is_first || said.iter().any(|word| matches!(*word, "deserves" | "merits"))
        };
        let has_other = |sentence: &str| {
            let number = sentence.find(|c: char| c.is_ascii_digit());
            number.is_some_and(|at| self.is_other_number(&sentence[at..]))
        };
        self.only_verdict().is_some()
            && text.split(ends_sentence).any(|sentence| rates(sentence) && has_other(sentence))
    }

    /// Returns whether the chosen object has only one number, and `text` starts with another one.
    fn is_other_number(&self, text: &str) -> bool {
        let only = || {
            let values = self.node.entries().iter().map(|entry| &entry.value);
            let mut numbers = values.filter(|node| node.data.number().is_some());
            numbers.next().filter(|_| numbers.next().is_none())
        };
        self.only_number.get_or_init(only).is_some_and(|number| !self.is_written(number, text))
    }

    /// Returns whether `text` is a verdict in double brackets, `[[2]]`, and the only number of the chosen object is
    /// another one.
    pub(super) fn is_other_verdict(&self, text: &str) -> bool {
        let inside = text.strip_prefix("[[").and_then(|text| text.strip_suffix("]]"));
        inside.is_some_and(|inside| {
            inside.starts_with(|c: char| c.is_ascii_digit())
                && is_scalar(inside)
                && self.is_other_number(inside)
        })
    }

    /// Returns whether `text` denies what a member says is true: `it is not valid` beside
    /// `{"is_valid": true}`. Or the reverse, in a short sentence of its own: `The goal is valid.`
    pub(super) fn is_denied_flag(&self, text: &str) -> bool {
        let mut flags = self.node.entries().iter().filter(|entry| matches!(entry.value.data, Data::Bool(_)));
        let text = LazyCell::new(|| text.to_lowercase());
        let (denials, verdicts) = (LazyCell::new(|| Denials::of(&text)), LazyCell::new(|| verdicts(&text)));
        flags.any(|entry| {
            let name = flag_name(&entry.key);
            let is_true = matches!(entry.value.data, Data::Bool(true));
            let word = flag_word(&entry.key);
            let is_other = |said: &Vec<&str>| verdict_on(said, &word).is_some_and(|said| said != is_true);
            name.len() > 1 && (verdicts.iter().any(is_other) || is_true && denials.have(&name))
        })
    }

    /// Returns whether the chosen object says that what `word` says is false: `{"is_valid": false}` for `valid`.
    pub(super) fn denies_flag(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        let mut flags = self.node.entries().iter().take(MAX_FLAGS);
        flags.any(|entry| matches!(entry.value.data, Data::Bool(false)) && flag_word(&entry.key) == word)
    }

    /// Returns whether `text` is only a yes or a no, and the only flag of the chosen object says the opposite.
    pub(super) fn is_other_flag(&self, text: &str) -> bool {
        let said = text.trim_matches(|c: char| !c.is_alphanumeric());
        let said = match said.len() {
            2 | 4 if said.eq_ignore_ascii_case("no") || said.eq_ignore_ascii_case("nope") => false,
            3 if said.eq_ignore_ascii_case("yes") => true,
            _ => return false,
        };
        let mut flags = self.node.entries().iter().filter_map(|entry| match entry.value.data {
            Data::Bool(flag) => Some(flag),
            _ => None,
        });
        flags.next().is_some_and(|flag| flag != said) && flags.next().is_none()
    }

    /// Returns whether a line of `text` gives the value a bad mark, or names a member as missing or uncertain:
    /// `Self-check: FAIL`, `Correct? No.`, `Missing: days`.
    pub(super) fn is_judged_badly(&self, text: &str) -> bool {
        static JUDGED: Words = Words::of(
            "accuracy accurate check confirmed correct correctness final response review right state status
             truthfulness valid validation validity verdict verified",
        );
        static OF_VALUE: Words =
            Words::of("above answer fact is it json my output overall result schema self the this");
        static BAD: Words = Words::of(
            "bad draft fail failed false incorrect invalid no not obsolete pending rejected unverified wrong",
        );
        static LACKING: Words =
            Words::of("assumed confidence guessed missing uncertain unclear unknown unsure");
        let is_bad = |line: &str| {
            let Some((label, said)) = line.split_once([':', '=', '?', '：']) else { return false };
            let label = label.trim_matches(|c: char| !c.is_alphanumeric());
            let Some(last) = words(label).last().filter(|_| words(label).nth(MAX_MARKED).is_none()) else {
                return false;
            };
            let first = words(said).next().unwrap_or_default();
            let is_key = self.root_key(label).is_some() || self.root_key(last).is_some();
            let is_zero = || said.trim().trim_end_matches('.') == "0";
            // What the value says itself is no verdict on it.
            let is_verdict = (BAD.have(first) || is_zero())
                && !self.value.contains(first)
                && !self.value.contains("false");
            let names_member = || {
                words(label).any(|word| LACKING.have(word))
                    && parts(said)
                        .take(MAX_MARKED)
                        .any(|part| self.root_key(part).is_some_and(|key| self.member(key).is_some()))
            };
            // `Payment status: pending` is about something else.
            let is_judged =
                JUDGED.have(last) && words(label).all(|word| JUDGED.have(word) || OF_VALUE.have(word));
            !is_key && (is_judged && is_verdict || names_member())
        };
        text.lines().take(MAX_LINES).any(|line| is_bad(first_bytes(line, MAX_NAME)))
    }

    /// Returns whether `text` is a remark of a few words with another number for a member than it has, more elements
    /// of a list, or a bound for a number: `A four-day stay.`, `day count: 4`, `7 items`, `3+ days`, `less than 3 days`.
    pub(super) fn is_said_otherwise(&self, text: &str) -> bool {
        let is_short = text
            .split(|c: char| !c.is_alphanumeric() && c != '.')
            .filter(|word| !word.is_empty())
            .nth(MAX_REMARK)
            .is_none();
        let mut clauses = text.split(['|', '\n', ';']).flat_map(|part| part.split(", "));
        is_short && clauses.any(|clause| self.measures_otherwise(clause))
    }

    /// The same for a part of it.
    fn measures_otherwise(&self, clause: &str) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | ':' | '=');
        let parts = clause.split(|c| !is_part(c)).flat_map(|word| word.split_inclusive([':', '=']));
        let said: Vec<&str> = parts.filter(|word| !word.trim_matches('.').is_empty()).collect();
        said.iter().enumerate().any(|(at, word)| {
            let Some(node) = self.measured(word.trim_end_matches(['.', ':', '='])) else { return false };
            let number_at = |at: usize| said.get(at).and_then(|word| number_of(word));
            let before = at.checked_sub(1).and_then(number_at);
            if node.is_list() {
                let count = before.and_then(|number| number.parse::<usize>().ok());
                return count.is_some_and(|count| count > node.items().len());
            }
            let is_other = |number: &String| !self.is_written(node, number);
            let is_sign = |word: &str| word.ends_with([':', '=']);
            let links = |word: &&str| is_sign(word) || LINKING.have(word);
            let after = match said.get(at + 1) {
                _ if is_sign(word) => number_at(at + 1),
                Some(next) if links(next) => number_at(at + 2),
                _ => None,
            };
            before.is_some() && is_bounded(clause, &said) || before.iter().chain(&after).any(is_other)
        })
    }

    /// The number or the list of the chosen object that prose calls `name`, also in the singular.
    fn measured(&self, name: &str) -> Option<&Node<'_>> {
        let is_meant = |node: &&Node<'_>| node.is_list() || node.data.number().is_some();
        let member = |name: &str| self.root_key(name).and_then(|key| self.member(key)).filter(is_meant);
        if name.len() > MAX_NAME { None } else { member(name).or_else(|| member(&format!("{name}s"))) }
    }

    /// Returns whether a sentence of `text` says that a part of the value was replaced: `Changed days from 3 to 4.`,
    /// `Was 3, now 4.`
    pub(super) fn is_superseded(&self, text: &str) -> bool {
        static CHANGING: Words =
            Words::of("changed corrected fixed increased lowered raised reduced revised updated");
        text.split(ends_sentence).any(|sentence| {
            let said: Vec<&str> = parts(sentence).take(MAX_SAID).collect();
            let is_other = |old: &str, new: &str| self.has_part(old) && !self.has_part(new);
            let changes = said.iter().any(|word| CHANGING.have(word));
            said.windows(4).any(|four| match four {
                ["from" | "From", old, "to", new] => changes && is_other(old, new),
                ["was" | "Was", old, "now", new] => is_other(old, new),
                _ => false,
            })
        })
    }

    /// Returns whether `text` says that a number of the chosen object is counted in another unit than its key says:
    /// `Height is given in inches.` beside `height_cm`.
    pub(super) fn is_in_other_unit(&self, text: &str) -> bool {
        let mut numbers = self.node.entries().iter().filter(|entry| entry.value.data.number().is_some());
        let sentences =
            text.split(ends_sentence).take(MAX_LINES).map(|sentence| first_bytes(sentence, MAX_NAME));
        let said: Vec<&str> = sentences.flat_map(words).collect();
        let units: Vec<&str> =
            said.windows(2).filter(|two| two[0] == "in").map(|two| two[1]).take(MAX_UNITS).collect();
        let is_other = |entry: &Entry<'_>| units.iter().any(|unit| is_other_unit(unit, &entry.key));
        !units.is_empty() && numbers.by_ref().take(MAX_UNITS).any(is_other)
    }

    /// Returns whether `text` denies a value: a number, or another word with a digit, that is in it, or a text
    /// that is a whole one: `276.51, not 267.51`, `Bradford rather than Leeds`.
    pub(super) fn is_denied_part(&self, text: &str) -> bool {
        denied_words(text).any(|denied| {
            let word = denied.trim_matches(|c: char| !c.is_alphanumeric());
            let has_digit = word.contains(|c: char| c.is_ascii_digit());
            // `not in the text` does not deny the unit `in`.
            let is_word = || word.len() > 2 || word.len() == 2 && denied.ends_with(['.', '!', ',', ';']);
            let is_whole = || is_word() && self.has_text(word);
            if has_digit { self.has_part(&word.replace(',', ".")) } else { is_whole() }
        })
    }

    /// Returns whether `text` offers a number that is not in the value, instead of one that is: `3, or maybe 4`.
    pub(super) fn has_other_number(&self, text: &str) -> bool {
        let is_instead = |first: &str| parts(first).any(|part| self.has_part(part));
        self.has_number()
            && offered_numbers(text).any(|one| !self.has_part(one.number) && one.first.is_none_or(is_instead))
    }

    /// Returns whether `text` offers a name instead of one that is a text of the value: `Leeds or Bradford`, `No, Bradford.`
    pub(super) fn has_other_text(&self, text: &str) -> bool {
        let is_mark = |c: char| !c.is_alphanumeric();
        let is_other = |word: &str| word.starts_with(char::is_uppercase) && !self.has_text(word);
        let said: Vec<&str> = text.split_whitespace().collect();
        said.windows(3).any(|three| {
            let [one, or, other] = [three[0], three[1], three[2]].map(|word| word.trim_matches(is_mark));
            let is_pair = |one: &str, other| self.has_text(one) && is_other(other);
            OR.have(or) && (is_pair(one, other) || is_pair(other, one))
        }) || text.split(ends_sentence).any(|sentence| {
            let no = sentence.trim_start().strip_prefix("No, ").map(|rest| rest.trim_matches(is_mark));
            no.is_some_and(|name| is_other(name) && !name.contains(' '))
        })
    }
}

/// Words between the name of a number and the number: `set days to 4`.
static LINKING: Words = Words::of("are count equals to total");

/// Returns whether `text`, of the words `said`, makes a number a bound or a range: `3+ days`, `2-3 days`.
fn is_bounded(text: &str, said: &[&str]) -> bool {
    static BOUNDING: Words = Words::of("about approximately around least less more most over roughly under");
    let signs: Vec<char> = text.chars().filter(|c| *c != ' ').chain(['.']).collect();
    let is_bound = |three: &[char]| match three[1] {
        '+' => three[0].is_ascii_digit() && !three[2].is_ascii_digit(),
        '-' | '–' => three[0].is_ascii_digit() && three[2].is_ascii_digit(),
        '~' | '<' | '>' | '≈' => !matches!(three[0], '-' | '=') && three[2].is_ascii_digit(),
        _ => false,
    };
    signs.windows(3).any(is_bound) || !said.contains(&"or") && said.iter().any(|word| BOUNDING.have(word))
}

/// The number that `word` is, in digits of any script or in English. `one` may be a pronoun, and a year is a year.
fn number_of(word: &str) -> Option<String> {
    let word = word.trim_end_matches('.');
    let digits: Option<String> = word.chars().map(decimal_digit).collect();
    let is_year = |digits: &String| digits.parse().is_ok_and(|year| YEARS.contains(&year));
    let in_words = || SMALL.iter().position(|small| word.eq_ignore_ascii_case(small)).filter(|at| *at > 0);
    digits
        .filter(|digits| !digits.is_empty() && !is_year(digits))
        .or_else(|| in_words().map(|at| (at + 1).to_string()))
}

/// The points of the score that `value` starts with: `6 of 10`, `6/10`.
fn points(value: &str) -> Option<&str> {
    let mut said = first_bytes(value, MAX_NAME).split_whitespace();
    let first = said.next()?;
    let (points, all) = match first.split_once('/') {
        Some(score) => score,
        None => match (said.next()?, said.next()?) {
            ("of" | "von" | "de" | "sur" | "su" | "van" | "из" | "z" | "av", all) => (first, all),
            ("out", "of") => (first, said.next()?),
            _ => return None,
        },
    };
    let is_number = |word: &str| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_punctuation());
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    (is_number(points) && is_number(all)).then_some(points)
}

/// What a flag says, in words: `valid` of `is_valid` and `isValid`.
fn flag_name(key: &str) -> String {
    let key = if key.len() > MAX_NAME { "" } else { key };
    let name = spelling::words_of_key(key).join(" ");
    ["is ", "has ", "was "].iter().find_map(|verb| name.strip_prefix(verb)).unwrap_or(&name).to_owned()
}

/// The last word of what a flag says: `active` of `account_active`.
fn flag_word(key: &str) -> String {
    let name = flag_name(key);
    // `out of stock` says the opposite of `in_stock`.
    if name.starts_with("in ") { name } else { name.rsplit(' ').next().unwrap_or_default().to_owned() }
}

/// The words of `text` that it denies, with the marks around them: after "not", "rather than" or "instead of", or
/// after a word that takes them out: `Scratch the theremin`.
fn denied_words(text: &str) -> impl Iterator<Item = &str> {
    let mut said = text.split_whitespace();
    let mut last = ["", ""];
    let mut removes = false;
    std::iter::from_fn(move || {
        loop {
            let word = said.next()?;
            let denies =
                removes || DENYING.have(last[1]) || matches!(last, ["rather", "than"] | ["instead", "of"]);
            removes = REMOVING.have(word) || removes && word == "the";
            last = [last[1], word];
            if denies && word.contains(char::is_alphanumeric) {
                return Some(word);
            }
        }
    })
}
