//! An evaluation as text.

use std::fmt;

use super::{
    result::{CandidateResult, Evaluation, PairedDifference},
    score::Score,
};

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for candidate in &self.candidates {
            candidate.fmt(f)?;
        }
        for difference in &self.differences {
            writeln!(f, "{difference}")?;
        }
        Ok(())
    }
}

impl fmt::Display for CandidateResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(error) = &self.agent_error {
            return writeln!(f, "{}: could not be asked: {error}\n", self.name);
        }
        let documents = match self.documents.len() {
            1 => "1 document".to_owned(),
            count => format!("{count} documents"),
        };
        writeln!(f, "{}: {documents}, {} failed", self.name, self.failures)?;
        writeln!(f, "  fields right     {}", self.exact)?;
        writeln!(f, "  documents right  {}", self.exact_documents)?;
        for (number, share) in (1..).zip(&self.conforming) {
            writeln!(f, "  conforming       {share} after {}", attempts(number))?;
        }
        write!(f, "  {}, {:.1} s", self.usage, self.elapsed.as_secs_f64())?;
        match &self.cost {
            Some(cost) => writeln!(f, ", cost {cost}")?,
            None => writeln!(f)?,
        }
        let width =
            self.fields.iter().map(|field| shown(&field.field).chars().count()).max().unwrap_or_default();
        let width = width.max("field".len());
        writeln!(
            f,
            "  {:width$}  right     of  precision  recall  missing  invented  other value  other form",
            "field"
        )?;
        for field in &self.fields {
            row(f, width, shown(&field.field), &field.score)?;
        }
        if self.fields.len() > 1 {
            row(f, width, "(all)", &self.score)?;
        }
        writeln!(f)
    }
}

/// A line of the table of fields.
fn row(f: &mut fmt::Formatter<'_>, width: usize, name: &str, score: &Score) -> fmt::Result {
    writeln!(
        f,
        "  {name:width$}  {:5}  {:5}  {:>9}  {:>6}  {:7}  {:8}  {:11}  {:10}",
        score.right,
        score.total(),
        share_or_dash(score.precision()),
        share_or_dash(score.recall()),
        score.missing,
        score.invented,
        score.other_value,
        score.other_form,
    )
}

fn attempts(number: u32) -> String {
    if number == 1 { "1 attempt".to_owned() } else { format!("{number} attempts") }
}

/// A share, and a dash for a share of nothing.
pub(super) fn share_or_dash(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"))
}

/// The whole value has no name.
fn shown(field: &str) -> &str {
    if field.is_empty() { "(value)" } else { field }
}

impl fmt::Display for PairedDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = if self.is_noise() { "noise" } else { "more than noise" };
        write!(
            f,
            "{} against {}: {:+.3} [{:+.3}, {:+.3}], {} documents better, {} worse: {verdict}",
            self.candidate,
            self.baseline,
            self.difference.value,
            self.difference.low,
            self.difference.high,
            self.better,
            self.worse,
        )
    }
}
