//! Small things done to strings in messages.

use std::any::Any;

/// The first `most` of `items` in one line, and the number of further ones.
pub(crate) fn listed(items: &[String], most: usize) -> String {
    let first = items[..items.len().min(most)].join("; ");
    if items.len() > most { format!("{first}; and {} more", items.len() - most) } else { first }
}

/// What a caught panic said.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a message")
}
