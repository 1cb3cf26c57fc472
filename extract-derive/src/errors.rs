//! All mistakes of one type.

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Collects mistakes; they are reported together.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    errors: Vec<syn::Error>,
}

impl Errors {
    /// Notes a mistake at `tokens`, all of which are underlined.
    pub(crate) fn report(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// The mistakes as tokens that make the compiler report them; nothing when there are none.
    pub(crate) fn finish(self) -> Option<TokenStream> {
        let all = self.errors.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        })?;
        Some(all.into_compile_error())
    }
}
