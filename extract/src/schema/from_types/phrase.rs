//! The constraints in comments, in the phrases that [`types`](super::super::types) writes.
//!
//! Comments are split at semicolons and after sentences. A segment is a constraint if the whole
//! segment is a phrase, such as `at least 1` or `format date`. Any other segment is part of the
//! description, so "at least 18 years old" stays a description.

use serde_json::{Map, Value, json};

use crate::schema::{
    constraint::{CONSTRAINTS, ConstraintArgument, ConstraintRow},
    replace_references,
};

const PATTERN: &str = "matches ";
/// Phrases that JSON follows.
const JSON: [&str; 5] = ["default ", "such as ", "other than ", "and by JSON Schema ", "by JSON Schema "];
/// How often the segments of one line are joined to find the end of a JSON text.
const MAX_TRIES: usize = 1_000;

/// Looks up the reference for a type name.
pub(super) type ReferenceLookup<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Adds the constraints and the description from comment lines to a schema.
pub(super) fn apply(lines: &[String], schema: &mut Map<String, Value>, named: ReferenceLookup<'_>) {
    let mut description = Vec::new();
    for line in lines {
        let said = line_of(line, schema, named);
        if !said.is_empty() {
            description.push(said);
        }
    }
    if !description.is_empty() {
        schema.insert("description".to_owned(), Value::from(description.join("\n")));
    }
}

/// Adds the phrases of one line. Returns the rest of the line.
fn line_of(line: &str, schema: &mut Map<String, Value>, named: ReferenceLookup<'_>) -> String {
    let pieces = pieces(line);
    let mut said = String::new();
    // The member that the phrases are about, after `"value":`.
    let mut member: Option<String> = None;
    let (mut next, mut tries) = (0, MAX_TRIES);
    while let Some(&(start, end)) = pieces.get(next) {
        let piece = &line[start..end];
        next += 1;
        if let Some(name) = member_of(piece) {
            member = Some(name);
            continue;
        }
        // A pattern or a JSON text may contain the marks that separate segments.
        let more = if piece.starts_with(PATTERN) {
            let is_part = |(start, end): &&(usize, usize)| !begins_phrase(&line[*start..*end]);
            pieces[next..].iter().take_while(is_part).count()
        } else if JSON.iter().any(|head| piece.starts_with(head)) {
            let rest = pieces[next - 1..].iter().take(tries);
            tries = tries.saturating_sub(1);
            let is_whole = |(_, end): &(usize, usize)| phrase(&line[start..*end]).is_some();
            let found = rest.clone().position(is_whole);
            tries = tries.saturating_sub(found.unwrap_or_else(|| rest.count()));
            found.unwrap_or(0)
        } else {
            0
        };
        let end = if more > 0 { pieces[next + more - 1].1 } else { end };
        match (phrase(&line[start..end]), &member) {
            (Some(phrase), None) => phrase.add(schema, named),
            (Some(phrase), Some(name)) => phrase.add_to_member(schema, name, named),
            (None, _) => {
                if !said.is_empty() {
                    said.push_str(if said.ends_with(['.', '!', '?', ':']) { " " } else { "; " });
                }
                said.push_str(piece);
            }
        }
        next += more;
    }
    said
}

/// Returns whether a phrase starts here. It may continue in the segments after it.
fn begins_phrase(piece: &str) -> bool {
    phrase(piece).is_some() || JSON.iter().any(|head| piece.starts_with(head))
}

/// The start and end of each segment of a line.
fn pieces(line: &str) -> Vec<(usize, usize)> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        if c == ' ' && matches!(before, ';' | '.' | '!' | '?' | ':') {
            let end = if before == ';' { at - 1 } else { at };
            pieces.push((start, end));
            start = at + 1;
        }
        before = c;
    }
    pieces.push((start, line.len()));
    pieces.retain(|(start, end)| start < end);
    pieces
}

/// The key in `"key":`.
fn member_of(piece: &str) -> Option<String> {
    serde_json::from_str(piece.strip_suffix(':')?).ok()
}

/// A constraint.
enum ConstraintPhrase {
    Keywords(Vec<(&'static str, Value)>),
    ExactlyOne,
    /// An object of keywords.
    JsonSchema(Value),
}

impl ConstraintPhrase {
    fn add(self, schema: &mut Map<String, Value>, named: ReferenceLookup<'_>) {
        match self {
            Self::Keywords(keywords) => {
                schema.extend(keywords.into_iter().map(|(keyword, value)| (keyword.to_owned(), value)));
            }
            Self::ExactlyOne => {
                if let Some(branches) = schema.remove("anyOf") {
                    schema.insert("oneOf".to_owned(), branches);
                }
            }
            Self::JsonSchema(mut keywords) => {
                replace_references(&mut keywords, &mut |name| named(name));
                schema.extend(keywords.as_object_mut().map(std::mem::take).unwrap_or_default());
            }
        }
    }

    /// Adds it to the schema of the member `name`.
    fn add_to_member(self, schema: &mut Map<String, Value>, name: &str, named: ReferenceLookup<'_>) {
        let mut members = taken(schema, "properties");
        let mut member = taken(&mut members, name);
        self.add(&mut member, named);
        members.insert(name.to_owned(), Value::Object(member));
        schema.insert("properties".to_owned(), Value::Object(members));
    }
}

/// The object schema under `key`, or an empty one.
fn taken(schemas: &mut Map<String, Value>, key: &str) -> Map<String, Value> {
    match schemas.remove(key) {
        Some(Value::Object(schema)) => schema,
        _ => Map::new(),
    }
}

/// Parses `words` if they are one constraint.
fn phrase(words: &str) -> Option<ConstraintPhrase> {
    let keyword = |keyword, value| Some(ConstraintPhrase::Keywords(vec![(keyword, value)]));
    let json = |text: &str| serde_json::from_str::<Value>(text).ok();
    match words {
        "deprecated" => return keyword("deprecated", Value::Bool(true)),
        "exactly one of these" => return Some(ConstraintPhrase::ExactlyOne),
        _ => {}
    }
    for row in &CONSTRAINTS {
        match row.argument {
            ConstraintArgument::Flag if words == row.words => return keyword(row.keyword, Value::Bool(true)),
            // The ends of a range are read together, below.
            ConstraintArgument::Bound | ConstraintArgument::Step if !is_end(row) => {
                if let Some(bound) = after(words, row.words) {
                    return keyword(row.keyword, number(bound)?);
                }
            }
            _ => {}
        }
    }
    if let Some(pattern) = words.strip_prefix(PATTERN) {
        // A pattern with line breaks is written as a JSON string.
        let written = serde_json::from_str::<String>(pattern).ok().filter(|text| text.contains(['\n', '\r']));
        return keyword("pattern", Value::from(written.unwrap_or_else(|| pattern.to_owned())));
    }
    if let Some(format) = words.strip_prefix("format ") {
        return keyword("format", Value::from(Some(format).filter(|format| !format.contains(' '))?));
    }
    if let Some(value) = words.strip_prefix("default ") {
        return keyword("default", json(value)?);
    }
    for (head, is_not) in [("such as ", false), ("other than ", true)] {
        if let Some(values) = words.strip_prefix(head) {
            let values = json(&format!("[{values}]"))?;
            return if is_not {
                keyword("not", json!({"enum": values}))
            } else {
                keyword("examples", values)
            };
        }
    }
    if let Some(schema) = words.strip_prefix("and by JSON Schema ").or(words.strip_prefix("by JSON Schema "))
    {
        return json(schema).filter(Value::is_object).map(ConstraintPhrase::JsonSchema);
    }
    bounds(words).map(ConstraintPhrase::Keywords)
}

/// `at least 1`, `1 to 20 characters`
fn bounds(words: &str) -> Option<Vec<(&'static str, Value)>> {
    let with_unit = |row: &ConstraintRow| {
        let (unit, upper) = (row.argument.unit()?, row.upper?);
        let range = words.strip_suffix('s').unwrap_or(words).strip_suffix(unit)?.strip_suffix(' ')?;
        Some((range, [row.keyword, upper]))
    };
    let (range, [least, most]) =
        CONSTRAINTS.iter().find_map(with_unit).unwrap_or((words, ["minimum", "maximum"]));
    if let Some(bound) = range.strip_prefix("at least ") {
        return Some(vec![(least, number(bound)?)]);
    }
    if let Some(bound) = range.strip_prefix("at most ") {
        return Some(vec![(most, number(bound)?)]);
    }
    if let Some(bound) = range.strip_prefix("exactly ") {
        let bound = number(bound)?;
        return Some(vec![(least, bound.clone()), (most, bound)]);
    }
    let (from, to) = range.split_once(" to ")?;
    Some(vec![(least, number(from)?), (most, number(to)?)])
}

/// Whether the row is for one end of a range.
fn is_end(row: &ConstraintRow) -> bool {
    row.upper.is_some() || CONSTRAINTS.iter().any(|lower| lower.upper == Some(row.keyword))
}

fn after<'w>(words: &'w str, head: &str) -> Option<&'w str> {
    words.strip_prefix(head)?.strip_prefix(' ')
}

fn number(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok().filter(Value::is_number)
}
