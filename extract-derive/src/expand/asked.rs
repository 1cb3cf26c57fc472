//! Asks the compiler whether an agent can be asked for the types of the fields.
//!
//! Generated code names no trait for such a type, because each use would be an error of its own if
//! the trait is missing. It calls methods of `extract::__private::AskedType`, and one function, in
//! which the errors appear, compares the answers.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{GenericArgument, Ident, PathArguments, PathSegment, Type, spanned::Spanned};

use super::{at, behind::feature_of, keyed};
use crate::model::TypeModel;

/// A call of `method` for the type.
pub(super) fn call(ty: &Type, method: &str) -> TokenStream {
    let at = at(ty);
    let method = Ident::new(method, at);
    quote_spanned!(at=> __extract::AskedType::<#ty>::new().#method)
}

/// The traits whose methods these calls mean for a type that an agent cannot be asked for.
pub(super) fn otherwise() -> TokenStream {
    quote! {
        #[allow(unused_imports)]
        use __extract::{NotAsked as _, NotOptional as _};
    }
}

/// The function with the answers, each compared with those for the types inside. An error appears
/// at the innermost type that has one, the first time that the type is named.
///
/// A partial holds the types of the fields, so there the compiler reports them by itself.
pub(super) fn answers(model: &TypeModel) -> TokenStream {
    let constants = model.generics.const_params().map(|param| &param.ident).collect();
    let mut answers = AskedAnswers { constants, ..AskedAnswers::default() };
    let mut seen = BTreeSet::new();
    let asked = if model.partial().is_some() { Vec::new() } else { model.asked() };
    for ty in asked {
        if seen.insert(ty.to_token_stream().to_string()) {
            answers.ask(ty, None);
        }
    }
    let (statements, keys) = (answers.statements, keyed::checks(model));
    if statements.is_empty() && keys.is_empty() {
        return TokenStream::new();
    }
    quote! {
        use __extract::{AskedAnswer as _, IsDerived as _, IsDescribed as _, IsSized as _, IsUnsized as _};
        #(#statements)*
        #keys
    }
}

/// Where to report that an agent cannot be asked for `ty`: at the innermost type that may be the
/// reason, the first time that it is named. So one missing derive is one error, whichever fields
/// need it.
pub(super) fn first_place(model: &TypeModel, ty: &Type) -> Span {
    let innermost = innermost(ty);
    let name = innermost.to_token_stream().to_string();
    let first = model.asked().into_iter().find_map(|ty| named_in(ty, &name));
    place(first.unwrap_or(innermost))
}

fn innermost(ty: &Type) -> &Type {
    let ty = plain(ty);
    let is_string = |ty: &Type| matches!(ty, Type::Path(path) if path.path.is_ident("String"));
    let mut others =
        parts(ty).into_iter().filter(|part| !is_primitive(plain(part)) && !is_string(plain(part)));
    others.next_back().map_or(ty, innermost)
}

/// The first type in `ty` that is written as `name`.
fn named_in<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    let ty = plain(ty);
    if ty.to_token_stream().to_string() == name {
        return Some(ty);
    }
    parts(ty).into_iter().find_map(|part| named_in(part, name))
}

#[derive(Default)]
struct AskedAnswers<'m> {
    /// Where each type is named first.
    places: BTreeMap<String, Span>,
    /// The parameters that are constants.
    constants: BTreeSet<&'m Ident>,
    count: usize,
    statements: Vec<TokenStream>,
}

impl AskedAnswers<'_> {
    /// Asks for `ty`, inside the type with the answer `around`. Returns the name of the answer;
    /// `None` for a type that cannot be the reason why the outer one is not extractable.
    fn ask(&mut self, ty: &Type, around: Option<&Ident>) -> Option<Ident> {
        let ty = plain(ty);
        if around.is_some() && (is_primitive(ty) || self.is_constant(ty)) {
            return None;
        }
        let at = *self.places.entry(ty.to_token_stream().to_string()).or_insert_with(|| place(ty));
        let answer = format_ident!("__extract_answer_{}", self.count, span = at);
        self.count += 1;
        let inside = around.map(|around| quote_spanned!(at=> let #answer = #around.inside(#answer);));
        self.statements.push(quote_spanned! {at=>
            let #answer = (&&__extract::AskedType::<#ty>::new()).answer();
            #inside
        });
        let feature = feature_of(ty);
        let container = feature.map(|feature| feature.container);
        let mut after = quote_spanned!(at=> #answer);
        for part in if container == Some(None) { Vec::new() } else { parts(ty) } {
            let Some(part) = self.ask(part, Some(&answer)) else { continue };
            let part = match container.flatten() {
                Some(feature) => {
                    let feature = Ident::new(feature, at);
                    quote_spanned!(at=> __extract::#feature::weigh(#part))
                }
                None => part.into_token_stream(),
            };
            after = quote_spanned!(at=> #after.after(#part));
        }
        let accepted = match ty {
            Type::Array(_) => "AcceptedArray",
            _ => feature.map_or("Accepted", |feature| feature.accepted),
        };
        let accepted = Ident::new(accepted, at);
        self.statements.push(quote_spanned!(at=> <_ as __extract::#accepted::<#ty>>::accept(#after);));
        Some(answer)
    }

    fn is_constant(&self, ty: &Type) -> bool {
        matches!(ty, Type::Path(path) if path.path.get_ident().is_some_and(|name| self.constants.contains(name)))
    }
}

fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => plain(&group.elem),
        Type::Paren(paren) => plain(&paren.elem),
        ty => ty,
    }
}

/// The last name of a path, else the first token.
fn place(ty: &Type) -> Span {
    match ty {
        Type::Path(path) => path.path.segments.last().map_or_else(|| ty.span(), |last| last.ident.span()),
        ty => ty.span(),
    }
}

/// Returns whether the type is one of the language, which a user hardly replaces.
fn is_primitive(ty: &Type) -> bool {
    const NAMES: [&str; 16] = [
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64",
        "u128", "usize",
    ];
    matches!(ty, Type::Path(path) if path.path.get_ident().is_some_and(|name| NAMES.iter().any(|known| name == known)))
}

/// The types inside, as they are written.
fn parts(ty: &Type) -> Vec<&Type> {
    match ty {
        Type::Path(path) => match path.path.segments.last() {
            Some(PathSegment { ident, arguments: PathArguments::AngleBracketed(arguments) }) => {
                let types = arguments.args.iter().filter_map(argument);
                match inside(ident) {
                    Some(count) => types.take(count).map(sized).collect(),
                    None => types.filter(|ty| is_type(ty)).map(sized).collect(),
                }
            }
            _ => Vec::new(),
        },
        Type::Tuple(tuple) => tuple.elems.iter().collect(),
        Type::Array(array) => vec![&array.elem],
        _ => Vec::new(),
    }
}

fn argument(argument: &GenericArgument) -> Option<&Type> {
    match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

/// The number of arguments, from the first one, that are inside of a well-known container. Its other
/// ones are hashers and allocators.
fn inside(container: &Ident) -> Option<usize> {
    match container.to_string().as_str() {
        "BTreeMap" | "HashMap" | "IndexMap" => Some(2),
        "Arc" | "BTreeSet" | "BinaryHeap" | "Box" | "Cow" | "HashSet" | "IndexSet" | "LinkedList"
        | "Option" | "Rc" | "Vec" | "VecDeque" => Some(1),
        _ => None,
    }
}

/// Returns whether an argument is a type. A single name may also name a constant, which has another
/// case.
fn is_type(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return true };
    path.path.get_ident().is_none_or(|name| {
        let name = name.to_string();
        name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
    })
}

/// Returns the element type of a slice; any other type unchanged.
fn sized(ty: &Type) -> &Type {
    match plain(ty) {
        Type::Slice(slice) => &slice.elem,
        ty => ty,
    }
}
