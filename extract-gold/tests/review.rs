//! Decisions of several reviewers in one file.

use std::{fs, io::Write as _, path::PathBuf, thread};

use extract_gold::{GoldDocument, GoldError, GoldSet, ReviewError, ReviewFile};
use serde_json::json;

fn file(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("review-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder.join("gold.jsonl")
}

fn decision(key: &str, guests: u32) -> GoldDocument {
    GoldDocument::new(format!("text of {key}"), json!({"guests": guests})).with_key(key)
}

#[test]
fn nobody_overwrites_what_they_did_not_see() {
    let path = file("conflict");
    let (mut ann, mut bob) = (ReviewFile::open(&path).unwrap(), ReviewFile::open(&path).unwrap());
    assert_eq!(ann.decide(decision("a", 1), 0).unwrap(), 1);
    assert_eq!(bob.decide(decision("b", 5), 0).unwrap(), 1, "another document");
    assert!(matches!(bob.decide(decision("a", 2), 0), Err(ReviewError::Conflict { version: 1, .. })));
    assert_eq!(GoldSet::read(&path).unwrap().documents()[0].value, json!({"guests": 1}));
    assert_eq!(bob.decide(decision("a", 2), 1).unwrap(), 2, "after a look");
    ann.refresh().unwrap();
    assert_eq!((ann.version("a"), &ann.get("a").unwrap().value), (2, &json!({"guests": 2})));
    assert!(ann.get("a").unwrap().checked_at.is_some());
}

#[test]
fn of_many_reviewers_at_once_one_decides() {
    let path = file("race");
    let decided: usize = thread::scope(|scope| {
        let reviewers: Vec<_> = (0..8)
            .map(|reviewer| {
                let path = &path;
                scope.spawn(move || {
                    let mut file = ReviewFile::open(path).unwrap();
                    (0..20).filter(|n| file.decide(decision(&n.to_string(), reviewer), 0).is_ok()).count()
                })
            })
            .collect();
        reviewers.into_iter().map(|reviewer| reviewer.join().unwrap()).sum()
    });
    assert_eq!(decided, 20);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 20);
}

#[test]
fn a_withdrawn_decision_is_not_gold() {
    let path = file("withdrawn");
    let mut file = ReviewFile::open(&path).unwrap();
    file.decide(decision("a", 1), 0).unwrap();
    let mut back = decision("a", 1);
    back.withdrawn = true;
    assert_eq!(file.decide(back, 1).unwrap(), 2);
    assert!(file.get("a").is_none() && file.decisions().next().is_none());
    assert!(GoldSet::read(&path).unwrap().is_empty());
    file.decide(decision("a", 3), 2).unwrap();
    assert_eq!(GoldSet::read(&path).unwrap().len(), 1);
}

/// A process that is killed while it writes leaves a part of a line of any length.
#[test]
fn half_a_line_loses_nothing() {
    let path = file("half");
    let mut file = ReviewFile::open(&path).unwrap();
    file.decide(decision("a", 1), 0).unwrap();
    let whole = fs::read(&path).unwrap();
    for cut in 1..whole.len() {
        fs::write(&path, &whole).unwrap();
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(&whole[..cut]).unwrap();
        // All but the line break is a complete decision.
        let is_complete = cut == whole.len() - 1;
        let version = if is_complete { 2 } else { 1 };
        assert_eq!(GoldSet::read(&path).unwrap().len(), 1, "{cut}");
        let mut file = ReviewFile::open(&path).unwrap();
        assert_eq!(file.version("a"), version, "{cut}");
        assert_eq!(file.decide(decision("b", 2), 0).unwrap(), 1, "{cut}");
        assert_eq!(file.decide(decision("a", 9), version).unwrap(), version + 1, "{cut}");
        assert_eq!(ReviewFile::open(&path).unwrap().version("a"), version + 1, "{cut}");
        assert_eq!(GoldSet::read(&path).unwrap().len(), 2, "{cut}");
    }
}

#[test]
fn a_line_of_something_else_is_an_error_with_its_number() {
    let path = file("other");
    fs::write(&path, "{\"text\": \"a\", \"value\": 1}\n{\"guests\": 2}\n").unwrap();
    let error = ReviewFile::open(&path).unwrap_err().to_string();
    assert!(error.contains("line 2"), "{error}");
}

#[test]
fn all_wrong_lines_are_named_at_once_and_again() {
    let path = file("several");
    let right = "{\"key\": \"a\", \"value\": 1}\n";
    fs::write(&path, right).unwrap();
    let mut file = ReviewFile::open(&path).unwrap();
    fs::write(&path, [right, "no JSON\n", right, "\n", &"{}\n".repeat(11), "{\"key\""].concat()).unwrap();
    for _ in 0..2 {
        let error = file.refresh().unwrap_err();
        assert!(
            matches!(&error, GoldError::Lines { lines, more: 2, .. }
                if lines.iter().map(|line| line.line).eq([2].into_iter().chain(5..14))),
            "{error}"
        );
        assert_eq!(file.version("a"), 1, "lines after a wrong one are not taken");
    }
    fs::write(&path, "[\n{\"key\": \"a\", \"value\": 1}\n]\n").unwrap();
    let error = ReviewFile::open(&path).unwrap_err().to_string();
    assert!(error.contains("line 1: a JSON array") && !error.contains("line 3"), "{error}");
}
