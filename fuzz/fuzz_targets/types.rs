#![cfg_attr(feature = "libfuzzer", no_main)]

extractable_fuzz::target!(extractable_fuzz::types::check);
