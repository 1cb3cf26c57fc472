//! The keywords of a subschema, split into those about the value itself and those that apply other
//! schemas. `type` and `properties` have forms of their own, because they decide most values.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use jsonschema::Validator;
use serde_json::{Map, Value};

use crate::schema::{DECIMAL, constraint::CONSTRAINTS, validator_options};

/// Keywords about the value itself beside the table of constraints. The validator checks all of
/// them without any other schema.
const OTHERS: [&str; 6] =
    ["type", "contentEncoding", "contentMediaType", "required", "dependentRequired", DECIMAL];

/// Keywords about the value itself.
pub(super) fn own_keywords() -> impl Iterator<Item = &'static str> {
    OTHERS.into_iter().chain(CONSTRAINTS.iter().map(|row| row.keyword))
}

/// Keywords that apply other schemas. Those about unevaluated parts come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ApplicatorKeyword {
    Ref,
    DynamicRef,
    AllOf,
    AnyOf,
    OneOf,
    Not,
    If,
    /// `dependentSchemas` and `dependencies` together.
    DependentSchemas,
    /// `properties`, `patternProperties` and `additionalProperties` together.
    Entries,
    PropertyNames,
    /// `prefixItems` and `items` together.
    Elements,
    Contains,
    UnevaluatedProperties,
    UnevaluatedItems,
}

const APPLICATORS: [(&str, ApplicatorKeyword); 18] = [
    ("$ref", ApplicatorKeyword::Ref),
    ("$dynamicRef", ApplicatorKeyword::DynamicRef),
    ("allOf", ApplicatorKeyword::AllOf),
    ("anyOf", ApplicatorKeyword::AnyOf),
    ("oneOf", ApplicatorKeyword::OneOf),
    ("not", ApplicatorKeyword::Not),
    ("if", ApplicatorKeyword::If),
    ("dependentSchemas", ApplicatorKeyword::DependentSchemas),
    ("dependencies", ApplicatorKeyword::DependentSchemas),
    ("properties", ApplicatorKeyword::Entries),
    ("patternProperties", ApplicatorKeyword::Entries),
    ("additionalProperties", ApplicatorKeyword::Entries),
    ("propertyNames", ApplicatorKeyword::PropertyNames),
    ("prefixItems", ApplicatorKeyword::Elements),
    ("items", ApplicatorKeyword::Elements),
    ("contains", ApplicatorKeyword::Contains),
    ("unevaluatedProperties", ApplicatorKeyword::UnevaluatedProperties),
    ("unevaluatedItems", ApplicatorKeyword::UnevaluatedItems),
];

/// One prepared subschema.
#[derive(Debug)]
pub(crate) struct SchemaPlan {
    /// The validator of its own keywords; `None` if it has none.
    pub(super) own: Option<Arc<Validator>>,
    /// The test of its type, if it names one.
    pub(super) type_: Option<TypeTest>,
    /// Whether `type` is the only one of its own keywords.
    pub(super) is_type_only: bool,
    pub(super) applicators: Vec<ApplicatorKeyword>,
    /// The patterns of `patternProperties`, each with its validator.
    pub(super) patterns: Vec<(String, Arc<Validator>)>,
    /// The properties whose values are listed, found when they are first needed.
    pub(crate) tags: OnceLock<Vec<String>>,
}

impl SchemaPlan {
    /// Returns whether a keyword applies another schema to the same value, without a condition.
    pub(crate) fn applies_to_same_value(&self) -> bool {
        use ApplicatorKeyword::{AllOf, AnyOf, DynamicRef, OneOf, Ref};
        self.applicators.iter().any(|one| matches!(one, Ref | DynamicRef | AllOf | AnyOf | OneOf))
    }
}

/// The plans of one schema, built when a value first needs them.
#[derive(Debug, Default)]
pub(crate) struct SchemaPlans {
    made: Mutex<BuiltPlans>,
}

#[derive(Debug, Default)]
struct BuiltPlans {
    /// By the address of the subschema. The schema is kept unchanged as long as its plans.
    plans: HashMap<usize, Arc<SchemaPlan>>,
    /// By the keywords: many subschemas are only `"type": "string"`.
    validators: HashMap<String, Option<Arc<Validator>>>,
}

impl SchemaPlans {
    /// The plan of `schema`, a part of the schema that these plans are for.
    pub(super) fn of(&self, schema: &Map<String, Value>) -> Arc<SchemaPlan> {
        // A panic while the lock is held leaves complete plans.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let address = std::ptr::from_ref(schema).addr();
        if let Some(plan) = made.plans.get(&address) {
            return Arc::clone(plan);
        }
        let plan = Arc::new(made.plan(schema));
        made.plans.insert(address, Arc::clone(&plan));
        plan
    }
}

impl BuiltPlans {
    fn plan(&mut self, schema: &Map<String, Value>) -> SchemaPlan {
        let own: Map<String, Value> = own_keywords()
            .filter_map(|keyword| Some((keyword.to_owned(), schema.get(keyword)?.clone())))
            .collect();
        let mut applicators: Vec<_> = APPLICATORS
            .iter()
            .filter(|(keyword, _)| schema.contains_key(*keyword))
            .map(|(_, one)| *one)
            .collect();
        applicators.dedup();
        let patterns = schema.get("patternProperties").and_then(Value::as_object).into_iter().flatten();
        let patterns = patterns.filter_map(|(pattern, _)| {
            let form = Map::from_iter([("pattern".to_owned(), Value::from(pattern.as_str()))]);
            Some((pattern.clone(), self.validator(form)?))
        });
        let patterns = patterns.collect();
        let is_type_only = own.len() == 1 && own.contains_key("type");
        let type_ = schema.get("type").and_then(named);
        SchemaPlan {
            own: self.validator(own),
            type_,
            is_type_only,
            applicators,
            patterns,
            tags: OnceLock::new(),
        }
    }

    /// `None` if there is nothing to check.
    fn validator(&mut self, keywords: Map<String, Value>) -> Option<Arc<Validator>> {
        if keywords.is_empty() {
            return None;
        }
        let keywords = Value::Object(keywords);
        let compile = || validator_options().build(&keywords).ok().map(Arc::new);
        // The keywords compiled as part of the whole schema, so they compile alone too.
        self.validators.entry(keywords.to_string()).or_insert_with(compile).clone()
    }
}

/// Whether a value is of a type; `None` if the validator has to decide.
pub(super) type TypeTest = fn(&Value) -> Option<bool>;

/// The test for one named type.
fn named(type_: &Value) -> Option<TypeTest> {
    Some(match type_.as_str()? {
        "null" => |value| Some(value.is_null()),
        "boolean" => |value| Some(value.is_boolean()),
        "string" => |value| Some(value.is_string()),
        "array" => |value| Some(value.is_array()),
        "object" => |value| Some(value.is_object()),
        "number" => |value| Some(value.is_number()),
        "integer" => |value| match value {
            // It may be written as `1.0`.
            Value::Number(number) => (!number.is_f64()).then_some(true),
            _ => Some(false),
        },
        _ => return None,
    })
}

/// Returns whether `schema` names one type and `value` has another. This rules out most of a
/// thousand alternatives.
pub(crate) fn is_plainly_wrong(value: &Value, schema: &Value) -> bool {
    schema.get("type").and_then(named).and_then(|type_| type_(value)) == Some(false)
}

/// Maximum number of names that are compared one by one, which is faster than hashing the key.
const MAX_COMPARED: usize = 16;

/// The names and their schemas.
pub(super) enum WalkProperties<'a> {
    Few(Vec<(&'a str, &'a Value)>),
    Many(&'a Map<String, Value>),
}

impl<'a> WalkProperties<'a> {
    pub(super) fn of(named: Option<&'a Map<String, Value>>) -> Self {
        match named {
            Some(named) if named.len() > MAX_COMPARED => Self::Many(named),
            named => {
                Self::Few(named.into_iter().flatten().map(|(name, part)| (name.as_str(), part)).collect())
            }
        }
    }

    /// The schema of `key`. `position` is its position in the object; keys usually have the order
    /// of the schema.
    pub(super) fn get(&self, key: &str, position: usize) -> Option<&'a Value> {
        match self {
            Self::Few(named) => {
                let is_meant = |(name, _): &&(&str, &Value)| *name == key;
                let expected = named.get(position).filter(is_meant);
                expected.or_else(|| named.iter().find(is_meant)).map(|(_, schema)| *schema)
            }
            Self::Many(named) => named.get(key),
        }
    }
}
