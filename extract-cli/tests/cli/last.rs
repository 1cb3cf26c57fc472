//! The last documents of a job, of which a program says that it cannot take them.

use crate::{
    job::lines,
    program::{GOOD, Place},
};

/// A program that cannot read some documents (66 of `sysexits.h`), or is broken (78).
fn program(code: u32) -> String {
    format!("sh -c 'case $(cat) in *stain*) exit {code};; esac; cat reply'")
}

fn place() -> Place {
    let place = Place::new();
    place.write("reply", GOOD);
    place.write("docs/a.txt", "an invoice");
    place
}

#[test]
fn documents_that_a_program_refuses_are_dead_letters_in_a_later_run_too() {
    let place = place();
    let program = program(66);
    let job = ["run", "-s", "invoice.json", "docs", "-o", "out.jsonl", "--command", &program];
    place.run(&job).code(0);
    for number in 0..15 {
        place.write(&format!("docs/b{number}.txt"), "a stain");
    }
    place.run(&job).code(1).says("1 done, 15 failed, 1 known before");
    place.run(&job).code(1).says("16 known before; 0 requests");
    assert_eq!(lines(&place.text("out.jsonl")).len(), 16);
}

#[test]
fn a_program_that_is_broken_costs_no_document() {
    let place = place();
    let program = program(78);
    let job = ["run", "-s", "invoice.json", "docs", "-o", "out.jsonl", "--command", &program];
    place.run(&job).code(0);
    place.write("docs/b.txt", "a stain");
    place.run(&job).code(4).says("the agent refuses every request");
    place.write("docs/b.txt", "an invoice");
    place.run(&job).code(0).says("2 done, 1 known before");
}
