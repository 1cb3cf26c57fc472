//! Generates a string that matches a pattern.

use regex_syntax::hir::{Class, Hir, HirKind};

use super::budget::ExampleBudget;

/// Maximum repetitions that are written out.
const MAX_REPEATS: u32 = 64;

/// A short string that matches `pattern`. `None` if the pattern is not a plain regular expression,
/// or the budget is used up.
pub(super) fn example(pattern: &str, budget: &mut ExampleBudget) -> Option<String> {
    let hir = parse(pattern)?;
    let mut text = String::new();
    write(&hir, &mut text, budget)?;
    Some(text)
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

fn write(hir: &Hir, text: &mut String, budget: &mut ExampleBudget) -> Option<()> {
    budget.take(1)?;
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => {
            budget.take(literal.0.len())?;
            text.push_str(std::str::from_utf8(&literal.0).ok()?);
        }
        HirKind::Class(class) => text.push(member(class)?),
        HirKind::Repetition(repetition) => {
            // `a*` and `a?` are written once, unless zero repetitions are required.
            let most = repetition.max.unwrap_or(u32::MAX);
            let times = repetition.min.max(1).min(most).min(MAX_REPEATS.max(repetition.min));
            for _ in 0..times {
                write(&repetition.sub, text, budget)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, text, budget)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, text, budget))?,
        HirKind::Alternation(alternatives) => write(alternatives.first()?, text, budget)?,
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

    fn example(pattern: &str) -> Option<String> {
        super::example(pattern, &mut ExampleBudget::new())
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
            let text = example(pattern).unwrap();
            assert!(is_match(pattern, &text), "{text:?} for {pattern}");
        }
    }

    #[test]
    fn gives_up_on_what_is_no_regular_expression() {
        assert_eq!(example(r"^(?=a)b"), None);
        assert_eq!(example(r"["), None);
    }

    #[test]
    fn stays_small_under_huge_repetitions() {
        assert!(example("^a{0,1000}$").unwrap().len() <= 64);
    }
}
