//! Variables from a file such as `.env`, only if it is asked for.

use std::{
    env,
    ffi::OsString,
    fs::File,
    io::{self, Read as _},
    path::Path,
    process::Command,
};

use crate::error::{Exit, Failure};

/// Maximum bytes of a file with settings or variables.
const MAX_BYTES: u64 = 1 << 20;

/// Reads a small file.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("it is longer than 1 MiB"));
    }
    Ok(text)
}

/// Adds the variables of the file to the environment of this program; existing ones stay.
///
/// A program cannot change its environment safely while it runs, so it starts itself again if there
/// is anything to add.
pub(crate) fn apply(path: &Path, words: &[OsString]) -> Result<(), Failure> {
    let text = read(path).map_err(|error| {
        Failure::usage(format!("the variables `{}` cannot be read: {error}", path.display()))
    })?;
    let variables = parse(&text).map_err(|(line, why)| {
        Failure::usage(format!("`{}`, line {line}: {why}", path.display()))
            .help("a line is NAME=value, NAME='value as it is', or a comment after #")
    })?;
    let missing: Vec<_> = variables.into_iter().filter(|(name, _)| env::var_os(name).is_none()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let failure = |error: io::Error| {
        Failure::new(
            Exit::Storage,
            format!("this program cannot start itself again with `--env-file`: {error}"),
        )
    };
    let mut again = Command::new(env::current_exe().map_err(failure)?);
    again.args(words.iter().skip(1)).envs(missing);
    Err(failure(replaced(again)))
}

/// Continues as another program. Returns only if that fails.
#[cfg(unix)]
fn replaced(mut program: Command) -> io::Error {
    std::os::unix::process::CommandExt::exec(&mut program)
}

#[cfg(not(unix))]
fn replaced(mut program: Command) -> io::Error {
    match program.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

/// Returns the variables in a text, or the line of a mistake and its description. No message has a
/// value.
fn parse(text: &str) -> Result<Vec<(String, String)>, (usize, String)> {
    let mut variables: Vec<(String, String)> = Vec::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let wrong = |why: &str| (number, why.to_owned());
        let stripped = line.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t']));
        let line = stripped.unwrap_or(line).trim_start();
        let (name, rest) = line.split_once('=').ok_or_else(|| wrong("there is no `=`"))?;
        let name = name.trim_end();
        if !is_name(name) {
            return Err(wrong("what stands before `=` is not the name of a variable"));
        }
        if variables.iter().any(|(known, _)| known == name) {
            return Err((number, format!("`{name}` is set twice")));
        }
        let value = value(rest.trim_start()).map_err(wrong)?;
        if value.contains('\0') {
            return Err(wrong("a variable cannot have the character U+0000"));
        }
        variables.push((name.to_owned(), value));
    }
    Ok(variables)
}

fn is_name(name: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.starts_with(|c: char| c.is_ascii_digit()) && !name.is_empty() && name.chars().all(is_inner)
}

fn value(text: &str) -> Result<String, &'static str> {
    match text.chars().next() {
        Some('\'') => {
            let (value, rest) = text[1..].split_once('\'').ok_or("a quote does not end on this line")?;
            ended(rest).map(|()| value.to_owned())
        }
        Some('"') => double_quoted(&text[1..]),
        _ => {
            // A comment starts after a space, because a value may have a `#`.
            let end = text
                .char_indices()
                .find(|(at, c)| *c == '#' && (*at == 0 || text[..*at].ends_with([' ', '\t'])));
            let value = end.map_or(text, |(at, _)| &text[..at]).trim_end();
            if value.contains('$') { Err(NO_VARIABLES) } else { Ok(value.to_owned()) }
        }
    }
}

const NO_VARIABLES: &str = "`$` is not replaced here; in single quotes a value is taken as it is";

fn double_quoted(text: &str) -> Result<String, &'static str> {
    let (mut value, mut chars) = (String::new(), text.chars());
    loop {
        match chars.next().ok_or("a quote does not end on this line")? {
            '"' => return ended(chars.as_str()).map(|()| value),
            '$' => return Err(NO_VARIABLES),
            '\\' => value.push(match chars.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(c @ ('\\' | '"' | '$' | '\'')) => c,
                _ => return Err("an unknown escape; the known ones are \\n, \\r, \\t, \\\\, \\\" and \\$"),
            }),
            c => value.push(c),
        }
    }
}

/// Checks what follows a quote.
fn ended(rest: &str) -> Result<(), &'static str> {
    let rest = rest.trim_start();
    if rest.is_empty() || rest.starts_with('#') { Ok(()) } else { Err("something follows the closing quote") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_as_a_shell_would() {
        let text = "\u{feff}# keys\n\nA=1\nexport B = two words # comment\r\nC='a $b #c'\nD=\"x\\n\\\"y\\\" \\$z\" # d\nE=\nF=a#b\nexported=1\n";
        let expected = [
            ("A", "1"),
            ("B", "two words"),
            ("C", "a $b #c"),
            ("D", "x\n\"y\" $z"),
            ("E", ""),
            ("F", "a#b"),
            ("exported", "1"),
        ];
        let expected: Vec<_> = expected.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        assert_eq!(parse(text).unwrap(), expected);
    }

    #[test]
    fn a_mistake_is_its_line_and_never_a_value() {
        for text in [
            "secret",
            "=secret",
            "1A=secret",
            "A B=secret",
            "A='secret",
            "A=\"secret",
            "A='secret' more",
            "A=\"se\\cret\"",
            "A=$secret",
            "A=\"$secret\"",
            "A=1\nA=secret",
            "A=\0secret",
        ] {
            let (line, why) = parse(&format!("# one\n{text}")).unwrap_err();
            assert_eq!(line, 1 + text.lines().count(), "{text}");
            assert!(!why.contains("secret"), "{why}");
        }
    }
}
