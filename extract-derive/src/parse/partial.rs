//! `partial` and `partial(name = ...)`.

use darling::{Error, FromMeta, Result};
use syn::{Expr, Ident, Meta};

use super::{
    items::{self, ListScope},
    table,
    values::value,
};

/// The requested partial.
#[derive(Debug, Default)]
pub(crate) struct ParsedPartial {
    /// Its name, if given.
    pub(crate) name: Option<Ident>,
}

#[derive(FromMeta)]
struct PartialArguments {
    name: Option<TypeName>,
}

impl FromMeta for ParsedPartial {
    fn from_meta(item: &Meta) -> Result<Self> {
        match item {
            Meta::Path(_) => Ok(Self::default()),
            Meta::List(_) => {
                let attribute = table::find("partial").ok_or_else(|| items::malformed(item))?;
                let PartialArguments { name } = items::list(item, ListScope::Of(attribute))?;
                Ok(Self { name: name.map(|name| name.0) })
            }
            Meta::NameValue(meta) => {
                let message = "`partial` is written `partial` or `partial(name = ...)`";
                Err(Error::custom(message).with_span(&meta.value))
            }
        }
    }
}

/// The name of a new type.
#[derive(Debug)]
struct TypeName(Ident);

impl FromMeta for TypeName {
    fn from_meta(item: &Meta) -> Result<Self> {
        value(item, |expr| match expr {
            Expr::Path(path) if path.qself.is_none() && path.path.get_ident().is_some() => {
                path.path.get_ident().cloned().map(Self).ok_or("a name")
            }
            _ => Err("the name of a new type, such as `Draft`"),
        })
    }
}
