//! Contracts that are narrowed at run time.

use std::collections::HashSet;

use serde::Serialize;
use serde_json::Value;

use super::Contract;
use crate::{
    schema::{
        FittingValues, NarrowingError, NarrowingFailure, ReachedSchemas, SchemaView, described, is_sensitive,
        listed, narrowed, nests_deeper, view::keywords::ComparedValue,
    },
    vocabulary::{
        path::{PathPattern, PatternStep},
        suggest,
        text::{counted, first_of, named, quoted, ticked},
        violation::Violation,
    },
};

/// Maximum number of keys that a message names.
const MAX_NAMED: usize = 20;

impl Contract {
    /// Returns a contract that allows only `values` at `place`, such as categories from a database.
    /// The rest is unchanged: the type, its rules, and other uses of the same definition.
    ///
    /// Everything that uses the contract uses these values: the prompt, the native schemas of
    /// providers, the grammar of a local model, the example, reading (which corrects their
    /// spelling), and feedback. Compile it once and keep it, see
    /// [`Extraction::contract`](crate::Extraction::contract).
    ///
    /// - Values are compared and sent in the form that serde gives them. Duplicates are dropped.
    /// - Each value must satisfy what the contract already requires there: its type, its pattern,
    ///   the values of an enum. So narrowing again leaves fewer values.
    /// - Where null was allowed, as for an `Option`, it still is.
    /// - `[*]` is every element of a list, or the value of every entry of a map. A place in an enum
    ///   with several variants is narrowed in each variant that has it.
    /// - In a recursive type only the given place is narrowed, not the same field further down.
    ///
    /// ```
    /// use extract::{Contract, Extractable, at};
    /// use serde::Deserialize;
    /// use serde_json::json;
    ///
    /// #[derive(Deserialize, Extractable)]
    /// struct Ticket {
    ///     title: String,
    ///     category: String,
    /// }
    ///
    /// let categories = vec!["billing".to_owned(), "delivery".to_owned()]; // from a database
    /// let contract = Contract::of::<Ticket>()?.one_of(at!(Ticket, category), categories)?;
    /// assert!(contract.validate(&json!({"title": "Late", "category": "delivery"})).is_empty());
    /// assert_eq!(
    ///     contract.validate(&json!({"title": "Late", "category": "other"}))[0].to_string(),
    ///     r#"[INVALID_VALUE] $.category: not an allowed value (expected one of ["billing","delivery"], got "other")"#,
    /// );
    /// # let _ = |ticket: Ticket| (ticket.title, ticket.category);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the contract has no such place, a value does not fit there, or no value is left: `values`
    /// is empty, or one of several alternatives accepts none of them.
    pub fn one_of<V: Serialize>(
        &self,
        place: impl Into<PathPattern>,
        values: impl IntoIterator<Item = V>,
    ) -> Result<Self, NarrowingError> {
        let place = place.into();
        let mut list = Vec::new();
        for (index, value) in values.into_iter().enumerate() {
            list.push(serde_json::to_value(value).map_err(|error| {
                NarrowingError::new(
                    &place,
                    format!("value {} of the list has no JSON form: {error}", index + 1),
                )
            })?);
        }
        self.listed(&place, &list)
    }

    /// Returns a contract with another description at `place`. It replaces the existing one, but
    /// keeps the descriptions of single values of an enum; an empty `text` removes it.
    ///
    /// ```
    /// use extract::Contract;
    /// use serde_json::json;
    ///
    /// let contract = Contract::from_schema(json!({
    ///     "type": "object",
    ///     "properties": {"due": {"type": "string", "description": "The date."}},
    /// }))?
    /// .describe("$.due", "The last day for the payment, from the second page.")?;
    /// let description = &contract.schema()["properties"]["due"]["description"];
    /// assert_eq!(description, "The last day for the payment, from the second page.");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the contract has no such place.
    pub fn describe(
        &self,
        place: impl Into<PathPattern>,
        text: impl AsRef<str>,
    ) -> Result<Self, NarrowingError> {
        let replace = &mut |part| (described(part, text.as_ref()), FittingValues::default());
        self.changed(&place.into(), replace, &|_| true).map(|(contract, _)| contract)
    }

    /// Checks that the schema describes `place`.
    ///
    /// # Errors
    ///
    /// If it does not.
    pub(crate) fn check_place(&self, place: &PathPattern) -> Result<(), NarrowingError> {
        if self.inner.known_place.get() == Some(place) {
            return Ok(());
        }
        let keep = &mut |part: &Value| (part.clone(), FittingValues::default());
        self.narrowed(place, keep, &|_| true)?;
        self.inner.known_place.get_or_init(|| place.clone());
        Ok(())
    }

    fn listed(&self, place: &PathPattern, values: &[Value]) -> Result<Self, NarrowingError> {
        let error = |message: String| NarrowingError::new(place, message);
        if values.is_empty() {
            return Err(error("no value is left, because the list is empty".to_owned()));
        }
        let max_depth = self.inner.shapes.max_depth();
        if let Some(deep) = values.iter().position(|value| nests_deeper(value, max_depth)) {
            return Err(error(format!("value {} of the list is nested too deeply", deep + 1)));
        }
        let view = SchemaView::of(self.schema());
        let mut parts = Vec::new();
        let mut is_left_empty = false;
        let replace = &mut |part| {
            parts.push(part);
            let fits = self.inner.validator.allows_each(part, values);
            let mut kept =
                distinct(values.iter().zip(&fits).filter(|(_, fits)| **fits).map(|(value, _)| value));
            if kept.is_empty() {
                is_left_empty = true;
                return (part.clone(), FittingValues::new(fits));
            }
            if !kept.contains(&Value::Null)
                && self.inner.validator.allows_each(part, &[Value::Null]) == [true]
            {
                kept.push(Value::Null);
            }
            (listed(&view, part, kept), FittingValues::new(fits))
        };
        let set: HashSet<ComparedValue<'_>> = values.iter().map(ComparedValue::of).collect();
        let is_allowed = |value: &Value| value.is_null() || set.contains(&ComparedValue::of(value));
        let (contract, fits) = self.changed(place, replace, &is_allowed)?;
        match fits.first_misfit() {
            Some(index) => Err(error(self.misfit(index, &values[index], &parts, &view))),
            None if is_left_empty => {
                Err(error("no value is left in one of several alternatives that have this place".to_owned()))
            }
            None => Ok(contract),
        }
    }

    /// Returns why a value of the list does not fit.
    fn misfit(&self, index: usize, value: &Value, parts: &[&Value], view: &SchemaView<'_>) -> String {
        let number = index + 1;
        let violation = parts.iter().find_map(|part| self.inner.validator.first_violation(part, value));
        let reason = |violation: &Violation| match &violation.expected {
            Some(expected) => format!("expected {expected}"),
            None => violation.message.clone(),
        };
        if parts.iter().any(|part| is_sensitive(view, part)) {
            return format!("value {number} of the list does not fit what the contract says of the place");
        }
        let reason = violation.map_or_else(
            || "no value fits all that the contract says of the place".to_owned(),
            |violation| match &violation.hint {
                Some(hint) => format!("{}; {hint}", reason(&violation)),
                None => reason(&violation),
            },
        );
        format!("value {number} of the list, {}, does not fit: {reason}", quoted(value))
    }

    /// Returns the contract with its schema changed at `place`, and which values fit there.
    fn changed<'s>(
        &'s self,
        place: &PathPattern,
        replace: &mut dyn FnMut(&'s Value) -> (Value, FittingValues),
        allows: &dyn Fn(&Value) -> bool,
    ) -> Result<(Self, FittingValues), NarrowingError> {
        let (schema, fits) = self.narrowed(place, replace, allows)?;
        if fits.first_misfit().is_some() {
            return Ok((self.clone(), fits));
        }
        let contract = Self::compile(schema, self.inner.rules.clone(), self.inner.type_judges.clone())
            .map_err(|failure| NarrowingError::new(place, failure.to_string()))?;
        Ok((Self { source: self.source.clone(), ..contract.of_type(self.inner.type_) }, fits))
    }

    /// Returns the schema changed at `place`, and which values fit there.
    fn narrowed<'s>(
        &'s self,
        place: &PathPattern,
        replace: &mut dyn FnMut(&'s Value) -> (Value, FittingValues),
        allows: &dyn Fn(&Value) -> bool,
    ) -> Result<(Value, FittingValues), NarrowingError> {
        let error = |message| NarrowingError::new(place, message);
        let max_depth = self.inner.shapes.max_depth();
        if place.steps().len() > max_depth {
            let levels = counted(max_depth, "level");
            return Err(error(format!("the place is too deep; a value has at most {levels} of brackets")));
        }
        narrowed(self.schema(), place, replace, allows).map_err(|failure| match failure {
            NarrowingFailure::Missing(reached) => error(missing(place, &reached)),
            NarrowingFailure::TooLarge => {
                error("the way there leads through the same definitions too often".to_owned())
            }
        })
    }
}

/// Returns why the schema does not describe `place`, and which paths exist instead.
fn missing(place: &PathPattern, reached: &ReachedSchemas) -> String {
    let around = place.start(reached.steps);
    let all = if reached.is_map {
        Some(format!("`{around}` is a map; `{}` stands for the values of all entries", around.clone().each()))
    } else if reached.is_list {
        Some(format!("`{around}` is a list; `{}` stands for all its elements", around.clone().each()))
    } else {
        None
    };
    match (place.steps().get(reached.steps), all) {
        (Some(PatternStep::Key(key)), _) if !reached.keys.is_empty() => {
            let keys = || reached.keys.iter().map(String::as_str);
            let known = match suggest::nearest(key.as_str(), keys()) {
                Some(near) => format!("did you mean {}?", ticked(near)),
                None => format!("it has the keys {}", first_of(&reached.keys, MAX_NAMED, named)),
            };
            format!("`{around}` has no key {}; {known}", ticked(key.as_str()))
        }
        (Some(PatternStep::Key(_) | PatternStep::Index(_)), Some(all)) => all,
        (Some(PatternStep::Index(_)), None) if reached.positions > 0 => {
            format!("`{around}` has {}, counted from 0", counted(reached.positions, "element"))
        }
        (Some(PatternStep::Each | PatternStep::Index(_)), _) if !reached.keys.is_empty() => {
            format!("`{around}` is not a list; it has the keys {}", first_of(&reached.keys, MAX_NAMED, named))
        }
        _ => format!("the contract describes no parts of `{around}`"),
    }
}

/// `values` without duplicates.
fn distinct<'v>(values: impl Iterator<Item = &'v Value>) -> Vec<Value> {
    let mut seen = HashSet::new();
    values.filter(|value| seen.insert(ComparedValue::of(value))).cloned().collect()
}
