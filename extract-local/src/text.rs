//! Helpers for strings in messages.

use std::any::Any;

/// The first `most` of `items` on one line, and the number of the others.
pub(crate) fn listed(items: &[String], most: usize) -> String {
    let first = items[..items.len().min(most)].join("; ");
    if items.len() > most { format!("{first}; and {} more", items.len() - most) } else { first }
}

/// The message of a caught panic.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic without a message")
}
