//! Escapes foreign strings as text of a page.

use std::fmt::Write as _;

/// Appends `text` escaped, so that it stays text between tags and in a quoted attribute. Invisible
/// characters that affect their surroundings are shown by their number.
pub(crate) fn push_text(html: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&#34;"),
            '\'' => html.push_str("&#39;"),
            '\n' | '\t' => html.push(c),
            c if c.is_control()
                || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}') =>
            {
                let _ = write!(html, "<i>U+{:04X}</i>", u32::from(c));
            }
            c => html.push(c),
        }
    }
}

/// `text`, escaped in the same way.
pub(crate) fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    push_text(&mut html, text);
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_meaning_in_html_is_text() {
        assert_eq!(
            escaped("<script a='1' b=\"2\">&\u{202e}\r\0</script>\n"),
            "&lt;script a=&#39;1&#39; b=&#34;2&#34;&gt;&amp;<i>U+202E</i><i>U+000D</i><i>U+0000</i>&lt;/script&gt;\n"
        );
    }
}
