//! Text that is not part of the answer: the reasoning before it, and other turns after it.
//!
//! A model that does not stop keeps writing, often the next question and its answer. The reply ends
//! at the mark that ends its turn, or where somebody else speaks.

use std::ops::Range;

use crate::reading::{parse::is_space, prose::starts_like};

/// Opening and closing marks. One block may be closed by either of two marks.
pub(crate) const MARKS: [(&str, &str); 22] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<thoughts>", "</thoughts>"),
    ("<antThinking>", "</antThinking>"),
    ("<inner_monologue>", "</inner_monologue>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<mm:think>", "</mm:think>"),
    ("<draft>", "</draft>"),
    ("<unused94>thought", "<unused95>"),
    ("<seed:think>", "</seed:think>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<analysis>", "</analysis>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
];

/// Reasoning at the start of a reply.
pub(crate) struct Leading {
    /// Where it ends.
    pub(crate) end: usize,
    /// Whether the reply ends inside it.
    pub(crate) is_open: bool,
}

/// Returns `text` without the reasoning at its start, in the marks of any model. It is empty if the reasoning is
/// not closed.
///
/// ```
/// use extract::reading::without_reasoning;
///
/// assert_eq!(without_reasoning("<think>Six? No.</think>8"), "8");
/// assert_eq!(without_reasoning("<think>Six? No."), "");
/// assert_eq!(without_reasoning("8"), "8");
/// ```
pub fn without_reasoning(text: &str) -> &str {
    &text[leading(text).end..]
}

/// The reasoning blocks at the start of the reply. Without a closing mark, all of the reply is
/// reasoning.
///
/// Only blocks at the start count, so a mark inside a string of the answer stays part of it.
pub(crate) fn leading(reply: &str) -> Leading {
    let mut end = 0;
    loop {
        let rest = &reply[end..];
        let text = rest.trim_start_matches(is_space);
        let Some(open) = opening(text) else { return Leading { end, is_open: false } };
        let body = end + (rest.len() - text.len()) + open.len();
        match closed(&reply[body..], open) {
            Some(length) => end = body + length,
            None => return Leading { end: reply.len(), is_open: true },
        }
    }
}

/// The mark that opens reasoning at the start of `text`.
pub(crate) fn opening(text: &str) -> Option<&'static str> {
    MARKS.iter().map(|(open, _)| *open).find(|open| starts_like(text, open))
}

/// The marks that close reasoning that began with `open`.
pub(crate) fn closings(open: &str) -> impl Iterator<Item = &'static str> {
    MARKS.iter().filter(move |(other, _)| *other == open).map(|(_, close)| *close)
}

/// Where the reasoning in `text` that began with `open` is closed.
pub(crate) fn closed(text: &str, open: &str) -> Option<usize> {
    // All of them begin with the same character as the opening mark, which has no case.
    let first = open.chars().next()?;
    let ends = |at: usize| {
        closings(open).find(|close| starts_like(&text[at..], close)).map(|close| at + close.len())
    };
    text.match_indices(first).find_map(|(at, _)| ends(at))
}

/// Reasoning further on in a reply.
#[derive(Debug, Default)]
pub(super) struct Later {
    /// The closed blocks. The opening mark of the first may have been part of the prompt.
    pub(super) blocks: Vec<Range<usize>>,
    /// Where unclosed reasoning starts.
    pub(super) open: Option<usize>,
}

impl Later {
    /// Returns whether byte `at` is inside a closed block.
    pub(super) fn is_in_block(&self, at: usize) -> bool {
        let after = self.blocks.partition_point(|block| block.start <= at);
        self.blocks[..after].last().is_some_and(|block| at < block.end)
    }

    /// Where the last block ends.
    pub(super) fn end(&self) -> usize {
        self.blocks.last().map_or(0, |block| block.end)
    }
}

/// Bytes that are searched for marks together.
const PART: usize = 64;

/// The reasoning from byte `start` on, by marks outside any value.
pub(super) fn later(reply: &str, start: usize, is_in_value: impl Fn(usize) -> bool) -> Later {
    let mut later = Later::default();
    // The first characters of all marks, by their first bytes; most marks share one.
    let starts_mark = |at: &usize| match reply.as_bytes()[*at] {
        b'<' | b'[' => true,
        0xe2 => reply[*at..].starts_with('◁'),
        _ => false,
    };
    // Most parts of a reply have none of these bytes, and many are compared at once.
    let may_have_mark = |from: &usize| {
        let part = &reply.as_bytes()[*from..reply.len().min(*from + PART)];
        part.iter().filter(|byte| matches!(byte, b'<' | b'[' | 0xe2)).count() > 0
    };
    let parts = (start..reply.len()).step_by(PART).filter(may_have_mark);
    // After the header of another channel, the mark of the final one does not end reasoning that was opened before
    // the reply.
    let channel = reply.find("<|channel|>");
    for at in parts.flat_map(|from| from..reply.len().min(from + PART)).filter(starts_mark) {
        let text = &reply[at..];
        let closing = MARKS.iter().find(|(_, close)| starts_like(text, close));
        if closing.is_none() && opening(text).is_none() || is_mentioned(reply, at) || is_in_value(at) {
            continue;
        }
        match (closing, later.open) {
            (None, open) => later.open = Some(open.unwrap_or(at)),
            (Some((_, close)), Some(open)) => {
                later.open = None;
                later.blocks.push(open..at + close.len());
            }
            // This mark also ends a turn, so it closes only what was opened.
            (Some((_, close)), None)
                if *close != "<|end|>" && channel.is_none_or(|channel| channel >= at) =>
            {
                // Without an opening mark, all that precedes it is reasoning.
                later.blocks.push(later.end().max(start)..at + close.len());
            }
            (Some(_), None) => {}
        }
    }
    later
}

/// Returns whether the mark at byte `at` is only mentioned, in quotes or as code.
fn is_mentioned(reply: &str, at: usize) -> bool {
    reply[..at].ends_with(['`', '"', '\'', '“', '‘'])
}

/// Marks of chat templates that end a turn or begin another one.
pub(crate) const TURN_MARKS: [&str; 21] = [
    "<|END_RESPONSE|>",
    "<|end_of_solution|>",
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
pub(super) fn turn_end(reply: &str, start: usize, is_in_value: impl Fn(usize) -> bool) -> Option<usize> {
    let text = &reply[start..];
    let marks = text.match_indices(['<', '[', '#']).map(|(at, _)| at);
    let mark = marks.map(|at| start + at).find(|at| is_mark(&reply[*at..]) && !is_in_value(*at));
    let lines = text.match_indices('\n').map(|(at, _)| start + at + 1);
    let turn = lines.take_while(|at| mark.is_none_or(|mark| *at < mark));
    let turn = turn.into_iter().find(|at| is_turn(&reply[*at..]) && !is_in_value(*at));
    turn.or(mark)
}

fn is_mark(text: &str) -> bool {
    // gpt-oss ends a message so, and goes on with the next one of the same turn.
    let is_message = || text.starts_with("<|end|><|start|>assistant");
    TURN_MARKS.iter().any(|mark| text.starts_with(mark)) && !is_message()
}

/// Returns whether somebody else speaks in a line of `text`: it is a part of a conversation.
pub(crate) fn has_turn(text: &str) -> bool {
    text.lines().any(is_turn)
}

fn is_turn(line: &str) -> bool {
    SPEAKERS.iter().any(|speaker| {
        starts_like(line, speaker) && is_spoken(&line[..speaker.len()], &line[speaker.len()..])
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
            ("1<|end|><|start|>assistant<|channel|>final", ""),
            ("1<|end|><|user|>2", "1"),
            ("a < b, [x] # y", ""),
        ] {
            let end = turn_end(reply, 0, |_| false);
            assert_eq!(end.map_or("", |end| &reply[..end]), expected, "{reply}");
        }
        assert_eq!(turn_end("\"</s>\"", 0, |at| at == 1), None, "inside of a value");
    }
}
