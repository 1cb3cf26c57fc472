//! Searches a reply for the answer: locates its values, aligns each, and chooses. Also where the leaves
//! of the answer are.

use std::{collections::HashMap, ops::Range};

use serde_json::Value;

use super::{
    align::{Aligner, Fitted},
    choose::{Choice, choose},
    locate::{self, Candidate, Located, Wanted},
    node::{Data, Node},
    options::ReadingOptions,
    parse::is_space,
    prose::is_replaced,
    receipt::Note,
    shape::{NullReading, ROOT, Shapes, kind},
    spelling,
};
use crate::vocabulary::{
    change::{ChangeKind, Loss},
    path::Path,
};

/// Runs the stages up to `choose` on one candidate after another.
pub(super) fn search<'r>(
    reply: &'r str,
    shapes: &'r Shapes,
    options: &ReadingOptions,
    null_reading: NullReading,
) -> Choice<'r> {
    let (mut found, located, mut aligner) = all_fitted(reply, shapes, options, null_reading);
    if is_number(shapes) && !found.iter().any(|one| one.is_about() && one.fits()) {
        let number = located.only_number(reply).and_then(|found| aligner.candidate(found, &[]));
        found.extend(number.filter(Fitted::fits));
    }
    if !found.iter().any(|one| one.is_about() && !one.candidate.is_cut)
        && let Some(options) = aligner.root_options()
    {
        let named = located.named(reply, &options).or_else(|| {
            let is_flag = options == ["false", "true"];
            YES_AND_NO.iter().filter(|_| is_flag).find_map(|pair| {
                let named = located.named(reply, pair)?;
                let flag = spelling::only(named.node.text()?, pair) == Some(pair[0]);
                let span = named.node.span;
                let word = Note::new(ChangeKind::Literal, Loss::Lossless, span.clone());
                let notes = vec![word.after(flag.to_string())];
                Some(Candidate { node: Node::new(span, Data::Bool(flag)), notes, ..named })
            })
        });
        found = named.and_then(|found| aligner.candidate(found, &[])).map_or(found, |named| vec![named]);
    }
    let root = shapes.get(ROOT);
    if root.allows(kind::OBJECT) && !root.allows(kind::TEXT) && !found.iter().any(Fitted::is_about) {
        let is_alike =
            |key: &str| root.spellings.get(&spelling::bare(key)).is_some_and(|names| names.len() == 1);
        let members = located.members(reply, |key| root.names.contains(key) || is_alike(key));
        let members = members.and_then(|found| aligner.candidate(found, &[])).filter(Fitted::fits);
        found = members.map_or(found, |members| vec![members]);
    }
    Choice { has_read_null: aligner.has_read_null, ..choose(found, located, reply) }
}

/// The words for true and false that answer a question, in the languages of most readers.
const YES_AND_NO: [[&str; 2]; 13] = [
    ["yes", "no"],
    ["ja", "nein"],
    ["ja", "nee"],
    ["ja", "nej"],
    ["oui", "non"],
    ["sí", "no"],
    ["sì", "no"],
    ["sim", "não"],
    ["да", "нет"],
    ["evet", "hayır"],
    ["是", "否"],
    ["はい", "いいえ"],
    ["예", "아니요"],
];

/// The values in `reply` that stand by their form, and the stages that found them.
fn all_fitted<'r>(
    reply: &'r str,
    shapes: &'r Shapes,
    options: &ReadingOptions,
    null_reading: NullReading,
) -> (Vec<Fitted<'r>>, Located<'r>, Aligner<'r>) {
    let mut aligner = Aligner::new(reply, shapes, options.depth(), null_reading);
    let mut located = locate::candidates(reply, wanted(shapes, options));
    let mut found: Vec<Fitted<'r>> = Vec::new();
    while let Some(candidate) = located.next(reply, found.iter().any(Fitted::is_about)) {
        found.extend(aligner.candidate(candidate, &found));
    }
    (found, located, aligner)
}

/// Notes the paragraphs beside the chosen value that would be another one if they stood alone: `false` and a
/// blank line before `true`. Before the value, only the first paragraph is one: what follows it comes to the
/// answer. Only numbers, booleans, listed words and strings in quotes are told from other text.
pub(super) fn other_answers(
    reply: &str,
    choice: &Choice<'_>,
    shapes: &Shapes,
    options: &ReadingOptions,
    null_reading: NullReading,
) -> Vec<Note> {
    let Some(chosen) = choice.chosen.as_ref() else { return Vec::new() };
    let Candidate { span, answer, node, .. } = &chosen.candidate;
    let root = shapes.get(ROOT);
    let are_few = shapes.take_few_words();
    let is_quoted = |text: &str| text.trim_start().starts_with('"');
    // A text without quotes may be anything.
    let is_string = root.allows(kind::TEXT)
        && !root.allows(kind::OBJECT | kind::LIST)
        && (is_quoted(&reply[span.clone()]) || node.text().is_none());
    let starts_number = |text: &str| {
        text.trim_start().starts_with(|c: char| c.is_ascii_digit() || c == '-') && !text.contains(' ')
    };
    if !are_few && !is_string && !root.allows(kind::NULL) {
        return Vec::new();
    }
    let may_be_answer = |span: &Range<usize>| {
        let text = &reply[span.clone()];
        let is_null = || root.allows(kind::NULL) && text.trim() == "null";
        text.len() <= MAX_PARAGRAPH
            && (are_few || is_string && (is_quoted(text) || starts_number(text)) || is_null())
    };
    let all_in = |text| all_fitted(text, shapes, options, null_reading).0;
    let is_other = |one: &Fitted<'_>| one.fits() && one.doubt.is_none() && !one.candidate.node.is_same(node);
    let first = paragraphs(reply, *answer..span.start).next().filter(may_be_answer).filter(|first| {
        let is_mark = |c: char| is_space(c) || matches!(c, '*' | '_' | '`' | '"' | '.');
        let is_alone = |one: &Fitted<'_>| {
            let (before, after) = one.candidate.around(&reply[first.clone()]);
            before.chars().chain(after.chars()).all(is_mark)
        };
        let between = &reply[first.end..span.start];
        between.contains('\n')
            && !is_replaced("", between)
            && all_in(&reply[first.clone()]).iter().any(|one| is_other(one) && is_alone(one))
    });
    let end = choice.located.end.unwrap_or(reply.len()).max(span.end);
    let line_end = reply[span.end..end].find('\n').map_or(end, |line| span.end + line);
    let others = || choice.others.iter().map(|other| &other.span).chain(&choice.located.reasoning);
    let is_free = |paragraph: &Range<usize>| {
        others().all(|other| other.end <= paragraph.start || paragraph.end <= other.start)
    };
    let after = paragraphs(reply, line_end..end).take(MAX_PARAGRAPHS).filter(may_be_answer);
    let after = after.filter(is_free).filter(|paragraph| {
        let text = &reply[paragraph.clone()];
        if are_few && locate::may_be_marked(text) {
            search(text, shapes, options, null_reading).chosen.is_some_and(|one| is_other(&one))
        } else {
            all_in(text).iter().any(is_other)
        }
    });
    let note = |span| Note::new(ChangeKind::OtherValue, Loss::Lossy, span).at(Path::root());
    first.into_iter().chain(after).map(note).collect()
}

/// Most paragraphs after a value that are read, and most bytes of a paragraph.
const MAX_PARAGRAPHS: usize = 8;
const MAX_PARAGRAPH: usize = 240;

/// The paragraphs of `reply` in `span`, without the lines that open or close a fence.
fn paragraphs(reply: &str, span: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let is_break = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with("```");
    let mut at = span.start;
    let lines = reply[span].split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start..at, is_break(&line))
    });
    let mut lines = lines.peekable();
    std::iter::from_fn(move || {
        while lines.next_if(|(_, is_break)| *is_break).is_some() {}
        let (first, _) = lines.next()?;
        let mut end = first.end;
        while let Some((line, _)) = lines.next_if(|(_, is_break)| !*is_break) {
            end = line.end;
        }
        Some(first.start..end)
    })
}

/// Returns whether a value is a number.
fn is_number(shapes: &Shapes) -> bool {
    let kinds = shapes.get(ROOT).kinds;
    kinds != kind::NULL && kinds.without(kind::INTEGER | kind::NUMBER | kind::NULL) == kind::NONE
}

fn wanted<'s>(shapes: &'s Shapes, options: &ReadingOptions) -> Wanted<'s> {
    let root = shapes.get(ROOT);
    Wanted {
        is_list: root.kinds == kind::LIST,
        is_around_list: shapes.only_list().is_some(),
        is_scalar: root.allows(kind::ANY.without(kind::LIST | kind::OBJECT)),
        is_object: root.allows(kind::OBJECT),
        reply_end: options.reply_end,
        max_depth: options.depth(),
        max_candidates: options.max_candidates.max(1),
        keys: Some(shapes.keys()),
    }
}

/// The bytes of each leaf in a reply, by its path, with the leaf as it was read. Leaves that do not
/// have bytes of their own, such as those of an object in a string, are left out.
pub(crate) type LeafSpans = HashMap<Path, (Range<usize>, Value)>;

/// Reads `reply` once more, and returns where its leaves are. Empty if no value can be read.
pub(crate) fn leaf_spans(reply: &str, shapes: &Shapes, options: &ReadingOptions) -> LeafSpans {
    let options = &options.at_most_deep(shapes.max_depth());
    let mut spans = LeafSpans::new();
    if reply.len() > options.max_bytes {
        return spans;
    }
    if let Some(chosen) = search(reply, shapes, options, options.null_reading()).chosen {
        collect(chosen.candidate.node, Path::root(), &mut spans);
    }
    let mut owners: HashMap<Range<usize>, usize> = HashMap::new();
    for (span, _) in spans.values() {
        *owners.entry(span.clone()).or_default() += 1;
    }
    spans.retain(|_, (span, _)| owners.get(span) == Some(&1));
    spans
}

fn collect(node: Node<'_>, path: Path, spans: &mut LeafSpans) {
    let span = node.span.clone();
    match node.data {
        Data::List(items) => {
            for (index, item) in items.into_iter().enumerate() {
                collect(item, path.clone().index(index), spans);
            }
        }
        Data::Object(entries) => {
            for entry in entries {
                collect(entry.value, path.clone().key(&entry.key), spans);
            }
        }
        data => {
            spans.insert(path, (span.clone(), Node::new(span, data).into_value()));
        }
    }
}
