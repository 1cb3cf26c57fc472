//! `partial` on types without fields to show.

use crate::{
    MistakeCollector,
    model::{ModelBody, TypeModel},
};

pub(super) fn check(model: &TypeModel, errors: &mut MistakeCollector) {
    let Some(partial) = &model.partial else { return };
    match &model.data {
        ModelBody::Struct(content) if content.present().next().is_none() => {
            errors.report(&partial.at, "there is no field to show while it is written; remove `partial`");
        }
        ModelBody::Struct(content) => {
            let name = &partial.ident;
            for param in model.unused(content) {
                errors.report(
                    param,
                    format!("only a field that serde skips holds a `{param}`, and `{name}` does not have it; remove `partial`"),
                );
            }
        }
        ModelBody::Enum(_) => errors.report(
            &partial.at,
            "an enum is shown when it is complete, so there is nothing to show before; remove `partial`",
        ),
        ModelBody::Proxy(_) => errors.report(
            &partial.at,
            "the JSON is that of the type in `from`, so its fields are written; put `partial` there",
        ),
        ModelBody::Union(_) => {}
    }
}
