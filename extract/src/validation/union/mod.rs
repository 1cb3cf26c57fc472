//! Explains why a value fits no alternative of a union.
//!
//! "Not valid under any of the schemas" helps nobody. The intended alternative is chosen by its tag
//! ([`TaggedChoice`]), else by best fit, and its violations are reported at their own paths. Where a
//! tag decides, the other alternatives are not evaluated.

mod branch;

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use self::branch::{UnionBranch, UnionMismatch};
use crate::{
    schema::is_deprecated,
    validation::{
        alternatives::{TagSource, UnionAlternatives, UnionTags, given, properties, with_one_of},
        describe::required_keys,
        keys::expected_under,
        nodes::{SchemaNodes, constants},
        report::{ExpectationSubject, MAX_VIOLATIONS, ViolationReport, not_listed},
        walk::{KeywordFailure, ValidationWalk},
    },
    vocabulary::{
        suggest::{self, MAX_COMPARED},
        text::{quoted, quoted_list, ticked},
        violation::{Code, Violation},
    },
};

/// Adds the violations of the value of `failure`, which fits no alternative of `union`.
pub(super) fn push<'a>(
    failure: &KeywordFailure<'a>,
    union: &UnionAlternatives<'a>,
    walk: &ValidationWalk<'a>,
    report: &mut ViolationReport,
) {
    let mismatch = UnionMismatch { failure, walk };
    let Some(object) = failure.value.as_object() else {
        return mismatch
            .push_scalar_or_list(&mismatch.leaves(&UnionBranch::of(union, union.likely())), report);
    };
    let targets: Vec<_> = union.likely().into_iter().map(|index| union.targets[index]).collect();
    if let Some(absent) = absent(failure, object, &targets, walk) {
        return absent.into_iter().for_each(|violation| report.push(violation));
    }
    let choice = union.tags.choose(object, &targets, failure);
    // A flattened union shares its object with keys that may be right.
    let is_alone = failure.whole.get("properties").is_none();
    let is_whole_wrong = is_alone && targets.len() > 1 && !matches!(choice, TaggedChoice::Branch(_));
    let explain = |report: &mut ViolationReport| match choice {
        TaggedChoice::Wrong(violation) => report.push(*violation),
        TaggedChoice::Meant(violation, index) => {
            let tag = violation.path.clone();
            report.push(*violation);
            let others = mismatch.failures(&union.schemas[index], MAX_VIOLATIONS);
            report.omit(others.count - others.list.len());
            let others = others.list.iter().filter(|failure| failure.path != tag);
            others.for_each(|failure| report.explain(failure, walk));
        }
        TaggedChoice::Branch(index) => mismatch.push_schema(&union.schemas[index], report),
        TaggedChoice::Unknown => mismatch.push_best(&UnionBranch::of(union, union.likely()), report),
    };
    if is_whole_wrong {
        report.explain_whole(failure, explain);
    } else {
        explain(report);
    }
}

/// Adds the violations of the value of `failure`, which fits several alternatives of `union`
/// although only one is allowed.
pub(super) fn push_several<'a>(
    failure: &KeywordFailure<'a>,
    union: &UnionAlternatives<'a>,
    walk: &ValidationWalk<'a>,
    report: &mut ViolationReport,
) {
    let several = |object: &'a Map<String, Value>| {
        let alternatives = union.schemas.iter().zip(&union.targets);
        let fitting: Vec<_> = alternatives
            .filter(|(schema, _)| walk.is_valid(schema, failure.value))
            .map(|(_, target)| *target)
            .collect();
        several(failure, object, &fitting, walk)
    };
    if let Some(violations) = failure.value.as_object().and_then(several) {
        return violations.into_iter().for_each(|violation| report.push(violation));
    }
    let violation = Violation::new(failure.path.clone(), Code::InvalidValue, "fits several alternatives");
    report.push(
        violation
            .expected(format!("{} that fits exactly one alternative", report.subject.noun()))
            .actual(quoted(failure.value)),
    );
}

/// The alternative that the tag of a value names, identified by its position.
enum TaggedChoice {
    /// It names this alternative.
    Branch(usize),
    /// It names no alternative, or is absent.
    Wrong(Box<Violation>),
    /// It names no alternative, but resembles this one.
    Meant(Box<Violation>, usize),
    /// The alternatives have no tag.
    Unknown,
}

impl<'a> UnionTags<'a> {
    /// The alternative that the tag of `object`, the value of `failure`, names. `alternatives` are
    /// all except null.
    fn choose(
        &self,
        object: &Map<String, Value>,
        alternatives: &[&'a Value],
        failure: &KeywordFailure<'_>,
    ) -> TaggedChoice {
        let has_words = || alternatives.iter().any(|schema| constants(schema).next().is_some());
        if self.objects.len() == 1 && !has_words() {
            return TaggedChoice::Unknown;
        }
        match &self.by {
            TagSource::OnlyKey { names, positions } => {
                let given = given(object, positions);
                self.by_only_key(object, &given, names, alternatives, failure)
            }
            TagSource::Value { tag, values, positions } => {
                self.by_shared_tag(object, tag, values, positions, failure)
            }
            TagSource::Nothing => TaggedChoice::Unknown,
        }
    }

    fn by_only_key(
        &self,
        object: &Map<String, Value>,
        given: &[usize],
        names: &[Vec<&str>],
        alternatives: &[&Value],
        failure: &KeywordFailure<'_>,
    ) -> TaggedChoice {
        let (at, all) = (&failure.path, || quoted(failure.value));
        let is_closed = self.objects.iter().all(|(_, schema)| schema.get("additionalProperties").is_some());
        let violation = match given {
            [only] => return TaggedChoice::Branch(*only),
            [_, ..] => {
                Violation::new(at.clone(), Code::InvalidValue, "several alternatives at once").actual(all())
            }
            [] => match object.iter().next().filter(|_| object.len() == 1 && is_closed) {
                Some((key, _)) if is_word(key, alternatives) => {
                    let message = format!("{} is a string, not a key", quoted(key));
                    let violation = Violation::new(at.clone(), Code::WrongType, message).actual(all());
                    return TaggedChoice::Wrong(Box::new(violation.expected(quoted(key))));
                }
                Some((key, inside)) => {
                    let mut violation =
                        Violation::new(at.clone().key(key), Code::UnknownField, "no such alternative");
                    let meant = suggest::meant(key, compared(names));
                    violation.hint = meant.map(|meant| suggest::did_you_mean(&ticked(meant)));
                    violation.actual(quoted(inside))
                }
                None => {
                    let message = "the key that names the alternative is absent";
                    let mut violation = Violation::new(at.clone(), Code::MissingField, message);
                    let nearest = nearest_two(object, names);
                    violation.hint =
                        nearest.map(|(given, tag)| format!("{} looks like {}", ticked(given), ticked(tag)));
                    violation.actual(all())
                }
            },
        };
        let mut expected = with_one_of(names);
        let words: Vec<&Value> = alternatives.iter().flat_map(|schema| constants(schema)).collect();
        if !words.is_empty() {
            expected = format!("{expected}, or one of {}", quoted_list(words.into_iter()));
        }
        TaggedChoice::Wrong(Box::new(violation.expected(expected)))
    }

    fn by_shared_tag(
        &self,
        object: &Map<String, Value>,
        tag: &str,
        options: &[&Value],
        positions: &HashMap<&Value, usize>,
        failure: &KeywordFailure<'_>,
    ) -> TaggedChoice {
        let path = failure.path.clone().key(tag);
        let Some(given) = object.get(tag) else {
            let expected = format!("one of {}", quoted_list(options.iter().copied()));
            let mut violation = Violation::new(path, Code::MissingField, "required, but absent");
            violation.hint = self.instead_of(tag, object, positions).map(suggest::looks_like);
            return TaggedChoice::Wrong(Box::new(violation.expected(expected).keyword("required")));
        };
        if let Some(position) = positions.get(given) {
            return TaggedChoice::Branch(*position);
        }
        let texts = options.iter().take(MAX_COMPARED).filter_map(|option| option.as_str());
        let meant = given.as_str().and_then(|given| suggest::nearest(given, texts));
        let violation = Box::new(not_listed(path, options, given, ExpectationSubject::Value));
        match meant.and_then(|meant| positions.get(&Value::from(meant))) {
            Some(position) => TaggedChoice::Meant(violation, *position),
            None => TaggedChoice::Wrong(violation),
        }
    }

    /// The key that was written instead of `tag`: one that resembles it, or an unknown one that
    /// holds a tag value.
    fn instead_of<'o>(
        &self,
        tag: &str,
        object: &'o Map<String, Value>,
        positions: &HashMap<&Value, usize>,
    ) -> Option<&'o str> {
        let is_known = |key: &str| {
            let mut all = self.objects.iter().filter_map(|(_, schema)| properties(schema));
            all.any(|properties| properties.contains_key(key))
        };
        let unknown: Vec<_> = object.iter().take(MAX_KEYS).filter(|(key, _)| !is_known(key)).collect();
        let similar = suggest::nearest(tag, unknown.iter().map(|(key, _)| key.as_str()));
        let holds_tag = || unknown.iter().find(|(_, value)| positions.contains_key(value));
        similar.or_else(|| holds_tag().map(|(key, _)| key.as_str()))
    }
}

/// The names of alternatives that are compared with the given one.
fn compared<'n>(names: &'n [Vec<&'n str>]) -> impl Iterator<Item = &'n str> + Clone {
    names.iter().flatten().copied().take(MAX_COMPARED)
}

/// A key of `object`, and the name among `names` that it resembles.
fn nearest_two<'o>(object: &'o Map<String, Value>, names: &'o [Vec<&str>]) -> Option<(&'o str, &'o str)> {
    let keys = || object.keys().map(String::as_str).take(MAX_KEYS);
    compared(names).find_map(|name| Some((suggest::nearest(name, keys())?, name)))
}

fn is_word(key: &str, alternatives: &[&Value]) -> bool {
    alternatives.iter().flat_map(|schema| constants(schema)).any(|word| word == key)
}

/// Maximum number of keys of a value that are compared with the names of alternatives. A value
/// meant for an alternative has few other keys.
const MAX_KEYS: usize = 20;

/// Maximum number of alternatives that are named beside the nearest one.
const MAX_GROUPS: usize = 40;

/// The violations of `object`, the value of `failure`, which lacks the required keys of every
/// alternative. `None` if the alternatives differ in more than their keys.
fn absent<'a>(
    failure: &KeywordFailure<'a>,
    object: &Map<String, Value>,
    alternatives: &[&'a Value],
    walk: &ValidationWalk<'a>,
) -> Option<Vec<Violation>> {
    let groups: Vec<_> =
        alternatives.iter().map(|schema| required_keys(schema.as_object()?)).collect::<Option<_>>()?;
    let is_absent = |key: &&str| !object.contains_key(*key);
    let nearest = groups.iter().min_by_key(|group| group.iter().filter(|key| is_absent(key)).count())?;
    let whole = SchemaNodes::new(&walk.view, [failure.whole]);
    let others: Vec<_> = groups
        .iter()
        .filter(|group| *group != nearest)
        .filter_map(|group| group.iter().copied().find(is_absent))
        .take(MAX_GROUPS)
        .filter(|key| !is_old_name(key, &whole))
        .map(ticked)
        .collect();
    let known: HashSet<&str> = groups.iter().flatten().copied().collect();
    let is_unknown = |key: &&str| !known.contains(key) && whole.property(key).is_none();
    let unknown: Vec<_> = object.keys().map(String::as_str).take(MAX_KEYS).filter(is_unknown).collect();
    // A name that resembles another name of the same field counts too.
    let mut wanted = groups.iter().flatten().take(MAX_COMPARED);
    let given = wanted.find_map(|key| suggest::nearest(key, unknown.iter().copied()));
    let hint = match given {
        Some(given) => Some(suggest::looks_like(given)),
        None => (!others.is_empty()).then(|| format!("or {} instead", others.join(" or "))),
    };
    let violation = |key: &&str| {
        let mut violation =
            Violation::new(failure.path.clone().key(key), Code::MissingField, "required, but absent");
        violation.hint.clone_from(&hint);
        violation.expected(expected_under(key, failure, walk)).keyword("required")
    };
    let absent: Vec<_> = nearest.iter().filter(|key| is_absent(key)).map(violation).collect();
    // If no key is absent, something beside a reference is wrong.
    (!absent.is_empty()).then_some(absent)
}

fn is_old_name(key: &str, whole: &SchemaNodes<'_>) -> bool {
    whole.property(key).is_some_and(is_deprecated)
}

/// The violations of `object`, the value of `failure`, which satisfies all of `alternatives`
/// although only one is allowed.
fn several<'a>(
    failure: &KeywordFailure<'a>,
    object: &Map<String, Value>,
    alternatives: &[&'a Value],
    walk: &ValidationWalk<'a>,
) -> Option<Vec<Violation>> {
    let keys: Vec<&str> = alternatives.iter().map(|schema| only_required(schema)).collect::<Option<_>>()?;
    let whole = SchemaNodes::new(&walk.view, [failure.whole]);
    let current = keys.iter().find(|key| !is_old_name(key, &whole)).or_else(|| keys.first())?;
    let names: Vec<_> = keys.iter().map(|key| Value::from(*key)).collect();
    let expected = format!("only one of the keys {}", quoted_list(names.iter()));
    let others: Vec<_> = keys.iter().filter(|key| *key != current).collect();
    if others.is_empty() {
        // They require the same key, and differ elsewhere.
        return None;
    }
    if !others.iter().all(|key| is_old_name(key, &whole)) {
        let violation =
            Violation::new(failure.path.clone(), Code::InvalidValue, "keys that exclude each other");
        return Some(vec![violation.expected(expected).actual(quoted_list(names.iter()))]);
    }
    let surplus = |key: &&&str| {
        let message = format!("another name of {}, which is there as well", ticked(current));
        let violation = Violation::new(failure.path.clone().key(**key), Code::InvalidValue, message);
        let actual = object.get(**key).map(quoted).unwrap_or_default();
        violation.expected(expected.clone()).actual(actual)
    };
    Some(others.iter().map(surplus).collect())
}

fn only_required(schema: &Value) -> Option<&str> {
    match schema.get("required")?.as_array()?.as_slice() {
        [Value::String(key)] => Some(key),
        _ => None,
    }
}
