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
                            __extract::Asked::<String>::new().source(),
                        ),
                        __extract::Property::new(
                            "more",
                            __extract::Asked::<Vec<T>>::new().source(),
                        ),
                        __extract::Property::new(
                            "parent",
                            __extract::Asked::<Option<Box<Self>>>::new().source(),
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
                __extract::Asked::<String>::new()
                    .judge(&self.part, __extract_at, __extract_judge);
                if let __extract::Option::Some(__extract_context) = __extract_judge
                    .context_if_running::<shop::Catalogue>()
                {
                    __extract::Judged::record(
                        is_known(&self.part, __extract_context),
                        __extract_judge,
                        __extract_at,
                    );
                }
            }
            {
                let __extract_at = &__extract_place.key("more");
                __extract::Asked::<Vec<T>>::new()
                    .judge(&self.more, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.key("parent");
                __extract::Asked::<Option<Box<Self>>>::new()
                    .judge(&self.parent, __extract_at, __extract_judge);
            }
            if let __extract::Option::Some(__extract_context) = __extract_judge
                .context_if_running::<shop::Catalogue>()
            {
                __extract::Judged::record(
                    is_in_stock(self, __extract_context),
                    __extract_judge,
                    __extract_place,
                );
            }
        }
        fn __extract_healthy<__ExtractUse>(
            __extract_part: &__extract::Part<'_>,
            __extract_healthy: &mut __extract::Healthy<'_>,
        ) {
            __extract::Asked::<String>::new()
                .part(
                    __extract_part.key(&["part"]),
                    __extract_healthy,
                    &|__extract_value, __extract_at, __extract_judge| {
                        if let __extract::Option::Some(__extract_context) = __extract_judge
                            .context_if_running::<shop::Catalogue>()
                        {
                            __extract::Judged::record(
                                is_known(__extract_value, __extract_context),
                                __extract_judge,
                                __extract_at,
                            );
                        }
                    },
                );
            __extract::Asked::<Vec<T>>::new()
                .part(__extract_part.key(&["more"]), __extract_healthy, &|_, _, _| {});
            __extract::Asked::<Option<Box<Self>>>::new()
                .part(__extract_part.key(&["parent"]), __extract_healthy, &|_, _, _| {});
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
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        fn __extract_context_checks() {
            use __extract::{
                Answer as _, IsDerived as _, IsDescribed as _, IsSized as _,
                IsUnsized as _,
            };
            let __extract_answer_0 = (&&__extract::Asked::<String>::new()).answer();
            <_ as __extract::Accepted<String>>::accept(__extract_answer_0);
            let __extract_answer_1 = (&&__extract::Asked::<Vec<T>>::new()).answer();
            let __extract_answer_2 = (&&__extract::Asked::<T>::new()).answer();
            let __extract_answer_2 = __extract_answer_1.inside(__extract_answer_2);
            <_ as __extract::Accepted<T>>::accept(__extract_answer_2);
            <_ as __extract::Accepted<
                Vec<T>,
            >>::accept(__extract_answer_1.after(__extract_answer_2));
            let __extract_answer_3 = (&&__extract::Asked::<Option<Box<Self>>>::new())
                .answer();
            let __extract_answer_4 = (&&__extract::Asked::<Box<Self>>::new()).answer();
            let __extract_answer_4 = __extract_answer_3.inside(__extract_answer_4);
            let __extract_answer_5 = (&&__extract::Asked::<Self>::new()).answer();
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
