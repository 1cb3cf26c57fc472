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
    #[allow(unused_imports)]
    use __extract::{NotAsked as _, NotOptional as _};
    #[automatically_derived]
    impl __extract::DerivedType for Invoice {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::SerdeRefusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = __extract::NoContext;
        type __ExtractGrowth = __extract::WholeGrowth;
        fn __extract_schema_name() -> __extract::NameText<'static> {
            __extract::Cow::Borrowed("Invoice")
        }
        fn __extract_json_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Schema {
            __extract::struct_(
                __extract_generator,
                __extract::FieldsShape::Named(
                    &[
                        __extract::FieldProperty::new(
                                "number",
                                __extract::AskedType::<String>::new().source(),
                            )
                            .keywords(
                                &[
                                    __extract::FieldKeyword::Description(
                                        "Number printed at the top right.",
                                    ),
                                    __extract::FieldKeyword::Pattern(
                                        (
                                            <String as __extract::AcceptsPattern>::TEXT,
                                            r"^INV-\d{4}$",
                                        )
                                            .1,
                                    ),
                                    __extract::FieldKeyword::Examples(
                                        __extract::text_example("INV-2041"),
                                    ),
                                ],
                            ),
                        __extract::FieldProperty::new(
                                "currency",
                                __extract::AskedType::<Option<String>>::new().source(),
                            )
                            .keywords(
                                &[
                                    __extract::FieldKeyword::OneOf(
                                        __extract::values(&["EUR", "USD", "GBP"]),
                                    ),
                                ],
                            ),
                        __extract::FieldProperty::new(
                                "lines",
                                __extract::AskedType::<Vec<Line>>::new().source(),
                            )
                            .keywords(
                                &[
                                    __extract::FieldKeyword::MinLength(
                                        <Vec<Line> as __extract::AcceptsLength>::LENGTH,
                                        1usize,
                                    ),
                                ],
                            ),
                        __extract::FieldProperty::new(
                                "total",
                                __extract::AskedType::<f64>::new().source(),
                            )
                            .keywords(
                                &[
                                    __extract::FieldKeyword::Minimum(
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
                &[__extract::FieldKeyword::Description("One invoice, as printed.")],
            )
        }
        const __EXTRACT_RULED: ::core::primitive::bool = true;
        fn __extract_judge<'value>(
            &'value self,
            __extract_place: &__extract::LazyPath<'_>,
            __extract_judge: &mut __extract::RuleJudge<'value>,
        ) {
            {
                let __extract_at = &__extract_place.key("number");
                __extract::AskedType::<String>::new()
                    .judge(&self.number, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.key("currency");
                __extract::AskedType::<Option<String>>::new()
                    .judge(&self.currency, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.key("lines");
                __extract::AskedType::<Vec<Line>>::new()
                    .judge(&self.lines, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.key("total");
                __extract::AskedType::<f64>::new()
                    .judge(&self.total, __extract_at, __extract_judge);
                if __extract_judge.is_running() {
                    __extract::RuleResult::record(
                        has_two_decimals(&self.total),
                        __extract_judge,
                        __extract_at,
                    );
                }
            }
            if __extract_judge.is_running() {
                __extract::RuleResult::record(
                    total_is_the_sum(self),
                    __extract_judge,
                    __extract_place,
                );
            }
        }
        fn __extract_valid_parts<__ExtractUse>(
            __extract_part: &__extract::ValuePart<'_>,
            __extract_valid_parts: &mut __extract::ValidParts<'_>,
        ) {
            __extract::AskedType::<Vec<Line>>::new()
                .part(
                    __extract_part.key(&["lines"]),
                    __extract_valid_parts,
                    &|_, _, _| {},
                );
            __extract::AskedType::<f64>::new()
                .part(
                    __extract_part.key(&["total"]),
                    __extract_valid_parts,
                    &|__extract_value, __extract_at, __extract_judge| {
                        if __extract_judge.is_running() {
                            __extract::RuleResult::record(
                                has_two_decimals(__extract_value),
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
    impl<__ExtractUse> __extract::HasKeys<__ExtractUse> for Invoice {}
    #[automatically_derived]
    impl __extract::FieldContextChecks for Invoice {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        fn __extract_context_checks() {
            use __extract::{
                AskedAnswer as _, IsDerived as _, IsDescribed as _, IsSized as _,
                IsUnsized as _,
            };
            let __extract_answer_0 = (&&__extract::AskedType::<String>::new()).answer();
            <_ as __extract::Accepted<String>>::accept(__extract_answer_0);
            let __extract_answer_1 = (&&__extract::AskedType::<Option<String>>::new())
                .answer();
            let __extract_answer_2 = (&&__extract::AskedType::<String>::new()).answer();
            let __extract_answer_2 = __extract_answer_1.inside(__extract_answer_2);
            <_ as __extract::Accepted<String>>::accept(__extract_answer_2);
            <_ as __extract::Accepted<
                Option<String>,
            >>::accept(__extract_answer_1.after(__extract_answer_2));
            let __extract_answer_3 = (&&__extract::AskedType::<Vec<Line>>::new())
                .answer();
            let __extract_answer_4 = (&&__extract::AskedType::<Line>::new()).answer();
            let __extract_answer_4 = __extract_answer_3.inside(__extract_answer_4);
            <_ as __extract::Accepted<Line>>::accept(__extract_answer_4);
            <_ as __extract::Accepted<
                Vec<Line>,
            >>::accept(__extract_answer_3.after(__extract_answer_4));
            let __extract_answer_5 = (&&__extract::AskedType::<f64>::new()).answer();
            <_ as __extract::Accepted<f64>>::accept(__extract_answer_5);
            #[allow(unused_imports)]
            use __extract::NoContextCheck as _;
            __extract::ContextCheck::<String>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<Option<String>>::new()
                .within::<__extract::NoContext>();
            __extract::ContextCheck::<Vec<Line>>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<f64>::new().within::<__extract::NoContext>();
        }
    }
};
