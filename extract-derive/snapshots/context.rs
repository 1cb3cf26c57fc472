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
    #[allow(unused_imports)]
    use __extract::{NotAsked as _, NotOptional as _};
    #[automatically_derived]
    impl<T> __extract::DerivedType for Line<T>
    where
        T: __extract::DescribedType,
    {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::SerdeRefusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = (
            __extract::NeedsContext<shop::Catalogue>,
            <T as __extract::DerivedType>::__ExtractContext,
        );
        type __ExtractGrowth = __extract::WholeGrowth;
        fn __extract_schema_name() -> __extract::NameText<'static> {
            __extract::name(
                "Line",
                &[<T as __extract::DerivedType>::__extract_schema_name()],
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
                            "part",
                            __extract::AskedType::<String>::new().source(),
                        ),
                        __extract::FieldProperty::new(
                            "more",
                            __extract::AskedType::<Vec<T>>::new().source(),
                        ),
                        __extract::FieldProperty::new(
                            "parent",
                            __extract::AskedType::<Option<Box<Self>>>::new().source(),
                        ),
                    ],
                    false,
                ),
                &[],
            )
        }
        const __EXTRACT_RULED: ::core::primitive::bool = true;
        fn __extract_judge<'value>(
            &'value self,
            __extract_place: &__extract::LazyPath<'_>,
            __extract_judge: &mut __extract::RuleJudge<'value>,
        ) {
            {
                let __extract_at = &__extract_place.key("part");
                __extract::AskedType::<String>::new()
                    .judge(&self.part, __extract_at, __extract_judge);
                if let __extract::Option::Some(__extract_context) = __extract_judge
                    .context_if_running::<shop::Catalogue>()
                {
                    __extract::RuleResult::record(
                        is_known(&self.part, __extract_context),
                        __extract_judge,
                        __extract_at,
                    );
                }
            }
            {
                let __extract_at = &__extract_place.key("more");
                __extract::AskedType::<Vec<T>>::new()
                    .judge(&self.more, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.key("parent");
                __extract::AskedType::<Option<Box<Self>>>::new()
                    .judge(&self.parent, __extract_at, __extract_judge);
            }
            if let __extract::Option::Some(__extract_context) = __extract_judge
                .context_if_running::<shop::Catalogue>()
            {
                __extract::RuleResult::record(
                    is_in_stock(self, __extract_context),
                    __extract_judge,
                    __extract_place,
                );
            }
        }
        fn __extract_valid_parts<__ExtractUse>(
            __extract_part: &__extract::ValuePart<'_>,
            __extract_valid_parts: &mut __extract::ValidParts<'_>,
        ) {
            __extract::AskedType::<String>::new()
                .part(
                    __extract_part.key(&["part"]),
                    __extract_valid_parts,
                    &|__extract_value, __extract_at, __extract_judge| {
                        if let __extract::Option::Some(__extract_context) = __extract_judge
                            .context_if_running::<shop::Catalogue>()
                        {
                            __extract::RuleResult::record(
                                is_known(__extract_value, __extract_context),
                                __extract_judge,
                                __extract_at,
                            );
                        }
                    },
                );
            __extract::AskedType::<Vec<T>>::new()
                .part(
                    __extract_part.key(&["more"]),
                    __extract_valid_parts,
                    &|_, _, _| {},
                );
            __extract::AskedType::<Option<Box<Self>>>::new()
                .part(
                    __extract_part.key(&["parent"]),
                    __extract_valid_parts,
                    &|_, _, _| {},
                );
        }
        const __EXTRACT_IS_RECORD: ::core::primitive::bool = true;
    }
    #[automatically_derived]
    impl<T, __ExtractUse> __extract::HasKeys<__ExtractUse> for Line<T>
    where
        T: __extract::DescribedType,
    {}
    #[automatically_derived]
    impl<T> __extract::FieldContextChecks for Line<T>
    where
        T: __extract::DescribedType,
        shop::Catalogue: __extract::ProvidesContext<
            <T as __extract::DerivedType>::__ExtractContext,
        >,
    {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        fn __extract_context_checks() {
            use __extract::{
                AskedAnswer as _, IsDerived as _, IsDescribed as _, IsSized as _,
                IsUnsized as _,
            };
            let __extract_answer_0 = (&&__extract::AskedType::<String>::new()).answer();
            <_ as __extract::Accepted<String>>::accept(__extract_answer_0);
            let __extract_answer_1 = (&&__extract::AskedType::<Vec<T>>::new()).answer();
            let __extract_answer_2 = (&&__extract::AskedType::<T>::new()).answer();
            let __extract_answer_2 = __extract_answer_1.inside(__extract_answer_2);
            <_ as __extract::Accepted<T>>::accept(__extract_answer_2);
            <_ as __extract::Accepted<
                Vec<T>,
            >>::accept(__extract_answer_1.after(__extract_answer_2));
            let __extract_answer_3 = (&&__extract::AskedType::<Option<Box<Self>>>::new())
                .answer();
            let __extract_answer_4 = (&&__extract::AskedType::<Box<Self>>::new())
                .answer();
            let __extract_answer_4 = __extract_answer_3.inside(__extract_answer_4);
            let __extract_answer_5 = (&&__extract::AskedType::<Self>::new()).answer();
            let __extract_answer_5 = __extract_answer_4.inside(__extract_answer_5);
            <_ as __extract::Accepted<Self>>::accept(__extract_answer_5);
            <_ as __extract::Accepted<
                Box<Self>,
            >>::accept(__extract_answer_4.after(__extract_answer_5));
            <_ as __extract::Accepted<
                Option<Box<Self>>,
            >>::accept(__extract_answer_3.after(__extract_answer_4));
            #[allow(unused_imports)]
            use __extract::NoContextCheck as _;
            __extract::ContextCheck::<String>::new().within::<shop::Catalogue>();
            __extract::ContextCheck::<Vec<T>>::new().within::<shop::Catalogue>();
            __extract::ContextCheck::<Option<Box<Self>>>::new()
                .within::<shop::Catalogue>();
        }
    }
};
