//! Classes of `view.css`.

/// How many fields have a colour and a switch of their own in `view.css`: twelve colours, each with a solid and a
/// dashed line. Further ones share one.
pub(super) const OWN: usize = 24;

/// The class of a field's marks, rows and switch.
pub(super) fn class(field: usize) -> String {
    format!("f{}", field.min(OWN))
}

/// The class of a block or of a part of a table that is not as high as most are, in lines or rows, with a space
/// before it.
pub(super) fn height_class(height: usize) -> &'static str {
    match height {
        0..15 => " h1",
        15..25 => " h2",
        25..35 => " h3",
        _ => "",
    }
}
