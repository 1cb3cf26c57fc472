#[extract(rulle = check)]
struct Order {
    #[extract(minimum = 1)]
    size: u8,
}

// ---- expands to ----

::core::compile_error! {
    "unknown attribute `rulle`; did you mean `rule = path::to::function`?"
}
::core::compile_error! {
    "unknown attribute `minimum`; did you mean `range(min = ...)`?"
}
const _: () = {
    use ::extract::__private as __extract;
    #[allow(unused_imports)]
    use __extract::{NotAsked as _, NotOptional as _};
    #[automatically_derived]
    impl __extract::DerivedType for Order {
        type __ExtractContext = __extract::NoContext;
        type __ExtractGrowth = __extract::WholeGrowth;
        fn __extract_schema_name() -> __extract::NameText<'static> {
            ::core::unreachable!()
        }
        fn __extract_json_schema(
            _: &mut __extract::SchemaGenerator,
        ) -> __extract::Schema {
            ::core::unreachable!()
        }
    }
    #[automatically_derived]
    impl<__ExtractUse> __extract::HasKeys<__ExtractUse> for Order {}
};
