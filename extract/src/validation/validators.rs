//! The validators of schemas and of their parts.

use jsonschema::{PatternOptions, ValidationOptions};

/// Steps that one pattern may take back on one text before it counts as not matching. Patterns without
/// look-around and back-references take none.
const BACKTRACK_LIMIT: usize = 100_000;

/// What the validators of all schemas have in common.
pub(super) fn options<'o>() -> ValidationOptions<'o> {
    jsonschema::draft202012::options()
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT))
}
