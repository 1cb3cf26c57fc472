//! The way of a type through the modules.

use syn::DeriveInput;

use crate::{MistakeCollector, check, expand, model, parse};

/// Always generates an implementation, together with all mistakes of the type. So a mistake gives
/// one error, and no second one where the type is used.
pub(crate) fn derive(input: &DeriveInput) -> proc_macro2::TokenStream {
    let mut errors = MistakeCollector::default();
    let parsed = parse::type_(input, &mut errors);
    let model = model::type_(parsed, &mut errors);
    check::type_(&model, &mut errors);
    let serde_fails = errors.serde_fails();
    match errors.finish(input) {
        None => expand::implementation(&model),
        Some(messages) => {
            let stub = model.can_be_implemented().then(|| expand::stub(&model, serde_fails));
            quote::quote!(#messages #stub)
        }
    }
}
