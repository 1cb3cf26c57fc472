/// An order.
#[extract(partial)]
pub(crate) struct Order<T> {
    /// Printed at the top.
    #[serde(rename = "nr", alias = "number")]
    pub(crate) order_number: u32,
    lines: Vec<T>,
    next: Option<Box<Self>>,
    #[serde(flatten)]
    rest: Rest,
    #[serde(deserialize_with = "from_text")]
    #[extract(schema_with = text_schema)]
    amount: Amount,
    #[serde(skip)]
    cache: Vec<u8>,
}

// ---- expands to ----

///What is known of [`Order`] while it is written.
///
/// An order.
#[allow(dead_code, non_camel_case_types, non_snake_case)]
pub(crate) struct OrderPartial<T>
where
    T: ::extract::__private::Described,
{
    /// Printed at the top.
    pub(crate) order_number: ::extract::partials::Progress<u32>,
    lines: ::extract::partials::Progress<Vec<T>>,
    next: ::extract::partials::Progress<Option<Box<Order<T>>>>,
    rest: ::extract::partials::Progress<Rest>,
    amount: ::extract::partials::Progress<Amount, ()>,
}
const _: () = {
    use ::extract::__private as __extract;
    #[allow(unused_imports)]
    use __extract::{NotAsked as _, NotOptional as _};
    #[automatically_derived]
    impl<T> __extract::Derived for Order<T>
    where
        T: __extract::Described,
    {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::Refusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = <T as __extract::Derived>::__ExtractContext;
        type __ExtractGrowth = __extract::Fields;
        fn __extract_schema_name() -> __extract::Text<'static> {
            __extract::name(
                "Order",
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
                                "nr",
                                __extract::Asked::<u32>::new().source(),
                            )
                            .aliases(&["number"])
                            .keywords(
                                &[__extract::Keyword::Description("Printed at the top.")],
                            ),
                        __extract::Property::new(
                            "lines",
                            __extract::Asked::<Vec<T>>::new().source(),
                        ),
                        __extract::Property::new(
                            "next",
                            __extract::Asked::<Option<Box<Self>>>::new().source(),
                        ),
                        __extract::Property::new(
                                "rest",
                                __extract::Asked::<Rest>::new().source(),
                            )
                            .flat(),
                        __extract::Property::new(
                            "amount",
                            __extract::Source::with(text_schema),
                        ),
                    ],
                    false,
                ),
                &[__extract::Keyword::Description("An order.")],
            )
        }
        const __EXTRACT_STEPS: &'static [__extract::Named] = &[
            ("order_number", __extract::Step::Key("nr")),
            ("rest", __extract::Step::Here),
        ];
        fn __extract_judge<'value>(
            &'value self,
            __extract_place: &__extract::LazyPath<'_>,
            __extract_judge: &mut __extract::Judge<'value>,
        ) {
            {
                let __extract_at = &__extract_place.key("nr");
                __extract::Asked::<u32>::new()
                    .judge(&self.order_number, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.key("lines");
                __extract::Asked::<Vec<T>>::new()
                    .judge(&self.lines, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.key("next");
                __extract::Asked::<Option<Box<Self>>>::new()
                    .judge(&self.next, __extract_at, __extract_judge);
            }
            {
                let __extract_at = __extract_place;
                __extract::Asked::<Rest>::new()
                    .judge(&self.rest, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.key("amount");
            }
        }
        fn __extract_healthy<__ExtractUse>(
            __extract_part: &__extract::Part<'_>,
            __extract_healthy: &mut __extract::Healthy<'_>,
        ) {
            __extract::Asked::<Vec<T>>::new()
                .part(__extract_part.key(&["lines"]), __extract_healthy, &|_, _, _| {});
            __extract::Asked::<Option<Box<Self>>>::new()
                .part(__extract_part.key(&["next"]), __extract_healthy, &|_, _, _| {});
            __extract::Asked::<Rest>::new().among(__extract_part, __extract_healthy);
        }
        const __EXTRACT_IS_RECORD: ::core::primitive::bool = true;
    }
    #[automatically_derived]
    impl<T, __ExtractUse> __extract::HasKeys<__ExtractUse> for Order<T>
    where
        T: __extract::Described,
    {}
    #[automatically_derived]
    impl<T> __extract::FieldContextChecks for Order<T>
    where
        T: __extract::Described,
        __extract::NoContext: __extract::Provides<
            <T as __extract::Derived>::__ExtractContext,
        >,
    {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        fn __extract_context_checks() {
            use __extract::{
                Answer as _, IsDerived as _, IsDescribed as _, IsSized as _,
                IsUnsized as _,
            };
            let __extract_answer_0 = (&&__extract::Asked::<u32>::new()).answer();
            <_ as __extract::Accepted<u32>>::accept(__extract_answer_0);
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
            let __extract_answer_6 = (&&__extract::Asked::<Rest>::new()).answer();
            <_ as __extract::Accepted<Rest>>::accept(__extract_answer_6);
            <_ as __extract::AcceptedAsKeys<
                Rest,
            >>::accept_as_keys((&&__extract::Asked::<Rest>::new()).answer());
            #[allow(unused_imports)]
            use __extract::NoContextCheck as _;
            __extract::ContextCheck::<u32>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<Vec<T>>::new().within::<__extract::NoContext>();
            __extract::ContextCheck::<Option<Box<Self>>>::new()
                .within::<__extract::NoContext>();
            __extract::ContextCheck::<Rest>::new().within::<__extract::NoContext>();
        }
    }
    #[automatically_derived]
    impl<T> __extract::HasPartial for Order<T>
    where
        T: __extract::Described,
    {
        type Partial = OrderPartial<T>;
        fn __extract_fields(__extract_part: __extract::Written<'_>) -> Self::Partial {
            OrderPartial {
                order_number: __extract_part.member(&["nr", "number"]).progress(),
                lines: __extract_part.member(&["lines"]).progress(),
                next: __extract_part.member(&["next"]).progress(),
                rest: __extract_part.flat(),
                amount: __extract_part.member(&["amount"]).progress_by(from_text),
            }
        }
    }
    #[automatically_derived]
    impl<T> ::core::convert::From<Order<T>> for OrderPartial<T>
    where
        T: __extract::Described,
    {
        fn from(__extract_value: Order<T>) -> Self {
            Self {
                order_number: __extract::Progress::Done(__extract_value.order_number),
                lines: __extract::Progress::Done(__extract_value.lines),
                next: __extract::Progress::Done(__extract_value.next),
                rest: __extract::Progress::Done(__extract_value.rest),
                amount: __extract::Progress::Done(__extract_value.amount),
            }
        }
    }
    #[automatically_derived]
    impl<T> ::core::default::Default for OrderPartial<T>
    where
        T: __extract::Described,
    {
        fn default() -> Self {
            <Order<
                T,
            > as __extract::HasPartial>::__extract_fields(__extract::Written::PENDING)
        }
    }
    /// Omits the values, so that they do not end up in a log by accident.
    #[automatically_derived]
    impl<T> ::core::fmt::Debug for OrderPartial<T>
    where
        T: __extract::Described,
    {
        fn fmt(
            &self,
            __extract_formatter: &mut ::core::fmt::Formatter<'_>,
        ) -> ::core::fmt::Result {
            __extract_formatter
                .debug_struct("OrderPartial")
                .field("order_number", &self.order_number.state())
                .field("lines", &self.lines.state())
                .field("next", &self.next.state())
                .field("rest", &self.rest.state())
                .field("amount", &self.amount.state())
                .finish()
        }
    }
};
