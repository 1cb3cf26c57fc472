#[extract(crate = crate::reexport::extract)]
struct Page<T: Clone, K: HasKey, M, const N: usize = 3>
where
    K: Copy,
{
    items: Vec<T>,
    key: K::Key,
    marker: PhantomData<M>,
}

// ---- expands to ----

const _: () = {
    use crate::reexport::extract::__private as __extract;
    #[automatically_derived]
    impl<T: Clone, K: HasKey, M, const N: usize> __extract::Derived for Page<T, K, M, N>
    where
        K: Copy,
        T: __extract::Described,
        K: 'static,
        M: 'static,
        K::Key: __extract::Described,
    {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::Refusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = (
            <T as __extract::Derived>::__ExtractContext,
            <K::Key as __extract::Derived>::__ExtractContext,
        );
        type __ExtractGrowth = __extract::Whole;
        fn __extract_schema_name() -> __extract::Text<'static> {
            __extract::name(
                "Page",
                &[
                    <T as __extract::Derived>::__extract_schema_name(),
                    __extract::constant(&N),
                ],
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
                            "items",
                            <Vec<T> as __extract::Derived>::__EXTRACT_SOURCE,
                        ),
                        __extract::Property::new(
                            "key",
                            <K::Key as __extract::Derived>::__EXTRACT_SOURCE,
                        ),
                        __extract::Property::new(
                            "marker",
                            <PhantomData<M> as __extract::Derived>::__EXTRACT_SOURCE,
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
                let __extract_at = &__extract_place.key("items");
                <Vec<
                    T,
                > as __extract::Derived>::__extract_judge(
                    &self.items,
                    __extract_at,
                    __extract_judge,
                );
            }
            {
                let __extract_at = &__extract_place.key("key");
                <K::Key as __extract::Derived>::__extract_judge(
                    &self.key,
                    __extract_at,
                    __extract_judge,
                );
            }
            {
                let __extract_at = &__extract_place.key("marker");
                <PhantomData<
                    M,
                > as __extract::Derived>::__extract_judge(
                    &self.marker,
                    __extract_at,
                    __extract_judge,
                );
            }
        }
        fn __extract_healthy<__ExtractUse>(
            __extract_part: &__extract::Part<'_>,
            __extract_healthy: &mut __extract::Healthy<'_>,
        ) {
            <Vec<
                T,
            > as __extract::Derived>::__extract_part(
                __extract_part.key(&["items"]),
                __extract_healthy,
                &|_, _, _| {},
            );
            <K::Key as __extract::Derived>::__extract_part(
                __extract_part.key(&["key"]),
                __extract_healthy,
                &|_, _, _| {},
            );
            <PhantomData<
                M,
            > as __extract::Derived>::__extract_part(
                __extract_part.key(&["marker"]),
                __extract_healthy,
                &|_, _, _| {},
            );
        }
        const __EXTRACT_IS_RECORD: ::core::primitive::bool = true;
    }
    #[automatically_derived]
    impl<
        T: Clone,
        K: HasKey,
        M,
        const N: usize,
        __ExtractUse,
    > __extract::HasKeys<__ExtractUse> for Page<T, K, M, N>
    where
        K: Copy,
        T: __extract::Described,
        K: 'static,
        M: 'static,
        K::Key: __extract::Described,
    {}
    #[automatically_derived]
    impl<T: Clone, K: HasKey, M, const N: usize> __extract::FieldContextChecks
    for Page<T, K, M, N>
    where
        K: Copy,
        T: __extract::Described,
        K: 'static,
        M: 'static,
        K::Key: __extract::Described,
        __extract::NoContext: __extract::Provides<
            <T as __extract::Derived>::__ExtractContext,
        >,
        __extract::NoContext: __extract::Provides<
            <K::Key as __extract::Derived>::__ExtractContext,
        >,
    {
        fn __extract_context_checks() {
            use __extract::NoContextCheck as _;
            __extract::ContextCheck::<Vec<T>>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<K::Key>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<PhantomData<M>>::new()
                .within::<__extract::NoContext>();
        }
    }
};
