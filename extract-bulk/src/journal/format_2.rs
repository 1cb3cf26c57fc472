//! Writes journals as versions before packs did, for tests.
#![expect(clippy::result_large_err, reason = "the errors are those of `redb`, and are seldom")]

use redb::ReadableTable as _;
use serde_json::json;

use super::{
    answers::{ANSWER_PACKS, ANSWERS, read_pack},
    batch_tables::BATCH_LINES,
    entry::JournalEntry,
    error::JournalError,
    store::{IN_FLIGHT, META, Store},
    write::InFlight,
};
use crate::batches::BatchRecord;

impl Store {
    /// Turns the journal into one of format 2: an entry for each answer, and JSON. Returns the number of its answers.
    pub(crate) fn into_format_2(self) -> Result<usize, JournalError> {
        self.with(|database| {
            let (transaction, mut count) = (database.begin_write()?, 0);
            {
                let packs = transaction.open_table(ANSWER_PACKS)?;
                let mut answers = transaction.open_table(ANSWERS)?;
                for entry in packs.iter()? {
                    let (number, pack) = entry?;
                    for packed in read_pack(number.value(), pack.value())? {
                        let name = packed.name.to_string();
                        let length = u32::try_from(packed.sent.len()).unwrap_or_default().to_le_bytes();
                        let bytes = [&length, packed.sent.as_bytes(), packed.answer].concat();
                        let sealed = JournalEntry::Answer(packed.key, &name).sealed(&bytes);
                        answers.insert((packed.key, &*name), &*sealed)?;
                        count += 1;
                    }
                }
            }
            transaction.delete_table(ANSWER_PACKS)?;
            {
                let mut lines = transaction.open_table(BATCH_LINES)?;
                let records = lines.iter()?.map(|entry| {
                    let (mark, bytes) = entry?;
                    let mark = mark.value().to_owned();
                    let record = JournalEntry::BatchLines(&mark).read(bytes.value(), BatchRecord::read)?;
                    Ok((mark, record))
                });
                for (mark, record) in records.collect::<Result<Vec<_>, redb::Error>>()? {
                    let of_lines = record.lines.iter().map(|line| {
                        let (id, name) = (line.id.to_string(), line.name.to_string());
                        json!({"id": id, "key": &*line.key, "name": name, "sent": line.sent})
                    });
                    let of_lines: Vec<_> = of_lines.collect();
                    let json = json!({"at": record.at, "tokens": record.tokens, "lines": of_lines});
                    let sealed = JournalEntry::BatchLines(&mark).sealed(json.to_string().as_bytes());
                    lines.insert(&*mark, &*sealed)?;
                }
                let mut flight = transaction.open_table(IN_FLIGHT)?;
                let documents = match flight.get(())? {
                    Some(entry) => JournalEntry::InFlight.read(entry.value(), InFlight::read)?,
                    None => Vec::new(),
                };
                let json = serde_json::to_vec(&documents).unwrap_or_default();
                flight.insert((), &*JournalEntry::InFlight.sealed(&json))?;
                transaction.open_table(META)?.insert("format", 2)?;
            }
            transaction.commit()?;
            Ok(count)
        })
    }
}
