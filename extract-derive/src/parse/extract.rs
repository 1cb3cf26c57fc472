//! The grammar of `#[extract(...)]`.

use darling::{Error, FromMeta, Result, ast::NestedMeta};
use syn::{Attribute, Expr, Meta, Path};

use super::{
    arguments,
    items::{self, ListScope},
    partial::ParsedPartial,
    table::{self, AttributePosition},
    values::{
        AnyExpression, BareKeyword, CountLiteral, FunctionPath, MergeWord, ModulePath, OneOf, OwnedType,
        SpannedValue, StringLiteral,
    },
};
use crate::MistakeCollector;

/// On a type.
#[derive(Debug, Default, FromMeta)]
pub(crate) struct TypeAttributes {
    #[darling(rename = "crate")]
    pub(crate) krate: Option<ModulePath>,
    #[darling(multiple, rename = "rule")]
    pub(crate) rules: Vec<FunctionPath>,
    #[darling(multiple, rename = "async_rule")]
    pub(crate) async_rules: Vec<FunctionPath>,
    pub(crate) context: Option<OwnedType>,
    pub(crate) partial: Option<SpannedValue<ParsedPartial>>,
    pub(crate) title: Option<StringLiteral>,
    pub(crate) description: Option<StringLiteral>,
}

/// On a variant.
#[derive(Debug, Default, FromMeta)]
pub(crate) struct VariantAttributes {
    #[darling(multiple, rename = "rule")]
    pub(crate) rules: Vec<FunctionPath>,
    #[darling(multiple, rename = "async_rule")]
    pub(crate) async_rules: Vec<FunctionPath>,
    pub(crate) title: Option<StringLiteral>,
    pub(crate) description: Option<StringLiteral>,
    pub(crate) schema_with: Option<SpannedValue<FunctionPath>>,
}

/// On a field.
#[derive(Debug, Default, FromMeta)]
pub(crate) struct FieldAttributes {
    #[darling(flatten)]
    pub(crate) constraints: FieldConstraints,
    pub(crate) example: Option<SpannedValue<AnyExpression>>,
    pub(crate) title: Option<StringLiteral>,
    pub(crate) description: Option<StringLiteral>,
    #[darling(multiple, rename = "check")]
    pub(crate) checks: Vec<FunctionPath>,
    #[darling(multiple, rename = "async_check")]
    pub(crate) async_checks: Vec<FunctionPath>,
    pub(crate) schema_with: Option<SpannedValue<FunctionPath>>,
    pub(crate) sensitive: Option<SpannedValue<BareKeyword>>,
    pub(crate) keep_valid_items: Option<SpannedValue<BareKeyword>>,
    pub(crate) key: Option<SpannedValue<BareKeyword>>,
    pub(crate) merge: Option<SpannedValue<MergeWord>>,
}

/// On a field, and inside `items(...)`, `keys(...)` and `values(...)`.
#[derive(Debug, Default, Clone, FromMeta)]
pub(crate) struct FieldConstraints {
    pub(crate) range: Option<SpannedValue<RangeLimits>>,
    pub(crate) multiple_of: Option<SpannedValue<AnyExpression>>,
    pub(crate) length: Option<SpannedValue<LengthLimits>>,
    pub(crate) pattern: Option<SpannedValue<StringLiteral>>,
    pub(crate) format: Option<SpannedValue<StringLiteral>>,
    pub(crate) one_of: Option<SpannedValue<OneOf>>,
    pub(crate) unique: Option<SpannedValue<BareKeyword>>,
    pub(crate) items: Option<SpannedValue<InnerConstraints>>,
    pub(crate) keys: Option<SpannedValue<InnerConstraints>>,
    pub(crate) values: Option<SpannedValue<InnerConstraints>>,
}

/// The constraints on the parts of a field.
#[derive(Debug, Clone)]
pub(crate) struct InnerConstraints(pub(crate) Box<FieldConstraints>);

impl FromMeta for InnerConstraints {
    fn from_meta(item: &Meta) -> Result<Self> {
        items::list(item, ListScope::At(AttributePosition::Inside))
            .map(|constraints| Self(Box::new(constraints)))
    }
}

/// `range(min, max, exclusive_min, exclusive_max)`.
#[derive(Debug, Clone)]
pub(crate) struct RangeLimits {
    pub(crate) min: Option<Expr>,
    pub(crate) max: Option<Expr>,
    pub(crate) exclusive_min: Option<Expr>,
    pub(crate) exclusive_max: Option<Expr>,
}

#[derive(FromMeta)]
struct RangeArguments {
    min: Option<AnyExpression>,
    max: Option<AnyExpression>,
    exclusive_min: Option<AnyExpression>,
    exclusive_max: Option<AnyExpression>,
}

impl FromMeta for RangeLimits {
    fn from_meta(item: &Meta) -> Result<Self> {
        let arguments: RangeArguments = arguments_of(item)?;
        let bound = |argument: Option<AnyExpression>| argument.map(|expression| expression.0);
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
pub(crate) struct LengthLimits {
    pub(crate) min: Option<CountLiteral>,
    pub(crate) max: Option<CountLiteral>,
}

#[derive(FromMeta)]
struct LengthArguments {
    min: Option<CountLiteral>,
    max: Option<CountLiteral>,
    equal: Option<CountLiteral>,
}

impl FromMeta for LengthLimits {
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
    items::list(item, ListScope::Of(attribute))
}

/// The attributes of one item.
#[derive(Debug)]
pub(crate) struct ItemAttributes<T> {
    pub(crate) values: T,
    /// Their names as written, for messages.
    pub(crate) names: Vec<Path>,
}

/// Reads the attributes of one item. A mistake in one of them does not hide the others.
pub(super) fn read<T: FromMeta + Default>(
    attributes: &[Attribute],
    position: AttributePosition,
    errors: &mut MistakeCollector,
) -> ItemAttributes<T> {
    let written = arguments::read(attributes, "extract", errors);
    let mut mistakes = Error::accumulator();
    let mut items = items::allowed(written, ListScope::At(position), &mut mistakes);
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
    ItemAttributes { values, names: names.collect() }
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
