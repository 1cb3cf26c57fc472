//! Where the reply itself ends: at the mark that ends a turn, or where somebody else speaks.
//!
//! A model that does not stop keeps writing, often the next question and its answer. None of that
//! is part of the reply.

/// Marks of chat templates that end a turn or begin another one.
const MARKS: [&str; 19] = [
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|im_end|>",
    "<|im_start|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<|end|>",
    "<|return|>",
    "<|start_header_id|>",
    "<|user|>",
    "<|end_of_turn|>",
    "<|END_OF_TURN_TOKEN|>",
    "<end_of_turn>",
    "<start_of_turn>",
    "<｜end▁of▁sentence｜>",
    "</s>",
    "<eos>",
    "[INST]",
    "### Instruction:",
];

/// Who speaks, at the start of a line and before a colon.
const SPEAKERS: [&str; 4] = ["User", "Human", "### User", "### Human"];

/// The first byte from `start` on at which the reply ends, by marks outside of any value.
pub(super) fn end(reply: &str, start: usize, is_in_value: impl Fn(usize) -> bool) -> Option<usize> {
    let text = &reply[start..];
    let marks = text.match_indices(['<', '[', '#']).map(|(at, _)| at);
    let mark = marks.map(|at| start + at).find(|at| is_mark(&reply[*at..]) && !is_in_value(*at));
    let lines = text.match_indices('\n').map(|(at, _)| start + at + 1);
    let turn = lines.take_while(|at| mark.is_none_or(|mark| *at < mark));
    let turn = turn.into_iter().find(|at| is_turn(&reply[*at..]) && !is_in_value(*at));
    turn.or(mark)
}

fn is_mark(text: &str) -> bool {
    MARKS.iter().any(|mark| text.starts_with(mark))
}

fn is_turn(line: &str) -> bool {
    SPEAKERS.iter().any(|speaker| {
        line.get(..speaker.len()).is_some_and(|start| start.eq_ignore_ascii_case(speaker))
            && is_spoken(&line[..speaker.len()], &line[speaker.len()..])
    })
}

/// Returns whether `rest`, the text after the `speaker`, is what the speaker says: it follows a
/// colon, or without a space in another script.
fn is_spoken(speaker: &str, rest: &str) -> bool {
    rest.starts_with(':')
        || speaker.starts_with(char::is_lowercase)
            && rest.starts_with(|c: char| !c.is_ascii() && c.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_ends_where_its_turn_ends_or_another_one_begins() {
        for (reply, expected) in [
            ("1<|im_end|>2", "1"),
            ("1\n\nUser: more", "1\n\n"),
            ("1\nhuman: more", "1\n"),
            ("1</s>[INST] x", "1"),
            ("1\nuser止めて", "1\n"),
            ("1\nUsers are many", ""),
            ("1 User: more", ""),
            ("a < b, [x] # y", ""),
        ] {
            let end = end(reply, 0, |_| false);
            assert_eq!(end.map_or("", |end| &reply[..end]), expected, "{reply}");
        }
        assert_eq!(end("\"</s>\"", 0, |at| at == 1), None, "inside of a value");
    }
}
