//! The grammar of `#[extract(...)]`.

use darling::{Error, FromMeta, ast::NestedMeta};
use syn::{Attribute, Expr};

use super::{
    arguments,
    keywords::Place,
    values::{Count, Expression, Function, Module, OneOf, Placed, Text, TypePath, Word, not_empty},
    voice,
};
use crate::Errors;

/// On a type.
#[derive(Debug, Default, FromMeta)]
pub(crate) struct TypeAttributes {
    #[darling(rename = "crate")]
    pub(crate) krate: Option<Module>,
    #[darling(multiple, rename = "rule")]
    pub(crate) rules: Vec<Function>,
    #[darling(multiple, rename = "async_rule")]
    pub(crate) async_rules: Vec<Function>,
    pub(crate) context: Option<Placed<TypePath>>,
    pub(crate) title: Option<Text>,
    pub(crate) description: Option<Text>,
}

/// On a variant.
#[derive(Debug, Default, FromMeta)]
pub(crate) struct VariantAttributes {
    #[darling(multiple, rename = "rule")]
    pub(crate) rules: Vec<Placed<Function>>,
    #[darling(multiple, rename = "async_rule")]
    pub(crate) async_rules: Vec<Placed<Function>>,
    pub(crate) title: Option<Placed<Text>>,
    pub(crate) description: Option<Placed<Text>>,
    pub(crate) schema_with: Option<Placed<Function>>,
}

/// On a field.
#[derive(Debug, Default, FromMeta)]
pub(crate) struct FieldAttributes {
    #[darling(flatten)]
    pub(crate) constraints: Constraints,
    pub(crate) example: Option<Placed<Expression>>,
    pub(crate) title: Option<Placed<Text>>,
    pub(crate) description: Option<Placed<Text>>,
    #[darling(multiple, rename = "check")]
    pub(crate) checks: Vec<Placed<Function>>,
    #[darling(multiple, rename = "async_check")]
    pub(crate) async_checks: Vec<Placed<Function>>,
    pub(crate) schema_with: Option<Placed<Function>>,
    pub(crate) sensitive: Option<Placed<Word>>,
}

/// On a field, and inside `items(...)`, `keys(...)` and `values(...)`.
#[derive(Debug, Default, Clone, FromMeta)]
pub(crate) struct Constraints {
    pub(crate) range: Option<Placed<Range>>,
    pub(crate) multiple_of: Option<Placed<Expression>>,
    pub(crate) length: Option<Placed<Lengths>>,
    pub(crate) pattern: Option<Placed<Text>>,
    pub(crate) format: Option<Placed<Text>>,
    pub(crate) one_of: Option<Placed<OneOf>>,
    pub(crate) unique: Option<Placed<Word>>,
    pub(crate) items: Option<Placed<Box<Constraints>>>,
    pub(crate) keys: Option<Placed<Box<Constraints>>>,
    pub(crate) values: Option<Placed<Box<Constraints>>>,
}

/// `range(min, max, exclusive_min, exclusive_max)`.
#[derive(Debug, Clone)]
pub(crate) struct Range {
    pub(crate) min: Option<Expr>,
    pub(crate) max: Option<Expr>,
    pub(crate) exclusive_min: Option<Expr>,
    pub(crate) exclusive_max: Option<Expr>,
}

#[derive(FromMeta)]
struct RangeArguments {
    min: Option<Expression>,
    max: Option<Expression>,
    exclusive_min: Option<Expression>,
    exclusive_max: Option<Expression>,
}

impl FromMeta for Range {
    fn from_list(items: &[NestedMeta]) -> darling::Result<Self> {
        not_empty(items, "range(min = ..., max = ...)")?;
        let arguments = RangeArguments::from_list(items)?;
        let bound = |argument: Option<Expression>| argument.map(|expression| expression.0);
        Ok(Self {
            min: bound(arguments.min),
            max: bound(arguments.max),
            exclusive_min: bound(arguments.exclusive_min),
            exclusive_max: bound(arguments.exclusive_max),
        })
    }
}

/// `length(min, max)` or `length(equal)`.
#[derive(Debug, Clone)]
pub(crate) struct Lengths {
    pub(crate) min: Option<Count>,
    pub(crate) max: Option<Count>,
}

#[derive(FromMeta)]
struct LengthArguments {
    min: Option<Count>,
    max: Option<Count>,
    equal: Option<Count>,
}

impl FromMeta for Lengths {
    fn from_list(items: &[NestedMeta]) -> darling::Result<Self> {
        not_empty(items, "length(min = ..., max = ...)")?;
        match LengthArguments::from_list(items)? {
            LengthArguments { min, max, equal: None } => Ok(Self { min, max }),
            LengthArguments { min: None, max: None, equal } => Ok(Self { min: equal.clone(), max: equal }),
            LengthArguments { equal: Some(equal), .. } => {
                let error = Error::custom("`equal` stands alone in `length`; remove it, or `min` and `max`");
                Err(error.with_span(&equal.literal))
            }
        }
    }
}

/// The attributes of one item; what is wrong with one of them does not hide the others.
pub(super) fn read<T: FromMeta + Default>(attributes: &[Attribute], place: Place, errors: &mut Errors) -> T {
    let items = arguments::read(attributes, "extract", errors);
    T::from_list(&items).unwrap_or_else(|error| {
        voice::speak(error, place).for_each(|error| errors.push(error));
        sound(items)
    })
}

/// The attributes without those that are mistaken, so that the rest is still checked.
fn sound<T: FromMeta + Default>(items: Vec<NestedMeta>) -> T {
    let mut kept = Vec::new();
    for item in items {
        kept.push(item);
        if T::from_list(&kept).is_err() {
            kept.pop();
        }
    }
    T::from_list(&kept).unwrap_or_default()
}

impl FieldAttributes {
    /// The keywords that are written, for messages.
    pub(crate) fn keywords(&self) -> Vec<syn::Path> {
        let mut all = self.constraints.keywords();
        all.extend(self.example.iter().map(|placed| placed.at.clone()));
        all.extend(self.title.iter().map(|placed| placed.at.clone()));
        all.extend(self.description.iter().map(|placed| placed.at.clone()));
        let checks = self.checks.iter().chain(&self.async_checks);
        all.extend(checks.map(|placed| placed.at.clone()));
        all.extend(self.schema_with.iter().map(|placed| placed.at.clone()));
        all.extend(self.sensitive.iter().map(|placed| placed.at.clone()));
        all
    }
}

impl VariantAttributes {
    /// The keywords that are written, for messages.
    pub(crate) fn keywords(&self) -> Vec<syn::Path> {
        let texts = [&self.title, &self.description].into_iter().flatten().map(|placed| &placed.at);
        let functions =
            self.rules.iter().chain(&self.async_rules).chain(&self.schema_with).map(|placed| &placed.at);
        functions.chain(texts).cloned().collect()
    }
}

impl Constraints {
    /// The keywords that are written, for messages.
    pub(crate) fn keywords(&self) -> Vec<syn::Path> {
        let at = [
            self.range.as_ref().map(|placed| &placed.at),
            self.multiple_of.as_ref().map(|placed| &placed.at),
            self.length.as_ref().map(|placed| &placed.at),
            self.pattern.as_ref().map(|placed| &placed.at),
            self.format.as_ref().map(|placed| &placed.at),
            self.one_of.as_ref().map(|placed| &placed.at),
            self.unique.as_ref().map(|placed| &placed.at),
            self.items.as_ref().map(|placed| &placed.at),
            self.keys.as_ref().map(|placed| &placed.at),
            self.values.as_ref().map(|placed| &placed.at),
        ];
        at.into_iter().flatten().cloned().collect()
    }
}
