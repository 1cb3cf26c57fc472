//! Confidences as columns of a table.

use std::collections::HashMap;

use extract::{Path, metrics::Confidences};

/// Which columns a table has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum ParquetColumns {
    /// Those of every table.
    #[default]
    Plain,
    /// The confidence of each leaf as well.
    #[cfg(feature = "parquet")]
    WithConfidence,
}

/// The columns of a table that have the confidence of each column of its values.
///
/// A column that holds several leaves, such as a list, has the confidence of the least sure one. A
/// leaf that is divided between columns, such as a value with its quote, gives them all its own.
///
/// ```
/// use extract::{Confidence, Contract, Path, testing::{ScriptedAgent, block_on}};
/// use extract_bulk::ConfidenceColumns;
///
/// let contract = Contract::from_schema(serde_json::json!({"type": "object"}))?;
/// let agent = ScriptedAgent::new([r#"{"a": 1, "b": 2}"#, r#"{"a": 1, "b": 3}"#]);
/// let extraction = contract.extract(&agent, "…").confidence(Confidence::Samples(2));
/// let (_, metrics) = block_on(extraction)?;
///
/// let columns = ConfidenceColumns::new(["a", "b", "c"].map(|key| Path::root().key(key)));
/// assert_eq!(columns.names(), ["confidence.a", "confidence.b", "confidence.c"]);
/// assert_eq!(columns.row(&metrics.confidences), [Some(1.0), Some(0.5), None]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ConfidenceColumns {
    columns: Vec<Path>,
    numbers: HashMap<Path, usize>,
}

impl ConfidenceColumns {
    /// Creates the columns for values whose columns are at these paths.
    pub fn new(columns: impl IntoIterator<Item = Path>) -> Self {
        let columns: Vec<Path> = columns.into_iter().collect();
        let numbers = columns.iter().enumerate().map(|(number, path)| (path.clone(), number)).collect();
        Self { columns, numbers }
    }

    /// Returns the names: `confidence.total` for `$.total`, and `confidence` for the value itself.
    pub fn names(&self) -> Vec<String> {
        self.columns.iter().map(|path| path.to_string().replacen('$', "confidence", 1)).collect()
    }

    /// Returns the confidence in each column, from 0 to 1; `None` where none is known.
    pub fn row(&self, confidences: &Confidences) -> Vec<Option<f64>> {
        let mut row = vec![None; self.columns.len()];
        let mut lower = |number: usize, confidence: f64| {
            let known: &mut Option<f64> = &mut row[number];
            *known = Some(known.map_or(confidence, |known| known.min(confidence)));
        };
        for leaf in &confidences.leaves {
            let Some(confidence) = leaf.confidence else { continue };
            if let Some(number) = self.around(&leaf.path) {
                lower(number, confidence);
                continue;
            }
            for (number, _) in self.columns.iter().enumerate().filter(|(_, path)| path.is_within(&leaf.path))
            {
                lower(number, confidence);
            }
        }
        row
    }

    /// The innermost column that holds a leaf.
    fn around(&self, leaf: &Path) -> Option<usize> {
        let mut path = Some(leaf.clone());
        while let Some(around) = path {
            if let Some(number) = self.numbers.get(&around) {
                return Some(*number);
            }
            path = around.parent();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_leaf_counts_for_the_innermost_column_around_it_or_for_all_inside() {
        let leaf = |path: &str, confidence: Option<f64>| json!({"path": path, "confidence": confidence, "evidence": {"field": ""}});
        let leaves = json!({"leaves": [
            leaf("$.lines[0].text", Some(0.9)),
            leaf("$.lines[1].text", Some(0.4)),
            leaf("$.lines[2].text", None),
            leaf("$.either.a", Some(0.7)),
            leaf("$.dose", Some(0.3)),
            leaf("$.none", None),
        ]});
        let confidences: Confidences = serde_json::from_value(leaves).unwrap();
        let paths = ["/lines", "/either", "/either/a", "/dose/value", "/dose/quote", "/none", "/a.b"];
        let columns = ConfidenceColumns::new(paths.map(|path| Path::from_pointer(path).unwrap()));
        let expected = [Some(0.4), None, Some(0.7), Some(0.3), Some(0.3), None, None];
        assert_eq!(columns.row(&confidences), expected);
        assert_eq!(columns.names()[2..4], ["confidence.either.a", "confidence.dose.value"]);
        assert_eq!(columns.names()[6], r#"confidence["a.b"]"#);
        let whole = ConfidenceColumns::new([Path::root()]);
        assert_eq!(
            (whole.row(&confidences), whole.names()),
            (vec![Some(0.3)], vec!["confidence".to_owned()])
        );
    }
}
