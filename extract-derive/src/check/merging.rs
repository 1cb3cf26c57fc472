//! `key` and `merge`: how values of several chunks become one.

use syn::{Member, Path};

use super::{length, subject::ConstraintSubject};
use crate::{
    MistakeCollector,
    model::{FieldModel, ModelBody, TypeModel},
    parse::MergeWord,
};

pub(super) fn check(model: &TypeModel, errors: &mut MistakeCollector) {
    let is_enum = matches!(model.data, ModelBody::Enum(_));
    for field in model.fields().into_iter().filter(|field| !field.is_skipped() && !field.is_flat()) {
        if let Some(whole) = merged_whole(field, is_enum) {
            marks(field).for_each(|at| errors.report(at, format!("no effect here, {whole} is merged whole")));
        } else if let Some(merge) = &field.attributes.merge
            && let Some(why) = misfit(&merge.value, field)
        {
            errors.report(&merge.at, why);
        } else if let Some(merge) = &field.attributes.merge
            && matches!(merge.value, MergeWord::All)
            && field.attributes.schema_with.is_none()
        {
            length::check_sequence("merge = all", &merge.at, &ConstraintSubject::field(field), errors);
        }
    }
}

/// Returns why the values of the field cannot be compared.
fn misfit(policy: &MergeWord, field: &FieldModel) -> Option<&'static str> {
    let is_read_otherwise = field.attributes.schema_with.is_some() || field.serde.with.is_some();
    (matches!(policy, MergeWord::Greatest(_)) && is_read_otherwise).then_some(
        "a function cannot compare values that serde reads with a function of the field; give it a type that implements `Deserialize`",
    )
}

/// Returns the kind of value that the field belongs to, if its fields are not merged one by one.
fn merged_whole(field: &FieldModel, is_enum: bool) -> Option<&'static str> {
    match field.member {
        _ if is_enum => Some("a value of an enum"),
        Member::Unnamed(_) => Some("a tuple"),
        Member::Named(_) => None,
    }
}

fn marks(field: &FieldModel) -> impl Iterator<Item = &Path> {
    let key = field.attributes.key.as_ref().map(|key| &key.at);
    key.into_iter().chain(field.attributes.merge.as_ref().map(|merge| &merge.at))
}
