//! The derive macro of `extract`; use it from there.

use proc_macro::TokenStream;

/// Makes a type one that an agent can be asked for.
#[proc_macro_derive(Extractable, attributes(extract))]
pub fn derive_extractable(_input: TokenStream) -> TokenStream {
    TokenStream::new()
}
