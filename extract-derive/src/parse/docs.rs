//! Doc comments.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The text of the doc comments of an item.
#[derive(Debug)]
pub(crate) enum DocText {
    None,
    Text(String),
    /// The arguments of a `concat!`: one of the attributes is a macro call, such as `include_str!`.
    Computed(TokenStream),
}

impl DocText {
    pub(super) fn read(attributes: &[Attribute]) -> Self {
        let mut text = String::new();
        let mut pieces = TokenStream::new();
        let mut is_computed = false;
        for attribute in super::named(attributes, "doc") {
            let Meta::NameValue(meta) = &attribute.meta else { continue };
            if let Expr::Lit(ExprLit { lit: Lit::Str(line), .. }) = &meta.value {
                let line = line.value();
                let line = unindent(&line);
                text.push_str(&line);
                text.push('\n');
                pieces.extend(quote!(#line, "\n",));
            } else {
                is_computed = true;
                meta.value.to_tokens(&mut pieces);
                pieces.extend(quote!(, "\n",));
            }
        }
        let text = text.trim();
        match (is_computed, text.is_empty()) {
            (true, _) => Self::Computed(pieces),
            (false, true) => Self::None,
            (false, false) => Self::Text(text.to_owned()),
        }
    }
}

/// `/// text` arrives as `" text"`; a block comment arrives whole, with a star before each line at
/// most.
fn unindent(doc: &str) -> String {
    if !doc.contains('\n') {
        return doc.strip_prefix(' ').unwrap_or(doc).trim_end().to_owned();
    }
    let lines = doc.lines().map(|line| {
        let line = line.trim_start();
        line.strip_prefix("* ").or_else(|| line.strip_prefix('*')).unwrap_or(line).trim_end()
    });
    lines.collect::<Vec<_>>().join("\n")
}
