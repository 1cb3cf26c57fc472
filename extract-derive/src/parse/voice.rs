//! From darling's errors to our words: lower case, no period, cause then cure.

use darling::Error;

use super::keywords::{self, Place};

/// Each mistake in `error` as a compile error. `place` is where the attribute stands.
pub(super) fn speak(error: Error, place: Place) -> impl Iterator<Item = syn::Error> {
    error.flatten().into_iter().map(move |error| {
        let span = error.span();
        syn::Error::new(span, translate(&error.to_string(), place))
    })
}

/// darling keeps the kind of an error to itself, so its text is read: `<kind> at <path>`.
///
/// What it does not know passes unchanged: these are our own words already. The catalogue of `ui-tests` notices when
/// darling changes its own.
fn translate(text: &str, place: Place) -> String {
    let (text, path) = text.rsplit_once(" at ").unwrap_or((text, ""));
    let path: Vec<&str> = path.split('/').map(|step| step.split('[').next().unwrap_or(step)).collect();
    let within = path.first().copied().filter(|step| !step.is_empty());
    if let Some(rest) = text.strip_prefix("Unknown field: `") {
        return unknown(name(rest), within, &path, place);
    }
    if let Some(rest) = text.strip_prefix("Duplicate field `") {
        return format!("`{}` is given twice; remove one", name(rest));
    }
    if text.starts_with("Unexpected meta-item format") || text.starts_with("Unexpected type") {
        return malformed(within);
    }
    text.to_owned()
}

fn name(rest: &str) -> &str {
    rest.split('`').next().unwrap_or(rest)
}

fn unknown(name: &str, within: Option<&str>, path: &[&str], place: Place) -> String {
    match path.iter().rev().find(|step| matches!(**step, "range" | "length")) {
        Some(of) => keywords::unknown_argument(name, of),
        None if within.is_some() => keywords::unknown(name, Place::Inside),
        None => keywords::unknown(name, place),
    }
}

fn malformed(within: Option<&str>) -> String {
    match within.and_then(keywords::find) {
        Some(keyword) => format!("`{}` is written `{}`", keyword.name, keyword.form),
        None => "expected `name`, `name = value` or `name(...)`".to_owned(),
    }
}
