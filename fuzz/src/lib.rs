//! What must hold whatever a reply, a schema or a patch is, as functions over bytes.
//!
//! ```text
//! cargo run --manifest-path fuzz/Cargo.toml --example seeds -- fuzz/corpus  # corpora to start from, one folder a target
//! cargo +nightly fuzz run reading --features libfuzzer -s none -- -max_total_time=1800 -rss_limit_mb=1024
//! cargo run --manifest-path fuzz/Cargo.toml --bin reading -- FILE…       # the same function over files, on stable
//! ```
//!
//! Without a nightly toolchain `RUSTC_BOOTSTRAP=1 cargo fuzz run …` does the same. libFuzzer's own bounds are part of the test:
//! `-rss_limit_mb=1024 -malloc_limit_mb=512 -timeout=10` with inputs of at most 4 KiB.

#![forbid(unsafe_code)]

pub mod patches;
pub mod random;
pub mod reading;
pub mod schemas;
pub mod unions;

/// The `main` of a target: libFuzzer's, or one that checks the files named on the command line.
#[macro_export]
macro_rules! target {
    ($check:path) => {
        #[cfg(feature = "libfuzzer")]
        libfuzzer_sys::fuzz_target!(|data: &[u8]| $check(data));

        #[cfg(not(feature = "libfuzzer"))]
        fn main() {
            for file in std::env::args().skip(1) {
                $check(&std::fs::read(&file).expect("the file can be read"));
            }
        }
    };
}
