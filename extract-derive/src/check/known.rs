//! Types of the standard library, recognised by name.
//!
//! This only gives better errors than the compiler would. The traits in `extract::__private` decide
//! about other types.

use quote::ToTokens;
use syn::{GenericArgument, PathArguments, PathSegment, Type};

/// The JSON form of a type.
#[derive(Debug, Clone, Copy)]
pub(crate) enum JsonKind<'t> {
    Integer(IntegerBounds),
    Float,
    String,
    Boolean,
    Character,
    Sequence(Option<&'t Type>),
    Map(Option<&'t Type>, Option<&'t Type>),
    Unknown,
}

/// The minimum and maximum of an integer type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IntegerBounds {
    pub(crate) min: i128,
    pub(crate) max: i128,
}

/// The kind of a type, ignoring wrappers that serde does not show.
pub(crate) fn kind(ty: &Type) -> JsonKind<'_> {
    let Some(segment) = standard(ty) else {
        return if matches!(ty, Type::Array(_)) { JsonKind::Sequence(None) } else { JsonKind::Unknown };
    };
    let name = segment.ident.to_string();
    if let Some(bounds) = bounds(&name) {
        return JsonKind::Integer(bounds);
    }
    match name.as_str() {
        "f32" | "f64" => JsonKind::Float,
        "bool" => JsonKind::Boolean,
        "char" => JsonKind::Character,
        "String" | "str" => JsonKind::String,
        "Vec" | "VecDeque" | "HashSet" | "BTreeSet" | "LinkedList" | "BinaryHeap" => {
            JsonKind::Sequence(arguments(segment).next())
        }
        "HashMap" | "BTreeMap" => {
            let mut arguments = arguments(segment);
            JsonKind::Map(arguments.next(), arguments.next())
        }
        "Option" | "Box" | "Rc" | "Arc" | "Cow" => arguments(segment).next().map_or(JsonKind::Unknown, kind),
        _ => JsonKind::Unknown,
    }
}

fn bounds(name: &str) -> Option<IntegerBounds> {
    let (min, max) = match name {
        "i8" => (i8::MIN.into(), i8::MAX.into()),
        "i16" => (i16::MIN.into(), i16::MAX.into()),
        "i32" => (i32::MIN.into(), i32::MAX.into()),
        "i64" | "isize" => (i64::MIN.into(), i64::MAX.into()),
        // JSON is read with 64 bits.
        "i128" => (i64::MIN.into(), u64::MAX.into()),
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" | "usize" | "u128" => (0, u64::MAX.into()),
        _ => return None,
    };
    Some(IntegerBounds { min, max })
}

/// The last segment of a path, if it may be one of the standard library.
fn standard(ty: &Type) -> Option<&PathSegment> {
    let path = match ty {
        Type::Path(path) => &path.path,
        Type::Group(group) => return standard(&group.elem),
        Type::Paren(paren) => return standard(&paren.elem),
        _ => return None,
    };
    let first = path.segments.first()?;
    let is_standard =
        path.segments.len() == 1 || first.ident == "std" || first.ident == "core" || first.ident == "alloc";
    path.segments.last().filter(|_| is_standard)
}

fn arguments(segment: &PathSegment) -> impl Iterator<Item = &Type> {
    let arguments = match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => Some(arguments.args.iter()),
        _ => None,
    };
    arguments.into_iter().flatten().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// The type argument of `wrapper<T>`.
pub(crate) fn argument_of<'t>(ty: &'t Type, wrapper: &str) -> Option<&'t Type> {
    standard(ty).filter(|segment| segment.ident == wrapper).and_then(|segment| arguments(segment).next())
}

/// A type as it is usually written.
pub(crate) fn written(ty: &Type) -> String {
    let text = ty.to_token_stream().to_string();
    text.replace(" :: ", "::").replace(" < ", "<").replace(" >", ">").replace(" ,", ",")
}
