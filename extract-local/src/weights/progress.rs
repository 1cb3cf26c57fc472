//! Progress bars on standard error, if that is a terminal.

use std::{borrow::Cow, time::Duration};

use indicatif::{ProgressBar, ProgressStyle};

/// A bar up to `total` bytes. Nothing is drawn unless standard error is a terminal.
pub(super) fn bytes(total: u64, message: impl Into<Cow<'static, str>>) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(total).with_style(style).with_message(message)
}

/// Shows that the process waits.
pub(super) fn spinner(message: String) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(message);
    spinner.enable_steady_tick(Duration::from_millis(200));
    spinner
}
