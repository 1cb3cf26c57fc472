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

/// Calls a macro for each size of tuples.
macro_rules! each_tuple {
    ($for_one:ident) => {
        $for_one!(1: A 0);
        $for_one!(2: A 0 B 1);
        $for_one!(3: A 0 B 1 C 2);
        $for_one!(4: A 0 B 1 C 2 D 3);
        $for_one!(5: A 0 B 1 C 2 D 3 E 4);
        $for_one!(6: A 0 B 1 C 2 D 3 E 4 F 5);
        $for_one!(7: A 0 B 1 C 2 D 3 E 4 F 5 G 6);
        $for_one!(8: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7);
        $for_one!(9: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8);
        $for_one!(10: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9);
        $for_one!(11: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10);
        $for_one!(12: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11);
        $for_one!(13: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12);
        $for_one!(14: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13);
        $for_one!(15: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14);
        $for_one!(16: A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11 M 12 N 13 O 14 P 15);
    };
}

pub(super) use {each_tuple, key, scalar};
