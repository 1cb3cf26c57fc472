//! Numbers and strings for examples, also strings that match a pattern, within the limit on an
//! example's size.

use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Map, Number, Value};

use crate::vocabulary::text::json_bytes;

/// Maximum bytes of JSON, and steps of the search. An example shows the form of an answer; one that
/// is longer than most answers shows it no better, and a schema of a few hundred bytes can ask for
/// gigabytes.
const MAX_BYTES: usize = 32 << 10;

/// The remaining budget.
#[derive(Debug)]
pub(super) struct ExampleBudget {
    left: usize,
    is_exhausted: bool,
}

impl ExampleBudget {
    pub(super) fn new() -> Self {
        Self { left: MAX_BYTES, is_exhausted: false }
    }

    /// Returns whether `value` is small enough, and the budget was not used up while it was built.
    pub(super) fn allows(&self, value: &Value) -> bool {
        !self.is_exhausted && json_bytes(value, MAX_BYTES).is_some()
    }

    /// Takes `count` from the budget. Once it is used up, every further call fails.
    pub(super) fn take(&mut self, count: usize) -> Option<()> {
        match self.left.checked_sub(count).filter(|_| !self.is_exhausted) {
            Some(left) => self.left = left,
            None => self.is_exhausted = true,
        }
        (!self.is_exhausted).then_some(())
    }

    /// Copies `value` and takes its size from the budget.
    pub(super) fn copy(&mut self, value: &Value) -> Option<Value> {
        // If the copy does not fit, this is more than is left.
        self.take(json_bytes(value, self.left).unwrap_or(self.left.saturating_add(1)))?;
        Some(value.clone())
    }
}

/// The numbers that a type allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberKind {
    Integer,
    Any,
}

/// A number within the bounds of `object`: 1 if allowed, else the one with the smallest magnitude.
pub(super) fn number_example(object: &Map<String, Value>, kind: NumberKind) -> Value {
    let is_integer = kind == NumberKind::Integer;
    let bound = |keyword| object.get(keyword).and_then(Value::as_f64);
    let low = bound("minimum").unwrap_or(f64::NEG_INFINITY);
    let high = bound("maximum").unwrap_or(f64::INFINITY);
    let above = bound("exclusiveMinimum").unwrap_or(f64::NEG_INFINITY);
    let below = bound("exclusiveMaximum").unwrap_or(f64::INFINITY);
    let step = bound("multipleOf").filter(|step| *step > 0.0);
    let is_allowed = |n: &f64| *n >= low && *n <= high && *n > above && *n < below;

    let floor = low.max(above);
    let ceiling = high.min(below);
    let unit = step.unwrap_or(if is_integer { 1.0 } else { 0.5 });
    // A multiple of `multipleOf`, near the bound that is nearer to 1.
    let grid = |n: f64, up: bool| if up { (n / unit).ceil() * unit } else { (n / unit).floor() * unit };
    let mut candidates = vec![];
    if step.is_none() || step == Some(1.0) {
        candidates.push(1.0);
    }
    candidates.push(unit);
    if floor.is_finite() {
        candidates.extend([grid(floor, true), grid(floor, true) + unit]);
    }
    if ceiling.is_finite() {
        candidates.extend([grid(ceiling, false), grid(ceiling, false) - unit]);
    }
    if floor.is_finite() && ceiling.is_finite() && !is_integer && step.is_none() {
        candidates.push(f64::midpoint(floor, ceiling));
    }
    candidates.push(0.0);
    let chosen = candidates.into_iter().find(is_allowed).unwrap_or(1.0);
    to_number(chosen, object, kind)
}

/// Removes the noise of binary fractions. A bound itself stays exact.
fn to_number(chosen: f64, object: &Map<String, Value>, kind: NumberKind) -> Value {
    let bounds = ["minimum", "maximum"].into_iter().filter_map(|keyword| object.get(keyword));
    if let Some(bound) =
        bounds.filter(|_| kind == NumberKind::Any).find(|bound| bound.as_f64() == Some(chosen))
    {
        return bound.clone();
    }
    if kind == NumberKind::Integer {
        // In the range where `f64` holds every integer. Bounds above it are far from 1 and never
        // chosen.
        #[allow(clippy::cast_possible_truncation)]
        return Value::from(chosen as i64);
    }
    let rounded = (chosen * 1e9).round() / 1e9;
    let value = if rounded == 0.0 { chosen } else { rounded };
    Number::from_f64(value).map_or(Value::from(1), Value::Number)
}

/// The number that a keyword such as `minItems` has, or 0.
pub(super) fn count(object: &Map<String, Value>, keyword: &str) -> usize {
    object
        .get(keyword)
        .and_then(Value::as_u64)
        .map_or(0, |count| usize::try_from(count).unwrap_or(usize::MAX))
}

/// A string for the keywords of `object`; `None` if the budget is used up.
pub(super) fn string_example(object: &Map<String, Value>, budget: &mut ExampleBudget) -> Option<String> {
    let keyword = |name| object.get(name).and_then(Value::as_str);
    let least = count(object, "minLength");
    if let Some(text) = keyword("pattern").and_then(|pattern| matching_example(pattern, least, budget)) {
        return Some(text);
    }
    if let Some(text) = keyword("format").and_then(format_example) {
        budget.take(text.len())?;
        return Some(text.to_owned());
    }
    let most = object
        .get("maxLength")
        .and_then(Value::as_u64)
        .map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX));
    let chars = least.max(4).min(most);
    budget.take(chars)?;
    let text = "text ".repeat(least / 5 + 1);
    Some(text.trim_end().chars().chain(std::iter::repeat_n('x', least)).take(chars).collect())
}

/// An example of a format of JSON Schema (2020-12 validation, section 7.3).
pub(crate) fn format_example(format: &str) -> Option<&'static str> {
    Some(match format {
        "date" => "2024-05-17",
        "time" => "14:30:00Z",
        "date-time" => "2024-05-17T14:30:00Z",
        "duration" => "PT1H30M",
        "email" | "idn-email" => "ada@example.com",
        "uri" | "iri" | "uri-reference" | "iri-reference" => "https://example.com/page",
        "uri-template" => "https://example.com/{page}",
        "uuid" => "123e4567-e89b-42d3-a456-426614174000",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "hostname" | "idn-hostname" => "example.com",
        "json-pointer" => "/lines/0",
        "relative-json-pointer" => "1/name",
        "regex" => "^[a-z]+$",
        _ => return None,
    })
}

/// Maximum repetitions that are written out.
const MAX_REPEATS: u32 = 64;

/// A short string that matches `pattern`, of at least `least` characters if that takes only more
/// repetitions, or characters at the end. `None` if the pattern is not a plain regular expression, or
/// the budget is used up.
pub(super) fn matching_example(pattern: &str, least: usize, budget: &mut ExampleBudget) -> Option<String> {
    let hir = parse(pattern)?;
    let mut matching = |repeats| {
        let mut text = String::new();
        write(&hir, &mut text, repeats, budget)?;
        Some(text)
    };
    let shortest = matching(1)?;
    let lacking = least.saturating_sub(shortest.chars().count());
    if lacking == 0 {
        return Some(shortest);
    }
    let mut length = shortest.len();
    for repeats in 2..=MAX_REPEATS {
        let text = matching(repeats)?;
        if text.chars().count() >= least {
            return Some(text);
        }
        if text.len() == length {
            break;
        }
        length = text.len();
    }
    budget.take(lacking)?;
    let longer = shortest.clone() + &"x".repeat(lacking);
    Some(if is_match(pattern, &longer) { longer } else { shortest })
}

/// Returns whether `text` matches `pattern` anywhere, if the pattern is a regular expression.
pub(super) fn is_match(pattern: &str, text: &str) -> bool {
    let schema = serde_json::json!({ "pattern": pattern });
    jsonschema::validator_for(&schema).is_ok_and(|validator| validator.is_valid(&text.into()))
}

fn parse(pattern: &str) -> Option<Hir> {
    // In the dialect of JSON Schema (ECMA-262) `\d` and similar classes are ASCII.
    let ascii = pattern.replace(r"\d", "[0-9]").replace(r"\w", "[A-Za-z0-9_]");
    regex_syntax::parse(&ascii).ok().or_else(|| regex_syntax::parse(pattern).ok())
}

/// Writes a match into `text`, in which everything that may repeat does so `repeats` times if it can.
fn write(hir: &Hir, text: &mut String, repeats: u32, budget: &mut ExampleBudget) -> Option<()> {
    budget.take(1)?;
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => {
            budget.take(literal.0.len())?;
            text.push_str(std::str::from_utf8(&literal.0).ok()?);
        }
        HirKind::Class(class) => text.push(member(class)?),
        HirKind::Repetition(repetition) => {
            // `a*` and `a?` are written too, unless zero repetitions are required.
            let most = repetition.max.unwrap_or(u32::MAX);
            let times = repetition.min.max(repeats).min(most).min(MAX_REPEATS.max(repetition.min));
            for _ in 0..times {
                write(&repetition.sub, text, repeats, budget)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, text, repeats, budget)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, text, repeats, budget))?,
        HirKind::Alternation(alternatives) => write(alternatives.first()?, text, repeats, budget)?,
    }
    Some(())
}

/// The most ordinary character of a class: a letter, a digit, else any visible one.
fn member(class: &Class) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.iter().map(|range| (range.start(), range.end())).collect(),
        Class::Bytes(class) => class.iter().map(|range| (range.start().into(), range.end().into())).collect(),
    };
    let has = |c: char| ranges.iter().any(|(start, end)| (*start..=*end).contains(&c));
    let ordinary = ('a'..='z').chain('A'..='Z').chain('1'..='9').chain(['0', '-', '_', '.', ' ']);
    ordinary.chain('!'..='~').find(|c| has(*c)).or_else(|| ranges.first().map(|(start, _)| *start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching(pattern: &str) -> Option<String> {
        matching_example(pattern, 0, &mut ExampleBudget::new())
    }

    #[test]
    fn matches_the_pattern_it_was_made_from() {
        for pattern in [
            r"^INV-\d{4}$",
            r"^[A-Z]{3}$",
            r"^(EUR|USD)$",
            r"^\d{4}-\d{2}-\d{2}$",
            r"^\+?[1-9]\d{1,14}$",
            r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$",
            r"^\w+( \w+)*$",
            r"abc",
            r"^\p{Lu}\p{Ll}*$",
            r"^.{10,}$",
            r"",
        ] {
            let text = matching(pattern).unwrap();
            assert!(is_match(pattern, &text), "{text:?} for {pattern}");
        }
    }

    #[test]
    fn a_match_is_as_long_as_it_has_to_be() {
        let of_length = |pattern, least| matching_example(pattern, least, &mut ExampleBudget::new());
        assert_eq!(of_length("^[A-Z]+$", 3).as_deref(), Some("AAA"));
        assert_eq!(of_length("^a", 2).as_deref(), Some("ax"));
        assert_eq!(of_length("[0-9]", 4).as_deref(), Some("1xxx"));
        assert_eq!(of_length("^a$", 2).as_deref(), Some("a"), "nothing is longer");
    }

    #[test]
    fn gives_up_on_what_is_no_regular_expression() {
        assert_eq!(matching(r"^(?=a)b"), None);
        assert_eq!(matching(r"["), None);
    }

    #[test]
    fn stays_small_under_huge_repetitions() {
        assert!(matching("^a{0,1000}$").unwrap().len() <= 64);
    }
}
