//! Envelopes that are known by their form: calls of a tool and blocks of content, as providers write
//! them, objects around one value, and replies in quotes.

use super::{
    node::{Data, Entry, Node},
    prose::{Words, disowns_value, first_bytes, is_retraction, names_final_answer, unfenced},
    shape::{ROOT, Shapes, kind},
    spelling::bare,
    strict,
};

/// Keys that name a call beside its arguments.
const BESIDE_ARGUMENTS: [&str; 10] = [
    "name",
    "tool",
    "function",
    "type",
    "id",
    "tool_name",
    "recipient_name",
    "toolUseId",
    "call_id",
    "tool_call_id",
];

/// Keys beside the part of a response that has the answer in it.
const BESIDE_RESPONSE: [&str; 12] = [
    "id",
    "object",
    "created",
    "model",
    "usage",
    "index",
    "finish_reason",
    "role",
    "content",
    "reasoning_content",
    "refusal",
    "status",
];

/// Keys under which a few agents write the name of a tool and its arguments.
static NAMES_OF_TOOL: Words = Words::of(
    "action api call command fn func function function_name functionname method name tool_name toolname",
);
static TOOL_ARGUMENTS: Words =
    Words::of("args arguments arguments_json input kwargs parameters params tool_args");

/// Keys of remarks beside an answer under a key that calls it so.
static BESIDE_ANSWER: Words = Words::of(
    "analysis chain_of_thought explanation message ok rationale reasoning reasoning_content reflection status steps
     success thinking thought thought_process thoughts",
);

/// Keys of the arguments of a call.
const ARGUMENTS: [&str; 5] = ["arguments", "parameters", "args", "input", "tool_input"];

/// Keys of a value that is not an answer: remarks about one, or what was left out.
static ABOUT: Words = Words::of(
    "code confidence description detail details draft error errors example excluded explanation
     input invalid issue issues message messages missing note notes problem prompt reason
     reasoning refusal rejected schema skipped status type warning",
);

/// Words in a key that say that its value is not the answer.
static EXCLUDING: Words = Words::of(
    "alternative bad before cancel cancelled default discarded draft dropped dummy earlier estimate estimated example
     examples excluded expected failed failure fake false former hypothetical ignored incorrect input invalid mock
     never no non not observation observations old omitted placeholder previous prior prompt question rejected request
     removed sample schema skipped template thought thoughts tool undo unsure unused warning warnings wrong",
);

/// Keys that hold an answer of any kind.
static HOLDERS: Words =
    Words::of("answer answers content data final json output response result results return value values");

/// Words of a status that says that all went well.
static DONE: Words = Words::of("complete completed done ok success successful");

/// How an object holds another value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Envelope {
    /// It is a call or a block of content.
    Known,
    /// It has one member, under a key that says that it is the answer.
    Holder,
    /// It has one member.
    Single,
}

/// Returns whether a call may have `key` beside its arguments.
pub(super) fn stands_beside_arguments(key: &str) -> bool {
    BESIDE_ARGUMENTS.contains(&key)
}

/// Returns whether `start` may become a key of a call.
pub(super) fn may_call(start: &str) -> bool {
    BESIDE_ARGUMENTS.iter().chain(&ARGUMENTS).any(|key| key.starts_with(start))
}

/// Bytes at the start of a call in which its name and the key of its arguments are.
const CALL_START: usize = 256;

/// Returns whether `text` starts as a call of another tool than `submit`.
pub(super) fn calls_another_tool(text: &str) -> bool {
    let start = first_bytes(text, CALL_START);
    let has = |key: &&str| start.split('"').any(|part| part == *key);
    start.starts_with('{')
        && BESIDE_ARGUMENTS.iter().any(has)
        && ARGUMENTS.iter().any(has)
        && !start.contains("submit")
}

/// Returns whether `key` holds the arguments of a call.
pub(super) fn holds_arguments(key: &str) -> bool {
    ARGUMENTS.contains(&key)
}

/// The member that holds the value of the object with these `entries`, if they are an envelope.
pub(super) fn held<'n, 't>(entries: &'n [Entry<'t>]) -> Option<(Envelope, &'n Entry<'t>)> {
    if let Some(entry) = called(entries) {
        return Some((Envelope::Known, entry));
    }
    let [entry] = entries else { return beside_remarks(entries) };
    let key = entry.key.trim_matches('_');
    // Templates of some models write a call as its name and arguments: `{"submit": {…}}`.
    if key == "submit" || key.starts_with("submit_") {
        return Some((Envelope::Known, entry));
    }
    let is_argument =
        ["tool_call", "function_input", "json_input", "tool_input"].iter().any(|end| key.ends_with(end));
    if ABOUT.have(key) || EXCLUDING.any_in(key) && !is_argument {
        return None;
    }
    Some((if is_holder(key) { Envelope::Holder } else { Envelope::Single }, entry))
}

/// Returns whether an answer may be in a value called `key`.
pub(super) fn may_wrap(key: &str) -> bool {
    !ABOUT.have(key) && !EXCLUDING.any_in(key)
}

/// Returns whether `key` says that its value is the answer.
fn is_holder(key: &str) -> bool {
    HOLDERS.have(key) || key.to_ascii_lowercase().starts_with("final")
}

/// The value that is called the answer, if all beside it are remarks that take nothing back:
/// `{"reasoning": "…", "answer": {…}}`, `{"success": true, "data": {…}}`.
fn beside_remarks<'n, 't>(entries: &'n [Entry<'t>]) -> Option<(Envelope, &'n Entry<'t>)> {
    let answer = entries.iter().find(|entry| is_holder(&entry.key))?;
    let is_remark = |entry: &Entry<'_>| {
        let is_harmless = match &entry.value.data {
            Data::Text(text) if matches!(&*entry.key, "status" | "message") => DONE.have(text),
            Data::Text(text) => !disowns_value(text) && !is_retraction(text),
            Data::Bool(is_done) => *is_done,
            Data::List(_) => !entry.value.texts().any(|text| disowns_value(text) || is_retraction(text)),
            data => matches!(data, Data::Null),
        };
        BESIDE_ANSWER.have(entry.key.trim_start_matches('_')) && is_harmless
    };
    let are_remarks = entries.iter().all(|entry| std::ptr::eq(entry, answer) || is_remark(entry));
    are_remarks.then_some((Envelope::Holder, answer))
}

/// The arguments of a call, the function in it, or the text of a block.
fn called<'n, 't>(entries: &'n [Entry<'t>]) -> Option<&'n Entry<'t>> {
    let entry = |key: &str| entries.iter().find(|entry| entry.key == key);
    let text = |key: &str| entry(key)?.value.text();
    let is_any = |key: &str, kinds: &[&str]| text(key).is_some_and(|kind| kinds.contains(&kind));
    // The value under `key`, if only known keys are beside it.
    let only = |key: &str, is_meant: bool, beside: &[&str]| {
        let is_known = |entry: &Entry<'_>| entry.key == key || beside.contains(&&*entry.key);
        entry(key).filter(|_| is_meant && entries.iter().all(is_known))
    };
    let function = entry("function").and_then(|entry| called_by_name(&entry.value));
    let known = only("function", function.is_some(), &["type", "id", "index"])
        .or(only("action_input", text("action").is_some_and(names_final_answer), &["action"]))
        .or(only("result", text("jsonrpc").is_some(), &["jsonrpc", "id"]))
        .or(only(
            "text",
            is_any("type", &["text", "output_text"]),
            &["type", "annotations", "index", "logprobs"],
        ))
        .or(only("content", is_any("type", &["message"]), &["type", "id", "status", "role"]))
        .or(only("content", is_any("role", &["assistant", "model"]), &["role", "reasoning_content"]))
        .or_else(|| {
            let part = entries.iter().find(|entry| is_in_response(&entry.key, &entry.value))?;
            // Text beside a call may say something else.
            let is_alone =
                part.key != "tool_calls" || text("content").is_none_or(|text| text.trim().is_empty());
            let is_whole = !is_any("finish_reason", &["length", "content_filter"]);
            only(&part.key, is_alone && is_whole, &BESIDE_RESPONSE)
        });
    if known.is_some() {
        return known;
    }
    if let [one, other] = entries {
        let calls = |name: &Entry<'_>, arguments: &Entry<'_>| {
            NAMES_OF_TOOL.have(&name.key)
                && TOOL_ARGUMENTS.have(&arguments.key)
                && name.value.text().is_some_and(|name| name.starts_with("submit"))
        };
        if let Some((_, arguments)) =
            [(one, other), (other, one)].into_iter().find(|(name, it)| calls(name, it))
        {
            return Some(arguments);
        }
    }
    let arguments = entries.iter().find(|entry| ARGUMENTS.contains(&&*entry.key))?;
    let is_named = ["name", "tool", "function", "tool_name"].into_iter().any(|key| text(key).is_some())
        || text("recipient_name").is_some_and(|name| name.contains("submit"));
    let mut beside = entries.iter().filter(|entry| !std::ptr::eq(*entry, arguments));
    let is_call = is_named && beside.all(|entry| BESIDE_ARGUMENTS.contains(&&*entry.key));
    is_call.then_some(arguments)
}

/// The name in the call `node`, which has arguments beside it.
pub(super) fn called_by_name<'n>(node: &'n Node<'_>) -> Option<&'n str> {
    let has_arguments = node.entries().iter().any(|entry| ARGUMENTS.contains(&&*entry.key));
    node.member("name").filter(|_| has_arguments)?.text()
}

/// Returns whether `node` calls the tool that takes an answer.
pub(super) fn is_submitted(node: &Node<'_>) -> bool {
    called_by_name(node).is_some_and(|name| name.starts_with("submit"))
}

/// Returns whether `value`, under `key`, is the part of a response of Chat Completions or of the Responses
/// API that has the answer in it.
fn is_in_response(key: &str, value: &Node<'_>) -> bool {
    let items = value.items();
    let are = |key: &str| !items.is_empty() && items.iter().all(|item| item.member(key).is_some());
    match key {
        "choices" => are("message"),
        "message" => ["content", "tool_calls"].iter().any(|key| value.member(key).is_some()),
        "tool_calls" => {
            let are_calls = || items.iter().all(|item| called_by_name(item).is_some());
            are("function") || !items.is_empty() && are_calls()
        }
        "output" => {
            are("type") && items.iter().all(|item| is_thought(item) || item.member("content").is_some())
        }
        _ => false,
    }
}

/// Returns whether all of `items` are known envelopes, but for blocks of thoughts.
pub(super) fn are_known(items: &[Node<'_>]) -> bool {
    let is_known = |item: &Node<'_>| matches!(held(item.entries()), Some((Envelope::Known, _)));
    items.iter().any(is_known) && items.iter().all(|item| is_known(item) || is_thought(item))
}

/// Returns whether `item` is a block of thoughts, as Anthropic and OpenAI write them.
pub(super) fn is_thought(item: &Node<'_>) -> bool {
    let kind = item.member("type").and_then(Node::text);
    matches!(kind, Some("thinking" | "redacted_thinking" | "reasoning"))
}

/// Most envelopes around a text in quotes.
const MAX_ENVELOPES: usize = 6;

/// The text with JSON in it that `reply` has in quotes, which is read as a reply of its own: as one string, as the
/// arguments of `submit`, or in another envelope of strict JSON.
pub(super) fn quoted_text(reply: &str, shapes: &Shapes) -> Option<String> {
    let (text, root) = (unfenced(reply), shapes.get(ROOT));
    let called = text.strip_prefix("<tool_call>").and_then(|text| text.strip_suffix("</tool_call>"));
    let text = called.map_or(text, str::trim);
    // Most objects have no JSON in their strings.
    let may_hold = || text.contains("\\\"") || text.contains("\"{") || text.contains("\"[");
    let is_meant = text.starts_with('"') || text.starts_with(['{', '[']) && may_hold();
    let value = is_meant.then(|| strict::parse(text, shapes.keys()))??.value;
    let all = Node::of(&value);
    let (mut node, mut is_told) = (&all, !root.allows(kind::TEXT));
    for _ in 0..MAX_ENVELOPES {
        let (kind, inner) = match &node.data {
            Data::Text(text) => return (is_told && text.contains(['{', '['])).then(|| text.to_string()),
            Data::List(items) if are_known(items) => match &items[..] {
                [item] => (Envelope::Known, item),
                _ => return None,
            },
            Data::Object(entries) => {
                let (kind, entry) = held(entries)?;
                let is_known =
                    root.names.contains(&*entry.key) || root.spellings.contains_key(&bare(&entry.key));
                if is_known || kind == Envelope::Single {
                    return None;
                }
                (kind, &entry.value)
            }
            _ => return None,
        };
        let is_call = called_by_name(node).is_some();
        if is_call && !is_submitted(node) || !is_call && root.takes_any_object() {
            return None;
        }
        // What is only called the answer may be a text about it.
        let is_json = || inner.text().is_some_and(|text| text.trim_start().starts_with(['{', '[']));
        if kind != Envelope::Known && inner.text().is_some() && !is_json() {
            return None;
        }
        is_told |= is_call;
        node = inner;
    }
    None
}
