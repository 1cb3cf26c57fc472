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
    #[allow(unused_imports)]
    use __extract::{NotAsked as _, NotOptional as _};
    #[automatically_derived]
    impl<T: Clone, K: HasKey, M, const N: usize> __extract::DerivedType
    for Page<T, K, M, N>
    where
        K: Copy,
        T: __extract::DescribedType,
        K: 'static,
        M: 'static,
        K::Key: __extract::DescribedType,
    {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::SerdeRefusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = (
            <T as __extract::DerivedType>::__ExtractContext,
            <K::Key as __extract::DerivedType>::__ExtractContext,
        );
        type __ExtractGrowth = __extract::WholeGrowth;
        fn __extract_schema_name() -> __extract::NameText<'static> {
            __extract::name(
                "Page",
                &[
                    <T as __extract::DerivedType>::__extract_schema_name(),
                    __extract::constant(&N),
                ],
            )
        }
        fn __extract_json_schema(
            __extract_generator: &mut __extract::SchemaGenerator,
        ) -> __extract::Schema {
            __extract::struct_(
                __extract_generator,
                __extract::FieldsShape::Named(
                    &[
                        __extract::FieldProperty::new(
                            "items",
                            __extract::AskedType::<Vec<T>>::new().source(),
                        ),
                        __extract::FieldProperty::new(
                            "key",
                            __extract::AskedType::<K::Key>::new().source(),
                        ),
                        __extract::FieldProperty::new(
                            "marker",
                            __extract::AskedType::<PhantomData<M>>::new().source(),
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
            __extract_judge: &mut __extract::RuleJudge<'value>,
        ) {
            {
                let __extract_at = &__extract_place.key("items");
                __extract::AskedType::<Vec<T>>::new()
                    .judge(&self.items, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.key("key");
                __extract::AskedType::<K::Key>::new()
                    .judge(&self.key, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.key("marker");
                __extract::AskedType::<PhantomData<M>>::new()
                    .judge(&self.marker, __extract_at, __extract_judge);
            }
        }
        fn __extract_valid_parts<__ExtractUse>(
            __extract_part: &__extract::ValuePart<'_>,
            __extract_valid_parts: &mut __extract::ValidParts<'_>,
        ) {
            __extract::AskedType::<Vec<T>>::new()
                .part(
                    __extract_part.key(&["items"]),
                    __extract_valid_parts,
                    &|_, _, _| {},
                );
            __extract::AskedType::<K::Key>::new()
                .part(
                    __extract_part.key(&["key"]),
                    __extract_valid_parts,
                    &|_, _, _| {},
                );
            __extract::AskedType::<PhantomData<M>>::new()
                .part(
                    __extract_part.key(&["marker"]),
                    __extract_valid_parts,
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
        T: __extract::DescribedType,
        K: 'static,
        M: 'static,
        K::Key: __extract::DescribedType,
    {}
    #[automatically_derived]
    impl<T: Clone, K: HasKey, M, const N: usize> __extract::FieldContextChecks
    for Page<T, K, M, N>
    where
        K: Copy,
        T: __extract::DescribedType,
        K: 'static,
        M: 'static,
        K::Key: __extract::DescribedType,
        __extract::NoContext: __extract::ProvidesContext<
            <T as __extract::DerivedType>::__ExtractContext,
        >,
        __extract::NoContext: __extract::ProvidesContext<
            <K::Key as __extract::DerivedType>::__ExtractContext,
        >,
    {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        fn __extract_context_checks() {
            use __extract::{
                AskedAnswer as _, IsDerived as _, IsDescribed as _, IsSized as _,
                IsUnsized as _,
            };
            let __extract_answer_0 = (&&__extract::AskedType::<Vec<T>>::new()).answer();
            let __extract_answer_1 = (&&__extract::AskedType::<T>::new()).answer();
            let __extract_answer_1 = __extract_answer_0.inside(__extract_answer_1);
            <_ as __extract::Accepted<T>>::accept(__extract_answer_1);
            <_ as __extract::Accepted<
                Vec<T>,
            >>::accept(__extract_answer_0.after(__extract_answer_1));
            let __extract_answer_2 = (&&__extract::AskedType::<K::Key>::new()).answer();
            <_ as __extract::Accepted<K::Key>>::accept(__extract_answer_2);
            let __extract_answer_3 = (&&__extract::AskedType::<PhantomData<M>>::new())
                .answer();
            <_ as __extract::Accepted<PhantomData<M>>>::accept(__extract_answer_3);
            #[allow(unused_imports)]
            use __extract::NoContextCheck as _;
            __extract::ContextCheck::<Vec<T>>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<K::Key>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<PhantomData<M>>::new()
                .within::<__extract::NoContext>();
        }
    }
};
