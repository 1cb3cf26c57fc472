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
    T: ::extract::__private::DescribedType,
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
    impl<T> __extract::DerivedType for Order<T>
    where
        T: __extract::DescribedType,
    {
        const __EXTRACT_IS_DESERIALIZABLE: __extract::Option<__extract::SerdeRefusal> = __extract::is_deserializable::<
            Self,
        >();
        type __ExtractContext = <T as __extract::DerivedType>::__ExtractContext;
        type __ExtractGrowth = __extract::FieldsGrowth;
        fn __extract_schema_name() -> __extract::NameText<'static> {
            __extract::name(
                "Order",
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
                                "nr",
                                __extract::AskedType::<u32>::new().source(),
                            )
                            .aliases(&["number"])
                            .keywords(
                                &[
                                    __extract::FieldKeyword::Description("Printed at the top."),
                                ],
                            ),
                        __extract::FieldProperty::new(
                            "lines",
                            __extract::AskedType::<Vec<T>>::new().source(),
                        ),
                        __extract::FieldProperty::new(
                            "next",
                            __extract::AskedType::<Option<Box<Self>>>::new().source(),
                        ),
                        __extract::FieldProperty::new(
                                "rest",
                                __extract::AskedType::<Rest>::new().source(),
                            )
                            .flat(),
                        __extract::FieldProperty::new(
                            "amount",
                            __extract::SchemaSource::with(text_schema),
                        ),
                    ],
                    false,
                ),
                &[__extract::FieldKeyword::Description("An order.")],
            )
        }
        const __EXTRACT_STEPS: &'static [__extract::FieldStep] = &[
            ("order_number", __extract::FieldPosition::Key("nr")),
            ("rest", __extract::FieldPosition::Here),
        ];
        fn __extract_judge<'value>(
            &'value self,
            __extract_place: &__extract::LazyPath<'_>,
            __extract_judge: &mut __extract::RuleJudge<'value>,
        ) {
            {
                let __extract_at = &__extract_place.key("nr");
                __extract::AskedType::<u32>::new()
                    .judge(&self.order_number, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.key("lines");
                __extract::AskedType::<Vec<T>>::new()
                    .judge(&self.lines, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.key("next");
                __extract::AskedType::<Option<Box<Self>>>::new()
                    .judge(&self.next, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.among();
                __extract::AskedType::<Rest>::new()
                    .judge(&self.rest, __extract_at, __extract_judge);
            }
            {
                let __extract_at = &__extract_place.key("amount");
            }
        }
        fn __extract_valid_parts<__ExtractUse>(
            __extract_part: &__extract::ValuePart<'_>,
            __extract_valid_parts: &mut __extract::ValidParts<'_>,
        ) {
            __extract::AskedType::<Vec<T>>::new()
                .part(
                    __extract_part.key(&["lines"]),
                    __extract_valid_parts,
                    &|_, _, _| {},
                );
            __extract::AskedType::<Option<Box<Self>>>::new()
                .part(
                    __extract_part.key(&["next"]),
                    __extract_valid_parts,
                    &|_, _, _| {},
                );
            __extract::AskedType::<Rest>::new()
                .among(__extract_part, __extract_valid_parts);
        }
        const __EXTRACT_IS_RECORD: ::core::primitive::bool = true;
    }
    #[automatically_derived]
    impl<T, __ExtractUse> __extract::HasKeys<__ExtractUse> for Order<T>
    where
        T: __extract::DescribedType,
    {}
    #[automatically_derived]
    impl<T> __extract::FieldContextChecks for Order<T>
    where
        T: __extract::DescribedType,
        __extract::NoContext: __extract::ProvidesContext<
            <T as __extract::DerivedType>::__ExtractContext,
        >,
    {
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        fn __extract_context_checks() {
            use __extract::{
                AskedAnswer as _, IsDerived as _, IsDescribed as _, IsSized as _,
                IsUnsized as _,
            };
            <_ as __extract::AcceptedAsKeys<
                Rest,
            >>::accept_as_keys((&&__extract::AskedType::<Rest>::new()).answer());
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
        T: __extract::DescribedType,
    {
        type Partial = OrderPartial<T>;
        fn __extract_fields(
            __extract_part: __extract::WrittenPart<'_>,
        ) -> Self::Partial {
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
        T: __extract::DescribedType,
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
        T: __extract::DescribedType,
    {
        fn default() -> Self {
            <Order<
                T,
            > as __extract::HasPartial>::__extract_fields(
                __extract::WrittenPart::PENDING,
            )
        }
    }
    /// Omits the values, so that they do not end up in a log by accident.
    #[automatically_derived]
    impl<T> ::core::fmt::Debug for OrderPartial<T>
    where
        T: __extract::DescribedType,
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
