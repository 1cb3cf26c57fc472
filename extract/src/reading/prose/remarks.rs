//! Remarks in prose after a value: that it is taken back, left open, or a part only.
//!
//! The words are few, because refusing a right value costs an attempt.

use std::borrow::Cow;

use super::{
    NOTHING, Words, ends_sentence, first_bytes,
    introduction::shows_sample,
    phrases::{PhraseMeaning, confirms, says},
    starts_like,
    unfounded::is_unread,
    words,
};
use crate::reading::parse::is_space;

/// What phrases may say of a value beside it, so that it is not the answer.
const DISOWNING: [PhraseMeaning; 5] = [
    PhraseMeaning::Condition,
    PhraseMeaning::Correction,
    PhraseMeaning::Doubt,
    PhraseMeaning::Part,
    PhraseMeaning::Sample,
];

/// Returns whether `text` says that a value is wrong, doubtful, a part only or made up.
pub(crate) fn disowns_value(text: &str) -> bool {
    let disowns = |sentence: &str| says(sentence, &DISOWNING) || is_unread(sentence) || fills_in(sentence);
    text.split_inclusive(ends_sentence).any(|sentence| disowns(sentence) && !confirms(sentence))
}

/// Returns whether `sentence` says that a value was filled in for one that is not known: `The report does not mention
/// cards, so I put 0`, `set to 0 because the dose is illegible`.
pub(crate) fn fills_in(sentence: &str) -> bool {
    static FILLING: Words = Words::of("assumed defaulted entered filled inserted picked put set used");
    static LACKING: Words = Words::of("illegible missing no not unclear unknown unreadable");
    static EMPTY: Words = Words::of("blank empty it nil none null");
    let said: Vec<String> = words(sentence).map(str::to_lowercase).collect();
    let is_filled = |three: &[String]| {
        three[0] == "so" && matches!(&*three[1], "i" | "we") && FILLING.have(&three[2])
            || three[0] == "set" && three[1] == "to" && three[2] == "because"
    };
    // `I put EUR as a default`
    let is_default = |two: &[String]| {
        matches!(&*two[0], "i" | "we") && FILLING.have(&two[1]) && said.contains(&"default".to_owned())
    };
    (said.windows(3).any(is_filled) || said.windows(2).any(is_default))
        && LACKING.any_in(sentence)
        && !EMPTY.any_in(sentence)
}

/// Bytes at the start of a text in which a refusal is looked for.
const REFUSAL: usize = 120;

/// Returns whether `text` is a refusal to answer instead of a text that was asked for. A text that quotes one
/// begins otherwise, with a mark before it.
pub(crate) fn is_refusal(text: &str) -> bool {
    let start = first_bytes(text, REFUSAL);
    !start.contains(['"', '“', '«', '「', ':', '：']) && says(start, &[PhraseMeaning::Refusal])
}

/// Returns whether a sentence of `text` takes the call beside it back: `That submission was a mistake.`
pub(crate) fn takes_call_back(text: &str) -> bool {
    static CALLS: Words = Words::of("call sent submission submitted");
    text.split(ends_sentence).any(|sentence| CALLS.any_in(sentence) && is_retraction(sentence))
}

/// Words of a sentence that takes a value back or corrects it.
static RETRACTING: Words = Words::of(
    "actually correction disregard entschuldigung fabricated faux fehler forgot guessed hm hmm ignore ignorieren
     incorrecto korrektur oops retract sorry undo wait falsch corrección correzione correção errata исправление поправка
     неверно 以上有误 更正 訂正 desculpe perdón pardon przepraszam scusa scusate özür извините простите стоп 对不起 抱歉
     すみません ごめんなさい 죄송합니다",
);

/// The same in a sentence about the answer. In others they tell of something else: `The load balancer had a wrong
/// health check.`
static RETRACTING_ANSWER: Words = Words::of(
    "dummy fictional fictitious guess hypothetical incorrect instead invented missed mistake swap swapped typo wrong",
);

/// Words of a sentence about the answer, or of whoever gave it.
static ABOUT_ANSWER: Words = Words::of(
    "above answer answers call cell cells extracted extraction field fields figure figures i item items json line list me
     mine my number numbers object output please reply response result results row rows submission submitted value values we",
);

/// Most words of a sentence that is about the answer whatever it says: `Wrong city.`
const MAX_VERDICT: usize = 4;

/// Those of them that take a value back even in a question, as its first word: `Wait, was it four?`
static DOUBTING: Words = Words::of("actually correction hm hmm oops wait");

/// What a sentence says that a value is not.
static RIGHT: Words = Words::of("accurate answer certain correct final output real right sure true valid");

/// Words that take a value back in a sentence of few words: `Not final.`, `TBC`, `Nope!`
static DISMISSING: Words = Words::of(
    "aborted abandoned approximately błąd cancelled cut draft errado error failed fails false fel fout interrupted jk joking
     maybe minimum maximum nah nope obsolete outdated perhaps probably provisional retracted roughly sarcasm
     sbagliato superseded tbc tbd unconfirmed unsettled unverified void गलत 错误",
);

/// Most words of such a sentence, and whole sentences that say the same.
const MAX_DISMISSAL: usize = 2;
const DISMISSALS: [&str; 6] = ["not", "or so", "at least", "at most", "plus or minus", "/s"];

/// Returns whether `sentence` is a verdict alone. With a number or a colon, it tells something else.
pub(crate) fn dismisses(sentence: &str) -> bool {
    let said = sentence.trim();
    let is_short = (1..=MAX_DISMISSAL).contains(&words(said).count())
        && !said.contains(|c: char| c.is_numeric() || matches!(c, ':' | '：' | '=' | '|'));
    is_short && DISMISSING.any_in(said) && !NOTHING_BUT_NOT.any_in(said)
        || DISMISSALS.iter().any(|known| said.eq_ignore_ascii_case(known))
}

/// Words beside one of those that deny it: `No error.`
static NOTHING_BUT_NOT: Words = Words::of("empty keine no none nothing without zero");

/// First words of a sentence about the value before it.
static SHOWING: Words = Words::of("above all it note that the these this those");

/// Words of a sentence that only may take it back.
static CONDITIONAL: Words = Words::of("if falls si");

/// Words of a sentence that says that a list has not all elements.
static PARTIAL: Words = Words::of("brevity incomplete");

/// The same, if they stand alone.
static PARTIAL_ALONE: Words =
    Words::of("abbreviated continue continued etc omitted shortened truncated usw 等等 以下省略");

/// Phrases that say the same of a list, and of another value may say something else.
const PARTIAL_PHRASES: [&str; 27] = [
    "continued in part",
    "could not be read",
    "shall i go on",
    "i skipped the",
    "list is not complete",
    "list is truncated",
    "too long to translate",
    "just a few of",
    "length limit",
    "limit reached",
    "not all items",
    "not exhaustive",
    "items processed",
    "more items",
    "most important ones",
    "only included",
    "only the first",
    "there are more",
    "rest is",
    "follow the same pattern",
    "follows the same pattern",
    "other keys",
    "remaining keys follow",
    "some entries are missing",
    "some items are missing",
    "tell me when to go on",
    "were left un",
];

/// Words for elements beyond those that are there.
static FURTHER: Words = Words::of("additional further more others remain remaining weitere");

/// Words between a number of elements and that of all.
const OF: [&str; 7] = ["of", "von", "de", "di", "sur", "z", "из"];

/// Returns whether `text`, beside a list of `count` elements, says that it has not all elements: `… and 4 more`,
/// `(1/3)`, `showing 2 of 5`, `truncated for brevity`.
pub(crate) fn is_partial(text: &str, count: usize) -> bool {
    // The last one of `1-2`.
    let number = |part: &str| {
        let last = part.trim_matches(|c: char| !c.is_ascii_digit()).rsplit(['-', '–']).next();
        last.and_then(|last| last.parse::<u32>().ok())
    };
    let is_part = |sentence: &str| {
        let parts: Vec<&str> = sentence.split_whitespace().collect();
        let is_fraction = |shown: &str, all: &str| matches!((number(shown), number(all)), (Some(shown), Some(all)) if shown < all && all as usize != count);
        parts.len() < 4 && names_page(sentence)
            || parts.windows(3).any(|three| OF.contains(&three[1]) && is_fraction(three[0], three[2]))
            || parts.windows(4).any(|four| four[1..3] == ["of", "the"] && is_fraction(four[0], four[3]))
            || parts.len() < 3
                && parts
                    .iter()
                    .any(|part| part.split_once('/').is_some_and(|(shown, all)| is_fraction(shown, all)))
            || parts.windows(2).any(|two| {
                number(two[0]).is_some() && FURTHER.any_in(two[1])
                    || FURTHER.any_in(two[0]) && number(two[1]).is_some()
            })
    };
    let mut sentences = text.split(ends_sentence).filter(|sentence| !NOTHING.any_in(sentence));
    let is_conditional = |sentence: &str| words(sentence).next().is_some_and(|word| CONDITIONAL.have(word));
    is_cut_short(text)
        || text.split(ends_sentence).any(|sentence| !is_conditional(sentence) && says_part(sentence))
        || sentences.any(is_part)
}

/// Returns whether `text` says that `count` elements are shown of more: `Showing 3 of 10 issues`.
pub(crate) fn shows_part(text: &str, count: usize) -> bool {
    let parts: Vec<&str> =
        text.split_whitespace().map(|part| part.trim_matches(['.', ',', ':', '(', ')', '*'])).collect();
    // As many are in `1-3`.
    let number = |part: &str| {
        let last = part.strip_prefix("1-").or_else(|| part.strip_prefix("1–"));
        last.unwrap_or(part).parse::<usize>().ok()
    };
    // `Top 3 of 12` may be what was asked for.
    let is_top = parts.first().is_some_and(|first| first.eq_ignore_ascii_case("top"));
    count > 0
        && !is_top
        && parts.windows(3).any(|three| {
            OF.contains(&three[1])
                && number(three[0]) == Some(count)
                && number(three[2]).is_some_and(|all| all > count)
        })
}

/// Returns whether `text`, beside a value with elements or members of a map, says that more of them were not written:
/// `# 40 more keys`, `// remaining keys unchanged`, `and so on`, `(truncated)`, `for brevity`.
pub(crate) fn is_cut_short(text: &str) -> bool {
    let start = text.trim_start_matches(|c| is_space(c) || c == '`');
    let mark = start.trim_start_matches(['#', '/', '+', '*', '<', '!', '-', ',', ' ']);
    let mark = mark.strip_prefix("and ").unwrap_or(mark);
    let is_marked = mark.len() < start.len()
        && (["more", "rest", "remaining", "..."].iter().any(|more| mark.starts_with(more))
            || mark.starts_with(|c: char| c.is_ascii_digit())
                && (start.starts_with('+') || mark.lines().next().is_some_and(|line| FURTHER.any_in(line))));
    let is_phrased = |sentence: &str| {
        let said = sentence.to_lowercase();
        !CONDITIONAL.any_in(sentence)
            && !said.contains(" no ")
            && PARTIAL_PHRASES.iter().any(|phrase| said.contains(phrase))
            || said.trim_end().ends_with("like me to continue")
    };
    let is_cut = |sentence: &str| {
        is_phrased(sentence)
            || !NOTHING.any_in(sentence)
                && (PARTIAL.any_in(sentence) || words(sentence).count() < 3 && PARTIAL_ALONE.any_in(sentence))
    };
    is_marked
        || ["and so on", "и т", "等", "...", "…"].iter().any(|more| start.starts_with(more))
        || text.split(ends_sentence).any(|sentence| is_cut(sentence) || leaves_others_out(sentence))
        || text.lines().any(is_share)
}

/// Returns whether `line` is a share of all parts: `1/3`.
fn is_share(line: &str) -> bool {
    let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.len() < 4);
    line.trim().split_once('/').is_some_and(|(part, all)| {
        matches!((number(part), number(all)), (Some(part), Some(all)) if 0 < part && part < all)
    })
}

/// Returns whether `sentence` says that other elements are not there: `The other 7 issues are omitted`, `7 more issues
/// not shown`, `messages 2-9 were not classified`.
fn leaves_others_out(sentence: &str) -> bool {
    static OTHERS: Words = Words::of("additional more other others remaining rest");
    static OUT: Words = Words::of("excluded omitted skipped");
    static DONE: Words = Words::of("classified included listed processed shown translated");
    let said: Vec<&str> = words(sentence).collect();
    let is_out = said.iter().any(|word| OUT.have(word));
    let is_not_done = said.windows(2).any(|two| two[0].eq_ignore_ascii_case("not") && DONE.have(two[1]));
    let has_number = sentence.contains(|c: char| c.is_ascii_digit());
    let is_range = |word: &str| {
        let ends = word.split_once(['-', '–']);
        ends.is_some_and(|(from, to)| [from, to].iter().all(|end| end.parse::<u32>().is_ok()))
    };
    let are_others =
        || said.iter().any(|word| OTHERS.have(word)) || sentence.split_whitespace().any(is_range);
    has_number && (is_out || is_not_done) && are_others()
}

/// Words for the unit in which numbers are counted.
static SCALES: Words =
    Words::of("thousand thousands million millions billion billions tausend millionen milliarden");

/// Returns whether `word` is a unit in which numbers are counted: `millions`.
pub(crate) fn is_scale(word: &str) -> bool {
    SCALES.have(word.trim())
}

/// Returns whether `text` says in which unit numbers are counted, in a short sentence or by a phrase:
/// `(in thousands)`, `All figures in millions.`
pub(crate) fn says_scale(text: &str) -> bool {
    static COUNTED: Words = Words::of("all amounts figures numbers values");
    let mut sentences = text.split(ends_sentence);
    let is_said = sentences.any(|sentence| {
        let said: Vec<&str> = words(sentence).collect();
        (said.len() < 9 || said.first().is_some_and(|first| COUNTED.have(first)))
            && said.windows(2).any(|two| two[0].eq_ignore_ascii_case("in") && SCALES.have(two[1]))
    });
    is_said || says(text, &[PhraseMeaning::Scale])
}

/// Returns whether `text` leads to some elements of a list only: `Here are the first two entries:`,
/// `Page 1 of 2:`
pub(crate) fn leads_to_first(text: &str) -> bool {
    static FEW: Words = Words::of("couple dozen few five four several ten three two");
    let last = text.trim_end().trim_end_matches('.').rsplit(ends_sentence).next().unwrap_or_default();
    let said: Vec<&str> =
        last.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_count = |word: &str| FEW.have(word) || word.bytes().all(|byte| byte.is_ascii_digit());
    let lower = last.to_lowercase();
    let is_phrased =
        ["partial list", "first batch", "beginning of the list", "truncated list", "are left out"]
            .iter()
            .any(|phrase| lower.contains(phrase));
    let is_first = |two: &[&str]| two[0] == "first" && is_count(two[1]);
    // `Here are some of the items`, `A few of the items`
    let is_some = matches!(
        said[..],
        ["Here", "are", "some", "of", "the", _]
            | ["A" | "a", "few", "of", "the", _]
            | ["Some" | "some", "of", "the", _]
    );
    let is_part = matches!(said[..], [.., "part", "1"]);
    let is_left_out = text.split(ends_sentence).any(leaves_others_out);
    is_phrased
        || is_left_out
        || is_some
        || is_part
        || said.len() < 10 && (said.windows(2).any(is_first) || names_page(last))
}

/// Bytes of a text in which a page is named.
const MAX_PAGE: usize = 128;

/// Returns whether `sentence` names a page of several, or another part: `Page 1 of 2`, `part 2/2`. In brackets, the
/// numbers are enough: `(1/3)`.
pub(crate) fn names_page(sentence: &str) -> bool {
    static PAGES: Words = Words::of(
        "batch chunk page página pagina parte part partie segment seite strona teil часть страница",
    );
    let sentence = first_bytes(sentence, MAX_PAGE).replace('/', " of ");
    let said: Vec<&str> =
        sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let number = |word: &str| word.parse::<u32>().ok();
    let is_of = |three: &[&str]| {
        let all = number(three[2]).filter(|all| *all > 1 && OF.contains(&three[1]));
        all.is_some_and(|all| number(three[0]).is_some_and(|shown| shown <= all))
    };
    let is_bracketed = || sentence.trim().starts_with(['(', '[']) && sentence.trim().ends_with([')', ']']);
    said.windows(4).any(|four| PAGES.have(four[0]) && is_of(&four[1..]))
        || said.len() == 3 && is_of(&said) && is_bracketed()
}

/// Returns whether `text` says that more of the value will come: `Segments 5 to 9 will follow in the
/// next message.`
pub(crate) fn will_go_on(text: &str) -> bool {
    text.split(ends_sentence).any(|sentence| {
        let said: Vec<String> = words(sentence).map(str::to_lowercase).collect();
        let has_both = |first: &str, next: &[&str]| {
            said.windows(2).any(|two| two[0] == first && next.contains(&two[1].as_str()))
        };
        let sends = has_both("ll", &["send"]) || has_both("will", &["send"]);
        has_both("will", &["follow"])
            || sends
                && said
                    .iter()
                    .any(|word| matches!(&**word, "next" | "others" | "remaining" | "rest" | "second"))
            || said.len() < 5 && has_both("more", &["follow", "follows"])
            || has_both("be", &["continued"])
            || said.windows(3).any(|three| {
                matches!(&*three[0], "shall" | "should") && three[1] == "i" && three[2] == "continue"
            })
            || has_both("next", &["message", "reply", "response"])
    })
}

/// Returns whether `sentence` says that something is only a part, or left out.
fn says_part(sentence: &str) -> bool {
    let said: Vec<String> = words(sentence).map(str::to_lowercase).collect();
    let has = |known: &[&str]| said.iter().any(|word| known.contains(&word.as_str()));
    let has_both = |first: &str, next: &str| said.windows(2).any(|two| two[0] == first && two[1] == next);
    let starts_with = |known: &[&str]| said.first().is_some_and(|first| known.contains(&first.as_str()));
    !has(&["nothing", "none"])
        && (starts_with(&["except", "minus", "without"])
            || has(&["selection"])
            || has_both("left", "out")
            || has_both("not", "complete")
            || has_both("not", "listed")
            || has_both("limited", "to")
            || has_both("are", "more") && has_both("there", "are")
            || has(&["only", "just"]) && has(&["first", "page", "part", "some"])
            || has(&["others", "remaining", "rest"]) && has(&["continue", "go", "list", "shall"]))
}

/// Returns whether `text` says that elements of a list inside of the value were left out: `One line is left out`,
/// `I only listed the first two`. Fewer words tell it than beside a list, because other members may be meant.
pub(crate) fn leaves_out(text: &str) -> bool {
    static FEW: Words = Words::of("first only some");
    is_cut_short(text)
        || text.split(ends_sentence).any(|sentence| {
            let said: Vec<String> = words(sentence).map(str::to_lowercase).collect();
            let has_both = |first: &[&str], next: &str| {
                said.windows(2).any(|two| first.contains(&&*two[0]) && two[1] == next)
            };
            let is_conditional = said.first().is_some_and(|first| CONDITIONAL.have(first));
            let is_listed = has_both(&["have", "i", "only"], "listed") && FEW.any_in(sentence);
            let is_none = said.iter().any(|word| matches!(&**word, "none" | "nothing"));
            !is_conditional && !is_none && (has_both(&["left"], "out") || is_listed)
        })
}

/// Returns whether `text` ends with an operator that changes the value after it: `2 * `, `!= `.
pub(crate) fn changes_value(text: &str) -> bool {
    let line = text.lines().next_back().unwrap_or_default();
    let before = line.trim_end();
    let is_factor = || {
        let factor = before.trim_end_matches(['*', '/', '+', '-', '×']);
        factor.len() < before.len() && factor.trim_end().ends_with(|c: char| c.is_ascii_digit())
    };
    // Not a heading, whose line is another one.
    let is_compared = text.trim_end_matches(' ').ends_with("==") && !before.starts_with("==");
    before.ends_with("!=") || is_compared || line.ends_with(['!', '-']) && before.len() == 1 || is_factor()
}

/// Returns whether `said` starts with what something should be, and not with how it should be treated: `should be
/// five`, but not `should be routed`.
fn says_should_be(said: &[&str]) -> bool {
    static TREATED: Words = Words::of(
        "able checked clear confirmed considered discussed easy enough fine handled ignored necessary needed no
         noted performed possible reviewed routed safe sufficient taken treated used verified",
    );
    matches!(said, [should, "also" | "be" | "have" | "instead" | "read" | "say", ..] if should.eq_ignore_ascii_case("should"))
        && !said.get(2).is_some_and(|word| TREATED.have(word))
}

/// What a remark may speak of.
pub(crate) struct RemarkSubjects<'s> {
    /// Whether a word names a part of the value, or is one.
    pub(crate) is_part: &'s dyn Fn(&str) -> bool,
    /// Whether a word is a flag that the value denies, too.
    pub(crate) is_denied: &'s dyn Fn(&str) -> bool,
}

/// Returns whether a sentence of `text`, which is about a value, takes it back, or corrects it.
pub(crate) fn is_retraction(text: &str) -> bool {
    takes_back(text, &RemarkSubjects { is_part: &|_| true, is_denied: &|_| false })
}

/// Returns whether a sentence of `text` takes the value before it back, or corrects it.
pub(crate) fn takes_back(text: &str, subjects: &RemarkSubjects<'_>) -> bool {
    sentences(&without_quotes(text)).any(|sentence| {
        let start = sentence.trim_start_matches(['*', '_', ' ']);
        if ["edit:", "update:", "update after"].iter().any(|label| starts_like(start, label)) {
            return true;
        }
        // Words of an address, such as `https://example.org`, say nothing.
        if sentence.contains("://") {
            return false;
        }
        let all: Vec<&str> = words(sentence).collect();
        let said: Vec<&str> = words(sentence).filter(|word| !word.eq_ignore_ascii_case("the")).collect();
        // `This is not the final answer`, but not `not only right`.
        let is_denied = said.iter().enumerate().any(|(at, word)| {
            let denied = &said[at + 1..];
            word.eq_ignore_ascii_case("not")
                && !denied.first().is_some_and(|word| word.eq_ignore_ascii_case("only"))
                && denied.iter().take(2).any(|word| RIGHT.have(word) && !(subjects.is_denied)(word))
        });
        let is_of_answer = || {
            said.len() <= MAX_VERDICT
                || said.first().is_some_and(|first| SHOWING.have(first))
                || said.iter().any(|word| ABOUT_ANSWER.have(word) || (subjects.is_part)(word))
        };
        let has = |known: &str| said.iter().any(|word| word.eq_ignore_ascii_case(known));
        let is_mistaken = has("made") && (has("error") || has("errors"));
        let is_other = (0..said.len()).any(|at| says_should_be(&said[at..]));
        let is_outdone = has("would") && has("be") && has("better");
        let is_doubted = said.windows(2).any(|two| two[0] == "second" && two[1].starts_with("thought"));
        let is_made_up =
            said.windows(4).chain(said.windows(3)).any(|some| some[0] == "made" && some[1..].contains(&"up"));
        let is_sample =
            (all.len() < 4 || all.first().is_some_and(|first| SHOWING.have(first))) && shows_sample(&all);
        // `PUT would replace it` explains.
        let is_replaced = said.iter().take(2).any(|word| word.eq_ignore_ascii_case("replace"));
        (RETRACTING.any_in(sentence)
            || RETRACTING_ANSWER.any_in(sentence) && is_of_answer()
            || is_replaced
            || is_denied
            || is_other
            || is_doubted
            || is_made_up
            || is_mistaken
            || is_outdone
            || is_sample
            || dismisses(sentence)
            || sentence.contains('❌'))
            && !CONDITIONAL.any_in(sentence)
            && !confirms(sentence)
            && (!sentence.contains('?') || said.first().is_some_and(|first| DOUBTING.have(first)))
    })
}

/// The sentences of `text`. A dot inside of a word, as in `shop.example`, ends none.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut start = 0;
    let ends = move |(at, c): (usize, char)| {
        let is_inside = || text[at + 1..].starts_with(char::is_alphanumeric);
        (matches!(c, '!' | '\n') || c == '.' && !is_inside()).then_some(at)
    };
    text.char_indices().filter_map(ends).chain([text.len()]).map(move |end| {
        let sentence = &text[start..end];
        start = (end + 1).min(text.len());
        sentence
    })
}

/// `text` without what it quotes, which somebody else said.
fn without_quotes(text: &str) -> Cow<'_, str> {
    if !text.contains(['"', '“']) {
        return text.into();
    }
    let (mut rest, mut kept) = (text, String::with_capacity(text.len()));
    while let Some(open) = rest.find(['"', '“']) {
        let inside = open + rest[open..].chars().next().map_or(0, char::len_utf8);
        let Some(end) = rest[inside..].find(['"', '”', '\n']).map(|end| inside + end) else { break };
        // What is not closed on its line may be a sign for inches.
        let kept_until = if rest[end..].starts_with('\n') { end } else { open };
        kept.push_str(&rest[..kept_until]);
        rest = &rest[end + rest[end..].chars().next().map_or(0, char::len_utf8)..];
        if kept_until == end {
            kept.push('\n');
        }
    }
    kept.push_str(rest);
    kept.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_after_a_word() {
        let text = "See shop.example. No!\nTwo";
        assert_eq!(sentences(text).collect::<Vec<_>>(), ["See shop.example", " No", "", "Two"]);
    }

    #[test]
    fn what_is_quoted_is_not_said() {
        assert_eq!(without_quotes("It said \"wrong\", and “no”."), "It said , and .");
        assert_eq!(without_quotes("6\" pipe, wrong"), "6\" pipe, wrong");
        assert_eq!(without_quotes("6\" pipe\n\"a\" b"), "6\" pipe\n b");
    }

    #[test]
    fn a_page_is_named_by_a_word_or_by_numbers_in_brackets() {
        for text in ["Part 1/2", "part 2 of 2:", "Seite 1 von 3", "(1/3)", "[2 of 2]"] {
            assert!(names_page(text), "{text}");
        }
        for text in ["Part 1/1", "1/2", "(3/2)", "page 1", "(of 2)", "24/7"] {
            assert!(!names_page(text), "{text}");
        }
    }
}
