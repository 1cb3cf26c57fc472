//! The numbers that a form shows.

use serde_json::Value;

/// The prices of the first lines.
#[derive(Default)]
pub(crate) struct Shown([Option<Value>; 20]);

impl Shown {
    /// Returns how many prices have changed.
    pub(crate) fn changes(&mut self, get: impl Fn(&str) -> Option<Value>) -> u64 {
        let mut changes = 0;
        for (index, shown) in self.0.iter_mut().enumerate() {
            let Some(price) = get(&format!("/lines/{index}/unit_price")).filter(|price| !price.is_null())
            else {
                break;
            };
            changes += u64::from(shown.as_ref().is_some_and(|shown| *shown != price));
            *shown = Some(price);
        }
        changes
    }
}
