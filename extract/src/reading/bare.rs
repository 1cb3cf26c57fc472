//! The ends of a reply that are format and not content: marks of chat templates, closed reasoning before the
//! answer, white space and invisible characters.
//!
//! They are taken off before anything else looks at the reply, so that no rule about how a reply begins or ends
//! depends on them.

use std::ops::Range;

use super::{
    locate::reasoning::{MARKS, TURN_MARKS, leading},
    options::ReplyEnd,
    prose::{ANSWER_TAGS, first_bytes},
    receipt::Note,
};
use crate::vocabulary::{
    change::{Change, ChangeKind, Loss},
    path::Path,
};

/// Marks of chat templates before the text of an answer, by the templates that the models' repositories publish.
const HEADERS: [&str; 16] = [
    "<s>",
    "<bos>",
    "<|begin_of_text|>",
    "<|im_start|>assistant",
    "<|start_header_id|>assistant<|end_header_id|>",
    "<|start|>assistant",
    "<|channel|>final<|message|>",
    "<|channel|>final <|constrain|>json<|message|>",
    "<|assistant|>",
    "<|begin_of_solution|>",
    "<|START_RESPONSE|>",
    "<start_of_turn>model",
    "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
    "<|start_of_role|>assistant<|end_of_role|>",
    "<｜Assistant｜>",
    "[/INST]",
];

/// The marks that a reply may start with: headers, and those that open reasoning.
pub(crate) fn template_marks() -> impl Iterator<Item = &'static str> + Clone {
    HEADERS.into_iter().chain(MARKS.into_iter().map(|(open, _)| open))
}

/// The mark of a channel, before each message of gpt-oss.
const MESSAGE: &str = "<|channel|>";

/// Most white space before the first words of a line that belongs to no structure, as in Markdown.
const MAX_INDENT: usize = 3;

/// Bytes in which the second line is looked for.
const MAX_LINE: usize = 1 << 10;

/// The part of a reply between its format.
#[derive(Debug)]
pub(super) struct BareReply<'t> {
    reply: &'t str,
    span: Range<usize>,
    /// Whether a mark says that the turn ends.
    has_ended: bool,
    /// Whether that mark or a tag says that the answer is complete.
    pub(super) is_complete: bool,
}

impl<'t> BareReply<'t> {
    /// The part of `reply` without format at its ends. `None` if it has none, or nothing else.
    pub(super) fn of(reply: &'t str, reply_end: ReplyEnd) -> Option<Self> {
        // Most replies are an object alone.
        if reply.starts_with('{') && reply.ends_with('}') {
            return None;
        }
        let start = start(reply);
        let (body, has_ended) = without_marks(&reply[start..]);
        let has_all = has_ended || reply_end == ReplyEnd::Whole;
        // A line break after a number says that it is complete.
        let body =
            if has_all { body.trim_end_matches(|c: char| c.is_whitespace() && c != '\n') } else { body };
        let tagged = in_answer_tags(body);
        let is_complete = has_ended || tagged.is_some();
        let span = tagged.unwrap_or(0..body.len());
        let span = start + span.start..start + span.end;
        let is_bare = span == (0..reply.len()) || reply[span.clone()].trim().is_empty();
        (!is_bare).then_some(Self { reply, span, has_ended, is_complete })
    }

    pub(super) fn text(&self) -> &'t str {
        &self.reply[self.span.clone()]
    }

    /// Where the text starts in the reply.
    pub(super) fn start(&self) -> usize {
        self.span.start
    }

    /// The format before and after the text.
    pub(super) fn changes(&self) -> impl Iterator<Item = Change> {
        let after = if self.has_ended { ChangeKind::AnotherTurn } else { ChangeKind::Surroundings };
        let ends = [(0..self.span.start, ChangeKind::Surroundings), (self.span.end..self.reply.len(), after)];
        let ends = ends.into_iter().filter(|(span, _)| !self.reply[span.clone()].trim().is_empty());
        ends.map(|(span, kind)| Note::new(kind, Loss::Ignored, span).into_change(Path::root(), self.reply))
    }
}

/// The part of `text` between tags that call it the answer, if nothing is around them.
fn in_answer_tags(text: &str) -> Option<Range<usize>> {
    let text = text.trim_end();
    let (name, inside) =
        text.strip_prefix('<')?.split_once('>').filter(|(name, _)| ANSWER_TAGS.contains(name))?;
    let inside = inside.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?;
    let start = name.len() + "<>".len();
    let is_one = !inside.contains(&text[..start]) && !inside.contains(&format!("</{name}>"));
    // As text of XML, `&amp;` is one character.
    let has_entity = inside.split_once('&').is_some_and(|(_, rest)| rest.contains(';'));
    (is_one && !has_entity).then(|| start..start + inside.len())
}

/// Where the text begins.
fn start(reply: &str) -> usize {
    let mut start = 0;
    loop {
        let text = without_blank(&reply[start..]);
        start = reply.len() - text.len();
        // Of several messages, each keeps its header.
        let is_last = |header: &str| !header.contains(MESSAGE) || !text[header.len()..].contains(MESSAGE);
        let header = HEADERS.into_iter().find(|header| text.starts_with(*header) && is_last(header));
        let reasoning = leading(text);
        match header {
            Some(header) => start += header.len(),
            None if reasoning.end > 0 && !reasoning.is_open => start += reasoning.end,
            None => return start,
        }
    }
}

/// `text` without blank lines and invisible characters before it, and without white space before its first line if
/// the second one has none.
fn without_blank(text: &str) -> &str {
    let inner = text.trim_start_matches(|c: char| c.is_whitespace() || is_invisible(c));
    let blank = &text[..text.len() - inner.len()];
    let indent = blank.rsplit(['\n', '\u{feff}']).next().map_or(0, str::len);
    let is_indented =
        first_bytes(inner, MAX_LINE).lines().nth(1).is_some_and(|line| line.starts_with([' ', '\t']));
    if indent > MAX_INDENT || is_indented { &text[blank.len() - indent..] } else { inner }
}

/// `text` without marks and invisible characters at its end, and whether there was a mark.
fn without_marks(mut text: &str) -> (&str, bool) {
    let mut has_mark = false;
    loop {
        let body = text.trim_end();
        let mark = TURN_MARKS.iter().find_map(|mark| body.strip_suffix(mark));
        has_mark |= mark.is_some();
        match mark.or_else(|| body.strip_suffix(is_invisible)) {
            Some(before) => text = before,
            None => return (text, has_mark),
        }
    }
}

/// Returns whether `c` has no width and no meaning at the end of a text: a byte order mark, a zero-width space.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{feff}' | '\u{200b}' | '\u{2060}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bare(reply: &str) -> Option<(&str, bool)> {
        BareReply::of(reply, ReplyEnd::Unknown).map(|bare| (bare.text(), bare.is_complete))
    }

    #[test]
    fn format_at_the_ends_is_taken_off() {
        for (reply, text, has_ended) in [
            ("\u{feff}1", "1", false),
            ("1\u{200b}", "1", false),
            ("\n \n1", "1", false),
            ("<think>2</think>\n1", "1", false),
            ("<|im_start|>assistant\n1<|im_end|>\n", "1", true),
            ("<think>2</think>\n<answer>1</answer>", "1", true),
            ("<s>[/INST] 1 </s>", "1", true),
            ("<|start|>assistant<|channel|>final<|message|>1<|return|>", "1", true),
            (
                "<|channel|>analysis<|message|>2<|end|><|start|>assistant<|channel|>final<|message|>1",
                "1",
                false,
            ),
        ] {
            assert_eq!(bare(reply), Some((text, has_ended)), "{reply}");
        }
    }

    #[test]
    fn all_else_is_content() {
        for reply in [
            "1",
            "1\n",
            "1 ",
            "    - a\n    - b",
            "  - a\n  - b",
            "<think>1",
            "\u{feff}",
            "</s>",
            "\"</s>\"",
            "<b>1</b>",
            "<answer>1</answer> <answer>2</answer>",
        ] {
            assert_eq!(bare(reply), None, "{reply}");
        }
        // Of several messages, the headers say for whom each is.
        let messages = "<|channel|>final<|message|>1<|end|><|start|>assistant<|channel|>final<|message|>2";
        assert_eq!(bare(messages), None);
    }
}
