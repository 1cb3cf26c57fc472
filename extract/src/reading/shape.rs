//! What alignment needs to know of a JSON Schema, compiled once: types, names, choices,
//! alternatives.
//!
//! Bounds, patterns and formats are not here: no spelling of a value changes whether they hold.

mod compile;
mod fits;
mod null_strings;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

pub(super) use self::null_strings::NullStrings;
use super::{keys::Keys, spelling};

/// Values beyond which they are looked up by their hash.
const FEW: usize = 16;

/// A compiled schema; the root is the first.
#[derive(Debug)]
pub(crate) struct Shapes {
    all: Vec<Shape>,
    /// Whether any of them is for strings that are none of the names beside them.
    has_other: bool,
    /// Whether any place reads strings as null.
    has_null_strings: bool,
    /// The keys of all objects.
    keys: Keys,
    max_depth: usize,
    /// A value that the agent may have been shown, if no answer is the same by chance.
    example: Option<Value>,
}

pub(super) type Id = usize;

pub(super) const ROOT: Id = 0;

/// Where the strings among `choices` stand, by their bare form.
fn spellings(choices: &[Value]) -> HashMap<String, Vec<usize>> {
    let mut spellings: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, choice) in choices.iter().enumerate() {
        if let Some(text) = choice.as_str() {
            spellings.entry(spelling::bare(text)).or_default().push(index);
        }
    }
    spellings
}

/// JSON types as a set of bits.
pub(super) mod kind {
    pub(in crate::reading) const NULL: u8 = 1;
    pub(in crate::reading) const BOOL: u8 = 2;
    pub(in crate::reading) const INTEGER: u8 = 4;
    pub(in crate::reading) const NUMBER: u8 = 8;
    pub(in crate::reading) const TEXT: u8 = 16;
    pub(in crate::reading) const LIST: u8 = 32;
    pub(in crate::reading) const OBJECT: u8 = 64;
    pub(in crate::reading) const ANY: u8 = 127;
}

#[derive(Debug, Clone, Default)]
pub(super) struct Shape {
    /// The types that are allowed; [`kind`].
    pub(super) kinds: u8,
    /// Those of them of which every value is allowed and kept as it is.
    plain_kinds: u8,
    /// The only values, if they are listed.
    pub(super) choices: Option<Vec<Value>>,
    /// Where the strings among them stand, by their [bare](super::spelling::bare) form.
    pub(super) choice_spellings: HashMap<String, Vec<usize>>,
    /// Whether it takes the strings that are none of the names beside it, for `#[serde(other)]`.
    pub(super) is_other: bool,
    /// Whether a string has to have some form: a pattern or a format.
    pub(super) has_form: bool,
    /// The strings that mean null here.
    pub(super) null_strings: NullStrings,
    /// The same to look them up, where they are many.
    choice_set: HashSet<Value>,
    pub(super) properties: Vec<Property>,
    pub(super) by_name: HashMap<String, usize>,
    pub(super) required: Vec<String>,
    pub(super) required_names: HashSet<String>,
    pub(super) additional: Additional,
    pub(super) prefix: Vec<Id>,
    pub(super) items: Option<Id>,
    /// Each one: any of these.
    pub(super) unions: Vec<Vec<Id>>,
    /// All of these.
    pub(super) all_of: Vec<Id>,
    /// All names that this shape and its parts know.
    pub(super) names: HashSet<String>,
    /// The same by their [bare](super::spelling::bare) form; an alias only where no other name has
    /// it.
    pub(super) spellings: HashMap<String, Vec<String>>,
}

#[derive(Debug, Clone)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) shape: Id,
    /// Another name of a property, which schemas mark as deprecated.
    pub(super) is_alias: bool,
}

/// What is known of keys that are no properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Additional {
    /// Nothing is said: they are ignored.
    #[default]
    Unsaid,
    /// They are data.
    Data,
    /// They are data of this shape.
    Of(Id),
    /// There are none.
    Closed,
}

impl Shapes {
    pub(crate) fn has_other(&self) -> bool {
        self.has_other
    }

    /// Whether the value may be a list, and not only a tuple.
    pub(crate) fn take_list(&self) -> bool {
        let root = self.get(ROOT);
        root.allows(kind::LIST) && root.prefix.is_empty()
    }

    pub(super) fn has_null_strings(&self) -> bool {
        self.has_null_strings
    }

    /// Levels of brackets beyond which a value is not looked at.
    pub(crate) fn max_depth(&self) -> usize {
        self.max_depth
    }

    pub(super) fn keys(&self) -> &Keys {
        &self.keys
    }

    pub(super) fn get(&self, id: Id) -> &Shape {
        &self.all[id]
    }

    /// The words for all values that the shape `id` allows, where these are some strings or a
    /// boolean.
    pub(super) fn options(&self, id: Id) -> Option<Vec<&str>> {
        let shape = self.get(id);
        match (shape.kinds, &shape.choices, shape.unions.as_slice()) {
            (kind::TEXT, Some(choices), []) => choices.iter().map(Value::as_str).collect(),
            (kind::TEXT, None, [branches]) if shape.is_only_union() => {
                let options = branches.iter().map(|branch| self.options(*branch));
                options.collect::<Option<Vec<_>>>().map(|options| options.concat())
            }
            (kind::BOOL, None, []) => Some(vec!["true", "false"]),
            _ => None,
        }
    }

    /// The name of the only list in the object that is asked for.
    pub(super) fn only_list(&self) -> Option<&str> {
        let is_list = |id| self.get(id).kinds & !kind::NULL == kind::LIST;
        let mut lists = self.get(ROOT).properties.iter().filter(|property| is_list(property.shape));
        lists.next().filter(|_| lists.next().is_none()).map(|property| property.name.as_str())
    }

    pub(super) fn example(&self) -> Option<&Value> {
        self.example.as_ref()
    }

    /// The same for a contract with this example.
    pub(crate) fn with_example(mut self, example: Option<&Value>) -> Self {
        self.example = example.filter(|example| self.is_telling(example, ROOT)).cloned();
        self
    }

    /// Whether `value` says something that no answer says by chance: a string that is not one of a
    /// few.
    fn is_telling(&self, value: &Value, id: Id) -> bool {
        let shape = self.get(id);
        match value {
            Value::String(text) => shape.choices.is_none() && shape.unions.is_empty() && text.len() >= 3,
            Value::Array(items) => {
                items.iter().zip(shape.items.into_iter().cycle()).any(|(item, id)| self.is_telling(item, id))
            }
            Value::Object(entries) => entries
                .iter()
                .any(|(key, value)| shape.property(key).is_some_and(|id| self.is_telling(value, id))),
            _ => false,
        }
    }
}

impl Shape {
    /// Of these types and values, as far as they are listed.
    fn new(kinds: u8, choices: Option<Vec<Value>>) -> Self {
        let many = choices.iter().filter(|choices| choices.len() > FEW).flatten();
        let choice_set = many.cloned().collect();
        let choice_spellings = spellings(choices.as_deref().unwrap_or_default());
        Self { kinds, choices, choice_spellings, choice_set, ..Self::default() }
    }

    pub(super) fn allows(&self, kinds: u8) -> bool {
        self.kinds & kinds != 0
    }

    /// The only listed string that is the same word as `text`.
    pub(super) fn choice(&self, text: &str) -> Option<&str> {
        let choices = self.choices.as_deref()?;
        let alike = self.choice_spellings.get(&spelling::bare(text))?;
        let alike: Vec<&str> = alike.iter().filter_map(|index| choices[*index].as_str()).collect();
        spelling::only_among(text, &alike, &choices.iter().filter_map(Value::as_str))
    }

    pub(super) fn property(&self, name: &str) -> Option<Id> {
        self.by_name.get(name).map(|index| self.properties[*index].shape)
    }

    /// Where `name` stands among the properties. Looks first at those from `next` on, as keys
    /// mostly come in the order of the schema.
    pub(super) fn index_of(&self, name: &str, next: usize) -> Option<usize> {
        let is_at = |index: usize| self.properties.get(index).is_some_and(|property| property.name == name);
        if is_at(next) {
            Some(next)
        } else if is_at(next + 1) {
            Some(next + 1)
        } else {
            self.by_name.get(name).copied()
        }
    }

    /// Whether `value` is among the only values, if they are listed.
    pub(super) fn lists(&self, value: &Value) -> bool {
        match &self.choices {
            None => true,
            Some(_) if !self.choice_set.is_empty() => self.choice_set.contains(value),
            Some(choices) => choices.contains(value),
        }
    }

    pub(super) fn requires(&self, name: &str) -> bool {
        self.required_names.contains(name)
    }

    /// Whether it says nothing of its own beside alternatives.
    pub(super) fn is_only_union(&self) -> bool {
        self.properties.is_empty() && self.all_of.is_empty() && self.unions.len() == 1
    }

    /// Whether it looks into objects at all.
    pub(super) fn knows_names(&self) -> bool {
        !self.spellings.is_empty()
    }
}
