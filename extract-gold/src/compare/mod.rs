//! Compares an extracted value with the right one, leaf by leaf.

mod align;
mod decimal;
mod equal;
mod keys;

use std::{collections::HashMap, fmt, sync::Arc};

use extract::{Contract, Path};
use serde::Serialize;
use serde_json::Value;

pub(crate) use self::align::aligned;
use self::{equal::is_other_form, keys::RowKeys};
use crate::ratio::share;

pub use self::equal::Tolerance;

/// What became of one leaf of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LeafOutcome {
    /// The right value.
    Right,
    /// Rightly nothing: absent or `null` in both.
    RightlyAbsent,
    /// There is a value, and it was not found; or there is no answer at all.
    Missing,
    /// A value was given where there is none.
    Invented,
    /// Another value.
    OtherValue,
    /// The same value in another form, such as `"19.90"` for 19.9 or another case. Not right, but
    /// an instruction or a [`Tolerance`] cures it.
    OtherForm,
}

impl LeafOutcome {
    /// Returns whether the leaf is as it should be.
    pub fn is_right(self) -> bool {
        matches!(self, Self::Right | Self::RightlyAbsent)
    }
}

impl fmt::Display for LeafOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Right => "right",
            Self::RightlyAbsent => "rightly absent",
            Self::Missing => "missing",
            Self::Invented => "invented",
            Self::OtherValue => "another value",
            Self::OtherForm => "another form",
        })
    }
}

/// One leaf of the right value, of the extracted value, or of both.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LeafComparison {
    /// Name of the field: its path without the numbers of list elements, as `lines[].quantity`.
    pub field: String,
    /// Path in the right value; in the extracted value if there is nothing in the right one.
    pub path: Path,
    /// The right leaf; `null` for none.
    pub gold: Value,
    /// The extracted leaf; `null` for none.
    pub extracted: Value,
    /// What it is.
    pub outcome: LeafOutcome,
}

/// How values are compared: what counts as equal, and which rows of a list belong together.
///
/// Objects are compared member by member; a member that is absent is the same as `null`. A list is
/// a set of rows: each row of one value is compared with at most one of the other. Rows with the
/// same key belong together, where the type has [keys](https://docs.rs/extractable); of the others,
/// those that share most leaves, the best pair first. The order of rows does not count.
///
/// ```
/// use extract_gold::{LeafOutcome, ValueComparer};
/// use serde_json::json;
///
/// let gold = json!({"lines": [{"sku": "A", "n": 1}, {"sku": "B", "n": 2}]});
/// let leaves = ValueComparer::new().compare(&gold, &json!({"lines": [{"sku": "B", "n": 3}, {"sku": "A", "n": 1}]}));
/// let wrong: Vec<_> = leaves.iter().filter(|leaf| !leaf.outcome.is_right()).collect();
/// assert_eq!(wrong.len(), 1);
/// assert_eq!((wrong[0].field.as_str(), wrong[0].outcome), ("lines[].n", LeafOutcome::OtherValue));
/// ```
#[derive(Clone, Default)]
pub struct ValueComparer {
    everywhere: Tolerance,
    by_field: HashMap<String, Tolerance>,
    keys: RowKeys,
    equality: HashMap<String, Equality>,
}

type Equality = Arc<dyn Fn(&Value, &Value) -> bool + Send + Sync>;

impl fmt::Debug for ValueComparer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueComparer")
            .field("everywhere", &self.everywhere)
            .field("by_field", &self.by_field)
            .field("keys", &self.keys)
            .finish_non_exhaustive()
    }
}

impl ValueComparer {
    /// Creates a comparer for which only the same values are equal.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a comparer that knows the keys of the contract's lists.
    pub fn of(contract: &Contract) -> Self {
        Self { keys: RowKeys::of(contract.schema()), ..Self::default() }
    }

    /// Adds the keys of the contract's lists.
    pub(crate) fn keyed_by(mut self, contract: &Contract) -> Self {
        self.keys.extend(RowKeys::of(contract.schema()));
        self
    }

    /// Sets what is tolerated in fields that have no tolerance of their own.
    #[must_use]
    pub fn tolerance(mut self, tolerance: Tolerance) -> Self {
        self.everywhere = tolerance;
        self
    }

    /// Sets what is tolerated in one field, named as in [`LeafComparison::field`].
    #[must_use]
    pub fn field(mut self, field: impl Into<String>, tolerance: Tolerance) -> Self {
        self.by_field.insert(field.into(), tolerance);
        self
    }

    /// Sets when two leaves of one field are equal, by a function of the right leaf and the
    /// extracted one.
    #[must_use]
    pub fn equal_if(
        mut self,
        field: impl Into<String>,
        equal: impl Fn(&Value, &Value) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.equality.insert(field.into(), Arc::new(equal));
        self
    }

    /// Sets the members that tell the rows of a list apart, as `.keys("lines", ["sku"])`. The list
    /// is named as in [`LeafComparison::field`], the root `""`.
    #[must_use]
    pub fn keys<K: Into<String>>(
        mut self,
        list: impl Into<String>,
        keys: impl IntoIterator<Item = K>,
    ) -> Self {
        self.keys.insert(list.into(), keys.into_iter().map(Into::into).collect());
        self
    }

    /// Returns the comparer whose first value is the extracted one.
    pub(crate) fn reversed(&self) -> Self {
        let reversed = |(field, equal): (&String, &Equality)| {
            let equal = Arc::clone(equal);
            (
                field.clone(),
                Arc::new(move |extracted: &Value, gold: &Value| equal(gold, extracted)) as Equality,
            )
        };
        Self { equality: self.equality.iter().map(reversed).collect(), ..self.clone() }
    }

    /// Compares every leaf. An empty list or object has none, unless the other value has some.
    pub fn compare(&self, gold: &Value, extracted: &Value) -> Vec<LeafComparison> {
        let mut leaves = Vec::new();
        self.walk(&ComparedPlace::root(), gold, extracted, &mut leaves);
        leaves
    }

    /// Compares with nothing, because there is no answer: every leaf is missing, also one that is
    /// rightly absent, and a value without leaves is missing as a whole.
    pub(crate) fn compare_without_answer(&self, gold: &Value) -> Vec<LeafComparison> {
        let mut leaves = self.compare(gold, NOTHING);
        if leaves.is_empty() {
            leaves.push(self.leaf(&ComparedPlace::root(), gold, NOTHING));
        }
        for leaf in &mut leaves {
            leaf.outcome = LeafOutcome::Missing;
        }
        leaves
    }

    fn walk(&self, place: &ComparedPlace, gold: &Value, extracted: &Value, leaves: &mut Vec<LeafComparison>) {
        match (gold, extracted) {
            (Value::Object(_), Value::Object(_) | Value::Null) | (Value::Null, Value::Object(_)) => {
                self.walk_members(place, gold, extracted, leaves);
            }
            (Value::Array(_), Value::Array(_) | Value::Null) | (Value::Null, Value::Array(_)) => {
                self.walk_rows(place, gold, extracted, leaves);
            }
            // Values of two kinds: nothing of the one is in the other.
            (Value::Object(_) | Value::Array(_), _) | (_, Value::Object(_) | Value::Array(_)) => {
                self.walk(place, gold, &Value::Null, leaves);
                self.walk(place, &Value::Null, extracted, leaves);
            }
            _ => leaves.push(self.leaf(place, gold, extracted)),
        }
    }

    fn walk_members(
        &self,
        place: &ComparedPlace,
        gold: &Value,
        extracted: &Value,
        leaves: &mut Vec<LeafComparison>,
    ) {
        for (key, gold) in gold.as_object().into_iter().flatten() {
            self.walk(&place.member(key), gold, extracted.get(key).unwrap_or(NOTHING), leaves);
        }
        for (key, extracted) in extracted.as_object().into_iter().flatten() {
            if gold.get(key).is_none() {
                self.walk(&place.member(key), NOTHING, extracted, leaves);
            }
        }
    }

    fn walk_rows(
        &self,
        place: &ComparedPlace,
        gold: &Value,
        extracted: &Value,
        leaves: &mut Vec<LeafComparison>,
    ) {
        fn rows(value: &Value) -> &[Value] {
            value.as_array().map(Vec::as_slice).unwrap_or_default()
        }
        fn at(list: &Value, index: Option<usize>) -> &Value {
            index.and_then(|index| list.get(index)).unwrap_or(NOTHING)
        }
        let keys = self.keys_of(place);
        let likeness = |left: &Value, right: &Value| self.likeness(&place.row(0), left, right);
        for (left, right) in aligned(rows(gold), rows(extracted), keys, likeness) {
            let row = place.row(left.or(right).unwrap_or_default());
            self.walk(&row, at(gold, left), at(extracted, right), leaves);
        }
    }

    /// Returns the keys of the rows of a list.
    pub(crate) fn keys_of(&self, list: &ComparedPlace) -> Option<&[String]> {
        self.keys.get(&list.field)
    }

    /// Returns the share of leaves that are right, of all that one of the two rows has.
    pub(crate) fn likeness(&self, place: &ComparedPlace, gold: &Value, extracted: &Value) -> f64 {
        let mut leaves = Vec::new();
        self.walk(place, gold, extracted, &mut leaves);
        leaves.retain(|leaf| leaf.outcome != LeafOutcome::RightlyAbsent);
        let right = leaves.iter().filter(|leaf| leaf.outcome.is_right()).count();
        share(right, leaves.len())
    }

    fn leaf(&self, place: &ComparedPlace, gold: &Value, extracted: &Value) -> LeafComparison {
        let outcome = match (gold, extracted) {
            (Value::Null, Value::Null) => LeafOutcome::RightlyAbsent,
            (_, Value::Null) => LeafOutcome::Missing,
            (Value::Null, _) => LeafOutcome::Invented,
            _ if self.is_equal(&place.field, gold, extracted) => LeafOutcome::Right,
            _ if is_other_form(gold, extracted) => LeafOutcome::OtherForm,
            _ => LeafOutcome::OtherValue,
        };
        LeafComparison {
            field: place.field.clone(),
            path: place.path.clone(),
            gold: gold.clone(),
            extracted: extracted.clone(),
            outcome,
        }
    }

    fn is_equal(&self, field: &str, gold: &Value, extracted: &Value) -> bool {
        if let Some(equal) = self.equality.get(field) {
            return equal(gold, extracted);
        }
        self.by_field.get(field).unwrap_or(&self.everywhere).allows(gold, extracted)
    }
}

/// What stands where the other value has something.
const NOTHING: &Value = &Value::Null;

/// Where the walk is.
pub(crate) struct ComparedPlace {
    pub(crate) path: Path,
    pub(crate) field: String,
}

impl ComparedPlace {
    pub(crate) fn root() -> Self {
        Self { path: Path::root(), field: String::new() }
    }

    pub(crate) fn member(&self, key: &str) -> Self {
        let dot = if self.field.is_empty() { "" } else { "." };
        Self { path: self.path.clone().key(key), field: format!("{}{dot}{key}", self.field) }
    }

    pub(crate) fn row(&self, index: usize) -> Self {
        Self { path: self.path.clone().index(index), field: format!("{}[]", self.field) }
    }
}

#[cfg(test)]
mod tests;
