//! Classes from `view.css`.

use super::rows::TableRow;

/// Number of fields with a colour and a switch of their own in `view.css`: twelve colours, each
/// with a solid and a dashed line. All further fields share one.
pub(super) const OWN: usize = 24;

/// The class of a field's marks, rows and switch.
pub(super) fn class(field: usize) -> String {
    format!("f{}", field.min(OWN))
}

/// The class of a row by its confidence, with a leading space; empty if the row is not shaded.
pub(super) fn sureness_class(row: &TableRow) -> &'static str {
    match row.confidence {
        Some(..0.5) => " q0",
        Some(0.5..0.8) => " q1",
        Some(0.8..0.95) => " q2",
        _ => "",
    }
}

/// The class of a block or a part of a table that is lower than most, with a leading space.
/// `height` is in lines or rows.
pub(super) fn height_class(height: usize) -> &'static str {
    match height {
        0..15 => " h1",
        15..25 => " h2",
        25..35 => " h3",
        _ => "",
    }
}
