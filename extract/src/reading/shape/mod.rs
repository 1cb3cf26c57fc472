//! Shapes: the part of a JSON Schema that alignment needs, compiled once: types, names, choices,
//! alternatives.
//!
//! Bounds, patterns and formats are left out: the spelling of a value does not affect them.

mod compile;
mod fits;
mod null_strings;

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use self::kind::JsonKinds;
pub(crate) use self::null_strings::NullReading;
pub(super) use self::{fits::kinds_of, null_strings::NULL_STRING_BYTES};
use super::{
    keys::Keys,
    spelling::{self, words_of_key},
};

/// Number of listed values above which they are looked up by hash.
const FEW: usize = 16;

/// A compiled schema; the root is the first shape.
#[derive(Debug)]
pub(crate) struct Shapes {
    all: Vec<Shape>,
    /// Whether a value is deserialized into a type, which drops the members that it does not know.
    is_of_type: bool,
    /// The keys of all objects.
    keys: Keys,
    /// The words of the title of the whole, which is the name of its type.
    title: Vec<String>,
    max_depth: usize,
    /// The example that the agent may have been shown, if no answer can equal it by chance.
    example: Option<Value>,
}

/// How much of what the contract asks of a value a shape describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ShapeScope {
    Whole,
    /// Other shapes describe the value, too.
    Part,
    /// As a type takes it: members that it does not know are ignored, at any depth.
    Deserialized,
}

impl ShapeScope {
    /// The scope of the alternatives of `shape`, which has this scope.
    pub(super) fn of_unions(self, shape: &Shape) -> Self {
        if shape.is_only_union() { self } else { self.of_parts() }
    }

    /// The scope of the parts of a shape with this scope.
    pub(super) fn of_parts(self) -> Self {
        if self == Self::Deserialized { self } else { Self::Part }
    }

    /// The scope of the values inside a value.
    pub(super) fn inside(self) -> Self {
        if self == Self::Deserialized { self } else { Self::Whole }
    }

    /// Returns whether a key that `shape` does not know is unknown to the contract.
    pub(super) fn tells_names(self, shape: &Shape) -> bool {
        self == Self::Whole && shape.knows_names() && !shape.is_only_union()
    }
}

pub(super) type Id = usize;

pub(super) const ROOT: Id = 0;

/// Indices of the strings among `choices`, by their letters and digits.
fn spellings(choices: &[Value]) -> HashMap<String, Vec<usize>> {
    let mut spellings: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, choice) in choices.iter().enumerate() {
        if let Some(text) = choice.as_str() {
            spellings.entry(spelling::letters_of_word(text)).or_default().push(index);
        }
    }
    spellings
}

/// The types of JSON, each as a set of one.
pub(super) mod kind {
    use std::ops::{BitAnd, BitOr};

    use serde_json::Value;

    /// A set of types.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub(crate) struct JsonKinds(u8);

    pub(crate) const NONE: JsonKinds = JsonKinds(0);
    pub(crate) const NULL: JsonKinds = JsonKinds(1);
    pub(crate) const BOOL: JsonKinds = JsonKinds(2);
    pub(crate) const INTEGER: JsonKinds = JsonKinds(4);
    pub(crate) const NUMBER: JsonKinds = JsonKinds(8);
    pub(crate) const TEXT: JsonKinds = JsonKinds(16);
    pub(crate) const LIST: JsonKinds = JsonKinds(32);
    pub(crate) const OBJECT: JsonKinds = JsonKinds(64);
    pub(crate) const ANY: JsonKinds = JsonKinds(127);

    impl JsonKinds {
        /// Returns whether a type is in both sets.
        pub(crate) fn meets(self, other: Self) -> bool {
            self & other != NONE
        }

        /// The types that are not in `other`.
        pub(crate) fn without(self, other: Self) -> Self {
            Self(self.0 & !other.0)
        }
    }

    impl BitOr for JsonKinds {
        type Output = Self;

        fn bitor(self, other: Self) -> Self {
            Self(self.0 | other.0)
        }
    }

    impl BitAnd for JsonKinds {
        type Output = Self;

        fn bitand(self, other: Self) -> Self {
            Self(self.0 & other.0)
        }
    }

    /// The union of sets.
    impl FromIterator<JsonKinds> for JsonKinds {
        fn from_iter<I: IntoIterator<Item = Self>>(sets: I) -> Self {
            sets.into_iter().fold(NONE, BitOr::bitor)
        }
    }

    /// The type of `value`.
    pub(crate) fn of(value: &Value) -> JsonKinds {
        match value {
            Value::Null => NULL,
            Value::Bool(_) => BOOL,
            Value::Number(number) if number.is_f64() => NUMBER,
            Value::Number(_) => INTEGER,
            Value::String(_) => TEXT,
            Value::Array(_) => LIST,
            Value::Object(_) => OBJECT,
        }
    }
}

#[derive(Debug, Clone, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is something that was seen")]
pub(super) struct Shape {
    /// The types that are allowed.
    pub(super) kinds: JsonKinds,
    /// The allowed types whose values are all allowed and kept as they are.
    plain_kinds: JsonKinds,
    /// The listed values, if only these are allowed.
    pub(super) choices: Option<Vec<Value>>,
    /// Indices of the strings among them, by their [letters](super::spelling::letters_of_word).
    pub(super) choice_spellings: HashMap<String, Vec<usize>>,
    /// Whether it takes any string other than the names beside it, for `#[serde(other)]`.
    pub(super) is_other: bool,
    /// Whether its numbers are decimals, whose digits are kept as strings.
    pub(super) is_decimal: bool,
    /// Whether its strings are calendar days.
    pub(super) is_date: bool,
    /// Whether a pattern or a format restricts its strings.
    pub(super) has_form: bool,
    /// The strings that mean null here.
    pub(super) null_strings: Vec<&'static str>,
    /// The choices as a set, if there are many.
    choice_set: HashSet<Value>,
    pub(super) properties: Vec<Property>,
    pub(super) by_name: HashMap<String, usize>,
    pub(super) required: Vec<String>,
    pub(super) required_names: HashSet<String>,
    pub(super) additional: Additional,
    pub(super) prefix: Vec<Id>,
    pub(super) items: Option<Id>,
    /// Each element is one union: any of these shapes.
    pub(super) unions: Vec<Vec<Id>>,
    /// All of these.
    pub(super) all_of: Vec<Id>,
    /// All names that this shape and its parts know.
    pub(super) names: HashSet<String>,
    /// Whether it, or one of its parts, takes keys that it does not name as data.
    pub(super) is_open: bool,
    /// The names by their [bare](super::spelling::bare) form. An alias is listed only if no other
    /// name has the same form.
    pub(super) spellings: HashMap<String, Vec<String>>,
}

#[derive(Debug, Clone)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) shape: Id,
    /// Whether it is an alias of another property, which schemas mark as deprecated.
    pub(super) is_alias: bool,
}

/// The schema's rule for keys that are not properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Additional {
    /// It does not mention them: they are ignored.
    #[default]
    Unsaid,
    /// They are data.
    Data,
    /// They are data of this shape.
    Of(Id),
    /// They are forbidden.
    Closed,
}

impl Shapes {
    /// Returns whether a shape is one of several objects.
    pub(super) fn are_several_objects(&self, id: Id) -> bool {
        let is_object = |id: &&Id| self.get(**id).kinds == kind::OBJECT;
        self.get(id).unions.iter().any(|branches| branches.iter().filter(is_object).count() > 1)
    }

    /// Returns whether any shape is for strings other than the names beside it.
    pub(crate) fn has_other(&self) -> bool {
        self.all.iter().any(|shape| shape.is_other)
    }

    /// Returns whether the value may be a list that is not a tuple.
    pub(crate) fn take_list(&self) -> bool {
        let root = self.get(ROOT);
        root.allows(kind::LIST) && root.prefix.is_empty()
    }

    /// Deepest nesting of brackets that is looked at.
    pub(crate) fn max_depth(&self) -> usize {
        self.max_depth
    }

    pub(super) fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Returns whether `key` is the name of the whole, in any spelling.
    pub(super) fn is_called(&self, key: &str) -> bool {
        !self.title.is_empty() && self.title == words_of_key(key)
    }

    /// `shapes`, their parts and their alternatives: all that describe one value. Stops after `most`
    /// of them and one more.
    pub(super) fn parts(&self, shapes: &[Id], most: usize) -> Vec<Id> {
        let mut seen: HashSet<Id> = shapes.iter().copied().collect();
        let mut all = shapes.to_vec();
        let mut next = 0;
        while let Some(id) = all.get(next).filter(|_| all.len() <= most) {
            let Shape { all_of, unions, .. } = self.get(*id);
            let more = all_of.iter().chain(unions.iter().flatten()).copied();
            all.extend(more.filter(|part| seen.insert(*part)));
            next += 1;
        }
        all.truncate(most + 1);
        all
    }

    pub(super) fn get(&self, id: Id) -> &Shape {
        &self.all[id]
    }

    /// The words for all values that the shape `id` allows beside null, if it allows only listed strings or
    /// a boolean.
    pub(super) fn options(&self, id: Id) -> Option<Vec<&str>> {
        let shape = self.get(id);
        match (shape.kinds.without(kind::NULL), &shape.choices, shape.unions.as_slice()) {
            (kind::TEXT, Some(choices), []) => {
                choices.iter().filter(|choice| !choice.is_null()).map(Value::as_str).collect()
            }
            (kind::TEXT, None, [branches]) if shape.is_only_union() => {
                let branches = branches.iter().filter(|branch| self.get(**branch).kinds != kind::NULL);
                let options = branches.map(|branch| self.options(*branch));
                options.collect::<Option<Vec<_>>>().map(|options| options.concat())
            }
            (kind::BOOL, None, []) => Some(vec!["true", "false"]),
            _ => None,
        }
    }

    /// Returns whether `word` is one of the strings that the shape `id`, or an alternative of it, lists.
    pub(super) fn allows_word(&self, id: Id, word: &str) -> bool {
        let branches = self.get(id).unions.iter().flatten().map(|branch| self.get(*branch));
        std::iter::once(self.get(id)).chain(branches).any(|shape| shape.choice(word) == Some(word))
    }

    /// The name of the only list property of the root object.
    pub(super) fn only_list(&self) -> Option<&str> {
        let is_list = |id| self.get(id).kinds.without(kind::NULL) == kind::LIST;
        let mut lists = self.get(ROOT).properties.iter().filter(|property| is_list(property.shape));
        lists.next().filter(|_| lists.next().is_none()).map(|property| property.name.as_str())
    }

    /// Returns whether a value is a number, a boolean or one of a few words, or a list of them.
    pub(super) fn take_few_words(&self) -> bool {
        let are_few = |id: Id| {
            let shape = self.get(id);
            !shape.allows(kind::OBJECT | kind::LIST)
                && (!shape.allows(kind::TEXT) || self.options(id).is_some())
        };
        let root = self.get(ROOT);
        let is_list = root.kinds.without(kind::NULL) == kind::LIST && root.prefix.is_empty();
        are_few(ROOT) || is_list && root.items.is_some_and(are_few)
    }

    pub(super) fn example(&self) -> Option<&Value> {
        self.example.as_ref()
    }

    /// Sets whether a value is deserialized into a type.
    pub(crate) fn of_type(self, is_of_type: bool) -> Self {
        Self { is_of_type, ..self }
    }

    pub(super) fn are_of_type(&self) -> bool {
        self.is_of_type
    }

    /// Returns whether `taken` does not know `key`, and another one of `branches` does.
    pub(super) fn is_of_another(&self, key: &str, taken: Id, branches: &[Id]) -> bool {
        let knows = |id: &Id| self.get(*id).names.contains(key);
        !knows(&taken) && branches.iter().any(knows)
    }

    /// Sets the example of the contract.
    pub(crate) fn with_example(mut self, example: Option<&Value>) -> Self {
        self.example = example.filter(|example| self.is_telling(example, ROOT)).cloned();
        self
    }

    /// Returns whether no answer equals `value` by chance: it has a string that is not one of a few
    /// choices.
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
    /// A shape of these types, restricted to these values if they are listed.
    fn new(kinds: JsonKinds, choices: Option<Vec<Value>>) -> Self {
        let many = choices.iter().filter(|choices| choices.len() > FEW).flatten();
        let choice_set = many.cloned().collect();
        let choice_spellings = spellings(choices.as_deref().unwrap_or_default());
        Self { kinds, choices, choice_spellings, choice_set, ..Self::default() }
    }

    /// Returns whether an object with any keys is a value as it is.
    pub(super) fn takes_any_object(&self) -> bool {
        self.allows(kind::OBJECT) && (self.is_open || !self.knows_names())
    }

    pub(super) fn allows(&self, kinds: JsonKinds) -> bool {
        self.kinds.meets(kinds)
    }

    /// Returns whether an object here, or in a list here, may have keys as data that nothing names.
    fn takes_any_key(&self) -> bool {
        let says_nothing = self.choices.is_none() && self.all_of.is_empty() && self.unions.is_empty();
        let is_free_object = self.properties.is_empty() && self.additional == Additional::Unsaid;
        matches!(self.additional, Additional::Of(_) | Additional::Data)
            || says_nothing && self.allows(kind::OBJECT) && is_free_object
            || says_nothing && self.allows(kind::LIST) && self.items.is_none()
    }

    /// The only listed string that is the same word as `text`, if there is exactly one.
    pub(super) fn choice(&self, text: &str) -> Option<&str> {
        let choices = self.choices.as_deref()?;
        let alike = self.choice_spellings.get(&spelling::letters_of_word(text))?;
        let alike: Vec<&str> = alike.iter().filter_map(|index| choices[*index].as_str()).collect();
        spelling::only_among(text, &alike, &choices.iter().filter_map(Value::as_str))
    }

    pub(super) fn property(&self, name: &str) -> Option<Id> {
        self.by_name.get(name).map(|index| self.properties[*index].shape)
    }

    /// The index of `name` among the properties. Tries those from `next` on first, because keys
    /// mostly come in the order of the schema.
    pub(super) fn index_of(&self, name: &str, next: usize) -> Option<usize> {
        let is_at = |index: usize| self.properties.get(index).is_some_and(|property| property.name == name);
        let near = [next, next + 1].into_iter().find(|index| is_at(*index));
        near.or_else(|| self.by_name.get(name).copied())
    }

    /// Returns whether `value` is among the listed values, or none are listed.
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

    /// Returns whether it is one union and nothing else.
    pub(super) fn is_only_union(&self) -> bool {
        self.properties.is_empty() && self.all_of.is_empty() && self.unions.len() == 1
    }

    /// Returns whether it allows every value of one of these types, and keeps it as it is.
    pub(super) fn keeps_all(&self, kinds: JsonKinds) -> bool {
        self.plain_kinds.meets(kinds)
    }

    /// Returns whether it allows every number with a fraction, and keeps it as it is if a double has its digits.
    pub(super) fn takes_any_fraction(&self) -> bool {
        self.allows(kind::NUMBER) && self.is_plain() && !self.is_decimal
    }

    /// Returns whether nothing but its types restricts it.
    fn is_plain(&self) -> bool {
        self.choices.is_none() && self.all_of.is_empty() && self.unions.is_empty()
    }

    /// Returns whether it knows any names of keys.
    pub(super) fn knows_names(&self) -> bool {
        !self.spellings.is_empty()
    }
}
