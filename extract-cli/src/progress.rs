//! The progress of commands that measure by checked documents, and what is left when they are
//! interrupted.

use std::{
    io::{self, IsTerminal as _},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use extract_bulk::ProgressLine;
use extract_gold::EvaluationProgress;

use crate::{
    cache::ReplyCache,
    output::{self, Style},
};

/// Maximum characters of the name of a candidate or of settings, so that the numbers after it are
/// seen.
const MAX_NAME: usize = 40;

/// Shows the progress, and knows the last one.
pub(crate) struct MeasuringProgress {
    style: Style,
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    /// `None` where nothing is shown meanwhile.
    line: Option<ProgressLine>,
    last: EvaluationProgress,
}

impl MeasuringProgress {
    pub(crate) fn new(style: Style) -> Self {
        let line = (!style.is_quiet && !style.is_json).then(ProgressLine::new);
        if line.is_some() {
            output::begin_progress();
        }
        let shared = Shared { line, last: EvaluationProgress::default() };
        Self { style, shared: Arc::new(Mutex::new(shared)) }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The callback of an evaluation or a tuning.
    pub(crate) fn callback(&self) -> impl FnMut(&EvaluationProgress) + Send + 'static {
        let shared = Arc::clone(&self.shared);
        move |progress| {
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            let Shared { line, last } = &mut *shared;
            *last = EvaluationProgress::clone(progress);
            last.name = shortened(&progress.name);
            if let Some(line) = line {
                let (finished, all) = share(last);
                line.show(last, finished, Some(all));
            }
        }
    }

    /// Ends the line of an evaluation that is complete, or says how far an interrupted one came and what
    /// is kept of it.
    pub(crate) fn ended<T>(&self, result: Option<T>, cache: Option<&ReplyCache>) -> Option<T> {
        let Shared { line, last } = &mut *self.shared();
        // Elsewhere than on a terminal the report says it.
        if let Some(line) = line.as_mut().filter(|_| io::stderr().is_terminal()) {
            let (finished, all) = share(last);
            line.end(last, finished, Some(all));
        }
        if let Some(cache) = cache {
            cache.remark();
        }
        if result.is_none() {
            self.style.note(format!("stopped at {last}"));
            self.style.note(match cache {
                Some(cache) => format!(
                    "the replies until now are in `{}`; the same command goes on",
                    output::plain(&cache.path().display().to_string())
                ),
                None => "nothing is kept; with `--cache FILE`, the same command would go on".to_owned(),
            });
        }
        result
    }
}

/// Documents that are finished, and all of those that are known.
fn share(progress: &EvaluationProgress) -> (u64, u64) {
    let before = progress.candidates.map_or(0, |_| progress.number.saturating_sub(1)) * progress.documents;
    let all = progress.candidates.unwrap_or(1) * progress.documents;
    ((before + progress.done + progress.failed) as u64, all as u64)
}

fn shortened(name: &str) -> String {
    let name = output::plain(name).replace(['\n', '\t'], " ");
    match name.char_indices().nth(MAX_NAME) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_candidates_are_part_of_the_bar() {
        let mut progress = EvaluationProgress::default();
        (progress.number, progress.candidates, progress.documents) = (2, Some(3), 40);
        (progress.done, progress.failed) = (5, 1);
        assert_eq!(share(&progress), (46, 120));
        progress.candidates = None;
        assert_eq!(share(&progress), (6, 40));
    }

    #[test]
    fn a_name_is_short_and_cannot_move_the_cursor() {
        assert_eq!(shortened("command:sh -c '\u{1b}[2J\n'"), "command:sh -c '\\u{1b}[2J '");
        assert_eq!(shortened(&"é".repeat(50)).chars().count(), MAX_NAME + 1);
    }
}
