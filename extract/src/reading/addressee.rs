//! Whom the text around a value is for: another function, tool or channel than the one that takes an answer,
//! or nobody, if it is a comment.

use super::{
    parse,
    prose::{Words, first_bytes, last_bytes, last_line, last_name, words},
};

/// Returns whether the text around a value hands it to something that takes no answer.
pub(super) fn is_for_another(before: &str, after: &str) -> bool {
    is_in_channel(before) || is_of_user(before) || is_argument(before) || is_commented(before, after)
}

/// Returns whether the value is in a turn of somebody else, by the mark of a chat template, a tag or a label right
/// before it.
fn is_of_user(before: &str) -> bool {
    const MARKS: [&str; 8] = [
        "<|im_start|>user",
        "<|im_start|>system",
        "<|user|>",
        "<start_of_turn>user",
        "[INST]",
        "<user>",
        "<human>",
        "<system>",
    ];
    static OTHERS: Words = Words::of("human user");
    let before = before.trim_end();
    let label = bare_last_line(before).strip_suffix(':').map(|label| label.trim_end_matches('*'));
    MARKS.iter().any(|mark| before.ends_with(mark)) || label.is_some_and(|label| OTHERS.have(label))
}

/// Returns whether the value is what a function of a program returns: `return {…}`.
pub(super) fn is_returned(before: &str) -> bool {
    let line = last_line(before);
    line.trim() == "return" && line.starts_with([' ', '\t'])
}

/// Returns whether the last header of a message in `before`, in the format of gpt-oss, names a channel
/// or a tool that an answer does not go to. The tool may be named before the channel, too.
fn is_in_channel(before: &str) -> bool {
    let Some((role, after)) = before.rsplit_once("<|channel|>") else { return false };
    let Some((header, _)) = after.split_once("<|message|>") else { return false };
    let role = role.rsplit_once("<|start|>").map_or(role, |(_, role)| role);
    !header.trim_start().starts_with("final")
        && !header.contains("submit")
        && !role.contains("to=functions.submit")
}

/// Returns whether `before` makes the value the argument of another function than the one that takes
/// an answer: `search({…})`, `to=functions.search {…}`, `<function=search>{…}`, `Action: search {…}`.
fn is_argument(before: &str) -> bool {
    let touching = before;
    // `search(**{…})`, `search(query={…})`
    let before = trimmed(before.trim_end().trim_end_matches("```json"));
    let end = last_bytes(before, MAX_MARKUP);
    let keyword = before.strip_suffix('=').map(|text| &text[..text.len() - last_name(text, &['_']).len()]);
    let before = keyword.filter(|text| text.ends_with('(')).unwrap_or(before);
    let opened = before.strip_suffix('(');
    let head = trimmed(opened.unwrap_or(before));
    let name = last_name(head, &['_', '.', '$']);
    let lead = &head[..head.len() - name.len()];
    let is_open = opened.is_some_and(|before| before.len() == head.len() || name.contains('_'));
    if !name.is_empty() && (is_open || is_called(lead, opened)) {
        // After a value, it changes that one, unless a label starts another call: `person.update({…})`.
        return (!lead.contains(['{', '[']) || is_label(bare_last_line(lead))) && is_function(name);
    }
    // gpt-oss names the format after the tool: `to=functions.search json{…}`.
    let mut last = before.rsplit(char::is_whitespace).take(2);
    let word = last.next().unwrap_or_default();
    let word = last.next().filter(|word| word.starts_with("to=")).unwrap_or(word);
    let name = word.strip_suffix('>').and_then(|word| Some(word.rsplit_once("<function=")?.1));
    let name = name.or_else(|| Some(word.rsplit_once("functions.").or(word.rsplit_once("to="))?.1));
    let name =
        name.or_else(|| Some(word.strip_suffix("[ARGS]").unwrap_or(word).rsplit_once("[TOOL_CALLS]")?.1));
    name.or_else(|| touching_name(touching))
        .or_else(|| name_in_markup(end))
        .is_some_and(|name| !name.is_empty() && !name.contains("submit"))
        || is_below_call(before)
        || is_option(before)
        || is_tool_in_sentence(end)
}

/// The name of a function that touches the value after `before`, as no word of a text does: `web_search{…}`,
/// `<function=web_search={…}`.
fn touching_name(before: &str) -> Option<&str> {
    let name = last_name(before.strip_suffix('=').unwrap_or(before), &['_']);
    let is_name = name.contains('_') && is_function(name) && !name.contains(char::is_uppercase);
    Some(name).filter(|name| is_name && !name.starts_with('_'))
}

/// Bytes before a value in which the name of a tool is looked for.
const MAX_MARKUP: usize = 256;

/// The name of the tool that markup right before the value calls: `<invoke name="search">`, `>>>search` (Functionary),
/// `search<｜tool▁sep｜>` and `function<｜tool▁sep｜>search` (DeepSeek V3.1 and V3), `<tool_name>search</tool_name>`.
fn name_in_markup(before: &str) -> Option<&str> {
    let tag = before.strip_suffix('>').and_then(|text| text.rsplit_once('<')).map(|(_, tag)| tag);
    if let Some(attributes) = tag.and_then(|tag| tag.strip_suffix('"')) {
        let is_call = ["call", "function", "invoke", "tool"].iter().any(|name| attributes.starts_with(name));
        return attributes.rsplit_once("name=\"").filter(|_| is_call).map(|(_, name)| name);
    }
    if let Some(tag) = tag.filter(|tag| RETRIEVING.have(tag)) {
        return Some(tag);
    }
    if let Some((_, message)) =
        before.strip_suffix("<|content|>").and_then(|text| text.rsplit_once("<|recipient|>"))
    {
        return Some(message.trim()).filter(|name| *name != "all");
    }
    if let Some((called, name)) = before.rsplit_once("<｜tool▁sep｜>") {
        let name = if name.is_empty() { last_name(called, &['_', '.', '-']) } else { name.trim() };
        // As in JSON, the name of a call counts only if no answer is what it takes.
        return Some(name)
            .filter(|name| RETRIEVING.have(name.split(['_', '-', '.']).next().unwrap_or_default()));
    }
    let named = before.rsplit_once("</tool_name>").filter(|(_, rest)| rest.trim_start().starts_with('<'));
    let named = named.and_then(|(text, _)| text.rsplit_once("<tool_name>")).map(|(_, name)| name);
    let is_name =
        |name: &&str| *name != "all" && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    let line = last_line(before);
    named.or_else(|| line.strip_prefix(">>>").or(line.strip_prefix(['/', '@'])).filter(is_name))
}

/// First words in the names of tools that take a question.
static RETRIEVING: Words = Words::of("check fetch find get list load lookup query read retrieve search");

/// Returns whether the sentence that leads to the value calls a tool: `Calling get_weather with {…}`, `I'll use the
/// get_weather tool:`. Its name has an underscore, as no word has.
fn is_tool_in_sentence(before: &str) -> bool {
    static USING: Words = Words::of("call calling invoke invoking use using");
    let line = bare_last_line(before).trim_end_matches(':');
    let is_named = |word: &str| word.contains('_') && is_function(word) && !word.contains("submit");
    let said: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches('`')).collect();
    match said[..] {
        // Said so plainly, any name is one: `Calling tool search with arguments`.
        [.., "tool", name, "with", "arguments" | "args"] | [.., "the", name, "tool", "with"] => {
            USING.any_in(line) && !name.contains("submit")
        }
        ["Calling", name, "with"] => is_function(name) && !name.contains("submit"),
        [.., before, name, "with"] => USING.have(before) && is_named(name),
        [.., name, "function" | "tool"] => USING.any_in(line) && is_named(name),
        _ => false,
    }
}

/// Returns whether `name` is that of a function which does something else with its argument than return or
/// show it. A type's name starts in upper case.
fn is_function(name: &str) -> bool {
    name.starts_with(|c: char| c.is_lowercase() || c == '_') && !parse::keeps_argument(name)
}

/// `text` without white space and emphasis at its end.
fn trimmed(text: &str) -> &str {
    text.trim_end_matches(|c| parse::is_space(c) || matches!(c, '`' | '*'))
}

/// The last line of `text` without the marks around it.
fn bare_last_line(text: &str) -> &str {
    last_line(text).trim_matches(|c| parse::is_space(c) || matches!(c, '`' | '*' | '>'))
}

/// Returns whether `label` introduces the name of a function: `Action:`, `Tool call:`
fn is_label(label: &str) -> bool {
    static CALLING: Words = Words::of("action call calling function tool");
    let label = label.trim_end_matches('*').strip_suffix(':').map(|label| label.trim_end_matches('*'));
    label.and_then(|label| words(label).last()).is_some_and(|word| CALLING.have(word))
}

/// Returns whether the line of `lead` makes the word after it the name of a function, although no bracket
/// is right after that: `Action: lookup {…}`, or nothing before `lookup (`.
fn is_called(lead: &str, opened: Option<&str>) -> bool {
    let line = bare_last_line(lead);
    is_label(line) || line.is_empty() && opened.is_some()
}

/// Returns whether the line of the value is labelled as the input of the function on the line above it:
/// `Tool: lookup`, and then `Arguments: {…}`.
fn is_below_call(before: &str) -> bool {
    static INPUT: Words = Words::of("args arguments input parameters");
    let Some((above, line)) = before.rsplit_once('\n') else { return false };
    let label = trimmed(line).strip_suffix(':');
    if !label.and_then(|label| words(label).last()).is_some_and(|word| INPUT.have(word)) {
        return false;
    }
    let above = trimmed(above);
    let name = last_name(above, &['_', '.', '$']);
    is_label(bare_last_line(&above[..above.len() - name.len()])) && is_function(name)
}

/// Returns whether the value is the argument of an option of a command: `curl -d '{…}'`.
fn is_option(before: &str) -> bool {
    let Some(command) = before.strip_suffix(['\'', '"']) else { return false };
    let option = command.rsplit(char::is_whitespace).nth(1).filter(|_| command.ends_with(' '));
    option.is_some_and(|word| {
        word.trim_start_matches('-').starts_with(char::is_alphabetic) && word.starts_with('-')
    })
}

/// Most bytes on each side of a value in which a comment around it is looked for.
const MAX_COMMENT: usize = 1 << 12;

/// Returns whether the value is inside of a comment: `/* {…} */`, `// {…}`, `<!-- {…} -->`.
fn is_commented(before: &str, after: &str) -> bool {
    let (before, after) = (last_bytes(before, MAX_COMMENT), first_bytes(after, MAX_COMMENT));
    let is_between = |open: &str, close: &str| {
        let is_open = before.rfind(open).is_some_and(|at| !before[at + open.len()..].contains(close));
        let closed = after.find(close);
        is_open && closed.is_some_and(|at| !after[..at + close.len()].contains(open))
    };
    let line = last_line(before);
    line.trim_start().starts_with("//") || is_between("/*", "*/") || is_between("<!--", "-->")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_markup_of_a_call_names_its_tool() {
        for before in [
            "<invoke name=\"get_weather\">",
            "<tool name=\"search\">\n",
            "<function=search>",
            ">>>get_weather\n",
            "<｜tool▁call▁begin｜>lookup<｜tool▁sep｜>",
            "<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n",
            "<use_mcp_tool>\n<tool_name>get_weather</tool_name>\n<arguments>\n",
            "Calling get_weather with ",
            "Tool call: search\n```json\n",
            "/search ",
            "<|im_start|>user\n",
            "web_search",
            "<function=web_search=",
            "<|recipient|>get_weather\n<|content|>",
            "I'll use the `get_weather` tool:\n```json\n",
            "<|start|>assistant to=functions.search<|channel|>commentary json<|message|>",
        ] {
            assert!(is_for_another(before, ""), "{before}");
        }
    }

    #[test]
    fn submit_and_what_is_no_call_are_for_the_answer() {
        for before in [
            "<invoke name=\"submit\">",
            ">>>submit\n",
            ">>> print(result)\n",
            "<｜tool▁call▁begin｜>function<｜tool▁sep｜>submit\n```json\n",
            "<｜tool▁call▁begin｜>record<｜tool▁sep｜>",
            "<div class=\"answer\">",
            "I'll use the submit tool:\n",
            "I use the key due_date with ",
            " to=functions.submit<|channel|>commentary json<|message|>",
        ] {
            assert!(!is_for_another(before, ""), "{before}");
        }
    }
}
