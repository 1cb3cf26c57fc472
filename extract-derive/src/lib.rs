//! The derive macro of `extract`; use it from there.
//!
//! The macro is the only public interface. A type passes these modules: `parse` reads the
//! attributes, `model` interprets them (names, optional parts, positions), `check` rejects
//! mistakes, `expand` generates calls into `extract::__private`.

mod at;
mod case;
mod check;
mod derive;
mod errors;
mod expand;
mod model;
mod parse;
#[cfg(test)]
mod snapshots;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use self::{derive::derive, errors::MistakeCollector};

#[doc = include_str!("../attributes.md")]
#[proc_macro_derive(Extractable, attributes(extract))]
pub fn derive_extractable(input: TokenStream) -> TokenStream {
    derive(&parse_macro_input!(input as DeriveInput)).into()
}

/// The implementation of `extract::at!`, which passes the path of the crate.
#[doc(hidden)]
#[proc_macro]
pub fn at(input: TokenStream) -> TokenStream {
    at::expand(input.into()).into()
}
