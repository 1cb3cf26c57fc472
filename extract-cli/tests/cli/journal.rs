//! `extractable journal`.

use crate::{
    job::{args, lines, place, right, right_but_for, rows, run},
    program::Place,
};

#[test]
fn journals_of_two_machines_become_one() {
    let (place, here, there) = (place(), right_but_for("18 days"), right());
    run(&place, &here, &["-o", "here.jsonl"]).code(1);
    run(&place, &there, &["-o", "there.jsonl"]).code(0);
    let ended = place.run(&["journal", "merge", "here.jsonl", "there.jsonl.journal"]).code(0);
    assert!(ended.out.ends_with("0 documents added, 12 replaced, 0 kept\n"), "{}", ended.out);
    let letters = place.run(&["inspect", "here.jsonl", "--failed"]).code(0).out;
    assert_eq!(letters, "", "the answer counts");
    let exported = lines(&place.run(&["export", "here.jsonl"]).code(0).out);
    assert_eq!((exported.len(), &exported[1]["value"]), (12, &rows()[1]["gold"]));

    let again = place.run(&["--json", "journal", "merge", "here.jsonl", "there.jsonl"]).code(0);
    assert_eq!(lines(&again.out)[0]["merged"]["added"], 0);
    place.run(&["journal", "merge", "here.jsonl"]).code(2).says("<OTHER>");
    place.run(&["journal", "merge", "here.jsonl", "none.jsonl"]).code(2).says("there is no journal");
}

#[test]
fn a_compacted_journal_is_smaller_and_knows_the_same() {
    let (place, server) = (place(), right());
    run(&place, &server, &["-o", "out.jsonl"]).code(0);
    let bytes = |place: &Place| std::fs::metadata(place.path("out.jsonl.journal")).unwrap().len();
    let before = bytes(&place);
    let ended = place.run(&["journal", "compact", "out.jsonl"]).code(0);
    assert!(bytes(&place) <= before);
    assert_eq!(ended.out, format!("{} bytes, {before} before\n", bytes(&place)));
    place.run(&args("run", &server, &["-o", "out.jsonl"])).code(0).says("12 known before; 0 requests");
}

#[test]
fn a_damaged_journal_is_one_error_and_no_panic() {
    let (place, server) = (place(), right());
    run(&place, &server, &["-o", "out.jsonl"]).code(0);
    let whole = std::fs::read(place.path("out.jsonl.journal")).unwrap();
    let mut damaged = 0;
    for page in 1..whole.len() / 4096 {
        let mut bytes = whole.clone();
        bytes[page * 4096..][..64].fill(0xff);
        place.write("out.jsonl.journal", bytes);
        let ended = place.run(&["inspect", "out.jsonl"]);
        assert!(!ended.err.contains("panicked"), "{}", ended.err);
        damaged += usize::from(ended.code == Some(5));
    }
    assert!(damaged > 0);
}
