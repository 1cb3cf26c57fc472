#[serde(tag = "kind", rename_all = "snake_case")]
enum Shape {
    #[extract(rule = is_finite)]
    Circle {
        #[extract(range(exclusive_min = 0.0))]
        radius: f64,
    },
    Polygon(Polygon),
    Nothing,
}

// ---- expands to ----

const _: () = {
    use ::extract::__private as __extract;
    #[allow(unused_imports)]
    use __extract::{NotAsked as _, NotOptional as _};
    #[automatically_derived]
    impl __extract::DerivedType for Shape {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::SerdeRefusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = __extract::NoContext;
        type __ExtractGrowth = __extract::WholeGrowth;
        fn __extract_schema_name() -> __extract::NameText<'static> {
            __extract::Cow::Borrowed("Shape")
        }
        fn __extract_json_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Schema {
            __extract::enum_(
                __extract_generator,
                __extract::EnumTagging::Internal("kind"),
                false,
                &[
                    __extract::EnumVariant::new(
                        &["circle"],
                        __extract::FieldsShape::Named(
                            &[
                                __extract::FieldProperty::new(
                                        "radius",
                                        __extract::AskedType::<f64>::new().source(),
                                    )
                                    .keywords(
                                        &[
                                            __extract::FieldKeyword::ExclusiveMinimum(
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
                    ),
                    __extract::EnumVariant::new(
                        &["polygon"],
                        __extract::FieldsShape::Newtype(
                            __extract::FieldProperty::new(
                                "",
                                __extract::AskedType::<Polygon>::new().source(),
                            ),
                        ),
                    ),
                    __extract::EnumVariant::new(
                        &["nothing"],
                        __extract::FieldsShape::Unit,
                    ),
                ],
                &[],
            )
        }
        const __EXTRACT_RULED: ::core::primitive::bool = true;
        fn __extract_judge<'value>(
            &'value self,
            __extract_place: &__extract::LazyPath<'_>,
            __extract_judge: &mut __extract::RuleJudge<'value>,
        ) {
            match self {
                Self::Circle { radius: __extract_0, .. } => {
                    let __extract_base = &__extract_place.among();
                    {
                        let __extract_at = &__extract_base.key("radius");
                        __extract::AskedType::<f64>::new()
                            .judge(__extract_0, __extract_at, __extract_judge);
                    }
                    if __extract_judge.is_running() {
                        __extract::RuleResult::record(
                            is_finite(__extract_0),
                            __extract_judge,
                            __extract_base,
                        );
                    }
                }
                Self::Polygon { 0: __extract_0, .. } => {
                    let __extract_base = &__extract_place.among();
                    {
                        let __extract_at = __extract_base;
                        __extract::AskedType::<Polygon>::new()
                            .judge(__extract_0, __extract_at, __extract_judge);
                    }
                }
                _ => {}
            }
        }
        fn __extract_valid_parts<__ExtractUse>(
            __extract_part: &__extract::ValuePart<'_>,
            __extract_valid_parts: &mut __extract::ValidParts<'_>,
        ) {
            if __extract_part.is_tagged("kind", &["polygon"]) {
                __extract::AskedType::<Polygon>::new()
                    .among(__extract_part, __extract_valid_parts);
            }
        }
    }
    #[automatically_derived]
    impl<__ExtractUse> __extract::HasKeys<__ExtractUse> for Shape {}
    #[automatically_derived]
    impl __extract::FieldContextChecks for Shape {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        fn __extract_context_checks() {
            use __extract::{
                AskedAnswer as _, IsDerived as _, IsDescribed as _, IsSized as _,
                IsUnsized as _,
            };
            let __extract_answer_0 = (&&__extract::AskedType::<f64>::new()).answer();
            <_ as __extract::Accepted<f64>>::accept(__extract_answer_0);
            let __extract_answer_1 = (&&__extract::AskedType::<Polygon>::new()).answer();
            <_ as __extract::Accepted<Polygon>>::accept(__extract_answer_1);
            <_ as __extract::AcceptedAsKeys<
                Polygon,
            >>::accept_as_keys((&&__extract::AskedType::<Polygon>::new()).answer());
            #[allow(unused_imports)]
            use __extract::NoContextCheck as _;
            __extract::ContextCheck::<f64>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<Polygon>::new().within::<__extract::NoContext>();
        }
    }
};
