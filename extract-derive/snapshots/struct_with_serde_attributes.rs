#[serde(rename_all = "camelCase", default)]
struct Order {
    first_name: String,
    #[serde(rename = "nr", alias = "number")]
    order_number: u32,
    #[serde(skip)]
    cache: Vec<u8>,
    #[serde(flatten)]
    rest: Rest,
    #[serde(deserialize_with = "from_text")]
    #[extract(schema_with = text_schema)]
    amount: Amount,
}

// ---- expands to ----

const _: () = {
    use ::extract::__private as __extract;
    #[allow(unused_imports)]
    use __extract::{NotAsked as _, NotOptional as _};
    #[automatically_derived]
    impl __extract::DerivedType for Order {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::SerdeRefusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = __extract::NoContext;
        type __ExtractGrowth = __extract::WholeGrowth;
        fn __extract_schema_name() -> __extract::NameText<'static> {
            __extract::Cow::Borrowed("Order")
        }
        fn __extract_json_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Schema {
            __extract::struct_(
                __extract_generator,
                __extract::FieldsShape::Named(
                    &[
                        __extract::FieldProperty::new(
                                "firstName",
                                __extract::AskedType::<String>::new().source(),
                            )
                            .defaulted(),
                        __extract::FieldProperty::new(
                                "nr",
                                __extract::AskedType::<u32>::new().source(),
                            )
                            .aliases(&["number"])
                            .defaulted(),
                        __extract::FieldProperty::new(
                                "rest",
                                __extract::AskedType::<Rest>::new().source(),
                            )
                            .defaulted()
                            .flat(),
                        __extract::FieldProperty::new(
                                "amount",
                                __extract::SchemaSource::with(text_schema),
                            )
                            .defaulted(),
                    ],
                    false,
                ),
                &[],
            )
        }
        const __EXTRACT_STEPS: &'static [__extract::FieldStep] = &[
            ("first_name", __extract::FieldPosition::Key("firstName")),
            ("order_number", __extract::FieldPosition::Key("nr")),
            ("rest", __extract::FieldPosition::Here),
        ];
        fn __extract_judge<'value>(
            &'value self,
            __extract_place: &__extract::LazyPath<'_>,
            __extract_judge: &mut __extract::RuleJudge<'value>,
        ) {
            {
                let __extract_at = &__extract_place.key("firstName");
                __extract::AskedType::<String>::new()
                    .judge(&self.first_name, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.key("nr");
                __extract::AskedType::<u32>::new()
                    .judge(&self.order_number, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.among();
                __extract::AskedType::<Rest>::new()
                    .judge(&self.rest, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.key("amount");
            }
        }
        fn __extract_valid_parts<__ExtractUse>(
            __extract_part: &__extract::ValuePart<'_>,
            __extract_valid_parts: &mut __extract::ValidParts<'_>,
        ) {
            __extract::AskedType::<Rest>::new()
                .among(__extract_part, __extract_valid_parts);
        }
        const __EXTRACT_IS_RECORD: ::core::primitive::bool = true;
    }
    #[automatically_derived]
    impl<__ExtractUse> __extract::HasKeys<__ExtractUse> for Order {}
    #[automatically_derived]
    impl __extract::FieldContextChecks for Order {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        fn __extract_context_checks() {
            use __extract::{
                AskedAnswer as _, IsDerived as _, IsDescribed as _, IsSized as _,
                IsUnsized as _,
            };
            let __extract_answer_0 = (&&__extract::AskedType::<String>::new()).answer();
            <_ as __extract::Accepted<String>>::accept(__extract_answer_0);
            let __extract_answer_1 = (&&__extract::AskedType::<u32>::new()).answer();
            <_ as __extract::Accepted<u32>>::accept(__extract_answer_1);
            let __extract_answer_2 = (&&__extract::AskedType::<Rest>::new()).answer();
            <_ as __extract::Accepted<Rest>>::accept(__extract_answer_2);
            <_ as __extract::AcceptedAsKeys<
                Rest,
            >>::accept_as_keys((&&__extract::AskedType::<Rest>::new()).answer());
            #[allow(unused_imports)]
            use __extract::NoContextCheck as _;
            __extract::ContextCheck::<String>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<u32>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<Rest>::new().within::<__extract::NoContext>();
        }
    }
};
