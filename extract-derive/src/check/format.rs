//! `format`.

use super::{pattern, subject::ConstraintSubject};
use crate::{
    MistakeCollector,
    parse::{FieldConstraints, suggest},
};

/// The formats that are enforced.
const FORMATS: [&str; 10] =
    ["email", "uri", "uuid", "date", "date-time", "time", "duration", "ipv4", "ipv6", "hostname"];

pub(super) fn check(
    constraints: &FieldConstraints,
    subject: &ConstraintSubject<'_>,
    errors: &mut MistakeCollector,
) {
    let Some(placed) = &constraints.format else { return };
    if let Some(instead) = pattern::instead(&subject.kind) {
        errors.report(&placed.at, format!("`format` needs a string; {}, use {instead}", subject.is));
    }
    let format = placed.value.0.value();
    if !FORMATS.contains(&format.as_str()) {
        errors.report(&placed.value.0, unknown(&format));
    }
}

fn unknown(format: &str) -> String {
    match suggest::nearest(format, FORMATS) {
        Some(nearest) => format!("unknown format `{format}`; did you mean `{nearest}`?"),
        None => format!("unknown format `{format}`; there is {}", suggest::listed(FORMATS)),
    }
}
