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
    #[automatically_derived]
    impl __extract::Derived for Shape {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::Refusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = __extract::NoContext;
        type __ExtractGrowth = __extract::Whole;
        fn __extract_schema_name() -> __extract::Text<'static> {
            __extract::Cow::Borrowed("Shape")
        }
        fn __extract_json_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Schema {
            __extract::enum_(
                __extract_generator,
                __extract::Tagging::Internal("kind"),
                false,
                &[
                    __extract::Variant::new(
                        &["circle"],
                        __extract::Shape::Named(
                            &[
                                __extract::Property::new(
                                        "radius",
                                        <f64 as __extract::Derived>::__EXTRACT_SOURCE,
                                    )
                                    .keywords(
                                        &[
                                            __extract::Keyword::ExclusiveMinimum(
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
                    __extract::Variant::new(
                        &["polygon"],
                        (
                            <Polygon as __extract::HasKeys>::KEYS,
                            __extract::Shape::Newtype(
                                __extract::Property::new(
                                    "",
                                    <Polygon as __extract::Derived>::__EXTRACT_SOURCE,
                                ),
                            ),
                        )
                            .1,
                    ),
                    __extract::Variant::new(&["nothing"], __extract::Shape::Unit),
                ],
                &[],
            )
        }
        fn __extract_judge<'value>(
            &'value self,
            __extract_place: &__extract::LazyPath<'_>,
            __extract_judge: &mut __extract::Judge<'value>,
        ) {
            match self {
                Self::Circle { radius: __extract_0, .. } => {
                    let __extract_base = __extract_place;
                    {
                        let __extract_at = &__extract_base.key("radius");
                        <f64 as __extract::Derived>::__extract_judge(
                            __extract_0,
                            __extract_at,
                            __extract_judge,
                        );
                    }
                    if __extract_judge.is_running() {
                        __extract_judge.record(is_finite(__extract_0), __extract_base);
                    }
                }
                Self::Polygon { 0: __extract_0, .. } => {
                    let __extract_base = __extract_place;
                    {
                        let __extract_at = __extract_base;
                        <Polygon as __extract::Derived>::__extract_judge(
                            __extract_0,
                            __extract_at,
                            __extract_judge,
                        );
                    }
                }
                _ => {}
            }
        }
        fn __extract_healthy<__ExtractUse>(
            __extract_part: &__extract::Part<'_>,
            __extract_healthy: &mut __extract::Healthy<'_>,
        ) {
            if __extract_part.is_tagged("kind", &["polygon"]) {
                <Polygon as __extract::Derived>::__extract_among(
                    __extract_part,
                    __extract_healthy,
                );
            }
        }
    }
    #[automatically_derived]
    impl<__ExtractUse> __extract::HasKeys<__ExtractUse> for Shape {}
    #[automatically_derived]
    impl __extract::FieldContextChecks for Shape {
        fn __extract_context_checks() {
            use __extract::NoContextCheck as _;
            __extract::ContextCheck::<f64>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<Polygon>::new().within::<__extract::NoContext>();
        }
    }
};
