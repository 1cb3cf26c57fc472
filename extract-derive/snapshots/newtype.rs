/// A name.
struct Name(#[extract(length(min = 1))] String);

// ---- expands to ----

const _: () = {
    use ::extract::__private as __extract;
    #[allow(unused_imports)]
    use __extract::{NotAsked as _, NotOptional as _};
    #[automatically_derived]
    impl __extract::Derived for Name {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::Refusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = __extract::NoContext;
        type __ExtractGrowth = __extract::Whole;
        fn __extract_schema_name() -> __extract::Text<'static> {
            __extract::Cow::Borrowed("Name")
        }
        fn __extract_json_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Schema {
            __extract::struct_(
                __extract_generator,
                __extract::Shape::Newtype(
                    __extract::Property::new(
                            "",
                            __extract::Asked::<String>::new().source(),
                        )
                        .keywords(
                            &[
                                __extract::Keyword::MinLength(
                                    <String as __extract::AcceptsLength>::LENGTH,
                                    1usize,
                                ),
                            ],
                        ),
                ),
                &[__extract::Keyword::Description("A name.")],
            )
        }
        const __EXTRACT_STEPS: &'static [__extract::Named] = &[
            ("0", __extract::Step::Here),
        ];
        fn __extract_judge<'value>(
            &'value self,
            __extract_place: &__extract::LazyPath<'_>,
            __extract_judge: &mut __extract::Judge<'value>,
        ) {
            {
                let __extract_at = __extract_place;
                __extract::Asked::<String>::new()
                    .judge(&self.0, __extract_at, __extract_judge);
            }
        }
        fn __extract_healthy<__ExtractUse>(
            __extract_part: &__extract::Part<'_>,
            __extract_healthy: &mut __extract::Healthy<'_>,
        ) {
            __extract::Asked::<String>::new()
                .healthy::<__ExtractUse>(__extract_part, __extract_healthy);
        }
        fn __extract_key_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Option<__extract::Schema> {
            let __extract_inner = __extract::Asked::<String>::new()
                .key_schema(__extract_generator);
            __extract::key(
                __extract_inner,
                &[
                    __extract::Keyword::MinLength(
                        <String as __extract::AcceptsLength>::LENGTH,
                        1usize,
                    ),
                ],
            )
        }
        fn __extract_key(&self) -> __extract::Text<'_> {
            __extract::Asked::<String>::new().key(&self.0)
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
        const LENGTH: __extract::Length = <String as __extract::AcceptsLength<
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
                Answer as _, IsDerived as _, IsDescribed as _, IsSized as _,
                IsUnsized as _,
            };
            let __extract_answer_0 = (&&__extract::Asked::<String>::new()).answer();
            <_ as __extract::Accepted<String>>::accept(__extract_answer_0);
            #[allow(unused_imports)]
            use __extract::NoContextCheck as _;
            __extract::ContextCheck::<String>::new().within::<__extract::NoContext>();
        }
    }
};
