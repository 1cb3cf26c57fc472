//! serde's attributes that affect deserialization.
//!
//! serde reports attributes that it rejects. An attribute that serde accepts is either honoured
//! here, rejected later, or irrelevant for deserialization.

mod table;

#[cfg(test)]
pub(super) use self::table::ROWS;

use quote::ToTokens;
use syn::{
    Attribute, Expr, ExprLit, ExprPath, Ident, Lit, LitStr, Meta, Path, Token, WherePredicate, ext::IdentExt,
    parse::Parser, punctuated::Punctuated,
};

use super::AttributePosition;
use crate::{MistakeCollector, case::NameCase};

/// On a type.
#[derive(Debug, Default)]
pub(crate) struct SerdeType {
    pub(crate) rename: Option<LitStr>,
    pub(crate) rename_all: Option<NameCase>,
    pub(crate) rename_all_fields: Option<NameCase>,
    pub(crate) deny_unknown_fields: Option<Path>,
    pub(crate) tag: Option<LitStr>,
    pub(crate) content: Option<LitStr>,
    pub(crate) untagged: Option<Path>,
    pub(crate) default: Option<Path>,
    pub(crate) transparent: Option<Path>,
    pub(crate) from: Option<syn::Type>,
    pub(crate) bounds: Vec<WherePredicate>,
    /// Attributes that are not supported.
    pub(crate) refused: Vec<Path>,
}

/// On a variant.
#[derive(Debug, Default)]
pub(crate) struct SerdeVariant {
    pub(crate) rename: Option<LitStr>,
    pub(crate) rename_all: Option<NameCase>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) skip: Option<Path>,
    pub(crate) other: Option<Path>,
    pub(crate) untagged: Option<Path>,
    pub(crate) with: Option<Path>,
    pub(crate) bounds: Vec<WherePredicate>,
}

/// On a field.
#[derive(Debug, Default)]
pub(crate) struct SerdeField {
    pub(crate) rename: Option<LitStr>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) default: Option<Path>,
    pub(crate) flatten: Option<Path>,
    pub(crate) skip: Option<Path>,
    pub(crate) with: Option<Path>,
    /// The function of `with` or `deserialize_with`.
    pub(crate) function: Option<ExprPath>,
    /// Whether a missing key gets the default value of the type.
    pub(crate) has_type_default: bool,
    pub(crate) bounds: Vec<WherePredicate>,
}

impl SerdeType {
    pub(super) fn read(attributes: &[Attribute], errors: &mut MistakeCollector) -> Self {
        let mut this = Self::default();
        for item in items(attributes, AttributePosition::Type, errors) {
            let path = || Some(item.path().clone());
            match name(&item).as_str() {
                "rename" => this.rename = deserialize_side(&item),
                "rename_all" => this.rename_all = case(&item, errors),
                "rename_all_fields" => this.rename_all_fields = case(&item, errors),
                "deny_unknown_fields" => this.deny_unknown_fields = path(),
                "tag" => this.tag = text(&item),
                "content" => this.content = text(&item),
                "untagged" => this.untagged = path(),
                "default" => this.default = path(),
                "transparent" => this.transparent = path(),
                "from" | "try_from" => this.from = text(&item).and_then(|text| text.parse().ok()),
                "bound" => this.bounds = predicates(&item),
                "remote" | "field_identifier" | "variant_identifier" => this.refused.extend(path()),
                _ => {}
            }
        }
        this
    }
}

impl SerdeVariant {
    pub(super) fn read(attributes: &[Attribute], errors: &mut MistakeCollector) -> Self {
        let mut this = Self::default();
        for item in items(attributes, AttributePosition::Variant, errors) {
            let path = || Some(item.path().clone());
            match name(&item).as_str() {
                "rename" => this.rename = deserialize_side(&item),
                "rename_all" => this.rename_all = case(&item, errors),
                "alias" => this.aliases.extend(text(&item)),
                "skip" | "skip_deserializing" => this.skip = path(),
                "other" => this.other = path(),
                "untagged" => this.untagged = path(),
                "with" | "deserialize_with" => this.with = path(),
                "bound" => this.bounds = predicates(&item),
                _ => {}
            }
        }
        this
    }
}

impl SerdeField {
    pub(super) fn read(attributes: &[Attribute], errors: &mut MistakeCollector) -> Self {
        let mut this = Self::default();
        for item in items(attributes, AttributePosition::Field, errors) {
            let path = || Some(item.path().clone());
            match name(&item).as_str() {
                "rename" => this.rename = deserialize_side(&item),
                "alias" => this.aliases.extend(text(&item)),
                "default" => {
                    this.default = path();
                    this.has_type_default = matches!(item, Meta::Path(_));
                }
                "flatten" => this.flatten = path(),
                "skip" | "skip_deserializing" => this.skip = path(),
                "with" | "deserialize_with" => {
                    this.with = path();
                    this.function = function(&item);
                }
                "bound" => this.bounds = predicates(&item),
                _ => {}
            }
        }
        this
    }
}

/// The parts of all `#[serde(...)]` that serde accepts there.
fn items(attributes: &[Attribute], position: AttributePosition, errors: &mut MistakeCollector) -> Vec<Meta> {
    let mut known = Vec::new();
    for attribute in super::named(attributes, "serde") {
        let Some(items) = list(&attribute.meta) else {
            errors.leave_to_serde();
            continue;
        };
        known.extend(items.filter(|item| is_known(item, position, errors)));
    }
    known
}

/// An unknown attribute is rejected, because ignoring it could make the schema wrong.
fn is_known(item: &Meta, position: AttributePosition, errors: &mut MistakeCollector) -> bool {
    let name = item.path().to_token_stream().to_string().replace(' ', "");
    let Some((mistake, hint)) = table::unknown(&name, position) else { return true };
    errors.report_as_serde(item.path(), mistake, &hint);
    false
}

fn list(meta: &Meta) -> Option<impl Iterator<Item = Meta> + use<>> {
    let Meta::List(list) = meta else { return None };
    let parser = |input: syn::parse::ParseStream<'_>| {
        let mut items = Vec::new();
        while !input.is_empty() {
            items.push(item(input)?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(items)
    };
    Some(parser.parse2(list.tokens.clone()).ok()?.into_iter())
}

/// `crate` is a keyword, which `syn` accepts only at the start of a path.
fn item(input: syn::parse::ParseStream<'_>) -> syn::Result<Meta> {
    if input.peek(Token![crate]) {
        let path = Path::from(Ident::parse_any(input)?);
        let eq_token = input.parse()?;
        return Ok(Meta::NameValue(syn::MetaNameValue { path, eq_token, value: input.parse()? }));
    }
    input.parse()
}

fn name(item: &Meta) -> String {
    super::name(item.path())
}

fn text(item: &Meta) -> Option<LitStr> {
    match item {
        Meta::NameValue(meta) => literal(&meta.value),
        _ => None,
    }
}

/// The function of `deserialize_with`, and of the module in `with`.
fn function(item: &Meta) -> Option<ExprPath> {
    let mut function: ExprPath = text(item)?.parse().ok()?;
    if item.path().is_ident("with") {
        function.path.segments.push(Ident::new("deserialize", text(item)?.span()).into());
    }
    Some(function)
}

fn literal(expr: &Expr) -> Option<LitStr> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.clone()),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

/// `rename = "a"` and `rename(deserialize = "a")` alike.
fn deserialize_side(item: &Meta) -> Option<LitStr> {
    text(item).or_else(|| list(item)?.find(|item| name(item) == "deserialize").as_ref().and_then(text))
}

fn case(item: &Meta, errors: &mut MistakeCollector) -> Option<NameCase> {
    let written = deserialize_side(item)?.value();
    let case = NameCase::from_name(&written);
    if case.is_none() {
        errors.leave_to_serde();
    }
    case
}

fn predicates(item: &Meta) -> Vec<WherePredicate> {
    let parse = Punctuated::<WherePredicate, Token![,]>::parse_terminated;
    let predicates = deserialize_side(item).and_then(|text| text.parse_with(parse).ok());
    predicates.into_iter().flatten().collect()
}
