//! However a value is cut, and into however many replies, the result is the same.

use extract::Contract;
use extract::testing::block_on;
use serde_json::{Value, json};

use super::writer::Writer;

/// SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(most).unwrap()).unwrap()
    }

    fn text(&mut self) -> String {
        let words = ["é\"x\"", "a\\b", "", "line\nbreak", "{[,", "😀", "plain", "null x"];
        words[self.below(words.len())].to_owned()
    }

    fn record(&mut self, id: usize) -> Value {
        let mut record =
            json!({"id": id, "tags": (0..self.below(5)).map(|_| self.text()).collect::<Vec<_>>()});
        if self.below(2) == 0 {
            record["inner"] =
                json!({"values": (0..self.below(6)).map(|_| self.below(3)).collect::<Vec<_>>()});
            if self.below(2) == 0 {
                record["inner"]["unit"] = json!(self.text());
            }
        }
        record
    }

    fn records(&mut self, most: usize) -> Value {
        (0..self.below(most)).map(|id| self.record(id)).collect()
    }
}

fn record() -> Value {
    json!({
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "inner": {
                "type": "object",
                "properties": {
                    "values": {"type": "array", "items": {"type": "integer"}},
                    "unit": {"type": "string"},
                },
                "required": ["values"],
            },
        },
        "required": ["id", "tags"],
    })
}

fn report() -> Value {
    json!({
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "records": {"type": "array", "items": record()},
            "text": {"type": "string"},
            "codes": {"type": "array", "items": {"type": "integer"}},
            "note": {"type": "string"},
            "total": {"type": "number"},
        },
        "required": ["title", "records", "text", "codes", "total"],
    })
}

fn a_report(random: &mut Random) -> Value {
    // No two passages are the same, as in prose.
    let words: Vec<_> =
        (0..random.below(300)).map(|number| format!("Word {number}, \"and\" é more.\n")).collect();
    let text = words.concat();
    let mut report = json!({
        "title": random.text(),
        "records": random.records(12),
        "text": text,
        "codes": (0..random.below(40)).map(|_| random.below(2)).collect::<Vec<_>>(),
    });
    if random.below(2) == 0 {
        report["note"] = json!(random.text());
    }
    report["total"] = json!(random.below(100));
    report
}

/// The value extracted from `whole` when its replies are cut by `cuts`.
fn extracted(
    schema: &Value,
    whole: &Value,
    overlap: usize,
    cuts: impl FnMut(usize) -> usize + Send + 'static,
) -> (Value, u32, Vec<String>) {
    let writer = Writer::new(whole.clone(), overlap, cuts);
    let contract = Contract::from_schema(schema.clone()).unwrap();
    let extraction = contract.extract(&writer, "…").max_attempts(100).max_continuations(100);
    let (value, metrics) = block_on(extraction.end_repetition(false)).unwrap();
    (value, metrics.continuations, writer.asked.into_inner().unwrap())
}

#[test]
fn a_value_in_any_number_of_replies_is_the_whole_value() {
    let lists = json!({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}});
    let (mut continuations, mut most) = (0, 0);
    for seed in 0..90 {
        let mut random = Random(seed);
        let (schema, whole) = match seed % 3 {
            0 => (report(), a_report(&mut random)),
            1 => (json!({"type": "array", "items": record()}), random.records(30)),
            _ => {
                let list =
                    |random: &mut Random| (0..random.below(9)).map(|_| random.below(2)).collect::<Vec<_>>();
                (lists.clone(), (0..random.below(9)).map(|_| list(&mut random)).collect())
            }
        };
        // Only an overlap distinguishes equal consecutive lists.
        let overlap = if seed % 3 == 2 { 40 } else { [0, 0, 1, 3, 40][random.below(5)] };
        let cuts = move |bytes: usize| if random.below(4) == 0 { bytes } else { random.below(bytes + 1) };
        let (value, count, _) = extracted(&schema, &whole, overlap, cuts);
        assert_eq!(value, whole, "seed {seed}");
        continuations += count;
        most = most.max(count);
    }
    assert!(continuations > 100 && most > 5, "{continuations} {most}");
}

#[test]
fn one_cut_at_any_byte_loses_nothing() {
    let whole = json!({
        "title": "é",
        "records": [{"id": 1, "tags": ["a\"b", "é"], "inner": {"values": [1, 1, 1], "unit": "kg"}}, {"id": 2, "tags": []}],
        "text": "short",
        "codes": [1, 1, 20, 300],
        "note": "n",
        "total": 12.5,
    });
    let bytes = whole.to_string().len();
    let mut continued = 0;
    for overlap in [0, 2] {
        for at in 1..bytes {
            let mut is_first = true;
            let cuts = move |bytes: usize| if std::mem::take(&mut is_first) { at } else { bytes };
            let (value, count, asked) = extracted(&report(), &whole, overlap, cuts);
            assert_eq!(value, whole, "byte {at}");
            assert!(asked.len() <= 4, "byte {at}: {asked:?}");
            continued += usize::from(count > 0);
        }
    }
    // Except where no list around the cut has an element yet.
    assert!(continued > 60, "{continued} of {bytes}");
}
