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
//! All of them compare words, by the lists in `words`. They are the last resort when the form of a
//! reply says nothing, and they are short, because refusing a right value costs an attempt.

mod introduction;
mod numbers;
mod phrases;
mod relation;
mod remarks;
mod standing;
mod stated;
mod unfounded;
mod words;

pub(crate) use self::{
    introduction::{has_preamble, is_disclaimed, is_outdated, reports_error},
    numbers::{counted, found_in_words, offered_numbers, says_found},
    phrases::{PhraseMeaning, says},
    relation::{First, is_draft, is_offered, is_replaced, may_revise},
    remarks::{
        changes_value, disowns_value, fills_in, is_partial, is_refusal, is_retraction, is_scale,
        leads_to_first, leaves_out, names_page, says_scale, takes_call_back, will_go_on,
    },
    standing::{Standing, ends_paragraph, is_denied, last_paragraph, lead, leads_to, unfenced},
    stated::{
        Given, MAX_NAME, NamePosition, first_words, given, is_bulleted, is_one_word, is_scalar, last_name,
        members, rows, says_nothing,
    },
    unfounded::{is_unread, lacks, unfounded},
    words::{NOTHING, Words, ends_sentence, first_bytes, last_bytes, last_line, starts_like, words},
};
