//! What the sentence that leads to a value says it is: made up, outdated, of somebody else, or right under a
//! condition only.

use super::{
    ANSWERS, Words, ends_sentence, first_bytes, last_bytes, last_line,
    phrases::{PhraseMeaning, confirms, says},
    standing::{RETURNED, lead, leads_to},
    starts_like,
    stated::says_nothing,
    unfounded::is_unread,
    words,
};

/// Words of a label that calls a value something else than the answer.
static OUTDATED: Words = Words::of(
    "anti bad before brouillon cached counterexample default deprecated draft dry eingabe else entwurf expected fallback
     falsch former formerly human incorrect incorrecto input intermediate invalid lambda loser not observation old
     original otherwise outdated previous previously prompt question rejected request runner simulation superseded todo
     undo unverified wip wrong 入力 草稿 错误 错误答案",
);

/// Names of tags around something else than the answer.
static OTHER_TAGS: Words = Words::of("error negative schema");

/// Last words of a label that says the same: `First attempt (wrong):`, `My initial guess:`
static FAILED: Words = Words::of("draft guess incorrect rejected wrong");

/// Words that call a value outdated at the start of a longer label, too: `Old ticket for comparison:`
static OLD: Words = Words::of("cached former old outdated previous rejected stale");

/// Words that call what they go with made up.
static SAMPLES: Words = Words::of(
    "arbitrary beispiel dummy ejemplo esempio example exemple fake fictional fictitious hypothetical
     hypothetically illustration illustrative invented mock placeholder placeholders possible random sample
     simulated template throwaway typical пример 示例",
);

/// Words for a value, after one of [`SAMPLES`].
static VALUES: Words = Words::of(
    "answer arguments call data for format guess input json number object of only output outputs reply response
     result results showing value values",
);

/// Words before one of [`SAMPLES`] that speak of a text that was given.
static GIVEN: Words = Words::of("each every given that the these this those your");

/// Returns whether `said` has a value that is made up: `an example of the format`, but not `the sample
/// document`.
pub(crate) fn shows_sample(said: &[&str]) -> bool {
    said.iter().enumerate().any(|(at, word)| {
        let may_be_given = matches!(&*word.to_lowercase(), "example" | "sample");
        let is_given = may_be_given && at > 0 && GIVEN.have(said[at - 1]);
        let is_value = said.get(at + 1).is_none_or(|next| VALUES.have(next) || SAMPLES.have(next));
        SAMPLES.have(word) && is_value && !is_given
    })
}

/// Bytes at the start of a text in which it may be handed over.
const MAX_PREAMBLE: usize = 200;

/// Returns whether `text` begins with words to the reader before the text that was asked for:
/// `Sure! Here is the summary: …`
pub(crate) fn has_preamble(text: &str) -> bool {
    static WILLING: Words = Words::of("absolutely certainly sure");
    let line = first_bytes(text.trim_start(), MAX_PREAMBLE).lines().next().unwrap_or_default();
    let word = line.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    let is_willing = WILLING.have(word) || starts_like(line, "of course");
    let is_handed =
        ["here is the ", "here's the ", "here are the "].iter().any(|start| starts_like(line, start));
    // Not the time of `10:30`.
    (is_willing || is_handed) && (line.ends_with(':') || line.contains(": ")) || is_labelled_answer(line)
}

/// Returns whether `line` begins with the label of an answer, which is no part of it: `Answer: …`, `The answer is: …`
fn is_labelled_answer(line: &str) -> bool {
    let Some((label, _)) = line.split_once([':', '：']) else { return false };
    let said: Vec<&str> = words(label).collect();
    match said[..] {
        [.., answer, "is"] => said.len() == 3 && ANSWERS.have(answer),
        [.., answer] => said.len() < 3 && ANSWERS.have(answer),
        [] => false,
    }
}

/// Returns whether `text`, from the start of a reply to a value in it, is the report of a program that failed:
/// `Traceback`, `HTTP/1.1 422 …`, or `AssertionError: …` in the paragraph of the value.
pub(crate) fn reports_error(text: &str) -> bool {
    let line = first_bytes(text.trim_start(), MAX_PREAMBLE).lines().next().unwrap_or_default();
    let status = line.strip_prefix("HTTP/").and_then(|rest| rest.split_whitespace().nth(1));
    let name = line.split(':').next().filter(|name| name.len() < line.len()).unwrap_or_default();
    let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_'));
    line.starts_with("Traceback (most recent call last)")
        || line.starts_with("ERROR:")
        || status.is_some_and(|status| status.starts_with(['4', '5']))
        || is_name && name.ends_with("Error") && !text.trim().contains("\n\n")
}

/// Returns whether a line of `text`, after a value, is the report of an error about it: `Error: not a capital`.
pub(crate) fn is_followed_by_error(text: &str) -> bool {
    let is_error = |line: &str| {
        let named =
            line.trim_start().split_once(": ").filter(|(name, _)| name.chars().all(char::is_alphanumeric));
        named.is_some_and(|(name, said)| {
            (name.eq_ignore_ascii_case("error") || name.ends_with("Error")) && !says_nothing(said)
        })
    };
    text.lines().any(is_error)
}

/// Words that call the value after them the answer.
static ANSWERING: Words = Words::of("actual correct correcta corrected final real right");

/// Other words that hand the value over.
static HANDING: Words = Words::of("answer antwort data here hier mine respuesta risposta réponse voici");

/// The last of several clauses of `sentence`: `the right one is` of `The one above is an example, the right one is`.
fn last_clause(sentence: &str) -> &str {
    sentence.rsplit_once([',', ';', '，']).map_or("", |(_, clause)| clause)
}

/// Returns whether the last of several clauses of `sentence` hands the answer over: `…, here is the JSON:`
pub(super) fn is_handed(sentence: &str) -> bool {
    let clause = last_clause(sentence);
    ANSWERING.any_in(clause) || HANDING.any_in(clause)
}

/// Returns whether `sentence`, with the words `said`, at the end of `before` calls the value after it made up, or supposes it:
/// `For example:`, `If there were one, it would be:`, `It could be`.
fn is_sample(before: &str, sentence: &str, said: &[&str]) -> bool {
    let has = |known: &str| said.contains(&known);
    let is_supposed = matches!(
        said,
        [.., "could" | "may" | "might", "be"]
            | [.., "could" | "may" | "might", "have", "been"]
            | [.., "i", "assume" | "expect" | "guess"]
            | ["so", "far"]
            | ["test", "data" | "input" | "values"]
            | [.., "something" | "look", "like"]
            | [.., "something" | "look", "like", "this"]
            | [.., "would", "answer" | "guess" | "say"]
            // The prompt again: `Return JSON like`.
            | ["produce" | "provide" | "reply" | "respond" | "return", .., "as" | "like"]
            | [.., "hypothetically" | "maybe" | "perhaps" | "possibly" | "presumably" | "probably"]
            | [.., "format", "is"]
            | [.., "format", "should" | "would", "be"]
            | [.., "example" | "sample", "is" | "was"]
            | [.., "example" | "sample", "would", "be"]
            | ["a" | "an", .., "looks", "like", "this"]
            // `if x: {…}` is code.
            | ["if", _]
            | ["else" | "otherwise"]
    );
    // `It may be {…} or {…}`
    let has_both =
        |first: &[&str], next: &str| said.windows(2).any(|two| first.contains(&two[0]) && two[1] == next);
    let is_one_of_two = said.last() == Some(&"or") && has_both(&["could", "may", "might"], "be");
    let is_supposition = has("if") && (has("would") || has("might") || has("could"));
    // `If it is from 2024, then`
    let is_case = (has("if") || has("suppose")) && said.last() == Some(&"then");
    // What a program does: `[dry run] would return`.
    let is_imagined = matches!(said, [.., "would", "output" | "print" | "return"]) && !has("i");
    is_supposed
        || announces_sample(before)
        || is_case
        || is_imagined
        || is_one_of_two
        || introduces(before)
            && (shows_sample(said) && !ANSWERING.any_in(last_clause(sentence)) || is_supposition)
}

/// Words that call what follows them an example.
static FOR_EXAMPLE: Words = Words::of(
    "bijv bijvoorbeeld cf contohnya eg esim esimerkiksi ex exemplu mesela misalnya np například például zb örneğin
     παράδειγμα напр например наприклад לדוגמה 例 見本 예",
);

/// The same for scripts without spaces, with marks inside of words, or in several words.
const FOR_EXAMPLE_ENDS: [&str; 11] = [
    "例如",
    "例えば",
    "たとえば",
    "比如",
    "예를 들어",
    "على سبيل المثال",
    "برای مثال",
    "به عنوان مثال",
    "उदाहरण के लिए",
    "ví dụ",
    "ตัวอย่างเช่น",
];

/// Bytes before a value that may call it an example.
const MAX_EXAMPLE: usize = 40;

/// Returns whether `before` ends with words that call what follows an example: `(e.g. `, `zum Beispiel `.
fn announces_sample(before: &str) -> bool {
    let end = last_bytes(before, MAX_EXAMPLE).to_lowercase();
    let said: Vec<&str> = words(&end).collect();
    matches!(
        *said,
        [.., "ad", "es"]
            | [.., "as", "an", "example" | "illustration"]
            | [.., "e", "g"]
            | [.., "f", "eks"]
            | [.., "for", "eksempel" | "example" | "instance"]
            | [.., "na", "przykład"]
            | [.., "p", "ej" | "es" | "ex"]
            | [.., "par", "ex" | "exemple"]
            | [.., "per", "esempio"]
            | [.., "por", "ejemplo" | "exemplo"]
            | [.., "such", "as"]
            | [.., "t", "ex"]
            | [.., "till", "exempel"]
            | [.., "z", "b"]
            | [.., "zum", "beispiel"]
    ) || said.last().is_some_and(|last| FOR_EXAMPLE.have(last))
        || FOR_EXAMPLE_ENDS
            .iter()
            .any(|known| end.trim_end_matches([' ', ':', '：', ',', '،', '*']).ends_with(known))
}

/// Returns whether `before` ends with a sentence that leads to a value: with a colon, a verb, or as its heading.
fn introduces(before: &str) -> bool {
    leads_to(before) || is_label(last_line(before))
}

/// The sentence at the end of `before`, without its colon.
fn last_sentence(before: &str) -> &str {
    before.trim_end_matches([':', '：']).rsplit(ends_sentence).next().unwrap_or_default()
}

/// What phrases may say of the value that their sentence leads to, so that it is not the answer.
const DISCLAIMING: [PhraseMeaning; 4] =
    [PhraseMeaning::Condition, PhraseMeaning::Correction, PhraseMeaning::Part, PhraseMeaning::Sample];

/// Returns whether the sentence that leads to a value calls it made up, or says that it is not the answer, or only
/// under a condition: `For example:`, `This is not the answer:`, `If the bank agrees, it will be:`, `The example in your prompt was:`.
pub(crate) fn is_disclaimed(before: &str) -> bool {
    let before = lead(before);
    let sentence = last_sentence(before);
    let said: Vec<String> = words(sentence).map(str::to_lowercase).collect();
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    // Not the last word of another value.
    let tells = || {
        before.ends_with(char::is_alphabetic) && (was_said(&said) || cites(&said))
            || matches!(*said, [.., "user" | "customer" | "sender", "suggested" | "wrote"])
    };
    // `I am sorry, let me try again: {…}` hands over what corrects another one.
    let is_retried = || {
        let redoes = |two: &[&str]| two[0] == "me" && matches!(two[1], "correct" | "fix" | "redo");
        said.ends_with(&["try", "again"]) || said.windows(2).any(redoes)
    };
    let is_phrased = || {
        says(sentence, &DISCLAIMING)
            && !is_retried()
            && !ANSWERING.any_in(sentence)
            && !says(before, &[PhraseMeaning::Final])
    };
    let is_other = || {
        is_conditional(sentence, &said)
            || denies(&said)
            || was_said(&said)
            || quotes(&said)
            || tells()
            || is_unread(sentence)
            || is_phrased()
    };
    is_sample(before, sentence, &said)
        || is_format(&said)
        || (introduces(before) || tells()) && !is_handed(sentence) && !confirms(sentence) && is_other()
}

/// Returns whether the words `said` are the heading of a description of the answer: `Response format:`
fn is_format(said: &[&str]) -> bool {
    matches!(said, ["schema"])
        || matches!(said, ["answer" | "expected" | "output" | "reply" | "required" | "response", .., "format"] if said.len() < 4)
}

/// First words of a sentence that holds under a condition only.
static CONDITIONAL: Words = Words::of(
    "angenommen assuming depending falls gdyby imagine jeśli jeżeli sofern suponhamos suponiendo supongamos suppose
     supposing supponendo supponiamo supposons unless vorausgesetzt допустим если предположим",
);

/// The same in languages that put no spaces between words.
const CONDITIONS: [&str; 5] = ["如果", "假设", "假如", "もし", "若"];

/// Returns whether `sentence`, with the words `said`, holds under a condition only. What depends on the reader, as in
/// `If you need it:`, does not make the value another one.
fn is_conditional(sentence: &str, said: &[&str]) -> bool {
    match said {
        ["if", "you", verb, ..] => {
            matches!(*verb, "agree" | "approve" | "confirm" | "count" | "mean" | "meant")
        }
        ["if" | "si", "i" | "je" | "j" | "only", ..] | ["had" | "should", "you", ..] => false,
        ["had" | "if" | "should" | "si", _, ..]
        | ["provided", "that", ..]
        | ["i", "will" | "would", .., "when", "done" | "finished" | "ready"]
        | ["pending", ..] => true,
        ["in", "case", who, ..] => *who != "you",
        // `Once the tests pass, I will return:`, `Before I submit, please confirm:`
        ["after" | "before" | "once" | "when", ..] => {
            said.iter().any(|word| matches!(*word, "d" | "ll" | "please" | "will" | "would"))
        }
        _ => {
            let start = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
            said.first().is_some_and(|first| CONDITIONAL.have(first))
                || CONDITIONS.iter().any(|condition| start.starts_with(condition))
        }
    }
}

/// Returns whether the sentence with the words `said` denies that the value after it is the answer: `This is not the
/// answer:`, `The address of the sender, not yours:`
fn denies(said: &[&str]) -> bool {
    static SHOWING: Words = Words::of("it that these they this those");
    static NOT: Words = Words::of("aren cannot isn never not wasn weren");
    static ANSWER: Words =
        Words::of("actual answer be correct final mine output real response result right valid");
    static ANOTHER: Words = Words::of("final hers mine ours real theirs yours");
    let is_not_it = || {
        let not = said.iter().take(3).position(|word| NOT.have(word));
        not.is_some_and(|not| said[not + 1..].iter().take(3).any(|word| ANSWER.have(word)))
    };
    matches!(said, ["none", "of", ..])
        || said.first().is_some_and(|first| SHOWING.have(first)) && is_not_it()
        || said.windows(2).any(|two| two[0] == "not" && ANOTHER.have(two[1]))
}

/// Returns whether the sentence with the words `said` tells what something was earlier, or what somebody else answered.
fn was_said(said: &[&str]) -> bool {
    static ANSWERED: Words = Words::of("answered prefilled rejected returned stood");
    static WERE: Words = Words::of("had read was were");
    static OURS: Words =
        Words::of("answer data extracted extraction i output reply response result value values");
    static ELSEWHERE: Words =
        Words::of("before different example input model planned previous previously prompt similar until");
    let last = |known: &Words| said.last().is_some_and(|last| known.have(last));
    let has = |known: &Words| said.iter().any(|word| known.have(word));
    last(&ANSWERED) && !has(&OURS)
        || last(&WERE) && has(&ELSEWHERE)
        || matches!(said, [.., "responded", "with"] | ["you", "gave" | "sent", "me"] | ["you", "wrote"])
}

/// Returns whether the sentence with the words `said`, right before a value, says that a text has it: `The
/// message that I was given said {…}`.
fn cites(said: &[&str]) -> bool {
    static SOURCES: Words = Words::of(
        "article attachment author comment content customer description document email file input letter mail
         message note page post prompt question review sender source text transcript user website",
    );
    static CITING: Words = Words::of(
        "asserted asserts claimed claims contained contains embedded included includes read reads said says
         states stated suggested wrote",
    );
    let said = said.strip_suffix(&["this", "json"]).unwrap_or(said);
    said.last().is_some_and(|last| CITING.have(last)) && said.iter().any(|word| SOURCES.have(word))
}

/// Returns whether the sentence with the words `said` repeats a value from what was given: `The manual's sample:`.
fn quotes(said: &[&str]) -> bool {
    static SOURCES: Words = Words::of(
        "docs documentation form guidelines instruction instructions log manual prompt reference spec specification template validator",
    );
    static CITED: Words = Words::of(
        "contains default defaults example failed prefilled quoting rejected repeating returned sample says shows
         snippet",
    );
    let has = |known: &Words| said.iter().any(|word| known.have(word));
    has(&SOURCES) && has(&CITED)
}

/// Returns whether `line` is the label of a value: it ends with a colon or a tag, or is a heading or in
/// bold.
pub(super) fn is_label(line: &str) -> bool {
    let is_bracketed = line.starts_with('[') && line.ends_with(']');
    line.ends_with([':', '>', '：']) || line.starts_with('#') || line.starts_with("**") || is_bracketed
}

/// Returns whether the label `line` is of what a tool returned: `Tool output:`, `<function_results>`.
fn is_returned(line: &str) -> bool {
    static TOOLS: Words = Words::of("api function search tool");
    let said: Vec<&str> = words(line).collect();
    matches!(said[..], [tool, returned] if TOOLS.have(tool) && RETURNED.have(returned))
        || matches!(said[..], [returned, "from", ..] if RETURNED.have(returned))
        || matches!(said[..], [returned, "of", tool] if RETURNED.have(returned) && TOOLS.have(tool))
}

/// Returns whether the label before a value, `Old: `, says that it is not the answer.
pub(crate) fn is_outdated(before: &str) -> bool {
    let before = lead(before);
    // `Draft: {…}. Final: ` is the label of a final one.
    let line = last_line(before).rsplit('}').next().unwrap_or_default();
    let line = line.rsplit(". ").next().unwrap_or_default();
    // The text of a tag, `<summary>Old</summary>`, is a label like another one.
    let inside = line.rsplit_once("</").and_then(|(line, _)| Some(line.rsplit_once('>')?.1));
    let (line, is_tagged) = (inside.unwrap_or(line), inside.is_some());
    let count = words(line).count();
    let is_old = || words(line).next().is_some_and(|word| OLD.have(word));
    // What a tool returned is told by its tag, too: `<tool_response>`.
    let is_returned = is_returned(line.rsplit('<').next().unwrap_or_default());
    let is_label = (is_tagged || is_label(line)) && (count <= 3 || is_old() || is_returned) || line == "not";
    let is_article =
        |word: &&str| ["a", "action", "an", "the"].iter().any(|known| word.eq_ignore_ascii_case(known));
    let says_so = words(line).find(|word| !is_article(word)).is_some_and(|word| OUTDATED.have(word))
        || words(line).last().is_some_and(|word| FAILED.have(word)) && !ANSWERING.any_in(line);
    let tag = line.strip_suffix('>').and_then(|line| line.rsplit('<').next()).unwrap_or_default();
    is_label && !is_final_action(before) && (says_so || is_returned || OTHER_TAGS.have(tag))
        || before.ends_with('❌')
}

/// Returns whether the code fence that `before` ends with has a label that says the same: "```json example".
pub(crate) fn is_fenced_as_other(before: &str) -> bool {
    let label = last_line(before.trim_end()).trim_start().strip_prefix("```");
    label.is_some_and(|label| words(label).any(|word| OUTDATED.have(word) || SAMPLES.have(word)))
}

/// Returns whether `action` is how agents of LangChain's format call the answer, or the tool that takes it.
pub(crate) fn names_final_answer(action: &str) -> bool {
    let action = action.trim();
    action == "submit" || action.replace('_', " ").eq_ignore_ascii_case("final answer")
}

/// Returns whether `before` ends with the action that gives the answer, in the format of LangChain's agents:
/// `Action: submit`, and its input on the next line.
pub(super) fn is_final_action(before: &str) -> bool {
    let line = lead(before).lines().rev().nth(1);
    line.and_then(|line| line.strip_prefix("Action:")).is_some_and(names_final_answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_that_leads_to_a_value_may_disclaim_it() {
        for before in [
            "This is not the answer:\n\n",
            "If the bank approves the loan, the payment will be:\n",
            "Depending on which invoice you meant:\n```json\n",
            "The example in your prompt was:\n",
            "The previous model had answered ",
            "**The sender's address, not yours:**\n",
            "Das stimmt nicht:\n",
        ] {
            assert!(is_disclaimed(before), "{before}");
        }
    }

    #[test]
    fn other_sentences_with_the_same_words_do_not() {
        for before in [
            "",
            "If you need it as JSON:\n",
            "If I read it right:\n",
            "Not an example, but the real data:\n",
            "The letter does not mention a phone number:\n",
            "In line with your instructions:\n",
            "The result was ",
            "The right one is ",
            "If the bank approves the loan, it is paid. ",
        ] {
            assert!(!is_disclaimed(before), "{before}");
        }
    }
}
