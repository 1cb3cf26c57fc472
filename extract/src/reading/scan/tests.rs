//! Compares the scanner with `serde_json`, for any chunking and any text.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{
    super::{
        Shapes,
        keys::Keys,
        shape::{NullReading, kind, kinds_of},
        strict,
    },
    scanner::ScanEnd,
    *,
};

/// Shows everything, strings even while they grow.
fn everything() -> Places {
    Places::new(Arc::new(Shapes::compile(&json!(true), 256)), NullReading::Text)
}

/// Pseudorandom numbers, the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn space(&mut self) -> &'static str {
        self.one(&["", "", "", " ", "\n  ", "\t\r"])
    }

    /// JSON in any formatting.
    fn json(&mut self, depth: usize) -> String {
        let parts = if depth == 0 { 0 } else { self.below(5) };
        let inside = match self.below(7) {
            0 => {
                let items: Vec<_> = (0..parts).map(|_| self.json(depth - 1)).collect();
                format!("[{}{}]", self.space(), items.join(","))
            }
            1 | 2 => {
                let member = |n| {
                    format!(
                        "{}\"{}{n}\"{}:{}",
                        self.space(),
                        self.characters(),
                        self.space(),
                        self.json(depth - 1)
                    )
                };
                let members: Vec<_> = (0..parts).map(member).collect();
                format!("{{{}{}}}", members.join(","), self.space())
            }
            3 => self
                .one(&[
                    "0",
                    "-0",
                    "7",
                    "-12",
                    "1.50",
                    "1e3",
                    "2E-2",
                    "18446744073709551615",
                    "-92233720368547758.09",
                ])
                .to_owned(),
            4 => self.one(&["true", "false", "null"]).to_owned(),
            _ => format!("\"{}\"", self.characters()),
        };
        format!("{}{inside}{}", self.space(), self.space())
    }

    fn characters(&mut self) -> String {
        let some = [
            "a",
            "ß",
            "€",
            "🦀",
            "\\n",
            "\\\"",
            "\\\\",
            "\\/",
            "\\u00e9",
            "\\ud83e\\udd80",
            "\\u0000",
            " ",
            "key",
        ];
        (0..self.below(6)).map(|_| self.one(&some)).collect()
    }

    /// Splits `text` into parts at character boundaries.
    fn cut(&mut self, text: &str, longest: usize) -> Vec<usize> {
        let mut bounds = vec![0];
        while bounds[bounds.len() - 1] < text.len() {
            let end = (bounds[bounds.len() - 1] + 1 + self.below(longest)).min(text.len());
            bounds.push((end..=text.len()).find(|end| text.is_char_boundary(*end)).unwrap());
        }
        bounds
    }
}

/// All pointers into `value`, which is an answer so far.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| pointers(item, &format!("{at}/{index}"), found));
        }
        Value::Object(members) => members.iter().for_each(|(key, member)| {
            let key = key.replace('~', "~0").replace('/', "~1");
            pointers(member, &format!("{at}/{key}"), found);
        }),
        _ => {}
    }
}

/// Everything that a snapshot shows at `places`.
fn shown(snapshot: &Snapshot, places: &[String]) -> Vec<(PartState, Option<Value>, Option<usize>)> {
    places.iter().map(|place| (snapshot.state(place), snapshot.value(place), snapshot.len(place))).collect()
}

fn snapshot(scanner: &Scanner) -> Snapshot {
    scanner.snapshot().unwrap_or_else(|| Snapshot::new(Arc::default(), Mark::default()))
}

/// The snapshots after each of `parts` and at the end, and where the scanner stopped. Asserts that
/// every snapshot still shows what it showed when it was taken.
fn scanned(parts: impl IntoIterator<Item = impl AsRef<str>>) -> (Vec<Snapshot>, Option<ScanEnd>) {
    let mut scanner = Scanner::new(everything(), 128);
    let mut snapshots: Vec<(Snapshot, Option<Value>)> = Vec::new();
    let take = |scanner: &Scanner| (snapshot(scanner), snapshot(scanner).value(""));
    for part in parts {
        scanner.push(part.as_ref());
        snapshots.push(take(&scanner));
    }
    scanner.finish();
    snapshots.push(take(&scanner));
    for (snapshot, early) in &snapshots {
        assert_eq!(snapshot.value(""), *early, "a snapshot never changes");
    }
    (snapshots.into_iter().map(|(snapshot, _)| snapshot).collect(), scanner.end)
}

#[test]
fn any_chunking_shows_the_same_at_the_same_bytes_and_never_takes_back() {
    let mut random = Random(7);
    for _ in 0..150 {
        let text = random.json(3);
        let value: Value = serde_json::from_str(&text).unwrap();
        let mut places = Vec::new();
        pointers(&value, "", &mut places);
        let (each, end) = scanned(text.chars().map(String::from));
        assert!(matches!(end, Some(ScanEnd::Complete(_))), "{text:?} {end:?}");
        assert_eq!(each[each.len() - 1].value(""), Some(value.clone()), "{text:?}");
        assert!(each[each.len() - 1].agrees_with(&value));
        let at: Vec<_> =
            text.char_indices().map(|(at, char)| at + char.len_utf8()).chain([text.len() + 1]).collect();
        let seen: Vec<_> = each.iter().map(|snapshot| shown(snapshot, &places)).collect();
        for (index, place) in places.iter().enumerate() {
            let states: Vec<_> = seen.iter().map(|shown| shown[index].0).collect();
            assert!(states.is_sorted_by_key(|state| *state as u8), "{place} of {text:?}: {states:?}");
            for (state, shown, _) in seen.iter().map(|shown| &shown[index]) {
                assert!(
                    *state != PartState::Done || shown.as_ref() == value.pointer(place),
                    "{place} of {text:?}"
                );
                assert!(*state != PartState::Pending || shown.is_none(), "{place} of {text:?}");
            }
        }
        for longest in [2, 5, 20] {
            let bounds = random.cut(&text, longest);
            let (chunked, same_end) = scanned(bounds.windows(2).map(|pair| &text[pair[0]..pair[1]]));
            assert_eq!(end, same_end, "{text:?}");
            for (snapshot, bound) in chunked.iter().zip(bounds[1..].iter().chain([&(text.len() + 1)])) {
                let index = at.iter().position(|at| at == bound).unwrap();
                assert_eq!(shown(snapshot, &places), seen[index], "{text:?} at {bound}");
            }
        }
    }
}

#[test]
fn a_text_is_strict_where_the_strict_reader_says_so() {
    let mut random = Random(11);
    let (mut good, mut bad) = (0, 0);
    for _ in 0..8_000 {
        let mut text = random.json(3);
        for _ in 0..random.below(3) {
            let mut at = random.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            let wrong = [
                "\"", "\\", ",", "{", "]", "0", ".", "e", "-", "\\u", "\\ud83e", "\n", "\u{1}", "nul", "x",
                " ",
            ];
            text.insert_str(at, random.one(&wrong));
        }
        let bounds = random.cut(&text, 4);
        let (snapshots, end) = scanned(bounds.windows(2).map(|pair| &text[pair[0]..pair[1]]));
        let last = &snapshots[snapshots.len() - 1];
        match (strict::parse(&text, &Keys::default()), end) {
            (Some(strict), Some(ScanEnd::Complete(_))) => {
                good += 1;
                // An integer beyond 64 bits is reported, so it is not shown as it is.
                let is_final = kinds_of(&strict.value) != kind::NONE;
                assert_eq!(last.value(""), is_final.then_some(strict.value), "{text:?}");
            }
            (Some(_), end) => panic!("{text:?} {end:?}"),
            (None, Some(ScanEnd::Complete(end))) => {
                bad += 1;
                assert!(!text[end..].trim().is_empty(), "{text:?}");
                let strict = strict::parse(&text[..end], &Keys::default()).map(|strict| strict.value);
                assert_eq!(last.value(""), strict.filter(|value| kinds_of(value) != kind::NONE), "{text:?}");
            }
            (None, Some(ScanEnd::NotStrict(at))) => {
                bad += 1;
                assert!(at <= text.len(), "{text:?}");
                assert_ne!(last.state(""), PartState::Done);
            }
            (None, None) => assert_ne!(last.state(""), PartState::Done, "{text:?}"),
        }
    }
    assert!(good > 500 && bad > 500, "{good} {bad}");
}

/// The value known after `text`, and where the scanner stopped.
fn so_far(text: &str) -> (Option<Value>, Option<ScanEnd>) {
    let mut scanner = Scanner::new(everything(), 128);
    scanner.push(text);
    (snapshot(&scanner).value(""), scanner.end)
}

#[test]
fn numbers_and_words_are_shown_when_they_are_complete() {
    for (text, known) in [
        ("[12", json!([])),
        ("[12,", json!([12])),
        ("[1e", json!([])),
        ("[1e5 ", json!([])),
        ("[1e5 ,", json!([1e5])),
        ("[1e5 x", json!([])),
        ("[2024-", json!([])),
        ("[tru", json!([])),
        ("[true", json!([])),
        ("[true]", json!([true])),
        ("[trueish", json!([])),
        ("[null\n,", json!([null])),
        ("{\"a\": -", json!({})),
        ("{\"a\": 0}", json!({"a": 0})),
        ("[\"", json!([])),
        ("[\"a", json!(["a"])),
        ("[\"a\\", json!(["a"])),
        ("[\"a\\ud83e", json!(["a"])),
        ("[\"a\\ud83e\\udd80", json!(["a🦀"])),
        ("[\"\"", json!([])),
        ("[\"\",", json!([""])),
        ("{\"a\"", json!({})),
        ("{\"a\":[", json!({"a": []})),
    ] {
        assert_eq!(so_far(text).0, Some(known), "{text}");
    }
}

#[test]
fn it_stops_after_the_first_token_or_escape_that_is_not_strict() {
    for (text, at) in [
        ("[1,]", 3),
        ("[01]", 3),
        ("[1.]", 3),
        ("[+1]", 1),
        ("[.5]", 1),
        ("[1e999]", 6),
        ("[nan]", 4),
        ("['a']", 1),
        ("{a: 1}", 1),
        ("{\"a\" 1}", 5),
        ("{\"a\": 1, \"a\": 2}", 11),
        ("[\"\\x\"]", 4),
        ("[\"\\ud83e\"]", 8),
        ("[\"\\ud83e\\n\"]", 8),
        ("[\"\\ud83e\\u0041\"]", 8),
        ("[\"\\udd80\"]", 8),
        ("[\"\n\"]", 3),
        ("[1 2]", 3),
        ("[1}", 2),
        ("# [1]", 0),
        ("[1] // one", usize::MAX),
    ] {
        let end = if at == usize::MAX { ScanEnd::Complete(3) } else { ScanEnd::NotStrict(at) };
        assert_eq!(so_far(text).1, Some(end), "{text}");
    }
}

#[test]
fn levels_of_brackets_are_bounded_as_in_the_strict_reader() {
    for levels in [127, 128, 129] {
        let text = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let mut scanner = Scanner::new(everything(), 127);
        scanner.push(&text);
        let is_strict = strict::parse(&text, &Keys::default()).is_some();
        assert_eq!(matches!(scanner.end, Some(ScanEnd::Complete(_))), is_strict, "{levels}");
    }
}

#[test]
fn a_scalar_by_itself_ends_with_the_text() {
    for (text, end) in [
        ("12", Some(ScanEnd::Complete(2))),
        ("12 ", Some(ScanEnd::Complete(3))),
        ("\"a\"", Some(ScanEnd::Complete(3))),
        ("\"a\" b", Some(ScanEnd::NotStrict(4))),
        ("1.", Some(ScanEnd::NotStrict(2))),
        ("[12", None),
    ] {
        let mut scanner = Scanner::new(everything(), 128);
        scanner.push(text);
        scanner.finish();
        assert_eq!(scanner.end, end, "{text}");
    }
}

#[test]
fn a_duplicate_key_is_found_among_many() {
    let keys: Vec<_> = (0..1000).map(|n| format!("\"k{n}\": {n}")).collect();
    for key in ["k3", "k500"] {
        let text = format!("{{{}, \"{key}\": 1}}", keys.join(", "));
        assert!(matches!(so_far(&text).1, Some(ScanEnd::NotStrict(at)) if at == text.len() - 5), "{key}");
    }
    assert_eq!(so_far(&format!("{{{}}}", keys.join(", "))).0.unwrap()["k999"], 999);
}

#[test]
fn a_pointer_leads_where_rfc_6901_says() {
    let mut scanner = Scanner::new(everything(), 128);
    scanner.push(r#"{"a/b": [[1], "x"], "~": {"0": true, "": null}, "#);
    let snapshot = snapshot(&scanner);
    for (pointer, value) in [
        ("/a~1b/0/0", Some(json!(1))),
        ("/a~1b/1", Some(json!("x"))),
        ("/~0/0", Some(json!(true))),
        ("/~0/", Some(json!(null))),
        ("/a~1b/00", None),
        ("/a~1b/+0", None),
        ("/a~1b/2", None),
        ("/a~1b/1/0", None),
        ("a", None),
    ] {
        assert_eq!(snapshot.value(pointer), value, "{pointer}");
    }
    assert_eq!((snapshot.len(""), snapshot.len("/a~1b"), snapshot.len("/~0/0")), (Some(2), Some(2), None));
}

#[test]
fn an_early_snapshot_stays_as_it_was() {
    let mut scanner = Scanner::new(everything(), 128);
    scanner.push("[\"a");
    let early = snapshot(&scanner);
    scanner.push("b\", {\"n\": 1}]");
    assert_eq!((early.value(""), early.state("")), (Some(json!(["a"])), PartState::Writing));
    let late = snapshot(&scanner);
    assert_eq!((late.value(""), late.state("")), (Some(json!(["ab", {"n": 1}])), PartState::Done));
    assert!(
        late.mark() != early.mark()
            && early.agrees_with(&json!(["abc"]))
            && !late.agrees_with(&json!(["abc"]))
    );
}

#[test]
fn a_snapshot_agrees_with_what_the_value_may_become() {
    for (text, value, agrees) in [
        ("", json!(1), true),
        ("[1, 2", json!([1, 3]), true),
        ("[1, 2]", json!([1, 2]), true),
        ("[1, 2]", json!([1, 2, 3]), false),
        ("[1, 2, ", json!([1]), false),
        ("[1, ", json!([2]), false),
        ("{", json!([]), false),
        ("{\"a\": 1", json!({}), true),
        ("{\"a\": 1,", json!({"b": 1}), false),
        ("{\"a\": 1", json!({"b": 1, "a": 1}), true),
        ("{\"a\": 1}", json!({"b": 1, "a": 1}), false),
        ("[\"a", json!(["ab"]), true),
        ("[\"a\"", json!(["ab"]), true),
        ("[\"a\",", json!(["ab"]), false),
        ("[\"b", json!(["ab"]), false),
        ("[\"a", json!([1]), false),
        ("[true,", json!([false]), false),
        ("[null,", json!([0]), false),
        ("[nul", json!([0]), true),
    ] {
        let mut scanner = Scanner::new(everything(), 128);
        scanner.push(text);
        assert_eq!(snapshot(&scanner).agrees_with(&value), agrees, "{text} {value}");
    }
}
