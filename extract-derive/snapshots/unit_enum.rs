#[serde(rename_all = "lowercase")]
enum Role {
    /// Who acts.
    Subject,
    #[serde(alias = "predicate")]
    Verb,
    #[serde(skip)]
    Hidden,
}

// ---- expands to ----

const _: () = {
    use ::extract::__private as __extract;
    #[allow(unused_imports)]
    use __extract::{NotAsked as _, NotOptional as _};
    #[automatically_derived]
    impl __extract::DerivedType for Role {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::SerdeRefusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = __extract::NoContext;
        type __ExtractGrowth = __extract::WholeGrowth;
        fn __extract_schema_name() -> __extract::NameText<'static> {
            __extract::Cow::Borrowed("Role")
        }
        fn __extract_json_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Schema {
            __extract::enum_(
                __extract_generator,
                __extract::EnumTagging::External,
                false,
                &[
                    __extract::EnumVariant::new(
                            &["subject"],
                            __extract::FieldsShape::Unit,
                        )
                        .keywords(&[__extract::FieldKeyword::Description("Who acts.")]),
                    __extract::EnumVariant::new(
                        &["verb", "predicate"],
                        __extract::FieldsShape::Unit,
                    ),
                ],
                &[],
            )
        }
        fn __extract_key(&self) -> __extract::NameText<'_> {
            __extract::Cow::Borrowed(
                match self {
                    Self::Subject => "subject",
                    Self::Verb => "verb",
                    _ => "*",
                },
            )
        }
    }
    #[automatically_derived]
    impl<__ExtractUse> __extract::HasKeys<__ExtractUse> for Role {}
};
