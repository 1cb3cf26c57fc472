//! Writes settings into a file, and leaves the rest of it as it is.

use std::path::Path;

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use super::{file, wrong::Wrong};
use crate::{env_file, error::Failure};

/// How a remark of this program begins, so that the next one replaces it.
const REMARK: &str = "# tuned: ";

/// Returns the text of the file `path`, which may be missing, with settings for all commands. They
/// replace all of `names`, and `remark` stands above them.
pub(crate) fn text_with(
    path: &Path,
    names: &[&str],
    settings: &[(String, Value)],
    remark: &str,
) -> Result<String, Failure> {
    let text = if path.exists() { env_file::read(path) } else { Ok(String::new()) };
    let text = text.map_err(|error| {
        Failure::usage(format!("the settings `{}` cannot be read: {error}", path.display()))
    })?;
    with(&text, names, settings, remark).map_err(|wrong| wrong.in_file(path))
}

/// Returns the settings of single commands among `names`, as `[run] shot-count`. For their commands they
/// take precedence over settings for all commands.
pub(crate) fn of_commands(text: &str, names: &[&str]) -> Vec<String> {
    let settings = file::parse(text).unwrap_or_default();
    let of_commands =
        settings.iter().filter(|one| !one.table.is_empty() && names.contains(&one.name.as_str()));
    of_commands.map(|one| format!("[{}] {}", one.table.join("."), one.name)).collect()
}

/// Returns the text with `settings` for all commands, which replace all of `names`.
fn with(text: &str, names: &[&str], settings: &[(String, Value)], remark: &str) -> Result<String, Wrong> {
    file::parse(text)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let table =
        DeTable::parse(text).map_err(|error| Wrong::new(1, format!("not TOML: {}", error.message())))?;
    let is_replaced = |key: &str| {
        let name = key.replace('_', "-");
        names.contains(&&*name) || settings.iter().any(|(new, _)| *new == name)
    };
    let mut removed: Vec<(usize, usize)> = table
        .get_ref()
        .iter()
        .filter(|(key, value)| !matches!(value.get_ref(), DeValue::Table(_)) && is_replaced(key.get_ref()))
        .map(|(key, value)| whole_lines(text, key.span().start, value.span().end))
        .collect();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let is_in_string = removed.iter().any(|(from, to)| (*from..*to).contains(&start));
        if line.starts_with(REMARK) && !is_in_string {
            removed.push((start, start + line.len()));
        }
        start += line.len();
    }
    removed.sort_unstable();
    let mut rest = String::with_capacity(text.len());
    let mut from = 0;
    for (start, end) in removed {
        rest.push_str(&text[from.min(start)..start]);
        from = end.max(from);
    }
    rest.push_str(&text[from..]);
    let remark = remark.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<_> = settings.iter().map(|(name, value)| format!("{name} = {value}\n")).collect();
    let lines = lines.concat();
    let written = format!("{REMARK}{remark}\n{lines}{rest}");
    // A string of JSON is one of TOML, but for a character that no option needs.
    file::parse(&written)?;
    Ok(written)
}

/// The lines of a setting, with their ends.
fn whole_lines(text: &str, start: usize, end: usize) -> (usize, usize) {
    let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    (start, end)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn written(text: &str) -> String {
        let settings = [("notation".to_owned(), json!("types")), ("shot-count".to_owned(), json!(3))];
        with(text, &["notation", "shot-count", "think-first"], &settings, "0.6 before,\n0.9 after").unwrap()
    }

    const NEW: &str = "# tuned: 0.6 before, 0.9 after\nnotation = \"types\"\nshot-count = 3\n";

    #[test]
    fn other_settings_and_comments_stay_as_they_are() {
        let rest =
            "# ours\nschema = 'invoice.json' # of May\n\n[run]\nnotation = \"auto\"\nthink_first = true\n";
        assert_eq!(written(rest), format!("{NEW}{rest}"));
        assert_eq!(written(""), NEW);
    }

    #[test]
    fn settings_of_single_commands_are_found() {
        let text = "shot-count = 1\n[run]\nshot_count = 2\nconcurrent = 4\n[view.job]\nshot-count = 3\n";
        assert_eq!(
            of_commands(text, &["shot-count", "notation"]),
            ["[run] shot-count", "[view.job] shot-count"]
        );
    }

    #[test]
    fn earlier_settings_of_the_same_names_are_replaced() {
        let rest = "# ours\nschema = 'invoice.json'\n[run]\nout = 'x.jsonl'";
        let before = format!("{NEW}think_first = true # found in May\n{rest}");
        assert_eq!(written(&before), format!("{NEW}{rest}"));
        assert_eq!(written(&written(&before)), written(&before));
        assert_eq!(written("notation = '''\n# tuned: no\n'''\nkey = 'id'"), format!("{NEW}key = 'id'"));
    }

    #[test]
    fn a_file_that_is_not_toml_is_refused() {
        assert!(with("Dear Ann,\n", &[], &[], "").is_err());
        assert!(with("", &[], &[("shots".to_owned(), json!("\u{7f}"))], "").is_err());
    }
}
