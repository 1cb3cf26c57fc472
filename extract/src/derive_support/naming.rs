//! Names and strings for generated code.

use std::{borrow::Cow, fmt::Display};

/// The name of a generic type's definition: `Page_of_Line`.
#[must_use]
pub fn name(base: &str, arguments: &[Cow<'_, str>]) -> Cow<'static, str> {
    Cow::Owned(format!("{base}_of_{}", arguments.join("_and_")))
}

/// A const parameter as part of a name.
#[must_use]
pub fn constant(value: &dyn Display) -> Cow<'static, str> {
    Cow::Owned(value.to_string())
}

/// A doc comment as a string, if the derive cannot read it itself (`#[doc = include_str!(...)]`).
#[must_use]
pub fn doc(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generic_name_lists_its_arguments() {
        assert_eq!(name("Pair", &["A".into(), "B".into()]), "Pair_of_A_and_B");
    }

    #[test]
    fn a_doc_keeps_its_lines_and_loses_the_space_around() {
        assert_eq!(doc("\n one  \n\n  two\n"), "one\n\n  two");
    }
}
