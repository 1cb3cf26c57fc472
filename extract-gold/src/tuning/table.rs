//! A tuning as text.

use std::fmt;

use super::result::{Tuning, TuningEnd, TuningReport, TuningVerdict};

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} trials, chosen on {} documents", self.trials.len(), self.chosen_on)?;
        for trial in &self.trials {
            writeln!(f, "  {:32}  {}", trial.verdict, trial.settings)?;
        }
        if self.ended == TuningEnd::Budget {
            writeln!(f, "the budget ended before everything was tried")?;
        }
        writeln!(f, "chosen: {}", self.chosen)?;
        match &self.report {
            Some(report) => report.fmt(f)?,
            None if self.chosen.is_default() => {
                writeln!(f, "no difference: nothing did better by more than noise")?;
            }
            None => writeln!(
                f,
                "not reported: the budget was used up before the other documents were asked about"
            )?,
        }
        write!(f, "{} requests, {}", self.requests, self.usage)?;
        match &self.cost {
            Some(cost) => writeln!(f, ", cost {cost}"),
            None => writeln!(f),
        }
    }
}

impl fmt::Display for TuningReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { baseline, tuned, difference } = self;
        let documents = tuned.documents.len();
        writeln!(f, "on {documents} other documents:")?;
        writeln!(f, "  fields right as it was  {}, {} tokens", baseline.exact, baseline.usage.total())?;
        writeln!(f, "  fields right tuned      {}, {} tokens", tuned.exact, tuned.usage.total())?;
        writeln!(f, "  {difference}")?;
        if self.is_better() {
            Ok(())
        } else {
            writeln!(f, "no difference by more than noise: keep the settings as they are")
        }
    }
}

impl fmt::Display for TuningVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Kept => "kept",
            Self::Surpassed => "better, but another was best",
            Self::Noise => "no difference by more than noise",
            Self::Worse => "worse",
            Self::Unfinished => "not finished",
        })
    }
}
