//! The answers of batches that wait for the outcome of their document.
//!
//! Many answers are one entry, a pack. A pack is written when its answers are read from the batch, and before the batch
//! counts as ended. When a document has its outcome, the same transaction removes its answers: packs with others are
//! written again without them, and packs without any are removed. So after each commit the packs have
//! exactly the answers that may be needed.
#![expect(clippy::result_large_err, reason = "the errors are those of `redb`, and are seldom")]

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use redb::{
    Error, ReadTransaction, ReadableTable, ReadableTableMetadata as _, TableDefinition, TableError,
    WriteTransaction,
};

use super::entry::JournalEntry;
use crate::{
    batches::KnownAnswer,
    packed::{PackedFields, push_field},
    request_name::RequestName,
};

/// Number of a pack to its answers.
pub(super) const ANSWER_PACKS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("answer-packs");
/// Key and name of a request to its answer: what format 2 has instead.
pub(super) const ANSWERS: TableDefinition<'_, (&str, &str), &[u8]> = TableDefinition::new("answers");

/// Most answers of a pack, and about how many bytes it has at most. To find one answer, its pack is read.
const MOST_ANSWERS: usize = 64;
const MOST_BYTES: usize = 64 << 10;

/// Answers that become one entry.
#[derive(Debug, Default)]
pub(crate) struct AnswerPack {
    /// The keys of their documents, in the same order.
    keys: Vec<Arc<str>>,
    bytes: Vec<u8>,
}

impl AnswerPack {
    /// Adds the answer to a request about the document with this key.
    pub(crate) fn push(&mut self, key: &Arc<str>, name: RequestName, (sent, answer): (&str, &[u8])) {
        push_field(&mut self.bytes, key.as_bytes());
        name.push_to(&mut self.bytes);
        push_field(&mut self.bytes, sent.as_bytes());
        push_field(&mut self.bytes, answer);
        self.keys.push(Arc::clone(key));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns whether it is time for the next one.
    pub(crate) fn is_full(&self) -> bool {
        self.keys.len() >= MOST_ANSWERS || self.bytes.len() >= MOST_BYTES
    }
}

/// An answer in a pack.
pub(super) struct PackedAnswer<'b> {
    pub(super) key: &'b str,
    pub(super) name: RequestName,
    pub(super) sent: &'b str,
    pub(super) answer: &'b [u8],
}

/// The answers of a pack.
fn answers_of(content: &[u8]) -> Option<Vec<PackedAnswer<'_>>> {
    let (mut fields, mut answers) = (PackedFields::of(content), Vec::new());
    while !fields.is_empty() {
        let (key, name) = (fields.text()?, RequestName::of_packed(&mut fields)?);
        answers.push(PackedAnswer { key, name, sent: fields.text()?, answer: fields.field()? });
    }
    Some(answers)
}

pub(super) fn read_pack(number: u64, bytes: &[u8]) -> Result<Vec<PackedAnswer<'_>>, Error> {
    let entry = JournalEntry::AnswerPack(number);
    answers_of(entry.content(bytes)?).ok_or_else(|| entry.unreadable())
}

/// Which packs have the answers of which documents.
#[derive(Debug, Default)]
pub(super) struct AnswerIndex {
    by_key: HashMap<Arc<str>, PackNumbers>,
    /// How many answers each pack has.
    counts: HashMap<u64, usize>,
    /// The number of the next pack. Numbers of packs that are gone may be used again.
    next: u64,
    /// By pack, the documents that have their outcome since the last commit, once for each answer.
    settled: BTreeMap<u64, Vec<Arc<str>>>,
}

/// The packs with answers of a document, once for each answer. Most have one.
#[derive(Debug)]
struct PackNumbers {
    first: u64,
    more: Vec<u64>,
}

impl PackNumbers {
    fn iter(&self) -> impl Iterator<Item = u64> {
        std::iter::once(self.first).chain(self.more.iter().copied())
    }
}

impl AnswerIndex {
    pub(super) fn read(transaction: &ReadTransaction) -> Result<Self, Error> {
        let mut index = Self::default();
        let Some(packs) = packs_of(transaction)? else { return Ok(index) };
        for entry in packs.iter()? {
            let (number, bytes) = entry?;
            let (number, bytes) = (number.value(), bytes.value());
            index.add(number, read_pack(number, bytes)?.iter().map(|answer| answer.key.into()));
        }
        Ok(index)
    }

    /// The packs with answers of a document.
    pub(super) fn packs_of(&self, key: &str) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.by_key.get(key).into_iter().flat_map(PackNumbers::iter).collect();
        numbers.dedup();
        numbers
    }

    fn add(&mut self, number: u64, keys: impl Iterator<Item = Arc<str>>) {
        self.next = self.next.max(number.saturating_add(1));
        for key in keys {
            *self.counts.entry(number).or_default() += 1;
            match self.by_key.get_mut(&key) {
                Some(numbers) => numbers.more.push(number),
                None => {
                    self.by_key.insert(key, PackNumbers { first: number, more: Vec::new() });
                }
            }
        }
    }

    /// Says that a document has its outcome.
    pub(super) fn settle(&mut self, key: &str) {
        let Some((key, numbers)) = self.by_key.remove_entry(key) else { return };
        for number in numbers.iter() {
            self.settled.entry(number).or_default().push(Arc::clone(&key));
        }
    }

    /// Writes a pack.
    pub(super) fn insert(&mut self, transaction: &WriteTransaction, pack: &AnswerPack) -> Result<(), Error> {
        let number = self.next;
        let sealed = JournalEntry::AnswerPack(number).sealed(&pack.bytes);
        transaction.open_table(ANSWER_PACKS)?.insert(number, &*sealed)?;
        self.add(number, pack.keys.iter().cloned());
        Ok(())
    }

    /// Removes the answers of the documents that have their outcome.
    pub(super) fn remove_settled(&mut self, transaction: &WriteTransaction) -> Result<(), Error> {
        if self.settled.is_empty() {
            return Ok(());
        }
        let mut packs = transaction.open_table(ANSWER_PACKS)?;
        for (number, keys) in std::mem::take(&mut self.settled) {
            let count = self.counts.remove(&number).unwrap_or_default();
            if count <= keys.len() {
                packs.remove(number)?;
                continue;
            }
            let left = match packs.get(number)? {
                Some(pack) => without(number, pack.value(), &keys.iter().map(|key| &**key).collect())?,
                None => continue,
            };
            packs.insert(number, &*JournalEntry::AnswerPack(number).sealed(&left))?;
            self.counts.insert(number, count - keys.len());
        }
        Ok(())
    }

    /// Removes all answers.
    pub(super) fn clear(&mut self, transaction: &WriteTransaction) -> Result<(), Error> {
        *self = Self::default();
        transaction.delete_table(ANSWER_PACKS)?;
        Ok(())
    }
}

/// The content of a pack without the answers of these documents.
fn without(number: u64, pack: &[u8], keys: &HashSet<&str>) -> Result<Vec<u8>, Error> {
    let mut left = AnswerPack::default();
    for PackedAnswer { key, name, sent, answer } in read_pack(number, pack)? {
        if !keys.contains(key) {
            left.push(&key.into(), name, (sent, answer));
        }
    }
    Ok(left.bytes)
}

/// Returns whether there is any answer.
pub(super) fn has_answers(transaction: &ReadTransaction) -> Result<bool, Error> {
    match packs_of(transaction)? {
        Some(packs) => Ok(!packs.is_empty()?),
        None => Ok(false),
    }
}

/// The answers to a request in these packs, in their order.
pub(super) fn find_answers(
    transaction: &ReadTransaction,
    numbers: &[u64],
    (key, name): (&str, RequestName),
) -> Result<Vec<KnownAnswer>, Error> {
    let mut found = Vec::new();
    let Some(packs) = packs_of(transaction)? else { return Ok(found) };
    for number in numbers {
        let Some(pack) = packs.get(number)? else { continue };
        for PackedAnswer { key: of, name: called, sent, answer } in read_pack(*number, pack.value())? {
            if of == key && called == name {
                found.push(KnownAnswer { sent: sent.to_owned(), answer: answer.to_owned() });
            }
        }
    }
    Ok(found)
}

type AnswerPacks = redb::ReadOnlyTable<u64, &'static [u8]>;

fn packs_of(transaction: &ReadTransaction) -> Result<Option<AnswerPacks>, Error> {
    match transaction.open_table(ANSWER_PACKS) {
        Ok(packs) => Ok(Some(packs)),
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Packs the answers of a journal in format 2.
pub(super) fn pack_answers(transaction: &WriteTransaction) -> Result<(), Error> {
    {
        let (answers, mut index) = (transaction.open_table(ANSWERS)?, AnswerIndex::default());
        let mut pack = AnswerPack::default();
        for entry in answers.iter()? {
            let (at, bytes) = entry?;
            let (key, name) = at.value();
            let entry = JournalEntry::Answer(key, name);
            let KnownAnswer { sent, answer } = entry.read(bytes.value(), KnownAnswer::read_entry)?;
            let name = RequestName::read(name).ok_or_else(|| entry.unreadable())?;
            pack.push(&key.into(), name, (&sent, &answer));
            if pack.is_full() {
                index.insert(transaction, &std::mem::take(&mut pack))?;
            }
        }
        if !pack.is_empty() {
            index.insert(transaction, &pack)?;
        }
    }
    transaction.delete_table(ANSWERS)?;
    Ok(())
}
