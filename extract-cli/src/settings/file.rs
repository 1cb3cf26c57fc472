//! Reads a file with settings.

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{secret, wrong::Wrong};

/// One setting.
#[derive(Debug)]
pub(super) struct Setting {
    /// The command that its table names; empty for settings of all commands.
    pub(super) table: Vec<String>,
    /// The name of the option, with dashes.
    pub(super) name: String,
    pub(super) value: Value,
    pub(super) line: usize,
}

/// A value, as words of a command line.
#[derive(Debug)]
pub(super) enum Value {
    Is(bool),
    One(String),
    Several(Vec<String>),
}

/// The settings in a text, from the outermost table on.
pub(super) fn parse(text: &str) -> Result<Vec<Setting>, Wrong> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let line = |at: usize| text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        // The message may have a part of the text, which may be a key.
        Wrong::new(line(at), format!("not TOML: {}", error.message().lines().next().unwrap_or_default()))
    })?;
    let mut settings = Vec::new();
    add(&mut settings, &[], table.get_ref(), &line)?;
    settings.sort_by_key(|setting| setting.line);
    Ok(settings)
}

fn add(
    settings: &mut Vec<Setting>,
    path: &[String],
    table: &DeTable<'_>,
    line: &impl Fn(usize) -> usize,
) -> Result<(), Wrong> {
    for (key, value) in table {
        let line_of = line(key.span().start);
        let name = key.get_ref().replace('_', "-");
        if let DeValue::Table(inner) = value.get_ref() {
            add(settings, &[path, &[name]].concat(), inner, line)?;
            continue;
        }
        if settings.iter().any(|setting| setting.table == path && setting.name == name) {
            return Err(Wrong::new(line_of, format!("`{name}` is set twice")));
        }
        secret::check(&name, line_of, value.get_ref().as_str())?;
        let value = self::value(&name, value, line_of)?;
        settings.push(Setting { table: path.to_owned(), name, value, line: line_of });
    }
    Ok(())
}

fn value(name: &str, value: &Spanned<DeValue<'_>>, line: usize) -> Result<Value, Wrong> {
    match value.get_ref() {
        DeValue::Boolean(is) => Ok(Value::Is(*is)),
        DeValue::Array(all) => {
            let words = all.iter().map(|one| {
                secret::check(name, line, one.get_ref().as_str())?;
                word(name, one.get_ref(), line)
            });
            words.collect::<Result<_, _>>().map(Value::Several)
        }
        one => word(name, one, line).map(Value::One),
    }
}

fn word(name: &str, value: &DeValue<'_>, line: usize) -> Result<String, Wrong> {
    match value {
        DeValue::String(text) => Ok(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map(|number| number.to_string())
            .map_err(|error| Wrong::new(line, format!("`{name}`: {error}"))),
        DeValue::Float(number) => Ok(number.as_str().to_owned()),
        _ => Err(Wrong::new(
            line,
            format!("`{name}` takes a string, a number, true or false, or a list of them"),
        )),
    }
}
