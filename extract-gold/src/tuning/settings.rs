//! The settings that a tuning varies.

use std::{collections::BTreeMap, fmt};

use extract::{
    Contract, Extraction,
    path::PathPattern,
    schema::NarrowingError,
    settings::{PromptOptions, SchemaNotation, ShotPosition},
};
use serde::{Serialize, Serializer, ser::SerializeMap as _};
use serde_json::{Value, json};

use crate::{
    gold::GoldSet,
    shots::{GoldShots as _, ShotChoice},
};

/// How to ask: what a [tuning](crate::tune) varies. The default is that of the library.
///
/// ```
/// use extract::settings::SchemaNotation;
/// use extract_gold::TunedSettings;
///
/// let mut settings = TunedSettings::default();
/// assert_eq!(settings.to_string(), "as it is");
/// settings.notation = SchemaNotation::Types;
/// settings.shots = Some(3.into());
/// assert_eq!(settings.to_string(), "notation types, 3 nearest shots");
/// assert_eq!(settings.options()[0], ("notation", "types".into()));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TunedSettings {
    /// How the prompt writes the schema.
    pub notation: SchemaNotation,
    /// Which checked documents are shown, if any.
    pub shots: Option<ShotChoice>,
    /// Where they are shown.
    pub shot_position: ShotPosition,
    /// Whether the agent thinks in plain text first.
    pub think_first: bool,
    /// Descriptions that replace those of the schema, by their place.
    pub descriptions: BTreeMap<String, String>,
}

impl TunedSettings {
    /// Returns whether nothing differs from the default.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Applies the settings to an extraction, except for the [descriptions](Self::contract). Shots
    /// are chosen from `gold`. Notation and position replace other
    /// [prompt options](Extraction::prompt_options), if they are not the default.
    pub fn apply<'a, T, C>(
        &self,
        extraction: Extraction<'a, T, C>,
        gold: &'a GoldSet,
    ) -> Extraction<'a, T, C> {
        let mut extraction = extraction;
        if (self.notation, self.shot_position) != Default::default() {
            let options =
                PromptOptions::new().schema_notation(self.notation).shot_position(self.shot_position);
            extraction = extraction.prompt_options(options);
        }
        if self.think_first {
            extraction = extraction.think_first(true);
        }
        match self.shots {
            Some(choice) => extraction.shots_from(gold, choice),
            None => extraction,
        }
    }

    /// Returns the contract with the descriptions.
    ///
    /// # Errors
    ///
    /// The contract has no such place, as that of another type.
    pub fn contract(&self, contract: &Contract) -> Result<Contract, NarrowingError> {
        self.descriptions.iter().try_fold(contract.clone(), |contract, (place, text)| {
            contract.describe(PathPattern::from(place.as_str()), text)
        })
    }

    /// Returns what differs from the default, named as the options of the command line. The shots
    /// have no file: `shots` is for whoever knows it.
    pub fn options(&self) -> Vec<(&'static str, Value)> {
        let mut options = Vec::new();
        let notation = match self.notation {
            SchemaNotation::Types => Some("types"),
            SchemaNotation::JsonSchema => Some("json-schema"),
            SchemaNotation::Outline => Some("outline"),
            SchemaNotation::None => Some("none"),
            _ => None,
        };
        options.extend(notation.map(|notation| ("notation", json!(notation))));
        if let Some(choice) = self.shots {
            options.push(("shot-count", json!(choice.count)));
            if choice.takes_first {
                options.push(("shot-choice", json!("first")));
            } else if !choice.nearest_last {
                options.push(("shot-choice", json!("nearest-first")));
            }
        }
        if self.shot_position == ShotPosition::System {
            options.push(("shot-position", json!("system")));
        }
        if self.think_first {
            options.push(("think-first", json!(true)));
        }
        options
    }

    /// Returns the descriptions as doc comments to paste above the fields of a type, each under its
    /// place; empty if there are none.
    pub fn doc_comments(&self) -> String {
        let lines = self.descriptions.iter().map(|(place, text)| format!("// {place}\n/// {text}\n"));
        lines.collect()
    }
}

/// The options by their names, and `descriptions`.
impl Serialize for TunedSettings {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.options() {
            map.serialize_entry(name, &value)?;
        }
        if !self.descriptions.is_empty() {
            map.serialize_entry("descriptions", &self.descriptions)?;
        }
        map.end()
    }
}

impl fmt::Display for TunedSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words: Vec<String> = Vec::new();
        for (name, value) in self.options() {
            words.push(match (name, &value) {
                ("shot-count", count) if self.shots.is_some_and(|choice| choice.takes_first) => {
                    format!("{count} shots")
                }
                ("shot-count", count) => format!("{count} nearest shots"),
                ("shot-choice", choice) if *choice == "first" => "the first of the set".to_owned(),
                ("shot-choice", _) => "the nearest one first".to_owned(),
                ("shot-position", _) => "in the system turn".to_owned(),
                ("think-first", _) => "thinking first".to_owned(),
                (name, Value::String(value)) => format!("{name} {value}"),
                (name, value) => format!("{name} {value}"),
            });
        }
        words.extend(self.descriptions.keys().map(|place| format!("another description of {place}")));
        f.write_str(if words.is_empty() { "as it is" } else { "" })?;
        f.write_str(&words.join(", "))
    }
}
