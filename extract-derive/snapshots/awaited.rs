#[extract(async_rule = is_registered)]
struct Company {
    #[extract(check = is_short, async_check = is_known)]
    name: String,
}

// ---- expands to ----

const _: () = {
    use ::extract::__private as __extract;
    #[allow(unused_imports)]
    use __extract::{NotAsked as _, NotOptional as _};
    #[automatically_derived]
    impl __extract::DerivedType for Company {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::SerdeRefusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = __extract::NoContext;
        type __ExtractGrowth = __extract::WholeGrowth;
        fn __extract_schema_name() -> __extract::NameText<'static> {
            __extract::Cow::Borrowed("Company")
        }
        fn __extract_json_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Schema {
            __extract::struct_(
                __extract_generator,
                __extract::FieldsShape::Named(
                    &[
                        __extract::FieldProperty::new(
                            "name",
                            __extract::AskedType::<String>::new().source(),
                        ),
                    ],
                    false,
                ),
                &[],
            )
        }
        const __EXTRACT_RULED: ::core::primitive::bool = true;
        fn __extract_judge<'value>(
            &'value self,
            __extract_place: &__extract::LazyPath<'_>,
            __extract_judge: &mut __extract::RuleJudge<'value>,
        ) {
            {
                let __extract_at = &__extract_place.key("name");
                __extract::AskedType::<String>::new()
                    .judge(&self.name, __extract_at, __extract_judge);
                if __extract_judge.is_running() {
                    __extract::RuleResult::record(
                        is_short(&self.name),
                        __extract_judge,
                        __extract_at,
                    );
                }
                {
                    let __extract_argument_0 = &self.name;
                    __extract_judge
                        .defer(move || is_known(__extract_argument_0), __extract_at);
                }
            }
            {
                let __extract_argument_0 = self;
                __extract_judge
                    .defer(move || is_registered(__extract_argument_0), __extract_place);
            }
        }
        fn __extract_valid_parts<__ExtractUse>(
            __extract_part: &__extract::ValuePart<'_>,
            __extract_valid_parts: &mut __extract::ValidParts<'_>,
        ) {
            __extract::AskedType::<String>::new()
                .part(
                    __extract_part.key(&["name"]),
                    __extract_valid_parts,
                    &|__extract_value, __extract_at, __extract_judge| {
                        if __extract_judge.is_running() {
                            __extract::RuleResult::record(
                                is_short(__extract_value),
                                __extract_judge,
                                __extract_at,
                            );
                        }
                    },
                );
        }
        const __EXTRACT_IS_RECORD: ::core::primitive::bool = true;
    }
    #[automatically_derived]
    impl<__ExtractUse> __extract::HasKeys<__ExtractUse> for Company {}
    #[automatically_derived]
    impl __extract::FieldContextChecks for Company {
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
