//! Attributes on fields and variants that are not in the JSON.

use crate::{
    MistakeCollector,
    model::{ModelBody, TypeModel},
};

pub(super) fn check(model: &TypeModel, errors: &mut MistakeCollector) {
    let mut refuse = |at: &syn::Path, what: &str| {
        errors
            .report(at, format!("no effect here, serde skips this {what}; remove the attribute or the skip"));
    };
    for field in model.fields().into_iter().filter(|field| field.is_skipped()) {
        field.written.iter().for_each(|at| refuse(at, "field"));
    }
    if let ModelBody::Enum(data) = &model.data {
        for variant in data.variants.iter().filter(|variant| variant.skip.is_some()) {
            variant.written.iter().for_each(|at| refuse(at, "variant"));
        }
    }
}
