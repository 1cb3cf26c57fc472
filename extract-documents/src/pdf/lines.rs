//! Builds words and lines from placed pieces of text.
//!
//! A PDF has no reliable spaces and lines. It places pieces of text, often single words or letters.
//! Pieces are joined in the order in which they are drawn, which is the reading order in nearly all
//! files that programs write.

/// A piece of text with its position on the page, in page units.
pub(super) struct Piece<'t> {
    pub(super) text: &'t str,
    pub(super) start: (f32, f32),
    /// Where the next piece would start without a gap.
    pub(super) end: (f32, f32),
    /// The writing direction, as a vector of length 1.
    pub(super) direction: (f32, f32),
    /// The height of letters.
    pub(super) size: f32,
}

/// Gaps wider than this, in heights of letters, are spaces. In common fonts a space is 0.25 to 0.33
/// heights wide, and kerning stays below 0.1.
const SPACE: f32 = 0.15;

/// Maximum distance of a piece above or below its line, in heights: superscripts stay on their
/// line.
const SAME_LINE: f32 = 0.5;

/// How far back on its line a piece may start, in heights. A piece further back is in another
/// column or line.
const BACK: f32 = 1.0;

/// Lines further apart than this, in heights, belong to different paragraphs. Lines of one
/// paragraph are 1.0 to 1.5 apart.
const PARAGRAPH: f32 = 1.75;

/// The text of a page that has been drawn so far.
#[derive(Default)]
pub(super) struct PageLines {
    text: String,
    last: Option<Last>,
}

/// The properties of the last piece that matter for the next.
struct Last {
    end: (f32, f32),
    size: f32,
}

impl PageLines {
    pub(super) fn push(&mut self, piece: &Piece<'_>) {
        if piece.text.is_empty() {
            return;
        }
        if let Some(last) = &self.last {
            self.text.push_str(separator(last, piece, &self.text));
        }
        self.text.push_str(piece.text);
        self.last = Some(Last { end: piece.end, size: piece.size });
    }

    /// Bytes so far.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    /// The text, without trailing whitespace on its lines.
    pub(super) fn finish(self) -> String {
        let mut text = String::with_capacity(self.text.len());
        for line in self.text.lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.truncate(text.trim_end().len());
        text
    }
}

/// The separator between two pieces.
fn separator(last: &Last, piece: &Piece<'_>, before: &str) -> &'static str {
    let size = last.size.max(piece.size).max(f32::MIN_POSITIVE);
    let (x, y) = (piece.start.0 - last.end.0, piece.start.1 - last.end.1);
    let (right, up) = piece.direction;
    let along = (x * right + y * up) / size;
    let across = (y * right - x * up).abs() / size;
    let is_same_line = across < SAME_LINE && along > -BACK;
    if !is_same_line {
        return if across > PARAGRAPH { "\n\n" } else { "\n" };
    }
    let is_spaced = before.ends_with(char::is_whitespace) || piece.text.starts_with(char::is_whitespace);
    if along > SPACE && !is_spaced { " " } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Joins pieces of letters 10 high and 5 wide, each with its position.
    fn joined(pieces: &[(&str, f32, f32)]) -> String {
        let mut lines = PageLines::default();
        for &(text, x, y) in pieces {
            let end = (x + 5.0 * f32::from(u8::try_from(text.len()).unwrap()), y);
            lines.push(&Piece { text, start: (x, y), end, direction: (1.0, 0.0), size: 10.0 });
        }
        lines.finish()
    }

    #[test]
    fn gaps_are_spaces_and_steps_are_lines() {
        assert_eq!(joined(&[("Rent", 0.0, 100.0), ("al", 20.5, 100.0)]), "Rental");
        assert_eq!(joined(&[("Rent", 0.0, 100.0), ("is", 22.5, 100.0)]), "Rent is");
        assert_eq!(joined(&[("Rent ", 0.0, 100.0), ("is", 28.0, 100.0)]), "Rent is");
        assert_eq!(joined(&[("m", 0.0, 100.0), ("2", 5.0, 104.0), ("of", 12.0, 100.0)]), "m2 of");
        assert_eq!(
            joined(&[("one", 0.0, 100.0), ("two", 0.0, 88.0), ("three", 0.0, 60.0)]),
            "one\ntwo\n\nthree"
        );
        // Another column, at the same height.
        assert_eq!(joined(&[("right", 300.0, 100.0), ("left", 0.0, 100.0)]), "right\nleft");
    }

    #[test]
    fn turned_text_has_its_own_lines() {
        let mut lines = PageLines::default();
        for (text, y) in [("up", 0.0), ("wards", 13.0)] {
            let end = (50.0, y + 5.0 * f32::from(u8::try_from(text.len()).unwrap()));
            lines.push(&Piece { text, start: (50.0, y), end, direction: (0.0, 1.0), size: 10.0 });
        }
        assert_eq!(lines.finish(), "up wards");
    }
}
