//! The colours of fields.

/// How many fields have a colour and a switch of their own in `view.css`: twelve colours, each with a solid and a
/// dashed line. Further ones share one.
pub(super) const OWN: usize = 24;

/// The class of a field's marks, rows and switch.
pub(super) fn class(field: usize) -> String {
    format!("f{}", field.min(OWN))
}
