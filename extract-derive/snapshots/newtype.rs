/// A name.
struct Name(#[extract(length(min = 1))] String);

// ---- expands to ----

const _: () = {
    use ::extract::__private as __extract;
    #[allow(unused_imports)]
    use __extract::{NotAsked as _, NotOptional as _};
    #[automatically_derived]
    impl __extract::DerivedType for Name {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::SerdeRefusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = __extract::NoContext;
        type __ExtractGrowth = __extract::WholeGrowth;
        fn __extract_schema_name() -> __extract::NameText<'static> {
            __extract::Cow::Borrowed("Name")
        }
        fn __extract_json_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Schema {
            __extract::struct_(
                __extract_generator,
                __extract::FieldsShape::Newtype(
                    __extract::FieldProperty::new(
                            "",
                            __extract::AskedType::<String>::new().source(),
                        )
                        .keywords(
                            &[
                                __extract::FieldKeyword::MinLength(
                                    <String as __extract::AcceptsLength>::LENGTH,
                                    1usize,
                                ),
                            ],
                        ),
                ),
                &[__extract::FieldKeyword::Description("A name.")],
            )
        }
        const __EXTRACT_STEPS: &'static [__extract::FieldStep] = &[
            ("0", __extract::FieldPosition::Here),
        ];
        fn __extract_judge<'value>(
            &'value self,
            __extract_place: &__extract::LazyPath<'_>,
            __extract_judge: &mut __extract::RuleJudge<'value>,
        ) {
            {
                let __extract_at = __extract_place;
                __extract::AskedType::<String>::new()
                    .judge(&self.0, __extract_at, __extract_judge);
            }
        }
        fn __extract_valid_parts<__ExtractUse>(
            __extract_part: &__extract::ValuePart<'_>,
            __extract_valid_parts: &mut __extract::ValidParts<'_>,
        ) {
            __extract::AskedType::<String>::new()
                .valid_parts::<__ExtractUse>(__extract_part, __extract_valid_parts);
        }
        fn __extract_key_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Option<__extract::Schema> {
            let __extract_inner = __extract::AskedType::<String>::new()
                .key_schema(__extract_generator);
            __extract::key(
                __extract_inner,
                &[
                    __extract::FieldKeyword::MinLength(
                        <String as __extract::AcceptsLength>::LENGTH,
                        1usize,
                    ),
                ],
            )
        }
        fn __extract_key(&self) -> __extract::NameText<'_> {
            __extract::AskedType::<String>::new().key(&self.0)
        }
    }
    #[automatically_derived]
    impl<__ExtractUse> __extract::AcceptsRange<__ExtractUse> for Name
    where
        String: __extract::AcceptsRange<__ExtractUse>,
    {}
    #[automatically_derived]
    impl<__ExtractUse> __extract::AcceptsPattern<__ExtractUse> for Name
    where
        String: __extract::AcceptsPattern<__ExtractUse>,
    {}
    #[automatically_derived]
    impl<__ExtractUse> __extract::AcceptsLength<__ExtractUse> for Name
    where
        String: __extract::AcceptsLength<__ExtractUse>,
    {
        const LENGTH: __extract::LengthUnit = <String as __extract::AcceptsLength<
            __ExtractUse,
        >>::LENGTH;
    }
    #[automatically_derived]
    impl<__ExtractUse> __extract::AcceptsElements<__ExtractUse> for Name
    where
        String: __extract::AcceptsElements<__ExtractUse>,
    {
        type Element = <String as __extract::AcceptsElements<__ExtractUse>>::Element;
    }
    #[automatically_derived]
    impl<__ExtractUse> __extract::AcceptsEntries<__ExtractUse> for Name
    where
        String: __extract::AcceptsEntries<__ExtractUse>,
    {
        type Key = <String as __extract::AcceptsEntries<__ExtractUse>>::Key;
        type Value = <String as __extract::AcceptsEntries<__ExtractUse>>::Value;
    }
    #[automatically_derived]
    impl<__ExtractUse> __extract::HasKeys<__ExtractUse> for Name
    where
        String: __extract::HasKeys<__ExtractUse>,
    {}
    #[automatically_derived]
    impl __extract::FieldContextChecks for Name {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        fn __extract_context_checks() {
            use __extract::{
                AskedAnswer as _, IsDerived as _, IsDescribed as _, IsSized as _,
                IsUnsized as _,
            };
            let __extract_answer_0 = (&&__extract::AskedType::<String>::new()).answer();
            <_ as __extract::Accepted<String>>::accept(__extract_answer_0);
            #[allow(unused_imports)]
            use __extract::NoContextCheck as _;
            __extract::ContextCheck::<String>::new().within::<__extract::NoContext>();
        }
    }
};
