//! What models think aloud before they answer.

/// Opening and closing marks.
const MARKS: [(&str, &str); 11] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<analysis>", "</analysis>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("[think]", "[/think]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
];

/// Where the reasoning blocks end that the reply starts with; without a closing mark all of it is reasoning.
///
/// Only blocks at the start count, so that a mark inside a string of the answer stays what it is.
pub(super) fn leading(reply: &str) -> usize {
    let mut start = 0;
    loop {
        let rest = &reply[start..];
        let text = rest.trim_start_matches(super::super::parse::is_space);
        let opening = MARKS.iter().find(|(open, _)| starts_with(text, open));
        let Some((open, close)) = opening else { return start };
        let body = start + (rest.len() - text.len()) + open.len();
        match find(&reply[body..], close) {
            Some(end) => start = body + end + close.len(),
            None => return reply.len(),
        }
    }
}

/// Where reasoning ends whose opening mark was part of the prompt, or does not stand at the start: behind a closing
/// mark that stands in no value.
pub(super) fn unopened(reply: &str, is_in_value: impl Fn(usize) -> bool) -> usize {
    // The first characters of all closing marks; most of them share one.
    let ends = ['<', '[', '◁'].into_iter().filter_map(|first| {
        let mut places = reply.match_indices(first).map(|(at, _)| at);
        places.find_map(|at| {
            let found = MARKS.iter().find(|(_, close)| starts_with(&reply[at..], close));
            found.filter(|_| !is_in_value(at)).map(|(_, close)| at + close.len())
        })
    });
    ends.min().unwrap_or(0)
}

fn starts_with(text: &str, mark: &str) -> bool {
    text.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark))
}

/// The first place of `mark` in `text`, whatever its case. All marks start with a character that has none.
fn find(text: &str, mark: &str) -> Option<usize> {
    let first = mark.chars().next()?;
    text.match_indices(first).map(|(at, _)| at).find(|at| starts_with(&text[*at..], mark))
}
