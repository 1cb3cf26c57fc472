//! Objects: the names of keys, and `null` for an absent value.

use std::{
    borrow::Cow,
    cell::LazyCell,
    collections::{HashMap, HashSet},
};

use serde_json::Value;

use super::{Aligner, Step};
use crate::{
    reading::{
        node::{Data, Entry, Node},
        prose,
        receipt::Note,
        shape::{Additional, Id, Shape, ShapeScope, kind},
        spelling,
    },
    vocabulary::{
        change::{ChangeKind, Loss},
        suggest::{self, MAX_COMPARED},
    },
};

/// Most parts and alternatives of an object that are searched for one that takes any key.
const MAX_PARTS: usize = 64;

/// Misfit of an object for each required key that is missing.
const MISSING: usize = 2;

/// Words of a key that has a remark about the members beside it.
static REMARKS: prose::Words =
    prose::Words::of("caveat comment comments disclaimer hinweis note notes remark remarks warning warnings");

/// Keys of a factor of the numbers beside it.
static FACTORS: prose::Words = prose::Words::of("factor multiplier scale");

fn is_thousands(factor: Option<f64>) -> bool {
    factor.is_some_and(|factor| [1e3, 1e6, 1e9].contains(&factor))
}

/// Words of a key under which a reply reports that something went wrong.
static FAILURES: prose::Words =
    prose::Words::of("code error errors exception exceptions failure failures message messages refusal");

/// Returns whether `entry` reports a failure, or that the members beside it are not all or not right: as `"error": "none
/// found"`, `"success": false`, `"status": "failed"` and `"truncated": true` do, and `"error": null` does not.
fn reports_failure(entry: &Entry<'_>) -> bool {
    static NAMING: prose::Words =
        prose::Words::of("error errors exception exceptions failure failures refusal");
    static SUCCESS: prose::Words =
        prose::Words::of("complete found is ok success successful succeeded valid");
    static STATE: prose::Words = prose::Words::of("outcome result state status");
    static FAILED: prose::Words = prose::Words::of("error errored failed failure");
    // `"truncated": true`, `"hasMore": true`: there is more than the value has.
    static PARTIAL: prose::Words = prose::Words::of(
        "clarification continued example has incomplete is more needs omitted partial placeholder truncated",
    );
    static OTHERS: prose::Words = prose::Words::of("missing more omitted remaining skipped");
    // `"question": "Which trip do you mean?"`
    static ASKING: prose::Words = prose::Words::of("clarification question questions");
    static PARTS: prose::Words = prose::Words::of("more page part");
    static CORRECTING: prose::Words = prose::Words::of("correction corrections todo");
    let is_told = match &entry.value.data {
        Data::Bool(false) => prose::words(&entry.key).all(|word| SUCCESS.have(word)),
        Data::Bool(true) => spelling::words_of_key(&entry.key).iter().all(|word| PARTIAL.have(word)),
        Data::Text(text) if ASKING.have(&entry.key) => text.contains('?'),
        Data::Text(text) if PARTS.have(&entry.key) => prose::is_partial(text, 0),
        Data::Number(number) => OTHERS.have(&entry.key) && number.as_f64() > Some(0.0),
        // `"more": "18 other items"`
        Data::Text(text) if text.starts_with(|c| matches!(c, '1'..='9')) => OTHERS.have(&entry.key),
        Data::Text(_) | Data::Object(_) | Data::List(_) if CORRECTING.have(&entry.key) => true,
        Data::Text(text) => STATE.have(&entry.key) && FAILED.have(text.trim()),
        _ => false,
    };
    let is_something = match &entry.value.data {
        Data::Text(text) => !text.trim().is_empty() && !prose::says_nothing(text),
        Data::Bool(is_true) => *is_true,
        Data::List(items) => !items.is_empty(),
        Data::Object(entries) => !entries.is_empty(),
        Data::Null | Data::Number(_) | Data::Numeral(_) => false,
    };
    let mut words = prose::words(&entry.key);
    is_told || is_something && NAMING.any_in(&entry.key) && words.all(|word| FAILURES.have(word))
}

/// The name in a `key` that holds a better value for it: `total` of `corrected_total` and `total_corrected`.
fn corrected(key: &str) -> Option<&str> {
    ["corrected", "revised", "actual", "correct", "new", "updated"]
        .iter()
        .find_map(|word| key.strip_prefix(word).or_else(|| key.strip_suffix(word)))
        .map(|name| name.trim_matches(['_', '-', ' ']))
        .filter(|name| !name.is_empty())
}

/// Adds the keys in `node` that `names` has to `found`.
fn find_keys<'n>(node: &'n Node<'_>, names: &HashSet<String>, found: &mut HashSet<&'n str>) {
    found.extend(node.entries().iter().map(|entry| &*entry.key).filter(|key| names.contains(*key)));
    node.parts().for_each(|part| find_keys(part, names, found));
}

/// Returns whether the shape knows all keys of `entries`.
fn has_only_known(entries: &[Entry<'_>], shape: &Shape) -> bool {
    let mut next = 0;
    entries.iter().all(|entry| {
        let index = shape.index_of(&entry.key, next);
        next = index.map_or(next, |index| index + 1);
        index.is_some() || shape.names.contains(&*entry.key)
    })
}

impl<'a> Aligner<'a> {
    pub(super) fn object(
        &mut self,
        entries: &mut Vec<Entry<'a>>,
        shape: &'a Shape,
        scope: ShapeScope,
    ) -> usize {
        let is_told = scope.tells_names(shape);
        if is_told && !has_only_known(entries, shape) {
            self.rename(entries, shape);
            if !self.are_data(entries, shape) {
                self.unknown(entries, shape);
            }
        }
        let mut misfit = 0;
        let mut next = 0;
        entries.retain_mut(|entry| {
            if let Some(index) = shape.index_of(&entry.key, next) {
                next = index + 1;
                let property = &shape.properties[index];
                if self.is_absent(entry, shape, property.shape) {
                    return false;
                }
                let step = Step::Key(Cow::Borrowed(&property.name));
                misfit += self.align_at(step, &mut entry.value, property.shape);
                return true;
            }
            match shape.additional {
                Additional::Of(id) => {
                    misfit += self.align_at(Step::Key(entry.key.clone()), &mut entry.value, id);
                }
                Additional::Closed => misfit += 1,
                Additional::Unsaid | Additional::Data => {}
            }
            true
        });
        // Keys mostly come in the order of the schema.
        let stands_at = |index: usize, name: &str| entries.get(index).is_some_and(|entry| entry.key == name);
        let keys = LazyCell::new(|| entries.iter().map(|entry| &*entry.key).collect::<HashSet<_>>());
        let is_missing =
            |(index, name): &(usize, &String)| !stands_at(*index, name) && !keys.contains(name.as_str());
        misfit += MISSING * shape.required.iter().enumerate().filter(is_missing).count();
        misfit
    }

    /// Drops `null` under a key that may be absent but not null.
    fn is_absent(&mut self, entry: &Entry<'a>, shape: &Shape, id: Id) -> bool {
        let allowed = self.shapes.get(id);
        let is_null = match &entry.value.data {
            Data::Null => true,
            Data::Text(text) => {
                !allowed.allows(kind::TEXT)
                    && ["null", "none", "nil"].iter().any(|null| text.eq_ignore_ascii_case(null))
            }
            _ => false,
        };
        if !is_null || allowed.allows(kind::NULL) || shape.requires(&entry.key) {
            return false;
        }
        self.note_member(entry, ChangeKind::Absent, Loss::Lossless);
        true
    }

    /// Records a change of the member `entry` of the object at the current path.
    pub(super) fn note_member(&mut self, entry: &Entry<'a>, kind: ChangeKind, loss: Loss) {
        let span = entry.start..entry.value.span.end.max(entry.start);
        self.note_at(Some(&entry.key), Note::new(kind, loss, span), || "");
    }

    /// Returns whether keys that `shape` does not know are data, because a part of it takes any, or an alternative that
    /// the object fits.
    fn are_data(&mut self, entries: &[Entry<'a>], shape: &'a Shape) -> bool {
        let size = entries.iter().map(|entry| entry.value.size()).sum();
        if !shape.is_open || !self.look(size) {
            return false;
        }
        let members = entries.iter().map(|entry| (entry.key.to_string(), entry.value.clone().into_value()));
        let mut left = MAX_PARTS;
        self.takes_any(shape, &Value::Object(members.collect()), &mut left)
    }

    /// Returns whether `shape`, or one of its parts that `value` fits, takes any key. At most `left` of them are looked at.
    fn takes_any(&self, shape: &Shape, value: &Value, left: &mut usize) -> bool {
        *left = left.saturating_sub(1);
        if *left == 0 {
            return false;
        }
        let mut takes_any = |id: &Id| self.takes_any(self.shapes.get(*id), value, left);
        // A type takes the first alternative that fits, and a schema all of them.
        let most = if self.shapes.are_of_type() { 1 } else { usize::MAX };
        matches!(shape.additional, Additional::Of(_) | Additional::Data)
            || shape.all_of.iter().any(&mut takes_any)
            || shape
                .unions
                .iter()
                .any(|branches| self.shapes.fitting(branches, value).iter().take(most).any(&mut takes_any))
    }

    /// Notes the members that the contract does not know. One that may be what is absent is left
    /// over: if it is spelled like an absent key, has one in its name or value, or no member is known.
    fn unknown(&mut self, entries: &[Entry<'a>], shape: &'a Shape) {
        if shape.additional != Additional::Unsaid {
            return;
        }
        let is_known = |entry: &&Entry<'a>| shape.names.contains(&*entry.key);
        let (known, unknown): (Vec<_>, Vec<_>) = entries.iter().partition(is_known);
        if unknown.is_empty() {
            return;
        }
        let present: HashSet<&str> = known.iter().map(|entry| &*entry.key).collect();
        // A required key that is absent is a violation of its own, which names the key that looks like it.
        let is_refused = shape.required.iter().any(|name| !present.contains(name.as_str()));
        let absent = || {
            let all = shape.properties.iter().filter(|property| !property.is_alias);
            all.map(|property| property.name.as_str()).filter(|name| !present.contains(name))
        };
        // The members that another one may fill, or add to, by the words of their keys.
        let open = LazyCell::new(|| {
            let is_open = |value: &Node<'_>| {
                value.is_null() || value.is_list() || value.text().is_some_and(|text| text.trim().is_empty())
            };
            let open =
                known.iter().filter(|entry| entry.key.len() > 2 && is_open(&entry.value)).take(MAX_COMPARED);
            open.map(|entry| (spelling::words_of_key(first_bytes(&entry.key)), &entry.value))
                .collect::<Vec<_>>()
        });
        for entry in unknown {
            let is_meant = || {
                let has_word = || {
                    let words = spelling::words_of_key(&entry.key);
                    absent().take(MAX_COMPARED).any(|name| is_among(name, &words))
                };
                let abbreviates =
                    |name| is_abbreviation(&entry.key, name) || is_abbreviation(name, &entry.key);
                suggest::nearest(&entry.key, absent().take(MAX_COMPARED)).is_some()
                    || absent().take(MAX_COMPARED).any(abbreviates)
                    || entry.key.len() <= prose::MAX_NAME && has_word()
            };
            // All that are required: the arguments of a call, or the object around the answer.
            let holds_absent_or_all = || {
                let mut found = HashSet::new();
                find_keys(&entry.value, &shape.names, &mut found);
                let has_all = || shape.required.iter().all(|name| found.contains(name.as_str()));
                !found.is_subset(&present) || !shape.required.is_empty() && has_all()
            };
            // The same key in another spelling, with another value.
            let is_other = || {
                known.iter().take(MAX_COMPARED).any(|known| {
                    spelling::is_same(&entry.key, &known.key, &std::iter::once(&*known.key))
                        && !known.value.is_same(&entry.value)
                })
            };
            // `"line_items": [{…}]` beside an empty list of `items`, `"item": {…}` beside a list of them.
            let is_instead = || {
                let is_object = !entry.value.entries().is_empty();
                let may_fill = is_object || fills(&entry.value, None);
                let words = LazyCell::new(|| spelling::words_of_key(first_bytes(&entry.key)));
                may_fill
                    && open.iter().any(|(own, known)| {
                        let lacks = || known.items().iter().all(|item| !item.is_same(&entry.value));
                        words.ends_with(own) && fills(&entry.value, Some(known))
                            || is_object && known.is_list() && *words == *own && lacks()
                    })
            };
            // `"unit": "millions"` and `"in_thousands": true` change the numbers beside it.
            let is_scale = || match &entry.value.data {
                Data::Text(text) => prose::is_scale(text),
                Data::Bool(is_true) => *is_true && prose::says_scale(&entry.key.replace('_', " ")),
                Data::Number(number) => FACTORS.have(&entry.key) && is_thousands(number.as_f64()),
                _ => false,
            };
            // `"_comment": "values are examples"` is said of the values beside it.
            let is_remark = || {
                prose::words(&entry.key).any(|word| REMARKS.have(word))
                    && entry.value.text().is_some_and(|text| {
                        prose::disowns_value(text)
                            || prose::says_scale(text)
                            || prose::is_retraction(text)
                            || prose::is_partial(text, 0)
                    })
            };
            let is_correction = || {
                corrected(&entry.key).is_some_and(|name| {
                    present.iter().any(|key| spelling::is_same(name, key, &std::iter::once(&**key)))
                })
            };
            let is_over = !is_refused
                && (is_scale()
                    || is_correction()
                    || is_remark()
                    || reports_failure(entry)
                    || present.is_empty()
                    || is_meant()
                    || holds_absent_or_all()
                    || is_other()
                    || is_instead());
            if is_over {
                self.note_member(entry, ChangeKind::LeftOver, Loss::Lossy);
            } else {
                self.note_member(entry, ChangeKind::UnknownKey, Loss::Ignored);
            }
        }
    }

    /// Corrects the spelling of keys, if one key can mean only one name and no other key means it.
    fn rename(&mut self, entries: &mut [Entry<'a>], shape: &'a Shape) {
        let mut wanted: HashMap<String, usize> = HashMap::new();
        for entry in entries.iter() {
            *wanted.entry(spelling::bare(&entry.key)).or_default() += 1;
        }
        for entry in entries {
            if shape.names.contains(&*entry.key) {
                continue;
            }
            let bare = spelling::bare(&entry.key);
            let Some([name]) = shape.spellings.get(&bare).map(Vec::as_slice) else { continue };
            let is_data = matches!(shape.additional, Additional::Data | Additional::Of(_));
            // A key with the right name already present counts too, in any spelling.
            if wanted[&bare] != 1 || is_data && !shape.requires(name) {
                continue;
            }
            if !spelling::is_same(&entry.key, name, &shape.names.iter().map(String::as_str)) {
                continue;
            }
            let span = entry.start..entry.value.span.start.max(entry.start);
            let note = Note::new(ChangeKind::Name, Loss::Lossless, span);
            self.note_at(Some(name), note, || format!("{name:?}"));
            entry.key = Cow::Borrowed(name.as_str());
        }
    }
}

/// Returns whether `value` has what `known`, a null, an empty text or an empty list, does not have.
fn fills(value: &Node<'_>, known: Option<&Node<'_>>) -> bool {
    let is_empty_text = |known: &Node<'_>| known.text().is_some_and(|text| text.trim().is_empty());
    let is_empty_list = |known: &Node<'_>| known.is_list() && known.items().is_empty();
    match &value.data {
        Data::List(items) => {
            !items.is_empty() && known.is_none_or(|known| known.is_null() || is_empty_list(known))
        }
        Data::Text(text) => {
            !text.trim().is_empty()
                && !prose::says_nothing(text)
                && known.is_none_or(|known| known.is_null() || is_empty_text(known))
        }
        _ => false,
    }
}

/// The start of a key, whose words are compared.
fn first_bytes(key: &str) -> &str {
    prose::first_bytes(key, prose::MAX_NAME)
}

/// Returns whether `short`, one word, is one that people write for the word `long`: `desc` for `description`, `qty` for
/// `quantity`, but not `name` for `nickname`.
fn is_abbreviation(short: &str, long: &str) -> bool {
    let is_word =
        |key: &str| key.len() <= prose::MAX_NAME && key.bytes().all(|byte| byte.is_ascii_lowercase());
    if short.len() < 3 || short.len() >= long.len() || !is_word(short) || !is_word(long) {
        return false;
    }
    let has_letters = || {
        let mut letters = long.bytes();
        short.bytes().all(|letter| letters.any(|other| other == letter))
    };
    let is_shortened = || {
        short.len() <= 4
            && short.len() * 2 <= long.len()
            && short.as_bytes()[0] == long.as_bytes()[0]
            && !long.ends_with(short)
            && has_letters()
    };
    long.starts_with(short) || is_shortened()
}

/// Returns whether the words of `name` are among those of a key: `age` of `age_years`, `line` of `invoiceLines`.
fn is_among(name: &str, words: &[String]) -> bool {
    let own = spelling::words_of_key(name);
    name.len() > 2 && words.windows(own.len().max(1)).any(|words| words == own)
}
