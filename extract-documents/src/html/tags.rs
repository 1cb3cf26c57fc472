//! Splits HTML into text and tags, and skips everything else.

use super::{
    entities::reference,
    layout::{HtmlText, TagEdge},
};

/// Elements whose content is not text, up to their end tag.
const SILENT: [&str; 7] = ["script", "style", "template", "svg", "iframe", "noembed", "noframes"];

/// Reads `html` into `layout`, from start to end.
pub(super) fn read(html: &str, layout: &mut HtmlText) {
    let mut at = 0;
    while at < html.len() {
        let rest = &html[at..];
        at += match rest.find(['<', '&']) {
            Some(0) => special(html, at, layout),
            Some(next) => text(html, at, at + next, layout),
            None => text(html, at, html.len(), layout),
        };
    }
}

fn text(html: &str, start: usize, end: usize, layout: &mut HtmlText) -> usize {
    for (offset, c) in html[start..end].char_indices() {
        layout.character(c, start + offset..start + offset + c.len_utf8());
    }
    end - start
}

/// Reads the part that starts with `<` or `&`; returns its length.
fn special(html: &str, at: usize, layout: &mut HtmlText) -> usize {
    let rest = &html[at..];
    if rest.starts_with('&') {
        let (c, len) = reference(rest).unwrap_or(('&', 1));
        layout.character(c, at..at + len);
        return len;
    }
    if let Some(comment) = rest.strip_prefix("<!--") {
        return comment.find("-->").map_or(rest.len(), |end| end + 7);
    }
    if rest.starts_with("<!") || rest.starts_with("<?") {
        return rest.find('>').map_or(rest.len(), |end| end + 1);
    }
    let Some((name, edge, len)) = tag(rest) else {
        layout.character('<', at..at + 1);
        return 1;
    };
    if edge == TagEdge::Start && SILENT.contains(&name.as_str()) && !rest[..len].ends_with("/>") {
        return len + end_tag(&rest[len..], &name);
    }
    layout.tag(&name, edge);
    len
}

/// The name of the tag that starts here, its kind, and its length. `None` if `<` is
/// part of the text, as in `a < b`.
fn tag(rest: &str) -> Option<(String, TagEdge, usize)> {
    let inner = rest.strip_prefix('<')?;
    let edge = if inner.starts_with('/') { TagEdge::End } else { TagEdge::Start };
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let name_len = inner.find(|c: char| c.is_whitespace() || c == '/' || c == '>').unwrap_or(inner.len());
    let name = inner[..name_len].to_ascii_lowercase();
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in rest.char_indices() {
        match quote {
            Some(mark) if c == mark => quote = None,
            None if c == '>' => return Some((name, edge, at + 1)),
            // A quotation mark only counts at the start of an attribute value.
            None if matches!(c, '"' | '\'') && before == '=' => quote = Some(c),
            _ => {}
        }
        if !c.is_whitespace() {
            before = c;
        }
    }
    // The tag has no end, so the rest is not text.
    Some((name, edge, rest.len()))
}

/// Returns the length of everything up to and including the end tag of `name`; without one, the
/// length of the rest.
fn end_tag(rest: &str, name: &str) -> usize {
    let mut at = 0;
    while let Some(next) = rest[at..].find("</") {
        at += next;
        let after = &rest[at + 2..];
        let is_it = after.get(..name.len()).is_some_and(|own| own.eq_ignore_ascii_case(name))
            && !after[name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
        if is_it {
            return rest[at..].find('>').map_or(rest.len(), |end| at + end + 1);
        }
        at += 2;
    }
    rest.len()
}
