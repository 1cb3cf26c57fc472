//! What implementations for types of other crates share.

/// What scalars share: a name, and a schema that stands where it is used.
macro_rules! scalar {
    ($name:expr, $schema:expr) => {
        type __ExtractContext = $crate::context::NoContext;

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

/// Keys of a map are the texts that these types print.
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
