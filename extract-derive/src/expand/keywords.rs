//! Constraints, descriptions and examples.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, ExprLit, Lit, LitInt, Type, UnOp};

use super::{at, located};
use crate::{
    check::known,
    model::{FieldModel, SchemaAnnotations},
    parse::{DocText, FieldConstraints, MergeWord, OneOf, SpannedValue},
};

/// Title and description.
pub(super) fn annotations(annotations: &SchemaAnnotations) -> Vec<TokenStream> {
    let title = annotations.title.as_ref().map(|title| quote!(__extract::FieldKeyword::Title(#title)));
    let description = match &annotations.description {
        DocText::None => None,
        DocText::Text(text) => Some(quote!(__extract::FieldKeyword::Description(#text))),
        DocText::Computed(pieces) => {
            Some(quote!(__extract::FieldKeyword::Description(&__extract::doc(::core::concat!(#pieces)))))
        }
    };
    title.into_iter().chain(description).collect()
}

/// All keywords of a field.
pub(super) fn of_field(field: &FieldModel) -> Vec<TokenStream> {
    let ty = &field.ty;
    let mut keywords = annotations(&field.annotations);
    keywords.extend(constraints(&field.attributes.constraints, &quote!(#ty)));
    if field.attributes.sensitive.is_some() {
        keywords.push(quote!(__extract::FieldKeyword::Sensitive));
    }
    if let Some(SpannedValue { at, .. }) = &field.attributes.keep_valid_items {
        let is_sequence = fits(self::at(at), "AcceptsElements", "SEQUENCE", &quote!(#ty));
        keywords.push(quote!((#is_sequence, __extract::FieldKeyword::KeepValidItems).1));
    }
    if field.attributes.key.is_some() {
        keywords.push(quote!(__extract::FieldKeyword::Key));
    }
    if let Some(SpannedValue { at, value }) = &field.attributes.merge {
        keywords.extend(merge(value, self::at(at), &quote!(#ty)));
    }
    if let Some(example) = &field.attributes.example {
        let values = example_values(&example.value.0, ty);
        keywords.push(quote!(__extract::FieldKeyword::Examples(#values)));
    }
    keywords
}

fn merge(policy: &MergeWord, at: Span, ty: &TokenStream) -> Option<TokenStream> {
    let name = match policy {
        MergeWord::First => "first",
        MergeWord::Last => "last",
        MergeWord::Most => "most",
        MergeWord::All => {
            let is_sequence = fits(at, "AcceptsElements", "SEQUENCE", ty);
            return Some(quote!((#is_sequence, __extract::FieldKeyword::Merge("all")).1));
        }
        MergeWord::Greatest(_) => return None,
    };
    Some(quote!(__extract::FieldKeyword::Merge(#name)))
}

/// The constraints on a value of type `ty`. If one does not fit the type, the compiler reports it
/// at the keyword: the type has to implement the trait of the constraint.
pub(super) fn constraints(constraints: &FieldConstraints, ty: &TokenStream) -> Vec<TokenStream> {
    let mut keywords = Vec::new();
    let fits = |at: Span, name: &str, constant: &str| fits(at, name, constant, ty);
    if let Some(SpannedValue { at, value: range }) = &constraints.range {
        let is_number = fits(self::at(at), "AcceptsRange", "NUMBER");
        let bounds = [
            ("Minimum", &range.min),
            ("Maximum", &range.max),
            ("ExclusiveMinimum", &range.exclusive_min),
            ("ExclusiveMaximum", &range.exclusive_max),
        ];
        for (keyword, bound) in bounds {
            if let Some(bound) = bound {
                keywords.push(number(keyword, bound, &is_number));
            }
        }
    }
    if let Some(SpannedValue { at, value }) = &constraints.multiple_of {
        keywords.push(number("MultipleOf", &value.0, &fits(self::at(at), "AcceptsRange", "NUMBER")));
    }
    if let Some(SpannedValue { at, value: length }) = &constraints.length {
        let counted = fits(self::at(at), "AcceptsLength", "LENGTH");
        if let Some(least) = &length.min {
            let least = least.value;
            keywords.push(quote!(__extract::FieldKeyword::MinLength(#counted, #least)));
        }
        if let Some(most) = &length.max {
            let most = most.value;
            keywords.push(quote!(__extract::FieldKeyword::MaxLength(#counted, #most)));
        }
    }
    if let Some(SpannedValue { at, value: pattern }) = &constraints.pattern {
        let (is_text, pattern) = (fits(self::at(at), "AcceptsPattern", "TEXT"), &pattern.0);
        keywords.push(quote!(__extract::FieldKeyword::Pattern((#is_text, #pattern).1)));
    }
    if let Some(SpannedValue { at, value: format }) = &constraints.format {
        let (is_text, format) = (fits(self::at(at), "AcceptsPattern", "TEXT"), &format.0);
        keywords.push(quote!(__extract::FieldKeyword::Format((#is_text, #format).1)));
    }
    if let Some(SpannedValue { at, value: one_of }) = &constraints.one_of {
        let values = match one_of {
            OneOf::Array(array) => {
                let mut array = array.clone();
                array.elems.iter_mut().for_each(|value| *value = wide(value));
                quote_spanned!(self::at(at)=> __extract::values(&#array))
            }
            OneOf::Constant(path) => quote_spanned!(self::at(path)=> __extract::values(&#path)),
        };
        keywords.push(quote!(__extract::FieldKeyword::OneOf(#values)));
    }
    if let Some(SpannedValue { at, .. }) = &constraints.unique {
        let is_sequence = fits(self::at(at), "AcceptsElements", "SEQUENCE");
        keywords.push(quote!((#is_sequence, __extract::FieldKeyword::Unique).1));
    }
    let inside = [
        (&constraints.items, "Items", "AcceptsElements", "Element", "SEQUENCE"),
        (&constraints.keys, "Keys", "AcceptsEntries", "Key", "MAP"),
        (&constraints.values, "Values", "AcceptsEntries", "Value", "MAP"),
    ];
    for (nested, keyword, trait_, part, constant) in inside {
        if let Some(SpannedValue { at, value }) = nested {
            let container = fits(self::at(at), trait_, constant);
            let (keyword, part) = (ident(keyword), ident(part));
            let trait_ = ident(trait_);
            let inner = quote!(<#ty as __extract::#trait_>::#part);
            let inner = self::constraints(&value.0, &inner);
            keywords.push(quote!(__extract::FieldKeyword::#keyword((#container, &[#(#inner),*]).1)));
        }
    }
    keywords
}

fn ident(name: &str) -> syn::Ident {
    syn::Ident::new(name, Span::call_site())
}

fn fits(at: Span, trait_: &str, constant: &str, ty: &TokenStream) -> TokenStream {
    let (trait_, constant) = (ident(trait_), ident(constant));
    let ty = located(ty, &at);
    quote_spanned!(at=> <#ty as __extract::#trait_>::#constant)
}

fn number(keyword: &str, bound: &Expr, is_number: &TokenStream) -> TokenStream {
    let keyword = ident(keyword);
    let bound = wide(bound);
    let value = quote_spanned!(at(&bound)=> __extract::bound(#bound));
    quote!(__extract::FieldKeyword::#keyword((#is_number, #value).1))
}

/// `bound` with the type of a literal that the compiler would take for an `i32` and that is larger.
fn wide(bound: &Expr) -> Expr {
    let mut bound = bound.clone();
    let (sign, literal) = match &mut bound {
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => ("-", &mut *unary.expr),
        other => ("", other),
    };
    if let Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) = literal
        && int.suffix().is_empty()
        && int.base10_parse::<i32>().is_err()
    {
        // The least number of 64 bits has digits that are too many without its sign.
        let written = format!("{sign}{}", int.base10_digits());
        let suffix = match (written.parse::<i64>(), written.parse::<u64>()) {
            (Ok(_), _) => "i64",
            (_, Ok(_)) => "u64",
            _ => "i128",
        };
        *int = LitInt::new(&format!("{}{suffix}", int.base10_digits()), int.span());
    }
    bound
}

/// The JSON of an example. It has the type of the field, and the compiler checks it. A string may
/// be written for anything that is a string in JSON, and the content of an `Option` need not be
/// wrapped.
fn example_values(example: &Expr, ty: &Type) -> TokenStream {
    if let Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) = example {
        return quote!(__extract::text_example(#example));
    }
    let ty = match known::argument_of(ty, "Option") {
        Some(inner) if !is_option(example) => inner,
        _ => ty,
    };
    quote_spanned!(at(example)=> __extract::examples::<#ty>(&#example))
}

fn is_option(example: &Expr) -> bool {
    let path = match example {
        Expr::Call(call) => &*call.func,
        other => other,
    };
    matches!(path, Expr::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == "Some" || segment.ident == "None"))
}
