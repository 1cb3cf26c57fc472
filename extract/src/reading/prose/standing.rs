//! Decides whether a value in a reply is alone or inside prose.

use std::collections::HashMap;

use super::{Words, ends_sentence, first_bytes, last_bytes, last_line, last_name, words};
use crate::reading::parse::is_space;

/// Words in the marks of calls.
pub(crate) static CALLS: Words = Words::of(
    "args call calls channel constrain function functions invoke message parameter python tool toolcall",
);

/// Words for what a tool returned, in the marks around that.
pub(super) static RETURNED: Words = Words::of("output outputs response responses result results");

/// How a value is embedded in a reply, judging by the text around it without reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The whole reply, or alone in a code fence or between a pair of tags.
    Alone,
    /// On lines of its own.
    Apart,
    /// In running text, or after the mark of a list.
    Inline,
}

impl Standing {
    /// Classifies a value by the text `before` and `after` it.
    pub(crate) fn of(before: &str, after: &str) -> Self {
        let (head, tail) = (before.trim_end_matches(is_space), after.trim_start_matches(is_space));
        let is_fenced = without_fence(head).is_some() && (tail.is_empty() || tail.starts_with("```"));
        let is_nothing = |text: &str| text.chars().all(|c| is_space(c) || matches!(c, ';' | ','));
        let is_tagged = head.ends_with('>') && tail.starts_with("</");
        if is_fenced || is_tagged || is_nothing(head) && is_nothing(tail) {
            return Self::Alone;
        }
        let start = last_line(before);
        let rest = after.split('\n').next().unwrap_or_default();
        let is_apart = start.chars().all(is_space) && is_nothing(rest);
        if is_apart { Self::Apart } else { Self::Inline }
    }
}

/// `head` without the line that opens a code fence at its end.
fn without_fence(head: &str) -> Option<&str> {
    let line = last_line(head);
    let label = line.trim_start_matches([' ', '\t', '>']).strip_prefix("```")?;
    label.bytes().all(|byte| byte.is_ascii_alphanumeric()).then(|| &head[..head.len() - line.len()])
}

/// The end of the text before a value, without the fence or the call that opens it.
pub(crate) fn lead(before: &str) -> &str {
    let mut before = last_bytes(before, SENTENCE).trim_end_matches(|c| is_space(c) || matches!(c, '`' | '*'));
    while let Some(rest) = without_call(before) {
        before = rest.trim_end();
    }
    let before = without_fence(before).or(before.strip_suffix("```json")).unwrap_or(before);
    before.trim_end_matches(|c| is_space(c) || c == '*')
}

/// Longest mark of a call.
const MAX_MARK: usize = 128;

/// `head` without the mark of a call at its end: `<tool_call>`, `<function=submit>`, `[TOOL_CALLS]submit[ARGS]`,
/// `submit(`.
fn without_call(head: &str) -> Option<&str> {
    let named = || head.strip_suffix("submit").filter(|rest| rest.ends_with([']', '>', '.']));
    let marked = || {
        let open = if head.ends_with('>') { '<' } else { '[' };
        let mark = last_bytes(head.strip_suffix(['>', ']'])?, MAX_MARK);
        let inside = &mark[mark.rfind(open)? + 1..];
        let is_call = CALLS.any_in(inside) && !RETURNED.any_in(inside);
        is_call.then(|| &head[..head.len() - inside.len() - 2])
    };
    head.strip_suffix("submit(").or_else(named).or_else(marked)
}

/// The text in the code fence that is all of `text`; without one, `text` itself.
pub(crate) fn unfenced(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    let is_label = |label: &str| label.trim_end().bytes().all(|byte| byte.is_ascii_alphanumeric());
    let body = inside.and_then(|inside| inside.split_once('\n')).filter(|(label, _)| is_label(label));
    body.map_or(text, |(_, body)| body.trim())
}

/// Bytes before a value in which phrases about it are looked for: one sentence or two.
const LEAD: usize = 240;

/// The end of `text`: the paragraph that leads to the value after it.
pub(crate) fn last_paragraph(text: &str) -> &str {
    let text = last_bytes(lead(text), LEAD);
    let mut breaks = text.match_indices('\n').map(|(at, _)| at);
    breaks.rfind(|at| ends_paragraph(&text[..=*at])).map_or(text, |at| &text[at + 1..])
}

/// Returns whether `text` ends with a blank line.
pub(crate) fn ends_paragraph(text: &str) -> bool {
    text[text.trim_end().len()..].matches('\n').count() > 1
}

/// Verbs that link the subject of a sentence to a value.
static COPULAS: Words = Words::of("is are was were be ist sind es son est sont sono");

/// Returns whether the text before a value leads to it: with a colon, an arrow, or "is".
pub(crate) fn leads_to(before: &str) -> bool {
    let before = before.trim_end_matches(|c| is_space(c) || matches!(c, '`' | '*'));
    let word = before.rsplit(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    before.ends_with([':', '=', '>', '→', '：']) || COPULAS.have(word)
}

/// Returns whether the sentence around a value says that it is not the answer: "a wrong answer
/// would be …", "not …", "… is wrong".
///
/// This is the last resort when the form of a reply says nothing. It knows English only, and few
/// words, because refusing a right value costs an attempt.
pub(crate) fn is_denied(before: &str, after: &str) -> bool {
    static WRONG: Words = Words::of("wrong incorrect invalid false bad rejected");
    static OLD: Words = Words::of("earlier former old previous");
    static DENYING: Words = Words::of(
        "delete discard doubt else formerly ignore never not previously reject undo unlike without",
    );
    static SAYING: Words = Words::of("given said wrote");
    // Parts of the name of a variable.
    static UNUSED: Words =
        Words::of("bad default earlier error example fallback former invalid old previous wrong");
    static ANSWER: Words = Words::of("answer value result reply response output object json example one");
    static IS: Words = Words::of("is was would are were will");
    static ASKING: Words = Words::of("can could did do does is may might shall should was will would");
    let led = lead(before);
    let before = led.rsplit(ends_sentence).next().unwrap_or_default().to_lowercase();
    let follows = first_bytes(after, SENTENCE);
    let behind_fence = follows.trim_start().strip_prefix("```").map(str::trim_start);
    // A new sentence after a fence is about something else.
    let starts_anew =
        |text: &&str| text.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '"');
    let follows = behind_fence.filter(|text| !starts_anew(text)).unwrap_or(follows);
    let after = follows.split(ends_sentence).next().unwrap_or_default();
    let said: Vec<&str> = words(&before).collect();
    let is_wrong_answer = |pair: &[&str]| (WRONG.have(pair[0]) || OLD.have(pair[0])) && ANSWER.have(pair[1]);
    let is_refused = matches!(
        said[..],
        [.., "instead", "of"]
            | [.., "rather" | "other", "than"]
            | [.., "anything", "but"]
            | [.., "doubt" | "false", "that"]
            | ["do", "not", ..]
            | ["don", "t", ..]
            | [.., "unable" | "failed", "to", _]
            | [.., "error", "while", _]
    ) || matches!(
        said.strip_suffix(&["this"]).unwrap_or(&said),
        [.., "not" | "never", "answer" | "give" | "output" | "return" | "send" | "submit" | "use"]
            | [.., "not", "to", "give" | "output" | "return" | "send" | "submit" | "use"]
    ) || said.last().is_some_and(|last| {
        DENYING.have(last) || SAYING.have(last) && said.len() < 4 && !before.ends_with(':')
    });
    let is_unwanted = said.windows(2).any(|two| two == ["not", "what"]);
    let was_so = said.last() == Some(&"was")
        && said.iter().any(|word| matches!(*word, "before" | "earlier" | "originally" | "previously"));
    let asks = (said.last() == Some(&"is") || said.first().is_some_and(|first| ASKING.have(first)))
        && follows[after.len()..].starts_with('?');
    let follows = follows.trim_start();
    let is_one_of_two = follows.starts_with("||")
        || follows.starts_with("??")
        || follows.starts_with(':') && led.ends_with('?')
        || led.strip_suffix(':').is_some_and(|rest| rest.trim_end().ends_with("{}") && rest.contains("? {}"))
        || led.strip_suffix('=').is_some_and(|rest| UNUSED.any_in(last_name(rest.trim_end(), &['_'])))
        || before.ends_with("||")
        || words(after).next() == Some("unless")
        || words(after).next() == Some("if") && words(after).any(|word| word == "else")
        || said.contains(&"if") && matches!(words(after).next(), Some("else" | "otherwise"));
    let is_wrong = |word: &str| word.eq_ignore_ascii_case("not") || WRONG.have(word);
    let mut behind = words(after).peekable();
    behind.next_if(|word| matches!(*word, "that" | "which"));
    let is_called_wrong =
        behind.next().is_some_and(|word| IS.have(word)) && words(after).take(5).any(is_wrong);
    // `The age was wrong: {…}` corrects it.
    let is_labelled_wrong =
        before.ends_with(':') && matches!(said[..], ["this", "is", last] if WRONG.have(last));
    said.windows(2).any(is_wrong_answer)
        || is_labelled_wrong
        || is_refused
        || was_so
        || is_unwanted
        || asks
        || led.ends_with("~~") && !led.ends_with("~~~")
        || is_struck_by_tag(led)
        || is_raised(last_line(led))
        || is_one_of_two
        || is_called_wrong
}

/// Returns whether `led` ends with a tag that strikes out what follows: `<del>`, `<s class="old">`.
fn is_struck_by_tag(led: &str) -> bool {
    let tag = led.strip_suffix('>').and_then(|led| last_bytes(led, MAX_MARK).rsplit('<').next());
    let name = tag.and_then(|tag| tag.split(' ').next()).unwrap_or_default();
    matches!(name, "del" | "s" | "strike")
}

/// Returns whether `line` is code that reports what follows as an error: `raise ValueError(`, `assert False, `.
fn is_raised(line: &str) -> bool {
    let line = line.trim_start();
    ["raise ", "throw ", "assert False", "assert false"].iter().any(|start| line.starts_with(start))
}

/// Bytes of a sentence that are examined on each side of a value.
const SENTENCE: usize = 400;

/// Words for what a flag says, and for its opposite: the first word of each row is the start of the flag's name.
const OPPOSITES: [(&str, &str); 11] = [
    ("accept", "declined denied reject rejected"),
    ("approv", "declined denied disapproved reject rejected"),
    ("complian", "noncompliant violated"),
    ("correct", "false incorrect wrong"),
    ("grounded", "hallucinated ungrounded"),
    ("hallucinat", "faithful grounded"),
    ("pass", "fail failed fails"),
    ("safe", "dangerous harmful unsafe"),
    ("spam", "ham legitimate"),
    ("support", "contradicts contradicted refuted unsupported"),
    ("valid", "invalid"),
];

/// Most words of a sentence that says what a flag is, and most of these sentences.
const MAX_VERDICT: usize = 7;
const MAX_VERDICTS: usize = 64;

/// The words of each short sentence of `text`, in lower case, that may say what a flag is.
pub(crate) fn verdicts(text: &str) -> Vec<Vec<&str>> {
    static OPEN: Words = Words::of("could if may might should unless whether would");
    let sentences = text.split_inclusive(ends_sentence).filter(|sentence| !sentence.ends_with(['?', '？']));
    let said = sentences.map(|sentence| words(sentence).take(MAX_VERDICT + 1).collect::<Vec<_>>());
    let may_tell = |said: &Vec<&str>| {
        (1..=MAX_VERDICT).contains(&said.len()) && !said.iter().any(|word| OPEN.have(word))
    };
    said.filter(may_tell).take(MAX_VERDICTS).collect()
}

/// What the sentence of the words `said` says of the flag `name`: `approved` is false by `I do not approve this`,
/// `Rejected` and `Decision: denied`. `None` if it may speak of something else.
pub(crate) fn verdict_on(said: &[&str], name: &str) -> Option<bool> {
    static NEGATING: Words = Words::of(
        "cannot didn doesn don ei ikke inte isn kein keine keinen nem neither není never nicht nie niet no non none nor not
         nothing não nu pas wasn не нет",
    );
    static OFF: Words = Words::of("disabled false off");
    static SPEAKERS: Words = Words::of("i we");
    static SUBJECTS: Words =
        Words::of("answer claim decision it message request result test that the this verdict");
    let known = OPPOSITES.into_iter().find(|(start, _)| name.starts_with(start));
    let (stem, opposites) = known.unwrap_or_else(|| (first_bytes(name, STEM), ""));
    // Neither `validation` nor `validated`.
    let is_name =
        |word: &str| word.starts_with(stem) && word.len() < name.len() + STEM && !word.starts_with("validat");
    let is_opposite = |word: &str| opposites.split(' ').any(|opposite| opposite == word);
    let at = said.iter().position(|word| is_name(word) || is_opposite(word))?;
    let is_last =
        at + 1 == said.len() || is_opposite(said[at]) && matches!(said.get(at + 1), Some(&"this" | &"the"));
    let is_of_it = SUBJECTS.have(said[0]) && said.len() > 1 || said[0] == "no" || SPEAKERS.have(said[0]);
    let is_negated = said[..at].iter().any(|word| NEGATING.have(word))
        || said.last().is_some_and(|last| OFF.have(last) && !is_opposite(last));
    (is_last || is_of_it).then_some(is_name(said[at]) != is_negated)
}

/// Bytes of a name that its other forms share, as `toxic` and `toxicity` do; these are less than so many bytes longer.
const STEM: usize = 5;

/// Prefixes of a word that deny it.
const DENYING_PREFIXES: [&str; 8] = ["dis", "il", "im", "in", "ir", "non", "non-", "un"];

/// Bytes of a sentence before a word that are examined.
const OPPOSITE_LEAD: usize = 160;

/// Most places at which one word is denied; others say the same.
const MAX_DENIED: usize = 64;

/// What a text, in lower case, denies: what follows a "not", and what a prefix turns into its opposite.
pub(crate) struct Denials<'t> {
    text: &'t str,
    /// The places by the first word there, and whether a prefix is before it.
    places: HashMap<&'t str, Vec<(usize, bool)>>,
}

impl<'t> Denials<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let is_part = |c: char| c.is_alphabetic() || c == '-';
        let mut places: HashMap<&str, Vec<(usize, bool)>> = HashMap::new();
        let mut add = |at: usize, is_prefixed| {
            let word = words(&text[at..]).next().filter(|word| text[at..].starts_with(word));
            let known = word.map(|word| places.entry(word).or_default());
            known
                .filter(|known| known.len() < MAX_DENIED)
                .into_iter()
                .for_each(|known| known.push((at, is_prefixed)));
        };
        let mut at = 0;
        while let Some(start) = text[at..].find(is_part).map(|start| at + start) {
            let word = &text[start..];
            let word = &word[..word.find(|c| !is_part(c)).unwrap_or(word.len())];
            if text[..start].ends_with("not ") {
                add(start, false);
            }
            let prefixes = DENYING_PREFIXES.iter().filter(|prefix| word.starts_with(**prefix));
            prefixes.for_each(|prefix| add(start + prefix.len(), true));
            at = start + word.len();
        }
        Self { text, places }
    }

    /// Returns whether the text says that something is not `name`, or its opposite: `the output is in fact invalid` for
    /// `valid`, but not `invalid rows were removed` or `nothing is invalid`.
    pub(crate) fn have(&self, name: &str) -> bool {
        let places = words(name).next().and_then(|word| self.places.get(word));
        places.into_iter().flatten().any(|(at, is_prefixed)| {
            let after = self.text[*at..].strip_prefix(name);
            after.is_some_and(|after| {
                if *is_prefixed { self.turns(*at, after) } else { !after.starts_with(char::is_alphanumeric) }
            })
        })
    }

    /// Returns whether the prefix before byte `at` makes the sentence say the opposite. `after` follows the name.
    fn turns(&self, at: usize, after: &str) -> bool {
        static TURNING: Words = Words::of(
            "aucun aucune cannot if kein keine ne neither never nicht nichts nie no non none nor not nothing não ob
             or pas se si t unless wenn whether without would",
        );
        static GOING_ON: Words = Words::of("as because due overall since");
        let before = last_bytes(&self.text[..at], OPPOSITE_LEAD);
        let sentence = before.rsplit(ends_sentence).next().unwrap_or_default();
        let said = sentence.trim_end_matches(|c: char| c.is_alphabetic() || c == '-');
        let after = after.trim_start_matches(['*', '_', '`', '"', '\'']);
        let is_end = after.is_empty()
            || after.starts_with(|c: char| c.is_ascii_punctuation() && c != '-' || ends_sentence(c))
            || after.starts_with(' ') && words(after).next().is_some_and(|word| GOING_ON.have(word));
        is_end && !TURNING.any_in(said)
    }
}
