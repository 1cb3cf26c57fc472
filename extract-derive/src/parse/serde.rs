//! serde's attributes, as far as they bear on what deserializes.
//!
//! What serde itself refuses is left to serde. What it accepts is honoured here, refused later, or of no concern to
//! deserialization; an attribute that is none of these is an error, because ignoring it would make the schema lie.

use syn::{
    Attribute, Expr, ExprLit, Lit, LitStr, Meta, Path, Token, WherePredicate, ext::IdentExt, parse::Parser,
    punctuated::Punctuated, spanned::Spanned,
};

use super::keywords;
use crate::{Errors, model::Case};

/// Attributes that speak of serialization, of messages, or of how serde's code is written.
const OF_NO_CONCERN: [&str; 9] = [
    "skip_serializing",
    "skip_serializing_if",
    "serialize_with",
    "into",
    "expecting",
    "crate",
    "borrow",
    "bound",
    "non_exhaustive",
];

/// Attributes that are read here, on a type, a variant or a field.
const HONOURED: [&str; 20] = [
    "rename",
    "rename_all",
    "rename_all_fields",
    "deny_unknown_fields",
    "tag",
    "content",
    "untagged",
    "default",
    "transparent",
    "from",
    "try_from",
    "alias",
    "flatten",
    "skip",
    "skip_deserializing",
    "other",
    "with",
    "deserialize_with",
    "remote",
    "getter",
];

/// On a type.
#[derive(Debug, Default)]
pub(crate) struct SerdeType {
    pub(crate) rename: Option<LitStr>,
    pub(crate) rename_all: Option<Case>,
    pub(crate) rename_all_fields: Option<Case>,
    pub(crate) deny_unknown_fields: Option<Path>,
    pub(crate) tag: Option<LitStr>,
    pub(crate) content: Option<LitStr>,
    pub(crate) untagged: Option<Path>,
    pub(crate) default: Option<Path>,
    pub(crate) transparent: Option<Path>,
    pub(crate) from: Option<syn::Type>,
    pub(crate) bounds: Vec<WherePredicate>,
    /// Attributes that cannot be honoured.
    pub(crate) refused: Vec<Path>,
}

/// On a variant.
#[derive(Debug, Default)]
pub(crate) struct SerdeVariant {
    pub(crate) rename: Option<LitStr>,
    pub(crate) rename_all: Option<Case>,
    pub(crate) aliases: Vec<LitStr>,
    pub(crate) skip: Option<Path>,
    pub(crate) other: Option<Path>,
    pub(crate) untagged: Option<Path>,
    pub(crate) with: Option<Path>,
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
}

impl SerdeType {
    pub(super) fn read(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut this = Self::default();
        for item in items(attributes) {
            let path = || Some(item.path().clone());
            match name(&item).as_str() {
                "rename" => this.rename = deserialize_side(&item),
                "rename_all" => this.rename_all = case(&item),
                "rename_all_fields" => this.rename_all_fields = case(&item),
                "deny_unknown_fields" => this.deny_unknown_fields = path(),
                "tag" => this.tag = text(&item),
                "content" => this.content = text(&item),
                "untagged" => this.untagged = path(),
                "default" => this.default = path(),
                "transparent" => this.transparent = path(),
                "from" | "try_from" => this.from = text(&item).and_then(|text| text.parse().ok()),
                "bound" => this.bounds = predicates(&item),
                "remote" | "field_identifier" | "variant_identifier" => this.refused.extend(path()),
                other => not_ignored(&item, other, errors),
            }
        }
        this
    }
}

impl SerdeVariant {
    pub(super) fn read(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut this = Self::default();
        for item in items(attributes) {
            let path = || Some(item.path().clone());
            match name(&item).as_str() {
                "rename" => this.rename = deserialize_side(&item),
                "rename_all" => this.rename_all = case(&item),
                "alias" => this.aliases.extend(text(&item)),
                "skip" | "skip_deserializing" => this.skip = path(),
                "other" => this.other = path(),
                "untagged" => this.untagged = path(),
                "with" | "deserialize_with" => this.with = path(),
                other => not_ignored(&item, other, errors),
            }
        }
        this
    }
}

impl SerdeField {
    pub(super) fn read(attributes: &[Attribute], errors: &mut Errors) -> Self {
        let mut this = Self::default();
        for item in items(attributes) {
            let path = || Some(item.path().clone());
            match name(&item).as_str() {
                "rename" => this.rename = deserialize_side(&item),
                "alias" => this.aliases.extend(text(&item)),
                "default" => this.default = path(),
                "flatten" => this.flatten = path(),
                "skip" | "skip_deserializing" => this.skip = path(),
                "with" | "deserialize_with" => this.with = path(),
                // Only has a meaning beside `remote`, which is refused.
                "getter" => {}
                other => not_ignored(&item, other, errors),
            }
        }
        this
    }
}

/// The parts of all `#[serde(...)]`; those that do not parse are serde's to complain about.
fn items(attributes: &[Attribute]) -> Vec<Meta> {
    super::named(attributes, "serde").filter_map(|attribute| list(&attribute.meta)).flatten().collect()
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

/// `crate` is a keyword, which `syn` takes for the start of a path only.
fn item(input: syn::parse::ParseStream<'_>) -> syn::Result<Meta> {
    if input.peek(Token![crate]) {
        let path = Path::from(syn::Ident::parse_any(input)?);
        let eq_token = input.parse()?;
        return Ok(Meta::NameValue(syn::MetaNameValue { path, eq_token, value: input.parse()? }));
    }
    input.parse()
}

fn name(item: &Meta) -> String {
    item.path().get_ident().map(ToString::to_string).unwrap_or_default()
}

fn text(item: &Meta) -> Option<LitStr> {
    match item {
        Meta::NameValue(meta) => literal(&meta.value),
        _ => None,
    }
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

fn case(item: &Meta) -> Option<Case> {
    Case::from_name(&deserialize_side(item)?.value())
}

fn predicates(item: &Meta) -> Vec<WherePredicate> {
    let parse = Punctuated::<WherePredicate, Token![,]>::parse_terminated;
    let predicates = deserialize_side(item).and_then(|text| text.parse_with(parse).ok());
    predicates.into_iter().flatten().collect()
}

fn not_ignored(item: &Meta, name: &str, errors: &mut Errors) {
    if OF_NO_CONCERN.contains(&name) {
        return;
    }
    // serde reports a misspelt name too, without saying what was meant.
    let message = match keywords::nearest(name, HONOURED.into_iter().chain(OF_NO_CONCERN)) {
        Some(meant) => format!("unknown serde attribute `{name}`; did you mean `{meant}`?"),
        None => format!(
            "serde attribute `{name}` is not known to `extract`; it is refused because the schema could not honour it"
        ),
    };
    errors.push(syn::Error::new(item.path().span(), message));
}
