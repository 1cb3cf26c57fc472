//! Calls of the tool that takes an answer, with every argument in tags of its own, as the templates of
//! some models write them and as servers leave them in the text.
//!
//! Models: Qwen3-Coder (`tokenizer_config.json`, July 2025), Claude (prompt format of its tools before
//! the API had any), GLM-4.5 (`chat_template.jinja`, July 2025) and DeepSeek-V3.2 (`encoding_dsv32.py`,
//! December 2025).

use std::{borrow::Cow, ops::Range};

use super::{
    super::{
        envelope::may_wrap,
        node::{Data, Entry, Node},
        parse::{Parsed, is_one_value},
        prose::{after_bullet, first_bytes, unfenced},
        receipt::Note,
        spelling,
    },
    candidate::Candidate,
};
use crate::vocabulary::{
    change::{ChangeKind, Loss},
    path::Path,
};

/// The tags of one form, in the order in which they occur.
#[derive(Debug)]
struct CallTags {
    call: &'static str,
    after_name: &'static str,
    argument: &'static str,
    after_key: &'static str,
    /// What may stand before the value, after white space; empty if nothing does.
    value: &'static [&'static str],
    after_value: &'static str,
    after_call: &'static str,
}

const FORMS: [CallTags; 3] = [
    CallTags {
        call: "<function=",
        after_name: ">",
        argument: "<parameter=",
        after_key: ">",
        value: &[],
        after_value: "</parameter>",
        after_call: "</function>",
    },
    CallTags {
        call: "<invoke name=\"",
        after_name: "\">",
        argument: "<parameter name=\"",
        after_key: "\"",
        value: &[">", "string=\"true\">", "string=\"false\">"],
        after_value: "</parameter>",
        after_call: "</invoke>",
    },
    CallTags {
        call: "<tool_call>",
        after_name: "\n",
        argument: "<arg_key>",
        after_key: "</arg_key>",
        value: &["<arg_value>"],
        after_value: "</arg_value>",
        after_call: "</tool_call>",
    },
];

/// Most bytes of a name or a key.
const MAX_NAME: usize = 128;

/// The calls in `reply` from byte `start` on of the tool that takes an answer, in their order. Those of a
/// form end before the first that is not whole. Their arguments are strings.
pub(super) fn calls(reply: &str, start: usize) -> Vec<Candidate<'_>> {
    let mut calls: Vec<_> = FORMS.iter().flat_map(|form| form.calls(reply, start)).collect();
    calls.sort_by_key(|call| call.span.start);
    let mut end = start;
    calls.retain(|call| {
        let is_apart = call.span.start >= end;
        end = end.max(call.span.end);
        is_apart
    });
    calls
}

impl CallTags {
    fn calls<'t>(&self, reply: &'t str, start: usize) -> Vec<Candidate<'t>> {
        let mut calls = Vec::new();
        let mut cursor = TagCursor { reply, at: start };
        while cursor.up_to(self.call).is_some() {
            let first = reply[..cursor.at].rfind('<').unwrap_or_default();
            let Some(name) = cursor.up_to(self.after_name) else { break };
            if name.len() > MAX_NAME || !is_submit(&reply[name]) {
                continue;
            }
            let Some(entries) = self.arguments(&mut cursor) else { break };
            let span = first..cursor.at;
            let wrapper = Note::new(ChangeKind::Wrapper, Loss::Lossless, span.clone());
            let notes = vec![wrapper.after("the arguments of a call").at(Path::root())];
            let node = Node::new(span, Data::Object(entries));
            calls.push(Candidate::of(Parsed { node, notes, is_cut: false, is_guessed: false }));
        }
        calls
    }

    /// The arguments up to the end of the call, which is passed.
    fn arguments<'t>(&self, cursor: &mut TagCursor<'t>) -> Option<Vec<Entry<'t>>> {
        let reply = cursor.reply;
        let mut entries: Vec<Entry<'t>> = Vec::new();
        while !cursor.take_after_space(self.after_call) {
            cursor.take_after_space(self.argument).then_some(())?;
            let key = cursor.up_to(self.after_key).filter(|key| key.len() <= MAX_NAME)?;
            let is_value = self.value.is_empty() || self.value.iter().any(|tag| cursor.take_after_space(tag));
            is_value.then_some(())?;
            let value = without_line_breaks(reply, cursor.up_to(self.after_value)?);
            // The end of this one is missing.
            if find_tag(&reply[value.clone()], self.argument).is_some() {
                return None;
            }
            let (start, key) = (key.start, &reply[key]);
            // Two values for one key: nothing says which of them is meant.
            if entries.iter().any(|entry| entry.key == key) {
                return None;
            }
            let text = Data::Text(Cow::Borrowed(&reply[value.clone()]));
            entries.push(Entry { start, key: Cow::Borrowed(key), value: Node::new(value, text) });
        }
        Some(entries)
    }
}

/// The object whose members are all of `reply` from byte `start` on, apart from a fence and a line that leads to them:
/// each in a tag of its key, perhaps with one tag around all, or each on a line: `<city>Oslo</city>`, `city: Oslo`,
/// `- **City:** Oslo`, `city = "Oslo"`. `is_key` knows the keys. A line may be cut, so lines have to be all of the reply:
/// `is_whole`.
pub(super) fn members(
    reply: &str,
    start: usize,
    is_whole: bool,
    is_key: impl Fn(&str) -> bool,
) -> Option<Candidate<'_>> {
    let whole = unfenced(&reply[start..]);
    let text = unfenced(after_introduction(whole, &is_key));
    let pairs = if text.starts_with('<') {
        elements(text, &is_key)?
    } else {
        lines(text).or_else(|| sections(text)).filter(|_| is_whole)?
    };
    let at = |part: &str| part.as_ptr() as usize - reply.as_ptr() as usize;
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for (key, value) in pairs {
        // `N/A` is null or a text.
        if !is_key(key) || value.is_empty() || value.eq_ignore_ascii_case("n/a") {
            return None;
        }
        let bare = spelling::bare(key);
        if entries.iter().any(|entry| spelling::bare(&entry.key) == bare) {
            return None;
        }
        let data = match (serde_json::from_str::<String>(value), after_bullet(value)) {
            (Ok(quoted), _) => Data::Text(Cow::Owned(quoted)),
            (Err(_), Some(element)) if !element.contains('\n') => {
                let text = Data::Text(Cow::Borrowed(element));
                Data::List(vec![Node::new(at(element)..at(element) + element.len(), text)])
            }
            _ if value == "null" => Data::Null,
            _ => Data::Text(Cow::Borrowed(value)),
        };
        let value = Node::new(at(value)..at(value) + value.len(), data);
        entries.push(Entry { start: at(key), key: Cow::Borrowed(key), value });
    }
    let span = at(text)..at(text) + text.len();
    let wrapper = Note::new(ChangeKind::Wrapper, Loss::Lossless, span.clone());
    let notes = vec![wrapper.after("an object without brackets").at(Path::root())];
    let node = Node::new(span, Data::Object(entries));
    Some(Candidate::of(Parsed { node, notes, is_cut: false, is_guessed: false }))
}

/// `text` without a first line that leads to what follows and is no key: `Here is the trip:`.
fn after_introduction<'t>(text: &'t str, is_key: &impl Fn(&str) -> bool) -> &'t str {
    let led = text.split_once('\n').filter(|(line, _)| line.trim_end().ends_with([':', '：']));
    let led = led.filter(|(line, _)| heading(line).is_none_or(|name| !is_key(name)));
    led.map_or(text, |(_, rest)| rest.trim())
}

/// Most members without brackets, each of which is compared with the others.
const MAX_MEMBERS: usize = 64;

/// The names and texts of the elements of XML that are all of `text`. An element has text only, without entities.
fn elements<'t>(text: &'t str, is_key: &impl Fn(&str) -> bool) -> Option<Vec<(&'t str, &'t str)>> {
    let (name, mut rest) = opened(text)?;
    if is_key(name) {
        rest = text;
    } else if may_wrap(name) {
        rest = rest.trim_end().strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?;
    } else {
        return None;
    }
    let mut pairs = Vec::new();
    while !rest.trim().is_empty() && pairs.len() < MAX_MEMBERS {
        let (name, inside) = opened(rest)?;
        let (value, after) = inside.split_once('<')?;
        let after = after.strip_prefix('/')?.strip_prefix(name)?.strip_prefix('>')?;
        if value.contains('&') {
            return None;
        }
        pairs.push((name, value.trim()));
        rest = after;
    }
    rest.trim().is_empty().then_some(pairs)
}

/// The name of the tag without attributes that `text` starts with, and what follows.
fn opened(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.trim_start().strip_prefix('<')?.split_once('>')?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_name)).then_some((name, rest))
}

/// The keys and values on the lines of `text`, of which there are several.
fn lines(text: &str) -> Option<Vec<(&str, &str)>> {
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let pairs: Vec<_> = lines.take(MAX_MEMBERS + 1).map(member_on).collect::<Option<_>>()?;
    (2..=MAX_MEMBERS).contains(&pairs.len()).then_some(pairs)
}

/// The key and the value on `line`: one plain value, or a string in quotes.
fn member_on(line: &str) -> Option<(&str, &str)> {
    let line = after_bullet(line).unwrap_or(line);
    let in_bold = || line.strip_prefix("**")?.split_once(":** ");
    let (key, value) = line.split_once(" = ").or_else(in_bold).or_else(|| line.split_once(": "))?;
    let value = value.trim();
    let is_value =
        is_one_value(value) || value.starts_with('"') && serde_json::from_str::<String>(value).is_ok();
    is_value.then_some((key.trim_matches('*'), value))
}

/// The headings and the texts below them that are all of `text`: `## City`, `City:`, and `[[ ## city ## ]]` of DSPy, which
/// ends with `[[ ## completed ## ]]`.
fn sections(text: &str) -> Option<Vec<(&str, &str)>> {
    let text = text.trim_end();
    let text = text.strip_suffix("[[ ## completed ## ]]").unwrap_or(text);
    let mut pairs = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(name) = heading(line) else { continue };
        let before = open.replace((name, at)).map(|(name, from)| (name, text[from..start].trim()));
        // Nothing is before the first heading.
        if before.is_none() && start > 0 || pairs.len() == MAX_MEMBERS {
            return None;
        }
        pairs.extend(before);
    }
    let (name, from) = open?;
    pairs.push((name, text[from..].trim()));
    // An element of a list may be more than a text.
    let is_plain = |line: &str| after_bullet(line.trim()).is_some_and(is_one_value);
    let is_clear = |(_, text): &(&str, &str)| after_bullet(text).is_none() || text.lines().all(is_plain);
    pairs.iter().all(is_clear).then_some(pairs)
}

/// The name in `line`, if it is a heading or a label alone.
fn heading(line: &str) -> Option<&str> {
    let line = line.trim();
    if let Some(name) = line.strip_prefix("[[ ## ").and_then(|line| line.strip_suffix(" ## ]]")) {
        return Some(name);
    }
    let bare = line.trim_matches(['#', '*', ' ']).trim_end_matches([':', '：']).trim_end_matches('*');
    let is_label = line.trim_end_matches('*').ends_with([':', '：']) && bare.starts_with(char::is_alphabetic);
    (is_label || line.starts_with('#')).then_some(bare)
}

/// Returns whether `name` is that of the tool that takes an answer.
fn is_submit(name: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    name.contains("submit") && name.trim().chars().all(is_name)
}

/// A place in the reply.
struct TagCursor<'t> {
    reply: &'t str,
    at: usize,
}

impl TagCursor<'_> {
    /// The bytes before the next `tag`, which is passed.
    fn up_to(&mut self, tag: &str) -> Option<Range<usize>> {
        let tag = find_tag(&self.reply[self.at..], tag)?;
        let found = self.at..self.at + tag.start;
        self.at += tag.end;
        Some(found)
    }

    /// Passes white space and `tag`, if they are here.
    fn take_after_space(&mut self, tag: &str) -> bool {
        let rest = self.reply[self.at..].trim_start();
        let length = tag_length(rest, tag);
        self.at = length.map_or(self.at, |length| self.reply.len() - rest.len() + length);
        length.is_some()
    }
}

/// Most bytes of a namespace.
const MAX_NAMESPACE: usize = 32;

/// The length of `tag` at the start of `text`, with the namespace that some models put before all of its names:
/// `<steptml:invoke`, `</｜DSML｜invoke`.
fn tag_length(text: &str, tag: &str) -> Option<usize> {
    if text.starts_with(tag) {
        return Some(tag.len());
    }
    let name = tag.trim_start_matches(['<', '/']);
    let mark = &tag[..tag.len() - name.len()];
    let start = first_bytes(text.strip_prefix(mark).filter(|_| !mark.is_empty())?, MAX_NAMESPACE);
    let end = start.find(|c: char| !c.is_alphanumeric() && !matches!(c, ':' | '｜')).unwrap_or(start.len());
    let namespace = start[..end].trim_end_matches(char::is_alphanumeric);
    let length = mark.len() + namespace.len();
    text[length..].starts_with(name).then(|| length + name.len())
}

/// The first `tag` in `text`, with or without a namespace.
fn find_tag(text: &str, tag: &str) -> Option<Range<usize>> {
    let first = tag.chars().next()?;
    let found = |at: usize| Some(at..at + tag_length(&text[at..], tag)?);
    text.match_indices(first).find_map(|(at, _)| found(at))
}

/// `span` without the line breaks that templates put around a value.
fn without_line_breaks(reply: &str, span: Range<usize>) -> Range<usize> {
    let text = &reply[span.clone()];
    let breaks = ["\r\n", "\n"];
    let start =
        breaks.iter().find(|line_break| text.starts_with(**line_break)).map_or(0, |found| found.len());
    let inside = &text[start..];
    let end = breaks.iter().find_map(|line_break| inside.strip_suffix(line_break)).unwrap_or(inside).len();
    span.start + start..span.start + start + end
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments of the call in `reply`, each key with its text.
    fn arguments(reply: &str) -> Option<Vec<(String, String)>> {
        let Data::Object(entries) = calls(reply, 0).pop()?.node.data else { return None };
        let text =
            |data: Data<'_>| if let Data::Text(text) = data { text.into_owned() } else { String::new() };
        Some(entries.into_iter().map(|entry| (entry.key.into_owned(), text(entry.value.data))).collect())
    }

    #[test]
    fn each_form_has_keys_and_texts() {
        for reply in [
            "<tool_call>\n<function=submit>\n<parameter=a>\nx {\"y\n</parameter>\n<parameter=n>1</parameter>\n</function>\n</tool_call>",
            "<invoke name=\"submit\"><parameter name=\"a\">x {\"y</parameter> <parameter name=\"n\">1</parameter></invoke>",
            "<｜DSML｜invoke name=\"submit\">\n<｜DSML｜parameter name=\"a\" string=\"true\">x {\"y</｜DSML｜parameter>\n<｜DSML｜parameter name=\"n\" string=\"false\">1</｜DSML｜parameter>\n</｜DSML｜invoke>",
            "<steptml:invoke name=\"submit\">\n<steptml:parameter name=\"a\">x {\"y</steptml:parameter>\n<steptml:parameter name=\"n\">1</steptml:parameter>\n</steptml:invoke>",
            "<tool_call>submit\n<arg_key>a</arg_key>\n<arg_value>x {\"y</arg_value>\n<arg_key>n</arg_key><arg_value>1</arg_value>\n</tool_call>",
        ] {
            let expected = [("a", "x {\"y"), ("n", "1")].map(|(key, text)| (key.to_owned(), text.to_owned()));
            assert_eq!(arguments(reply), Some(expected.to_vec()), "{reply}");
        }
    }

    #[test]
    fn members_in_tags_and_on_lines_are_all_of_a_reply() {
        let found = |reply, is_whole| members(reply, 0, is_whole, |key| matches!(key, "city" | "days"));
        for reply in [
            "<submit>\n<city>Oslo</city>\n<days>3</days>\n</submit>",
            "<city>Oslo</city><days>3</days>",
            "```yaml\ncity: Oslo\ndays: 3\n```",
            "<trip><city>Oslo</city><days>3</days></trip>",
            "## city\nOslo\n\n## days\n3",
            "[[ ## city ## ]]\nOslo\n\n[[ ## days ## ]]\n3\n\n[[ ## completed ## ]]",
            "**city:**\nOslo\n\n**days:**\n3",
            "Here is the trip:\n\n- **city:** Oslo\n- **days**: 3",
            "city = \"Oslo\"\ndays = 3",
        ] {
            let Data::Object(entries) = found(reply, true).expect(reply).node.data else { panic!("{reply}") };
            let texts: Vec<_> = entries.iter().filter_map(|entry| entry.value.text()).collect();
            assert_eq!(texts, ["Oslo", "3"], "{reply}");
        }
        for reply in [
            "<example><city>Oslo</city></example>",
            "<city>Oslo</city> or <city>Rome</city>",
            "<city>Oslo</city><city>Rome</city>",
            "<city>Oslo &amp; Rome</city>",
            "<city><b>Oslo</b></city>",
            "<city>Oslo</city><days>3",
            "<city>Oslo</city> and 3 days",
            "city: Oslo",
            "Trip:\n\n## city\nOslo\n\n## Notes\nNone",
            "It is so.\n\n## city\nOslo",
            "city: Oslo\nnights: 3",
            "city: Oslo # or Rome\ndays: 3",
            "city: Oslo\n  and Rome\ndays: 3",
        ] {
            assert!(found(reply, true).is_none(), "{reply}");
        }
        assert!(found("city: Oslo\ndays: 3", false).is_none(), "it may go on");
    }

    #[test]
    fn several_calls_are_found_in_their_order() {
        let call = |n: u8| format!("<function=submit><parameter=n>{n}</parameter></function>");
        let invoked = "<invoke name=\"submit\"><parameter name=\"n\">9</parameter></invoke>";
        let reply = format!("{} {invoked}\n{}", call(1), call(2));
        let starts: Vec<_> = calls(&reply, 0).into_iter().map(|call| call.span.start).collect();
        assert_eq!(starts, [0, call(1).len() + 1, reply.len() - call(2).len()]);
        assert_eq!(calls(&format!("{} <function=submit>", call(1)), 0).len(), 1);
    }

    #[test]
    fn another_tool_a_key_twice_and_a_call_without_its_end_are_none() {
        for reply in [
            "<function=search><parameter=a>1</parameter></function>",
            "<function=submit><parameter=a>1</parameter><parameter=a>2</parameter></function>",
            "<function=submit><parameter=a>1</parameter>",
            "<function=submit><parameter=a>1</function>",
            "<function=submit><parameter=a>1</parameter> and <parameter=b>2</parameter></function>",
            "<function=submit{\"a\": 1}></function>",
            "<function=submit><parameter=a>1\n<parameter=b>2</parameter></function>",
        ] {
            assert_eq!(arguments(reply), None, "{reply}");
        }
    }
}
