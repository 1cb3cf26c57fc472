//! Writes values as the scanner reads them.

use std::io;

use serde::Serialize;
use serde_json::{
    Serializer,
    ser::{CharEscape, CompactFormatter, Formatter},
};

/// `value` as strict JSON, without the escapes that are never meant when a model writes them.
pub(crate) fn written(value: &impl Serialize) -> String {
    let mut bytes = Vec::new();
    // Every value can be written as JSON, and writing to memory does not fail.
    let is_written = value.serialize(&mut Serializer::with_formatter(&mut bytes, CodePoints)).is_ok();
    if is_written { String::from_utf8(bytes).unwrap_or_default() } else { String::new() }
}

/// Writes a backspace and a form feed as code points.
struct CodePoints;

impl Formatter for CodePoints {
    fn write_char_escape<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        match escape {
            CharEscape::Backspace => writer.write_all(b"\\u0008"),
            CharEscape::FormFeed => writer.write_all(b"\\u000c"),
            escape => CompactFormatter.write_char_escape(writer, escape),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backspace_and_a_form_feed_are_code_points() {
        assert_eq!(written(&"a\u{8}\u{c}\n\\b\u{1}"), r#""a\u0008\u000c\n\\b\u0001""#);
    }
}
