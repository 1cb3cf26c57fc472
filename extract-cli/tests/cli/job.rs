//! What the tests of jobs share: real messages, and servers that know the answers.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    program::{Ended, Place},
    server::{Response, Server},
};

/// Messages to a restaurant with what they say, that nobody here wrote.
pub(crate) const MESSAGES: &str = include_str!("../fixtures/messages.jsonl");

/// A folder with the messages and their schema.
pub(crate) fn place() -> Place {
    let place = Place::new();
    place.write("booking.json", include_str!("../fixtures/booking.json"));
    place.write("messages.jsonl", MESSAGES);
    place
}

/// The rows of the messages.
pub(crate) fn rows() -> Vec<Value> {
    MESSAGES.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What the message that is asked about says.
pub(crate) fn gold(asked: &str) -> Option<String> {
    // As it stands in the body of a request.
    let text = |row: &Value| Value::String(row["text"].to_string()).to_string();
    let is_asked = |row: &Value| {
        asked.contains(text(row).trim_matches('"').trim_start_matches("\\\"").trim_end_matches("\\\""))
    };
    rows()
        .iter()
        .filter(|row| is_asked(row))
        .max_by_key(|row| row["text"].as_str().map(str::len))
        .map(|row| row["gold"].to_string())
}

/// A server that answers right.
pub(crate) fn right() -> Server {
    Server::new(|asked| Response::Reply(gold(asked).unwrap_or_else(|| panic!("no message in {asked}"))))
}

/// A server that answers right, but for the messages with `word`, which it never understands.
pub(crate) fn right_but_for(word: &'static str) -> Server {
    Server::new(move |asked| {
        let wrong = r#"{"people": {"number": 3}, "date": "<b>"}"#.to_owned();
        Response::Reply(if asked.contains(word) { wrong } else { gold(asked).unwrap() })
    })
}

/// Runs the job on the messages, with more options.
pub(crate) fn run(place: &Place, server: &Server, options: &[&str]) -> Ended {
    place.run(&args("run", server, options))
}

/// The words of the command.
pub(crate) fn args<'a>(command: &'a str, server: &'a Server, options: &[&'a str]) -> Vec<&'a str> {
    let messages = ["-s", "booking.json", "messages.jsonl", "--key", "id", "-p", "What is booked?"];
    [&[command], &messages[..], &server.options()[..], options].concat()
}

/// The lines of a text as JSON.
pub(crate) fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// Shares a value with a server.
pub(crate) fn shared<T>(value: T) -> (Arc<T>, Arc<T>) {
    let one = Arc::new(value);
    (Arc::clone(&one), one)
}
