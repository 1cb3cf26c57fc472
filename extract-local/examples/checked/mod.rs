//! Documents of one schema whose right values are known.

use std::{collections::HashMap, error::Error, fs, path::Path};

use extract::Contract;
use extract_gold::{GoldDocument, GoldSet, ValueComparer};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A line of a file in `benches/documents`.
#[derive(Deserialize)]
pub(crate) struct CheckedLine {
    id: String,
    text: String,
    pub(crate) instruction: String,
    json_schema: Value,
    gold: Value,
    /// For each field, other values that are right.
    #[serde(default)]
    gold_any: Map<String, Value>,
}

/// Reads documents, and the contract that they share.
pub(crate) fn read(path: &Path) -> Result<(Vec<CheckedLine>, Contract), Box<dyn Error>> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("`{shown}`: {error}"))?;
    let lines: Vec<CheckedLine> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let first = lines.first().ok_or_else(|| format!("`{shown}` is empty"))?;
    if let Some(other) = lines.iter().position(|line| line.json_schema != first.json_schema) {
        return Err(format!(
            "line {} of `{shown}` has another schema than line 1: worked examples and a calibration are for one schema",
            other + 1
        )
        .into());
    }
    let contract = Contract::from_schema(first.json_schema.clone())?;
    Ok((lines, contract))
}

/// The lines as a gold set.
pub(crate) fn documents(lines: &[CheckedLine]) -> GoldSet {
    GoldSet::from_documents(
        lines
            .iter()
            .map(|line| GoldDocument::new(line.text.as_str(), line.gold.clone()).with_key(line.id.as_str())),
    )
}

/// Accepts, for each right value of a field, the other ones that some document lists for it.
pub(crate) fn comparer(contract: &Contract, lines: &[CheckedLine]) -> ValueComparer {
    let mut accepted: HashMap<&str, Vec<(Value, Vec<Value>)>> = HashMap::new();
    for line in lines {
        for (field, all) in &line.gold_any {
            if let (Some(right), Value::Array(all)) = (line.gold.get(field), all) {
                accepted.entry(field).or_default().push((right.clone(), all.clone()));
            }
        }
    }
    accepted.into_iter().fold(ValueComparer::of(contract), |comparer, (field, accepted)| {
        comparer.equal_if(field, move |right, extracted| {
            let is_listed = |(of, all): &(Value, Vec<Value>)| of == right && all.contains(extracted);
            right == extracted || accepted.iter().any(is_listed)
        })
    })
}
