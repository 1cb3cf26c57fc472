//! Escapes foreign strings as text of a page.

use std::fmt::Write as _;

/// Appends `text` escaped, so that it stays text between tags and in a quoted attribute.
///
/// A browser shows exactly these characters, except U+0000, which HTML cannot represent and which
/// becomes U+FFFD. Invisible characters that affect their surroundings get a label with their
/// number.
pub(super) fn push_text(html: &mut String, text: &str) {
    let mut plain = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let entity = match c {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&#34;",
            '\'' => "&#39;",
            // A parser turns a bare carriage return into a line feed.
            '\r' if chars.peek().is_some_and(|(_, next)| *next == '\n') => "&#13;",
            c if is_hidden(c) => {
                html.push_str(&text[plain..at]);
                let mut end = at + c.len_utf8();
                while let Some((_, same)) = chars.next_if(|(_, next)| *next == c && c != '\r') {
                    end += same.len_utf8();
                }
                push_hidden(html, c, &text[at..end]);
                plain = end;
                continue;
            }
            _ => continue,
        };
        html.push_str(&text[plain..at]);
        html.push_str(entity);
        plain = at + c.len_utf8();
    }
    html.push_str(&text[plain..]);
}

/// Appends a run of one hidden character with its label, which the style sheet shows.
fn push_hidden(html: &mut String, c: char, run: &str) {
    let _ = write!(html, "<i data-c=U+{:04X}>", u32::from(c));
    match c {
        '\0' => html.extend(run.chars().map(|_| '\u{fffd}')),
        '\r' => html.push_str("&#13;"),
        _ => html.push_str(run),
    }
    html.push_str("</i>");
}

/// Returns whether `c` is a control character, or one that reorders text, breaks lines or is
/// invisible. Direction marks, joiners and soft hyphens are common in honest text and get no label.
fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

/// The characters that a browser shows for `html`, if it has only the tags of this module. For
/// tests.
#[cfg(test)]
pub(super) fn shown(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        text.push_str(&rest[..at]);
        let end = if rest[at..].starts_with('<') { '>' } else { ';' };
        let (token, after) = rest[at..].split_once(end).expect("every token ends");
        text.push_str(match token {
            "&amp" => "&",
            "&lt" => "<",
            "&gt" => ">",
            "&#34" => "\"",
            "&#39" => "'",
            "&#13" => "\r",
            tag if tag.starts_with('<') => "",
            other => panic!("unknown entity {other}"),
        });
        rest = after;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        let mut html = String::new();
        push_text(&mut html, text);
        html
    }

    #[test]
    fn what_has_a_meaning_in_html_is_text() {
        assert_eq!(
            escaped("<script>alert('x & \"y\"')</script>]]>"),
            "&lt;script&gt;alert(&#39;x &amp; &#34;y&#34;&#39;)&lt;/script&gt;]]&gt;"
        );
        assert_eq!(escaped("größe\t日本\n"), "größe\t日本\n");
    }

    #[test]
    fn what_cannot_be_seen_has_a_label() {
        assert_eq!(escaped("a\u{202e}\u{202e}b"), "a<i data-c=U+202E>\u{202e}\u{202e}</i>b");
        assert_eq!(escaped("a\0b"), "a<i data-c=U+0000>\u{fffd}</i>b");
        assert_eq!(escaped("a\r\nb\rc\r"), "a&#13;\nb<i data-c=U+000D>&#13;</i>c<i data-c=U+000D>&#13;</i>");
        assert_eq!(escaped("می\u{200c}خواهم soft\u{ad}hyphen"), "می\u{200c}خواهم soft\u{ad}hyphen");
    }

    #[test]
    fn every_text_is_shown_as_it_is() {
        let parts = [
            "<", "&", "a", "\r", "\n", "\r\n", "\u{202e}", "\u{1}", "\"", "é", "&lt;", "\u{85}", "]]>",
            "<!--",
        ];
        for a in parts {
            for b in parts {
                for c in parts {
                    let text = [a, b, c].concat();
                    assert_eq!(shown(&escaped(&text)), text, "{text:?}");
                }
            }
        }
    }
}
