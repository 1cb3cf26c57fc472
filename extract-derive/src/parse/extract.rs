//! The grammar of `#[extract(...)]`.

use darling::{Error, FromMeta, Result, ast::NestedMeta};
use syn::{Attribute, Expr, Meta, Path};

use super::{
    arguments,
    items::{self, Scope},
    partial::Partial,
    table::{self, Position},
    values::{Count, Expression, Function, Module, OneOf, Owned, Placed, Policy, Text, Word},
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
    pub(crate) context: Option<Owned>,
    pub(crate) partial: Option<Placed<Partial>>,
    pub(crate) title: Option<Text>,
    pub(crate) description: Option<Text>,
}

/// On a variant.
#[derive(Debug, Default, FromMeta)]
pub(crate) struct VariantAttributes {
    #[darling(multiple, rename = "rule")]
    pub(crate) rules: Vec<Function>,
    #[darling(multiple, rename = "async_rule")]
    pub(crate) async_rules: Vec<Function>,
    pub(crate) title: Option<Text>,
    pub(crate) description: Option<Text>,
    pub(crate) schema_with: Option<Placed<Function>>,
}

/// On a field.
#[derive(Debug, Default, FromMeta)]
pub(crate) struct FieldAttributes {
    #[darling(flatten)]
    pub(crate) constraints: Constraints,
    pub(crate) example: Option<Placed<Expression>>,
    pub(crate) title: Option<Text>,
    pub(crate) description: Option<Text>,
    #[darling(multiple, rename = "check")]
    pub(crate) checks: Vec<Function>,
    #[darling(multiple, rename = "async_check")]
    pub(crate) async_checks: Vec<Function>,
    pub(crate) schema_with: Option<Placed<Function>>,
    pub(crate) sensitive: Option<Placed<Word>>,
    pub(crate) keep_valid_items: Option<Placed<Word>>,
    pub(crate) key: Option<Placed<Word>>,
    pub(crate) merge: Option<Placed<Policy>>,
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
    pub(crate) items: Option<Placed<Inside>>,
    pub(crate) keys: Option<Placed<Inside>>,
    pub(crate) values: Option<Placed<Inside>>,
}

/// The constraints on the parts of a field.
#[derive(Debug, Clone)]
pub(crate) struct Inside(pub(crate) Box<Constraints>);

impl FromMeta for Inside {
    fn from_meta(item: &Meta) -> Result<Self> {
        items::list(item, Scope::At(Position::Inside)).map(|constraints| Self(Box::new(constraints)))
    }
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
    fn from_meta(item: &Meta) -> Result<Self> {
        let arguments: RangeArguments = arguments_of(item)?;
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
    fn from_meta(item: &Meta) -> Result<Self> {
        match arguments_of(item)? {
            LengthArguments { min, max, equal: None } => Ok(Self { min, max }),
            LengthArguments { min: None, max: None, equal } => Ok(Self { min: equal.clone(), max: equal }),
            LengthArguments { equal: Some(equal), .. } => {
                let error = Error::custom("`equal` stands alone in `length`; remove it, or `min` and `max`");
                Err(error.with_span(&equal.literal))
            }
        }
    }
}

fn arguments_of<T: FromMeta>(item: &Meta) -> Result<T> {
    let attribute = table::find(&super::name(item.path())).ok_or_else(|| items::malformed(item))?;
    items::list(item, Scope::Of(attribute))
}

/// The attributes of one item.
#[derive(Debug)]
pub(crate) struct Attributes<T> {
    pub(crate) values: T,
    /// Their names as written, for messages.
    pub(crate) names: Vec<Path>,
}

/// Reads the attributes of one item. A mistake in one of them does not hide the others.
pub(super) fn read<T: FromMeta + Default>(
    attributes: &[Attribute],
    position: Position,
    errors: &mut Errors,
) -> Attributes<T> {
    let written = arguments::read(attributes, "extract", errors);
    let mut mistakes = Error::accumulator();
    let mut items = items::allowed(written, Scope::At(position), &mut mistakes);
    let values = mistakes.handle(T::from_list(&items)).unwrap_or_else(|| {
        items = sound::<T>(std::mem::take(&mut items));
        T::from_list(&items).unwrap_or_default()
    });
    if let Err(mistakes) = mistakes.finish() {
        errors.push(mistakes.into());
    }
    let names = items.iter().filter_map(|item| match item {
        NestedMeta::Meta(meta) => Some(meta.path().clone()),
        _ => None,
    });
    Attributes { values, names: names.collect() }
}

/// The items without the mistaken ones, so that the rest is still checked.
fn sound<T: FromMeta>(items: Vec<NestedMeta>) -> Vec<NestedMeta> {
    let mut kept = Vec::new();
    for item in items {
        kept.push(item);
        if T::from_list(&kept).is_err() {
            kept.pop();
        }
    }
    kept
}
