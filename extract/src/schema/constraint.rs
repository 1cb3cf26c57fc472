//! The constraints of JSON Schema on a value itself, one row each.
//!
//! Notations, validation, dialects, confidence and the mutants of `assert_extractable` read this
//! table. What a row says is said nowhere else.

use serde_json::{Value, json};

/// One constraint.
#[derive(Debug)]
pub(crate) struct ConstraintRow {
    pub(crate) keyword: &'static str,
    /// The type of the values that it applies to; `None` for all types.
    pub(crate) applies_to: Option<&'static str>,
    /// How notations and messages begin it, as in `at least`.
    pub(crate) words: &'static str,
    pub(crate) argument: ConstraintArgument,
    /// The keyword of the other end of the range, in the row of the lower end.
    pub(crate) upper: Option<&'static str>,
    /// The message about a value that breaks it. Empty if validation words it for each value.
    pub(crate) message: &'static str,
    pub(crate) dialects: DialectColumns,
    pub(crate) mutant: Option<ConstraintMutant>,
}

/// The value of a constraint's keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConstraintArgument {
    /// A number that is compared with the value.
    Bound,
    /// A number that divides the value.
    Step,
    /// A number of characters.
    Characters,
    /// A number of list elements.
    Elements,
    /// A number of object entries.
    Entries,
    /// A string.
    Text,
    /// `true`, or the keyword says nothing.
    Flag,
    /// Allowed values.
    Values,
}

/// Support for a constraint in each provider dialect.
#[derive(Debug)]
pub(crate) struct DialectColumns {
    pub(crate) openai: DialectSupport,
    pub(crate) anthropic: DialectSupport,
    pub(crate) gemini: DialectSupport,
    pub(crate) ollama: DialectSupport,
}

/// Support for a constraint in one dialect. The source is in the file of the dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DialectSupport {
    Yes,
    No,
    ForIntegers,
    /// It depends on its value and on the keywords next to it: the dialect has a function for it.
    Depends,
}

/// How a valid value is changed so that it breaks a constraint.
#[derive(Debug)]
pub(crate) struct ConstraintMutant {
    pub(crate) change: &'static str,
    /// Called with the value of the keyword and a valid value of the type. `None` if nothing
    /// breaks the constraint.
    pub(crate) make: fn(&Value, &Value) -> Option<Value>,
}

use ConstraintArgument::{Bound, Characters, Elements, Entries, Flag, Step, Text, Values};
use DialectSupport::{Depends, ForIntegers, No, Yes};

/// All constraints, in the order in which a notation writes them.
pub(crate) static CONSTRAINTS: [ConstraintRow; 16] = [
    row("enum", None, Values).dialects(Depends, Depends, Depends, Depends),
    row("const", None, Values).dialects(Depends, Depends, No, Depends),
    row("minLength", Some("string"), Characters)
        .words("at least", "too short")
        .upper("maxLength")
        .dialects(No, No, No, Depends)
        .mutant("the string was made too short", shorter),
    row("maxLength", Some("string"), Characters)
        .words("at most", "too long")
        .dialects(No, No, No, Depends)
        .mutant("the string was made too long", longer),
    row("pattern", Some("string"), Text).words("matches", "").dialects(Depends, Depends, No, Depends),
    row("format", Some("string"), Text).words("format", "").dialects(Depends, Depends, Depends, Depends),
    row("minimum", Some("number"), Bound)
        .words("at least", "too small")
        .upper("maximum")
        .dialects(Yes, No, Yes, ForIntegers)
        .mutant("a bound was crossed", |bound, _| beyond(bound, -1)),
    row("maximum", Some("number"), Bound)
        .words("at most", "too large")
        .dialects(Yes, No, Yes, ForIntegers)
        .mutant("a bound was crossed", |bound, _| beyond(bound, 1)),
    row("exclusiveMinimum", Some("number"), Bound)
        .words("more than", "too small")
        .dialects(Yes, No, No, ForIntegers)
        .mutant("a bound was crossed", |bound, _| Some(bound.clone())),
    row("exclusiveMaximum", Some("number"), Bound)
        .words("less than", "too large")
        .dialects(Yes, No, No, ForIntegers)
        .mutant("a bound was crossed", |bound, _| Some(bound.clone())),
    row("multipleOf", Some("number"), Step)
        .words("a multiple of", "not a multiple")
        .dialects(Yes, No, No, No)
        .mutant("a number between multiples was put there", |step, _| {
            step.as_i64().filter(|step| *step > 1)?.checked_add(1).map(Value::from)
        }),
    row("minItems", Some("array"), Elements)
        .words("at least", "too few elements")
        .upper("maxItems")
        .dialects(Yes, Depends, Yes, Depends)
        .mutant("elements were removed", fewer),
    row("maxItems", Some("array"), Elements)
        .words("at most", "too many elements")
        .dialects(Yes, No, Yes, Depends)
        .mutant("elements were added", more),
    row("uniqueItems", Some("array"), Flag).words("no item twice", "").mutant(
        "an element was repeated",
        |flag, list| {
            let first = list.get(0).filter(|_| *flag == true)?;
            Some(json!([first, first]))
        },
    ),
    row("minProperties", Some("object"), Entries).words("at least", "too few entries").upper("maxProperties"),
    row("maxProperties", Some("object"), Entries).words("at most", "too many entries"),
];

/// Returns the row of a keyword.
pub(crate) fn constraint(keyword: &str) -> Option<&'static ConstraintRow> {
    CONSTRAINTS.iter().find(|row| row.keyword == keyword)
}

impl ConstraintArgument {
    /// The unit of a size in a notation, in the singular.
    pub(crate) fn unit(self) -> Option<&'static str> {
        match self {
            Self::Characters => Some("character"),
            Self::Elements => Some("item"),
            Self::Entries => Some("key"),
            Self::Bound | Self::Step | Self::Text | Self::Flag | Self::Values => None,
        }
    }
}

/// A row for a constraint that no dialect supports and no mutant breaks.
const fn row(
    keyword: &'static str,
    applies_to: Option<&'static str>,
    argument: ConstraintArgument,
) -> ConstraintRow {
    ConstraintRow {
        keyword,
        applies_to,
        words: "",
        argument,
        upper: None,
        message: "",
        dialects: DialectColumns { openai: No, anthropic: No, gemini: No, ollama: No },
        mutant: None,
    }
}

impl ConstraintRow {
    const fn words(self, words: &'static str, message: &'static str) -> Self {
        Self { words, message, ..self }
    }

    const fn upper(self, keyword: &'static str) -> Self {
        Self { upper: Some(keyword), ..self }
    }

    const fn dialects(
        self,
        openai: DialectSupport,
        anthropic: DialectSupport,
        gemini: DialectSupport,
        ollama: DialectSupport,
    ) -> Self {
        Self { dialects: DialectColumns { openai, anthropic, gemini, ollama }, ..self }
    }

    const fn mutant(self, change: &'static str, make: fn(&Value, &Value) -> Option<Value>) -> Self {
        Self { mutant: Some(ConstraintMutant { change, make }), ..self }
    }
}

fn size(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|size| usize::try_from(size).ok())
}

fn beyond(bound: &Value, step: i64) -> Option<Value> {
    match bound.as_i64() {
        Some(bound) => bound.checked_add(step).map(Value::from),
        // No JSON integer goes beyond 64 bits.
        None if bound.is_u64() => None,
        // Far from zero, a step of one has no effect.
        None => bound.as_f64().map(|bound| {
            let (down, up) = (bound.next_down().min(bound - 1.0), bound.next_up().max(bound + 1.0));
            Value::from(if step < 0 { down } else { up })
        }),
    }
}

fn shorter(least: &Value, text: &Value) -> Option<Value> {
    let kept = size(least)?.checked_sub(1)?;
    Some(text.as_str()?.chars().take(kept).collect::<String>().into())
}

fn longer(most: &Value, text: &Value) -> Option<Value> {
    let chars = text.as_str()?.chars().chain(std::iter::repeat('☃'));
    Some(chars.take(size(most)? + 1).collect::<String>().into())
}

fn fewer(least: &Value, list: &Value) -> Option<Value> {
    let kept = size(least)?.checked_sub(1)?;
    Some(json!(list.as_array()?.get(..kept)?))
}

fn more(most: &Value, list: &Value) -> Option<Value> {
    let list = list.as_array()?;
    let longer = list.iter().chain(std::iter::repeat(list.first()?));
    Some(longer.take(size(most)? + 1).cloned().collect::<Vec<_>>().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_lower_end_has_its_upper_end() {
        for row in &CONSTRAINTS {
            let upper = row.upper.map(|upper| constraint(upper).unwrap());
            assert!(upper.is_none_or(|upper| upper.argument == row.argument && upper.words == "at most"));
            assert_eq!(row.words == "at least", upper.is_some(), "{}", row.keyword);
        }
    }

    #[test]
    fn a_mutant_breaks_its_constraint_and_no_valid_value_does() {
        for (keyword, argument, valid) in [
            ("minLength", json!(2), json!("ab")),
            ("maxLength", json!(2), json!("ab")),
            ("minimum", json!(3), json!(3)),
            ("maximum", json!(2.5), json!(2.5)),
            ("exclusiveMinimum", json!(3), json!(4)),
            ("exclusiveMaximum", json!(3), json!(2)),
            ("multipleOf", json!(5), json!(10)),
            ("minItems", json!(1), json!([1])),
            ("maxItems", json!(1), json!([1])),
            ("uniqueItems", json!(true), json!([1])),
        ] {
            let validator = jsonschema::validator_for(&json!({keyword: argument})).unwrap();
            let mutant = constraint(keyword).unwrap().mutant.as_ref().unwrap();
            let mutated = (mutant.make)(&argument, &valid).unwrap();
            assert!(validator.is_valid(&valid) && !validator.is_valid(&mutated), "{keyword}: {mutated}");
        }
    }
}
