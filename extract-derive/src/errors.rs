//! Collects the mistakes in one type.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{DeriveInput, Ident, Path};

/// The mistakes, which are reported together.
#[derive(Debug, Default)]
pub(crate) struct MistakeCollector {
    mistakes: Vec<syn::Error>,
    /// Mistakes of the type as a whole.
    of_type: Vec<String>,
    hints: Vec<TokenStream>,
    serde_fails: bool,
}

impl MistakeCollector {
    /// Adds a mistake at `tokens`, all of which are underlined.
    pub(crate) fn report(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    /// Adds a mistake at `path` that serde's derive reports too. It has serde's words, because the
    /// compiler prints equal errors once. The hint, which serde does not give, is a warning.
    pub(crate) fn report_as_serde(&mut self, path: &Path, message: impl Display, hint: &str) {
        self.report(path, message);
        self.hints.extend(path.get_ident().and_then(|name| self::hint(name.span(), &name.to_string(), hint)));
        self.leave_to_serde();
    }

    /// The same for a mistake that serde's derive reports for the whole type. The hint is at
    /// `place` and names `name`.
    pub(crate) fn report_of_type_as_serde(&mut self, message: String, place: Span, name: &str, hint: &str) {
        self.of_type.push(message);
        self.hints.extend(self::hint(place, name, hint));
        self.leave_to_serde();
    }

    /// Records that serde's derive fails and reports why. Then the missing `Deserialize` is not a
    /// further mistake.
    pub(crate) fn leave_to_serde(&mut self) {
        self.serde_fails = true;
    }

    pub(crate) fn serde_fails(&self) -> bool {
        self.serde_fails
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        self.mistakes.push(error);
    }

    /// Returns the mistakes as tokens that the compiler reports; `None` without mistakes.
    pub(crate) fn finish(self, input: &DeriveInput) -> Option<TokenStream> {
        let hints = self.hints;
        let of_type = self.of_type.iter().map(|message| syn::Error::new_spanned(input, message));
        let errors = self.mistakes.into_iter().chain(of_type).reduce(|mut all, error| {
            all.combine(error);
            all
        });
        match errors.map(syn::Error::into_compile_error) {
            None if !self.serde_fails => None,
            errors => Some(quote!(#errors #(#hints)*)),
        }
    }
}

/// Returns a warning at `place`. Only the compiler's warning about deprecated items can carry a
/// message.
fn hint(place: Span, name: &str, hint: &str) -> Option<TokenStream> {
    let mut name: Ident = syn::parse_str(name).ok()?;
    name.set_span(place);
    Some(quote_spanned! {place=>
        const _: () = {
            #[deprecated(note = #hint)]
            #[allow(non_upper_case_globals)]
            const #name: () = ();
            #name
        };
    })
}
