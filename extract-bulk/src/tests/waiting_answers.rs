//! The answers of batches in a journal, against a model.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use crate::{
    batches::KnownAnswer,
    journal::{AnswerPack, Store, Write},
    request_name::RequestName,
    tests::batches::Folder,
};

/// By document and number of the request.
type Model = BTreeMap<(u32, u32), Vec<KnownAnswer>>;

const DOCUMENTS: u32 = 40;
const REQUESTS: u32 = 3;

struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        u32::try_from(self.0 % u64::from(end)).unwrap()
    }
}

fn name(number: u32) -> RequestName {
    RequestName { digest: [u8::try_from(number).unwrap(); 32], number }
}

/// A pack of up to `most` answers.
fn pack(random: &mut Random, most: u32, model: &mut Model) -> AnswerPack {
    let mut pack = AnswerPack::default();
    for _ in 0..=random.below(most) {
        let (document, request) = (random.below(DOCUMENTS), random.below(REQUESTS));
        let length = usize::try_from(random.below(400)).unwrap();
        let known = KnownAnswer { sent: "s".repeat(length / 7), answer: vec![b'x'; length] };
        let key = Arc::from(&*document.to_string());
        pack.push(&key, name(request), (&known.sent, &known.answer));
        model.entry((document, request)).or_default().push(known);
    }
    pack
}

/// A change to the journal, also of the model.
fn change(random: &mut Random, model: &mut Model) -> Write {
    match random.below(40) {
        0 => {
            model.clear();
            Write::Documents(u64::from(DOCUMENTS))
        }
        1..12 => Write::Answers(pack(random, 20, model)),
        _ => {
            let document = random.below(DOCUMENTS);
            model.retain(|(of, _), _| *of != document);
            Write::Outcome(document.to_string(), Vec::new())
        }
    }
}

fn has_the_answers_of(model: &Model, store: &Store, when: &str) {
    for document in 0..DOCUMENTS {
        for request in 0..REQUESTS {
            let expected = model.get(&(document, request)).cloned().unwrap_or_default();
            let found = store.answers(&document.to_string(), name(request)).unwrap();
            assert_eq!(found, expected, "{when}: document {document}, request {request}");
        }
    }
    assert_eq!(store.has_answers().unwrap(), !model.is_empty(), "{when}");
}

fn open(path: &Path) -> Store {
    Store::open_or_create(path).unwrap()
}

#[test]
fn a_journal_has_the_answers_of_documents_without_an_outcome_and_no_others() {
    let folder = Folder::new("waiting-answers");
    for seed in 1..=30 {
        let (path, mut random) = (folder.file(&format!("{seed}.redb")), Random(0x9E37_79B9_7F4A_7C15 ^ seed));
        let (mut store, mut model) = (open(&path), Model::new());
        for number in 0..40 {
            let writes: Vec<_> = (0..=random.below(12)).map(|_| change(&mut random, &mut model)).collect();
            store.write(&writes).unwrap();
            // What it knows, and what the file says.
            if random.below(3) == 0 {
                drop(store);
                store = open(&path);
            }
            has_the_answers_of(&model, &store, &format!("seed {seed}, transaction {number}"));
        }
    }
}

#[test]
fn answers_of_an_earlier_format_are_packed_when_the_journal_is_opened() {
    let folder = Folder::new("waiting-answers-format");
    let (path, mut random, mut model) = (folder.file("j.redb"), Random(7), Model::new());
    // That format has one answer to a request.
    let store = open(&path);
    let mut packed = pack(&mut random, 1, &mut model);
    for document in 0..DOCUMENTS {
        for request in 0..REQUESTS {
            model.entry((document, request)).or_insert_with(|| {
                let known =
                    KnownAnswer { sent: "sent".to_owned(), answer: document.to_string().into_bytes() };
                packed.push(&Arc::from(&*document.to_string()), name(request), (&known.sent, &known.answer));
                vec![known]
            });
        }
    }
    store.write(&[Write::Answers(packed)]).unwrap();
    assert_eq!(store.into_format_2().unwrap(), model.len());
    let store = open(&path);
    has_the_answers_of(&model, &store, "opened");
    drop(store);
    has_the_answers_of(&model, &open(&path), "opened again");
}
