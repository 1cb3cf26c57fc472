//! The prose of a reply: what it says about the values in it.
//!
//! | file | question |
//! |---|---|
//! | `standing` | is a value alone or inside of prose, and does the prose deny it? |
//! | `relation` | is a value a draft of a later one, or both elements of one list? Is it a sample, or outdated? |
//! | `stated` | which names does the prose give which values? |
//! | `counted` | what does the prose count, and how many of it? |
//! | `remarks` | is the value before it taken back, left open, or a part only? |
//! | `unfounded` | which values does the document not have, by what the prose says? |
//! | `phrases` | the same in other languages, and whether it is made up or counted in another unit |
//!
//! All of them compare words, by the lists in `words`. They are the last resort when the form of a
//! reply says nothing, and they are short, because refusing a right value costs an attempt.

mod counted;
mod phrases;
mod relation;
mod remarks;
mod standing;
mod stated;
mod unfounded;
mod words;

pub(crate) use self::{
    counted::{counted, says_found},
    phrases::{PhraseMeaning, disowns_value, says},
    relation::{First, Relation, is_draft, is_offered, is_outdated, is_sample, may_revise, relation},
    remarks::{changes_value, is_partial, is_retraction, is_scale, leads_to_first, says_scale, will_go_on},
    standing::{Standing, is_denied, last_paragraph, lead, leads_to},
    stated::{
        Given, MAX_NAME, NamePosition, first_words, given, is_bulleted, is_one_word, is_scalar, last_name,
        members, rows, says_nothing,
    },
    unfounded::{lacks, unfounded},
    words::{NOTHING, Words, ends_sentence, first_bytes, last_bytes, words},
};
