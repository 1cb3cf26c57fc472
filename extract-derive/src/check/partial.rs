//! `partial` on types without fields to show.

use crate::{
    Errors,
    model::{Data, Model},
};

pub(super) fn check(model: &Model, errors: &mut Errors) {
    let Some(partial) = &model.partial else { return };
    match &model.data {
        Data::Struct(content) if content.present().next().is_none() => {
            errors.report(&partial.at, "there is no field to show while it is written; remove `partial`");
        }
        Data::Struct(content) => {
            let name = &partial.ident;
            for param in model.unused(content) {
                errors.report(
                    param,
                    format!("only a field that serde skips holds a `{param}`, and `{name}` does not have it; remove `partial`"),
                );
            }
        }
        Data::Enum(_) => errors.report(
            &partial.at,
            "an enum is shown when it is complete, so there is nothing to show before; remove `partial`",
        ),
        Data::Proxy(_) => errors.report(
            &partial.at,
            "the JSON is that of the type in `from`, so its fields are written; put `partial` there",
        ),
        Data::Union(_) => {}
    }
}
