//! The options of validators.

use jsonschema::{PatternOptions, ValidationOptions};

use super::{DECIMAL, decimal};

/// Maximum backtracking steps of one pattern on one string; beyond them it does not match. Patterns
/// without look-around and back-references take none.
const BACKTRACK_LIMIT: usize = 100_000;

/// The options that all validators share.
pub(crate) fn validator_options<'o>() -> ValidationOptions<'o> {
    jsonschema::draft202012::options()
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT))
        .with_keyword(DECIMAL, |_, mark, _| Ok(decimal::keyword(mark)))
}
