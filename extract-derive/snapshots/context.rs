#[extract(context = shop::Catalogue, rule = is_in_stock)]
struct Line<T> {
    #[extract(check = is_known)]
    part: String,
    more: Vec<T>,
    parent: Option<Box<Self>>,
}

// ---- expands to ----

const _: () = {
    use ::extract::__private as __extract;
    #[automatically_derived]
    impl<T> __extract::Derived for Line<T>
    where
        T: __extract::Described,
    {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::Refusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = (
            __extract::Needs<shop::Catalogue>,
            <T as __extract::Derived>::__ExtractContext,
        );
        type __ExtractGrowth = __extract::Whole;
        fn __extract_schema_name() -> __extract::Text<'static> {
            __extract::name(
                "Line",
                &[<T as __extract::Derived>::__extract_schema_name()],
            )
        }
        fn __extract_json_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Schema {
            __extract::struct_(
                __extract_generator,
                __extract::Shape::Named(
                    &[
                        __extract::Property::new(
                            "part",
                            <String as __extract::Derived>::__EXTRACT_SOURCE,
                        ),
                        __extract::Property::new(
                            "more",
                            <Vec<T> as __extract::Derived>::__EXTRACT_SOURCE,
                        ),
                        __extract::Property::new(
                            "parent",
                            <Option<Box<Self>> as __extract::Derived>::__EXTRACT_SOURCE,
                        ),
                    ],
                    false,
                ),
                &[],
            )
        }
        fn __extract_judge<'value>(
            &'value self,
            __extract_place: &__extract::LazyPath<'_>,
            __extract_judge: &mut __extract::Judge<'value>,
        ) {
            {
                let __extract_at = &__extract_place.key("part");
                <String as __extract::Derived>::__extract_judge(
                    &self.part,
                    __extract_at,
                    __extract_judge,
                );
                if let __extract::Option::Some(__extract_context) = __extract_judge
                    .context_if_running::<shop::Catalogue>()
                {
                    __extract_judge
                        .record(is_known(&self.part, __extract_context), __extract_at);
                }
            }
            {
                let __extract_at = &__extract_place.key("more");
                <Vec<
                    T,
                > as __extract::Derived>::__extract_judge(
                    &self.more,
                    __extract_at,
                    __extract_judge,
                );
            }
            {
                let __extract_at = &__extract_place.key("parent");
                <Option<
                    Box<Self>,
                > as __extract::Derived>::__extract_judge(
                    &self.parent,
                    __extract_at,
                    __extract_judge,
                );
            }
            if let __extract::Option::Some(__extract_context) = __extract_judge
                .context_if_running::<shop::Catalogue>()
            {
                __extract_judge
                    .record(is_in_stock(self, __extract_context), __extract_place);
            }
        }
        fn __extract_healthy<__ExtractUse>(
            __extract_part: &__extract::Part<'_>,
            __extract_healthy: &mut __extract::Healthy<'_>,
        ) {
            <String as __extract::Derived>::__extract_part(
                __extract_part.key(&["part"]),
                __extract_healthy,
                &|__extract_value, __extract_at, __extract_judge| {
                    if let __extract::Option::Some(__extract_context) = __extract_judge
                        .context_if_running::<shop::Catalogue>()
                    {
                        __extract_judge
                            .record(
                                is_known(__extract_value, __extract_context),
                                __extract_at,
                            );
                    }
                },
            );
            <Vec<
                T,
            > as __extract::Derived>::__extract_part(
                __extract_part.key(&["more"]),
                __extract_healthy,
                &|_, _, _| {},
            );
            <Option<
                Box<Self>,
            > as __extract::Derived>::__extract_part(
                __extract_part.key(&["parent"]),
                __extract_healthy,
                &|_, _, _| {},
            );
        }
        const __EXTRACT_IS_RECORD: ::core::primitive::bool = true;
    }
    #[automatically_derived]
    impl<T, __ExtractUse> __extract::HasKeys<__ExtractUse> for Line<T>
    where
        T: __extract::Described,
    {}
    #[automatically_derived]
    impl<T> __extract::FieldContextChecks for Line<T>
    where
        T: __extract::Described,
        shop::Catalogue: __extract::Provides<
            <T as __extract::Derived>::__ExtractContext,
        >,
    {
        fn __extract_context_checks() {
            use __extract::NoContextCheck as _;
            __extract::ContextCheck::<String>::new().within::<shop::Catalogue>();
            __extract::ContextCheck::<Vec<T>>::new().within::<shop::Catalogue>();
            __extract::ContextCheck::<Option<Box<Self>>>::new()
                .within::<shop::Catalogue>();
        }
    }
};
