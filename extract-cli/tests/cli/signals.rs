//! Ctrl-C: the first time what is in flight is finished, the second time it ends.

use std::{
    io::{BufRead as _, BufReader},
    process::{Child, Command},
};

use crate::{
    gate::Gate,
    job::{args, gold, lines, place, run, shared},
    program::{Ended, Place},
    server::{Response, Server},
};

fn interrupt(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
}

/// A job whose first reply is held back, and its first signal was seen.
fn interrupted<'p>(place: &'p Place, server: &Server, gate: &Gate) -> (Child, impl std::io::Read + use<'p>) {
    let words = args("run", server, &["-o", "out.jsonl", "-n", "1"]);
    let mut child = place.command(&words).spawn().unwrap();
    gate.is_met();
    interrupt(&child);
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("finishing what is in flight") {
        line.clear();
        assert_ne!(err.read_line(&mut line).unwrap(), 0, "the program has ended");
    }
    (child, err)
}

#[test]
fn the_first_time_what_is_in_flight_is_finished() {
    let (gate, at_server) = shared(Gate::default());
    let server = Server::new(move |asked| {
        at_server.pass();
        Response::Reply(gold(asked).unwrap())
    });
    let place = place();
    let (child, err) = interrupted(&place, &server, &gate);
    assert!(place.run(&["inspect", "out.jsonl"]).code(0).out.contains("in flight or next; it is in use by"));
    gate.open();
    let ended = Ended::of(child).code(3);
    assert_eq!((ended.out.as_str(), server.asked().len()), ("", 1));
    let told: Vec<_> = BufReader::new(err).lines().map(Result::unwrap).collect();
    assert!(told.iter().any(|line| line.contains("1 done")), "{told:?}");
    assert!(told.iter().any(|line| line.contains("stopped: not every document has an outcome")), "{told:?}");
    run(&place, &server, &["-o", "out.jsonl"]).code(0).says("1 known before; 11 requests");
    assert_eq!(lines(&place.text("out.jsonl")).len(), 12);
}

#[test]
fn the_second_time_it_ends() {
    let (gate, at_server) = shared(Gate::default());
    let server = Server::new(move |asked| {
        at_server.pass();
        Response::Reply(gold(asked).unwrap())
    });
    let place = place();
    let (child, _err) = interrupted(&place, &server, &gate);
    interrupt(&child);
    Ended::of(child).code(130);
    gate.open();
    run(&place, &server, &["-o", "out.jsonl"]).code(0);
    assert_eq!((server.asked().len(), lines(&place.text("out.jsonl")).len()), (13, 12));
}
