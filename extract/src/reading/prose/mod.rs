//! The prose of a reply: what it says about the values in it.
//!
//! | file | question |
//! |---|---|
//! | `standing` | is a value alone or inside of prose, and does the prose deny it? |
//! | `introduction` | does the sentence that leads to a value call it made up, outdated or not the answer? |
//! | `relation` | is a value a draft of a later one, or both elements of one list? |
//! | `stated` | which names does the prose give which values? |
//! | `numbers` | what does the prose count, and which other numbers does it offer? |
//! | `remarks` | is the value before it taken back, left open, or a part only? |
//! | `unfounded` | which values does the document not have, by what the prose says? Was it read at all? |
//! | `phrases` | the same in other languages, and whether it is made up or counted in another unit |
//!
//! All of them compare words, by lists. They are the last resort when the form of a reply says nothing,
//! and each list is short, because refusing a right value costs an attempt.

mod introduction;
mod numbers;
mod phrases;
mod relation;
mod remarks;
mod standing;
mod stated;
mod unfounded;

use std::{collections::HashSet, sync::OnceLock};

pub(crate) use self::{
    introduction::{
        has_preamble, is_disclaimed, is_fenced_as_other, is_followed_by_error, is_outdated,
        names_final_answer, reports_error,
    },
    numbers::{SMALL, YEARS, counted, found_in_words, is_other_unit, offered_numbers, says_found},
    phrases::{PhraseMeaning, says},
    relation::{First, is_draft, is_offered, is_replaced, may_revise, sets_apart},
    remarks::{
        RemarkSubjects, changes_value, dismisses, disowns_value, fills_in, is_cut_short, is_partial,
        is_refusal, is_retraction, is_scale, leads_to_first, leaves_out, names_page, says_scale, shows_part,
        takes_back, takes_call_back, will_go_on,
    },
    standing::{
        CALLS, Denials, Standing, ends_paragraph, is_denied, last_paragraph, lead, leads_to, unfenced,
        verdict_on, verdicts,
    },
    stated::{
        Given, MAX_NAME, NamePosition, after_bullet, first_words, given, is_bulleted, is_one_word, is_scalar,
        last_name, members, rows, says_nothing, with_words_before,
    },
    unfounded::{is_unread, lacks, unfounded},
};

/// A list of words, compared in lower case.
pub(crate) struct Words {
    text: &'static str,
    all: OnceLock<HashSet<&'static str>>,
}

impl Words {
    /// The words of `text`, which are in lower case.
    pub(crate) const fn of(text: &'static str) -> Self {
        Self { text, all: OnceLock::new() }
    }

    /// Returns whether `word` is one of them.
    pub(crate) fn have(&self, word: &str) -> bool {
        let all = self.all.get_or_init(|| self.text.split_whitespace().collect());
        all.contains(&*word.to_lowercase())
    }

    /// Returns whether any word of `text` is one of them.
    pub(crate) fn any_in(&self, text: &str) -> bool {
        words(text).any(|word| self.have(word))
    }
}

/// Words before another value, of which one is right.
pub(crate) static OR: Words = Words::of("alternativamente alternativement alternatively oder or ou");

/// Words that say that there is nothing, or nothing more.
pub(crate) static NOTHING: Words = Words::of("empty keine no none not nothing without");

/// Words for an answer, as its label has them.
pub(crate) static ANSWERS: Words = Words::of(
    "answer antwoord antwort cevap jawaban odpověď odpowiedź respuesta resposta risposta réponse răspuns svar
     vastaus válasz án απάντηση відповідь ответ תשובה الإجابة 答案 答え 정답",
);

/// Names of tags around an answer, which many prompts ask for.
pub(crate) const ANSWER_TAGS: [&str; 7] =
    ["answer", "final", "final_answer", "json", "output", "response", "result"];

/// Words before a key that do not make it another one, as `middle` does in `the middle name`.
pub(crate) static ARTICLES: Words = Words::of(
    "a an das dem den der des die el gli i il l la las le les lo los o os that the this um uma un una une",
);

/// The words of `text`: its runs of letters.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty())
}

/// Returns whether `c` ends a sentence.
pub(crate) fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '\n' | '。' | '！' | '？')
}

/// Returns whether `text` starts with `start`, in any case of its ASCII letters.
pub(crate) fn starts_like(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|text| text.eq_ignore_ascii_case(start))
}

/// The last line of `text`.
pub(crate) fn last_line(text: &str) -> &str {
    text.rsplit('\n').next().unwrap_or_default()
}

/// The start of `text`, of at most `most` bytes.
pub(crate) fn first_bytes(text: &str, most: usize) -> &str {
    let end = (0..=text.len().min(most)).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

/// The end of `text`, of at most `most` bytes.
pub(crate) fn last_bytes(text: &str, most: usize) -> &str {
    let start = (text.len().saturating_sub(most)..=text.len()).find(|at| text.is_char_boundary(*at));
    &text[start.unwrap_or(text.len())..]
}
