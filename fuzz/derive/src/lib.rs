//! The derive macro as a library. A proc-macro crate cannot be called, so its modules are compiled
//! here a second time.

#![forbid(unsafe_code)]
#![allow(dead_code, reason = "what the crate of the macro uses is not all used here")]

#[path = "../../../extract-derive/src/at/mod.rs"]
mod at;
#[path = "../../../extract-derive/src/case.rs"]
mod case;
#[path = "../../../extract-derive/src/check/mod.rs"]
mod check;
#[path = "../../../extract-derive/src/derive.rs"]
mod derive;
#[path = "../../../extract-derive/src/errors.rs"]
mod errors;
#[path = "../../../extract-derive/src/expand/mod.rs"]
mod expand;
#[path = "../../../extract-derive/src/model/mod.rs"]
mod model;
#[path = "../../../extract-derive/src/parse/mod.rs"]
mod parse;

use proc_macro2::TokenStream;

use self::errors::MistakeCollector;

/// The code that `#[derive(Extractable)]` generates for the item `input`; `None` if it is not an
/// item, which the compiler would not pass to a derive.
pub fn of_item(input: TokenStream) -> Option<TokenStream> {
    syn::parse2(input).ok().map(|input| derive::derive(&input))
}

/// The code that `at!` generates.
pub fn of_place(input: TokenStream) -> TokenStream {
    at::expand(input)
}

/// Whether the compiler could parse the code as items.
pub fn is_file(generated: TokenStream) -> bool {
    syn::parse2::<syn::File>(generated).is_ok()
}

/// Whether the compiler could parse the code as an expression.
pub fn is_expression(generated: TokenStream) -> bool {
    syn::parse2::<syn::Expr>(generated).is_ok()
}
