//! Writes paths: in full for programs, with a limit for people and models.

use std::{borrow::Cow, fmt, fmt::Write as _};

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::{Path, PatternStep, Segment};
use crate::vocabulary::text::{quoted, visible};

/// Maximum characters of a key: enough to recognise it, too few to flood a message.
const KEY_CHARS: usize = 120;

/// How many of those follow the gap.
const KEY_END_CHARS: usize = 39;

/// Approximate maximum characters of a path: half of them for its first steps, half for its last.
const PATH_CHARS: usize = 600;

/// `$.lines[2]["unit price"]`, with a limit. A key of more than 120 characters loses its middle,
/// and so does a path of more than about 600; `…` replaces it.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_shown(f, self.segments(), |index| format!("[{index}]"))
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Path({self})")
    }
}

/// In full, so that it can be parsed again.
impl Serialize for Path {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&FullPath(self))
    }
}

struct FullPath<'p>(&'p Path);

impl fmt::Display for FullPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('$')?;
        self.0.segments().iter().try_for_each(|segment| match segment {
            Segment::Index(index) => write!(f, "[{index}]"),
            Segment::Key(key) if is_identifier(key) => write!(f, ".{}", key.as_str()),
            Segment::Key(key) => write!(f, "[{}]", visible(&Value::from(key.as_str()).to_string())),
        })
    }
}

impl Path {
    /// As displayed, with `[*]` for every index: the same for all elements of a list.
    pub(crate) fn without_positions(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = write_shown(&mut text, self.segments(), |_| "[*]".to_owned());
        text
    }
}

fn write_shown(
    f: &mut dyn fmt::Write,
    segments: &[Segment],
    position: impl Fn(usize) -> String,
) -> fmt::Result {
    write_steps(f, segments, |segment| match segment {
        Segment::Index(index) => position(*index),
        Segment::Key(key) => shown_key(key),
    })
}

pub(super) fn write_place(f: &mut fmt::Formatter<'_>, steps: &[PatternStep]) -> fmt::Result {
    write_steps(f, steps, |step| match step {
        PatternStep::Index(index) => format!("[{index}]"),
        PatternStep::Key(key) => shown_key(key),
        PatternStep::Each => "[*]".to_owned(),
    })
}

fn write_steps<S>(f: &mut dyn fmt::Write, segments: &[S], step: impl Fn(&S) -> String) -> fmt::Result {
    f.write_char('$')?;
    let mut first = Vec::new();
    let left = fill(&mut first, segments.iter().map(&step));
    first.iter().try_for_each(|step| f.write_str(step))?;
    if left == 0 {
        return Ok(());
    }
    let mut last = Vec::new();
    match fill(&mut last, segments[first.len()..].iter().rev().map(&step)) {
        0 => {}
        left => write!(f, "…({left} steps)…")?,
    }
    last.iter().rev().try_for_each(|step| f.write_str(step))
}

/// Writes the first of `steps`, at least one, up to half of the limit, and returns how many are
/// left.
fn fill(taken: &mut Vec<String>, mut steps: impl ExactSizeIterator<Item = String>) -> usize {
    let mut chars = 0;
    while chars < PATH_CHARS / 2
        && let Some(step) = steps.next()
    {
        chars += step.chars().count();
        taken.push(step);
    }
    steps.len()
}

fn shown_key(key: &str) -> String {
    let key = without_middle(key);
    if is_identifier(&key) { [".", &key].concat() } else { format!("[{}]", quoted(&*key)) }
}

/// `key`, or its start and its end.
fn without_middle(key: &str) -> Cow<'_, str> {
    if key.char_indices().nth(KEY_CHARS).is_none() {
        return Cow::Borrowed(key);
    }
    let start = key.char_indices().nth(KEY_CHARS - KEY_END_CHARS - 1).map_or(key.len(), |(at, _)| at);
    let end = key.char_indices().nth_back(KEY_END_CHARS - 1).map_or(0, |(at, _)| at);
    Cow::Owned([&key[..start], "…", &key[end..]].concat())
}

pub(super) fn is_identifier(key: &str) -> bool {
    let mut chars = key.chars();
    chars.next().is_some_and(|c| c == '_' || c.is_alphabetic())
        && chars.all(|c| c == '_' || c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_key_loses_its_middle() {
        let key = format!("start{}end", "x".repeat(1_000_000));
        let text = Path::root().key(&key).index(3).to_string();
        assert!(text.starts_with("$[\"startxxx") && text.ends_with("xxend\"][3]"), "{text}");
        assert_eq!(text.chars().count(), KEY_CHARS + "$[\"\"][3]".len());
        assert_eq!(
            Path::root().key("x".repeat(KEY_CHARS)).to_string(),
            format!("$.{}", "x".repeat(KEY_CHARS))
        );
    }

    #[test]
    fn a_long_path_loses_its_middle() {
        let path = (0..100_000).fold(Path::root(), Path::index);
        let text = path.to_string();
        assert!(text.starts_with("$[0][1][2]") && text.ends_with("[99998][99999]"), "{text}");
        assert!(text.contains("steps)…") && text.chars().count() < PATH_CHARS + 50, "{text}");
    }

    #[test]
    fn programs_get_all_of_it() {
        let path = (0..50).fold(Path::root(), |path, index| path.key("\u{1}".repeat(1_000)).index(index));
        assert!(path.to_string().chars().count() < 2_000);
        let text = serde_json::to_string(&path).unwrap();
        assert_eq!(serde_json::from_str::<Path>(&text).unwrap(), path);
        assert_eq!(path.to_pointer().len(), 50 * 1_001 + 10 * 2 + 40 * 3);
    }
}
