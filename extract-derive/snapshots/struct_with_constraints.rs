/// One invoice, as printed.
#[extract(rule = total_is_the_sum)]
struct Invoice {
    /// Number printed at the top right.
    #[extract(pattern = r"^INV-\d{4}$", example = "INV-2041")]
    number: String,
    #[extract(one_of = ["EUR", "USD", "GBP"])]
    currency: Option<String>,
    #[extract(length(min = 1))]
    lines: Vec<Line>,
    #[extract(range(min = 0.0), check = has_two_decimals)]
    total: f64,
}

// ---- expands to ----

const _: () = {
    use ::extract::__private as __extract;
    #[automatically_derived]
    impl __extract::Derived for Invoice {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::Refusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = __extract::NoContext;
        type __ExtractGrowth = __extract::Whole;
        fn __extract_schema_name() -> __extract::Text<'static> {
            __extract::Cow::Borrowed("Invoice")
        }
        fn __extract_json_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Schema {
            __extract::struct_(
                __extract_generator,
                __extract::Shape::Named(
                    &[
                        __extract::Property::new(
                                "number",
                                <String as __extract::Derived>::__EXTRACT_SOURCE,
                            )
                            .keywords(
                                &[
                                    __extract::Keyword::Description(
                                        "Number printed at the top right.",
                                    ),
                                    __extract::Keyword::Pattern(
                                        (
                                            <String as __extract::AcceptsPattern>::TEXT,
                                            r"^INV-\d{4}$",
                                        )
                                            .1,
                                    ),
                                    __extract::Keyword::Examples(
                                        __extract::text_example("INV-2041"),
                                    ),
                                ],
                            ),
                        __extract::Property::new(
                                "currency",
                                <Option<String> as __extract::Derived>::__EXTRACT_SOURCE,
                            )
                            .keywords(
                                &[
                                    __extract::Keyword::OneOf(
                                        __extract::values(&["EUR", "USD", "GBP"]),
                                    ),
                                ],
                            ),
                        __extract::Property::new(
                                "lines",
                                <Vec<Line> as __extract::Derived>::__EXTRACT_SOURCE,
                            )
                            .keywords(
                                &[
                                    __extract::Keyword::MinLength(
                                        <Vec<Line> as __extract::AcceptsLength>::LENGTH,
                                        1usize,
                                    ),
                                ],
                            ),
                        __extract::Property::new(
                                "total",
                                <f64 as __extract::Derived>::__EXTRACT_SOURCE,
                            )
                            .keywords(
                                &[
                                    __extract::Keyword::Minimum(
                                        (
                                            <f64 as __extract::AcceptsRange>::NUMBER,
                                            __extract::bound(0.0),
                                        )
                                            .1,
                                    ),
                                ],
                            ),
                    ],
                    false,
                ),
                &[__extract::Keyword::Description("One invoice, as printed.")],
            )
        }
        fn __extract_judge<'value>(
            &'value self,
            __extract_place: &__extract::LazyPath<'_>,
            __extract_judge: &mut __extract::Judge<'value>,
        ) {
            {
                let __extract_at = &__extract_place.key("number");
                <String as __extract::Derived>::__extract_judge(
                    &self.number,
                    __extract_at,
                    __extract_judge,
                );
            }
            {
                let __extract_at = &__extract_place.key("currency");
                <Option<
                    String,
                > as __extract::Derived>::__extract_judge(
                    &self.currency,
                    __extract_at,
                    __extract_judge,
                );
            }
            {
                let __extract_at = &__extract_place.key("lines");
                <Vec<
                    Line,
                > as __extract::Derived>::__extract_judge(
                    &self.lines,
                    __extract_at,
                    __extract_judge,
                );
            }
            {
                let __extract_at = &__extract_place.key("total");
                <f64 as __extract::Derived>::__extract_judge(
                    &self.total,
                    __extract_at,
                    __extract_judge,
                );
                if __extract_judge.is_running() {
                    __extract_judge.record(has_two_decimals(&self.total), __extract_at);
                }
            }
            if __extract_judge.is_running() {
                __extract_judge.record(total_is_the_sum(self), __extract_place);
            }
        }
        fn __extract_healthy<__ExtractUse>(
            __extract_part: &__extract::Part<'_>,
            __extract_healthy: &mut __extract::Healthy<'_>,
        ) {
            <Vec<
                Line,
            > as __extract::Derived>::__extract_part(
                __extract_part.key(&["lines"]),
                __extract_healthy,
                &|_, _, _| {},
            );
            <f64 as __extract::Derived>::__extract_part(
                __extract_part.key(&["total"]),
                __extract_healthy,
                &|__extract_value, __extract_at, __extract_judge| {
                    if __extract_judge.is_running() {
                        __extract_judge
                            .record(has_two_decimals(__extract_value), __extract_at);
                    }
                },
            );
        }
        const __EXTRACT_IS_RECORD: ::core::primitive::bool = true;
    }
    #[automatically_derived]
    impl<__ExtractUse> __extract::HasKeys<__ExtractUse> for Invoice {}
    #[automatically_derived]
    impl __extract::FieldContextChecks for Invoice {
        fn __extract_context_checks() {
            use __extract::NoContextCheck as _;
            __extract::ContextCheck::<String>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<Option<String>>::new()
                .within::<__extract::NoContext>();
            __extract::ContextCheck::<Vec<Line>>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<f64>::new().within::<__extract::NoContext>();
        }
    }
};
