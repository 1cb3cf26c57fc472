//! Macros for the implementations for types of other crates.

/// The shared part of scalars: a name, an inline schema, and how it grows if not as a whole.
macro_rules! scalar {
    ($name:expr, $schema:expr) => {
        $crate::derive_support::macros::scalar!(
            $name,
            $schema,
            $crate::derive_support::partial_types::WholeGrowth
        );
    };
    ($name:expr, $schema:expr, $growth:ty) => {
        type __ExtractContext = $crate::vocabulary::context::NoContext;
        type __ExtractGrowth = $growth;

        fn __extract_schema_name() -> ::std::borrow::Cow<'static, str> {
            ::std::borrow::Cow::Borrowed($name)
        }

        fn __extract_inline_schema() -> bool {
            true
        }

        fn __extract_json_schema(_: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
            $schema
        }
    };
}

/// The keys of a map are the strings that these types print.
macro_rules! key {
    ($schema:expr) => {
        fn __extract_key_schema(_: &mut ::schemars::SchemaGenerator) -> Option<::schemars::Schema> {
            $schema
        }

        fn __extract_key(&self) -> ::std::borrow::Cow<'_, str> {
            ::std::borrow::Cow::Owned(self.to_string())
        }
    };
}

pub(super) use {key, scalar};
