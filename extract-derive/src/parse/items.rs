//! The allowed parts of an attribute list.

use std::collections::HashSet;

use darling::{Error, FromMeta, Result, ast::NestedMeta, error::Accumulator};
use syn::{Meta, Path, spanned::Spanned};

use super::{
    name, suggest,
    table::{self, AttributePosition, AttributeRow},
};

/// The content of a list.
#[derive(Clone, Copy)]
pub(super) enum ListScope {
    /// Attributes, at this position.
    At(AttributePosition),
    /// Arguments of this attribute.
    Of(&'static AttributeRow),
}

impl ListScope {
    /// The message about a name that is not allowed here.
    fn refuses(self, name: &str) -> Option<String> {
        match self {
            Self::At(position) if table::here(position).any(|attribute| attribute.name == name) => None,
            Self::At(position) => Some(suggest::attribute(name, position)),
            Self::Of(attribute) if attribute.arguments().any(|argument| argument == name) => None,
            Self::Of(attribute) => Some(suggest::argument(name, attribute)),
        }
    }

    fn may_repeat(self, name: &str) -> bool {
        matches!(self, Self::At(_)) && table::find(name).is_some_and(|attribute| attribute.repeats)
    }
}

/// The items that the table allows in `scope`, each once unless it may repeat.
pub(super) fn allowed(items: Vec<NestedMeta>, scope: ListScope, errors: &mut Accumulator) -> Vec<NestedMeta> {
    let mut seen = HashSet::new();
    let mut check = |item: &NestedMeta| {
        let path = path(item)?;
        let name = name(path);
        let mistake = match scope.refuses(&name) {
            None if scope.may_repeat(&name) || seen.insert(name.clone()) => None,
            None => Some(format!("`{name}` is given twice; remove one")),
            refused => refused,
        };
        mistake.map_or_else(|| is_complete(item), |mistake| Err(Error::custom(mistake).with_span(path)))
    };
    items.into_iter().filter(|item| errors.handle(check(item)).is_some()).collect()
}

fn path(item: &NestedMeta) -> Result<&Path> {
    match item {
        NestedMeta::Meta(meta) => Ok(meta.path()),
        NestedMeta::NameValueInvalidExpr(invalid) => Ok(&invalid.path),
        NestedMeta::Lit(literal) => {
            Err(Error::custom("expected `name`, `name = value` or `name(...)`").with_span(literal))
        }
    }
}

fn is_complete(item: &NestedMeta) -> Result<()> {
    let NestedMeta::NameValueInvalidExpr(invalid) = item else { return Ok(()) };
    let name = name(&invalid.path);
    Err(if invalid.value.is_empty() {
        let message = format!("`{name}` has no value; write `{name} = ...`");
        Error::custom(message).with_span(&invalid.path)
    } else {
        Error::custom(format!("`{name}` takes an expression")).with_span(&invalid.value.span())
    })
}

/// Reads `name(...)`.
pub(super) fn list<T: FromMeta>(item: &Meta, scope: ListScope) -> Result<T> {
    let Meta::List(list) = item else { return Err(malformed(item)) };
    let items = NestedMeta::parse_meta_list(list.tokens.clone()).map_err(|error| match scope {
        ListScope::At(_) => error.into(),
        // The parser does not know the arguments: `range(0..5)`.
        ListScope::Of(_) => malformed(item),
    })?;
    if let (true, ListScope::Of(attribute)) = (items.is_empty(), scope) {
        let message = format!("nothing is asked for; write `{}`", attribute.form());
        return Err(Error::custom(message).with_span(&list.path));
    }
    let mut errors = Error::accumulator();
    let items = allowed(items, scope, &mut errors);
    let value = errors.handle(T::from_list(&items));
    match (errors.finish(), value) {
        (Ok(()), Some(value)) => Ok(value),
        (Ok(()), None) => Err(malformed(item)),
        (Err(error), _) => Err(error),
    }
}

/// The message about an attribute or argument in a wrong form.
pub(super) fn malformed(item: &Meta) -> Error {
    let name = name(item.path());
    let message = match table::find(&name) {
        Some(attribute) if attribute.form() == name => format!("`{name}` takes no value"),
        Some(attribute) => format!("`{name}` is written `{}`", attribute.form()),
        None => format!("`{name}` is written `{name} = ...`"),
    };
    match item {
        Meta::NameValue(meta) => Error::custom(message).with_span(&meta.value),
        item => Error::custom(message).with_span(item),
    }
}
