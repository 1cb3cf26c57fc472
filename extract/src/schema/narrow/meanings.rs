//! The description of a list of values: prose, then `` - `name`: meaning `` for single values.

use std::collections::HashSet;

use serde_json::Value;

/// A description in its two parts.
pub(super) struct PropertyDescription<'d> {
    pub(super) prose: &'d str,
    /// The meaning of each value, with its name.
    meanings: Vec<(&'d str, &'d str)>,
}

impl<'d> PropertyDescription<'d> {
    /// Splits `text`, the description of `values`. A line that looks like a meaning but names no
    /// listed value is prose.
    pub(super) fn of(text: &'d str, values: &[Value]) -> Self {
        let names: HashSet<&str> = values.iter().filter_map(Value::as_str).collect();
        let mut starts = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let name = line.strip_prefix("- `").and_then(|line| line.split_once("`: "));
            if let Some((name, _)) = name.filter(|(name, _)| names.contains(name)) {
                starts.push((at, name));
            }
            at += line.len();
        }
        let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([text.len()]);
        let meanings =
            starts.iter().zip(ends).map(|((start, name), end)| (*name, text[*start..end].trim_end()));
        let prose = &text[..starts.first().map_or(text.len(), |(start, _)| *start)];
        Self { prose: prose.trim_end(), meanings: meanings.collect() }
    }

    /// The meanings of `values`, one or more lines each.
    pub(super) fn meanings_of(&self, values: &[Value]) -> String {
        let kept: HashSet<&str> = values.iter().filter_map(Value::as_str).collect();
        let meanings = self.meanings.iter().filter(|(name, _)| kept.contains(name));
        meanings.map(|(_, meaning)| *meaning).collect::<Vec<_>>().join("\n")
    }
}

/// Prose, and meanings below it.
pub(super) fn joined(prose: &str, meanings: &str) -> Option<String> {
    match (prose.is_empty(), meanings.is_empty()) {
        (true, true) => None,
        (false, true) => Some(prose.to_owned()),
        (true, false) => Some(meanings.to_owned()),
        (false, false) => Some(format!("{prose}\n\n{meanings}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_meanings_of_the_values_that_are_left_stay() {
        let values = [json!("a"), json!("b"), json!("c d")];
        let text =
            "What it is.\n- `x`: not a value\n\n- `a`: the first\n  letter\n- `b`: the second\n- `c d`: two";
        let description = PropertyDescription::of(text, &values);
        assert_eq!(description.prose, "What it is.\n- `x`: not a value");
        assert_eq!(description.meanings_of(&values[..1]), "- `a`: the first\n  letter");
        assert_eq!(description.meanings_of(&[json!("c d"), json!(null)]), "- `c d`: two");
        assert_eq!(PropertyDescription::of("- `a`: the first", &values).prose, "");
        assert_eq!(PropertyDescription::of("Only prose.", &values).meanings_of(&values), "");
    }
}
