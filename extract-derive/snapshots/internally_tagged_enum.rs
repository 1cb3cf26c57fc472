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
                                        __extract::Asked::<f64>::new().source(),
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
                        __extract::Shape::Newtype(
                            __extract::Property::new(
                                "",
                                __extract::Asked::<Polygon>::new().source(),
                            ),
                        ),
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
                        __extract::Asked::<f64>::new()
                            .judge(__extract_0, __extract_at, __extract_judge);
                    }
                    if __extract_judge.is_running() {
                        __extract::Judged::record(
                            is_finite(__extract_0),
                            __extract_judge,
                            __extract_base,
                        );
                    }
                }
                Self::Polygon { 0: __extract_0, .. } => {
                    let __extract_base = __extract_place;
                    {
                        let __extract_at = __extract_base;
                        __extract::Asked::<Polygon>::new()
                            .judge(__extract_0, __extract_at, __extract_judge);
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
                __extract::Asked::<Polygon>::new()
                    .among(__extract_part, __extract_healthy);
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
                Answer as _, IsDerived as _, IsDescribed as _, IsSized as _,
                IsUnsized as _,
            };
            let __extract_answer_0 = (&&__extract::Asked::<f64>::new()).answer();
            <_ as __extract::Accepted<f64>>::accept(__extract_answer_0);
            let __extract_answer_1 = (&&__extract::Asked::<Polygon>::new()).answer();
            <_ as __extract::Accepted<Polygon>>::accept(__extract_answer_1);
            <_ as __extract::AcceptedAsKeys<
                Polygon,
            >>::accept_as_keys((&&__extract::Asked::<Polygon>::new()).answer());
            #[allow(unused_imports)]
            use __extract::NoContextCheck as _;
            __extract::ContextCheck::<f64>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<Polygon>::new().within::<__extract::NoContext>();
        }
    }
};
