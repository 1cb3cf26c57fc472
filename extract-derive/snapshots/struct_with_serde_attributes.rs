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
    #[automatically_derived]
    impl __extract::Derived for Order {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::Refusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = __extract::NoContext;
        type __ExtractGrowth = __extract::Whole;
        fn __extract_schema_name() -> __extract::Text<'static> {
            __extract::Cow::Borrowed("Order")
        }
        fn __extract_json_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Schema {
            __extract::struct_(
                __extract_generator,
                __extract::Shape::Named(
                    &[
                        __extract::Property::new(
                                "firstName",
                                <String as __extract::Derived>::__EXTRACT_SOURCE,
                            )
                            .defaulted(),
                        __extract::Property::new(
                                "nr",
                                <u32 as __extract::Derived>::__EXTRACT_SOURCE,
                            )
                            .aliases(&["number"])
                            .defaulted(),
                        (
                            <Rest as __extract::HasKeys>::KEYS,
                            __extract::Property::new(
                                    "rest",
                                    <Rest as __extract::Derived>::__EXTRACT_SOURCE,
                                )
                                .defaulted()
                                .flat(),
                        )
                            .1,
                        __extract::Property::new(
                                "amount",
                                __extract::Source::with(text_schema),
                            )
                            .defaulted(),
                    ],
                    false,
                ),
                &[],
            )
        }
        const __EXTRACT_STEPS: &'static [__extract::Named] = &[
            ("first_name", __extract::Step::Key("firstName")),
            ("order_number", __extract::Step::Key("nr")),
            ("rest", __extract::Step::Here),
        ];
        fn __extract_judge<'value>(
            &'value self,
            __extract_place: &__extract::LazyPath<'_>,
            __extract_judge: &mut __extract::Judge<'value>,
        ) {
            {
                let __extract_at = &__extract_place.key("firstName");
                <String as __extract::Derived>::__extract_judge(
                    &self.first_name,
                    __extract_at,
                    __extract_judge,
                );
            }
            {
                let __extract_at = &__extract_place.key("nr");
                <u32 as __extract::Derived>::__extract_judge(
                    &self.order_number,
                    __extract_at,
                    __extract_judge,
                );
            }
            {
                let __extract_at = __extract_place;
                <Rest as __extract::Derived>::__extract_judge(
                    &self.rest,
                    __extract_at,
                    __extract_judge,
                );
            }
            {
                let __extract_at = &__extract_place.key("amount");
            }
        }
        fn __extract_healthy<__ExtractUse>(
            __extract_part: &__extract::Part<'_>,
            __extract_healthy: &mut __extract::Healthy<'_>,
        ) {
            <Rest as __extract::Derived>::__extract_among(
                __extract_part,
                __extract_healthy,
            );
        }
        const __EXTRACT_IS_RECORD: ::core::primitive::bool = true;
    }
    #[automatically_derived]
    impl<__ExtractUse> __extract::HasKeys<__ExtractUse> for Order {}
    #[automatically_derived]
    impl __extract::FieldContextChecks for Order {
        fn __extract_context_checks() {
            use __extract::NoContextCheck as _;
            __extract::ContextCheck::<String>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<u32>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<Rest>::new().within::<__extract::NoContext>();
        }
    }
};
