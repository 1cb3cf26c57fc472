//! Strings that are no content: gaps left to fill, and strings that took in what belongs beside them (the whole
//! object again, the next member, or the next parameter of a call).

use std::{cell::LazyCell, collections::HashMap};

use memchr::memchr3;
use serde_json::{Map, Value};

use super::{
    keys::Keys,
    node::{Entry, Node},
    parse,
    prose::{Words, starts_like, unfenced, words},
    shape::Shapes,
    spelling,
};

/// Words of a gap left to fill, besides the keys of the contract and the names of types.
static GAP_WORDS: Words = Words::of(
    "address answer author city continued correspondent country date description email fill here id insert item name
     phone placeholder price question receiver recipient response sender summary tag tbd text title todo translated
     translation truncated unknown untranslated value your any one",
);

/// The first words of a gap in square brackets.
static ASKING: Words = Words::of("enter fill insert your");

/// Pairs of brackets around the name of a value that is to be filled in.
const AROUND_NAMES: [(&str, &str); 4] = [("[", "]"), ("(", ")"), ("#{", "}"), ("{", "}")];

/// Further ones, around code, in which a key of the contract may be one word of several.
const AROUND_CODE: [(&str, &str); 3] = [("{{", "}}"), ("${", "}"), ("<%=", "%>")];

/// Abbreviations that stand for elements that were not written.
const RESTS: [&str; 9] = ["and so on", "rest omitted", "et al.", "etc", "etc.", "usw", "usw.", "等", "等等"];

/// Texts that stand for another value of the reply, perhaps in brackets or as a comment.
const REFERENCES: [&str; 5] = ["as above", "same as above", "see above", "the same as above", "〃"];

/// Marks of chat templates and of calls that end what was said.
const ENDS: [&str; 9] = [
    "<|im_end|>",
    "<|endoftext|>",
    "<|eot_id|>",
    "<|call|>",
    "<|end|>",
    "</s>",
    "</parameter>",
    "</invoke>",
    "</tool_call>",
];

/// Parts of tags around the parameters of a call.
const TAGS: [&str; 2] = ["<parameter name=\"", "</antml"];

/// Returns whether `text` ends with a mark of a chat template, or is a gap left to fill: `...`,
/// `... and 5 more`, `<string>`, and `<name>`,
/// `[name]` or `{{name}}` where there is a key `name`.
pub(super) fn is_gap(text: &str, shapes: &Shapes) -> bool {
    if !may_be_gap(text, shapes.keys()) {
        return false;
    }
    // What ends a message, a call or its parameter was not meant to be in the last string of it, and
    // neither was the next parameter.
    let ended = text.trim_end();
    if ENDS.iter().any(|end| ended.ends_with(end)) || TAGS.iter().any(|tag| text.contains(tag)) {
        return true;
    }
    let between = |(open, close): &(&str, &str)| Some(text.strip_prefix(open)?.strip_suffix(close)?.trim());
    let asks = |inside: &str| words(inside).next().is_some_and(|word| ASKING.have(word));
    let is_key = |name: &str| shapes.keys().has(name) || shapes.keys().has(&name.to_lowercase());
    let is_name = |name: &str| is_key(name.rsplit('.').next().unwrap_or(name));
    // `%s`, `$name`, `____`
    let is_meant_gap = |inside: &str| {
        asks(inside)
            || starts_like(inside, "list of ")
            || starts_like(inside, "more ")
            || is_described(inside)
    };
    if between(&("[", "]")).is_some_and(is_meant_gap)
        || AROUND_NAMES.iter().chain(&AROUND_CODE).filter_map(between).any(is_name)
        || AROUND_CODE.iter().filter_map(between).any(|code| words(code).any(is_key))
        || text.strip_prefix('$').is_some_and(is_key)
        || matches!(text, "%s" | "%d" | "[object Object]" | "PLACEHOLDER")
        || is_date_format(text)
        || is_crossed(text)
        || text.len() > 2 && text.bytes().all(|byte| byte == b'_')
        || asks_to_fill(text, is_key)
        || refers(text)
        || shapes.keys().has_description(text)
    {
        return true;
    }
    let Some(inside) = between(&("<", ">")) else { return is_ellipsis(text) };
    let is_meant = |word: &str| {
        let word = word.to_lowercase();
        TYPES.contains(&&*word) || GAP_WORDS.have(&word) || shapes.keys().has(&word)
    };
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '|');
    !inside.is_empty()
        && inside.chars().all(is_word)
        && (shapes.keys().has(inside) || inside.split([' ', '_', '-', '|']).any(is_meant))
}

/// Returns whether `inside`, in square brackets, describes a value: `translation`, `German translation of Hello`.
fn is_described(inside: &str) -> bool {
    static DESCRIBED: Words = Words::of("dialogue translation untranslated");
    let said: Vec<&str> = words(inside).collect();
    // `[REVIEW REQUIRED]`
    let is_shouted = said.len() > 1 && inside.chars().all(|c| c.is_uppercase() || c == ' ');
    is_shouted
        || said.len() < 6 && said.iter().any(|word| DESCRIBED.have(word))
        || matches!(said[..], [.., "Name"]) && said.len() > 1
}

/// The length from which a text of many `x` is no form.
const MAX_CROSSED: usize = 20;

/// Returns whether `text` is a form whose letters are all `X`: `XX.XX`, `XXX-XX-XXXX`, `xxxxx`.
fn is_crossed(text: &str) -> bool {
    let is_x = |c: char| matches!(c, 'X' | 'x');
    (4..MAX_CROSSED).contains(&text.len())
        && text.chars().all(|c| is_x(c) || matches!(c, '.' | '-' | '/' | ',' | ' '))
        && text.starts_with(is_x)
        && text.ends_with(is_x)
}

/// Returns whether `text` is the format of a date, as prompts write it: `YYYY-MM-DD`, `dd.mm.yyyy`.
fn is_date_format(text: &str) -> bool {
    let parts = || text.split(['-', '/', '.']);
    let is_part =
        |part: &str| ["yyyy", "yy", "mm", "dd"].iter().any(|known| part.eq_ignore_ascii_case(known));
    text.len() <= "YYYY-MM-DD".len() && parts().count() == 3 && parts().all(is_part)
}

/// Returns whether `text` stands for another value: `same as above`, `// see above`, `(unchanged)`.
fn refers(text: &str) -> bool {
    let bare = text.trim_matches(|c| matches!(c, '/' | '#' | '(' | ')' | '[' | ']' | '<' | '>' | ' '));
    REFERENCES.iter().any(|reference| bare.eq_ignore_ascii_case(reference))
        || bare.len() < text.len() && bare.eq_ignore_ascii_case("unchanged")
}

/// Returns whether `text` asks for the value of a key: `Your name here`, `INSERT_NAME`, `insert the date`.
fn asks_to_fill(text: &str, is_key: impl Fn(&str) -> bool) -> bool {
    if text.len() > MAX_REQUEST
        || text.contains(|c: char| !c.is_alphabetic() && !matches!(c, ' ' | '_' | '-'))
    {
        return false;
    }
    let said: Vec<&str> = words(text).collect();
    let [first, .., last] = said[..] else { return false };
    let is_here = last.eq_ignore_ascii_case("here");
    // `Your order` may be a title.
    let is_asked = ASKING.have(first) && (!first.eq_ignore_ascii_case("your") || text.contains('_'));
    let is_known = |word: &&str| {
        is_key(word) || GAP_WORDS.have(word) || ASKING.have(word) || word.eq_ignore_ascii_case("the")
    };
    // `YOUR_API_KEY_HERE`
    let is_name =
        is_here && ASKING.have(first) && (text.contains('_') || said.iter().any(|word| is_key(word)));
    is_name || (is_here || is_asked) && said[1..].iter().all(is_known) && (is_asked || is_known(&first))
}

/// Returns whether the text of `entry` only names what its key asks for: `City name`, `name of the city`, `CITY_NAME`.
pub(super) fn names_own_key(entry: &Entry<'_>) -> bool {
    static NAMING: Words = Words::of("answer example name of value your");
    static ALL: Words = Words::of("a an answer example here name of the value your");
    let text = entry.value.text().filter(|text| text.len() < MAX_REQUEST && looks_like_gap(text));
    text.is_some_and(|text| {
        let key = spelling::words_of_key(&entry.key);
        let is_of_key = |word: &str| key.iter().any(|part| part.eq_ignore_ascii_case(word));
        let said = || words(text);
        !text.contains(|c: char| c.is_ascii_digit())
            && said().any(is_of_key)
            && said().any(|word| NAMING.have(word) && !is_of_key(word))
            && said().all(|word| is_of_key(word) || ALL.have(word))
    })
}

/// Most bytes of a text that asks for a value.
const MAX_REQUEST: usize = 64;

/// Returns whether `text` may be a gap, judging by its first and last bytes and its length. Most strings are not.
fn may_be_gap(text: &str, keys: &Keys) -> bool {
    keys.has_description(text) || looks_like_gap(text)
}

fn looks_like_gap(text: &str) -> bool {
    match text.as_bytes() {
        [b'<' | b'.' | b'[' | b'{' | b'$' | b'#' | b'(' | b'+' | b'_' | b'%' | 0xe2, ..]
        | [.., b'>']
        | [.., b'>', b'\n']
        | [b'a', b'n', b'd', b' ', ..]
        | [b'm', b'o', b'r', b'e', ..]
        | [b'o', b't', b'h', b'e', b'r', ..]
        | [b'p', b'l', b'u', b's', ..]
        | [.., b'h' | b'H', b'e' | b'E', b'r' | b'R', b'e' | b'E']
        | [.., b'n' | b'N', b'a' | b'A', b'm' | b'M', b'e' | b'E']
        | [b'n' | b'N', b'a' | b'A', b'm' | b'M', b'e' | b'E', ..]
        | [b't' | b'T', b'h', b'e', b' ', b'n', b'a', b'm', b'e', ..]
        | [.., b'b' | b'B', b'o' | b'O', b'v' | b'V', b'e' | b'E']
        | [0xe3, 0x80, 0x83] => true,
        [b'y' | b'Y', ..] => starts_like(text, "your") || is_date_format(text),
        [b'd' | b'D' | b'm' | b'M', ..] => is_date_format(text),
        [b'P', ..] => text == "PLACEHOLDER",
        [b'X' | b'x', ..] => is_crossed(text),
        [b'0'..=b'9', .., b'o' | b'O', b'r' | b'R', b'e' | b'E'] => is_ellipsis(text),
        [b'i' | b'I', ..] => starts_like(text, "insert"),
        [b'e' | b'E', ..] => {
            starts_like(text, "enter") || starts_like(text, "example") || RESTS.contains(&text)
        }
        [b'f' | b'F', ..] => starts_like(text, "fill"),
        [b'/' | b' ', ..] => is_rest(text),
        [b'r', ..] | [.., b'c' | b'w' | b'.' | 0x89] => RESTS.contains(&text),
        _ => false,
    }
}

/// Returns whether `text` may be a gap or the name of a type, or may have taken something in.
pub(super) fn may_be_placeholder(text: &str, keys: &Keys) -> bool {
    may_be_gap(text, keys) || text.starts_with("string") || may_take_in(text)
}

/// Returns whether `text` stands for elements that were not written: `...`, `… and 5 more`.
fn is_ellipsis(text: &str) -> bool {
    static MORE: Words = Words::of(
        "and plus more other others so on etc items entries remaining omitted truncated here additional
         continued",
    );
    let rest = text.trim_start_matches(['.', '…']);
    let dots = text.len() - rest.len();
    let is_around = |c: char| matches!(c, '.' | '…' | '(' | ')' | '[' | ']' | '+') || c.is_whitespace();
    let rest_words = rest.trim_matches(is_around);
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_meant = |word: &str| MORE.have(word) || is_number(word);
    let words = || rest_words.split_whitespace();
    let says_more = || rest.len() < 64 && words().any(|word| MORE.have(word)) && words().all(is_meant);
    // `... (47 more states)`
    let counts_more = || {
        let words: Vec<&str> = words().collect();
        words.windows(2).any(|two| is_number(two[0]) && matches!(two[1], "more" | "other" | "others"))
    };
    // One `…` may be a right value among others.
    // Without dots, only a number, brackets or `and so on` tell it from a text.
    let is_counted = || rest.contains(|c: char| c.is_ascii_digit()) || text.starts_with(['(', '[']);
    dots >= 3 && (rest.is_empty() && text.starts_with('.') || says_more() || rest.len() < 64 && counts_more())
        || dots == 0 && is_counted() && says_more()
}

/// Returns whether one of the elements `items` of a list stands for more of them. An ellipsis alone, or
/// before others, may be a right value.
pub(super) fn is_partial_list(items: &[Node<'_>]) -> bool {
    items.iter().filter_map(Node::text).any(is_rest)
        || items.len() > 1 && items.last().and_then(Node::text) == Some("…")
}

/// Returns whether the element `text` of a list stands for more of them.
pub(super) fn is_rest(text: &str) -> bool {
    const DOTS: [&str; 9] = ["...", ". . .", "(...)", "[...]", "{...}", "<...>", "(…)", "[…]", "<…>"];
    let said = text.trim_matches(['<', '>', '(', ')', '[', ']', '/', '#', ' ']);
    let says_more = || {
        let first = said.split(' ').next().unwrap_or_default();
        let is_known = matches!(first, "and" | "more" | "other" | "plus");
        is_known && said.contains(' ') && is_ellipsis(&format!("...{said}"))
    };
    // `(repeat for the other files)`
    let is_repeated = || said.len() + 2 == text.len() && text.starts_with('(') && starts_like(said, "repeat");
    text.len() < MAX_REQUEST
        && (is_repeated()
            || RESTS.contains(&text)
            || DOTS.contains(&text)
            || said == "more" && text.len() > said.len()
            || says_more())
}

/// Names of types, in the notation of contracts and of programming languages.
pub(super) const TYPES: [&str; 13] = [
    "string", "number", "integer", "boolean", "null", "unknown", "str", "int", "float", "bool", "array",
    "object", "list",
];

/// Returns whether the quoted `text` is the type of a string: `string`, `string | null`.
pub(super) fn is_type_word(text: &str) -> bool {
    text.starts_with("string") && is_type(text)
}

/// Returns whether `text` is a type in the notation of contracts: `string`, `?: string | null`,
/// `integer[]`.
pub(super) fn is_type(text: &str) -> bool {
    let is_name =
        |name: &str| matches!(name, "string" | "number" | "integer" | "boolean" | "null" | "unknown" | "");
    let text = text.trim_start_matches("?:");
    !text.is_empty() && text != "[]" && text.split(['|', ' ', '[', ']', '(', ')']).all(is_name)
}

/// Marks before the name of a parameter, and after it, as the templates of some models write calls.
const PARAMETERS: [(&str, &str); 3] =
    [("parameter name=\"", "\""), ("parameter=", ">"), ("<arg_key>", "</arg_key>")];

/// Returns whether `text` may have taken something in. Most strings have not.
pub(super) fn may_take_in(text: &str) -> bool {
    let has_mark = || PARAMETERS.iter().any(|(mark, _)| text.contains(mark));
    text.starts_with(['{', '`'])
        || memchr3(b'"', b'\'', b'<', text.as_bytes()).is_some()
            && (text.contains("\":")
                || text.contains("':")
                || text.contains('<') && (text.trim_end().ends_with('>') || has_mark()))
}

/// Returns whether a string of the object `node` took in others of the contract's `keys`, or the object
/// itself.
pub(super) fn took_in(node: &Node<'_>, keys: &Keys) -> bool {
    let members = || node.entries().iter().map(|entry| (&*entry.key, &entry.value));
    let present = LazyCell::new(|| members().filter(|(key, _)| keys.has(key)).collect::<HashMap<_, _>>());
    let strings = members().filter_map(|(key, value)| Some((key, value.text()?)));
    strings.filter(|(_, text)| may_take_in(text)).any(|(key, text)| {
        let is_absent = |name: &str| keys.has(name) && !present.contains_key(name);
        repeats_object(key, text, &present, keys)
            || has_parameter(text, is_absent)
            || ['"', '\''].into_iter().any(|quote| has_member(text, quote, is_absent))
            || closes_tag(text, key)
    })
}

/// Returns whether `text`, under `key`, is the JSON of the object that it is in: it has the known members
/// that are `present` there, and no unknown ones. With another member beside it, it may be content.
fn repeats_object(key: &str, text: &str, present: &HashMap<&str, &Node<'_>>, keys: &Keys) -> bool {
    let inside = unfenced(text);
    if !present.contains_key(key) || !inside.starts_with('{') {
        return false;
    }
    let Some(object) = object(inside) else { return false };
    let is_repeated = |(name, value): (&&str, &&Node<'_>)| {
        object.get(*name).is_some_and(|inner| *name == key || value.is_value(inner))
    };
    object.len() >= present.len()
        && object.keys().all(|name| keys.has(name))
        && present.iter().all(is_repeated)
}

/// The object that `text` is the JSON of, or the literal of Python.
fn object(text: &str) -> Option<Map<String, Value>> {
    let value = if text.starts_with("{'") {
        parse::whole(text, 0, MAX_DEPTH)?.node.into_value()
    } else {
        serde_json::from_str(text).ok()?
    };
    if let Value::Object(object) = value { Some(object) } else { None }
}

/// Most levels of brackets in such an object.
const MAX_DEPTH: usize = 64;

/// Returns whether `text` has the mark of a parameter whose name `is_absent`.
fn has_parameter(text: &str, is_absent: impl Fn(&str) -> bool) -> bool {
    PARAMETERS.iter().any(|(mark, end)| {
        let mut rests = text.split(mark).skip(1);
        rests.any(|rest| rest.split_once(end).is_some_and(|(name, _)| is_absent(name)))
    })
}

/// Returns whether a quote in `text` that closes nothing is followed by a member whose name `is_absent`: the
/// string was closed after the next member, `Bo", "age": 41`.
fn has_member(text: &str, quote: char, is_absent: impl Fn(&str) -> bool) -> bool {
    // The parts after the first quote, the third one and so on.
    let mut parts = text.split(quote).skip(1);
    let mut after = parts.next();
    while let (Some(comma), Some(name), Some(rest)) = (after, parts.next(), parts.next()) {
        if comma.trim() == "," && is_absent(name) && rest.trim_start().starts_with(':') {
            return true;
        }
        after = Some(rest);
    }
    false
}

/// Returns whether `text` has the tag that closes `key`, at its end or before another tag, and does not open it:
/// `Ann</name>`, `Ann</name>\n<age>41</age>`.
fn closes_tag(text: &str, key: &str) -> bool {
    let closed = text.match_indices("</").find_map(|(at, mark)| {
        let rest = text[at + mark.len()..].strip_prefix(key)?.strip_prefix('>')?.trim_start();
        (rest.is_empty() || rest.starts_with('<')).then(|| &text[..at])
    });
    closed.is_some_and(|inside| !inside.split('<').skip(1).any(|tag| tag.starts_with(key)))
}
