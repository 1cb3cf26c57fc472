//! The keys of maps. llguidance has no `propertyNames`, but supports names and patterns.

use extract::{
    Path,
    schema::dialect::{follow_references, is_annotation},
};
use serde_json::{Map, Value, json};

use super::{BEYOND, Translator};

/// The allowed keys of a map.
enum MapKeyRule {
    Names(Vec<String>),
    Pattern(String),
}

impl Translator<'_> {
    /// Translates the `propertyNames` among `keywords`, if possible.
    pub(super) fn keys(
        &mut self,
        keywords: &Map<String, Value>,
        translated: &mut Map<String, Value>,
        path: &Path,
    ) {
        let Some(names) = keywords.get("propertyNames").filter(|names| **names != true) else { return };
        let is_map = ["properties", "patternProperties", "required"]
            .iter()
            .all(|name| !translated.contains_key(*name));
        let Some(keys) = self.look(names).filter(|_| is_map) else {
            return self.record_unenforced(path, "propertyNames", BEYOND);
        };
        let values = translated.get("additionalProperties").cloned().unwrap_or(json!(true));
        let is_counted = translated.contains_key("minProperties") || translated.contains_key("maxProperties");
        let (keyword, names) = match keys {
            // As properties they come in order and at most once each, but they cannot be counted.
            MapKeyRule::Names(names) if !is_counted => ("properties", names),
            MapKeyRule::Names(names) => ("patternProperties", vec![any_of(&names)]),
            MapKeyRule::Pattern(pattern) => ("patternProperties", vec![pattern]),
        };
        let properties: Map<_, _> = names.into_iter().map(|name| (name, values.clone())).collect();
        translated.insert(keyword.to_owned(), Value::Object(properties));
        translated.insert("additionalProperties".to_owned(), json!(false));
    }

    /// `None` if it is neither a list of names nor a pattern.
    fn look(&self, names: &Value) -> Option<MapKeyRule> {
        let names = follow_references(names, self.root).as_object()?;
        let says_something = |keyword: &str, value: &Value| {
            !is_annotation(keyword) && (keyword, value) != ("type", &json!("string"))
        };
        let said: Vec<&str> = names
            .iter()
            .filter(|(keyword, value)| says_something(keyword, value))
            .map(|(keyword, _)| keyword.as_str())
            .collect();
        match said[..] {
            ["const"] => Some(MapKeyRule::Names(vec![names["const"].as_str()?.to_owned()])),
            ["enum"] => {
                let names = names["enum"].as_array()?.iter().filter_map(Value::as_str);
                Some(MapKeyRule::Names(names.map(str::to_owned).collect()))
            }
            ["pattern"] => Some(MapKeyRule::Pattern(names["pattern"].as_str()?.to_owned())),
            ["minLength" | "maxLength"] | ["minLength", "maxLength"] | ["maxLength", "minLength"] => {
                let least = names.get("minLength").map_or(Some(0), Value::as_u64)?;
                let most = names
                    .get("maxLength")
                    .map_or(Some(String::new()), |most| Some(most.as_u64()?.to_string()))?;
                Some(MapKeyRule::Pattern(format!("^(?s:.{{{least},{most}}})$")))
            }
            _ => None,
        }
    }
}

/// A pattern that matches exactly `names`.
fn any_of(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| regex::escape(name)).collect();
    format!("^(?:{})$", names.join("|"))
}
