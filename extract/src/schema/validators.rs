//! The validators of schemas and of their parts.

use jsonschema::{PatternOptions, ValidationOptions};

/// Backtracking steps of one pattern on one string before it counts as not matching. Patterns without
/// look-around and back-references never backtrack.
const BACKTRACK_LIMIT: usize = 100_000;

/// What the validators of all schemas have in common.
pub(crate) fn validator_options<'o>() -> ValidationOptions<'o> {
    jsonschema::draft202012::options()
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT))
}
