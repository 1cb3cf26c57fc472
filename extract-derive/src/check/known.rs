//! Types that are known by their name.
//!
//! Only to say more, and sooner, than the compiler would: a type that is not known here is left to the traits in
//! `extract::__private`.

use syn::{GenericArgument, PathArguments, Type};

/// The type argument of `wrapper<T>`.
pub(crate) fn argument_of<'t>(ty: &'t Type, wrapper: &str) -> Option<&'t Type> {
    let Type::Path(path) = ty else { return None };
    let segment = path.path.segments.last().filter(|segment| segment.ident == wrapper)?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}
